// A button that copies a link; where the browser refuses the clipboard, a field has the link selected.
// Hooks: data-role="copy-link", "link-text".

import { htmlElement } from "../page/svg.js";

export class LinkCopy {
  /** @param {() => string} linkNow @param {(words: string) => void} onSay */
  constructor(linkNow, onSay) {
    Object.assign(this, { linkNow, onSay });
    this.field = htmlElement("input", { type: "text", readonly: true, hidden: true, "data-role": "link-text", "aria-label": "Link to this game and ply" });
    this.element = htmlElement("span", { class: "reader-link" },
      htmlElement("button", { type: "button", title: "A link that opens this game at this ply", "data-role": "copy-link", onclick: () => this.copy() }, "Copy link"), this.field);
  }

  async copy() {
    const link = this.linkNow();
    try {
      await navigator.clipboard.writeText(link);
      this.field.hidden = true;
      this.onSay("The link is copied: it opens this game at this ply.");
    } catch {
      // Refused, or a page that has no clipboard at all.
      this.field.value = link;
      this.field.hidden = false;
      this.field.focus();
      this.field.select();
      this.onSay("The browser does not let the page copy: the link is selected, copy it with Ctrl+C or by a long touch.");
    }
  }
}

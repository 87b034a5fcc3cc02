// The open row: its prediction and its scores. The pair below shows the boards,
// the game's moves and the reply.

import { htmlElement } from "../page/svg.js";

/**
 * @param {{title: string, facts: string[][], without: string}} opened without: why moves or reply are
 *   missing, or empty.
 * @returns {HTMLElement[]}
 */
export function openedRegion(opened) {
  const facts = htmlElement("dl", { class: "rb-facts", "data-role": "opened-facts" });
  for (const [name, value] of opened.facts) {
    facts.append(htmlElement("div", {}, htmlElement("dt", { text: name }), htmlElement("dd", { text: value })));
  }
  const without = opened.without ? htmlElement("p", { class: "ws-quiet", "data-role": "without", text: opened.without }) : null;
  return [htmlElement("h3", { "data-role": "opened-title", text: `Open below: ${opened.title}` }), facts, without]
    .filter((part) => part !== null);
}

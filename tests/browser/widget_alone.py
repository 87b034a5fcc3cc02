"""A widget on a page of its own in chromium, answered by the Python object in this process.

There is no JupyterLab and no kernel between: state and messages go through one exposed function. So a
test can have any window, touch, and either theme, and times what the widget itself takes.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from playwright.sync_api import Browser, Page

from workbench.explore.page.widget_base import WidgetBase

from .lab_page import PATIENCE

_PAGE: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widget</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 8px; background: var(--page, #fff); }
body[data-jp-theme-light="false"] { --page: #1b1b1d; }</style></head>
<body data-jp-theme-light="true"><main id="widgets"></main></body></html>"""

_MODEL: Final = """
const bytes = text => new DataView(Uint8Array.from(atob(text), each => each.charCodeAt(0)).buffer);
const revived = (_key, value) => value && value.$bytes !== undefined ? bytes(value.$bytes) : value;
class AloneModel {
  constructor(index, state) {
    Object.assign(this, { index, state, changed: {}, listeners: {} });
  }
  get(name) { return this.state[name]; }
  set(name, value) { this.changed[name] = value; this.take({ [name]: value }); }
  on(name, listener) { (this.listeners[name] ??= []).push(listener); }
  off(name, listener) {
    this.listeners[name] = (this.listeners[name] ?? []).filter(each => each !== listener);
  }
  call(name, ...values) { for (const listener of [...(this.listeners[name] ?? [])]) listener(...values); }
  take(state) {
    for (const [name, value] of Object.entries(state)) {
      if (JSON.stringify(this.state[name]) === JSON.stringify(value)) continue;
      this.state[name] = value;
      this.call(`change:${name}`);
    }
  }
  save_changes() { const state = this.changed; this.changed = {}; exchange(this.index, "state", state); }
  send(message) { exchange(this.index, "message", message); }
}
const models = [];
async function exchange(index, kind, content) {
  const events = JSON.parse(await window.askPython(JSON.stringify([index, kind, content])), revived);
  for (const { index: which, state, message, buffers } of events) {
    if (state) models[which].take(state);
    else models[which].call("msg:custom", message, buffers);
  }
}
async function showWidget(source, css, stateText) {
  const style = document.createElement("style");
  style.textContent = css;
  const el = document.createElement("div");
  document.getElementById("widgets").append(style, el);
  const module = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const model = new AloneModel(models.length, JSON.parse(stateText, revived));
  models.push(model);
  await module.default.render({ model, el });
}
"""


def _as_text(value: Any) -> str:
    def unknown(item: Any) -> Any:
        if isinstance(item, bytes | bytearray | memoryview):
            return {"$bytes": base64.b64encode(bytes(item)).decode()}
        raise TypeError(f"expected what JSON or bytes hold, got {type(item).__name__}")

    return json.dumps(value, default=unknown)


class Exchange:
    """What the page asks of the widgets, and what they do meanwhile."""

    def __init__(self, widgets: Sequence[WidgetBase]) -> None:
        self.widgets = widgets
        self.events: list[dict[str, Any]] = []
        for index, widget in enumerate(widgets):
            self._listen(index, widget)

    def _listen(self, index: int, widget: WidgetBase) -> None:
        def send(message: Any, buffers: Any = None) -> None:
            event = {"index": index, "message": message, "buffers": list(buffers or [])}
            self.events.append(json.loads(_as_text(event)))

        def changed(change: Any) -> None:
            # As it is now: some traits are changed again before the page hears of them.
            state = json.loads(_as_text({change["name"]: change["new"]}))
            self.events.append({"index": index, "state": state})

        widget.send = send  # type: ignore[method-assign]
        widget.observe(changed, [name for name in widget.keys if not name.startswith("_")])

    def answer(self, text: str) -> str:
        """Do what the page asks and return the events that it leads to."""
        index, kind, content = json.loads(text)
        if kind == "state":
            self.widgets[index].set_state(content)
        else:
            self.widgets[index].answer(None, content)
        events, self.events = self.events, []
        return _as_text(events)


@contextmanager
def widget_page(
    browser: Browser, widgets: Sequence[WidgetBase], width: int, height: int, *, touch: bool = False
) -> Iterator[Page]:
    """Show widgets below each other on a page of their own; a console error fails the test.

    Args:
        browser: Chromium.
        widgets: They stay connected to the page until the block ends.
        width: Of the window, in CSS pixels.
        height: Of the window.
        touch: Whether the page has a touch screen.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=touch, accept_downloads=True
    )
    context.set_default_timeout(PATIENCE)
    errors: list[str] = []
    try:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.expose_function("askPython", Exchange(widgets).answer)
        page.set_content(_PAGE)
        page.add_script_tag(content=_MODEL)
        for widget in widgets:
            state = {
                name: value
                for name, value in widget.get_state().items()
                if not name.startswith("_") and name != "layout"
            }
            page.evaluate(
                "([source, css, state]) => showWidget(source, css, state)",
                [str(widget._esm), str(widget._css), _as_text(state)],
            )
        yield page
    finally:
        context.close()
    assert errors == []


def set_theme(page: Page, name: str) -> None:
    """Change the page to "light" or "dark", as JupyterLab tells widgets."""
    page.evaluate(
        "light => { document.body.dataset.jpThemeLight = light; }", str(name == "light").lower()
    )

"""JupyterLab in Debian's chromium: notebooks opened and run, and all that went wrong on the page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    ViewportSize,
    sync_playwright,
)

ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    # Whatever asks for another machine finds none; the page still records that it asked.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
PATIENCE: Final = 90_000
"""Milliseconds that anything on the page may take."""

WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
THEMES: Final = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

FIND: Final = (
    "const panel = [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path);"
)

OPEN: Final = """async path => {
    const panel = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
    await panel.context.ready;
    await panel.sessionContext.ready;
}"""

# Idle alone says too little: a kernel that the page has not reached yet is also called idle.
READY: Final = f"""path => {{
    {FIND}
    const kernel = panel?.sessionContext.session?.kernel;
    return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}}"""

ACTIVATE: Final = f"path => {{ {FIND} jupyterapp.shell.activateById(panel.id); }}"

RUN: Final = "() => jupyterapp.commands.execute('notebook:run-all-cells')"

CELLS: Final = f"""path => {{
    {FIND}
    return [...panel.content.model.cells].map(cell => cell.toJSON());
}}"""

EXECUTE: Final = f"""async ([path, code]) => {{
    {FIND}
    const said = [];
    const future = panel.sessionContext.session.kernel.requestExecute({{code, store_history: false}});
    future.onIOPub = ({{header, content}}) => {{
        if (header.msg_type === 'stream') said.push(content.text);
        if (header.msg_type === 'error') said.push(content.ename + ': ' + content.evalue);
    }};
    await future.done;
    return said.join('');
}}"""

CLOSE: Final = f"""async path => {{
    {FIND}
    const session = panel.sessionContext.session?.id;
    panel.context.model.dirty = false;
    panel.dispose();
    if (session) await jupyterapp.serviceManager.sessions.shutdown(session);
}}"""


@dataclass
class LabPage:
    """One page with JupyterLab in it, and what it said and asked for.

    Args:
        page: Playwright's page.
        host: Host and port of the server; a request to any other is off-site.
        errors: Console errors and uncaught exceptions since the last ``forget``.
        off_site: Addresses asked for on any other host.
    """

    page: Page
    host: str
    errors: list[str] = field(default_factory=list)
    off_site: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Record errors and off-site requests from now on."""
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("websocket", lambda socket: self._asked(socket.url))

    def _console(self, message: ConsoleMessage) -> None:
        asked = message.location.get("url", "")
        if message.type == "error":
            self.errors.append(f"{message.text} ({asked})")

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        # Only these schemes leave the page.
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.off_site.append(url)

    def forget(self) -> None:
        """Forget what was recorded."""
        self.errors.clear()
        self.off_site.clear()

    @contextmanager
    def notebook(self, path: str, *, run: bool = True) -> Iterator["Notebook"]:
        """Open a notebook, run all its cells, and close it with its kernel after the block.

        Args:
            path: Relative to the server's folder.
            run: Whether to run all cells once the kernel is connected and idle.

        Raises:
            AssertionError: If a cell ends in an error.
        """
        self.page.evaluate(OPEN, path)
        opened = Notebook(self, path)
        try:
            self.page.wait_for_function(READY, arg=path)
            if run:
                opened.run_all()
            yield opened
        finally:
            self.page.evaluate(CLOSE, path)

    def set_theme(self, name: str) -> None:
        """Change to JupyterLab's theme "light" or "dark"."""
        if (self.page.get_attribute("body", "data-jp-theme-name")) == THEMES[name]:
            return
        self.page.evaluate(
            "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", THEMES[name]
        )
        self.page.wait_for_selector(f"body[data-jp-theme-name='{THEMES[name]}']", state="attached")


@dataclass(frozen=True)
class Notebook:
    """An open notebook.

    Args:
        lab: The page it is in.
        path: Relative to the server's folder.
    """

    lab: LabPage
    path: str

    def show(self) -> None:
        """Bring the notebook to the front."""
        self.lab.page.evaluate(ACTIVATE, self.path)

    def run_all(self) -> None:
        """Run all cells, as the menu's "Run All Cells" does, and wait until they have run."""
        self.show()
        self.lab.page.evaluate(RUN)
        failed = [
            f"cell {number}: {output['ename']}: {output['evalue']}"
            for number, cell in enumerate(self.cells())
            for output in cell.get("outputs", [])
            if output["output_type"] == "error"
        ]
        assert not failed, f"{self.path}: {failed}"

    def cells(self) -> list[dict[str, Any]]:
        """Return the cells with their outputs, as the page holds them."""
        cells: list[dict[str, Any]] = self.lab.page.evaluate(CELLS, self.path)
        return cells

    def execute(self, code: str) -> str:
        """Run code in the notebook's kernel, in no cell, and return what it printed or raised."""
        said: str = self.lab.page.evaluate(EXECUTE, [self.path, code])
        return said

    def widget(self, role: str) -> Locator:
        """Return the root of the first widget of a kind, such as "board-pair"; see its data-role."""
        return self.lab.page.locator(
            f".jp-NotebookPanel:not(.lm-mod-hidden) .world-state[data-role={role}]"
        ).first


def chromium_path() -> str | None:
    """Return where chromium is installed, None where it is not."""
    return shutil.which("chromium")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start chromium without a window; it ends with the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path(), args=list(ARGUMENTS), chromium_sandbox=False
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def lab_page(
    browser: Browser, url: str, token: str, *, window: ViewportSize = WIDE, touch: bool = False
) -> Iterator[LabPage]:
    """Open JupyterLab in a new context and wait until it has started.

    Args:
        browser: From ``chromium``.
        url: The server's address with a slash at the end.
        token: What the server wants to see.
        window: Width and height in CSS pixels.
        touch: Whether the device has a touch screen.
    """
    context = browser.new_context(viewport=window, has_touch=touch, service_workers="block")
    context.set_default_timeout(PATIENCE)
    try:
        lab = LabPage(context.new_page(), urlsplit(url).netloc)
        lab.listen()
        lab.page.goto(f"{url}lab?token={token}&reset")
        lab.page.wait_for_function("() => window.jupyterapp !== undefined")
        lab.page.evaluate("() => jupyterapp.restored")
        lab.page.evaluate(
            "() => { jupyterapp.shell.collapseLeft(); jupyterapp.shell.collapseRight(); }"
        )
        yield lab
    finally:
        context.close()


def save_notebook(folder: Path, name: str, *sources: str) -> str:
    """Write a notebook of code cells and return its path relative to the folder."""
    import nbformat

    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(made, folder / f"{name}.ipynb")
    return f"{name}.ipynb"

"""Take a picture of each widget of the explorer, in both themes, at 1280 and 700 pixels of width.

Run from the repository: ``python -m benchmarks.explorer_screenshots FOLDER``, about a minute. The
widgets are those of notebooks 10 and 11, in JupyterLab and chromium as in the browser tests.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, expect

from tests.browser.lab_page import THEMES, LabPage, Notebook, chromium, lab_page
from tests.browser.lab_server import lab_server

REPOSITORY: Final = Path(__file__).resolve().parents[1]
WIDTHS: Final = (1280, 700)
HEIGHT: Final = 3000
"""Of the window, so that every widget fits."""


def board_pair(notebook: Notebook) -> Locator:
    """Return the pair, with its numbers and what is lost."""
    root = notebook.widget("board-pair")
    for part in ("numbers", "lost"):
        expect(root.locator(f"[data-role={part}]")).to_have_attribute("data-state", "fresh")
    return root


def estimator_lab(notebook: Notebook) -> Locator:
    """Return the lab after its runs."""
    root = notebook.widget("estimator-lab")
    root.locator("[data-role=start]").click()
    expect(root).to_have_attribute("data-state", "done")
    return root


def game_tracker(notebook: Notebook) -> Locator:
    """Return the tracker."""
    return notebook.widget("game-tracker")


def run_browser(notebook: Notebook) -> Locator:
    """Return the table and scatter, and a reply of gpt-4.1 with that of o3-mini beside it."""
    notebook.execute(
        "rows = browser.table.run.rows\n"
        "there = rows.position_id == 'halfmoves0034_001-400c2959'\n"
        "browser.open_row(int(rows.index[there & rows.model.str.startswith('gpt-4.1')][0]))"
    )
    root = notebook.widget("run-browser")
    root.get_by_role("button", name="edit distance", exact=True).click()
    root.locator("[data-role=other]").first.click()
    expect(root.locator("[data-role=beside-boards]")).to_be_visible()
    return root


NOTEBOOKS: Final = {
    "notebooks/10_explore_board_pair.ipynb": (board_pair, estimator_lab, game_tracker),
    "notebooks/11_explore_run.ipynb": (run_browser,),
}


def take(lab: LabPage, root: Locator, name: str, folder: Path) -> Iterator[Path]:
    """Save the pictures of one widget and yield their paths."""
    for theme in THEMES:
        for width in WIDTHS:
            lab.page.set_viewport_size({"width": width, "height": HEIGHT})
            lab.set_theme(theme)
            # Charts are drawn for the width that they have, one frame after it changed.
            lab.page.evaluate(
                "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            path = folder / f"{name}_{theme}_{width}.png"
            root.screenshot(path=path, animations="disabled")
            yield path


def main() -> None:
    """Take all pictures and print their paths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go; made if it is missing")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=60_000)
    with (
        chromium() as browser,
        lab_server(REPOSITORY) as server,
        lab_page(browser, server.url, server.token) as lab,
    ):
        for path, widgets in NOTEBOOKS.items():
            with lab.notebook(path) as notebook:
                for widget in widgets:
                    for picture in take(lab, widget(notebook), widget.__name__, folder):
                        print(picture)


if __name__ == "__main__":
    main()

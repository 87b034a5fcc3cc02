"""Take a picture of each widget of the explorer, in both themes, at 1280 and 700 pixels of width.

Run from the repository: ``python -m benchmarks.explorer_screenshots FOLDER``, about a minute. The
widgets are those of notebooks 10 and 11, in JupyterLab and chromium as in the browser tests. With
``--pairs`` it takes the first screen of BoardPair alone, for six pairs of boards in windows from a
desktop's to a phone's, and counts the stops of the Tab key.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect

from tests.browser.lab_page import THEMES, LabPage, Notebook, chromium, lab_page
from tests.browser.lab_server import lab_server
from tests.browser.widget_alone import set_theme, widget_page
from workbench.explore.pair.board_pair import BoardPair

REPOSITORY: Final = Path(__file__).resolve().parents[1]
WIDTHS: Final = (1280, 700)
HEIGHT: Final = 3000
"""Of the window, so that every widget fits."""

WINDOWS: Final = ((1440, 900), (1366, 768), (1024, 768), (390, 844))
PHONE_WIDTH: Final = 600
OPENING: Final = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
CHECK: Final = "rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3"
MATE: Final = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
CROWD: Final = "rnbqkbnr/pppppppp/nbrqnbrq/bnqrbnqr/RNQBNRQB/BQNRBQNR/PPPPPPPP/RNBQKB2 w - - 0 1"
PAIRS: Final = {
    "side": (OPENING, OPENING.replace(" w ", " b ")),
    "lost_piece": (OPENING, OPENING.replace("2B1P3", "4P3")),
    "mate": (MATE, MATE.replace("6Pq/5P2", "6P1/5P1q")),
    "check": (CHECK, CHECK.replace("rnb1kbnr", "rnbqkbnr").replace("4PP1q", "4PP2")),
    "sixty": (CROWD, CROWD.replace("nbrqnbrq/bnqrbnqr", "bnqrbnqr/nbrqnbrq")),
    "no_king": (OPENING, OPENING.replace("r1bqkb1r", "r1bq1b1r")),
}


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
    """Return the models, two compared, and a reply of gpt-4.1 with that of o3-mini beside it."""
    notebook.execute(
        "rows = browser.table.run.rows\n"
        "there = rows.position_id == 'halfmoves0034_001-400c2959'\n"
        "browser.open_row(int(rows.index[there & rows.model.str.startswith('gpt-4.1')][0]))"
    )
    root = notebook.widget("run-browser")
    for model in ("o3-mini-2025-01-31", "gpt-4.1-2025-04-14"):
        root.locator(f"[data-role=model][data-model='{model}']").click()
    root.locator("[data-role=pair-sort]").click()
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


def tab_stops(page: Page, root: Locator) -> int:
    """Return how often Tab stops within a widget."""
    page.evaluate("() => document.activeElement.blur()")
    inside = "root => root.contains(document.activeElement)"
    stops = 0
    for _ in range(300):
        page.keyboard.press("Tab")
        if root.evaluate(inside):
            stops += 1
        elif stops:
            return stops
    raise RuntimeError("expected Tab to leave the widget, it stopped in it 300 times")


def first_screens(folder: Path) -> Iterator[str]:
    """Save the first screen of BoardPair for each pair and window, and yield what is in each."""
    with chromium() as browser:
        for width, height in WINDOWS:
            for name, (true, predicted) in PAIRS.items():
                pair, touch = BoardPair(true, predicted), width < PHONE_WIDTH
                with widget_page(browser, [pair], width, height, touch=touch) as page:
                    root = page.locator("[data-role=board-pair]")
                    for part in ("numbers", "lost"):
                        role = root.locator(f"[data-role={part}]")
                        expect(role).to_have_attribute("data-state", "fresh")
                    counted = name in ("side", "lost_piece")
                    stops = tab_stops(page, root) if counted else 0
                    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
                    for theme in THEMES if name == "side" else ["light"]:
                        set_theme(page, theme)
                        path = folder / f"{name}_{width}_{theme}.png"
                        page.screenshot(path=path, animations="disabled")
                    yield f"{path}{f': {stops} stops of the Tab key' if stops else ''}"


def main() -> None:
    """Take all pictures and print their paths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go; made if it is missing")
    parser.add_argument("--pairs", action="store_true", help="the first screens of BoardPair alone")
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=60_000)
    if options.pairs:
        for line in first_screens(folder):
            print(line)
        return
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

"""Time real drags in BoardPair: from the drop of a piece to the new numbers on the screen.

Run from the repository: ``python -m benchmarks.explorer_latency``, about a minute. It starts
JupyterLab and chromium as the browser tests do. The page itself takes the times: from the pointer's
release to the end of the frame that draws the answer, which holds the way to the kernel, the exact
p and r at every depth, the text measures, both lists of moves and the drawing.
"""

import argparse
import os
import platform
import random
from pathlib import Path
from typing import Any, Final

import chess
import numpy as np
from playwright.sync_api import Locator, Page, expect

from benchmarks.pairs import positions
from tests.browser.lab_page import chromium, lab_page, save_notebook
from tests.browser.lab_server import lab_server
from workbench.environments.chess.kernel.kernel_functions import core_count

SEED: Final = 2508
REPOSITORY: Final = Path(__file__).resolve().parents[1]
CODE: Final = """
from workbench.explore.pair.board_pair import BoardPair
pair = BoardPair(depth={depth})
pair
"""
WATCH: Final = """numbers => {
    window.drops = [];
    window.shown = [];
    let dropped = null;
    window.addEventListener('pointerup', () => { dropped = performance.now(); }, {capture: true});
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
        window.drops.push({total: performance.now() - dropped, answered: window.answered - dropped});
    };
    new MutationObserver(() => {
        if (numbers.dataset.state !== 'fresh' || dropped === null) return;
        window.answered = performance.now();
        // A message that is sent in a frame's callback arrives when the frame has been painted.
        requestAnimationFrame(() => painted.port2.postMessage(null));
    }).observe(numbers, {attributes: true, attributeFilter: ['data-serial']});
}"""


def drags(count: int, seed: int) -> list[tuple[str, str, str]]:
    """Return positions of games and for each a man, not a king, and a free square to drop it on."""
    rng = random.Random(seed)
    found = []
    for fen in positions(count, seed)[0]:
        board = chess.Board(fen)
        men = list(chess.SquareSet(board.occupied & ~board.kings))
        free = list(chess.SquareSet(~board.occupied & chess.BB_ALL))
        if men:
            source, target = rng.choice(men), rng.choice(free)
            found.append((fen, chess.square_name(source), chess.square_name(target)))
    return found


def square(root: Locator, name: str) -> Locator:
    """Return a square of the predicted board."""
    return root.locator(f"[data-role=board][data-look=predicted] [data-square={name}]")


def middle(locator: Locator) -> tuple[float, float]:
    """Return the middle of an element in the window."""
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, root: Locator, source: str, target: str) -> dict[str, float]:
    """Drag a piece and return the milliseconds that the page took."""
    start, end = middle(square(root, source)), middle(square(root, target))
    done = page.evaluate("() => window.drops.length")
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    page.mouse.up()
    page.wait_for_function("done => window.drops.length > done", arg=done)
    found: dict[str, float] = page.evaluate("() => window.drops.at(-1)")
    return found


def measure(count: int, depth: int) -> tuple[list[dict[str, Any]], str]:
    """Return the times of the drags, and the browser's version."""
    times = []
    with chromium() as browser, lab_server(REPOSITORY) as server:
        expect.set_options(timeout=60_000)
        with lab_page(browser, server.url, server.token) as lab:
            path = save_notebook(server.folder, "latency", CODE.format(depth=depth))
            with lab.notebook(path) as notebook:
                root = notebook.widget("board-pair")
                numbers = root.locator("[data-role=numbers]")
                expect(numbers).to_have_attribute("data-state", "fresh")
                root.locator("[data-role=board]").first.scroll_into_view_if_needed()
                numbers.evaluate(WATCH)
                for fen, source, target in drags(count + 2, SEED):
                    serial = numbers.get_attribute("data-serial")
                    said = notebook.execute(
                        f"with pair.hold_sync(): pair.true_fen = pair.predicted_fen = {fen!r}"
                    )
                    assert said == "", said
                    fen_box = root.locator("[data-role=side-predicted] [data-role=fen]")
                    expect(fen_box).to_have_value(fen)
                    expect(numbers).not_to_have_attribute("data-serial", serial or "")
                    expect(root.locator("[data-role=lost]")).to_have_attribute(
                        "data-state", "fresh"
                    )
                    times.append(drag(lab.page, root, source, target))
        version = browser.version
    # The first two load code that every later one finds loaded.
    return times[2:], version


def row(name: str, values: list[float]) -> str:
    """Return a row of the table."""
    cells = (*np.percentile(values, (50, 95)), max(values))
    return f"| {name} | {' | '.join(f'{value:.0f}' for value in cells)} |"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=50, help="how many drags are timed")
    parser.add_argument("--depth", type=int, default=4, help="m")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    times, version = measure(options.drags, options.depth)
    print(
        f"{len(times)} drags of one man on near pairs of real games, m = {options.depth}; "
        f"{core_count()} cores (load before: {load:.1f}), Python {platform.python_version()}, "
        f"chromium {version}\n\n"
        "| from the drop to | median ms | 95th percentile ms | most ms |\n"
        "| --- | --- | --- | --- |\n"
        f"{row('the answer on the page', [time['answered'] for time in times])}\n"
        f"{row('the end of the frame that shows it', [time['total'] for time in times])}"
    )


if __name__ == "__main__":
    main()

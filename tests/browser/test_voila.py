"""Voila serves the explorers' notebooks: they load, and every widget answers."""

import sys
import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.exercises import board_after, with_piece_moved, without_piece
from workbench.explore.pair.pair_view import pair_view

from .conftest import REPOSITORY
from .lab_server import LabServer, copy_notebooks, free_port, running
from .widget_pages import expect_profile, expect_quiet, square

# The pair of notebooks 00 and 10.
TRUE = board_after(
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O "
    "7. Re1 a6 8. a4 Ba7 9. h3 h6 10. Nbd2 Re8 11. Nf1 Be6"
)
PREDICTED = with_piece_moved(TRUE, "e6", "c8")

PATIENCE = 180_000
"""Milliseconds for a page: Voila runs the whole notebook before it shows it."""


@pytest.fixture(scope="module")
def voila(browser):
    with tempfile.TemporaryDirectory(prefix="workbench-voila-") as root:
        folder = Path(root, "served")
        copy_notebooks(REPOSITORY, folder)
        server = LabServer(f"http://127.0.0.1:{free_port()}/", "", folder, status="")
        command = [
            *(sys.executable, "-m", "voila", "notebooks", "--no-browser"),
            *("--Voila.ip=127.0.0.1", f"--port={server.url.rstrip('/').rpartition(':')[2]}"),
        ]
        with running(command, server, Path(root), REPOSITORY):
            yield server


@pytest.fixture
def served(browser, voila):
    """Opens a notebook and fails on an uncaught exception of the page."""
    page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
    uncaught = []
    page.on("pageerror", lambda error: uncaught.append(str(error)))

    def opened(name):
        page.goto(f"{voila.url}voila/render/{name}.ipynb", timeout=PATIENCE)
        page.wait_for_selector(".world-state", timeout=PATIENCE)
        return page

    yield opened
    assert uncaught == []
    page.context.close()


def widget(page, role):
    return page.locator(f".world-state[data-role={role}]").first


def expect_pair_that_answers(page):
    """Check the numbers of the notebook's pair, then those after the bishop is taken away."""
    root = widget(page, "board-pair")
    expect_profile(root, pair_view(TRUE, PREDICTED, ExplorerSettings(4)))
    square(root, "predicted", "c8").focus()
    page.keyboard.press("Delete")
    without = without_piece(PREDICTED, "c8")
    expect_profile(root, pair_view(TRUE, without, ExplorerSettings(4)))
    expect_quiet(root)


def expect_no_still(page):
    stills = page.locator("[data-still-of]")
    assert stills.count() > 0
    for still in stills.all():
        expect(still).to_be_hidden()


def test_start_here(served):
    page = served("00_start_here")
    expect_pair_that_answers(page)
    expect_no_still(page)


def test_one_pair(served):
    page = served("10_explore_board_pair")
    expect_pair_that_answers(page)
    lab = widget(page, "estimator-lab")
    lab.locator("[data-role=repeats]").fill("5")
    lab.locator("[data-role=repeats]").press("Enter")
    lab.get_by_role("button", name="Start").click()
    expect(lab).to_have_attribute("data-state", "done")
    expect_quiet(lab)
    tracker = widget(page, "game-tracker")
    tracker.get_by_role("button", name="First position").click()
    expect(square(tracker, "true", "e2")).to_have_attribute("aria-label", "e2, white pawn")
    expect_no_still(page)


def test_a_run(served):
    page = served("11_explore_run")
    root = widget(page, "run-browser")
    expect(root.locator("[data-role=counts]")).to_contain_text("3,000 of 3,000 rows")
    row = root.locator("[data-role=row]").nth(2)
    model = row.locator("td").first.inner_text()
    row.locator("[data-role=row-open]").click()
    expect(root.locator("[data-role=opened-title]")).to_contain_text(model)
    expect(widget(page, "board-pair").locator("[data-role=numbers]")).to_have_attribute(
        "data-state", "fresh"
    )
    expect_quiet(root)

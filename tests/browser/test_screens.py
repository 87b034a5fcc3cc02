"""BoardPair in windows of laptops, with JupyterLab's file browser open: numbers and boards in view."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

from .drag_times import SLOWEST_MS, drop_times, report, watch_drops
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    bring_up,
    centre,
    drag,
    expect_number,
    expect_profile,
    out_of_view,
    overflow,
    set_pair,
    square,
)

WINDOWS = [(1440, 900), (1366, 768), (1280, 720), (1024, 768)]
VERDICT = ("[data-role=verdict-precision]", "[data-role=verdict-recall]")


@pytest.fixture
def root(lab, explorer):
    lab.page.evaluate("() => jupyterapp.shell.expandLeft()")
    yield set_pair(explorer, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(4))
    lab.page.evaluate("() => jupyterapp.shell.collapseLeft()")


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_numbers_and_boards_are_in_view_while_a_piece_is_dragged(lab, root, width, height):
    page = lab.page
    page.set_viewport_size({"width": width, "height": height})
    bring_up(root.locator("[data-role=undo]"))
    start = centre(square(root, "predicted", "a4"))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 20, start[1] - 30, steps=3)
    expect(root.locator("[data-role=dragged]")).to_be_visible()
    beside = ["[data-role=profile-row] >> nth=-1"] if width >= 1280 else []
    assert out_of_view(root, *VERDICT, "[data-role=board]", "[data-role=status]", *beside) == []
    page.mouse.move(*centre(square(root, "predicted", "h5")), steps=3)
    page.mouse.up()
    bishop_on_h5 = BISHOP_ELSEWHERE.replace("/4p3/B3P3/", "/4p2B/4P3/")
    view = pair_view(RUY_LOPEZ, bishop_on_h5, ExplorerSettings(4))
    expect_profile(root, view)
    assert out_of_view(root, *VERDICT) == []
    for name in ("precision", "recall"):
        value = view["profile"][name][-1]["value"]
        expect_number(root, f"[data-role=verdict-{name}]", value)
        expect(root.locator(f"[data-role=verdict-{name}]")).to_contain_text(f"{value:.4f}")
    assert overflow(root) == []


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_the_verdict_stays_in_view_while_the_notebook_scrolls(lab, root, width, height):
    lab.page.set_viewport_size({"width": width, "height": height})
    for part in ("[data-role=undo]", "[data-role=moves-shared]", "[data-role=lost]"):
        bring_up(root.locator(part))
        assert out_of_view(root, *VERDICT, "[data-role=cause]") == []


def test_thirty_drags_each_have_their_numbers(lab, root):
    page = lab.page
    page.set_viewport_size({"width": 1366, "height": 768})
    bring_up(root.locator("[data-role=undo]"))
    # Of the predicted bishop: there and back again, so that its last square is its first.
    tour = [
        "a4",
        "b5",
        "c6",
        "d5",
        "e6",
        "f5",
        "g6",
        "h5",
        "g4",
        "h3",
        "f1",
        "e2",
        "d3",
        "c4",
        "b3",
    ]
    there_and_back = [*tour, "a5", *reversed(tour)]
    watch_drops(root)
    for source, target in pairwise(there_and_back):
        numbers = root.locator("[data-role=numbers]")
        before = int(numbers.get_attribute("data-serial"))
        drag(page, square(root, "predicted", source), square(root, "predicted", target))
        expect(numbers).to_have_attribute("data-serial", str(before + 1))
        expect(square(root, "predicted", target)).to_have_attribute("data-piece", "B")
    times = drop_times(root)
    report("mouse drags at m = 4", times)
    assert times["drops"] == 30
    assert times["median_ms"] < SLOWEST_MS

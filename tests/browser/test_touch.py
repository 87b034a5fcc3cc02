"""BoardPair on a phone's touch screen: a finger on a piece drags it, elsewhere it scrolls the page."""

import shutil

import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

from .drag_times import SLOWEST_MS, drop_times, report, watch_drops
from .lab_page import PHONE, lab_page
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    bring_up,
    centre,
    expect_profile,
    out_of_view,
    overflow,
    set_pair,
    square,
)

SCROLLED = (
    "() => document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer')"
    ".scrollTop"
)

DRAGS = (
    # On one board, along the file: the drags that a browser likes to take for scrolling.
    ("predicted", "a2", "predicted", "a3"),
    ("predicted", "a3", "predicted", "a2"),
    ("true", "h2", "true", "h5"),
    ("true", "h5", "true", "h2"),
    ("predicted", "d8", "predicted", "d5"),
    ("predicted", "d5", "predicted", "d8"),
    # On one board, not along the file.
    ("predicted", "b1", "predicted", "d2"),
    ("predicted", "d2", "predicted", "b1"),
    # Two more, and from the spare pieces.
    ("true", "b7", "true", "b6"),
    ("predicted", "f3", "predicted", "h4"),
    ("spare", "n", "predicted", "e6"),
    ("spare", "Q", "true", "d3"),
)


@pytest.fixture(scope="module")
def opened_phone(browser, server):
    with lab_page(browser, server.url, server.token, window=PHONE, touch=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def notebook(opened_phone, server):
    """A copy of notebook 10: two pages with the same notebook would share its kernel."""
    folder = server.folder / "notebooks"
    shutil.copy(folder / "10_explore_board_pair.ipynb", folder / "on_a_phone.ipynb")
    with opened_phone.notebook("notebooks/on_a_phone.ipynb") as opened:
        yield opened


@pytest.fixture
def phone(opened_phone):
    yield opened_phone
    errors, off_site = list(opened_phone.errors), list(opened_phone.off_site)
    opened_phone.forget()
    assert errors == []
    assert off_site == []


@pytest.fixture
def root(phone, notebook):
    return set_pair(notebook, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(4))


def swipe(page, start, end, *, downwards=0.0):
    """Move a finger as the device would: the browser itself decides what becomes of it.

    Args:
        page: The page.
        start: Where the finger goes down.
        end: Where it goes up.
        downwards: Pixels that it first moves straight down (up if negative).
    """
    session = page.context.new_cdp_session(page)

    def send(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", start)
    turn = (start[0], start[1] + downwards)
    for (x0, y0), (x1, y1) in ((start, turn), (turn, end)):
        for step in range(1, 6):
            send("touchMove", (x0 + (x1 - x0) * step / 5, y0 + (y1 - y0) * step / 5))
    send("touchEnd")
    session.detach()


def choose_view(root, view):
    """Choose the board that is on the screen."""
    root.locator(f"[data-role=view][value={view}]").check()
    expect(root).to_have_attribute("data-view", view)


def place(root, look, name):
    spare = root.locator(f"[data-role=spare][data-piece={name}]")
    return spare if look == "spare" else square(root, look, name)


def test_every_touch_drag_moves_a_piece_and_none_the_page(phone, root):
    page = phone.page
    watch_drops(root)
    for number, (look, name, onto, target) in enumerate(DRAGS):
        choose_view(root, onto)
        bring_up(root)
        if look == "spare":
            root.locator("[data-role=tray]").evaluate("tray => tray.scrollIntoView({block: 'end'})")
        source, end = place(root, look, name), place(root, onto, target)
        piece = name if look == "spare" else source.get_attribute("data-piece")
        scrolled = page.evaluate(SCROLLED)
        before = int(root.locator("[data-role=numbers]").get_attribute("data-serial"))
        start, goal = centre(source), centre(end)
        swipe(page, start, goal, downwards=30 if goal[1] > start[1] else -30)
        expect(end).to_have_attribute("data-piece", piece)
        expect(root.locator("[data-role=numbers]")).to_have_attribute(
            "data-serial", str(before + 1)
        )
        assert page.evaluate(SCROLLED) == scrolled, f"drag {number} scrolled the page"
    times = drop_times(root)
    report("touch drags at m = 4", times)
    assert times["drops"] == len(DRAGS) == 12
    assert times["median_ms"] < SLOWEST_MS
    true, predicted = (
        root.locator(f"[data-role=side-{look}] [data-role=fen]").input_value()
        for look in ("true", "predicted")
    )
    expect_profile(root, pair_view(true, predicted, ExplorerSettings(4)))


@pytest.mark.parametrize("widget", ["board-pair", "game-tracker"])
def test_a_finger_elsewhere_scrolls_the_page(phone, notebook, root, widget):
    """On an empty square of a board that is edited; anywhere on a board that is only shown."""
    choose_view(root, "predicted")
    look = "predicted" if widget == "board-pair" else "true"
    board = notebook.widget(widget).locator(f"[data-role=board][data-look={look}]")
    board.evaluate("board => board.scrollIntoView({block: 'center'})")
    before = phone.page.evaluate(SCROLLED)
    x, y = centre(board.locator(f"[data-square={'d5' if widget == 'board-pair' else 'd1'}]"))
    swipe(phone.page, (x, y), (x, y - 120))
    phone.page.wait_for_function(f"before => ({SCROLLED})() > before + 40", arg=before)


def test_numbers_cause_and_a_board_as_wide_as_the_screen_are_in_view(phone, root):
    choose_view(root, "predicted")
    bring_up(root)
    parts = ("verdict", "verdict-precision", "verdict-recall", "cause", "views")
    for view, look in (("true", "true"), ("predicted", "predicted"), ("difference", "predicted")):
        choose_view(root, view)
        boards = root.locator("[data-role=board]:visible")
        expect(boards).to_have_count(1)
        expect(boards).to_have_attribute("data-look", look)
        board = f"[data-role=board][data-look={look}]"
        assert out_of_view(root, *(f"[data-role={part}]" for part in parts), board) == []
        width = root.evaluate("root => root.clientWidth")
        assert boards.bounding_box()["width"] > width - 12
    for spare in root.locator("[data-role=tray] button").all():
        box = spare.bounding_box()
        assert min(box["width"], box["height"]) >= 24
    assert overflow(root) == []


def test_the_difference_shows_both_pieces_and_can_be_edited(phone, root):
    choose_view(root, "difference")
    bring_up(root)
    small = "[data-square={}] .ws-other"
    board = root.locator("[data-role=board][data-look=predicted]")
    expect(board.locator(small.format("b5"))).to_be_visible()
    expect(board.locator(small.format("e4"))).to_be_hidden()
    swipe(
        phone.page, centre(square(root, "predicted", "a4")), centre(square(root, "predicted", "b5"))
    )
    expect(square(root, "predicted", "b5")).to_have_attribute("data-piece", "B")
    expect(root.locator("[data-role=verdict-lost]")).to_have_text("Nothing is lost.")


def test_the_verdict_stays_in_view_in_the_notebook(phone, root):
    verdict = root.locator("[data-role=verdict]")
    for part in ("views", "moves-shared", "lost"):
        root.locator(f"[data-role={part}]").evaluate("part => part.scrollIntoView({block: 'end'})")
        phone.page.wait_for_timeout(200)
        assert out_of_view(root, "[data-role=verdict-precision]", "[data-role=cause]") == []
    assert verdict.bounding_box()["height"] < 240

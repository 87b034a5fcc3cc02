"""BoardPair without a mouse: JupyterLab's own keys stay silent while the focus is in the widget."""

import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    expect_profile,
    expect_quiet,
    set_pair,
    sources,
    square,
)

FOCUSED = "() => document.activeElement.dataset.square ?? document.activeElement.dataset.role ?? ''"


@pytest.fixture
def root(explorer):
    return set_pair(explorer, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(2))


def focused(lab):
    return lab.page.evaluate(FOCUSED)


def tab_to(lab, wanted, key="Tab"):
    """Press Tab until the focus is where it is wanted."""
    seen = []
    while len(seen) < 60:
        lab.page.keyboard.press(key)
        seen.append(focused(lab))
        if wanted(lab.page):
            return
    pytest.fail(f"the focus never came there by {key}: {seen}")


def on_board(look):
    script = f"() => !!document.activeElement.closest('[data-role=board][data-look={look}]')"
    return lambda page: page.evaluate(script)


def on_role(role):
    return lambda page: page.evaluate("() => document.activeElement.dataset.role") == role


def test_a_run_by_keyboard_alone(lab, explorer, root):
    page, press = lab.page, lab.page.keyboard.press
    cells = sources(explorer)
    root.get_by_role("button", name="Flip", exact=True).focus()

    tab_to(lab, on_board("predicted"))
    press("End")
    press("Home")
    for _ in range(7):
        press("ArrowDown")
    for _ in range(3):
        press("ArrowUp")
    assert focused(lab) == "a4"
    frame = square(root, "predicted", "a4").locator(".ws-frame")
    assert frame.evaluate("frame => getComputedStyle(frame).stroke") != "none", "focus is seen"

    # Enter takes the bishop up and puts it down; a letter puts a piece; Delete takes one away.
    press("Enter")
    press("ArrowUp")
    press("ArrowRight")
    press("Enter")
    expect_profile(root, pair_view(RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(2)))
    assert focused(lab) == "b5"
    press("Delete")
    press("Q")
    queen = RUY_LOPEZ.replace("/1B2p3/", "/1Q2p3/")
    expect_profile(root, pair_view(RUY_LOPEZ, queen, ExplorerSettings(2)))
    expect(square(root, "predicted", "b5")).to_have_attribute(
        "aria-label", "b5, white queen; differs from the other board"
    )
    # JupyterLab: cell above, below, delete, cut, to Markdown, to code, copy, paste, undo, move on.
    for key in ("a", "b", "d", "d", "x", "m", "y", "c", "v", "z", "j", "k", "1", "s", "l", "o"):
        press(key)
        assert focused(lab) == "b5"
    press("q")
    press("Control+z")
    press("Control+z")
    assert sources(explorer) == cells

    tab_to(lab, on_role("depth"))
    press("ArrowRight")
    expect(root.locator("[data-role=profile-row]")).to_have_count(3)
    tab_to(lab, on_role("move"))
    press("Enter")
    expect(root.locator("[data-role=line-move]")).to_have_count(1)
    tab_to(lab, on_role("line-start"), key="Shift+Tab")
    press("Enter")
    expect(root.locator("[data-role=line-move]")).to_have_count(0)
    assert sources(explorer) == cells
    expect_quiet(root)
    assert page.locator(".jp-Dialog").count() == 0


def test_every_square_and_control_has_its_name(root):
    boards = root.get_by_role("grid")
    expect(boards).to_have_count(2)
    for board, name in ((boards.first, "True board"), (boards.last, "Predicted board")):
        expect(board).to_have_attribute("aria-label", name)
        expect(board.get_by_role("gridcell")).to_have_count(64)
        expect(board.locator("[tabindex='0']")).to_have_count(1)
    for name in ("a8, black rook", "e1, white king", "a5, empty", "f3, white knight"):
        expect(boards.first.get_by_role("gridcell", name=name, exact=True)).to_have_count(1)
    expect(boards.last.get_by_role("gridcell", name="a4, white bishop")).to_have_count(1)
    for role, name in (
        ("textbox", "FEN of the true board"),
        ("textbox", "FEN of the predicted board"),
        ("button", "Spare black knight"),
        ("checkbox", "Arrows of shared moves"),
        ("group", "Precision and recall"),
        ("group", "Where lines die"),
    ):
        expect(root.get_by_role(role, name=name, exact=True)).to_have_count(1)


@pytest.mark.parametrize(
    ("widget", "role"),
    [("estimator-lab", "reset"), ("estimator-lab", "measure"), ("game-tracker", "moves"),
     ("game-tracker", "ply"), ("board-pair", "depth"), ("board-pair", "flip")],
)  # fmt: skip
def test_shortcuts_stay_silent_on_every_kind_of_control(lab, explorer, widget, role):
    cells = [cell["source"] for cell in explorer.cells()]
    explorer.widget(widget).locator(f"[data-role={role}]").focus()
    for key in ("a", "b", "d", "d", "x", "m", "y", "c", "v", "z", "Shift+L", "Shift+Enter"):
        lab.page.keyboard.press(key)
        assert focused(lab) == role
    assert [cell["source"] for cell in explorer.cells()] == cells
    assert all(cell["cell_type"] != "raw" for cell in explorer.cells())

"""BoardPair: the arrow keys step, pieces move to their squares, the focus stays, boards open in Lichess."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from workbench.explore import BoardPair
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view, replay

from .widget_alone import widget_page
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    drag,
    expect_profile,
    expect_quiet,
    set_pair,
    sources,
    square,
)

LINE = ["e1g1", "g8f6"]
PROMOTING = "k7/6P1/8/8/8/8/8/K7 w - - 0 1"


@pytest.fixture
def root(explorer):
    return set_pair(explorer, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(2))


def button(root, role):
    return root.locator(f"[data-role={role}]")


def focused(lab):
    """Return the role of the element with the focus, and its square or move."""
    return lab.page.evaluate(
        "() => { const {role = '', square, uci} = document.activeElement.dataset;"
        " return [role, square ?? uci ?? '']; }"
    )


def expect_line(root, line):
    expect(root.locator("[data-role=line-move]")).to_have_count(len(line))
    boards = replay(RUY_LOPEZ, BISHOP_ELSEWHERE, line)
    expect_profile(root, pair_view(*boards, ExplorerSettings(2)))


def step(root, uci):
    root.locator(f"[data-role=moves-shared] [data-uci={uci}]").press("Enter")


def test_arrow_keys_step_through_the_line(lab, explorer, root):
    cells = sources(explorer)
    press = lab.page.keyboard.press
    for number, uci in enumerate(LINE, 1):
        step(root, uci)
        expect_line(root, LINE[:number])
    # The shared moves are others now: the first of them has the focus.
    first = root.locator("[data-role=moves-shared] [data-role=move]").first
    assert focused(lab) == ["move", first.get_attribute("data-uci")]
    # Among them the arrows go from move to move, with Shift they step.
    press("ArrowRight")
    assert focused(lab) != ["move", first.get_attribute("data-uci")]
    for length in (1, 0):
        press("Shift+ArrowLeft")
        expect_line(root, LINE[:length])
    expect(button(root, "back")).to_be_disabled()
    button(root, "flip").focus()
    press("ArrowLeft")
    for length in (1, 2):
        press("ArrowRight")
        expect_line(root, LINE[:length])
    expect(button(root, "forward")).to_be_disabled()
    # On a board the arrows go from square to square, with Shift they step.
    square(root, "true", "e4").focus()
    press("ArrowLeft")
    assert focused(lab) == ["square", "d4"]
    press("Shift+ArrowLeft")
    expect_line(root, LINE[:1])
    assert focused(lab) == ["square", "d4"]
    # The slider keeps its arrows.
    button(root, "depth").focus()
    press("ArrowLeft")
    expect(root.locator("[data-role=profile-row]")).to_have_count(1)
    press("ArrowRight")
    expect_line(root, LINE[:1])
    assert sources(explorer) == cells
    expect_quiet(root)


@pytest.fixture
def alone(browser):
    """A page with a pair of its own, in which nothing has been done yet that could be undone."""
    with widget_page(browser, [BoardPair(RUY_LOPEZ, BISHOP_ELSEWHERE, 2)], 1366, 768) as page:
        yield SimpleNamespace(page=page)


def test_the_focus_stays_where_the_work_is(alone):
    root = alone.page.locator("[data-role=board-pair]")
    expect_line(root, [])
    press = alone.page.keyboard.press
    square(root, "predicted", "a4").focus()
    press("Delete")
    expect(square(root, "predicted", "a4")).to_have_attribute("data-piece", "")
    assert focused(alone) == ["square", "a4"]
    # Nothing is left to undo, then nothing to redo.
    while button(root, "undo").is_enabled():
        button(root, "undo").press("Enter")
    assert focused(alone) == ["redo", ""]
    while button(root, "redo").is_enabled():
        button(root, "redo").press("Enter")
    assert focused(alone) == ["undo", ""]
    button(root, "undo").press("Enter")
    expect_line(root, [])
    # Back at the start of the line the moves of the line are gone.
    step(root, "e1g1")
    expect_line(root, ["e1g1"])
    root.locator("[data-role=line-start]").press("Enter")
    expect_line(root, [])
    assert focused(alone) == ["forward", ""]
    moves = root.locator("[data-role=line-move]")
    length = 0
    while button(root, "forward").is_enabled():
        press("Enter")
        length += 1
        expect(moves).to_have_count(length)
    assert focused(alone) == ["back", ""]
    for left in reversed(range(length)):
        press("Enter")
        expect(moves).to_have_count(left)
    assert focused(alone) == ["forward", ""]
    # From "Where lines die": what is drawn anew keeps the focus.
    button(root, "depth").fill("3")
    expect(root.locator("[data-role=profile-row]")).to_have_count(3)
    expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
    root.locator("button[data-role=loss-bar]").first.press("Enter")
    expect(root.locator("[data-role=line-move]")).not_to_have_count(0)
    expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
    lost = root.locator("[data-role=lost]")
    steps = root.locator("[data-role=back]")
    held = "element => element.contains(document.activeElement)"
    assert lost.evaluate(held) or steps.evaluate(held)


def test_a_choice_of_promotions_gives_the_focus_back(lab, explorer):
    root = set_pair(explorer, PROMOTING, PROMOTING, ExplorerSettings(2))
    square(root, "true", "g7").click()
    square(root, "true", "g8").click()
    choices = root.locator("[data-role=choose-move]")
    expect(choices).to_have_count(4)
    assert focused(lab)[0] == "choose-move"
    lab.page.keyboard.press("Escape")
    expect(choices).to_have_count(0)
    assert focused(lab) == ["square", "g8"]
    square(root, "true", "g8").click()
    root.locator("[data-role=choose-move][data-uci=g7g8q]").press("Enter")
    expect(square(root, "predicted", "g8")).to_have_attribute("data-piece", "Q")
    expect(choices).to_have_count(0)
    assert focused(lab) == ["square", "g8"]


def moving_pieces(root):
    """Record how many pieces begin to move on each board, from now on."""
    root.evaluate(
        """root => {
            window.moving = {true: 0, predicted: 0};
            for (const board of root.querySelectorAll('[data-role=board]')) {
                new MutationObserver(changes => changes.forEach(({addedNodes}) => {
                    window.moving[board.dataset.look] += addedNodes.length;
                })).observe(board.querySelector('.ws-moving-pieces'), {childList: true});
            }
        }"""
    )
    return lambda: root.evaluate("() => window.moving")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_pieces_move_on_a_step_unless_reduced_motion_is_asked_for(lab, root, motion):
    lab.page.emulate_media(reduced_motion=motion)
    seen = moving_pieces(root)
    step(root, "e1g1")
    expect_line(root, ["e1g1"])
    castled = 0 if motion == "reduce" else 2
    assert seen() == {"true": castled, "predicted": castled}
    button(root, "back").click()
    expect_line(root, [])
    assert seen() == {"true": 2 * castled, "predicted": 2 * castled}
    # A piece that was dragged is there already.
    drag(lab.page, square(root, "true", "a6"), square(root, "true", "a5"))
    expect(square(root, "true", "a5")).to_have_attribute("data-piece", "p")
    assert seen() == {"true": 2 * castled, "predicted": 2 * castled}
    expect(root.locator("[data-role=moving]")).to_have_count(0)
    assert root.locator(".ws-arriving").count() == 0
    lab.page.emulate_media(reduced_motion=None)


def test_boards_that_can_arise_open_in_lichess(lab, root):
    links = root.locator("[data-role=analysis]")
    address = "https://lichess.org/analysis/standard/"
    for look, fen in (("true", RUY_LOPEZ), ("predicted", BISHOP_ELSEWHERE)):
        link = root.locator(f"[data-role=side-{look}] [data-role=analysis]")
        expect(link).to_be_visible()
        expect(link).to_have_attribute("href", address + fen.replace(" ", "_"))
        expect(link).to_have_attribute("target", "_blank")
        assert "noopener" in link.get_attribute("rel").split()
    button(root, "flip").click()
    expect(links.first).to_have_attribute(
        "href", address + RUY_LOPEZ.replace(" ", "_") + "?color=black"
    )
    square(root, "predicted", "e1").press("Delete")
    expect(links.first).to_be_visible()
    expect(links.last).to_be_hidden()

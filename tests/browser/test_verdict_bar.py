"""The verdict bar of BoardPair: in view while the page scrolls, and each cause can be mended alone."""

import chess
import pytest
from playwright.sync_api import expect

import workbench as wb
from workbench.explore.pair.board_pair import BoardPair
from workbench.explore.pair.pair_html import pair_html

from .accessibility import violations
from .widget_alone import set_theme, widget_page
from .widget_pages import BISHOP_ELSEWHERE, RUY_LOPEZ

WINDOWS = [(1440, 900), (1366, 768), (1024, 768), (390, 844)]
SIDE = RUY_LOPEZ.replace(" w ", " b ")
TWO = BISHOP_ELSEWHERE.replace("KQkq", "kq")
EIGHT = "r2qkbnr/1pp3pp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNB1K3 b kq - 0 4"
NO_KING = RUY_LOPEZ.replace("r1bqkbnr", "r1bq1bnr")


def shown(page):
    """Return the widget with its numbers and causes."""
    root = page.locator("[data-role=board-pair]")
    for part in ("verdict", "causes"):
        expect(root.locator(f"[data-role={part}]")).to_have_attribute("data-state", "fresh")
    return root


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_it_is_in_view_wherever_the_page_is_scrolled(browser, width, height):
    with widget_page(browser, [BoardPair(RUY_LOPEZ, SIDE)], width, height) as page:
        root = shown(page)
        verdict = root.locator("[data-role=verdict]")
        expect(verdict.locator("[data-role=cause]")).to_contain_text("Black is believed to move")
        expect(verdict.locator("[data-role=cause]")).to_contain_text("−1.00")
        for place in (0, 0.5, 1):
            page.evaluate(
                "place => scrollTo(0, place * (document.body.scrollHeight - innerHeight))", place
            )
            box = verdict.bounding_box()
            assert 0 <= box["y"] < 40
            assert box["height"] < (200 if width < 600 else 110)


def test_every_cause_is_mended_alone_and_undone_by_the_keyboard(browser):
    """The numbers after a correction are those of ``workbench compare`` on the FEN that the page then has."""
    pair = BoardPair(RUY_LOPEZ, EIGHT, depth=3)
    with widget_page(browser, [pair], 1366, 768) as page:
        root = shown(page)
        causes = root.locator("[data-role=cause]")
        expected = wb.compare(RUY_LOPEZ, EIGHT, depth=3).causes()
        expect(causes).to_have_count(len(expected))
        assert len(expected) == 8
        order = causes.evaluate_all("all => all.map(one => one.dataset.label)")
        assert order == list(expected.cause)
        label = order[0]
        before = root.locator("[data-role=verdict-precision]").get_attribute("data-value")
        causes.first.focus()
        page.keyboard.press("ArrowRight")
        expect(causes.nth(1)).to_be_focused()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        shown(page)
        expect(causes).to_have_count(len(expected) - 1)
        expect(root.locator(f"[data-role=cause][data-label='{label}']")).to_have_count(0)
        expect(causes.first).to_be_focused()
        mended = pair.predicted_fen
        assert mended == expected.corrected[0]
        compared = wb.compare(RUY_LOPEZ, mended, depth=3)
        for name, value in (("precision", compared.precision[-1]), ("f", compared.f[-1])):
            found = root.locator(f"[data-role=verdict-{name}]").get_attribute("data-value")
            assert float(found) == pytest.approx(value, abs=1e-12)
        expect(root.locator("[data-role=verdict-before]").first).to_contain_text("→")
        page.keyboard.press("Control+z")
        shown(page)
        expect(causes).to_have_count(len(expected))
        assert pair.predicted_fen == EIGHT
        assert root.locator("[data-role=verdict-precision]").get_attribute("data-value") == before


def test_errors_that_hide_each_other_are_named_so(browser):
    with widget_page(browser, [BoardPair(RUY_LOPEZ, EIGHT, depth=2)], 1366, 768) as page:
        note = shown(page).locator("[data-role=causes-note]")
        causes = wb.compare(RUY_LOPEZ, EIGHT, depth=2).causes()
        won, lost = (
            causes.precision_gain.sum(),
            1 - wb.compare(RUY_LOPEZ, EIGHT, depth=2).precision[-1],
        )
        assert won < lost - 0.01
        expect(note).to_contain_text(
            f"One by one they give back {won:.2f} of the {lost:.2f} of p that is lost: the errors hide"
        )


def test_the_page_without_python_has_the_same_causes(browser, tmp_path):
    page_file = tmp_path / "pair.html"
    page_file.write_text(pair_html(RUY_LOPEZ, TWO), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(page_file.as_uri())
    causes = shown(page).locator("[data-role=cause]")
    expected = wb.compare(RUY_LOPEZ, TWO).causes()
    found = causes.evaluate_all(
        "all => all.map(one => [one.dataset.label, +one.dataset.precision])"
    )
    assert [label for label, _ in found] == list(expected.cause)
    assert [gain for _, gain in found] == pytest.approx(list(expected.precision_gain))
    causes.first.click()
    shown(page)
    expect(causes).to_have_count(1)
    page.close()


def test_a_missing_king_is_a_cause(browser):
    with widget_page(browser, [BoardPair(RUY_LOPEZ, NO_KING)], 1366, 768) as page:
        causes = shown(page).locator("[data-role=cause]")
        expect(causes.first).to_contain_text("King e8 missing")
        causes.first.click()
        root = shown(page)
        expect(root.locator("[data-role=verdict-lost]")).to_have_text("Nothing is lost.")


def test_very_many_differences_keep_the_bar_small_and_the_page_alive(browser):
    bare = "4k3/8/8/8/8/8/8/4K3 b - - 0 1"
    with widget_page(browser, [BoardPair(chess.STARTING_FEN, bare)], 390, 844, touch=True) as page:
        root = shown(page)
        expect(root.locator("[data-role=cause]")).to_have_count(32)
        expect(root.locator("[data-role=cause]:visible")).to_have_count(2)
        root.locator("[data-role=all-causes]").click()
        expect(root.locator("[data-role=cause]:visible")).to_have_count(32)
        assert root.locator("[data-role=verdict]").bounding_box()["height"] < 844 / 2


def test_arrows_are_few_until_a_piece_is_pointed_at(browser):
    with widget_page(browser, [BoardPair(RUY_LOPEZ, SIDE)], 1366, 768) as page:
        root = shown(page)
        arrows = root.locator("[data-role=arrow]")
        expect(arrows).to_have_count(0)
        expect(root.locator("[data-role=arrows-note]")).to_contain_text("moves differ: point at")
        knight = root.locator("[data-role=board][data-look=true] [data-square=f3]")
        knight.hover()
        moves = [
            move for move in chess.Board(RUY_LOPEZ).legal_moves if move.from_square == chess.F3
        ]
        expect(arrows).to_have_count(len(moves))
        root.locator("[data-role=undo]").hover(force=True)
        expect(arrows).to_have_count(0)
        # So does the keyboard's focus.
        page.keyboard.press("Tab")
        knight.focus()
        expect(arrows).to_have_count(len(moves))


def test_a_check_is_marked_and_named(browser):
    check = "rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3"
    unseen = check.replace("rnb1kbnr", "rnbqkbnr").replace("4PP1q", "4PP2")
    with widget_page(browser, [BoardPair(check, unseen)], 1366, 768) as page:
        root = shown(page)
        king = root.locator("[data-role=board][data-look=true] [data-square=e1]")
        expect(king).to_have_attribute("aria-label", "e1, white king; in check")
        expect(king.locator(".ws-check-mark")).to_be_visible()
        expect(root.locator(".ws-check-mark:visible")).to_have_count(1)
        words = root.locator("[data-role=side-true] [data-role=board-words]")
        expect(words).to_contain_text("White is in check: only moves that end it are legal.")


def test_a_piece_without_shared_moves_says_so_and_a_promotion_moves_nothing(browser):
    before = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    with widget_page(browser, [BoardPair(before, before.replace("7k", "6k1"))], 1366, 768) as page:
        root = shown(page)
        board = root.locator("[data-role=board][data-look=true]")
        board.locator("[data-square=h7]").click()
        status = root.locator("[data-role=status]")
        expect(status).to_have_text("The black king on h7 has no move that both boards permit.")
        place = board.bounding_box()
        board.locator("[data-square=a7]").click()
        board.locator("[data-square=a8]").click()
        expect(root.locator("[data-role=choose-move]")).to_have_count(4)
        assert board.bounding_box() == place


def test_the_controls_say_what_they_do_when_they_have_the_focus(browser):
    with widget_page(browser, [BoardPair(RUY_LOPEZ, SIDE)], 1366, 768) as page:
        root = shown(page)
        for role, words in (("terminal", "the line counts if"), ("ill-formed", "No state (sink)")):
            control = root.locator(f"[data-role={role}]")
            hint = root.locator(f"#{control.get_attribute('aria-describedby')}")
            expect(hint).to_be_hidden()
            control.focus()
            expect(hint).to_be_visible()
            expect(hint).to_contain_text(words)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_with_many_causes_a_check_and_on_a_phone(browser, theme):
    check = "rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3"
    with widget_page(browser, [BoardPair(check, EIGHT)], 390, 844, touch=True) as page:
        root = shown(page)
        expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        set_theme(page, theme)
        root.locator("[data-role=all-causes]").click()
        root.locator("[data-role=view][value=difference]").check()
        # Numbers that were faint while they were computed are not any more.
        page.wait_for_timeout(800)
        assert violations(page.locator("main")) == []


def test_a_correction_says_what_is_true_and_is_taken_back_beside_it(browser):
    """In the bar, which stays in view: the button above the boards may be far away."""
    pair = BoardPair(RUY_LOPEZ, SIDE)
    with widget_page(browser, [pair], 390, 844) as page:
        root = shown(page)
        main, undo = (
            root.locator("[data-role=main-cause]"),
            root.locator("[data-role=undo-correction]"),
        )
        expect(main).to_have_text("In truth White is to move, on the predicted board Black.")
        expect(undo).to_be_hidden()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        root.locator("[data-role=cause]").click()
        expect(root.locator("[data-role=status]")).to_have_text(
            "Corrected: “Black is believed to move”."
        )
        shown(page)
        assert pair.predicted_fen == RUY_LOPEZ
        expect(undo).to_be_in_viewport()
        undo.click()
        shown(page)
        expect(undo).to_be_hidden()
        assert pair.predicted_fen == SIDE


def test_no_prediction_is_said_and_has_no_causes(browser):
    with widget_page(browser, [BoardPair(RUY_LOPEZ, None)], 1366, 768) as page:
        root = shown(page)
        expect(root.locator("[data-role=verdict-lost]")).to_have_text(
            "No board was predicted: p and r are 0."
        )
        expect(root.locator("[data-role=causes-note]")).to_have_text("")
        expect(root.locator("[data-role=cause]")).to_have_count(0)

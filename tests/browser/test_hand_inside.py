"""A hand inside: a piece is replaced or moved on the board that a model writes, and the page shows what numpy computes."""

import chess
import numpy as np
import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view
from workbench.explore.reader.reader_html import reader_html
from workbench.language_model.hands import PIECE, PIECES, SQUARE, hands_of
from workbench.language_model.language_model import load_model, write_weights
from workbench.language_model.patching import encode_games
from workbench.language_model.vocabulary import spell, write_move

from .accessibility import violations
from .lab_page import PATIENCE, PHONE, WIDE
from .test_page_without_python import opened
from .test_touch import swipe
from .widget_pages import centre, drag, overflow, square

ITALIAN = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 f3g5 d7d5".split()
AT = 8


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "believer.html"
    path.write_text(reader_html(["tiny", "small"]), encoding="utf-8")
    return path.as_uri()


def patched(name, plies, ply, kind, former, other):
    """What numpy writes and plays after plies with a hand inside."""
    model = load_model(name)
    games = encode_games(model, [ITALIAN[:plies]])
    hand = hands_of(model)[kind]
    vectors = hand.vectors([former], [other])
    encoded = games.patched(hand.layer, np.array([ply]), vectors)
    (move,) = games.next_moves(encoded).likeliest().tolist()
    return spell(games.boards(encoded)[0].tolist()), write_move(*move)


def replaced(name, plies, ply, former, other):
    return patched(name, plies, ply, PIECE, PIECES.index(former), PIECES.index(other))[0]


def moved(name, plies, ply, former, other):
    squares = chess.parse_square(former), chess.parse_square(other)
    return patched(name, plies, ply, SQUARE, *squares)[0]


def italian(page, ply=AT, model="tiny"):
    """Open the game, read it to its end, and return the tracker."""
    link = f"model={model}&ply={ply}&moves={'-'.join(ITALIAN)}"
    page.evaluate("link => { location.hash = link; }", link)
    expect(page.locator("#reader")).to_have_attribute(
        "data-read", str(len(ITALIAN) + 1), timeout=PATIENCE
    )
    return page.locator("[data-role=game-tracker]")


def expect_written(root, text):
    expect(root.locator("[data-role=predicted-fen]")).to_have_text(text, timeout=PATIENCE)


def outcome(page, held):
    hand = page.locator("[data-role=hand]")
    expect(hand).to_have_attribute("data-held", str(held).lower(), timeout=PATIENCE)
    return page.locator("[data-role=hand-outcome]")


def test_a_piece_is_replaced_and_the_model_reads_on(browser, address):
    with opened(browser, address, WIDE) as (page, _):
        root = italian(page)
        (plain,) = load_model("tiny").write_states([ITALIAN[:AT]])
        expect_written(root, plain)
        square(root, "predicted", "c5").click()
        status = page.locator("[data-role=hand-status]")
        expect(status).to_contain_text("On c5, brought by 3... Bc5, can be put: black queen")
        knight = page.locator("[data-role=spare][data-piece=n]")
        knight.click()
        assert "c5" in root.locator("[data-look=predicted] [data-target]").evaluate_all(
            "all => all.map(one => one.dataset.square)"
        )
        square(root, "predicted", "c5").click()
        knight.click()
        text = replaced("tiny", AT, 6, "b", "n")
        assert text != plain
        expect_written(root, text)
        board, intended = chess.Board(), chess.Board()
        for move in ITALIAN[:AT]:
            board.push_uci(move)
        intended.set_fen(board.fen())
        intended.set_piece_at(chess.C5, chess.Piece.from_symbol("n"))
        true, other = (
            pair_view(each.fen(), text, ExplorerSettings(4))["profile"]["precision"][-1]["value"]
            for each in (board, intended)
        )
        held = chess.Board(text).piece_at(chess.C5) == chess.Piece.from_symbol("n")
        words = outcome(page, held=held)
        expect(words).to_contain_text(f"against the true board is {true:.4f}")
        expect(words).to_contain_text(f"against the intended board {other:.4f}")
        page.locator("[data-role=next]").click()
        expect_written(root, replaced("tiny", AT + 1, 6, "b", "n"))
        expect(page.locator("[data-role=hand-course]")).to_contain_text("From ply 6 to 10")
        # Before the state that is changed nothing changes.
        for _ in range(4):
            page.locator("[data-role=previous]").click()
        (before,) = load_model("tiny").write_states([ITALIAN[:5]])
        expect_written(root, before)
        expect(page.locator("[data-role=hand-outcome]")).to_contain_text("before the changed state")
        trials = {kind: hand.trials for kind, hand in hands_of(load_model("tiny")).items()}
        rate = page.locator("[data-role=hand-rate]")
        expect(rate).to_contain_text(f"in {trials[PIECE]['intended']:.0%} of trials")
        rate.click()
        expect(page.locator("[data-role=hand-trials]")).to_contain_text(
            f"A piece is moved, in {trials[SQUARE]['done']} games"
        )
        link = page.url.partition("#")[2]
        page.locator("[data-role=hand-away]").click()
        for _ in range(3):
            page.locator("[data-role=next]").click()
        expect_written(root, plain)
        expect(page.locator("[data-role=hand-outcome]")).to_be_hidden()
    with opened(browser, address, WIDE) as (page, _):
        page.evaluate("link => { location.hash = link; }", link.replace("ply=5", f"ply={AT}"))
        root = page.locator("[data-role=game-tracker]")
        expect_written(root, text)
        # The same hand in another model is that model's own patch.
        page.locator("[data-role=model-choice]").select_option("small")
        expect_written(root, replaced("small", AT, 6, "b", "n"))
        # Another move after the changed state keeps it, another one before it does not.
        drag(page, square(root, "true", "a2"), square(root, "true", "a3"))
        expect(page.locator("[data-role=hand-intent]")).to_be_visible()
        page.evaluate("location.hash = location.hash.replace('c5-c5', 'c4-c5')")
        expect(page.locator("[data-role=page-error]")).to_contain_text("hand of this link")
        expect(page.locator("[data-role=hand-away]")).to_be_hidden()


def test_a_piece_is_moved_by_a_drag_and_by_keys(browser, address):
    with opened(browser, address, WIDE) as (page, _):
        root = italian(page)
        status = page.locator("[data-role=hand-status]")
        drag(page, square(root, "predicted", "c5"), square(root, "predicted", "a5"))
        expect_written(root, moved("tiny", AT, 6, "c5", "a5"))
        expect(page.locator("[data-role=hand-intent]")).to_contain_text("black bishop of c5 on a5")
        square(root, "predicted", "f3").focus()
        page.keyboard.press("Q")
        expect(status).to_have_text("One hand at a time: the one before is taken away.")
        expect_written(root, replaced("tiny", AT, 3, "N", "Q"))
        square(root, "predicted", "f3").focus()
        for key in ("Enter", "ArrowUp", "Enter"):
            page.keyboard.press(key)
        expect_written(root, moved("tiny", AT, 3, "f3", "f4"))
        for place, key, words in (
            ("a1", "Q", "No move of this game ended on a1"),
            ("f3", "n", "same colour"),
            ("e5", "Delete", "not removed"),
            ("h5", "q", "h5 is empty in truth"),
        ):
            square(root, "predicted", place).focus()
            page.keyboard.press(key)
            expect(status).to_contain_text(words)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert violations(page.locator("html")) == []
        assert overflow(root) == []


def test_a_finger_replaces_and_moves_on_a_phone_without_workers(browser, address):
    with opened(browser, address, PHONE, touch=True, before="delete window.Worker") as (page, _):
        root = italian(page)
        bishop = page.locator("[data-role=spare][data-piece=B]")
        bishop.scroll_into_view_if_needed()
        bishop.tap()
        square(root, "predicted", "f3").tap()
        expect_written(root, replaced("tiny", AT, 3, "N", "B"))
        bishop.tap()
        source, target = square(root, "predicted", "c5"), square(root, "predicted", "a5")
        swipe(page, centre(source), centre(target))
        expect_written(root, moved("tiny", AT, 6, "c5", "a5"))
        swipe(page, centre(bishop), centre(square(root, "predicted", "f3")))
        expect_written(root, replaced("tiny", AT, 3, "N", "B"))
        expect(page.locator("[data-role=hand-intent]")).to_be_in_viewport()
        assert violations(page.locator("html")) == []
        assert overflow(root) == []


def test_without_means_there_is_no_hand(browser, tmp_path):
    tiny = load_model("tiny")
    write_weights(tmp_path / "mine.npz", tiny.weights, tiny.description)
    path = tmp_path / "mine.html"
    path.write_text(reader_html([str(tmp_path / "mine.npz")]), encoding="utf-8")
    with opened(browser, path.as_uri(), WIDE) as (page, _):
        root = italian(page, model="mine")
        expect(page.locator("[data-role=hand-rate]")).to_contain_text("No hand inside for")
        square(root, "predicted", "f3").focus()
        page.keyboard.press("Q")
        expect(page.locator("[data-role=hand-status]")).to_contain_text("No means of hidden states")
        (plain,) = tiny.write_states([ITALIAN[:AT]])
        expect_written(root, plain)

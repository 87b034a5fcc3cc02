"""The moves of a game, whatever stands between them and wherever its text ends."""

import re
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgn_texts import SCHOLAR, SCHOLAR_UCI, only, pgn, write

from workbench.games.pgn import RefusedGame, lines_of, scan_games, scan_texts
from workbench.games.synthetic_boards import random_games


def test_moves_come_out_of_comments_variations_and_marks(tmp_path):
    movetext = (
        "1. e4! { [%clk 0:01:00] a comment (with 1. d4) } e5 $1 (1... c5 2. Nf3 (2. c3 d5) 2... d6) "
        "2. Bc4 ; the rest of a line 2... d6\n2... Nc6?? 3. Qh5?! Nf6 4. Qxf7# 1-0"
    )
    game = only(write(tmp_path, pgn(movetext)))
    assert game.plies == 7
    assert game.has_result
    assert game.replay().moves == SCHOLAR_UCI


def test_castling_by_zeros_and_en_passant_in_words(tmp_path):
    text = pgn("1. e4 a6 2. e5 d5 3. exd6 e.p. Nf6 4. Nf3 g6 5. Be2 Bg7 6. 0-0 0-0 7. d4 *")
    game = only(write(tmp_path, text))
    assert game.plies == 13
    assert game.replay().moves[10:12] == ("e1g1", "e8g8")


GAP = st.sampled_from([
    " ", "\n", " { a (comment) 1. a4; with [%clk 0:01:00] } ", " $12 ", " (1. a4 (1. a3 {)} b6) *) ",
    " ; 1. a4 {\n", "\n% { escaped\n", " {\n\n[%eval 0.1]\n} ", " ! ", " +- ",
])  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.tuples(GAP, GAP, GAP), min_size=20, max_size=20))
def test_nothing_between_the_moves_changes_them(seed, gaps):
    (game,) = random_games(1, 40, seed)
    board = chess.Board()
    text = ""
    for number, (first, second, third) in enumerate(gaps, 1):
        sans = [
            board.san_and_push(chess.Move.from_uci(m)) for m in game.moves[2 * number - 2 :][:2]
        ]
        text += f"{number}.{first}{sans[0]}{second}{number}...{sans[1]}{third}"
    (line,) = lines_of(text + " 1-0")
    plain = re.sub("[+#]", "", re.sub(r"\d+\. ", "", chess.Board().variation_san(moves_of(game))))
    assert (line.moves, line.plies, line.has_result, line.reason) == (plain, 40, True, "")


def moves_of(game):
    return [chess.Move.from_uci(move) for move in game.moves]


def test_a_text_that_ends_in_mid_game_is_a_game_without_a_result(tmp_path):
    game = only(write(tmp_path, pgn(SCHOLAR)[: -len("Nf6 4. Qxf7# 1-0\n\n")]))
    assert game.plies == 5
    assert not game.has_result


@pytest.mark.parametrize("ending", ["e4 e5 2. Nf3 Nc6 3. O-O-O", "e4 e5 2. Nf3 Nc6 3. B"])
def test_a_word_that_the_end_of_the_file_touches_is_not_taken_for_whole(tmp_path, ending):
    game = only(write(tmp_path, f"1. {ending}"))
    assert game.replay().moves == ("e2e4", "e7e5", "g1f3", "b8c6")


def test_text_cut_at_any_byte_gives_no_wrong_move(tmp_path):
    text = pgn(SCHOLAR, Site="https://lichess.org/abcd1234")
    text += pgn("1. d4 {x} d5 2. Qd3 Qd6 3. Bf4 Bf5 4. Nc3 Nc6 5. O-O-O (5. e3) O-O-O 1/2-1/2")
    true = [game.replay().moves for game in scan_games(write(tmp_path, text))]
    flags = set()
    for size in range(len(text)):
        for index, game in enumerate(scan_games(write(tmp_path, text[:size]))):
            if isinstance(game, RefusedGame):
                assert game.reason in ("no_moves", "broken_header")
                continue
            moves = game.replay().moves
            assert moves == true[index][: len(moves)]
            assert moves == true[index] or not game.has_result
            flags.add(game.has_result)
    assert flags == {True, False}


def test_a_comment_that_never_ends_leaves_the_moves_before_it():
    (game,) = scan_texts([('[Site "https://lichess.org/abc/"]', "1. e4 e5 { 2. d4 * 1-0")], "x")
    assert (game.moves_written, game.has_result, game.source) == ("e4 e5", False, "abc")


def test_games_as_lichess_writes_them_are_those_that_python_chess_reads():
    """With clocks, evaluations, marks, variations, promotions, castling and en passant."""
    path = Path(__file__).parent / "lichess_export.pgn"
    scanned = list(scan_games(path))
    assert [game.plies for game in scanned] == [5, 30, 13, 27, 24]
    assert [game.source for game in scanned] == [f"aaaa000{number}" for number in range(1, 6)]
    with path.open(encoding="utf-8") as stream:
        for game in scanned:
            expected = chess.pgn.read_game(stream)
            assert expected.errors == []
            moves = tuple(move.uci() for move in expected.mainline_moves())
            assert game.replay().moves == moves

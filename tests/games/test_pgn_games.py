"""Where one game of a text ends and the next begins; every game yielded or refused by name."""

import chess
import pytest
from pgn_texts import SCHOLAR, SCHOLAR_UCI, only, pgn, write

from workbench.games.pgn import Game, RefusedGame, leaves_comment_open, scan_games


def test_the_same_moves_are_the_same_game_wherever_they_stand(tmp_path):
    text = pgn(SCHOLAR, Site="https://lichess.org/abcd1234") + pgn("1. d4 d5 1/2-1/2")
    one, other = scan_games(write(tmp_path, text))
    assert one.source == "abcd1234"
    assert other.source == "games.pgn#2"
    assert one.replay().game_id == Game(SCHOLAR_UCI, "elsewhere").game_id
    assert one.replay().game_id != other.replay().game_id


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        (pgn("1. e4 e5 2. Ke3 1-0"), "illegal_move", "Ke3"),
        (pgn("1. e4 -- 2. e5 1-0"), "illegal_move", "null move"),
        (pgn("1. e4 1-0", Variant="Atomic"), "variant", "Atomic"),
        (pgn("1. e4 1-0", Variant="Nonsense"), "variant", "Nonsense"),
        (pgn("1. Kd2 1-0", FEN="4k3/8/8/8/8/8/8/4K3 w - - 0 1", SetUp="1"), "custom_start", "4k3"),
        (pgn("1. e4 1-0", FEN="broken", SetUp="1"), "custom_start", "broken"),
        (pgn("1-0", Result="1-0"), "no_moves", "1-0"),
        (pgn("1. e4 1-0", SetUp="1"), "custom_start", "without a FEN"),
        (pgn("1. e4 1-0", FEN=chess.STARTING_FEN[:-3] + "4 9"), "custom_start", "4 9"),
        (
            pgn("1. e4 1-0").replace("]", ' ] [SetUp "1"] [FEN "8/8/8 w - -"]'),
            "custom_start",
            "8/8",
        ),
        ('[Event "?"]\n[FEN "4k3/8\n\n1. e4 1-0\n', "broken_header", "FEN"),
        (pgn("1. Nf3 Nf6 2. Nh9 Ng8 3. Ng1 1-0"), "unreadable_moves", "'Nh9' at move 2"),
        (pgn("1. e4 e5 ) 2. Nf3 1-0"), "unreadable_moves", "')'"),
        (pgn("1. Sf3 Sf6 1-0"), "unreadable_moves", "'Sf3' at move 1"),
        (pgn("1. Nf3 Nf6 9. Ng1 Ng8 1-0"), "misnumbered_moves", "number 2 before 'Ng1', got 9"),
        (pgn("<html><body>404 Not Found</body></html>"), "unreadable_moves", "<html>"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, text, reason, detail):
    game = only(write(tmp_path, text))
    refused = game if isinstance(game, RefusedGame) else game.replay()
    assert isinstance(refused, RefusedGame)
    assert refused.reason == reason
    assert detail in refused.detail


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0 1. d4 d5 1/2-1/2",
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n1. d4 d5 1/2-1/2",
        "1. e4 e5 2. Bc4 Nc6\n\n3. Qh5 Nf6 4. Qxf7# 1-0\n\n1. d4 d5 1/2-1/2\n",
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#\n\n1. d4 d5 1/2-1/2\n",
        pgn("1.e4 e5 2.Bc4 Nc6 3.Qh5 Nf6 4.Qxf7#") + pgn("1 d4 d5 1/2-1/2"),
        pgn("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0").rstrip() + "\n" + pgn("1. d4 d5 *"),
        pgn("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# { no end") + pgn("1. d4 d5 *"),
        pgn("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# ( 4. d3 1-0") + pgn("1. d4 d5 *"),
        pgn("1. e4 ; { is no comment\ne5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0") + pgn("1. d4 d5 *"),
        pgn("1. e4 { as in 1. d4 1-0\n\n1. c4 } e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0")
        + pgn("1. d4 d5 *"),
        pgn("1. e4 {\n\n[%clk 1]\n}\n1... e5 2. Bc4 Nc6\n% {\n3. Qh5 Nf6 4. Qxf7# 1-0")
        + pgn("1. d4 d5 *"),
    ],
)
def test_games_are_told_apart_however_they_are_written(tmp_path, text):
    one, other = scan_games(write(tmp_path, text))
    assert one.replay().moves == SCHOLAR_UCI
    assert other.replay().moves == ("d2d4", "d7d5")


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("1. e4 e5", False, False),
        ("1. e4 e5", True, True),
        ("1. e4 {", False, True),
        ("ends } 1. e4", True, False),
        ("ends } 1. e4 { begins", True, True),
        ("{ one } { two { } e5", False, False),
        ("1. e4 ; { no comment in braces", False, False),
        ("1. e4 { a; b", False, True),
        ("% { escaped", False, False),
        ("% { not escaped, inside", True, True),
    ],
)
def test_a_comment_in_braces_is_followed_over_lines(line, before, after):
    assert leaves_comment_open(line + "\n", before) == after


def test_a_game_behind_a_result_is_not_named_after_the_one_before(tmp_path):
    site = "https://lichess.org/abcd1234"
    two = "1. e4 e5 1-0 1. d4 d5 *"
    games = scan_games(write(tmp_path, pgn(two, Site=site) + pgn(two, Site=site, Variant="Atomic")))
    named = [(game.index, game.source, isinstance(game, RefusedGame)) for game in games]
    assert named == [
        (1, "abcd1234", False),
        (2, "games.pgn#2", False),
        (3, "abcd1234", True),
        (4, "games.pgn#4", True),
    ]


def test_headers_without_a_game_are_not_lent_to_the_next(tmp_path):
    empty = '[Event "?"]\n[FEN "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]\n\n\n'
    one, other = scan_games(write(tmp_path, empty + pgn(SCHOLAR)))
    assert (one.index, one.reason) == (1, "custom_start")
    assert other.replay().moves == SCHOLAR_UCI


def test_a_refused_game_does_not_take_others_with_it(tmp_path):
    text = pgn(SCHOLAR) + pgn("1. e4 1-0", Variant="Atomic") + pgn("1. e4 e5 2. Ke3 1-0")
    games = list(scan_games(write(tmp_path, text + pgn(SCHOLAR))))
    assert [isinstance(game, RefusedGame) for game in games] == [False, True, False, False]
    assert games[3].replay().moves == SCHOLAR_UCI


def test_a_start_position_written_out_is_no_custom_start(tmp_path):
    game = only(write(tmp_path, pgn(SCHOLAR, FEN=chess.STARTING_FEN, SetUp="1")))
    assert game.replay().moves == SCHOLAR_UCI


def test_no_games_are_no_error(tmp_path):
    assert list(scan_games(write(tmp_path, ""))) == []
    assert list(scan_games(write(tmp_path, "\n\n\n"))) == []


def test_bytes_that_are_no_text_lose_no_game(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes(pgn(SCHOLAR, White="M\u00fcller").encode("latin-1") + pgn(SCHOLAR).encode())
    assert [game.replay().moves for game in scan_games(path)] == [SCHOLAR_UCI] * 2


def test_nothing_is_printed_or_logged(tmp_path, caplog, capfd):
    only(write(tmp_path, pgn("1. e4 e5 2. Ke3 1-0"))).replay()
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")

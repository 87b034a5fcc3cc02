"""Hostile text: time in proportion to its length, bounded memory, and limits that are named."""

import io
import tracemalloc

import pytest
from pgn_texts import SCHOLAR, SCHOLAR_UCI, only, pgn, write
from processor_time import least_seconds

from workbench.games.pgn import GAME_CHARACTERS, scan_games, scan_texts, split_games


def seconds(text):
    return least_seconds(lambda: list(scan_texts(split_games(io.StringIO(text)), "hostile")))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        lambda size: "{" * size,
        lambda size: "1" * size,
        lambda size: "1. e4 " + "{ ( " * size,
        lambda size: "1. e4 " + "{ ; }{" * size,
        lambda size: "1. e4 " + ";{\n" * size,
        lambda size: "$1 %" * size,
        lambda size: '[Site "' + "://" * size,
        lambda size: '[Site "' + "://" * size + '"]',
        lambda size: "[Event " * size,
        lambda size: '[Event "' * size,
        lambda size: f'[FEN "{"/" * size}"]\n\n' + "* " * size,
        lambda size: f"1. e4 {'x' * 40 * size}" + "\n" * size,
    ],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(text):
    """Four times the length: some 4 times the time where it is linear, 16 where it is quadratic."""
    one, four = (seconds(text(size)) for size in (4000, 16000))
    assert four < 8 * one + 0.002


def test_variations_ten_thousand_deep_and_a_comment_of_megabytes(tmp_path):
    nested = "( 1. d4 " * 10_000 + ")" * 10_000
    game = only(write(tmp_path, pgn(f"1. e4 {nested} {{{'words ' * 500_000}}} e5 1-0")))
    assert (game.moves_written, game.has_result) == ("e4 e5", True)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["\n", " ", "\r\n"])
def test_a_game_beyond_the_limit_of_text_is_refused_and_reading_goes_on(tmp_path, ending):
    unit = "a4 a5 b4 { [x] } " * 60 + ending
    movetext = unit * (3 * GAME_CHARACTERS // len(unit)) + "1-0"
    path = tmp_path / "games.pgn"
    path.write_bytes(
        (pgn(SCHOLAR) + pgn(movetext, Site="https://x.org/big") + pgn(SCHOLAR)).encode()
    )
    tracemalloc.start()
    try:
        games = list(scan_games(path))
        assert tracemalloc.get_traced_memory()[1] < 6 * GAME_CHARACTERS
    finally:
        tracemalloc.stop()
    assert [game.index for game in games] == [1, 2, 3]
    assert (games[1].source, games[1].reason) == ("big", "too_long")
    assert "more than 10,000,000 characters" in games[1].detail
    assert games[2].replay().moves == SCHOLAR_UCI


def test_headers_beyond_the_limit_are_refused_too(tmp_path):
    quotes = '\\"' * (GAME_CHARACTERS // 2)
    one, other = scan_games(write(tmp_path, pgn("1. e4 *", FEN=quotes) + pgn(SCHOLAR)))
    assert (one.source, one.reason) == ("games.pgn#1", "too_long")
    assert other.replay().moves == SCHOLAR_UCI


@pytest.mark.parametrize("mark", ["", "{ a comment }"])
def test_a_game_of_more_half_moves_than_chess_allows_is_refused(tmp_path, mark):
    moves = ["Nf3", "Nf6", "Ng1", "Ng8"] * 5000
    longest, longer = (
        pgn(" ".join(f"{mark} {move}" for move in [*moves, *more]) + " *") for more in ([], ["d4"])
    )
    one, two, three = scan_games(write(tmp_path, longest + longer + pgn(SCHOLAR)))
    assert one.plies == 20_000
    assert (two.reason, two.detail) == ("too_long", "more than 20,000 half-moves")
    assert three.replay().moves == SCHOLAR_UCI

"""Positions that are prefixes of one game are found to be so; others are left as they are named."""

import hashlib

import chess.pgn
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.answers.game_clusters import (
    longest_lines,
    prefix_counts,
    shared_lines,
    whole_games,
)
from workbench.answers.imports import import_pgn2fen
from workbench.errors import TableError


def named_after(moves):
    return hashlib.sha256(moves.encode()).hexdigest()[:16]


def positions(*rows):
    return pd.DataFrame(rows, columns=["position_id", "game_id", "moves"])


def test_a_prefix_belongs_to_the_longest_game_that_begins_with_it():
    lines = ["e2e4", "e2e4 e7e5", "e2e4 e7e5 g1f3", "d2d4", "d2d4 d7d5"]
    rows = [(f"p{index}", named_after(moves), moves) for index, moves in enumerate(lines)]
    found = whole_games(positions(*rows))
    open_game, closed_game = named_after("e2e4 e7e5 g1f3"), named_after("d2d4 d7d5")
    assert list(found.values()) == [open_game] * 3 + [closed_game] * 2
    assert prefix_counts(positions(*rows)) == {"placed by their moves": 5, "shared": 0}


def test_games_are_found_in_each_set_by_itself():
    """The first move of one set begins the game of the other."""
    lines = ["e2e4", "e2e4 e7e5"]
    rows = [(f"p{index}", named_after(moves), moves) for index, moves in enumerate(lines)]
    found = whole_games(positions(*rows).assign(set=["one", "other"]))
    assert found == {f"p{index}": named_after(moves) for index, moves in enumerate(lines)}
    apart = prefix_counts(positions(*rows).assign(set=["one", "other"]))
    assert apart == {"placed by their moves": 2, "shared": 0}


def test_a_prefix_of_two_games_goes_to_the_first_and_is_counted():
    lines = ["e2e4", "e2e4 e7e5", "e2e4 c7c5"]
    rows = [(f"p{index}", named_after(moves), moves) for index, moves in enumerate(lines)]
    found = whole_games(positions(*rows))
    assert found["p0"] == found["p2"] == named_after("e2e4 c7c5")
    assert found["p1"] == named_after("e2e4 e7e5")
    assert prefix_counts(positions(*rows)) == {"placed by their moves": 3, "shared": 1}


def test_moves_are_compared_whole():
    """The promotion e7e8q begins with the text e7e8, not with the move e7e8."""
    longest = longest_lines([("e7e8",), ("e7e8q", "a7a6")])
    assert longest[("e7e8",)] == ("e7e8",)


def test_games_that_are_named_are_believed():
    """Two games may begin alike; where both are named, they stay apart."""
    found = whole_games(
        positions(
            ("a", "game one", "e2e4"),
            ("b", "game two", "e2e4 e7e5"),
            ("c", None, None),
            ("d", None, "e2e4"),
        )
    )
    assert found["a"] == "game one"
    assert found["b"] == "game two"
    assert found["c"] == "c"
    assert found["d"] == named_after("e2e4")


def test_the_same_position_may_stand_in_several_rows_but_not_with_other_moves():
    row = ("a", "game", "e2e4")
    assert whole_games(positions(row, row)) == {"a": "game"}
    with pytest.raises(TableError, match="'a'"):
        whole_games(positions(row, ("a", "game", "d2d4")))


@given(st.lists(st.lists(st.sampled_from("xyz"), max_size=4).map(tuple), max_size=12))
def test_agrees_with_trying_all_pairs(lines):
    longest = longest_lines(lines)
    ends = {
        line
        for line in lines
        if not any(other != line and other[: len(line)] == line for other in lines)
    }
    assert set(longest) == set(lines)
    for line in lines:
        going_on = sorted(end for end in ends if end[: len(line)] == line)
        assert longest[line] == going_on[0]
        assert (line in shared_lines(lines)) == (len(going_on) > 1)


def test_the_games_of_a_recorded_set_are_those_of_the_pgn_headers(recorded):
    log = recorded / "model_logs" / "baseline_starting_board_standard.jsonl"
    predictions = import_pgn2fen([log]).predictions
    # A set's files have names of their own, so that the hash behind them can go.
    predictions["position_id"] = predictions["position_id"].str.rpartition("-")[0]
    found = whole_games(predictions)
    played = {}
    for path in (recorded / "data" / "Cup" / "truncated").glob("*.pgn"):
        with path.open(encoding="utf-8") as file:
            headers = chess.pgn.read_headers(file)
        played[path.stem] = headers["White"]
    assert set(found) == set(played)
    # Ada's and Cleo's games part at the fourth half-move, and b8c6 comes before g8f6.
    parting = {f"halfmoves{ply:04d}_002" for ply in (1, 2, 3)}
    named = {found["halfmoves0012_001"]: "Ada", found["halfmoves0012_002"]: "Cleo"}
    named[found["halfmoves0012_003"]] = "Eve"
    assert len(named) == len(set(found.values())) == 3
    for position, game in found.items():
        assert named[game] == ("Ada" if position in parting else played[position])
    assert prefix_counts(predictions) == {"placed by their moves": 18, "shared": 6}

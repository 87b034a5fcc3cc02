"""Where lines die, against all lines enumerated by python-chess, and against boards by hand."""

import json
from collections import defaultdict
from fractions import Fraction

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.answers.imports import import_pgn2fen
from workbench.errors import InvalidFenError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import lost_mass
from workbench.explore.losses.joint_tree import percent
from workbench.explore.pair.pair_view import pair_view, replay
from workbench.games.synthetic_boards import random_board

TRUE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4"
BARE = "7k/8/8/8/8/8/8/K7 w - - 0 1"
PAWN = "7k/8/8/8/8/8/7P/K7 w - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
ONE_MOVE = "7k/8/6K1/5Q2/8/8/8/8 b - - 0 1"

PAIRS = {
    "a pawn too many": (BARE, PAWN),
    "castling": ("4k3/8/8/8/8/8/7p/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/7p/R3K3 w - - 0 1"),
    "en passant": ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1",
                   "7k/8/8/3pP3/8/8/8/K7 w - - 0 1"),
    "mate in one move, on one board": (
        "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "7k/5Q2/8/5K2/8/8/8/8 w - - 0 1"
    ),
    "the prediction is stalemate": (ONE_MOVE, STALEMATE),
    "the truth is stalemate": (STALEMATE, ONE_MOVE),
    "both are finished": (STALEMATE, STALEMATE),
    "stalemate ahead": ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "7k/8/6K1/4Q3/8/8/8/8 w - - 0 1"),
    "another side to move": (PAWN, PAWN.replace(" w ", " b ")),
    "promotion": ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "1r6/P6k/8/8/8/8/8/K7 w - - 0 1"),
    "no king": ("7k/8/8/8/8/8/7r/K7 w - - 0 1", "8/8/8/8/8/8/7r/K7 w - - 0 1"),
    "a promoted king": ("7k/8/8/8/8/8/7r/K1R5 w - - 0 1", "7k/8/8/8/8/8/7r/K~1R5 w - - 0 1"),
    "an opening": (TRUE, TRUE.replace("5Q2", "7Q")),
    "empty": (BARE, "8/8/8/8/8/8/8/8 w - - 0 1"),
}  # fmt: skip


def refused_lines(drawn, other, depth, terminal):
    """Return the mass of refused lines through each line of both boards, and through dying moves.

    Every line that can be drawn is followed to its end, whatever the other board says.
    """
    through = defaultdict(Fraction)
    dying = defaultdict(Fraction)

    def follow(board, tried, line, weight, end):
        moves = list(board.generate_legal_moves()) if len(line) < depth else []
        if len(line) < depth and moves:
            allowed = set(tried.generate_legal_moves()) if tried is not None else set()
            for move in moves:
                board.push(move)
                if move in allowed:
                    after = tried.copy(stack=False)
                    after.push(move)
                    follow(board, after, (*line, move.uci()), weight / len(moves), None)
                else:
                    first = end if tried is None else (len(line) + 1, move.uci())
                    follow(board, None, (*line, move.uci()), weight / len(moves), first)
                board.pop()
            return
        accepted = tried is not None
        if accepted and len(line) < depth:
            over = not any(tried.generate_legal_moves())
            accepted = over and terminal == "absorb"
            end = (len(line), line[-1] if line else "")
        if not accepted:
            dying[end] += weight
            for length in range(len(line) + 1):
                through[line[:length]] += weight

    follow(chess.Board(drawn), chess.Board(other), (), Fraction(1), None)
    return through, dying


def nodes_of(node):
    yield node
    for child in node["children"]:
        yield from nodes_of(child)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("terminal", ["absorb", "drop"])
def test_every_node_loses_what_enumeration_says(name, depth, terminal):
    if name == "an opening":
        depth = 2  # its lines of three moves are 40,000
    true, predicted = PAIRS[name]
    found = lost_mass(true, predicted, ExplorerSettings(depth=depth, terminal=terminal), 0.0)
    assert found["depth"] == depth
    for measure, drawn, other in (("precision", predicted, true), ("recall", true, predicted)):
        through, dying = refused_lines(drawn, other, depth, terminal)
        shown = {tuple(node["line"]): node for node in nodes_of(found[measure])}
        assert all(node["kind"] != "merged" for node in shown.values())
        for line, node in shown.items():
            assert node["lost"] == pytest.approx(float(through[line]), abs=1e-12)
        # A line that goes on after its dying move is one with it; all others are shown.
        dead = [line for line, node in shown.items() if node["kind"] == "lost"]
        for line, mass in through.items():
            if mass and line not in shown:
                assert any(line[: len(end)] == end for end in dead), line
        costliest = found["costliest"][measure]
        ranked = sorted((float(mass) for (ply, _), mass in dying.items() if ply), reverse=True)
        assert [cost["share"] for cost in costliest] == pytest.approx(ranked[:5], abs=1e-12)
        for cost in costliest:
            end = len(cost["line"]), cost["line"][-1]
            assert cost["share"] == pytest.approx(float(dying[end]), abs=1e-12)
            assert "at least" not in cost["words"]


def assert_adds_up(node):
    assert node["lost"] >= 0
    if node["children"]:
        total = sum(child["lost"] for child in node["children"])
        assert total == pytest.approx(node["lost"], abs=1e-11)
    for child in node["children"]:
        assert_adds_up(child)


def assert_consistent(true, predicted, chosen, smallest_share=0.01):
    found = lost_mass(true, predicted, chosen, smallest_share=smallest_share)
    profile = pair_view(true, predicted, chosen)["profile"]
    json.dumps(found, allow_nan=False)
    for measure in ("precision", "recall"):
        root = found[measure]
        assert root["lost"] == max(1 - profile[measure][found["depth"] - 1]["value"], 0.0)
        assert_adds_up(root)
        shares = [node["share"] for node in nodes_of(root) if node["kind"] in ("shared", "lost")]
        assert all(share >= smallest_share for share in shares)
        costs = found["costliest"][measure]
        assert len(costs) <= 5
        assert sorted(costs, key=lambda cost: -cost["share"]) == costs
        assert sum(cost["share_of_lost"] for cost in costs) <= 1 + 1e-9
        for cost in costs:
            replay(true, predicted, cost["line"][:-1])
    return found


@given(
    st.integers(2, 60),
    st.integers(0, 10_000),
    st.integers(0, 63),
    st.integers(1, 4),
    st.sampled_from(["absorb", "drop"]),
    st.sampled_from([0.003, 0.01, 0.2]),
)
@settings(max_examples=15, deadline=None)
def test_it_adds_up_on_boards_with_a_square_wrong(plies, seed, square, depth, terminal, smallest):
    true = random_board(plies, seed)
    board = chess.Board(true)
    if board.remove_piece_at(square) is None:
        board.set_piece_at(square, chess.Piece(chess.KNIGHT, board.turn))
    chosen = ExplorerSettings(depth=depth, terminal=terminal)
    found = assert_consistent(true, board.fen(), chosen, smallest)
    turned = lost_mass(board.fen(), true, chosen, smallest_share=smallest)
    assert turned["precision"]["lost"] == pytest.approx(found["recall"]["lost"], abs=1e-12)
    shares = [
        [c["share"] for c in x]
        for x in (turned["costliest"]["precision"], found["costliest"]["recall"])
    ]
    assert shares[0] == pytest.approx(shares[1], abs=1e-12)


def test_the_words_of_a_pair_worked_by_hand():
    """Two of five moves are the pawn's that is not there; nothing else differs."""
    found = lost_mass(BARE, PAWN, ExplorerSettings(depth=2))
    precision = found["precision"]
    assert precision["words"] == "p_2 = 0.6: 40.0% of p lost"
    assert [(node["words"], node["kind"], node["share"]) for node in precision["children"]] == [
        ("h3: legal only in the prediction, 20.0% of p lost", "lost", pytest.approx(0.5)),
        ("h4: legal only in the prediction, 20.0% of p lost", "lost", pytest.approx(0.5)),
    ]
    assert found["costliest"]["precision"][0] == {
        "line": ["h2h3"],
        "words": "h3: legal only in the prediction, 20.0% of p lost",
        "share": pytest.approx(0.2),
        "share_of_lost": pytest.approx(0.5),
    }
    assert found["recall"] == {
        "line": [],
        "words": "r_2 = 1: nothing is lost",
        "kind": "root",
        "lost": 0.0,
        "share": None,
        "children": [],
    }
    assert found["costliest"]["recall"] == []


def test_a_right_that_tells_only_later_is_named():
    """Castling is barred by the bishop and knight: White's third ply is the first at which it can."""
    found = lost_mass(TRUE, TRUE.replace("KQkq", "Qkq"), ExplorerSettings(depth=3))
    (cost,) = found["costliest"]["recall"]
    assert cost["line"][-1] == "e1g1"
    assert cost["words"].startswith("O-O as the third move, for example after N")
    assert cost["share_of_lost"] == pytest.approx(1)
    assert "legal only on the true board" in cost["words"]


def test_games_that_are_over_on_one_board_say_so():
    found = lost_mass(ONE_MOVE, STALEMATE, ExplorerSettings(depth=2))
    assert found["precision"]["words"] == (
        "p_2 = 0: the game is over in the prediction but not on the true board, 100.0% of p lost"
    )
    assert found["precision"]["children"] == []
    (move,) = found["recall"]["children"]
    assert move["words"] == "Kg8: legal only on the true board, 100.0% of r lost"
    dropped = lost_mass(STALEMATE, STALEMATE, ExplorerSettings(depth=2, terminal="drop"))
    assert "over on both boards" in dropped["precision"]["words"]
    assert dropped["recall"]["lost"] == 1.0


def test_a_move_that_ends_the_game_on_one_board_is_a_costly_one():
    """Qg7 mates with the king on h6; with it on g5 Black takes the queen."""
    true, predicted = "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "7k/5Q2/7K/8/8/8/8/8 w - - 0 1"
    found = lost_mass(true, predicted, ExplorerSettings(depth=2), smallest_share=0.0)
    (mate,) = (node for node in found["precision"]["children"] if node["line"] == ["f7g7"])
    assert mate["kind"] == "shared"
    assert mate["children"] == []
    assert mate["words"].startswith(
        "Qg7#: after it the game is over in the prediction but not on the true board, "
    )


def test_small_branches_are_merged_into_one():
    found = lost_mass(TRUE, TRUE.replace("5Q2", "7Q"), smallest_share=0.03)
    for measure in ("precision", "recall"):
        children = found[measure]["children"]
        assert [child["kind"] for child in children].count("merged") == 1
        merged = children[-1]
        assert merged["kind"] == "merged"
        assert "smaller branches" in merged["words"]
        assert merged["line"] == []
        assert merged["children"] == []
        lost = [child["lost"] for child in children[:-1]]
        assert lost == sorted(lost, reverse=True)


def test_beyond_the_budget_the_deepest_interactive_depth_is_taken_and_named():
    found = assert_consistent(
        TRUE, TRUE.replace("5Q2", "7Q"), ExplorerSettings(depth=4, exact_budget=60)
    )
    assert found["depth"] == 2
    assert found["reason"].startswith("exact up to depth 2: depth 3 has about")
    assert found["precision"]["words"].startswith("p_2 = ")


@pytest.mark.parametrize(
    ("predicted", "chosen", "words"),
    [
        ("", ExplorerSettings(), "no state was predicted: everything is lost"),
        (None, ExplorerSettings(), "no state was predicted: everything is lost"),
        (BARE.replace("K7", "8"), ExplorerSettings(ill_formed="sink"), "counts as no state"),
    ],
)
def test_without_a_state_everything_is_lost_at_the_root(predicted, chosen, words):
    found = lost_mass(BARE, predicted, chosen)
    for measure in ("precision", "recall"):
        assert found[measure]["lost"] == 1.0
        assert found[measure]["children"] == []
        assert words in found[measure]["words"]


def test_bad_boards_are_refused():
    with pytest.raises(InvalidFenError, match="the predicted FEN cannot be read: there is 1 rank"):
        lost_mass(BARE, "nonsense w - - 0 1")


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0.0%"), (1.0, "100.0%"), (0.081, "8.1%"), (0.0012, "0.12%"), (1e-7, "under 0.001%")],
)
def test_shares_are_told_in_percent(share, words):
    assert percent(share) == words


@pytest.mark.slow
def test_it_adds_up_on_recorded_replies(recorded):
    logs = [recorded / "model_logs" / f"maker_talker{part}.jsonl" for part in ("", "_randomised")]
    table = import_pgn2fen(logs, text="raw").predictions
    table = table[table["reply_class"].isin(["valid", "ill_formed"])]
    table = table[table["true_state"] != table["predicted_state"]]
    # Before the last move, at the start, without the queen or the king; some at the same ply.
    assert len(table) == 11
    for true, predicted in zip(table["true_state"], table["predicted_state"], strict=True):
        assert_consistent(true, predicted, ExplorerSettings())

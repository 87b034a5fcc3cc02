"""The search for boards that a reward pays for: each is wrong, and its numbers are those of the rewards."""

import math

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.games.board_edits import designed_boards, edited_board
from workbench.rewards import reward_parts, state_reward
from workbench.studies.reward_audit import REWARDS, compute, draw, summarise, worst

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
ENDING = "8/5p2/2pk4/p1p2p2/PpP2P1P/4K1P1/8/8 b - - 1 48"
REPLIES = pd.DataFrame(
    {
        "position_id": ["first", "ending", "ending", "unread"],
        "true_state": [AFTER_E4, ENDING, ENDING, ENDING],
        "predicted_state": [AFTER_E4.replace("RNBQK", "RNBKQ"), ENDING, ENDING.replace("b -", "w -"), "8"],
        "reply_class": ["valid", "valid", "ill_formed", "unparseable"],
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return compute(REPLIES, budget=6, seed=1)


def test_each_reward_has_a_board_for_each_position_with_a_wrong_reply(table):
    keys = ["position_id", "measure", "depth", "policy"]
    rewards = {(name, *reward) for name in ("first", "ending") for reward in REWARDS}
    assert set(table[keys].itertuples(index=False, name=None)) == rewards
    assert len(table) == len(rewards)


def test_boards_are_wrong_and_their_numbers_are_rewards(table):
    for row in table.to_dict("records"):
        board, true = row["board"], row["true_state"]
        assert board.split()[:4] != true.split()[:4]
        assert row["pays"] == pytest.approx(
            state_reward(
                board, true, depth=row["depth"] or 4, measure=row["measure"],
                ill_formed=row["policy"] or "sink",
            ), abs=1e-12,
        )  # fmt: skip
        (parts,) = reward_parts([board], [true])
        names = [name for name in ("f", "board_accuracy", "edit_kernel") if name != row["measure"]]
        assert row["worth"] == pytest.approx(np.mean([parts[name] for name in names]), abs=1e-12)
        assert row["pieces"] == len(chess.Board(board).piece_map())


def test_nothing_wrong_is_an_exact_match(table):
    assert set(table.loc[table["measure"] == "exact_match", "pays"]) == {0.0}


def test_a_larger_budget_finds_no_smaller_gap(table):
    keys = ["position_id", "measure", "depth", "policy"]
    small, large = (
        part.set_index(keys).eval("pays - worth")
        for part in (compute(REPLIES, budget=0, seed=1), table)
    )
    assert (large >= small).all()
    assert large.sum() > small.sum()


def test_the_same_seed_has_the_same_boards(table):
    pd.testing.assert_frame_equal(compute(REPLIES, budget=6, seed=1), table)


def test_boards_without_kings_are_paid_for_as_they_are():
    """The board of docs/training.md, found in a search of 100 positions."""
    board = "rn3bn1/pppppppp/8/8/4P3/8/PPPP1PPP/RN1B1BN1 b - - 0 1"
    assert state_reward(board, AFTER_E4, ill_formed="as_is") == pytest.approx(0.878, abs=5e-4)
    assert state_reward(board, AFTER_E4) == 0


def test_after_the_end_any_finished_board_is_as_good():
    mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    assert state_reward("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", mate) == 1


def test_means_and_figure(table):
    means = summarise(table).set_index(["measure", "depth", "policy"])
    part = table[(table["measure"] == "f") & (table["policy"] == "sink")]
    assert means.loc[("f", 4, "sink"), "pays"] == pytest.approx(part["pays"].mean())
    assert set(means["positions"]) == {2}
    rows = worst(table, 2)
    assert rows["position_id"].nunique() == 2
    assert (rows["pays"] > 0).all()
    figure = draw(table, count=2)
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles[0].endswith(f"pays {rows['pays'][0]:.2f}, worth {rows['worth'][0]:.2f}")
    assert len(titles) == 2


@pytest.mark.parametrize(
    ("replies", "options", "words"),
    [
        (REPLIES, {"count": 0}, "count, budget"),
        (REPLIES, {"budget": -1}, "count, budget"),
        (REPLIES[3:], {}, "expected a readable wrong board, got 1 rows"),
    ],
)
def test_wrong_arguments_are_refused(replies, options, words):
    with pytest.raises(InvalidArgumentError, match=words):
        compute(replies, **options)


def test_designed_boards_are_what_their_names_say():
    boards = {name: chess.Board(fen) for name, fen in designed_boards(AFTER_E4).items()}
    assert len(boards["kings alone"].piece_map()) == 2
    assert boards["no kings"].kings == 0
    assert "check" not in boards  # a queen on an empty square gives none
    assert chess.Board(designed_boards(ENDING)["check"]).is_check()
    assert boards["other side to move"].turn == chess.WHITE
    for name in ("stalemate", "nothing to move"):
        assert boards[name].turn == chess.BLACK
        assert not any(boards[name].generate_legal_moves())


def test_edits_leave_boards_that_can_be_read():
    generator = np.random.default_rng(0)
    board, changes = AFTER_E4, 0
    for _ in range(200):
        edited = edited_board(board, generator)
        changes += edited != board
        board = chess.Board(edited).fen()
    assert changes > 150
    assert not math.isnan(state_reward(board, AFTER_E4, ill_formed="as_is"))

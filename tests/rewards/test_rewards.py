import math
import threading
from time import perf_counter

import pandas as pd
import pytest

import workbench
from workbench.environments.registry import environment_names
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.installation import RESOURCES
from workbench.rewards import reward_named, reward_parts, state_reward, state_rewards

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NO_KNIGHT = START.replace("RNBQ", "R1BQ")
NO_KING = START.replace("QKB", "Q1B")


def test_by_hand_after_one_move():
    # Without the knight its two moves are gone and Rb1 is there: 18 of 19 and 18 of 20 are common.
    (parts,) = reward_parts([NO_KNIGHT], [START], depth=1)
    assert parts["precision"] == pytest.approx(18 / 19)
    assert parts["recall"] == pytest.approx(0.9)
    assert parts["f"] == pytest.approx(36 / 39)
    assert parts["board_accuracy"] == 63 / 64
    assert parts["exact_match"] == 0
    assert parts["edit_kernel"] == pytest.approx(math.exp(-0.1))


@pytest.mark.parametrize(
    ("reply", "reply_class"),
    [
        (START, "valid"),
        (NO_KING, "ill_formed"),
        (START.replace(" w", ""), "unparseable"),
        ("No.", "absent"),
    ],
)
def test_classes_are_told_apart(reply, reply_class):
    (parts,) = reward_parts([reply], [START])
    assert parts["reply_class"] == reply_class
    rewards = {"ill_formed": 0.25, "unparseable": -0.5, "absent": -1}
    assert state_reward(reply, START, class_rewards=rewards) == rewards.get(reply_class, 1.0)


def test_a_call_that_failed_has_no_reward():
    rewards = state_rewards([None, "No."], [START, START], class_rewards={"absent": -1})
    assert math.isnan(rewards[0])
    assert rewards[1] == -1


def test_an_ill_formed_board_is_the_sink_unless_it_is_to_be_measured():
    assert state_reward(NO_KING, START) == 0
    assert state_reward(NO_KING, START, ill_formed="as_is") > 0


def test_undefined_squares_are_worth_nothing():
    (parts,) = reward_parts(["No."], [START])
    assert math.isnan(parts["board_accuracy"])
    assert state_reward("No.", START, measure="board_accuracy") == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"measure": "levenshtein"}, "measure: expected one of"),
        ({"measure": "reply_class"}, "measure: expected one of"),
        ({"class_rewards": {"failed": 0.0}}, "class_rewards"),
        ({"class_rewards": {"absent": math.nan}}, "class_rewards"),
        ({"depth": 0}, "0"),
        ({"ill_formed": "mended"}, "mended"),
        ({"environment": "chss"}, "chess"),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    with pytest.raises(WorkbenchError, match=words):
        state_reward("No.", START, **arguments)


def test_as_many_true_states_as_replies():
    with pytest.raises(InvalidArgumentError, match="2 and 1 for 1"):
        state_rewards(["No."], [START, START])
    with pytest.raises(WorkbenchError, match="true state 1"):
        state_rewards(["No.", "No."], [START, "a board"])
    with pytest.raises(InvalidArgumentError, match=r"row 1: expected a text, .*got 3"):
        state_rewards(["No.", 3], [START, START])
    with pytest.raises(InvalidArgumentError, match=r"row 0: expected a text, got None"):
        state_rewards(["No."], [None])


@pytest.mark.parametrize("name", environment_names())
def test_the_true_state_has_the_whole_reward_in_each_environment(name):
    rows = workbench.positions(5, name, seed=4)
    true = list(rows["true_state"])
    assert state_rewards(true, true, name) == [1.0] * len(true)
    assert state_rewards(["none"] * len(true), true, name) == [0.0] * len(true)


def test_environments_may_be_mixed():
    othello = workbench.positions(1, "othello")["true_state"].iloc[0]
    assert state_rewards([START, othello], [START, othello], ["chess", "othello"]) == [1.0, 1.0]


def recorded(count):
    table = pd.read_parquet(RESOURCES / "data" / "replies.parquet")
    rows = table[(table["task"] == "state") & (table["reply_class"] != "failed")]
    if count:
        rows = rows.sample(count, random_state=35)
    return pd.DataFrame(
        {"true_state": rows["true_state"], "reply": rows["predicted_state"].fillna("none")}
    ).reset_index(drop=True)


def agree(rows, ill_formed):
    scores = workbench.score(rows, ill_formed=ill_formed)
    parts = pd.DataFrame(
        reward_parts(rows["reply"].tolist(), rows["true_state"].tolist(), ill_formed=ill_formed)
    )
    assert parts["reply_class"].tolist() == scores["reply_class"].tolist()
    for name, column in (("precision", "precision_4"), ("recall", "recall_4"), ("f", "f_4")):
        assert parts[name].to_numpy() == pytest.approx(scores[column].to_numpy(), abs=1e-12)
    for name in ("exact_match", "board_accuracy"):
        expected = scores[name].to_numpy(dtype=float)
        assert parts[name].to_numpy() == pytest.approx(expected, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize("ill_formed", ["as_is", "sink"])
def test_rewards_are_the_scores(ill_formed):
    agree(recorded(100), ill_formed)


@pytest.mark.slow
@pytest.mark.parametrize("ill_formed", ["as_is", "sink"])
def test_rewards_are_the_scores_of_all_recorded_replies(ill_formed):
    agree(recorded(None), ill_formed)


@pytest.mark.parametrize(
    "reply",
    ["x" * 3_000_000, "/" * 3_000_000, (START + "\n") * 50_000, "8/8/8/8/8/8/8/8 w - - 0 1 " * 90_000,
     "\x00" * 3_000_000, "\ud800" + START, "rnbqkbnr/" * 400_000],
    ids=["letters", "slashes", "boards", "empty boards", "zeros", "surrogate", "ranks"],
)  # fmt: skip
def test_megabytes_take_a_bounded_time(reply):
    start = perf_counter()
    value = state_reward(reply, START)
    assert 0 <= value <= 1
    # A second is far above what it takes, so that a busy machine passes; unbounded it takes ten.
    assert perf_counter() - start < 4


def test_a_thread_gets_the_same_reward():
    rewards = []
    thread = threading.Thread(target=lambda: rewards.append(state_reward(NO_KNIGHT, START)))
    thread.start()
    thread.join()
    assert rewards == [state_reward(NO_KNIGHT, START)]


def test_a_walk_beyond_the_budget_is_estimated_by_a_seed_of_the_texts():
    exact = state_reward(NO_KNIGHT, START)
    estimates = {state_reward(NO_KNIGHT, START, budget=10_000, depth=5) for _ in range(2)}
    assert len(estimates) == 1
    assert state_reward(NO_KNIGHT, START, budget=2000) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize(
    ("column", "measure", "depth"),
    [("f_4", "f", 4), ("precision_1", "precision", 1), ("recall_2", "recall", 2),
     ("exact_match", "exact_match", 4), ("edit_kernel", "edit_kernel", 4), ("board_accuracy", "board_accuracy", 4)],
)  # fmt: skip
def test_a_column_of_scores_names_a_reward(column, measure, depth):
    (value,) = reward_named(column)([NO_KNIGHT], [START])
    assert value == state_reward(NO_KNIGHT, START, depth=depth, measure=measure)


@pytest.mark.parametrize("column", ["levenshtein", "f", "precision", "reply_class", "f_0", "ply"])
def test_other_columns_are_no_reward(column):
    with pytest.raises(InvalidArgumentError, match="reward: expected"):
        reward_named(column)([START], [START])

import math

import numpy as np
import pandas as pd
import pytest

from workbench.affordance import ESTIMATORS, exact_profile
from workbench.affordance.estimate import single_runs
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore import run_batches
from workbench.explore.run_batches import (
    Reference,
    RunSettings,
    all_runs,
    next_batches,
    reference,
    summarise_runs,
)
from workbench.seeds import derived_seed

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
# Without the knight on b1 two of the 20 first moves are gone, and the rook has one more: Ra1-b1.
WITHOUT_KNIGHT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
WITHOUT_KINGS = "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1"


def settings(**more):
    return RunSettings(**{"true_fen": START, "predicted_fen": WITHOUT_KNIGHT, "depth": 2, **more})


@pytest.mark.parametrize(("measure", "value"), [("precision", 18 / 19), ("recall", 18 / 20)])
def test_reference_of_one_move_is_the_share_of_shared_moves(measure, value):
    found = reference(settings(depth=1, measure=measure))
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.exact
    assert found.runnable
    assert found.standard_error == 0


def test_reference_is_estimated_where_the_tree_is_too_large(monkeypatch):
    exact = reference(settings(depth=4))
    monkeypatch.setattr(run_batches, "EXACT_BUDGET", 100)
    found = reference(settings(depth=4))
    assert exact.exact
    assert not found.exact
    assert found.low < found.value < found.high
    assert found.standard_error > 0
    assert abs(found.value - exact.value) < 6 * found.standard_error
    assert "budget" in found.reason


def test_same_boards_have_the_value_one_at_any_depth():
    found = reference(settings(predicted_fen=START, depth=20))
    assert (found.value, found.exact) == (1.0, True)


@pytest.mark.parametrize(
    "more", [{"predicted_fen": ""}, {"predicted_fen": WITHOUT_KINGS, "ill_formed": "sink"}]
)
def test_without_a_predicted_state_there_is_nothing_to_sample(more):
    found = reference(settings(**more))
    assert (found.value, found.exact, found.runnable) == (0.0, True, False)
    assert next_batches(settings(**more), {}) == {}
    assert all_runs(settings(**more)).empty


def test_ill_formed_boards_run_as_they_are():
    given = settings(predicted_fen=WITHOUT_KINGS, methods=("stratified",), repeats=3)
    true, predicted = (ChessState.from_fen(fen) for fen in (START, WITHOUT_KINGS))
    exact = exact_profile(
        true, predicted, 2, automaton=ChessAutomaton(), engine="reference"
    ).precision[-1]
    assert reference(given).value == pytest.approx(exact)
    assert len(all_runs(given)) == 3


@pytest.mark.parametrize("measure", ["precision", "recall"])
@pytest.mark.parametrize("method", list(ESTIMATORS))
def test_runs_are_those_of_the_estimator_with_the_run_s_own_seed(method, measure):
    given = settings(methods=(method,), repeats=4, samples=50, seed=5, measure=measure)
    true, predicted = (ChessState.from_fen(fen) for fen in (START, WITHOUT_KNIGHT))
    if measure == "recall":
        true, predicted = predicted, true
    seeds = [derived_seed(5, method, run) for run in range(4)]
    wanted = single_runs(
        true, predicted, 2, automaton=ChessAutomaton(), method=method, samples=50, seeds=seeds
    )
    found = all_runs(given)
    assert found["value"].tolist() == [run.value for run in wanted]
    assert found["node_count"].tolist() == [run.node_count for run in wanted]
    assert found["run"].tolist() == [0, 1, 2, 3]


def test_batches_of_any_size_make_the_same_runs():
    given = settings(repeats=23, samples=40, seed=2)
    done = dict.fromkeys(given.methods, 0)
    found = {method: [] for method in given.methods}
    while batches := next_batches(given, done, seconds=1e-6):
        for method, batch in batches.items():
            assert batch.first == len(found[method])
            assert batch.milliseconds >= 0
            found[method] += batch.values
            done[method] += len(batch.values)
    whole = all_runs(given)
    for method in given.methods:
        assert found[method] == whole.loc[whole["method"] == method, "value"].tolist()
        assert len(found[method]) == 23


def test_a_batch_makes_a_run_of_the_estimator_that_is_furthest_behind():
    given = settings(methods=("naive", "branch"), repeats=9)
    batches = next_batches(given, {"naive": 5, "branch": 3}, seconds=0)
    assert list(batches) == ["branch"]
    assert (batches["branch"].first, len(batches["branch"].values)) == (3, 1)


def test_batches_end_with_the_repeats():
    given = settings(methods=("branch",), repeats=5)
    assert len(next_batches(given, {"branch": 3}, seconds=5)["branch"].values) == 2
    assert next_batches(given, {"branch": 5}) == {}
    assert next_batches(given, {"branch": 8}) == {}


def test_summary_by_hand():
    runs = pd.DataFrame(
        {
            "method": ["naive"] * 3 + ["branch"] * 3,
            "run": [0, 1, 2] * 2,
            "value": [0.5, 0.7, 0.9, 0.0, 0.0, 0.0],
            "node_count": [10, 20, 30, 5, 5, 5],
        }
    )
    aim = Reference(0.6, 0.0, 0.6, 0.6, True, True, "")
    found = summarise_runs(runs, aim, 100, ("naive", "branch", "stratified")).set_index("method")
    naive = found.loc["naive"]
    assert naive["mean"] == pytest.approx(0.7)
    assert naive["bias"] == pytest.approx(0.1)
    assert naive["standard_deviation"] == pytest.approx(0.2)
    assert naive["standard_error"] == pytest.approx(0.2 / math.sqrt(3))
    assert naive["node_count"] == 20
    # Runs that all give 0 have no spread; the binomial law at 0.6 has.
    assert found.loc["branch", "standard_error"] == pytest.approx(math.sqrt(0.24 / 300))
    assert found.loc["branch", "zeros"] == 3
    assert found.loc["stratified", "runs"] == 0
    assert np.isnan(found.loc["stratified", "mean"])


def test_error_of_an_estimated_aim_is_added_in_squares():
    runs = pd.DataFrame(
        {"method": "naive", "run": [0, 1], "value": [0.4, 0.6], "node_count": [1, 1]}
    )
    aim = Reference(0.5, 0.3, 0.0, 1.0, False, True, "")
    (error,) = summarise_runs(runs, aim, 100, ("naive",))["standard_error"]
    assert error == pytest.approx(math.sqrt(0.1**2 + 0.3**2))


@pytest.mark.parametrize(
    "wrong",
    [
        {"depth": 0}, {"depth": 21}, {"samples": 0}, {"samples": 2.5}, {"repeats": 10_001},
        {"seed": -1}, {"measure": "both"}, {"methods": ("guess",)}, {"terminal": "stop"},
        {"ill_formed": "drop"}, {"depth": True},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidArgumentError):
        settings(**wrong)


def test_settings_of_a_page_must_be_known():
    with pytest.raises(InvalidArgumentError, match="settings of runs"):
        RunSettings.from_page({"methods": [], "speed": 3})
    with pytest.raises(InvalidArgumentError, match="settings of runs"):
        RunSettings.from_page({"true_fen": START})


def test_a_fen_that_cannot_be_read_is_explained():
    with pytest.raises(InvalidFenError, match="predicted FEN cannot be read: there are 7 ranks"):
        reference(settings(predicted_fen="8/8/8/8/8/8/8 w - - 0 1"))


def test_counts_below_nought_are_refused():
    with pytest.raises(InvalidArgumentError, match="counts of runs"):
        next_batches(settings(), {"naive": -1})

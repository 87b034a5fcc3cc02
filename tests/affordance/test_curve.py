"""The survival curve against closed forms, and its errors against the spread of repeats."""

import math

import numpy as np
import pytest

from workbench.affordance.profile import decay_rate, fit_error, half_depth, survival_curve
from workbench.environments import HomogeneousTree, TableAutomaton
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError

TREE = HomogeneousTree(shared=4, predicted_only=1)
FORK = TableAutomaton(
    {
        "T": {"a": "T", "b": "wide", "c": "T"},
        "S": {"a": "S", "b": "other", "d": "S"},
        "wide": {"a": "T", "b": "T", "c": "wide"},
        "other": {"a": "S", "c": "other", "e": "S"},
    },
    initial="S",
)


def test_an_exponential_is_found_exactly():
    curve = survival_curve(TREE.initial, TREE.predicted, 5, automaton=TREE)
    assert curve.values == pytest.approx([0.8**m for m in range(1, 6)])
    assert curve.decay_rate.value == pytest.approx(-math.log(0.8))
    assert curve.fit_error == pytest.approx(0.0, abs=1e-12)
    assert curve.half_depth.value == pytest.approx(math.log(0.5) / math.log(0.8))
    assert curve.mean.value == pytest.approx(sum(0.8**m for m in range(1, 6)) / 5)
    assert curve.standard_errors == (0.0,) * 5
    assert curve.mean.standard_error == curve.decay_rate.standard_error == 0.0


def test_worked_by_hand():
    """-ln p = 0, ln 2: lambda = (1 * 0 + 2 ln 2) / (1 + 4); misfits -0.4 ln 2 and 0.2 ln 2."""
    assert decay_rate([1.0, 0.5]) == pytest.approx(0.4 * math.log(2))
    misfit = math.log(2) * math.sqrt(0.4**2 + 0.2**2)
    assert fit_error([1.0, 0.5]) == pytest.approx(misfit / math.sqrt(5))
    assert half_depth([0.25]) == pytest.approx(0.5)
    assert half_depth([1.0, 0.25]) == pytest.approx(1.5)
    assert half_depth([0.9, 0.0]) == 2.0


def test_what_is_not_reached_or_not_there_is_undefined():
    assert math.isnan(half_depth([0.9, 0.6]))
    assert math.isnan(half_depth([0.5]))
    assert math.isnan(decay_rate([0.0, 0.0]))
    assert math.isnan(fit_error([0.5]))
    curve = survival_curve(TREE.initial, TREE.predicted, 2, automaton=TREE)
    assert math.isnan(curve.half_depth.value)
    assert math.isnan(curve.half_depth.standard_error)


def test_depths_at_which_nothing_is_left_do_not_enter_the_rate():
    assert decay_rate([0.5, 0.0]) == pytest.approx(math.log(2))


# A table has no compiled twin: both engines would do the same.
@pytest.mark.parametrize("engine", ["reference"], indirect=True)
def test_the_errors_are_those_of_repeats():
    """Jackknife errors of single curves against the spread of 150 of them, to a fifth."""
    exact = survival_curve("S", "T", 4, automaton=FORK)
    curves = [
        survival_curve(
            "S", "T", 4, automaton=FORK, method="branch", samples=30, batches=16, seed=seed
        )
        for seed in range(150)
    ]
    for name in ("mean", "decay_rate", "half_depth"):
        values = np.array([getattr(curve, name).value for curve in curves])
        errors = np.array([getattr(curve, name).standard_error for curve in curves])
        assert np.mean(errors) == pytest.approx(np.std(values, ddof=1), rel=0.2)
        truth = getattr(exact, name).value
        # Ratios and logarithms of means are off by the order of the squared error.
        tolerance = 4 * np.std(values) / math.sqrt(len(values)) + np.var(values)
        assert abs(values.mean() - truth) < tolerance


def test_chess_precision_and_recall():
    true = ChessState.from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    bare = ChessState.from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w KQkq - 0 1")
    precision = survival_curve(true, bare, 2, automaton=ChessAutomaton())
    recall = survival_curve(bare, true, 2, automaton=ChessAutomaton())
    assert precision.values[0] == pytest.approx(20 / 21)
    assert recall.values[0] == 1.0


def test_one_batch_has_no_spread():
    with pytest.raises(InvalidArgumentError, match="2 batches"):
        survival_curve(TREE.initial, TREE.predicted, 2, automaton=TREE, method="branch", batches=1)

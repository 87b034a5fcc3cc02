"""`measure`: exact where it can be, else to the wanted error, and honest about which."""

import numpy as np
import pytest

from workbench.affordance import exact_profile
from workbench.affordance.adaptive import estimate_to_error, expected_joint_nodes, measure
from workbench.automaton import SINK
from workbench.environments import HomogeneousTree, TableAutomaton
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError

IRREGULAR = TableAutomaton(
    {
        "T": {"a": "T", "b": "U", "c": "U", "d": "T"},
        "U": {"a": "T", "b": "U", "e": "U"},
        "S": {"a": "S", "b": "V", "d": "S", "e": "S"},
        "V": {"a": "S", "b": "V", "c": "V"},
    },
    initial="S",
)


def test_the_size_of_the_joint_tree_is_estimated_without_bias():
    exact = exact_profile("S", "T", 5, automaton=IRREGULAR, engine="reference")
    above_the_last = exact_profile("S", "T", 4, automaton=IRREGULAR, engine="reference").node_count
    assert exact.node_count > above_the_last
    found = [
        expected_joint_nodes("S", "T", 5, automaton=IRREGULAR, seed=s, probes=20)
        for s in range(200)
    ]
    error = np.std(found, ddof=1) / len(found) ** 0.5
    assert abs(np.mean(found) - above_the_last) < 4 * error


def test_the_size_of_a_chess_tree_is_estimated_without_bias(engine):
    true = ChessState.from_fen("4k3/8/8/3p4/8/2N5/8/R3K3 w Q - 0 1")
    other = ChessState.from_fen("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1")
    chess = ChessAutomaton()
    above_the_last = exact_profile(true, other, 2, automaton=chess, engine="reference").node_count
    found = [
        expected_joint_nodes(true, other, 3, automaton=chess, seed=seed, probes=10)
        for seed in range(100)
    ]
    error = np.std(found, ddof=1) / len(found) ** 0.5
    assert error > 0
    assert abs(np.mean(found) - above_the_last) < 4 * error


def test_a_small_tree_is_walked():
    found = measure("S", "T", 4, automaton=IRREGULAR, seed=0)
    exact = exact_profile("S", "T", 4, automaton=IRREGULAR)
    assert found.how == "exact"
    assert found.precision.value == exact.precision[-1]
    assert found.recall.value == exact.recall[-1]
    assert found.precision.standard_error == 0.0
    assert "within the budget" in found.reason


def test_a_large_tree_is_estimated_to_the_wanted_error():
    """Above the last of 11 actions there are some 15,000 joint nodes, more than the budget."""
    exact = exact_profile("S", "T", 11, automaton=IRREGULAR)
    for seed in range(5):
        found = measure(
            "S", "T", 11, automaton=IRREGULAR, relative_error=0.03, budget=6_000, seed=seed
        )
        assert found.how == "estimated"
        for estimate, truth in (
            (found.precision, exact.precision[-1]),
            (found.recall, exact.recall[-1]),
        ):
            assert estimate.method == "stratified"
            assert estimate.standard_error <= 0.03 * estimate.value
            assert abs(estimate.value - truth) < 4.5 * 0.03 * truth


def test_a_budget_that_is_spent_is_said():
    found = measure("S", "T", 12, automaton=IRREGULAR, relative_error=1e-9, budget=5_000, seed=1)
    assert found.how == "budget"
    assert "stopped by the budget" in found.reason
    assert found.precision.standard_error > 0


def test_nothing_in_common_at_the_root_is_exactly_nought():
    tree = HomogeneousTree(0, 2, 2)
    found = measure(tree.initial, tree.predicted, 30, automaton=tree, seed=0)
    assert (found.how, found.precision.value, found.recall.value) == ("exact", 0.0, 0.0)


def test_the_sink_is_worth_nothing():
    found = measure("S", SINK, 40, automaton=IRREGULAR, seed=0)
    assert (found.how, found.precision.value, found.recall.value) == ("exact", 0.0, 0.0)


def test_chess_both_ways():
    true = ChessState.from_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4")
    other = ChessState.from_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB3NR w KQkq - 2 4")
    chess = ChessAutomaton()
    exact = exact_profile(true, other, 3, automaton=chess, engine="compiled")
    walked = measure(true, other, 3, automaton=chess, seed=0, engine="compiled")
    assert walked.how == "exact"
    sampled = measure(true, other, 3, automaton=chess, budget=400, seed=0, engine="compiled")
    assert sampled.how in ("estimated", "budget")
    assert sampled.recall.value == pytest.approx(exact.recall[-1], rel=0.05)


@pytest.mark.parametrize(
    "bad", [{"relative_error": 0.0}, {"budget": 0}, {"seed": -1}, {"depth": 0}]
)
def test_arguments_out_of_range_are_named(bad):
    arguments = {"depth": 2, "seed": 0} | bad
    depth = arguments.pop("depth")
    with pytest.raises(InvalidArgumentError, match="expected"):
        measure("S", "T", depth, automaton=IRREGULAR, **arguments)


def test_a_value_of_nought_on_a_small_tree_ends():
    """No line of two is shared, and each estimate costs two states: N must not grow for ever."""
    automaton = TableAutomaton(
        {"S": {"a": "one"}, "T": {"a": "two"}, "one": {"b": "S"}, "two": {"c": "T"}}, "S"
    )
    result, reached, spent = estimate_to_error(
        "S", "T", 2, automaton=automaton, relative_error=0.1, budget=100_000,
        seed_for=lambda samples: samples, terminal="absorb",
    )  # fmt: skip
    assert (result.value, reached) == (0.0, False)
    assert result.samples < 2 * 100_000
    assert spent < 100_000

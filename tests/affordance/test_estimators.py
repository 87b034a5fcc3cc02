"""One contract for every estimator, and what is known of each."""

import math

import numpy as np
import pytest

from workbench.affordance import ESTIMATORS, estimate, exact_profile, exact_set_overlap
from workbench.automaton import SINK
from workbench.environments import HomogeneousTree, TableAutomaton
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError

TREE = HomogeneousTree(shared=4, predicted_only=1, true_only=2)
ASYMMETRIC = TableAutomaton(
    {
        "T": {"a": "busy", "b": "quiet"},
        "S": {"a": "busy", "b": "lost", "c": "busy"},
        "busy": {"a": "busy", "b": "quiet", "c": "busy", "d": "busy"},
        "quiet": {"a": "quiet", "b": "end"},
        "lost": {"a": "quiet"},
        "end": {},
    },
    initial="S",
)


def irregular_automaton(seed=1, states=30, actions="abcdefgh"):
    """Every state permits one to six of eight actions, drawn once: no two branches are alike."""
    generator = np.random.default_rng(seed)
    rows = {}
    for state in range(states):
        chosen = generator.choice(list(actions), size=generator.integers(1, 7), replace=False)
        rows[state] = {str(a): int(generator.integers(states)) for a in chosen}
    rows[0] = {a: index + 1 for index, a in enumerate(actions)}
    rows[1] = {a: index + 11 for index, a in enumerate(actions)} | {"z": 5}
    return TableAutomaton(rows, initial=0)


IRREGULAR = irregular_automaton()
CHESS = ChessAutomaton()
WITH_KING = ChessState.from_fen(
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4"
)
WITHOUT_KING = ChessState.from_fen(
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB3NR w KQkq - 2 4"
)
PAIRS = {
    "tree": (TREE, TREE.initial, TREE.predicted, 4),
    "asymmetric": (ASYMMETRIC, "S", "T", 5),
    "irregular": (IRREGULAR, 0, 1, 3),
    "chess": (CHESS, WITHOUT_KING, WITH_KING, 3),
}
# Only chess has a compiled twin: on the others both engines would do the same.
ONE_ENGINE = pytest.mark.parametrize("engine", ["reference"], indirect=True)
PAIRS_AND_ENGINES = [(name, "reference") for name in PAIRS] + [("chess", "compiled")]
UNBIASED = [name for name, estimator in ESTIMATORS.items() if estimator.unbiased]


def case(name, engine):
    """A pair and its depth; python-chess is spared the 30,000 lines of three moves."""
    *pair, depth = PAIRS[name]
    return (*pair, 2 if (name, engine) == ("chess", "reference") else depth)


def mean_and_error(values):
    return np.mean(values), np.std(values, ddof=1) / math.sqrt(len(values))


@pytest.mark.slow
@pytest.mark.parametrize("terminal", ["absorb", "drop"])
@pytest.mark.parametrize(("pair", "engine"), PAIRS_AND_ENGINES, indirect=["engine"])
@pytest.mark.parametrize("method", UNBIASED)
def test_unbiased_estimators_stay_within_four_standard_errors(method, pair, engine, terminal):
    automaton, true, predicted, depth = PAIRS[pair]
    exact = exact_profile(true, predicted, depth, automaton=automaton, terminal=terminal)
    # On chess a short reply to check makes a few lines heavy: a small N would need 10,000 repeats.
    samples, repeats = (5, 400) if pair != "chess" else (150, 60 if engine == "compiled" else 30)
    values = [
        estimate(true, predicted, depth, automaton=automaton, method=method, samples=samples, batches=1, seed=seed, terminal=terminal).value
        for seed in range(repeats)
    ]  # fmt: skip
    mean, error = mean_and_error(values)
    # Where the branches of a node are alike, thinning that knows this costs nothing.
    assert error > 1e-6 or (pair in ("tree", "asymmetric") and method != "branch")
    assert abs(mean - exact.precision[-1]) < 4 * error + 1e-12


def test_the_bias_of_the_naive_algorithm_shows_on_an_asymmetric_tree():
    """It converges to the set precision, which differs from p_m by far more than the error."""
    automaton, true, predicted, depth = PAIRS["asymmetric"]
    branch = exact_profile(true, predicted, depth, automaton=automaton).precision[-1]
    sequences = exact_set_overlap(true, predicted, depth, automaton=automaton).precision
    values = [
        estimate(true, predicted, depth, automaton=automaton, method="naive", samples=60, batches=1, seed=s)
        .value
        for s in range(300)
    ]  # fmt: skip
    mean, error = mean_and_error(values)
    assert abs(mean - sequences) < 4 * error
    assert mean - branch > 20 * error
    assert (sequences, branch) == (pytest.approx(0.993, abs=1e-3), 0.75)


def test_the_naive_algorithm_without_thinning_is_the_set_precision(engine):
    for automaton, true, predicted, depth in (case(name, engine) for name in PAIRS):
        exact = exact_set_overlap(true, predicted, depth, automaton=automaton).precision
        found = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            method="naive",
            samples=10**6,
            batches=1,
            seed=0,
        )
        assert found.value == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("method", ["intermediate", "intermediate-mass", "intermediate-resampled"])
def test_the_second_algorithm_without_thinning_is_exact(method, engine):
    for automaton, true, predicted, depth in (case(name, engine) for name in PAIRS):
        exact = exact_profile(true, predicted, depth, automaton=automaton).precision[-1]
        found = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            method=method,
            samples=10**6,
            batches=2,
            seed=0,
        )
        assert found.value == pytest.approx(exact, abs=1e-12)
        assert found.standard_error == pytest.approx(0.0, abs=1e-12)


def test_the_two_readings_of_rescaled_differ():
    automaton, true, predicted, depth = PAIRS["asymmetric"]
    one, other = (
        estimate(
            true, predicted, depth, automaton=automaton, method=m, samples=5, batches=1, seed=7
        ).value
        for m in ("intermediate", "intermediate-mass")
    )
    assert one != other


@pytest.mark.parametrize("method", ESTIMATORS)
class TestContract:
    def test_the_same_seed_gives_the_same_estimate(self, method):
        automaton, true, predicted, depth = PAIRS["irregular"]
        first, second, other = (
            estimate(
                true, predicted, depth, automaton=automaton, method=method, samples=9, seed=seed
            )
            for seed in (3, 3, 4)
        )
        assert first == second
        assert (first.value, first.standard_error) != (other.value, other.standard_error)

    def test_says_what_it_did(self, method):
        automaton, true, predicted, depth = PAIRS["irregular"]
        found = estimate(
            true, predicted, depth, automaton=automaton, method=method, samples=10, seed=1
        )
        assert (found.method, found.samples, found.batches) == (method, 10, 32)
        assert (found.depth, found.seed, found.terminal) == (depth, 1, "absorb")
        assert found.node_count > 0
        assert found.standard_error > 0

    def test_one_batch_has_a_standard_error_only_where_one_run_shows_it(self, method):
        automaton, true, predicted, depth = PAIRS["tree"]
        found = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            method=method,
            samples=10,
            batches=1,
            seed=1,
        )
        assert math.isnan(found.standard_error) == (not ESTIMATORS[method].binomial)

    def test_a_state_with_itself_is_one_under_absorb(self, method, engine):
        for automaton, true, _, depth in (case(name, engine) for name in PAIRS):
            if automaton is CHESS:
                true = ChessState.from_fen(
                    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
                )
            # More lines than there are to this depth: no estimator has to leave one out.
            samples = 50 if ESTIMATORS[method].binomial else 1000
            found = estimate(
                true, true, min(depth, 2), automaton=automaton, method=method, samples=samples,
                batches=1, seed=1,
            )  # fmt: skip
            assert found.value == pytest.approx(1.0, abs=1e-12)

    def test_states_with_nothing_in_common_are_nought(self, method):
        tree = HomogeneousTree(shared=0, predicted_only=3, true_only=3)
        found = estimate(
            tree.initial, tree.predicted, 3, automaton=tree, method=method, samples=5, seed=1
        )
        assert found.value == 0.0

    @pytest.mark.parametrize(("terminal", "expected"), [("absorb", 1.0), ("drop", 0.0)])
    def test_a_finished_root(self, method, terminal, expected):
        found = estimate(
            "end",
            "end",
            2,
            automaton=ASYMMETRIC,
            method=method,
            samples=5,
            seed=1,
            terminal=terminal,
        )
        assert found.value == expected

    def test_the_sink_is_worth_nothing(self, method):
        for true, predicted in ((SINK, "S"), ("S", SINK)):
            found = estimate(true, predicted, 2, automaton=ASYMMETRIC, method=method, seed=1)
            assert (found.value, found.standard_error) == (0.0, 0.0)

    @pytest.mark.parametrize("bad", [{"samples": 0}, {"batches": 0}, {"seed": -1}])
    def test_arguments_out_of_range_are_named(self, method, bad):
        arguments = {"samples": 5, "batches": 1, "seed": 0} | bad
        with pytest.raises(InvalidArgumentError, match=next(iter(bad))):
            estimate("S", "T", 2, automaton=ASYMMETRIC, method=method, **arguments)


def test_an_unknown_method_is_named():
    with pytest.raises(InvalidArgumentError, match="'guess'"):
        estimate("S", "T", 2, automaton=ASYMMETRIC, method="guess", seed=0)


def test_precision_and_recall_swap_the_roles_of_the_states():
    exact = exact_profile(TREE.initial, TREE.predicted, 3, automaton=TREE)
    recall = estimate(
        TREE.predicted,
        TREE.initial,
        3,
        automaton=TREE,
        method="intermediate",
        samples=10**6,
        batches=1,
        seed=0,
    )
    assert recall.value == pytest.approx(exact.recall[-1])


class TestIntervals:
    @pytest.mark.slow
    @ONE_ENGINE
    @pytest.mark.parametrize("method", UNBIASED)
    def test_ninety_five_percent_hold_the_exact_value(self, method):
        """600 intervals: the share that hold it within 4 standard errors, 0.036, of 0.95.

        So many that intervals of 90%, or without what thinning adds to their spread, fail.
        """
        automaton, true, predicted, depth = PAIRS["irregular"]
        exact = exact_profile(true, predicted, depth, automaton=automaton).precision[-1]
        held = 0
        for seed in range(600):
            low, high = estimate(
                true, predicted, depth, automaton=automaton, method=method, samples=6, seed=seed
            ).interval()
            held += low <= exact <= high
        assert abs(held / 600 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 600)

    def test_independent_draws_have_the_mid_p_interval(self):
        """None of 40 accepted: half of (1 - p)^40 is the tail, so p ends at 1 - 0.05^(1/40)."""
        found = estimate(TREE.initial, TREE.predicted, 1, automaton=TREE, method="branch", seed=0)
        made = type(found)(0.0, 0.0, "branch", 20, 2, 1, "absorb", 0, 99)
        assert made.interval() == pytest.approx((0.0, 1 - 0.05 ** (1 / 40)))

    def test_one_run_of_the_others_has_none(self):
        automaton, true, predicted, depth = PAIRS["irregular"]
        found = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            method="stratified",
            samples=9,
            batches=1,
            seed=0,
        )
        assert all(math.isnan(end) for end in found.interval())

    def test_a_level_out_of_range_is_named(self):
        found = estimate(TREE.initial, TREE.predicted, 1, automaton=TREE, seed=0)
        with pytest.raises(InvalidArgumentError, match="level"):
            found.interval(1.0)

import math
import random
from itertools import product

import chess
import numpy as np
import pytest
from kernel_boards import change_fen, played

from workbench.affordance import ESTIMATORS
from workbench.affordance.estimators.contract import Pair
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.errors import InvalidArgumentError

# A seeded estimator gives the same z each time; 4.5 leaves room for the number of tests.
LARGEST_Z = 4.5
RUNS = 400


def pairs():
    rng = random.Random(50)
    for plies in (10, 30, 60, 120):
        board = played(rng, plies)
        for changes in (1, 3):
            yield change_fen(rng, board, changes), board.fen()
    # Promotions by pushing and by taking, of either side.
    yield "1n3b2/PPP2k2/8/8/8/8/4Kppp/5B1N w - - 0 1", "1n3b2/PPP2k2/8/8/8/8/4Kp1p/5B1N w - - 0 1"
    yield "1n3b2/PPP2k2/8/8/8/8/4Kppp/5B1N b - - 0 1", "1n3b2/1PP2k2/8/8/8/8/4Kppp/5B1N b - - 0 1"
    # Lines that end in mate or stalemate soon.
    yield "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1", "k7/2Q5/8/2K5/8/8/8/8 w - - 0 1"
    yield "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "6k1/5ppp/8/8/8/8/5PPP/3RR1K1 w - - 0 1"


def values(name, true, predicted, depth, samples, terminal, first_seed=0):
    return kernel.run_estimators(
        *repeated(true, predicted),
        depth,
        method=name,
        samples=samples,
        seeds=range(first_seed, first_seed + RUNS),
        terminal=terminal,
    ).value


def repeated(*fens):
    return [np.repeat(kernel.pack_fens([fen]), RUNS, axis=0) for fen in fens]


def test_every_compiled_estimator_is_registered():
    methods = kernel.compiled_methods()
    assert set(methods) <= set(ESTIMATORS)
    assert len(set(methods.values())) == len(methods)


@pytest.mark.parametrize("terminal", ["absorb", "drop"])
@pytest.mark.parametrize("name", ["branch", "intermediate", "intermediate-resampled", "stratified"])
def test_unbiased_estimators_agree_with_the_exact_value(name, terminal):
    depth = 3
    for index, (predicted, true) in enumerate(pairs()):
        exact = kernel.joint_profiles(
            kernel.pack_fens([true]), kernel.pack_fens([predicted]), depth, terminal
        ).precision[0, -1]
        found = values(name, true, predicted, depth, 20, terminal, 1_000 * index)
        error = found.std(ddof=1) / math.sqrt(RUNS)
        assert abs(found.mean() - exact) <= LARGEST_Z * error + 1e-9, (true, predicted)


@pytest.mark.slow
@pytest.mark.parametrize("terminal", ["absorb", "drop"])
@pytest.mark.parametrize(
    "name", ["naive", "intermediate", "intermediate-mass", "intermediate-resampled"]
)
def test_mean_and_spread_are_those_of_the_reference(name, terminal):
    # Few samples and sparse boards: the biased estimators show their bias, and the reference,
    # which python-chess slows down, is run often enough.
    predicted, true = "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1", "k7/2Q5/8/2K5/8/8/8/8 w - - 0 1"
    states = ChessState.from_fen(true), ChessState.from_fen(predicted)
    pair = Pair(*states, 3, ChessAutomaton(), terminal == "absorb")
    runs = 150
    expected = [ESTIMATORS[name].run(pair, 8, np.random.default_rng(seed)) for seed in range(runs)]
    found = kernel.run_estimators(
        *repeated(true, predicted),
        3,
        method=name,
        samples=8,
        seeds=range(RUNS),
        terminal=terminal,
    )
    for of_kernel, of_reference in (
        (found.value, [run.value for run in expected]),
        (found.node_count, [run.node_count for run in expected]),
    ):
        a, b = np.asarray(of_kernel, dtype=float), np.asarray(of_reference, dtype=float)
        for x, y in ((a, b), ((a - a.mean()) ** 2, (b - b.mean()) ** 2)):
            error = math.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
            assert abs(x.mean() - y.mean()) <= LARGEST_Z * error + 1e-9


def test_equal_boards_agree_with_certainty():
    start = kernel.pack_fens([chess.STARTING_FEN])
    for name in kernel.compiled_methods():
        run = kernel.run_estimators(start, start, 3, method=name, samples=30, seeds=[1])
        # Uniform thinning reweighs the lines that it keeps: Algorithm 2 as printed scatters.
        assert run.value[0] == pytest.approx(1, abs=0.3 if name == "intermediate" else 1e-12)


def test_without_thinning_the_intermediate_algorithm_is_exact():
    predicted, true = "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1", "k7/2Q5/8/2K5/8/8/8/8 w - - 0 1"
    names = ("intermediate", "intermediate-mass", "intermediate-resampled")
    for terminal, name in product(("absorb", "drop"), names):
        exact = kernel.joint_profiles(
            kernel.pack_fens([true]), kernel.pack_fens([predicted]), 3, terminal
        ).precision[0, -1]
        found = kernel.run_estimators(
            *(kernel.pack_fens([fen]) for fen in (true, predicted)),
            3,
            method=name,
            samples=100_000,
            seeds=[1],
            terminal=terminal,
        )
        assert found.value[0] == pytest.approx(exact, abs=1e-12)


def test_stratified_scatters_far_less_than_the_printed_algorithm():
    true = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    predicted = true.replace("3PN3", "3P4")
    spread = {
        name: values(name, true, predicted, 3, 500, "absorb").std()
        for name in ("intermediate", "intermediate-resampled", "stratified")
    }
    assert 0 < spread["stratified"] < spread["intermediate"] / 5
    assert 0 < spread["intermediate-resampled"] < spread["intermediate"]


def test_a_seed_decides_everything():
    many = list(pairs()) * 3
    predicted, true = (kernel.pack_fens(fens) for fens in zip(*many, strict=True))
    work = {"depth": 4, "samples": 50}
    seeds = np.arange(len(many), dtype=np.uint64) + np.uint64(2**63)
    for name in kernel.compiled_methods():
        steps = []
        one, two = (
            kernel.run_estimators(
                true,
                predicted,
                **work,
                method=name,
                seeds=seeds,
                workers=workers,
                progress=steps.append,
            )
            for workers in (1, 3)
        )
        assert np.array_equal(one.value, two.value)
        assert np.array_equal(one.node_count, two.node_count)
        assert sum(steps) == 2 * len(many)
        single = kernel.run_estimators(
            *(kernel.pack_fens([fen]) for fen in reversed(many[4])),
            **work,
            method=name,
            seeds=seeds[4:5],
        )
        assert single.value[0] == one.value[4]
        other = kernel.run_estimators(
            true, predicted, **work, method=name, seeds=seeds + np.uint64(1)
        )
        assert not np.array_equal(one.value, other.value)


def test_arguments_out_of_range_are_refused():
    start = kernel.pack_fens([chess.STARTING_FEN])
    with pytest.raises(InvalidArgumentError, match="estimator"):
        kernel.run_estimators(start, start, 1, method="exact", samples=1, seeds=[1])
    with pytest.raises(InvalidArgumentError, match="samples"):
        kernel.run_estimators(start, start, 1, method="branch", samples=0, seeds=[1])
    for seeds in ([], [1, 2], [-1], [2**64]):
        with pytest.raises(InvalidArgumentError, match="1 seeds"):
            kernel.run_estimators(start, start, 1, method="branch", samples=1, seeds=seeds)

"""Pairs of chess boards for the comparison of estimators, and independent runs beside the exact value."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.affordance import ESTIMATORS, Estimate
from workbench.affordance.estimate import BATCHES, mean_and_error, single_runs, skewness
from workbench.automaton import CompiledTwin, Terminal
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.games import Cut, cut_games, random_games
from workbench.games.synthetic_boards import CHANGES, Change, changed_board
from workbench.seeds import derived_seed

NEAR_MOVES: Final = (5, 11, 18, 24, 31, 37, 44, 50)
"""Full moves played before each near pair."""

FAR_MOVES: Final = (5, 16, 27, 38, 50)
"""Full moves played before each far pair: the paper's groups."""

# After 50 random moves one far pair in some hundreds is above the floor: 40 boards make 1,560.
POOL: Final = 40
_AT_ONCE: Final = 40
_NEAR_DEPTH: Final = 4
_SOONER: Final = 4
# Two games of one opening may still be alike after five moves.
_FAR_CEILING: Final = 0.1


@dataclass(frozen=True, slots=True)
class ComparisonPair:
    """Two boards, their origin and their difference.

    Attributes:
        kind: ``near`` or ``far``.
        difference: How the boards differ, in words.
        full_moves: Moves of each side played before the boards were taken.
        true_fen: The board S.
        predicted_fen: The board T.
        boards: Among how many boards the pair was found; fewer than 40 where games are few.
    """

    kind: Literal["near", "far"]
    difference: str
    full_moves: int
    true_fen: str
    predicted_fen: str
    boards: int = POOL


def pairs(
    *,
    games: Iterable[str] = (),
    far_depth: int = 6,
    far_floor: float = 1e-5,
    terminal: Terminal = "absorb",
    seed: int = 0,
) -> list[ComparisonPair]:
    """Return eight near pairs and five far ones, or those that the games allow.

    Near: one piece removed, moved, recoloured and so on, so that the board stays one that may arise
    and 0 < p_4 < 1. Far: two boards of two games. Where there are too few games for 40 boards of
    each length from games of their own, a game serves for several lengths.

    Args:
        games: PGN files; games of random legal moves where there are none.
        far_depth: The m at which far pairs are chosen, at least 1.
        far_floor: p_m of a far pair is above this, so that relative errors mean something; at least
            0, below 0.1, above which boards are too much alike.
        terminal: How finished games count in that p_m.
        seed: Seed of the games, the choice among them and the changes, at least 0.
    """
    if not 0 <= far_floor < _FAR_CEILING:
        raise InvalidArgumentError(
            f"expected far_floor in [0, {_FAR_CEILING}), got {far_floor!r}; above that two boards "
            "are not far apart"
        )
    boards = _boards([Path(name) for name in games], seed)
    near = [
        _near_pair(boards[moves], moves, name, change, terminal, derived_seed(seed, "near", name))
        for moves, (name, change) in zip(NEAR_MOVES, CHANGES.items(), strict=True)
    ]
    far = [
        _far_pair(
            boards[moves], moves, far_depth, far_floor, terminal, derived_seed(seed, "far", moves)
        )
        for moves in FAR_MOVES
    ]
    every = [pair for pair in near + far if pair is not None]
    if not every:
        counts = ", ".join(f"{moves}: {len(fens)}" for moves, fens in boards.items())
        raise InvalidArgumentError(
            f"expected boards for at least one pair, found none that fit; boards by full moves "
            f"played: {counts}; give more games, another seed or a lower far_floor"
        )
    return every


def missing_pairs(near: Collection[int], far: Collection[int]) -> str:
    """Return in words which pairs were not found; empty if all were."""
    words = []
    for kind, all_moves, present in (("near", NEAR_MOVES, near), ("far", FAR_MOVES, far)):
        if missing := [str(moves) for moves in all_moves if moves not in present]:
            words.append(f"no {kind} pair found after {', '.join(missing)} full moves")
    return "; ".join(words)


def exact_precisions(
    true: Sequence[str],
    predicted: Sequence[str],
    depth: int,
    terminal: Terminal,
    *,
    workers: int | None,
) -> NDArray[np.float64]:
    """Return the exact p_m of many pairs of boards."""
    chess = environment_named("chess")
    twin = compiled_twin()
    one, other = (
        twin.packed([chess.read_state(fen) for fen in side]) for side in (true, predicted)
    )
    return twin.profiles(one, other, depth, terminal, workers=workers)[0]


def compiled_twin() -> CompiledTwin[Any]:
    """Return the compiled twin of chess, which walks its boards."""
    twin = environment_named("chess").automaton.compiled_twin()
    assert twin is not None
    return twin


def _boards(games: Sequence[Path], seed: int) -> dict[int, list[str]]:
    groups = sorted({*NEAR_MOVES, *FAR_MOVES})
    played: Any = games or list(random_games(POOL * len(groups), 2 * max(groups) + 1, seed))

    def cut(*lengths: int) -> Cut:
        return cut_games(played, groups=lengths, per_group=POOL, seed=seed, allow_unfilled=True)

    apart = cut(*groups)
    boards = {}
    for group in groups:
        positions = apart.positions[apart.positions["group"] == group]
        if min(apart.summary.taken.values()) < POOL:
            positions = cut(group).positions
        boards[group] = positions["true_state"].tolist()
    return boards


def _near_pair(
    fens: Sequence[str], moves: int, name: str, change: Change, terminal: Terminal, seed: int
) -> ComparisonPair | None:
    generator = np.random.default_rng(seed)
    for fen in fens:
        changed = changed_board(fen, change, generator)
        if changed is None:
            continue
        difference, predicted = changed
        if 0 < exact_precisions([fen], [predicted], _NEAR_DEPTH, terminal, workers=1)[0, -1] < 1:
            return ComparisonPair("near", difference, moves, fen, predicted, len(fens))
    return None


def _far_pair(
    fens: Sequence[str], moves: int, depth: int, floor: float, terminal: Terminal, seed: int
) -> ComparisonPair | None:
    if len(fens) < 2:
        return None
    order = np.array([(i, j) for i in range(len(fens)) for j in range(len(fens)) if i != j])
    np.random.default_rng(seed).shuffle(order)
    for start in range(0, len(order), _AT_ONCE):
        part = order[start : start + _AT_ONCE]
        # Most of them fall below the floor long before m, and their trees are never walked.
        for sooner in (min(_SOONER, depth), depth):
            true, predicted = ([fens[index] for index in side] for side in part.T)
            precisions = exact_precisions(true, predicted, sooner, terminal, workers=1)[:, -1]
            part = part[(precisions > floor) & (precisions < _FAR_CEILING)]
        if len(part):
            one, other = (fens[index] for index in part[0])
            return ComparisonPair("far", "boards of two games", moves, one, other, len(fens))
    return None


Values: TypeAlias = NDArray[np.float64]

LARGEST_Z: Final = 4.0
"""Standard errors from the exact value within which a mean agrees with it."""

ROUNDING: Final = 1e-9
"""Sums in another order differ by less than this, relative, where nothing is random."""

_TIMED: Final = 50


def timed_runs(
    method: str,
    pair: ComparisonPair,
    depth: int,
    samples: int,
    seeds: Sequence[int],
    terminal: Terminal,
    workers: int | None,
) -> tuple[Values, float, float]:
    """Return the values of single runs, their mean node count, and milliseconds per run on a core."""
    chess = environment_named("chess")
    predicted, true = (chess.read_state(fen) for fen in (pair.predicted_fen, pair.true_fen))
    twin = compiled_twin()
    if method not in twin.methods:
        start = time.perf_counter()
        singles = single_runs(
            true, predicted, depth, automaton=chess.automaton, method=method, samples=samples,
            seeds=seeds, terminal=terminal,
        )  # fmt: skip
        elapsed = time.perf_counter() - start
        nodes = float(np.mean([run.node_count for run in singles]))
        return np.array([run.value for run in singles]), nodes, 1000 * elapsed / len(seeds)
    runs = []
    sides = [twin.packed([state]) for state in (true, predicted)]
    milliseconds = np.nan
    for part, threads in ((slice(_TIMED), 1), (slice(_TIMED, None), workers)):
        if not seeds[part]:
            continue
        start = time.perf_counter()
        one, other = (np.repeat(side, len(seeds[part]), axis=0) for side in sides)
        runs.append(
            twin.estimates(
                one, other, depth, method=method, samples=samples, seeds=seeds[part],
                terminal=terminal, workers=threads,
            )
        )  # fmt: skip
        if part.start is None:
            milliseconds = 1000 * (time.perf_counter() - start) / len(seeds[part])
    estimates, counts = map(np.concatenate, zip(*runs, strict=True))
    return estimates, float(np.mean(counts)), milliseconds


def run_statistics(values: Values, exact: float, method: str, samples: int) -> dict[str, Any]:
    """Return how independent runs of an estimator compare with the exact value.

    Returns:
        The columns exact to largest, and intervals and covered, of `compute`.
    """
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    draws = samples * len(values)
    error = float(
        np.sqrt(exact * (1 - exact) / draws)
        if ESTIMATORS[method].binomial
        else spread / np.sqrt(len(values))
    )
    off = mean - exact
    certain = error <= ROUNDING * exact
    same = abs(off) <= ROUNDING * exact
    z = (np.nan if same else np.copysign(np.inf, off)) if certain else off / error
    covered = interval_covers(values, exact, method, samples)
    relative = {"bias": off, "standard_error": error, "deviation": spread}
    return {
        **{"exact": exact, "mean": mean, "z": z, "agrees": same or abs(z) < LARGEST_Z},
        **{name: value / exact for name, value in relative.items()},
        "largest": float(values.max()) / mean if mean else np.nan,
        **{"intervals": len(covered), "covered": int(covered.sum())},
    }


def interval_covers(
    values: Values, exact: float, method: str, samples: int, level: float = 0.95
) -> NDArray[np.bool_]:
    """Return which confidence intervals hold the exact value; each is made of `BATCHES` runs.

    As `workbench.affordance.Estimate` gives them. Runs that fill no whole interval are not used.
    """
    batches = values[: len(values) // BATCHES * BATCHES].reshape(-1, BATCHES)
    # Of an estimate's other numbers the interval only asks that states were generated.
    estimates = [
        Estimate(
            *mean_and_error(row, method, samples), method, samples, BATCHES,
            depth=1, terminal="absorb", seed=0, node_count=1, skewness=skewness(row),
        )
        for row in batches.tolist()
    ]  # fmt: skip
    ends = np.array([each.interval(level) for each in estimates]).reshape(-1, 2)
    rounding = ROUNDING * exact
    return np.asarray((ends[:, 0] - rounding <= exact) & (exact <= ends[:, 1] + rounding))

"""The N at which an estimator reaches a target relative error, on trees of known p and on chess boards."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workbench.affordance.estimate import single_runs
from workbench.automaton import Automaton, Terminal
from workbench.environments import HomogeneousTree
from workbench.environments.registry import environment_named
from workbench.environments.synthetic_automata import RandomTree
from workbench.errors import InvalidArgumentError
from workbench.games.synthetic_boards import near_board, random_board
from workbench.seeds import derived_seed

METHODS: Final = ("naive", "branch", "intermediate", "intermediate-resampled", "stratified")
WEIGHTED: Final = METHODS[2:]
HOMOGENEOUS: Final = "homogeneous tree"
RANDOM: Final = "random tree"
NEAR: Final = "chess, near"
FAR: Final = "chess, far"


@dataclass(frozen=True, slots=True)
class Setting:
    """One pair of states and what is measured on it.

    Of a tree ``chance`` is p and ``children`` the actions of every node of the predicted tree; of
    chess they are NaN and 0. ``instance`` counts like pairs from 0; ``precision`` is p_m in closed
    form, if there is one.
    """

    name: str
    chance: float
    children: int
    instance: int
    automaton: Automaton[Any, Any]
    true: Any
    predicted: Any
    precision: Callable[[int], float] | None
    methods: tuple[str, ...]
    depths: tuple[int, ...]

    def runs(
        self, method: str, depth: int, samples: int, seeds: Sequence[int], terminal: Terminal
    ) -> tuple[NDArray[np.float64], float]:
        """Return the values of single runs of an estimator, and their mean count of states."""
        runs = single_runs(
            self.true, self.predicted, depth, automaton=self.automaton, method=method,
            samples=samples, seeds=seeds, terminal=terminal,
        )  # fmt: skip
        nodes = float(np.mean([run.node_count for run in runs]))
        return np.array([run.value for run in runs]), nodes


def tree_settings(
    chances: Sequence[float], children: int, trees: int, depths: Sequence[int], seed: int
) -> list[Setting]:
    """Return for each p one homogeneous tree and several random ones.

    The random trees are measured with the estimators that walk the joint tree alone: for the other
    two nothing but p_m matters, or they are known from the homogeneous tree.
    """
    settings = []
    for chance in chances:
        least = next((n for n in range(2, 101) if abs(chance * n - round(chance * n)) < 1e-9), 0)
        if not 0 < chance < 1 or not least:
            raise InvalidArgumentError(
                f"expected each p between 0 and 1 and a fraction of at most 100, got {chance!r}"
            )
        total = least * math.ceil(children / least)
        shared = round(chance * total)
        tree = HomogeneousTree(shared, total - shared)
        settings.append(
            Setting(
                HOMOGENEOUS, chance, total, 0, tree, tree.initial, tree.predicted,
                tree.precision, METHODS, tuple(depths),
            )
        )  # fmt: skip
        for instance in range(trees):
            random = RandomTree(children, chance, derived_seed(seed, RANDOM, chance, instance))
            settings.append(
                Setting(
                    RANDOM, chance, children, instance, random, random.initial, random.predicted,
                    None, WEIGHTED, tuple(depths),
                )
            )  # fmt: skip
    return settings


def chess_settings(pairs: int, plies: int, depths: Sequence[int], seed: int) -> list[Setting]:
    """Return near and far pairs of chess boards, reached by random moves."""
    chess = environment_named("chess")
    settings = []
    for name in (NEAR, FAR):
        for instance in range(pairs):
            true = random_board(plies, derived_seed(seed, "S", instance))
            one = derived_seed(seed, "T", instance)
            predicted = near_board(true, one) if name == NEAR else random_board(plies, one)
            settings.append(
                Setting(
                    name, math.nan, 0, instance, chess.automaton, chess.read_state(true),
                    chess.read_state(predicted), None, METHODS, tuple(depths),
                )
            )  # fmt: skip
    return settings


FOUND: Final = "found"
AT_MOST: Final = "at most"
MORE_THAN: Final = "more than"
NOT_TRIED: Final = "not tried"


@dataclass(frozen=True, slots=True)
class SampleSize:
    """N where the status is ``found``, else its bound, and the states that one run generates with it.

    ``at most``: the smallest N is enough; ``more than``: the largest N that was tried is not.
    """

    status: str
    samples: float
    nodes: float


def search(
    measure: Callable[[int], tuple[float, float]],
    target: float,
    *,
    start: float,
    cap: int,
    allowed: float,
    confirmed: int = 0,
) -> SampleSize:
    """Find the N at which the error falls to the one wanted, on the grid 1, 2, 4, ...

    Between the last N of the grid with a larger error and the first without, N and the states
    generated are interpolated, both axes logarithmic.
    """
    grid = [2**power for power in range(cap.bit_length())]
    errors: dict[int, tuple[float, float]] = {}

    def too_large(place: int) -> bool:
        if place not in errors:
            errors[place] = measure(grid[place])
        return errors[place][0] > target

    def out_of_reach(place: int) -> bool:
        return place == len(grid) or (
            place not in errors and place - 1 in errors and 2 * errors[place - 1][1] > allowed
        )

    place = min(max(round(math.log2(max(start, 1.0))), 0), len(grid) - 1)
    while True:
        following = place
        while following <= place + confirmed and not out_of_reach(following):
            if too_large(following):
                break
            following += 1
        else:
            if place == 0:
                return SampleSize(AT_MOST, grid[0], errors[0][1])
            if too_large(place - 1):
                return _between(grid[place], errors[place - 1], errors[place], target)
            place -= 1
            continue
        place = following + 1
        if out_of_reach(place):
            return SampleSize(MORE_THAN, grid[following], errors[following][1])


def _between(
    upper: int, above: tuple[float, float], below: tuple[float, float], target: float
) -> SampleSize:
    """Interpolate between the grid points upper / 2 and upper, with errors above and below."""
    (large, few), (small, many) = above, below
    share = 1.0
    if small > 0 and math.isfinite(large):
        share = math.log(large / target) / math.log(large / small)
    return SampleSize(FOUND, upper / 2 * 2**share, few * (many / few) ** share)


def derived_samples(
    setting: str,
    method: str,
    depth: int,
    target: float,
    *,
    chance: float,
    children: int,
    precision: float,
) -> float:
    """Return N by the formulas for each kind of tree; NaN where none holds, 0 if any N does."""
    if method == "branch" and precision > 0:
        return (1 - precision) / (precision * target**2)
    if setting == HOMOGENEOUS and method == "naive":
        low, high = 1.0, float(children) ** depth
        for _ in range(100):
            middle = math.sqrt(low * high)
            enough = naive_variance(middle, depth, chance, children) <= target**2
            low, high = (low, middle) if enough else (middle, high)
        return high
    if setting == HOMOGENEOUS and method in WEIGHTED:
        return 0.0
    if setting == RANDOM and method in WEIGHTED[:2] and chance * children > 1:
        rate = (1 - chance) / (chance * children * target**2)
        low, high = 0.0, max(rate * depth, 1.0)
        for _ in range(60):
            middle = (low + high) / 2
            enumerated = 1 + max(math.log(middle), 0.0) / math.log(chance * children)
            low, high = (middle, high) if rate * (depth - enumerated) > middle else (low, middle)
        return high if depth > 1 else 0.0
    return math.nan


def naive_variance(samples: float, depth: int, chance: float, children: int) -> float:
    """Return the squared relative error of Algorithm 1 on a homogeneous tree, exactly.

    Of two distinct lines kept at one level, drawn evenly from the b n children of the n lines
    above, (b - 1) / (b n - 1) share their parent: two different children of it are both accepted
    with chance p (p b - 1) / (b - 1). The lines above are distinct otherwise. The sum over the
    level at which two of the N lines at the end part, and over pairs of a line with itself, is the
    mean square.

    Args:
        samples: N, at least 1.
        depth: m, at least 1.
        chance: p, in (0, 1].
        children: b, at least 2.
    """
    lines = min(samples, float(children) ** depth)
    both = chance * (chance * children - 1) / (children - 1)
    square, apart = chance**-depth / lines, 1 - 1 / lines
    for level in reversed(range(depth)):
        above = min(samples, float(children) ** level)
        meeting = (children - 1) / (children * above - 1)
        square += apart * meeting * both * chance ** (-level - 2)
        apart *= 1 - meeting
    return max(square - 1, 0.0)

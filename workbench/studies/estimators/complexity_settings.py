"""The pairs of states on which sample complexity is measured: trees of known p, and chess boards."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.automaton import Automaton
from workbench.environments import HomogeneousTree
from workbench.environments.registry import environment_named
from workbench.environments.trees import RandomTree
from workbench.errors import InvalidArgumentError
from workbench.games.boards.mistaken_boards import near_board
from workbench.games.boards.random_boards import random_board
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

    Attributes:
        name: One of the four kinds named above.
        chance: p of a tree; NaN for chess.
        children: Actions of every node of the predicted tree; 0 for chess.
        instance: Which of several like pairs, from 0.
        automaton: The environment of both states.
        true: The state S.
        predicted: The state T.
        precision: p_m in closed form, or None where there is none.
        methods: Names in `workbench.affordance.ESTIMATORS`.
        depths: The values of m, ascending.
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


def tree_settings(
    chances: Sequence[float], children: int, trees: int, depths: Sequence[int], seed: int
) -> list[Setting]:
    """Return for each p one homogeneous tree and several random ones.

    The random trees are measured with the estimators that walk the joint tree alone: for the other
    two nothing but p_m matters, or they are known from the homogeneous tree.

    Args:
        chances: The values of p, each a fraction of at most 100 children.
        children: Actions at each node of a random tree; of the homogeneous one, the next number of
            which p is a fraction.
        trees: Random trees of each p, at least 1.
        depths: The values of m, ascending.
        seed: Seed of the random trees.

    Raises:
        InvalidArgumentError: If a chance is not such a fraction, or not between 0 and 1.
    """
    found = []
    for chance in chances:
        least = next((n for n in range(2, 101) if abs(chance * n - round(chance * n)) < 1e-9), 0)
        if not 0 < chance < 1 or not least:
            raise InvalidArgumentError(
                f"expected each p between 0 and 1 and a fraction of at most 100, got {chance!r}"
            )
        total = least * math.ceil(children / least)
        shared = round(chance * total)
        tree = HomogeneousTree(shared, total - shared)
        found.append(
            Setting(
                HOMOGENEOUS, chance, total, 0, tree, tree.initial, tree.predicted,
                tree.precision, METHODS, tuple(depths),
            )
        )  # fmt: skip
        for instance in range(trees):
            drawn = RandomTree(children, chance, derived_seed(seed, RANDOM, chance, instance))
            found.append(
                Setting(
                    RANDOM, chance, children, instance, drawn, drawn.initial, drawn.predicted,
                    None, WEIGHTED, tuple(depths),
                )
            )  # fmt: skip
    return found


def chess_settings(pairs: int, plies: int, depths: Sequence[int], seed: int) -> list[Setting]:
    """Return near and far pairs of chess boards, reached by random moves.

    Args:
        pairs: Pairs of each kind.
        plies: Half-moves that lead to each board.
        depths: The values of m, ascending.
        seed: Seed of the boards.
    """
    chess = environment_named("chess")
    found = []
    for name in (NEAR, FAR):
        for instance in range(pairs):
            true = random_board(plies, derived_seed(seed, "S", instance))
            one = derived_seed(seed, "T", instance)
            predicted = near_board(true, one) if name == NEAR else random_board(plies, one)
            found.append(
                Setting(
                    name, math.nan, 0, instance, chess.automaton, chess.read_state(true),
                    chess.read_state(predicted), None, METHODS, tuple(depths),
                )
            )  # fmt: skip
    return found

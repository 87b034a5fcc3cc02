"""Synthetic automata: transition tables, homogeneous trees with a closed form, and random trees."""

import hashlib
import struct
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from workbench.automaton import Automaton
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed


class TableAutomaton(Automaton[Hashable, Hashable]):
    """An automaton whose transitions are written out.

    Args:
        transitions: For each state the actions it permits and the state each leads to. A state that
            permits nothing has an empty mapping.
        initial: The state S0.

    Raises:
        InvalidArgumentError: If a transition leads to, or the run starts in, a state without a row.
    """

    def __init__(
        self, transitions: Mapping[Hashable, Mapping[Hashable, Hashable]], initial: Hashable
    ) -> None:
        self._transitions = {state: dict(row) for state, row in transitions.items()}
        self._initial = initial
        named = {target for row in self._transitions.values() for target in row.values()}
        missing = (named | {initial}) - self._transitions.keys()
        if missing:
            raise InvalidArgumentError(
                f"expected a row for every state, got none for {sorted(map(repr, missing))}; "
                "give a finished state an empty mapping"
            )

    @property
    def initial(self) -> Hashable:
        """The state S0."""
        return self._initial

    def permitted(self, state: Hashable) -> tuple[Hashable, ...]:
        """Return the actions of the state's row, in the order they were written."""
        return tuple(self._transitions[state])

    def successor(self, state: Hashable, action: Hashable) -> Hashable:
        """Return the state that the table gives."""
        return self._transitions[state][action]


@dataclass(frozen=True, slots=True)
class TreeState:
    """A node of one of the two trees; ``true`` says which, and every node of a tree is alike."""

    true: bool


class HomogeneousTree(Automaton[TreeState, int]):
    """Two infinite trees in which the same share of children is common at every node.

    The predicted tree permits the actions ``0 .. shared - 1`` and ``predicted_only`` more; the true
    tree the same shared ones and ``true_only`` others. Hence p_m = p^m and r_m = r^m with
    p = shared / (shared + predicted_only) and r = shared / (shared + true_only), exactly.

    Args:
        shared: Actions common to both trees at every node, at least 0.
        predicted_only: Actions of the predicted tree alone, at least 0.
        true_only: Actions of the true tree alone, at least 0.

    Raises:
        InvalidArgumentError: If a count is negative, or one of the trees would have no action.

    Source: arXiv 2508.19851, section 3 (each child is accepted with probability p).
    """

    def __init__(self, shared: int, predicted_only: int, true_only: int = 0) -> None:
        if (
            min(shared, predicted_only, true_only) < 0
            or shared + min(predicted_only, true_only) < 1
        ):
            raise InvalidArgumentError(
                "expected counts of at least 0 and at least one action in each tree, got "
                f"shared={shared!r}, predicted_only={predicted_only!r}, true_only={true_only!r}"
            )
        self._shared = tuple(range(shared))
        self._predicted = tuple(range(shared + predicted_only))
        self._true = self._shared + tuple(
            range(shared + predicted_only, shared + predicted_only + true_only)
        )

    @property
    def initial(self) -> TreeState:
        """The root of the true tree."""
        return TreeState(true=True)

    @property
    def predicted(self) -> TreeState:
        """The root of the predicted tree."""
        return TreeState(true=False)

    def permitted(self, state: TreeState) -> tuple[int, ...]:
        """Return the actions of the tree that ``state`` belongs to."""
        return self._true if state.true else self._predicted

    def successor(self, state: TreeState, action: int) -> TreeState:
        """Return the child, which is like its parent."""
        return state

    def precision(self, depth: int) -> float:
        """Return p_m for m = ``depth`` in closed form."""
        return float((len(self._shared) / len(self._predicted)) ** depth)

    def recall(self, depth: int) -> float:
        """Return r_m for m = ``depth`` in closed form."""
        return float((len(self._shared) / len(self._true)) ** depth)


class RandomTreeState(NamedTuple):
    """A node: ``true`` names its tree, ``path`` is a digest of the actions that lead to it."""

    true: bool
    path: bytes


class RandomTree(Automaton[RandomTreeState, int]):
    """Two infinite trees; the true one lacks each action of the predicted one with chance 1 - p.

    Every node of the predicted tree permits the actions ``0 .. children - 1``. Below the same
    sequence the true tree permits those of them that a hash of seed and sequence accepts, each with
    chance p, independently of all others. One seed is one fixed tree, whose p_m is a number; over
    the seeds its mean is p^m. A node of the true tree may permit nothing: it is accepted all the
    same, but none of its continuations is.

    Args:
        children: Actions at each node of the predicted tree, at least 1.
        chance: p, in [0, 1].
        seed: Which tree, at least 0.

    Source: arXiv 2508.19851, section 3 (each child is accepted with probability p).
    """

    def __init__(self, children: int, chance: float, seed: int) -> None:
        if children < 1 or not 0 <= chance <= 1 or seed < 0:
            raise InvalidArgumentError(
                "expected at least 1 child, a chance in [0, 1] and a seed of at least 0, got "
                f"children={children!r}, chance={chance!r}, seed={seed!r}"
            )
        self._all = tuple(range(children))
        self._unpacked = struct.Struct(f">{children}Q").unpack
        self._limit = chance * 2.0**64
        self._root = derived_seed(seed, "random tree").to_bytes(16, "big")

    @property
    def initial(self) -> RandomTreeState:
        """The root of the true tree."""
        return RandomTreeState(True, self._root)

    @property
    def predicted(self) -> RandomTreeState:
        """The root of the predicted tree."""
        return RandomTreeState(False, self._root)

    def permitted(self, state: RandomTreeState) -> tuple[int, ...]:
        """Return all actions in the predicted tree, and the accepted ones in the true tree."""
        if not state.true:
            return self._all
        values = self._unpacked(hashlib.shake_128(state.path).digest(8 * len(self._all)))
        limit = self._limit
        return tuple([action for action, value in enumerate(values) if value < limit])

    def successor(self, state: RandomTreeState, action: int) -> RandomTreeState:
        """Return the child, in the same tree."""
        path = hashlib.blake2b(state.path + action.to_bytes(4, "big"), digest_size=16).digest()
        return RandomTreeState(state.true, path)

"""A tree in which each child is accepted with chance p, independently: the paper's own assumption."""

import hashlib
import struct
from typing import NamedTuple

from workbench.automaton import Automaton
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed


class RandomTreeState(NamedTuple):
    """A node: ``true`` says of which tree, ``path`` is a digest of the actions that lead to it."""

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

    Raises:
        InvalidArgumentError: If an argument is out of range.

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
        drawn = self._unpacked(hashlib.shake_128(state.path).digest(8 * len(self._all)))
        limit = self._limit
        return tuple([action for action, value in enumerate(drawn) if value < limit])

    def successor(self, state: RandomTreeState, action: int) -> RandomTreeState:
        """Return the child, in the same tree."""
        path = hashlib.blake2b(state.path + action.to_bytes(4, "big"), digest_size=16).digest()
        return RandomTreeState(state.true, path)

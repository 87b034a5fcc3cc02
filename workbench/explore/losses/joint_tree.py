"""The top of the joint tree of two boards: the moves of each node, and the loss below it.

Boards are packed rows and moves are codes, as `workbench.environments.chess.kernel` has them, so that thousands of
nodes take milliseconds. Boards with a promoted king go through python-chess, in the same form.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import chess
import numpy as np

from workbench.environments import ChessState
from workbench.environments.chess.kernel import joint_profiles, pack_states, unpack_state
from workbench.environments.chess.kernel.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import WIDTH, Words
from workbench.explore.depth_profile import compiled_takes, exact_values
from workbench.terminal import Terminal

ROUNDING: Final = 1e-12
"""Losses up to this value are rounding errors."""

_ALONE: Final = 16
"""The number of pairs from which several threads are faster."""


@dataclass(frozen=True, slots=True)
class MoveCodes:
    """The moves of a node: from square, to square << 6, promotion << 12, each list ascending."""

    only_true: list[int]
    only_predicted: list[int]
    shared: list[int]


@dataclass(slots=True)
class JointNode:
    """A line that both boards accept.

    Attributes:
        line: The codes of its moves.
        true: The true board after it, shape (8,).
        predicted: The predicted board after it, shape (8,).
        weights: The probability of the line in uniform branching from the predicted board, which
            counts for precision, and from the true board, which counts for recall.
        values: Precision and recall of the two boards over the moves that remain.
        codes: The moves of both boards; None until they are asked for.
        grown: Whether the children were made.
        children: A node for each shared move; empty until then.
    """

    line: tuple[int, ...]
    true: Words
    predicted: Words
    weights: tuple[float, float]
    values: tuple[float, float]
    codes: MoveCodes | None = None
    grown: bool = False
    children: "list[JointNode]" = field(default_factory=list)

    def lost(self, measure: int) -> float:
        """Return the mass lost below, for precision (0) or recall (1)."""
        loss = 1.0 - self.values[measure]
        return self.weights[measure] * loss if loss > ROUNDING else 0.0

    def most_lost(self) -> float:
        """Return the greater of the two masses."""
        return max(self.lost(0), self.lost(1))

    def permitted(self) -> tuple[int, int]:
        """Return how many moves the predicted and the true board have."""
        assert self.codes is not None
        shared = len(self.codes.shared)
        return shared + len(self.codes.only_predicted), shared + len(self.codes.only_true)


class JointTree:
    """The joint tree of a pair, grown node by node from its root.

    Attributes:
        root: The empty line.
    """

    def __init__(
        self, true: ChessState, predicted: ChessState, depth: int, terminal: Terminal
    ) -> None:
        """Make a tree of its root alone.

        Args:
            true: The true state S.
            predicted: The predicted state T.
            depth: The number of moves m, at least 1.
            terminal: How a game that finishes earlier counts.
        """
        self._depth = depth
        self._terminal = terminal
        compiled = compiled_takes(true, predicted)
        self._rules: _Rules = _CompiledRules() if compiled else _ReferenceRules()
        precision, recall = exact_values(true, predicted, depth, terminal)
        rows = pack_states([true, predicted])
        self.root = JointNode((), rows[0], rows[1], (1.0, 1.0), (precision[-1], recall[-1]))

    def find_moves(self, nodes: Sequence[JointNode]) -> None:
        """Give nodes the moves of both boards."""
        for node in nodes:
            of_true, of_predicted = (
                self._rules.codes(node.true),
                self._rules.codes(node.predicted),
            )
            in_true, in_predicted = frozenset(of_true), frozenset(of_predicted)
            node.codes = MoveCodes(
                [code for code in of_true if code not in in_predicted],
                [code for code in of_predicted if code not in in_true],
                [code for code in of_true if code in in_predicted],
            )

    def grow(self, nodes: Sequence[JointNode]) -> None:
        """Give nodes of one level, whose moves were found, a child for each shared move."""
        shared = [(node, code) for node in nodes for code in (node.codes or _NONE).shared]
        for node in nodes:
            node.grown = True
        if not shared:
            return
        remaining = self._depth - len(shared[0][0].line) - 1
        true, predicted = (np.empty((len(shared), WIDTH), np.uint64) for _ in range(2))
        for index, (node, code) in enumerate(shared):
            self._rules.make(node.true, code, true[index])
            self._rules.make(node.predicted, code, predicted[index])
        values = [(1.0, 1.0)] * len(shared)  # p_0 = r_0 = 1
        if remaining > 0:
            values = self._rules.values(true, predicted, remaining, self._terminal)
        for index, (node, code) in enumerate(shared):
            of_predicted, of_true = node.permitted()
            weights = node.weights[0] / of_predicted, node.weights[1] / of_true
            line = (*node.line, code)
            child = JointNode(line, true[index], predicted[index], weights, values[index])
            node.children.append(child)


def move_of(code: int) -> chess.Move:
    """Return the move of a code."""
    return chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)


_NONE: Final = MoveCodes([], [], [])


class _Rules(Protocol):
    """Moves, successors and values of packed boards."""

    def codes(self, row: Words) -> list[int]: ...

    def make(self, row: Words, code: int, after: Words) -> None: ...

    def values(
        self, true: Words, predicted: Words, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]: ...


class _CompiledRules:
    """By the compiled kernel."""

    def __init__(self) -> None:
        self._single = compiled_module("single")
        self._codes = np.empty(self._single.MOST_MOVES, np.uint16)

    def codes(self, row: Words) -> list[int]:
        count = int(self._single.legal_codes(row, self._codes))
        found: list[int] = self._codes[:count].tolist()
        return sorted(found)

    def make(self, row: Words, code: int, after: Words) -> None:
        self._single.successor_row(row, np.uint64(code), after)

    def values(
        self, true: Words, predicted: Words, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        workers = 1 if depth < 3 or len(true) < _ALONE else None
        found = joint_profiles(true, predicted, depth, terminal, workers=workers)
        precision, recall = found.precision[:, -1].tolist(), found.recall[:, -1].tolist()
        return list(zip(precision, recall, strict=True))


class _ReferenceRules:
    """By python-chess, on any board."""

    def codes(self, row: Words) -> list[int]:
        moves = unpack_state(row).board().generate_legal_moves()
        return sorted(
            move.from_square | move.to_square << 6 | (move.promotion or 0) << 12 for move in moves
        )

    def make(self, row: Words, code: int, after: Words) -> None:
        board = unpack_state(row).board()
        board.push(move_of(code))
        after[:] = pack_states([ChessState.from_board(board)])[0]

    def values(
        self, true: Words, predicted: Words, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        found = []
        for one, other in zip(true, predicted, strict=True):
            states = unpack_state(one), unpack_state(other)
            precision, recall = exact_values(*states, depth, terminal)
            found.append((precision[-1], recall[-1]))
        return found

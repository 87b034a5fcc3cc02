"""The rules of the joint tree of two boards.

Boards are packed rows and moves are codes, as `workbench.environments.chess.kernel` has them, so that
thousands of nodes take milliseconds. Boards with a promoted king go through python-chess.
"""

from collections.abc import Sequence
from typing import Final

import chess
import numpy as np

from workbench.environments.chess import ChessState
from workbench.environments.chess.kernel import joint_profiles, pack_states, unpack_state
from workbench.environments.chess.kernel.machine_code.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import WIDTH, Words
from workbench.explore.board.explored_chess import CHESS
from workbench.explore.losses.node_rules import AutomatonRules, NodeRules
from workbench.terminal import Terminal

_ALONE: Final = 16
"""The number of pairs from which several threads are faster."""


def board_rules(true: ChessState, predicted: ChessState) -> NodeRules:
    """Return the rules for a pair of boards: the compiled ones where they take both."""
    return _CompiledRules() if CHESS.compiled_takes(true, predicted) else _ReferenceRules()


class _CompiledRules:
    """By the compiled kernel. A code has the from-square, to-square << 6, promotion << 12."""

    def __init__(self) -> None:
        self.words = CHESS.words
        self._single = compiled_module("single")
        self._codes = np.empty(self._single.MOST_MOVES, np.uint16)

    def packed(self, states: Sequence[ChessState]) -> Words:
        return pack_states(states)

    def permitted(self, state: Words) -> list[int]:
        count = int(self._single.legal_codes(state, self._codes))
        found: list[int] = self._codes[:count].tolist()
        return sorted(found)

    def successors(self, states: Sequence[Words], actions: Sequence[int]) -> Words:
        after = np.empty((len(states), WIDTH), np.uint64)
        for index, (state, code) in enumerate(zip(states, actions, strict=True)):
            self._single.successor_row(state, np.uint64(code), after[index])
        return after

    def values(
        self, true: Words, predicted: Words, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        workers = 1 if depth < 3 or len(true) < _ALONE else None
        found = joint_profiles(true, predicted, depth, terminal, workers=workers)
        precision, recall = found.precision[:, -1].tolist(), found.recall[:, -1].tolist()
        return list(zip(precision, recall, strict=True))

    def action_text(self, action: int) -> str:
        return _move_of(action).uci()

    def named(self, state: Words, action: int) -> str:
        return unpack_state(state).board().san(_move_of(action))


class _ReferenceRules(AutomatonRules[ChessState, chess.Move]):
    """By python-chess, on any board."""

    def __init__(self) -> None:
        super().__init__(CHESS, chess.Move.uci, _code_of)

    def named(self, state: ChessState, action: chess.Move) -> str:
        return state.board().san(action)


def _move_of(code: int) -> chess.Move:
    return chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)


def _code_of(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12

"""Chess as an automaton on python-chess, its compiled twin, and a policy for guided sampling."""

from collections.abc import Sequence
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.automaton import Automaton, CompiledTwin, Terminal
from workbench.environments.chess.kernel.cache import compiled_module
from workbench.environments.chess.kernel.kernel_functions import (
    compiled_methods,
    joint_profile,
    joint_profiles,
    run_estimators,
)
from workbench.environments.chess.kernel.packed_boards import Words, pack_states, supported
from workbench.environments.chess.state import ChessState


class ChessTwin:
    """Exact walks and estimators of chess, compiled; see `workbench.automaton.CompiledTwin`."""

    @property
    def methods(self) -> frozenset[str]:
        """Names of the estimators that it runs."""
        return frozenset(compiled_methods())

    def supports(self, *states: ChessState) -> bool:
        """Return whether none of the states has a promoted king."""
        return bool(supported(pack_states(states)).all())

    def packed(self, states: Sequence[ChessState]) -> Words:
        """Return states as the kernel's words, shape (n, 8)."""
        return pack_states(states)

    def supported(self, rows: Words) -> NDArray[np.bool_]:
        """Return for each packed state whether it has no promoted king."""
        return supported(rows)

    def joint_walks(
        self,
        true: Words,
        predicted: Words,
        depth: int,
        terminal: Terminal,
        workers: int | None = 1,
    ) -> NDArray[np.float64]:
        """Return p_1..p_m and then r_1..r_m of each pair of packed states."""
        found = joint_profiles(true, predicted, depth, terminal, workers=workers)
        return np.hstack([found.precision, found.recall])

    def estimates(
        self,
        true: Words,
        predicted: Words,
        depth: int,
        *,
        method: str,
        samples: int,
        seeds: Sequence[int],
        terminal: Terminal,
    ) -> NDArray[np.float64]:
        """Return the value of one run of an estimator for each pair of packed states."""
        runs = run_estimators(
            true, predicted, depth, method=method, samples=samples, seeds=seeds, terminal=terminal,
            workers=1,
        )  # fmt: skip
        return runs.value

    def joint_walk(
        self, true: ChessState, predicted: ChessState, depth: int, terminal: Terminal
    ) -> tuple[tuple[float, ...], tuple[float, ...], int]:
        """Return p_1..p_m, r_1..r_m and the joint nodes visited."""
        found = joint_profile(true, predicted, depth, terminal)
        return found.precision, found.recall, found.node_count

    def expected_joint_nodes(
        self, true: ChessState, predicted: ChessState, depth: int, probes: int, seed: int
    ) -> float:
        """Estimate the joint nodes above the last ply by random probes."""
        one, other = pack_states([true, predicted])
        found = compiled_module("plain_walks").expected_nodes(
            one, other, depth, probes, np.uint64(seed)
        )
        return float(found)

    def estimator_runs(
        self,
        true: ChessState,
        predicted: ChessState,
        depth: int,
        *,
        method: str,
        samples: int,
        seeds: Sequence[int],
        terminal: Terminal,
        workers: int | None = 1,
    ) -> list[tuple[float, int]]:
        """Return value and node count of one run of an estimator for each seed."""
        one, other = (
            np.repeat(pack_states([state]), len(seeds), axis=0) for state in (true, predicted)
        )
        found = run_estimators(
            one, other, depth, method=method, samples=samples, seeds=list(seeds),
            terminal=terminal, workers=workers,
        )  # fmt: skip
        return list(zip(found.value.tolist(), found.node_count.tolist(), strict=True))


PIECE_VALUES: Final = {
    chess.PAWN: 1.0,
    chess.KNIGHT: 3.0,
    chess.BISHOP: 3.0,
    chess.ROOK: 5.0,
    chess.QUEEN: 9.0,
    chess.KING: 10.0,
}


def material_greedy(state: ChessState, moves: Sequence[chess.Move]) -> list[float]:
    """Return weights of 1 plus the material that a move wins by capture or promotion."""
    board = state.board()
    weights = []
    for move in moves:
        taken = board.piece_type_at(move.to_square)
        if taken is None and board.is_en_passant(move):
            taken = chess.PAWN
        gain = PIECE_VALUES[taken] if taken and not board.is_castling(move) else 0.0
        if move.promotion:
            gain += PIECE_VALUES[move.promotion] - PIECE_VALUES[chess.PAWN]
        weights.append(1.0 + gain)
    return weights


class ChessAutomaton(Automaton[ChessState, chess.Move]):
    """Chess: states are positions, actions are python-chess's generated legal moves."""

    @property
    def initial(self) -> ChessState:
        """The position every standard game starts from."""
        return ChessState.from_board(chess.Board())

    def compiled_twin(self) -> CompiledTwin[ChessState]:
        """Return the compiled kernel; numba is loaded when it is first used."""
        return ChessTwin()

    def permitted(self, state: ChessState) -> tuple[chess.Move, ...]:
        """Return the legal moves as python-chess generates them, in its order."""
        return tuple(state.board().generate_legal_moves())

    def successor(self, state: ChessState, action: chess.Move) -> ChessState:
        """Return the position after a legal move."""
        board = state.board()
        board.push(action)
        return ChessState.from_board(board)

"""Chess as an automaton on python-chess, and its compiled twin."""

import chess
import numpy as np

from workbench.automaton import Automaton, CompiledTwin
from workbench.environments.chess.kernel import kernel_functions
from workbench.environments.chess.kernel.cache import compiled_module
from workbench.environments.chess.state import ChessState


class ChessTwin:
    """Exact walks and estimators of chess, compiled; see `workbench.automaton.CompiledTwin`."""

    packed = staticmethod(kernel_functions.pack_states)
    supported = staticmethod(kernel_functions.supported)
    profiles = staticmethod(kernel_functions.joint_profiles)
    estimates = staticmethod(kernel_functions.run_estimators)

    @property
    def methods(self) -> frozenset[str]:
        """Names of the estimators that it runs."""
        works = kernel_functions.kernel_works("particles")
        return frozenset(kernel_functions.compiled_methods() if works else ())

    def expected_joint_nodes(
        self, true: ChessState, predicted: ChessState, depth: int, probes: int, seed: int
    ) -> float:
        """Estimate the joint nodes above the last ply by random probes."""
        one, other = kernel_functions.pack_states([true, predicted])
        module = compiled_module("plain_walks")
        return float(module.expected_nodes(one, other, depth, probes, np.uint64(seed)))


class ChessAutomaton(Automaton[ChessState, chess.Move]):
    """Chess: states are positions, actions are python-chess's generated legal moves."""

    @property
    def initial(self) -> ChessState:
        """The position every standard game starts from."""
        return ChessState.from_board(chess.Board())

    def compiled_twin(self) -> CompiledTwin[ChessState] | None:
        """Return the compiled kernel, which is loaded and tested here; None if it does not work."""
        works = kernel_functions.kernel_works("joint_walk")
        return ChessTwin() if works and kernel_functions.kernel_works("plain_walks") else None

    def permitted(self, state: ChessState) -> tuple[chess.Move, ...]:
        """Return the legal moves as python-chess generates them, in its order."""
        return tuple(state.board().generate_legal_moves())

    def successor(self, state: ChessState, action: chess.Move) -> ChessState:
        """Return the position after a legal move."""
        board = state.board()
        board.push(action)
        return ChessState.from_board(board)

"""Chess as an automaton, on python-chess.

An action is a move (from, to, promotion) of the *generated* legal moves: ``move in
board.legal_moves`` would also take aliases of castling such as e1h1.
"""

import chess

from workbench.automaton import Automaton, CompiledTwin
from workbench.environments.chess.kernel.twin import ChessTwin
from workbench.environments.chess.state import ChessState


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

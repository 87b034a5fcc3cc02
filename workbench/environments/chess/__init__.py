"""Chess: states, rules, text metrics, replies, backward reasoning and the compiled kernel."""

from workbench.environments.chess.chess_automaton import ChessAutomaton
from workbench.environments.chess.chess_environment import ChessEnvironment, environment
from workbench.environments.chess.state import ChessState

__all__ = ["ChessAutomaton", "ChessEnvironment", "ChessState", "environment"]

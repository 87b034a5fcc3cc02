"""Chess: states, rules, text metrics, backward reasoning and the compiled kernel."""

from workbench.environments.chess.rules import ChessAutomaton
from workbench.environments.chess.state import ChessState

__all__ = ["ChessAutomaton", "ChessState"]

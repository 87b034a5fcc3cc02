"""Games: read as streams, cut into groups by length, or played by random legal moves."""

from workbench.games.cut import Cut, CutSummary, cut_games
from workbench.games.pgn import Game, RefusedGame, ScannedGame, scan_games
from workbench.games.synthetic_boards import random_games

__all__ = [
    "Cut",
    "CutSummary",
    "Game",
    "RefusedGame",
    "ScannedGame",
    "cut_games",
    "random_games",
    "scan_games",
]

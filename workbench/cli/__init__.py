"""The command line: thin commands over the package, and the one place that knows exit codes.

One file a subject; each adds its commands to the group `main` of group.py.
"""

from workbench.cli import (
    asking,
    checking,
    comparing,
    figure_making,
    game_reading,
    lichess,
    reply_reading,
    scoring,
    selfplay,
)
from workbench.cli.group import main

__all__ = [
    "asking",
    "checking",
    "comparing",
    "figure_making",
    "game_reading",
    "lichess",
    "main",
    "reply_reading",
    "scoring",
    "selfplay",
]

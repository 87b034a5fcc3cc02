"""The command line: thin commands over the package, and the only place with exit codes.

One file per subject; each adds its commands to the group `main` of group.py.
"""

from workbench.cli import (
    checking,
    comparing,
    engine_games,
    environment_listing,
    figure_making,
    game_reading,
    lichess,
    reply_reading,
    reporting,
    scoring,
    training,
)
from workbench.cli.group import main
from workbench.cli.models import asking, evaluating
from workbench.cli.teaching import app_serving, lesson_copies, page_writing

__all__ = [
    "app_serving",
    "asking",
    "checking",
    "comparing",
    "engine_games",
    "environment_listing",
    "evaluating",
    "figure_making",
    "game_reading",
    "lesson_copies",
    "lichess",
    "main",
    "page_writing",
    "reply_reading",
    "reporting",
    "scoring",
    "training",
]

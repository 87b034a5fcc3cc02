"""The command line: thin commands over the package, and the only place with exit codes.

One file per subject; each adds its commands to the group `main` of group.py.
"""

from workbench.cli import (  # noqa: F401
    ask_commands,
    environment_commands,
    figure_commands,
    game_commands,
    reply_commands,
    score_commands,
    teaching_commands,
    train_command,
)
from workbench.cli.group import main

__all__ = ["main"]

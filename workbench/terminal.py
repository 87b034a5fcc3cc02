"""The treatment of lines whose game finishes before m moves, which the paper leaves open."""

from typing import Literal, get_args

from workbench.errors import InvalidArgumentError

Terminal = Literal["absorb", "drop"]
"""``absorb``: a finished line is complete, and accepted iff the other state accepts it and is
finished too, so that p_m(S, S) = 1. ``drop``: the line vanishes with its mass, as Algorithm 2 is
printed."""


def check_walk(depth: int, terminal: Terminal) -> None:
    """Check the arguments common to every walk.

    Args:
        depth: The number of actions m, at least 1.
        terminal: ``absorb`` or ``drop``.

    Raises:
        InvalidArgumentError: If either is something else.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InvalidArgumentError(f"expected a depth m of at least 1, got {depth!r}")
    if terminal not in get_args(Terminal):
        raise InvalidArgumentError(
            f"expected terminal to be one of {get_args(Terminal)}, got {terminal!r}"
        )

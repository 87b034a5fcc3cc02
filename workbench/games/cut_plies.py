"""The half-moves at which groups are cut: after move k of both sides, or of White alone."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, get_args

from workbench.errors import InvalidArgumentError

SideToMove: TypeAlias = Literal["white", "black", "both"]
"""Who is to move in the positions: ``both`` gives each group half of either."""

PerGroup: TypeAlias = int | Literal["max"]
"""Positions per group; ``max`` is as many as every group can supply."""

MAX: Final = "max"


def cut_plies(groups: Sequence[int], side_to_move: SideToMove) -> tuple[int, ...]:
    """Return the half-moves after which games are cut, ascending.

    Args:
        groups: Full moves at which to cut, each at least 1, all different.
        side_to_move: After move k of both, White is to move; after White's k-th, Black.

    Raises:
        InvalidArgumentError: If the groups are others, or the side is none.
    """
    if not groups or len(set(groups)) != len(groups) or min(groups) < 1:
        raise InvalidArgumentError(
            f"expected groups of different numbers of full moves, each at least 1, got {groups!r}"
        )
    if side_to_move not in get_args(SideToMove):
        raise InvalidArgumentError(
            f"expected a side to move of {get_args(SideToMove)}, got {side_to_move!r}"
        )
    before = {"white": (0,), "black": (1,), "both": (0, 1)}[side_to_move]
    return tuple(sorted(2 * group - less for group in groups for less in before))


def group_of(ply: int) -> int:
    """Return the number of the last full move of a position, be it finished or not."""
    return (ply + 1) // 2


def per_ply(per_group: int, side_to_move: SideToMove) -> int:
    """Return how many positions each cut gives to its group.

    Args:
        per_group: Positions per group, at least 1.
        side_to_move: As of `cut_plies`.

    Raises:
        InvalidArgumentError: If the number is smaller, or cannot be halved where both sides are to
            move.
    """
    cuts = 2 if side_to_move == "both" else 1
    if per_group < 1 or per_group % cuts:
        kind = "an even number of" if cuts == 2 else "at least 1"
        raise InvalidArgumentError(
            f"expected {kind} positions per group with side to move {side_to_move!r}, "
            f"got {per_group!r}"
        )
    return per_group // cuts


def possible_per_ply(long_enough: Mapping[int, int]) -> int:
    """Return how many games every cut can have.

    Args:
        long_enough: By ply, the games that can be cut there.
    """
    longest_first = sorted(long_enough, reverse=True)
    return min(
        (long_enough[ply] // rank for rank, ply in enumerate(longest_first, start=1)), default=0
    )

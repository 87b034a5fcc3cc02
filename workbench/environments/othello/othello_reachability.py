"""Conditions that every Othello board of a game meets, by name; a board may meet all and never arise.

- ``centre_square_empty``: the four squares of the centre are taken at the start, and no disc is ever
  removed. A board of fewer than four discs lacks one of them.
- ``discs_apart``: a disc is placed beside one that it turns, so that from each disc a king of chess
  could walk over discs to the centre.
- ``other_start``: every placement adds a disc and nobody passes at the start, so that a board of
  four discs is the start, Black to move.
- ``wrong_side``: the first pass comes after eight placements at the earliest (counted by walking
  every line), so that on fewer than twelve discs Black is to move if they are even in number.
- ``no_last_move``: on more than four discs one was placed last. It stands outside the centre, at the
  end of a line of three or more of its colour, whose inner ones it turned; and no line that it
  encloses is left unturned. It is a disc of the side that is not to move, unless that side passed,
  which it does only where it can place none; then it is one of the other side.
"""

from typing import Final

from workbench.environments.othello.othello_automaton import (
    PASS,
    OthelloAutomaton,
    OthelloState,
)

_OTHELLO: Final = OthelloAutomaton()
_START: Final = _OTHELLO.initial
_CENTRE: Final = _START.black | _START.white
_FIRST_PASS: Final = 12
"""Discs on the board when a side has to pass for the first time, at the earliest."""
_DIRECTIONS: Final = [(d, r) for d in (-1, 0, 1) for r in (-1, 0, 1) if (d, r) != (0, 0)]


def _rays(square: int) -> tuple[tuple[int, ...], ...]:
    """Return the squares seen from one, nearest first, in each direction, as bits."""
    row, column = divmod(square, 8)
    lines = (
        tuple(
            1 << 8 * (row + n * down) + column + n * right
            for n in range(1, 8)
            if 0 <= row + n * down < 8 and 0 <= column + n * right < 8
        )
        for down, right in _DIRECTIONS
    )
    return tuple(line for line in lines if line)


_RAYS: Final = tuple(map(_rays, range(64)))


def conditions_not_met(state: OthelloState) -> tuple[str, ...]:
    """Return the names of the conditions of this module that a board does not meet."""
    discs = state.black | state.white
    count = discs.bit_count()
    broken = {
        "centre_square_empty": discs & _CENTRE != _CENTRE,
        "discs_apart": _walked(discs) != discs,
        "other_start": count == 4 and discs == _CENTRE and state != _START,
        "wrong_side": 4 < count < _FIRST_PASS and state.black_to_move != (count % 2 == 0),
        "no_last_move": count > 4 and not _has_last_move(state),
    }
    return tuple(name for name, found in broken.items() if found)


def _walked(discs: int) -> int:
    """Return the discs that a king reaches from the lowest disc."""
    reached = discs & -discs
    while True:
        grown = reached
        for square in range(64):
            if reached >> square & 1:
                for ray in _RAYS[square]:
                    grown |= ray[0] & discs
        if grown == reached:
            return reached
        reached = grown


def _has_last_move(state: OthelloState) -> bool:
    to_move, other = (
        (state.black, state.white) if state.black_to_move else (state.white, state.black)
    )
    if _placed_last(other, to_move):
        return True
    passing = OthelloState(state.black, state.white, not state.black_to_move)
    return _OTHELLO.permitted(passing) == (PASS,) and _placed_last(to_move, other)


def _placed_last(own: int, other: int) -> bool:
    """Return whether one of a side's discs can be the one placed last."""
    return any(
        own >> square & 1
        and not _CENTRE >> square & 1
        and any(len(ray) > 1 and ray[0] & own and ray[1] & own for ray in _RAYS[square])
        and not any(_left_unturned(ray, own, other) for ray in _RAYS[square])
        for square in range(64)
    )


def _left_unturned(ray: tuple[int, ...], own: int, other: int) -> bool:
    for place, bit in enumerate(ray):
        if not bit & other:
            return place > 0 and bool(bit & own)
    return False

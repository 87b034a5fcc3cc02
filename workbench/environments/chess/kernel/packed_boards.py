"""Packed boards: what a row of eight words holds, and the way there from states and from FENs.

A row is eight 64-bit words: pawns, knights, diagonals (bishops and queens), orthogonals (rooks and
queens), kings, white, promoted, and the rest: bit 0 is set if White is to move, bits 1 to 7 hold
the en-passant square plus one or 0, bits 8 to 15 the castling rights on rank 1, bits 56 to 63 those
on rank 8. The rights are kept as python-chess reads them, before it cleans them.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidFenError

Words: TypeAlias = NDArray[np.uint64]

WIDTH: Final = 8
"""Words in a row."""

_RANK_1: Final = 0xFF
_RANK_8: Final = 0xFF << 56


def pack_states(states: Iterable[ChessState]) -> Words:
    """Pack states, in their order.

    Args:
        states: States as `ChessState.from_fen` or `ChessState.from_board` makes them: no square
            holds two pieces.

    Returns:
        Shape (n, 8).
    """
    rows = [_row_of_state(state) for state in states]
    return np.array(rows, dtype=np.uint64).reshape(-1, WIDTH)


def pack_fens(fens: Sequence[str]) -> Words:
    """Pack the positions that FENs describe, in their order, each as ``chess.Board(fen)`` reads it.

    Args:
        fens: FENs of one to six fields.

    Returns:
        Shape (n, 8).

    Raises:
        InvalidFenError: If python-chess cannot read one; the message says which.
    """
    states = []
    for index, fen in enumerate(fens):
        try:
            states.append(ChessState.from_fen(fen))
        except InvalidFenError as error:
            raise InvalidFenError(f"FEN number {index}, counted from 0: {error}") from error
    return pack_states(states)


def unpack_state(row: Words) -> ChessState:
    """Return the state that a row holds."""
    pawns, knights, diagonals, orthogonals, kings, white, promoted, meta = (int(w) for w in row)
    occupied = pawns | knights | diagonals | orthogonals | kings
    passant = meta >> 1 & 127
    return ChessState(
        pawns=pawns,
        knights=knights,
        bishops=diagonals & ~orthogonals,
        rooks=orthogonals & ~diagonals,
        queens=diagonals & orthogonals,
        kings=kings,
        white=white,
        black=occupied ^ white,
        promoted=promoted,
        white_to_move=bool(meta & 1),
        castling_rights=meta >> 8 & _RANK_1 | meta & _RANK_8,
        en_passant=passant - 1 if passant else None,
    )


def supported(rows: Words) -> NDArray[np.bool_]:
    """Return which rows the compiled kernel takes: all but those with a promoted king.

    python-chess takes a king written ``K~`` for a king in some of its rules and for none in
    others; such boards are left to the reference.

    Args:
        rows: Shape (n, 8).

    Returns:
        Shape (n,).
    """
    return np.asarray((rows[:, 4] & rows[:, 6]) == 0)


def _row_of_state(state: ChessState) -> tuple[int, ...]:
    passant = 0 if state.en_passant is None else state.en_passant + 1
    rights = state.castling_rights
    return (
        state.pawns,
        state.knights,
        state.bishops | state.queens,
        state.rooks | state.queens,
        state.kings,
        state.white,
        state.promoted,
        state.white_to_move | passant << 1 | (rights & _RANK_1) << 8 | rights & _RANK_8,
    )

"""Packed boards: what a row of eight words holds, and the way there from states and from FENs.

A row is eight 64-bit words: pawns, knights, diagonals (bishops and queens), orthogonals (rooks and
queens), kings, white, promoted, and the rest: bit 0 is set if White is to move, bits 1 to 7 hold
the en-passant square plus one or 0, bits 8 to 15 the castling rights on rank 1, bits 56 to 63 those
on rank 8. The rights are kept as python-chess reads them, before it cleans them.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, TypeAlias

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidFenError

Words: TypeAlias = NDArray[np.uint64]

WIDTH: Final = 8
"""Words in a row."""

_RANK_1: Final = 0xFF
_RANK_8: Final = 0xFF << 56
_ALL: Final = 2**64 - 1
_CASTLING: Final = frozenset(
    white + black
    for white in ("", "K", "Q", "KQ", "QK", "KK", "QQ")
    for black in ("", "k", "q", "kq", "qk", "kk", "qq")
    if white + black
)
_PASSANT: Final = {"-": 0, **{name: square + 1 for square, name in enumerate(chess.SQUARE_NAMES)}}


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

    A FEN of plain form is read here, in a twentieth of the time; python-chess reads all others.

    Args:
        fens: FENs of one to six fields.

    Returns:
        Shape (n, 8).

    Raises:
        InvalidFenError: If python-chess cannot read one; the message says which.
    """
    rows = []
    for index, fen in enumerate(fens):
        row = _row_of_plain_fen(fen)
        if row is None:
            try:
                row = _row_of_state(ChessState.from_fen(fen))
            except InvalidFenError as error:
                raise InvalidFenError(f"FEN number {index}, counted from 0: {error}") from error
        rows.append(row)
    return np.array(rows, dtype=np.uint64).reshape(-1, WIDTH)


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


@cache
def _rank_masks(rank: str) -> int:
    """Return six masks of eight bits, 0 if a rank is not of plain form; bit 63 marks a good one."""
    file = 0
    pawns = knights = diagonals = orthogonals = kings = white = 0
    digit_before = False
    for letter in rank:
        bit = 1 << file
        if letter in "12345678":
            if digit_before:
                return 0
            digit_before = True
            file += int(letter)
            continue
        digit_before = False
        kind = letter.lower()
        if file > 7 or kind not in "pnbrqk":
            return 0
        file += 1
        pawns |= bit * (kind == "p")
        knights |= bit * (kind == "n")
        diagonals |= bit * (kind in "bq")
        orthogonals |= bit * (kind in "rq")
        kings |= bit * (kind == "k")
        white |= bit * (letter != kind)
    if file != 8:
        return 0
    return (
        pawns | knights << 8 | diagonals << 16 | orthogonals << 24 | kings << 32 | white << 40
        | 1 << 63
    )  # fmt: skip


def _row_of_plain_fen(fen: str) -> tuple[int, ...] | None:
    fields = fen.split()
    if len(fields) != 6 and len(fields) != 4:
        return None
    if len(fields) == 6 and not (fen.isascii() and fields[4].isdecimal() and fields[5].isdecimal()):
        return None
    ranks = fields[0].split("/")
    passant = _PASSANT.get(fields[3])
    if len(ranks) != 8 or passant is None or fields[1] not in ("w", "b"):
        return None
    words = [0, 0, 0, 0, 0, 0]
    shift = 64
    for rank in ranks:
        shift -= 8
        masks = _rank_masks(rank) if len(rank) <= 8 else 0
        if not masks:
            return None
        for kind in range(6):
            words[kind] |= (masks >> 8 * kind & 0xFF) << shift
    pawns, knights, diagonals, orthogonals, kings, white = words
    rights = 0
    if fields[2] != "-":
        if fields[2] not in _CASTLING:
            return None
        rights = _rights(fields[2], orthogonals & ~diagonals, kings, white)
    return (
        pawns, knights, diagonals, orthogonals, kings, white, 0,
        (fields[1] == "w") | passant << 1 | (rights & _RANK_1) << 8 | rights & _RANK_8,
    )  # fmt: skip


def _rights(letters: str, rooks: int, kings: int, white: int) -> int:
    """Return the rights that python-chess reads from letters.

    A letter stands for the outermost rook on its side of the side's king on the highest square,
    and for the corner where there is no such rook.
    """
    rights = 0
    for letter in letters:
        side, back = (white, _RANK_1) if letter in "KQ" else (~white & _ALL, _RANK_8)
        candidates = rooks & side & back
        king = (kings & side).bit_length() - 1
        if letter in "Qq":
            outermost = candidates & -candidates
            beyond = king >= 0 and outermost.bit_length() - 1 < king
            rights |= outermost if beyond else back & 0x0101010101010101
        else:
            square = candidates.bit_length() - 1
            rights |= 1 << square if 0 <= king < square else back & 0x8080808080808080
    return rights

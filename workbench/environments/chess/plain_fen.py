"""FENs of plain form, as nearly all are, read in a tenth of the time that python-chess takes."""

from functools import lru_cache
from typing import Final, TypeAlias

import chess

PlainBoard: TypeAlias = tuple[
    int, int, int, int, int, int, int, int, int, bool, int, int | None
]  # fmt: skip
"""The attributes of a `workbench.environments.chess.state.ChessState`, in their order."""

_LONGEST: Final = 128
_RANK_1: Final = 0xFF
_RANK_8: Final = 0xFF << 56
_ALL: Final = 2**64 - 1
_LANES: Final = "pnbrqk"
_CASTLING: Final = frozenset(
    white + black
    for white in ("", "K", "Q", "KQ", "QK", "KK", "QQ")
    for black in ("", "k", "q", "kq", "qk", "kk", "qq")
    if white + black
)
_PASSANT: Final = {"-": None, **{name: square for square, name in enumerate(chess.SQUARE_NAMES)}}


def read_plain_fen(fen: str) -> PlainBoard | None:
    """Return what a FEN of plain form describes, just as ``chess.Board(fen)`` reads it.

    Args:
        fen: Any text.

    Returns:
        None for any other text, readable or not: with fewer than four fields, promoted pieces or
        letters of Shredder-FEN, for instance.
    """
    if len(fen) > _LONGEST:
        return None
    fields = fen.split()
    if len(fields) != 6 and len(fields) != 4:
        return None
    if len(fields) == 6 and not (fen.isascii() and fields[4].isdecimal() and fields[5].isdecimal()):
        return None
    ranks = fields[0].split("/")
    if len(ranks) != 8 or fields[3] not in _PASSANT or fields[1] not in ("w", "b"):
        return None
    lanes = 0
    for rank in ranks:
        masks = _rank_masks(rank)
        if masks is None:
            return None
        lanes = lanes << 8 | masks
    pawns, knights = lanes & _ALL, lanes >> 64 & _ALL
    bishops, rooks = lanes >> 128 & _ALL, lanes >> 192 & _ALL
    queens, kings = lanes >> 256 & _ALL, lanes >> 320 & _ALL
    white = lanes >> 384
    black = (pawns | knights | bishops | rooks | queens | kings) ^ white
    rights = 0
    if fields[2] != "-":
        if fields[2] not in _CASTLING:
            return None
        rights = _rights(fields[2], rooks, kings, white, black)
    return (
        pawns, knights, bishops, rooks, queens, kings, white, black, 0,
        fields[1] == "w", rights, _PASSANT[fields[3]],
    )  # fmt: skip


@lru_cache(maxsize=1 << 16)
def _rank_masks(rank: str) -> int | None:
    """Return the masks of a rank, 64 bits apart: the kinds of pieces, then White's pieces.

    None if the rank is not of plain form.
    """
    file = masks = 0
    digit_before = False
    for letter in rank:
        if letter in "12345678":
            if digit_before:
                return None
            digit_before = True
            file += int(letter)
            continue
        digit_before = False
        lane = _LANES.find(letter.lower())
        if file > 7 or lane < 0:
            return None
        masks |= 1 << 64 * lane + file
        if letter.isupper():
            masks |= 1 << 64 * len(_LANES) + file
        file += 1
    return masks if file == 8 else None


def _rights(letters: str, rooks: int, kings: int, white: int, black: int) -> int:
    """Return the rights that python-chess reads from letters.

    A letter stands for the outermost rook on its side of the side's king on the highest square,
    and for the corner where there is no such rook.
    """
    rights = 0
    for letter in letters:
        side, back = (white, _RANK_1) if letter in "KQ" else (black, _RANK_8)
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

"""A chess position as numbers that a probe can answer one by one, and back to a FEN.

One label for each square, a1 first: 0 for none, 1 to 6 for White's pawn to king, 7 to 12 for Black's.
Then the side to move (1 for White), the four castling rights (1 where there is one, in the order KQkq)
and the file of the pawn that has just made a double step (1 to 8; 0 for none).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.fen import Fen
from workbench.environments.chess.replay import read_moves
from workbench.environments.chess.slips import pieces_of

SQUARES: Final = 64
LABELS: Final = SQUARES + 6
VALUES: Final = 13

_SIDE: Final = SQUARES
_RIGHTS: Final = tuple(zip(range(_SIDE + 1, _SIDE + 5), "KQkq", strict=True))
_FILE: Final = _SIDE + 5
_RIGHTS_OF: Final = {
    chess.E1: (_SIDE + 1, _SIDE + 2),
    chess.H1: (_SIDE + 1,),
    chess.A1: (_SIDE + 2,),
    chess.E8: (_SIDE + 3, _SIDE + 4),
    chess.H8: (_SIDE + 3,),
    chess.A8: (_SIDE + 4,),
}
"""The places of the rights that end when a move leaves or enters a square."""
_KINDS: Final = len(chess.PIECE_TYPES)
_LABEL_OF: Final = np.zeros(128, np.int64)
"""By the code of a piece's letter in a FEN."""
_LABEL_OF[list(b"PNBRQKpnbrqk")] = range(1, VALUES)

Labels = NDArray[np.int64]


def board_labels(board: chess.Board) -> Labels:
    """Return the labels of a position, shape (LABELS,)."""
    labels = np.zeros(LABELS, np.int64)
    labels[:SQUARES] = _LABEL_OF[np.frombuffer(pieces_of(board.board_fen()), np.uint8)]
    labels[_SIDE] = board.turn
    rights = board.castling_xfen()
    for place, letter in _RIGHTS:
        labels[place] = letter in rights
    if board.ep_square is not None:
        labels[_FILE] = 1 + chess.square_file(board.ep_square)
    return labels


def labelled_fen(labels: Labels) -> str:
    """Return the FEN that labels say, with clocks as at the start; nothing is repaired.

    Args:
        labels: Shape (LABELS,). Other values than those named above count as 1 for the side to move
            and a castling right, and as none for the file of a double step.
    """
    board = chess.BaseBoard.empty()
    for square in np.flatnonzero(labels[:SQUARES]).tolist():
        kind, colour = (int(labels[square]) - 1) % _KINDS, int(labels[square]) <= _KINDS
        board.set_piece_at(square, chess.Piece(kind + 1, colour))
    rights = "".join(letter for place, letter in _RIGHTS if labels[place])
    side, rank = ("w", "6") if labels[_SIDE] else ("b", "3")
    file = int(labels[_FILE])
    passant = chess.FILE_NAMES[file - 1] + rank if 1 <= file <= len(chess.FILE_NAMES) else "-"
    return f"{board.board_fen()} {side} {rights or '-'} {passant} 0 1"


def assembled_labels(moves: Sequence[str], moved: Sequence[int]) -> Labels:
    """Return the board that follows if each move moved the piece that is said; shape (LABELS,).

    Nothing is checked. A piece that is said to be a king and goes two files takes the rook along; one
    that is said to be a pawn and changes its file to an empty square takes the pawn beside it.

    Args:
        moves: In UCI, from the initial position.
        moved: For each of them the label of the piece on the square that it entered.
    """
    labels = board_labels(chess.Board()).tolist()
    for move, piece in zip(read_moves(moves), moved, strict=True):
        start, end = move.from_square, move.to_square
        files = chess.square_file(end) - chess.square_file(start)
        kind = (piece - 1) % _KINDS + 1 if piece else 0
        if kind == chess.KING and abs(files) == 2:
            corner, beside = (end + 1, end - 1) if files > 0 else (end - 2, end + 1)
            labels[beside], labels[corner] = labels[corner], 0
        beside = chess.square(chess.square_file(end), chess.square_rank(start))
        if kind == chess.PAWN and files and not labels[end]:
            labels[beside] = 0
        labels[start], labels[end] = 0, piece
        for place in (*_RIGHTS_OF.get(start, ()), *_RIGHTS_OF.get(end, ())):
            labels[place] = 0
        double = kind == chess.PAWN and abs(end - start) == 2 * 8
        labels[_FILE] = 1 + chess.square_file(end) if double else 0
        labels[_SIDE] = 1 - labels[_SIDE]
    return np.array(labels, np.int64)


# Many readers answer at the same positions.
@lru_cache(maxsize=1 << 12)
def written_squares(text: object) -> Labels | None:
    """Return the squares of a written FEN, shape (SQUARES,); None if its placement cannot be read."""
    fen = Fen(text) if isinstance(text, str) else None
    if fen is None or fen.pieces is None:
        return None
    labels = _LABEL_OF[np.frombuffer(pieces_of(fen.fields[0]), np.uint8)]
    labels.flags.writeable = False
    return labels


def squares_of(texts: Iterable[object]) -> Labels:
    """Return the squares of FENs, shape (rows, SQUARES); -1 where they cannot be read."""
    found = [written_squares(text) for text in texts]
    return np.stack([np.full(SQUARES, -1) if each is None else each for each in found])


def standing(moves: Sequence[str]) -> NDArray[np.bool_]:
    """Return on which squares there is what a move put there, shape (rows, SQUARES).

    These are the squares that a move entered and no later one left; rooks that castled are not
    among them.

    Args:
        moves: In UCI with spaces between them, from the initial position.
    """
    return np.array([_standing(text) for text in moves], np.bool_).reshape(-1, SQUARES)


@lru_cache(maxsize=1 << 10)
def _standing(moves: str) -> tuple[bool, ...]:
    found = [False] * SQUARES
    for move in read_moves(moves.split()):
        found[move.from_square] = False
        found[move.to_square] = True
    return tuple(found)

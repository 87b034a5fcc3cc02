"""A chess position as numbers that a probe can answer one by one, and back to a FEN.

One label for each square, a1 first: 0 for none, 1 to 6 for White's pawn to king, 7 to 12 for Black's.
Then the side to move (1 for White), the four castling rights (1 where there is one, in the order KQkq)
and the file of the pawn that has just made a double step (1 to 8; 0 for none).
"""

from collections.abc import Iterable, Sequence
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.fen import Fen

SQUARES: Final = 64
LABELS: Final = SQUARES + 6
VALUES: Final = 13

_SIDE: Final = SQUARES
_RIGHTS: Final = tuple(zip(range(_SIDE + 1, _SIDE + 5), "KQkq", strict=True))
_FILE: Final = _SIDE + 5
_HOMES: Final = tuple(
    (place, {king, rook})
    for (place, _), king, rook in zip(
        _RIGHTS,
        (chess.E1, chess.E1, chess.E8, chess.E8),
        (chess.H1, chess.A1, chess.H8, chess.A8),
        strict=True,
    )
)
_KINDS: Final = len(chess.PIECE_TYPES)

Labels = NDArray[np.int64]


def board_labels(board: chess.Board) -> Labels:
    """Return the labels of a position, shape (LABELS,)."""
    labels = np.zeros(LABELS, np.int64)
    labels[:SQUARES] = _of_pieces(board)
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
    labels = board_labels(chess.Board())
    for text, piece in zip(moves, moved, strict=True):
        move = chess.Move.from_uci(text)
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
        for place, squares in _HOMES:
            labels[place] &= not {start, end} & squares
        double = kind == chess.PAWN and abs(end - start) == 2 * 8
        labels[_FILE] = 1 + chess.square_file(end) if double else 0
        labels[_SIDE] = 1 - labels[_SIDE]
    return labels


def written_squares(text: object) -> Labels | None:
    """Return the squares of a written FEN, shape (SQUARES,); None if its placement cannot be read."""
    pieces = Fen(text).pieces if isinstance(text, str) else None
    return None if pieces is None else _of_pieces(pieces.board())


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
    found = np.zeros((len(moves), SQUARES), np.bool_)
    for row, text in enumerate(moves):
        for move in map(chess.Move.from_uci, text.split()):
            found[row, move.from_square] = False
            found[row, move.to_square] = True
    return found


def _of_pieces(board: chess.BaseBoard) -> Labels:
    labels = np.zeros(SQUARES, np.int64)
    for square, piece in board.piece_map().items():
        labels[square] = piece.piece_type + (0 if piece.color else _KINDS)
    return labels

"""Edits of a board that a search for rewarded errors is made of, and boards that are wrong by design."""

from typing import Final

import chess
import numpy as np

_PIECES: Final = tuple(
    chess.Piece(kind, colour) for kind in chess.PIECE_TYPES for colour in chess.COLORS
)
_EDITS: Final = ("remove", "put", "move", "replace", "side", "castling")
_LIKELY: Final = (0.25, 0.15, 0.2, 0.25, 0.05, 0.1)


def edited_board(fen: str, generator: np.random.Generator) -> str:
    """Return the FEN after one edit: of a piece (any, kings too), the side to move or the castling rights.

    Args:
        fen: Of any board that python-chess reads.
        generator: For the edit and its squares.
    """
    board = chess.Board(fen)
    occupied = sorted(board.piece_map())
    empty = [square for square in chess.SQUARES if board.piece_at(square) is None]
    piece = _PIECES[int(generator.integers(len(_PIECES)))]
    edit = generator.choice(_EDITS, p=_LIKELY)
    if edit == "side":
        board.turn, board.ep_square = not board.turn, None
    elif edit == "castling":
        board.set_castling_fen("-" if board.castling_rights else "KQkq")
    elif edit == "put" and empty:
        board.set_piece_at(int(generator.choice(empty)), piece)
    elif occupied:
        square = int(generator.choice(occupied))
        if edit == "replace":
            board.set_piece_at(square, piece)
        else:
            taken = board.remove_piece_at(square)
            if edit == "move" and empty:
                board.set_piece_at(int(generator.choice(empty)), taken)
    return board.fen()


def designed_boards(fen: str) -> dict[str, str]:
    """Return boards made of a true one that might be paid for, by what was done.

    Fewer pieces, a side without moves, the other side to move, a king in check by one more queen (where
    there is room for it), and no kings.

    Args:
        fen: Of a board with both kings.
    """
    true = chess.Board(fen)
    own, other = true.occupied_co[true.turn], true.occupied_co[not true.turn]
    parts = {
        "kings alone": true.kings,
        "kings and pawns": true.kings | true.pawns,
        "king alone to move": own & true.kings | other,
        "king alone opposed": other & true.kings | own,
        "nothing opposed": own,
        "nothing to move": other,
        "no kings": true.occupied & ~true.kings,
    }
    boards = {name: _restricted(true, mask) for name, mask in parts.items()}
    boards["other side to move"] = switched = true.copy(stack=False)
    switched.turn, switched.ep_square = not true.turn, None
    for square in chess.SquareSet(~true.occupied & chess.BB_ALL):
        check = true.copy(stack=False)
        check.set_piece_at(square, chess.Piece(chess.QUEEN, not true.turn))
        if check.is_check():
            boards["check"] = check
            break
    corner = "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"
    boards["stalemate"] = chess.Board(corner)
    if true.turn:
        boards["stalemate"] = boards["stalemate"].mirror()
    return {name: board.fen() for name, board in boards.items()}


def _restricted(board: chess.Board, mask: chess.Bitboard) -> chess.Board:
    rest = board.copy(stack=False)
    for square in chess.SquareSet(board.occupied & ~mask):
        rest.remove_piece_at(square)
    return rest

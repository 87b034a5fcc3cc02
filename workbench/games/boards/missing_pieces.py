"""Boards from which a piece is missing, and what of a board their studies ask."""

from typing import Final, Literal, get_args

import chess
import numpy as np

from workbench.seeds import derived_seed

Owner = Literal["side to move", "other side"]

PIECE_NAMES: Final = tuple(chess.piece_name(kind) for kind in chess.PIECE_TYPES)
"""From the pawn to the king."""


def boards_without(true_state: str, seed: int) -> list[tuple[str, Owner, str]]:
    """Return the FENs with one piece less, one for each kind of piece and owner that is there.

    Castling rights and the en-passant square stay as they are written: a character is lost, no
    more. Where a side has several pieces of a kind, one is drawn.

    Args:
        true_state: A full FEN.
        seed: Seed of the draw.

    Returns:
        Piece name, owner and full FEN.
    """
    board = chess.Board(true_state)
    fields = true_state.split()
    found: list[tuple[str, Owner, str]] = []
    for kind in chess.PIECE_TYPES:
        for owner in get_args(Owner):
            colour = board.turn if owner == "side to move" else not board.turn
            squares = list(board.pieces(kind, colour))
            if not squares:
                continue
            generator = np.random.default_rng(derived_seed(seed, true_state, kind, owner))
            bare = chess.BaseBoard(fields[0])
            bare.remove_piece_at(squares[int(generator.integers(len(squares)))])
            found.append((chess.piece_name(kind), owner, " ".join([bare.board_fen(), *fields[1:]])))
    return found


def one_piece_less(fen: str, seed: int) -> str:
    """Return the full FEN without one piece, drawn uniformly among those that are no kings.

    Args:
        fen: A full FEN; it is returned as it is where there are kings alone.
        seed: Seed of the draw.
    """
    placement, *others = fen.split()
    board = chess.BaseBoard(placement)
    squares = [
        square for square, piece in board.piece_map().items() if piece.piece_type != chess.KING
    ]
    if squares:
        generator = np.random.default_rng(derived_seed(seed, "one piece less", fen))
        board.remove_piece_at(sorted(squares)[int(generator.integers(len(squares)))])
    return " ".join([board.board_fen(), *others])


def piece_count(fen: str) -> int:
    """Return how many pieces stand on the board of a FEN."""
    return len(chess.Board(fen).piece_map())


def is_check(fen: str) -> bool:
    """Return whether the side to move is in check on the board of a FEN."""
    return chess.Board(fen).is_check()


def with_random_losses(fen: str, *, rate: float, seed: int) -> str:
    """Return a position from which each piece but a king is missing with a probability.

    Args:
        fen: The position. Castling rights of rooks that are missing are not written.
        rate: The probability, in [0, 1].
        seed: At least 0; what is missing at one rate is missing at every higher one.
    """
    board = chess.Board(fen)
    missing = np.random.default_rng(seed).random(len(chess.SQUARES)) < rate
    for square in chess.SquareSet(board.occupied & ~board.kings):
        if missing[square]:
            board.remove_piece_at(square)
    return board.fen()

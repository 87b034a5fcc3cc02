"""Boards with one mistake, as when a model writes a character wrongly."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

import chess
import numpy as np

from workbench.errors import InvalidArgumentError

Change = Callable[[chess.Board, np.random.Generator], str | None]


def changed_board(
    fen: str, change: Change, generator: np.random.Generator
) -> tuple[str, str] | None:
    """Return what a change did to a board, in words, and the full FEN after it.

    Args:
        fen: A full FEN.
        change: Of `CHANGES`.
        generator: For what it draws.

    Returns:
        None where the board allows no such change, or it would leave one that cannot arise.
    """
    board = chess.Board(fen)
    said = change(board, generator)
    return None if said is None or not board.is_valid() else (said, board.fen())


def near_board(fen: str, seed: int) -> str:
    """Return the board with one piece, not a king, written on an empty square instead of its own.

    Of all such changes that leave a valid board one is drawn uniformly.

    Args:
        fen: A full FEN of a valid board.
        seed: Seed of the draw.

    Raises:
        InvalidArgumentError: If no such change leaves a valid board.
    """
    before = chess.Board(fen)
    origins = [s for s, piece in before.piece_map().items() if piece.piece_type != chess.KING]
    targets = [square for square in chess.SQUARES if before.piece_at(square) is None]
    choices = [(origin, target) for origin in sorted(origins) for target in targets]
    for place in np.random.default_rng(seed).permutation(len(choices)):
        origin, target = choices[place]
        after = before.copy(stack=False)
        after.set_piece_at(target, after.remove_piece_at(origin))
        if after.is_valid():
            return after.fen()
    raise InvalidArgumentError(
        f"expected a board with a piece that can move elsewhere, got {fen!r}; take another board"
    )


def _drawn(
    board: chess.Board, generator: np.random.Generator, colour: chess.Color
) -> tuple[chess.Square, chess.Piece] | None:
    """Draw a piece of one side that is no king."""
    squares = sorted(chess.SquareSet(board.occupied_co[colour] & ~board.kings))
    if not squares:
        return None
    square = squares[int(generator.integers(len(squares)))]
    piece = board.piece_at(square)
    assert piece is not None
    return square, piece


def _empty(board: chess.Board, generator: np.random.Generator) -> chess.Square:
    # Ranks 1 and 8 hold no pawns: what is set down stays on the ranks between.
    squares = [s for s in range(chess.A2, chess.A8) if board.piece_at(s) is None]
    return squares[int(generator.integers(len(squares)))]


def _said(square: chess.Square, piece: chess.Piece) -> str:
    side = chess.COLOR_NAMES[piece.color].capitalize()
    return f"{side}'s {chess.piece_name(piece.piece_type)} {chess.square_name(square)}"


def _removal(owner: Literal["own", "other"]) -> Change:
    def change(board: chess.Board, generator: np.random.Generator) -> str | None:
        drawn = _drawn(board, generator, board.turn == (owner == "own"))
        if drawn is None:
            return None
        board.remove_piece_at(drawn[0])
        return f"{_said(*drawn)} removed"

    return change


def _displacement(owner: Literal["own", "other"]) -> Change:
    def change(board: chess.Board, generator: np.random.Generator) -> str | None:
        drawn = _drawn(board, generator, board.turn == (owner == "own"))
        if drawn is None:
            return None
        target = _empty(board, generator)
        board.set_piece_at(target, board.remove_piece_at(drawn[0]))
        return f"{_said(*drawn)} on {chess.square_name(target)}"

    return change


def _recolouring(board: chess.Board, generator: np.random.Generator) -> str | None:
    drawn = _drawn(board, generator, bool(generator.integers(2)))
    if drawn is None:
        return None
    square, piece = drawn
    board.set_piece_at(square, chess.Piece(piece.piece_type, not piece.color))
    return f"{_said(square, piece)} in the other colour"


def _addition(board: chess.Board, generator: np.random.Generator) -> str | None:
    square = _empty(board, generator)
    kind = chess.PIECE_TYPES[int(generator.integers(5))]
    piece = chess.Piece(kind, bool(generator.integers(2)))
    board.set_piece_at(square, piece)
    return f"{_said(square, piece)} added"


def _other_kind(board: chess.Board, generator: np.random.Generator) -> str | None:
    drawn = _drawn(board, generator, bool(generator.integers(2)))
    if drawn is None:
        return None
    square, piece = drawn
    kinds = [kind for kind in chess.PIECE_TYPES[:5] if kind != piece.piece_type]
    kind = kinds[int(generator.integers(len(kinds)))]
    board.set_piece_at(square, chess.Piece(kind, piece.color))
    return f"{_said(square, piece)} as a {chess.piece_name(kind)}"


def _exchange(board: chess.Board, generator: np.random.Generator) -> str | None:
    one, other = (_drawn(board, generator, colour) for colour in chess.COLORS)
    if one is None or other is None:
        return None
    board.set_piece_at(one[0], other[1])
    board.set_piece_at(other[0], one[1])
    return f"{_said(*one)} and {_said(*other)} exchanged"


CHANGES: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "piece of the side to move removed": _removal("own"),
        "piece of the other side removed": _removal("other"),
        "piece of the side to move displaced": _displacement("own"),
        "piece of the other side displaced": _displacement("other"),
        "piece recoloured": _recolouring,
        "piece added": _addition,
        "piece of another kind": _other_kind,
        "two pieces exchanged": _exchange,
    }
)
"""The eight errors of near boards; each changes a board and describes the change."""

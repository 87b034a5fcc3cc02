"""Sites of hands: a piece that a move brought to its square, and what could stand there, or where it could stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import chess
import numpy as np

from workbench.language_model.board_probe import piece_label
from workbench.language_model.hands import PIECES
from workbench.seeds import derived_seed

LATER: Final = 8
"""Plies after which it is asked whether what a hand changed is still written."""
COLOURS: Final = 2
KINDS: Final = len(PIECES) // COLOURS
KING: Final = KINDS - 1
"""The place of the king among the pieces of a colour."""
_FIRST_PLY: Final = 4
_LAST_PLY: Final = 120


@dataclass(frozen=True, slots=True)
class HandSite:
    """A piece, no king, that a move brought to its square and that still stands there.

    Attributes:
        moves: Of the game, up to `LATER` plies after the hand where it lasts so long.
        at: The ply after which the hand acts.
        ply: The ply that brought the piece, from 1.
        square: Where it stands.
        piece: Its place in `PIECES`.
        others: The places of the other pieces of its colour with which the board can arise.
        free: The empty squares on which it could stand instead.
        untouched: The squares that the next `LATER` plies do not change; none where the game ends before.
        draw: In [0, 1), which of the others, or of the squares, is intended.
    """

    moves: tuple[str, ...]
    at: int
    ply: int
    square: int
    piece: int
    others: tuple[int, ...]
    free: tuple[int, ...]
    untouched: frozenset[int]
    draw: float


def hand_sites(games: Sequence[Sequence[str]], seed: int = 0) -> list[HandSite]:
    """Return a site of each game, after a random ply up to the 120th; none where no piece can be replaced."""
    sites = []
    for number, moves in enumerate(games):
        generator = np.random.default_rng(derived_seed(seed, "hand", number))
        at = int(generator.integers(_FIRST_PLY, min(len(moves), _LAST_PLY) + 1))
        brought, board = _brought(moves, at)
        choices = [square for square in sorted(brought) if _others(board, square)]
        if not choices:
            continue
        square = choices[generator.integers(len(choices))]
        piece = board.piece_at(square)
        assert piece
        sites.append(
            HandSite(
                tuple(moves[: at + LATER]),
                at,
                brought[square],
                square,
                piece_label(piece) - 1,
                _others(board, square),
                _free(board, square),
                _untouched(board, moves[at : at + LATER]),
                float(generator.random()),
            )
        )
    return sites


def _brought(moves: Sequence[str], at: int) -> tuple[dict[int, int], chess.Board]:
    """Return the ply that brought each piece that stands where a move ended, and the board."""
    board = chess.Board()
    brought: dict[int, int] = {}
    for ply, text in enumerate(moves[:at], 1):
        move = chess.Move.from_uci(text)
        board.push(move)
        brought.pop(move.from_square, None)
        brought[move.to_square] = ply
    return {square: ply for square, ply in brought.items() if board.piece_at(square)}, board


def _others(board: chess.Board, square: int) -> tuple[int, ...]:
    """Return the places of the pieces that may be put; a king is neither put nor replaced."""
    piece = board.piece_at(square)
    assert piece
    if piece.piece_type == chess.KING:
        return ()
    own = piece_label(piece) - 1
    first = own - own % KINDS
    after = board.copy(stack=False)
    places = []
    for place in range(first, first + KING):
        after.set_piece_at(square, chess.Piece.from_symbol(PIECES[place]))
        if after.is_valid():
            places.append(place)
    return tuple(places)


def _free(board: chess.Board, square: int) -> tuple[int, ...]:
    """Return the empty squares on which a piece could stand instead."""
    piece = board.piece_at(square)
    places = []
    for other in chess.SQUARES:
        if board.piece_at(other) is None:
            after = board.copy(stack=False)
            after.remove_piece_at(square)
            after.set_piece_at(other, piece)
            if after.is_valid():
                places.append(other)
    return tuple(places)


def _untouched(board: chess.Board, moves: Sequence[str]) -> frozenset[int]:
    if len(moves) < LATER:
        return frozenset()
    after = board.copy(stack=False)
    squares = set(chess.SQUARES)
    for move in map(chess.Move.from_uci, moves):
        squares -= {move.from_square, move.to_square}
        after.push(move)
    # Rooks that castle and pawns taken in passing change squares that no move names.
    return frozenset(one for one in squares if after.piece_at(one) == board.piece_at(one))

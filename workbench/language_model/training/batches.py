"""Batches for training: games, some of which go on with random legal moves, and boards to write."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.cache import compiled_module
from workbench.environments.chess.kernel.kernel_functions import WIDTH, pack_fens
from workbench.language_model.vocabulary import (
    CASTLING_TOKEN,
    LARGEST_NUMBER,
    NUMBER,
    PASSANT,
    SIDE,
    SLOTS,
    SQUARES,
    START,
)

STARTS: Final = 16
"""Squares at which legal moves can start: the pieces of one side."""

_START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_RIGHTS: Final = ((15, "K"), (8, "Q"), (63, "k"), (56, "q"))
"""The bits of the castling rights in the last word of a packed board."""
_TO_FEN_ORDER: Final = np.arange(SQUARES).reshape(8, 8)[::-1].reshape(-1)


@dataclass(frozen=True, slots=True)
class LegalMoves:
    """The legal moves after each ply of games, as shares of all that are legal there.

    Attributes:
        starts: The squares that legal moves leave, shape (games, 1 + plies, STARTS), filled up
            with zeros.
        start_shares: The share of the legal moves that leave each, the same shape.
        end_shares: Of these, the share that enters each square, shape (games, 1 + plies, STARTS,
            SQUARES).
        examples: One legal move drawn uniformly, as in `Batch.moves`, shape (games, 1 + plies, 3).
        counts: Whether there is a legal move, shape (games, 1 + plies).
    """

    starts: NDArray[np.int32]
    start_shares: NDArray[np.float32]
    end_shares: NDArray[np.float32]
    examples: NDArray[np.int32]
    counts: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Batch:
    """Games and the boards in them.

    Attributes:
        moves: Shape (games, 1 + plies, 3), as `workbench.language_model.vocabulary.read_moves`
            gives them, filled up with zeros.
        at: The plies asked about, shape (games, boards).
        tokens: What is to be written, shape (games, boards, SLOTS).
        next_counts: Whether there is a move after each ply, shape (games, plies).
        legal: None where the next move is learned from the one that was played.
    """

    moves: NDArray[np.uint8]
    at: NDArray[np.int32]
    tokens: NDArray[np.int32]
    next_counts: NDArray[np.bool_]
    legal: LegalMoves | None = None


class Batches:
    """Draws batches from games, given as codes of two bytes a move.

    With ``legal`` a batch has all legal moves.
    """

    def __init__(
        self,
        games: Sequence[NDArray[np.uint16]],
        *,
        own_share: float = 0.5,
        legal: bool = False,
    ) -> None:
        self._games = games
        self._own_share = own_share
        self._legal = legal
        self._single = compiled_module("plain_walks")
        self._first = pack_fens([_START])[0]

    def draw(
        self, generator: np.random.Generator, games: int, plies: int, boards: int = 8
    ) -> Batch:
        """Draw a batch; ``boards`` are asked about in each game."""
        moves = np.zeros((games, plies + 1, 3), np.uint8)
        moves[:, 0] = START
        at = np.zeros((games, boards), np.int32)
        tokens = np.zeros((games, boards, SLOTS), np.int32)
        counts = np.zeros((games, plies), np.bool_)
        codes_after = np.zeros(
            (games if self._legal else 0, plies + 1, self._single.MOST_MOVES), np.uint16
        )
        legal_counts = np.zeros((games, plies + 1), np.int64)
        for index in range(games):
            codes = self._games[int(generator.integers(len(self._games)))]
            own = min(plies, len(codes))
            if generator.random() >= self._own_share:
                own = int(generator.integers(own + 1))
            codes, rows, clocks = self._played(codes[:own], plies, own, generator)
            length = len(codes)
            moves[index, 1 : length + 1] = _columns(codes)
            counts[index, :length] = True
            queries = generator.integers(length + 1, size=boards)
            at[index] = queries
            tokens[index] = board_tokens(rows[queries], clocks[queries], queries, self._single)
            if self._legal:
                legal_counts[index, : length + 1] = [
                    int(self._single.legal_codes(row, own))
                    for row, own in zip(rows[: length + 1], codes_after[index], strict=False)
                ]
        legal = None
        if self._legal:
            legal = _legal_moves(codes_after, legal_counts, generator.random((games, plies + 1)))
        return Batch(moves, at, tokens, counts, legal)

    def _played(
        self, codes: NDArray[np.uint16], plies: int, own: int, generator: np.random.Generator
    ) -> tuple[NDArray[np.uint16], NDArray[np.uint64], NDArray[np.int32]]:
        rows = np.zeros((plies + 1, WIDTH), np.uint64)
        clocks = np.zeros(plies + 1, np.int32)
        rows[0] = self._first
        played = np.zeros(plies, np.uint16)
        legal = np.zeros(self._single.MOST_MOVES, np.uint16)
        draws = generator.random(plies)
        for ply in range(plies):
            if ply < own:
                code = int(codes[ply])
            elif (count := int(self._single.legal_codes(rows[ply], legal))) == 0:
                return played[:ply], rows, clocks
            else:
                code = int(legal[int(draws[ply] * count)])
            played[ply] = code
            clocks[ply + 1] = 0 if _resets(rows[ply], code) else clocks[ply] + 1
            self._single.successor_row(rows[ply], np.uint64(code), rows[ply + 1])
        return played, rows, clocks


def _legal_moves(
    codes: NDArray[np.uint16], counts: NDArray[np.int64], draws: NDArray[np.float64]
) -> LegalMoves:
    outer = counts.shape
    flat, each = codes.reshape(-1, codes.shape[-1]), counts.reshape(-1)
    row, place = np.nonzero(np.arange(flat.shape[1]) < each[:, None])
    start, end = flat[row, place] & 63, flat[row, place] >> 6 & 63
    left = np.zeros((len(flat), SQUARES), np.bool_)
    left[row, start] = True
    order = left.cumsum(axis=1) - 1
    starts = np.zeros((len(flat), STARTS), np.int32)
    rows, squares = np.nonzero(left)
    starts[rows, order[rows, squares]] = squares
    index = (row * STARTS + order[row, start]) * SQUARES + end
    ends = np.bincount(index, minlength=len(flat) * STARTS * SQUARES).astype(np.float32)
    ends = ends.reshape(len(flat), STARTS, SQUARES)
    from_start = ends.sum(axis=-1)
    drawn = flat[np.arange(len(flat)), (draws.reshape(-1) * each).astype(np.int64)]
    return LegalMoves(
        starts.reshape(*outer, STARTS),
        (from_start / np.maximum(each, 1)[:, None]).astype(np.float32).reshape(*outer, STARTS),
        (ends / np.maximum(from_start, 1)[..., None]).reshape(*outer, STARTS, SQUARES),
        _columns(drawn).astype(np.int32).reshape(*outer, 3),
        counts > 0,
    )


def _resets(row: NDArray[np.uint64], code: int) -> bool:
    occupied = int(row[0]) | int(row[1]) | int(row[2]) | int(row[3]) | int(row[4])
    return bool(int(row[0]) >> (code & 63) & 1 or occupied >> (code >> 6 & 63) & 1)


def _columns(codes: NDArray[np.uint16]) -> NDArray[np.uint8]:
    promotion = codes >> 12
    columns = [codes & 63, codes >> 6 & 63, np.where(promotion > 0, promotion - 1, 0)]
    return np.stack(columns, axis=-1).astype(np.uint8)


def board_tokens(
    rows: NDArray[np.uint64], clocks: NDArray[np.int32], plies: NDArray[np.int64], single: Any
) -> NDArray[np.int32]:
    """Return the tokens that write boards, each as python-chess writes its FEN."""
    bits = np.unpackbits(
        rows.view(np.uint8).reshape(len(rows), WIDTH, 8), axis=-1, bitorder="little"
    )
    pawns, knights, diagonals, orthogonals, kings, white = (
        bits[:, word].reshape(len(rows), SQUARES).astype(np.int32) for word in range(6)
    )
    queens = diagonals & orthogonals
    kinds = (
        pawns
        + 2 * knights
        + 3 * (diagonals - queens)
        + 4 * (orthogonals - queens)
        + 5 * queens
        + 6 * kings
    )
    pieces = np.where(kinds > 0, kinds + 6 * (1 - white), 0)
    tokens = np.empty((len(rows), SLOTS), np.int32)
    tokens[:, :SQUARES] = pieces[:, _TO_FEN_ORDER]
    for index, meta in enumerate(rows[:, 7].tolist()):
        rights = "".join(letter for bit, letter in _RIGHTS if meta >> bit & 1) or "-"
        tokens[index, SQUARES] = SIDE + 1 - (meta & 1)
        tokens[index, SQUARES + 1] = CASTLING_TOKEN[rights]
        tokens[index, SQUARES + 2] = PASSANT + _passant(rows[index], meta, single)
    tokens[:, SQUARES + 3] = NUMBER + np.minimum(clocks, LARGEST_NUMBER)
    tokens[:, SQUARES + 4] = NUMBER + 1 + plies // 2
    return tokens


def _passant(row: NDArray[np.uint64], meta: int, single: Any) -> int:
    """Return 0, or which of the 16 squares; python-chess writes one only if a capture is legal."""
    square = (meta >> 1 & 127) - 1
    if square < 0:
        return 0
    codes = np.zeros(single.MOST_MOVES, np.uint16)
    count = int(single.legal_codes(np.ascontiguousarray(row), codes))
    for code in codes[:count].tolist():
        if code >> 6 & 63 == square and int(row[0]) >> (code & 63) & 1:
            return 1 + square % 8 + (8 if square >= 32 else 0)
    return 0

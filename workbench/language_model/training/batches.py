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

QUERIES: Final = 8
"""Boards that are asked about in each game."""

_START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_RIGHTS: Final = ((15, "K"), (8, "Q"), (63, "k"), (56, "q"))
"""The bits of the castling rights in the last word of a packed board."""
_TO_FEN_ORDER: Final = np.arange(SQUARES).reshape(8, 8)[::-1].reshape(-1)


@dataclass(frozen=True, slots=True)
class Batch:
    """Games and the boards in them.

    Attributes:
        moves: Shape (games, 1 + plies, 3), as `workbench.language_model.vocabulary.read_moves`
            gives them, filled up with zeros.
        at: The plies asked about, shape (games, boards).
        tokens: What is to be written, shape (games, boards, SLOTS).
        next_counts: Whether there is a move after each ply, shape (games, plies).
    """

    moves: NDArray[np.uint8]
    at: NDArray[np.int32]
    tokens: NDArray[np.int32]
    next_counts: NDArray[np.bool_]


class Batches:
    """Draws batches from games, given as codes of two bytes a move."""

    def __init__(self, games: Sequence[NDArray[np.uint16]], *, own_share: float = 0.5) -> None:
        self._games = games
        self._own_share = own_share
        self._single = compiled_module("plain_walks")
        self._first = pack_fens([_START])[0]

    def draw(self, generator: np.random.Generator, games: int, plies: int) -> Batch:
        """Draw a batch."""
        moves = np.zeros((games, plies + 1, 3), np.uint8)
        moves[:, 0] = START
        at = np.zeros((games, QUERIES), np.int32)
        tokens = np.zeros((games, QUERIES, SLOTS), np.int32)
        counts = np.zeros((games, plies), np.bool_)
        for index in range(games):
            codes = self._games[int(generator.integers(len(self._games)))]
            own = min(plies, len(codes))
            if generator.random() >= self._own_share:
                own = int(generator.integers(own + 1))
            codes, rows, clocks = self._played(codes[:own], plies, own, generator)
            length = len(codes)
            moves[index, 1 : length + 1] = _columns(codes)
            counts[index, :length] = True
            queries = generator.integers(length + 1, size=QUERIES)
            at[index] = queries
            tokens[index] = board_tokens(rows[queries], clocks[queries], queries, self._single)
        return Batch(moves, at, tokens, counts)

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

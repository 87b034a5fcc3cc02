"""What pieces reach on an empty board, as tables of 64-bit words: bit ``8 * rank + file``, a1 = 0."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint64]

_ROOK_STEPS: Final = ((0, 1), (1, 0))
_BISHOP_STEPS: Final = ((1, 1), (-1, 1))
_KNIGHT_LEAPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_KING_LEAPS: Final = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def _word(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _leaps(square: int, leaps: tuple[tuple[int, int], ...]) -> int:
    file, rank = square % 8, square // 8
    return _word(
        [
            8 * (rank + up) + file + right
            for right, up in leaps
            if 0 <= rank + up < 8 and 0 <= file + right < 8
        ]
    )


def _ray(square: int, right: int, up: int) -> list[int]:
    file, rank = square % 8 + right, square // 8 + up
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(8 * rank + file)
        file, rank = file + right, rank + up
    return squares


def _table(rows: list[list[int]]) -> Table:
    return np.array(rows, dtype=np.uint64)


def _pairs() -> tuple[Table, Table]:
    between = [[0] * 64 for _ in range(64)]
    line = [[0] * 64 for _ in range(64)]
    for square in range(64):
        for right, up in _ROOK_STEPS + _BISHOP_STEPS:
            ahead, behind = _ray(square, right, up), _ray(square, -right, -up)
            whole = _word([*ahead, *behind, square])
            for ray in (ahead, behind):
                for distance, other in enumerate(ray):
                    between[square][other] = _word(ray[:distance])
                    line[square][other] = whole
    return _table(between), _table(line)


def _half_lines() -> Table:
    rows = []
    for square in range(64):
        row = []
        for right, up in _ROOK_STEPS + _BISHOP_STEPS:
            both = _ray(square, right, up) + _ray(square, -right, -up)
            row.append(_word([other for other in both if other < square]))
            row.append(_word([other for other in both if other > square]))
        rows.append(row)
    return _table(rows)


KNIGHT: Final = np.array([_leaps(s, _KNIGHT_LEAPS) for s in range(64)], dtype=np.uint64)
"""What a knight attacks."""

KING: Final = np.array([_leaps(s, _KING_LEAPS) for s in range(64)], dtype=np.uint64)
"""What a king attacks."""

HALF_LINES: Final = _half_lines()
"""For each square the squares below and above it (by index) on its file, rank, rising diagonal
and falling diagonal, in this order: shape (64, 8)."""

FILES: Final = HALF_LINES[:, 0] | HALF_LINES[:, 1]
"""The file of a square, without the square."""

RISING: Final = HALF_LINES[:, 4] | HALF_LINES[:, 5]
"""The diagonal of a square that runs like a1-h8, without the square."""

FALLING: Final = HALF_LINES[:, 6] | HALF_LINES[:, 7]
"""The diagonal of a square that runs like h1-a8, without the square."""

ORTHOGONAL: Final = HALF_LINES[:, 0] | HALF_LINES[:, 1] | HALF_LINES[:, 2] | HALF_LINES[:, 3]
"""What a rook attacks on an empty board."""

DIAGONAL: Final = RISING | FALLING
"""What a bishop attacks on an empty board."""

_BETWEEN_AND_LINE: Final = _pairs()

BETWEEN: Final = _BETWEEN_AND_LINE[0]
"""The squares strictly between two squares of one line, else none: shape (64, 64)."""

LINE: Final = _BETWEEN_AND_LINE[1]
"""The whole line through two distinct squares, both included, else none: shape (64, 64)."""

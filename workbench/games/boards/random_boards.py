"""Boards after given moves, after random ones, and with pieces on random squares."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from typing import Final, Literal

import chess
import numpy as np

from workbench.environments.chess.replay import play_moves
from workbench.environments.chess.text_metrics import levenshtein
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed


def played_board(moves: Iterable[str]) -> str:
    """Return the full FEN after moves in UCI from the initial position.

    Raises:
        IllegalMoveError: If one of them is not legal in its place.
    """
    return play_moves(moves).fen()


# Several readings compare other boards with the same ones.
@lru_cache(maxsize=1 << 16)
def random_board(plies: int, seed: int) -> str:
    """Return the full FEN after ``plies`` legal moves, each drawn uniformly.

    A game that finishes earlier is drawn again, so that every board has its moves.

    Args:
        plies: Half-moves, at least 0.
        seed: At least 0; the same seed gives the same board.
    """
    for attempt in count():
        generator = np.random.default_rng(derived_seed(seed, "random board", attempt))
        board = chess.Board()
        for _ in range(plies):
            moves = list(board.generate_legal_moves())
            if not moves:
                break
            board.push(moves[int(generator.integers(len(moves)))])
        else:
            return board.fen()
    raise AssertionError("unreachable: the loop above has no end")


Pieces = Literal["initial", "own"]
Side = Literal["drawn", "white", "same"]

_EMPTY: Final = re.compile("1+")
_INITIAL: Final = tuple(sorted(piece.symbol() for piece in chess.Board().piece_map().values()))


def scattered_board(
    fen: str, seed: int, *, pieces: Pieces = "initial", side: Side = "drawn"
) -> str:
    """Return the full FEN of a board whose pieces stand on random squares, all different.

    Nothing else is asked of the board: pawns may stand on the first and last rank, kings side by
    side, and either king in check. There are no castling rights and no en-passant square.

    Args:
        fen: The board that it will be compared with.
        seed: At least 0.
        pieces: The 32 of the initial position, or those of ``fen``.
        side: To move: drawn uniformly, White, or the same as in ``fen``.
    """
    generator = np.random.default_rng(derived_seed(seed, "scattered board"))
    placement, turn = fen.split()[:2]
    symbols = _INITIAL if pieces == "initial" else sorted(filter(str.isalpha, placement))
    turn = {"drawn": "bw"[generator.integers(2)], "white": "w", "same": turn}[side]
    board = ["1"] * 64
    for symbol, square in zip(symbols, generator.permutation(64).tolist(), strict=False):
        board[square] = symbol
    ranks = "/".join("".join(board[first : first + 8]) for first in range(56, -1, -8))
    return f"{_EMPTY.sub(lambda run: str(len(run[0])), ranks)} {turn} - - 0 1"


def boards_at_distance(
    distance: int, plies: int, seed: int, attempts: int = 100_000
) -> tuple[str, str]:
    """Return two random boards whose full FENs are ``distance`` edits apart.

    Args:
        distance: The Levenshtein distance wanted; the paper's figure has 17.
        plies: Half-moves played on each, at least 1.
        seed: At least 0.
        attempts: Pairs tried at most.

    Raises:
        InvalidArgumentError: If none of the pairs tried has this distance.
    """
    for attempt in range(attempts):
        one, other = (random_board(plies, derived_seed(seed, side, attempt)) for side in "ST")
        if levenshtein(one, other) == distance:
            return one, other
    raise InvalidArgumentError(
        f"expected two boards {distance!r} edits apart after {plies!r} random plies, found none "
        f"among {attempts!r} pairs; ask for another distance or number of plies"
    )

"""Boards reached by uniformly drawn legal moves from the initial position."""

from itertools import count

import chess
import numpy as np

from workbench.environments.chess.text_metrics import levenshtein
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed


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

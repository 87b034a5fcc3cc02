"""Games of uniformly drawn legal moves, for use without played games."""

from collections.abc import Iterator
from itertools import count

import chess
import numpy as np

from workbench.errors import InvalidArgumentError
from workbench.games.pgn import Game
from workbench.seeds import derived_seed


def random_games(number: int, plies: int, seed: int) -> Iterator[Game]:
    """Yield games of random legal moves, each independent of the others.

    A game that is finished (no legal move) before it has ``plies`` moves is left out, and the next
    one is drawn; its number in ``source`` is therefore missing.

    Args:
        number: Games to yield, at least 0.
        plies: Half-moves of each, at least 1.
        seed: At least 0; game k depends on the seed and k alone.

    Raises:
        InvalidArgumentError: If a number is out of range.
    """
    if number < 0 or plies < 1 or seed < 0:
        raise InvalidArgumentError(
            f"expected number >= 0, plies >= 1 and seed >= 0, got {number!r}, {plies!r}, {seed!r}"
        )
    yielded = 0
    for index in count():
        if yielded == number:
            return
        moves = _play(plies, derived_seed(seed, "random game", index))
        if len(moves) == plies:
            yielded += 1
            yield Game(tuple(moves), f"random-legal-moves#{index}")


def _play(plies: int, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    draws = generator.random(plies)
    board = chess.Board()
    moves: list[str] = []
    for draw in draws:
        legal = list(board.generate_legal_moves())
        if not legal:
            break
        move = legal[int(draw * len(legal))]
        moves.append(move.uci())
        board.push(move)
    return moves

"""The hidden states of a bundled model after plies of games, with the boards that are there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.environments.chess.replay import read_moves
from workbench.errors import InvalidArgumentError
from workbench.games.bundled import bundled_games
from workbench.language_model.bundled_models import TRAINING_GAMES
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.probing.board_labels import Labels, board_labels
from workbench.language_model.probing.linear_probe import Vectors
from workbench.seeds import derived_seed

MOST_PLIES: Final = 100
"""Boards to fit a probe on are taken up to here, as far as the longest of the five groups."""


@dataclass(frozen=True, slots=True)
class HiddenBoards:
    """Boards after plies of games, one a row.

    Attributes:
        vectors: Hidden states after the last ply, shape (rows, layers, width).
        labels: Shape (rows, LABELS).
        plies: Played before each, shape (rows,).
        moved: The label of the square that the last ply entered, shape (rows,).
        between: The squares that the last ply left and entered, shape (rows, 2).
    """

    vectors: Vectors
    labels: Labels
    plies: Labels
    moved: Labels
    between: Labels


def boards_to_fit(
    model: LanguageModel, left_out: Iterable[str], *, games: int, per_game: int, seed: int
) -> HiddenBoards:
    """Return boards of games that neither the model nor its test has seen.

    Args:
        model: Any.
        left_out: Identities of the games of the test.
        games: How many, at least 1.
        per_game: Boards of each, at most, after 1 to `MOST_PLIES` plies.
        seed: Seed of the choice.

    Raises:
        InvalidArgumentError: If there are not so many games left.
    """
    test = set(left_out)
    unseen = [game for game in bundled_games()[TRAINING_GAMES:] if game.game_id not in test]
    if not 1 <= games <= len(unseen) or per_game < 1:
        raise InvalidArgumentError(
            f"expected 1 to {len(unseen)} games and at least 1 board of each, got {games!r} and "
            f"{per_game!r}"
        )
    generator = np.random.default_rng(derived_seed(seed, "boards to fit"))
    asked = []
    for index in generator.choice(len(unseen), games, replace=False).tolist():
        moves = unseen[index].moves[:MOST_PLIES]
        count = min(per_game, len(moves))
        plies = 1 + generator.choice(len(moves), count, replace=False)
        asked.append((moves, np.sort(plies).tolist()))
    return _read(model, asked)


def boards_after(
    model: LanguageModel, positions: pd.DataFrame
) -> tuple[HiddenBoards, list[Vectors]]:
    """Return the boards of positions, in their order, and the hidden states after all their plies.

    Args:
        model: Any.
        positions: Rows of the POSITIONS schema, of chess, with moves.

    Returns:
        The boards, and for each the states after each of its plies, shape (plies, layers, width).
    """
    games = [str(moves).split() for moves in positions["moves"]]
    every = [model.hidden_states(moves).swapaxes(0, 1)[1:] for moves in games]
    return _read(model, [(moves, [len(moves)]) for moves in games], every), every


def _read(
    model: LanguageModel,
    asked: Sequence[tuple[Sequence[str], Sequence[int]]],
    every: Sequence[Vectors] | None = None,
) -> HiddenBoards:
    vectors: list[NDArray[np.float32]] = []
    labels: list[Labels] = []
    moved: list[int] = []
    for index, (moves, plies) in enumerate(asked):
        after = every[index] if every else model.hidden_states(moves).swapaxes(0, 1)[1:]
        for ply, (found, entered) in zip(plies, _after(tuple(moves), tuple(plies)), strict=True):
            vectors.append(after[ply - 1])
            labels.append(found)
            moved.append(entered)
    return HiddenBoards(
        np.stack(vectors),
        np.stack(labels),
        np.array([ply for _, plies in asked for ply in plies], dtype=np.int64),
        np.array(moved, dtype=np.int64),
        np.array([squares_between(moves[ply - 1]) for moves, plies in asked for ply in plies]),
    )


# The same games are read by several networks.
@lru_cache(maxsize=1 << 12)
def _after(moves: tuple[str, ...], plies: tuple[int, ...]) -> list[tuple[Labels, int]]:
    """Return the labels after plies, which ascend, and that of the square just entered."""
    found = []
    board = chess.Board()
    for ply, move in enumerate(read_moves(moves), 1):
        board.push(move)
        if ply in plies:
            labels = board_labels(board)
            found.append((labels, int(labels[move.to_square])))
    return found


def squares_between(move: str) -> tuple[int, int]:
    """Return the squares that a move in UCI leaves and enters."""
    read = chess.Move.from_uci(move)
    return read.from_square, read.to_square


def usual_moved(fitted: HiddenBoards, moves: Sequence[str]) -> list[int]:
    """Return for each move of a game the piece that its side moves most often between these squares.

    Nothing else is known of the game: no hidden state and no earlier move. Where no such move was fitted,
    the moves over as many files and ranks count, and where there is none of these, all of the side's.

    Args:
        fitted: Boards whose last moves are counted.
        moves: In UCI, from the initial position; White moves first.

    Returns:
        Labels of the squares entered.
    """
    sides = fitted.plies % 2
    steps = fitted.between % 8, fitted.between // 8
    found = []
    for ply, move in enumerate(moves, 1):
        between = np.array(squares_between(move))
        side = sides == ply % 2
        same = side & (fitted.between == between).all(axis=1)
        alike = side.copy()
        for at, asked in zip(steps, (between % 8, between // 8), strict=True):
            alike &= np.diff(at, axis=1)[:, 0] == asked[1] - asked[0]
        counted = next(each for each in (same, alike, side, sides >= 0) if each.any())
        found.append(int(np.bincount(fitted.moved[counted]).argmax()))
    return found


def usual_labels(fitted: HiddenBoards, at: Labels, window: int = 6) -> Labels:
    """Return the value that each label has most often about as late in a game.

    Args:
        fitted: Boards to count.
        at: Plies that are asked about, shape (rows,).
        window: Boards are counted whose ply differs by at most this, with the same side to move.

    Returns:
        Shape (rows, LABELS); zeros where there is no such board.
    """
    found = np.zeros((len(at), fitted.labels.shape[1]), np.int64)
    for ply in np.unique(at):
        apart = np.abs(fitted.plies - ply)
        near = fitted.labels[(apart <= window) & (apart % 2 == 0)]
        if len(near):
            found[at == ply] = [int(np.bincount(column).argmax()) for column in near.T]
    return found

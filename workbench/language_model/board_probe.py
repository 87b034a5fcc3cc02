"""Linear probes: which board can be read from the hidden states of a bundled model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize

from workbench.environments.chess.replay import pieces_of, read_moves
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidArgumentError
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import LanguageModel
from workbench.seeds import derived_seed

Vectors = NDArray[np.float32]
Labels = NDArray[np.int64]

PENALTY: Final = 1e-3
ITERATIONS: Final = 30
_NEGLIGIBLE: Final = 1e-6
_MEMORY: Final = 10


@dataclass(frozen=True, slots=True)
class LinearProbe:
    """A fitted probe.

    Attributes:
        weights: Shape (width, labels, values).
        intercepts: Shape (labels, values).
    """

    weights: Vectors
    intercepts: Vectors

    def answers(self, vectors: Vectors) -> Labels:
        """Return the likeliest value of each label; vectors have the shape (rows, width)."""
        width = len(self.weights)
        sums = vectors @ self.weights.reshape(width, -1) + self.intercepts.reshape(-1)
        answers: Labels = sums.reshape(len(vectors), *self.intercepts.shape).argmax(axis=-1)
        return answers


def fit_probe(
    vectors: Vectors,
    labels: Labels,
    values: int,
    *,
    penalty: float = PENALTY,
    iterations: int = ITERATIONS,
) -> LinearProbe:
    """Fit a probe by L-BFGS.

    Directions are scaled to variance 1 first, and those that hardly vary are left out.
    """
    rows, count = labels.shape
    if len(vectors) != rows or rows < 2:
        raise InvalidArgumentError(
            f"expected as many labels as vectors, at least 2, got {rows} and {len(vectors)}"
        )
    if labels.min() < 0 or labels.max() >= values or not penalty > 0 or iterations < 1:
        raise InvalidArgumentError(
            f"expected labels in range({values}), a penalty above 0 and at least 1 iteration, got "
            f"labels from {labels.min()} to {labels.max()}, {penalty!r} and {iterations!r}"
        )
    centre = vectors.mean(axis=0)
    scaling = _scaling(vectors - centre)
    # With a constant at the end, for the intercepts.
    scaled = np.ones((rows, scaling.shape[1] + 1), np.float32)
    scaled[:, :-1] = (vectors - centre) @ scaling
    # The values of a label are added up and compared: quickest where labels lie side by side.
    places = (np.arange(rows)[:, None] * values + labels) * count + np.arange(count)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, count, values)
        by_value = weights.swapaxes(1, 2).astype(np.float32, order="C")
        sums = (scaled @ by_value.reshape(len(weights), -1)).reshape(rows, values, count)
        sums -= sums.max(axis=1, keepdims=True)
        each = sums.reshape(-1)
        right = each[places].sum(dtype=np.float64)
        np.exp(sums, out=sums)
        totals = sums.sum(axis=1, keepdims=True)
        likelihood = right - np.log(totals).sum(dtype=np.float64)
        sums /= totals
        each[places] -= 1
        gradient = (scaled.T @ sums.reshape(rows, -1)).astype(np.float64) / rows
        gradient = gradient.reshape(-1, values, count).swapaxes(1, 2).reshape(weights.shape)
        slopes = weights[:-1]
        gradient[:-1] += penalty * slopes
        return -likelihood / rows + penalty / 2 * float((slopes**2).sum()), gradient.reshape(-1)

    first = np.zeros((scaled.shape[1], count * values))
    counts = np.stack([np.bincount(label, minlength=values) for label in labels.T])
    first[-1] = np.log((counts + 0.5) / (rows + 0.5 * values)).reshape(-1)
    optimum = minimize(
        loss,
        first.reshape(-1),
        args=(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxcor": _MEMORY},
    )
    weights = optimum.x.reshape(first.shape).astype(np.float32)
    own = scaling @ weights[:-1]
    intercepts = weights[-1] - centre @ own
    return LinearProbe(own.reshape(-1, count, values), intercepts.reshape(count, values))


def _scaling(centred: Vectors) -> Vectors:
    variances, directions = np.linalg.eigh(centred.T.astype(np.float64) @ centred / len(centred))
    large = variances > _NEGLIGIBLE * max(variances.max(), np.finfo(float).tiny)
    scaling: Vectors = (directions[:, large] / np.sqrt(variances[large])).astype(np.float32)
    return scaling


SQUARES: Final = 64
LABELS: Final = SQUARES + 6
VALUES: Final = 13

_SIDE: Final = SQUARES
_RIGHTS: Final = tuple(zip(range(_SIDE + 1, _SIDE + 5), "KQkq", strict=True))
_FILE: Final = _SIDE + 5
_RIGHTS_OF: Final = {
    chess.E1: (_SIDE + 1, _SIDE + 2),
    chess.H1: (_SIDE + 1,),
    chess.A1: (_SIDE + 2,),
    chess.E8: (_SIDE + 3, _SIDE + 4),
    chess.H8: (_SIDE + 3,),
    chess.A8: (_SIDE + 4,),
}
"""The places of the rights that end when a move leaves or enters a square."""
_KINDS: Final = len(chess.PIECE_TYPES)
_LABEL_OF: Final = np.zeros(128, np.int64)
"""By the code of a piece's letter in a FEN."""
_LABEL_OF[list(b"PNBRQKpnbrqk")] = range(1, VALUES)


def board_labels(board: chess.Board) -> Labels:
    """Return the labels of a position, shape (LABELS,)."""
    labels = np.zeros(LABELS, np.int64)
    labels[:SQUARES] = _LABEL_OF[np.frombuffer(pieces_of(board.board_fen()), np.uint8)]
    labels[_SIDE] = board.turn
    rights = board.castling_xfen()
    for place, letter in _RIGHTS:
        labels[place] = letter in rights
    if board.ep_square is not None:
        labels[_FILE] = 1 + chess.square_file(board.ep_square)
    return labels


def fen_of_labels(labels: Labels) -> str:
    """Return the FEN of labels, with clocks as at the start; nothing is repaired."""
    board = chess.BaseBoard.empty()
    for square in np.flatnonzero(labels[:SQUARES]).tolist():
        kind, colour = (int(labels[square]) - 1) % _KINDS, int(labels[square]) <= _KINDS
        board.set_piece_at(square, chess.Piece(kind + 1, colour))
    rights = "".join(letter for place, letter in _RIGHTS if labels[place])
    side, rank = ("w", "6") if labels[_SIDE] else ("b", "3")
    file = int(labels[_FILE])
    passant = chess.FILE_NAMES[file - 1] + rank if 1 <= file <= len(chess.FILE_NAMES) else "-"
    return f"{board.board_fen()} {side} {rights or '-'} {passant} 0 1"


def labels_from_moves(moves: Sequence[str], moved: Sequence[int]) -> Labels:
    """Return the board that follows if each move moved the piece that is said; shape (LABELS,).

    Nothing is checked. A piece that is said to be a king and goes two files takes the rook along; one
    that is said to be a pawn and changes its file to an empty square takes the pawn beside it.
    """
    labels = board_labels(chess.Board()).tolist()
    for move, piece in zip(read_moves(moves), moved, strict=True):
        start, end = move.from_square, move.to_square
        files = chess.square_file(end) - chess.square_file(start)
        kind = (piece - 1) % _KINDS + 1 if piece else 0
        if kind == chess.KING and abs(files) == 2:
            corner, beside = (end + 1, end - 1) if files > 0 else (end - 2, end + 1)
            labels[beside], labels[corner] = labels[corner], 0
        beside = chess.square(chess.square_file(end), chess.square_rank(start))
        if kind == chess.PAWN and files and not labels[end]:
            labels[beside] = 0
        labels[start], labels[end] = 0, piece
        for place in (*_RIGHTS_OF.get(start, ()), *_RIGHTS_OF.get(end, ())):
            labels[place] = 0
        double = kind == chess.PAWN and abs(end - start) == 2 * 8
        labels[_FILE] = 1 + chess.square_file(end) if double else 0
        labels[_SIDE] = 1 - labels[_SIDE]
    return np.array(labels, np.int64)


# Many readers answer at the same positions.
@lru_cache(maxsize=1 << 12)
def written_squares(text: object) -> Labels | None:
    """Return the squares of a written FEN, shape (SQUARES,); None if its placement cannot be read."""
    fen = Fen(text) if isinstance(text, str) else None
    if fen is None or fen.pieces is None:
        return None
    labels = _LABEL_OF[np.frombuffer(pieces_of(fen.fields[0]), np.uint8)]
    labels.flags.writeable = False
    return labels


def squares_of(texts: Iterable[object]) -> Labels:
    """Return the squares of FENs, shape (rows, SQUARES); -1 where they cannot be read."""
    squares = [written_squares(text) for text in texts]
    return np.stack([np.full(SQUARES, -1) if each is None else each for each in squares])


def standing(moves: Sequence[str]) -> NDArray[np.bool_]:
    """Return on which squares there is what a move put there, shape (rows, SQUARES).

    These are the squares that a move entered and no later one left; rooks that castled are not
    among them.
    """
    return np.array([_standing(text) for text in moves], np.bool_).reshape(-1, SQUARES)


@lru_cache(maxsize=1 << 10)
def _standing(moves: str) -> tuple[bool, ...]:
    standing = [False] * SQUARES
    for move in read_moves(moves.split()):
        standing[move.from_square] = False
        standing[move.to_square] = True
    return tuple(standing)


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
    """Return boards of games that neither the model nor its test has seen."""
    unseen = _unseen([model], left_out, games)
    if per_game < 1:
        raise InvalidArgumentError(f"per_game: expected at least 1 board, got {per_game!r}")
    generator = np.random.default_rng(derived_seed(seed, "boards to fit"))
    queries = []
    for index in generator.choice(len(unseen), games, replace=False).tolist():
        moves = unseen[index]
        count = min(per_game, len(moves))
        plies = 1 + generator.choice(len(moves), count, replace=False)
        queries.append((moves, np.sort(plies).tolist()))
    return _read(model, queries)


def games_to_fit(
    models: Sequence[LanguageModel], left_out: Iterable[str], games: int, seed: int
) -> list[tuple[str, ...]]:
    """Return the moves of games that neither the models nor their test has seen."""
    unseen = _unseen(models, left_out, games)
    generator = np.random.default_rng(derived_seed(seed, "games to fit"))
    return [unseen[index] for index in generator.choice(len(unseen), games, replace=False)]


def _unseen(
    models: Sequence[LanguageModel], left_out: Iterable[str], games: int
) -> list[tuple[str, ...]]:
    test = set(left_out)
    rest = bundled_games()[max(model.training_games for model in models) :]
    unseen = [game.moves[:MOST_PLIES] for game in rest if game.game_id not in test]
    if not 1 <= games <= len(unseen):
        raise InvalidArgumentError(f"expected 1 to {len(unseen)} games, got {games!r}")
    return unseen


def boards_after(
    model: LanguageModel, positions: pd.DataFrame
) -> tuple[HiddenBoards, list[Vectors]]:
    """Return the boards of positions, in their order, and the hidden states after all their plies."""
    games = [str(moves).split() for moves in positions["moves"]]
    every = [model.hidden_states(moves).swapaxes(0, 1)[1:] for moves in games]
    return _read(model, [(moves, [len(moves)]) for moves in games], every), every


def _read(
    model: LanguageModel,
    queries: Sequence[tuple[Sequence[str], Sequence[int]]],
    every: Sequence[Vectors] | None = None,
) -> HiddenBoards:
    vectors: list[NDArray[np.float32]] = []
    labels: list[Labels] = []
    moved: list[int] = []
    for index, (moves, plies) in enumerate(queries):
        after = every[index] if every else model.hidden_states(moves).swapaxes(0, 1)[1:]
        for ply, (board, entered) in zip(plies, _after(tuple(moves), tuple(plies)), strict=True):
            vectors.append(after[ply - 1])
            labels.append(board)
            moved.append(entered)
    return HiddenBoards(
        np.stack(vectors),
        np.stack(labels),
        np.array([ply for _, plies in queries for ply in plies], dtype=np.int64),
        np.array(moved, dtype=np.int64),
        np.array([squares_between(moves[ply - 1]) for moves, plies in queries for ply in plies]),
    )


# The same games are read by several networks.
@lru_cache(maxsize=1 << 12)
def _after(moves: tuple[str, ...], plies: tuple[int, ...]) -> list[tuple[Labels, int]]:
    """Return the labels after plies, which ascend, and that of the square just entered."""
    results = []
    board = chess.Board()
    for ply, move in enumerate(read_moves(moves), 1):
        board.push(move)
        if ply in plies:
            labels = board_labels(board)
            results.append((labels, int(labels[move.to_square])))
    return results


# Several networks read the same games.
@lru_cache(maxsize=1 << 12)
def moved_pieces(moves: tuple[str, ...]) -> Labels:
    """Return the label of the square that each ply entered, shape (plies,)."""
    board = chess.Board()
    labels = np.zeros(len(moves), np.int64)
    for ply, move in enumerate(read_moves(moves)):
        board.push(move)
        piece = board.piece_at(move.to_square)
        labels[ply] = 0 if piece is None else piece_label(piece)
    labels.flags.writeable = False
    return labels


def piece_label(piece: chess.Piece) -> int:
    """Return the label of a square with this piece."""
    return int(_LABEL_OF[ord(piece.symbol())])


def control_labels(moved: Labels, seed: int) -> Labels:
    """Return a random label for each pair of squares that a move leaves and enters, shape (64, 64).

    They are drawn from the labels of pieces that moved, and make a control task (Hewitt and Liang 2019,
    doi 10.18653/v1/D19-1275): what a probe has right of it comes from the squares alone.
    """
    generator = np.random.default_rng(derived_seed(seed, "control task"))
    labels: Labels = generator.choice(moved, (SQUARES, SQUARES))
    return labels


def squares_between(move: str) -> tuple[int, int]:
    """Return the squares that a move in UCI leaves and enters."""
    read = chess.Move.from_uci(move)
    return read.from_square, read.to_square


def usual_pieces(fitted: HiddenBoards, moves: Sequence[str]) -> list[int]:
    """Return for each move of a game the piece that its side moves most often between these squares.

    Nothing else is known of the game: no hidden state and no earlier move. Where no such move was fitted,
    the moves over as many files and ranks count, and where there is none of these, all of the side's.
    """
    sides = fitted.plies % 2
    steps = fitted.between % 8, fitted.between // 8
    pieces = []
    for ply, move in enumerate(moves, 1):
        between = np.array(squares_between(move))
        side = sides == ply % 2
        same = side & (fitted.between == between).all(axis=1)
        alike = side.copy()
        for at, step in zip(steps, (between % 8, between // 8), strict=True):
            alike &= np.diff(at, axis=1)[:, 0] == step[1] - step[0]
        counted = next(each for each in (same, alike, side, sides >= 0) if each.any())
        pieces.append(int(np.bincount(fitted.moved[counted]).argmax()))
    return pieces


def usual_labels(fitted: HiddenBoards, at: Labels, window: int = 6) -> Labels:
    """Return the value that each label has most often about as late in a game."""
    result = np.zeros((len(at), fitted.labels.shape[1]), np.int64)
    for ply in np.unique(at):
        apart = np.abs(fitted.plies - ply)
        near = fitted.labels[(apart <= window) & (apart % 2 == 0)]
        if len(near):
            result[at == ply] = [int(np.bincount(column).argmax()) for column in near.T]
    return result

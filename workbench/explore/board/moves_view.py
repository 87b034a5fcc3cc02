"""The moves of two boards, compared and named, for the arrows and lists."""

from dataclasses import dataclass
from typing import Any

import chess


@dataclass(frozen=True, slots=True)
class MoveSets:
    """The generated legal moves of a true and a predicted board.

    Attributes:
        only_true: Moves that the true board alone permits, in python-chess's order.
        only_predicted: Moves that the predicted board alone permits.
        shared: Moves that both permit, in the order of the true board.
    """

    only_true: tuple[chess.Move, ...]
    only_predicted: tuple[chess.Move, ...]
    shared: tuple[chess.Move, ...]


def move_sets(true: chess.Board | None, predicted: chess.Board | None) -> MoveSets:
    """Compare the moves of two boards; None is the sink, which permits nothing."""
    of_true = tuple(true.generate_legal_moves()) if true else ()
    of_predicted = tuple(predicted.generate_legal_moves()) if predicted else ()
    in_true, in_predicted = frozenset(of_true), frozenset(of_predicted)
    return MoveSets(
        tuple(move for move in of_true if move not in in_predicted),
        tuple(move for move in of_predicted if move not in in_true),
        tuple(move for move in of_true if move in in_predicted),
    )


def moves_view(true: chess.Board | None, predicted: chess.Board | None) -> dict[str, Any]:
    """Return the moves that either or both boards permit, as a page shows them.

    Args:
        true: The true board; None is the sink.
        predicted: The predicted board, likewise.

    Returns:
        ``only_true``, ``only_predicted`` and ``shared``: lists of moves, each with uci, from, to,
        promotion (a letter or None), san and words. A shared move is named as on the true board;
        where it has another name on the predicted board, the words give that as well.
    """
    sets = move_sets(true, predicted)
    found: dict[str, Any] = {"only_true": [], "only_predicted": [], "shared": []}
    if true:
        found["only_true"] = [move_answer(true, move) for move in sets.only_true]
    if predicted:
        found["only_predicted"] = [move_answer(predicted, move) for move in sets.only_predicted]
    if true and predicted:
        for move in sets.shared:
            answer = move_answer(true, move)
            other = predicted.san(move)
            if other != answer["san"]:
                answer["words"] += f" (predicted board: {other})"
            found["shared"].append(answer)
    return found


def move_answer(board: chess.Board, move: chess.Move) -> dict[str, Any]:
    """Return a legal move as a page shows it; see `moves_view`."""
    san = board.san(move)
    return {
        "uci": move.uci(),
        "from": chess.SQUARE_NAMES[move.from_square],
        "to": chess.SQUARE_NAMES[move.to_square],
        "promotion": chess.piece_symbol(move.promotion) if move.promotion else None,
        "san": san,
        "words": san,
    }


def different_squares(true: chess.Board, predicted: chess.Board) -> list[str]:
    """Return the squares on which two boards differ, a1 first; a promoted piece is what it became."""
    return [
        name
        for square, name in enumerate(chess.SQUARE_NAMES)
        if true.piece_at(square) != predicted.piece_at(square)
    ]

"""All values that the explorer shows for a pair of boards, their moves, and the boards after a shared move."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

import chess

from workbench.automaton import Sink
from workbench.environments.chess.state import FIELD_NAMES, Fen
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore.board_reading import (
    CHESS,
    ReadBoard,
    Which,
    game_over_words,
    no_state_words,
    read_board,
    state_of_true,
)
from workbench.explore.depth_profile import depth_profile
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.long_texts import quoted
from workbench.metrics import pair_values


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


_DEFAULTS: Final = ExplorerSettings()


def pair_view(
    true_fen: str, predicted_fen: str | None, settings: ExplorerSettings = _DEFAULTS
) -> dict[str, Any]:
    """Compare two boards.

    Returns:
        Values as JSON can hold them, undefined ones None: ``true`` and ``predicted`` (the fields,
        class, status flags and what they mean in words), ``different`` (squares), ``moves``
        (``only_true``, ``only_predicted``, ``shared``), ``text`` (exact match, Levenshtein
        distance, whether that is the distance to no text, board accuracy, each field right or
        wrong), ``profile`` (see `workbench.explore.depth_profile.depth_profile`) and ``seconds``.
    """
    return compare_boards(
        read_board(true_fen, "true"), read_board(predicted_fen, "predicted"), settings
    )


def compare_boards(
    true: ReadBoard, predicted: ReadBoard, settings: ExplorerSettings
) -> dict[str, Any]:
    """Compare two boards that were read; see `pair_view`."""
    began = perf_counter()
    state = predicted.state(settings.ill_formed)
    profile = depth_profile(CHESS, state_of_true(true), state, settings)
    taken = None if isinstance(state, Sink) else predicted.board
    if taken is None:
        profile["reason"] = f"{no_state_words(predicted)}: p and r are 0"
    over = game_over_words(true.board, predicted.board)
    if over:
        profile["reason"] = f"{over}; {profile['reason']}"
    different: list[str] = []
    if true.board is not None and predicted.board is not None:
        different = different_squares(true.board, predicted.board)
    return {
        "true": true.answer(),
        "predicted": predicted.answer(),
        "different": different,
        "moves": moves_view(true.board, taken),
        "text": _text(true.fen, predicted.fen),
        "profile": profile,
        "seconds": perf_counter() - began,
    }


def _text(true: Fen, predicted: Fen) -> dict[str, Any]:
    scores = pair_values(environment_named(DEFAULT), true, predicted)
    accuracy = scores["board_accuracy"]
    return {
        "exact_match": scores["exact_match"],
        "levenshtein": scores["levenshtein"],
        "levenshtein_to_empty": scores["levenshtein_to_empty"],
        "board_accuracy": None if math.isnan(accuracy) else accuracy,
        "correct": {name: scores[f"correct_{name}"] for name in FIELD_NAMES},
    }


def step(true_fen: str, predicted_fen: str, uci: str) -> tuple[str, str]:
    """Make a shared move on both boards.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another.
        uci: A generated legal move of both boards, castling as the king's move of two squares.

    Returns:
        The full FENs of the true and the predicted board after the move, written as python-chess
        writes them: an en-passant square only where a capture is legal.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If the move is not legal on both boards; the message says on which.
    """
    boards = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    true, predicted = _stepped(*boards, uci)
    return true.text, predicted.text


def _stepped(true: ReadBoard, predicted: ReadBoard, uci: str) -> tuple[ReadBoard, ReadBoard]:
    sets = move_sets(true.board, predicted.board)
    if uci not in {move.uci() for move in sets.shared}:
        if uci in {move.uci() for move in sets.only_true}:
            where = "it is legal on the true board only"
        elif uci in {move.uci() for move in sets.only_predicted}:
            where = "it is legal on the predicted board only"
        else:
            where = "it is legal on neither board"
        raise InvalidArgumentError(
            f"expected a move that both boards permit, got {quoted(uci)}: {where} "
            f"(true {true.text!r}, predicted {predicted.text!r})"
        )
    return _after(true, uci, "true"), _after(predicted, uci, "predicted")


def replay(true_fen: str, predicted_fen: str, line: Sequence[str]) -> tuple[str, str]:
    """Make the shared moves of a line, one after the other, on both boards.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another.
        line: Moves as for `step`; none leaves both texts as they are.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If a move is not legal on both boards; the message says which.
    """
    if not line:
        return true_fen, predicted_fen
    boards = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    true, predicted = replay_boards(*boards, line)
    return true.text, predicted.text


def replay_boards(
    true: ReadBoard, predicted: ReadBoard, line: Sequence[str]
) -> tuple[ReadBoard, ReadBoard]:
    """Make the shared moves of a line on two boards that were read; see `replay`."""
    for number, uci in enumerate(line, start=1):
        try:
            true, predicted = _stepped(true, predicted, uci)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"move {number} of the line: {error}") from error
    return true, predicted


def _after(read: ReadBoard, uci: str, which: Which) -> ReadBoard:
    assert read.board is not None
    board = read.board.copy(stack=False)
    board.push_uci(uci)
    # python-chess takes a promoted king for no king: the sign is kept where it was written.
    return read_board(board.fen(promoted="~" in read.text), which)

"""All values that the explorer shows for a pair of boards, their moves, and the boards after a shared move."""

import math
from collections.abc import Sequence
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
)
from workbench.explore.depth_profile import depth_profile
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.joint_tree import ActionSets, action_sets
from workbench.long_texts import quoted
from workbench.metrics import pair_values


def move_sets(true: chess.Board | None, predicted: chess.Board | None) -> ActionSets:
    """Compare the moves of two boards; None is the sink, which permits nothing."""
    moves = [list(board.generate_legal_moves()) if board else [] for board in (true, predicted)]
    return action_sets(*moves)


def moves_view(true: chess.Board | None, predicted: chess.Board | None) -> dict[str, Any]:
    """Return the moves that either or both boards permit, as a page shows them.

    Returns:
        ``only_true``, ``only_predicted`` and ``shared``: lists of moves, each with uci, from, to,
        promotion (a letter or None), san and words. A shared move is named as on the true board;
        where it has another name on the predicted board, the words give that as well.
    """
    sets = move_sets(true, predicted)
    view = {
        name: [move_answer(board, move) for move in moves] if board else []
        for (name, moves), board in zip(
            sets._asdict().items(), (true, predicted, true), strict=True
        )
    }
    for answer, move in zip(view["shared"], sets.shared, strict=True):
        assert predicted is not None
        other = predicted.san(move)
        if other != answer["san"]:
            answer["words"] += f" (predicted board: {other})"
    return view


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
    start = perf_counter()
    state = predicted.state(settings.ill_formed)
    profile = depth_profile(CHESS, true.fen.state, state, settings)
    board = None if isinstance(state, Sink) else predicted.board
    if board is None:
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
        "moves": moves_view(true.board, board),
        "text": _text(true.fen, predicted.fen),
        "profile": profile,
        "seconds": perf_counter() - start,
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


def _step(true: ReadBoard, predicted: ReadBoard, uci: str) -> tuple[ReadBoard, ReadBoard]:
    """Make a shared move on both boards; castling is the king's move of two squares."""
    sets = move_sets(true.board, predicted.board)
    where = {move.uci(): name for name, moves in sets._asdict().items() for move in moves}.get(uci)
    if where != "shared":
        words = {
            "only_true": "it is legal on the true board only",
            "only_predicted": "it is legal on the predicted board only",
        }.get(str(where), "it is legal on neither board")
        raise InvalidArgumentError(
            f"expected a move that both boards permit, got {quoted(uci)}: {words} "
            f"(true {true.text!r}, predicted {predicted.text!r})"
        )
    return _after(true, uci, "true"), _after(predicted, uci, "predicted")


def replay(true_fen: str, predicted_fen: str, line: Sequence[str]) -> tuple[str, str]:
    """Make the shared moves of a line, one after the other, on both boards.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another.
        line: Generated legal moves of both boards in UCI; none leaves both texts as they are.

    Returns:
        The full FENs of both boards after the moves, written as python-chess writes them: an
        en-passant square only where a capture is legal.

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
            true, predicted = _step(true, predicted, uci)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"move {number} of the line: {error}") from error
    return true, predicted


def _after(read: ReadBoard, uci: str, which: Which) -> ReadBoard:
    assert read.board is not None
    board = read.board.copy(stack=False)
    board.push_uci(uci)
    # python-chess takes a promoted king for no king: the sign is kept where it was written.
    return read_board(board.fen(promoted="~" in read.text), which)

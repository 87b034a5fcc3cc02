"""All values that the explorer shows for a pair of boards, from two FENs."""

import math
from time import perf_counter
from typing import Any, Final

from workbench.automaton import Sink
from workbench.environments.chess.fen import Fen
from workbench.environments.chess.text_metrics import FIELD_NAMES
from workbench.environments.registry import DEFAULT, environment_named
from workbench.explore.board.explored_chess import CHESS
from workbench.explore.board.game_over import where_over
from workbench.explore.board.moves_view import different_squares, moves_view
from workbench.explore.board.reading import ReadBoard, no_state_words, read_board, state_of_true
from workbench.explore.depth_profile import depth_profile
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.metrics import pair_values

_DEFAULTS: Final = ExplorerSettings()


def pair_view(
    true_fen: str, predicted_fen: str | None, settings: ExplorerSettings = _DEFAULTS
) -> dict[str, Any]:
    """Compare two boards.

    Args:
        true_fen: A FEN that python-chess reads, well-formed or not.
        predicted_fen: Another; None or a blank text says that there is no predicted state.
        settings: How to measure.

    Returns:
        Values as JSON can hold them, undefined ones None: ``true`` and ``predicted`` (the fields,
        class, status flags and what they mean in words), ``different`` (squares), ``moves``
        (``only_true``, ``only_predicted``, ``shared``), ``text`` (exact match, Levenshtein
        distance, whether that is the distance to no text, board accuracy, each field right or
        wrong), ``profile`` (see `workbench.explore.depth_profile.depth_profile`) and ``seconds``.

    Raises:
        InvalidFenError: If a FEN cannot be read; the message says why in plain words.
    """
    return view_of(read_board(true_fen, "true"), read_board(predicted_fen, "predicted"), settings)


def view_of(true: ReadBoard, predicted: ReadBoard, settings: ExplorerSettings) -> dict[str, Any]:
    """Compare two boards that were read; see `pair_view`."""
    began = perf_counter()
    state = predicted.state(settings.ill_formed)
    profile = depth_profile(CHESS, state_of_true(true), state, settings)
    taken = None if isinstance(state, Sink) else predicted.board
    if taken is None:
        profile["reason"] = f"{no_state_words(predicted)}: p and r are 0"
    over = where_over(true.board, predicted.board)
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

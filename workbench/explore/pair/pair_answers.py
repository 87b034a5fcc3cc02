"""The answers of BoardPair to its page, and its values from a table row: plain functions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import chess
import pandas as pd

from workbench.drawing.reply_words import class_words
from workbench.environments.chess.classification import classify_given
from workbench.environments.chess.fen import Fen
from workbench.environments.chess.replay import numbered_san, read_moves
from workbench.errors import InvalidFenError
from workbench.explore.board.fen_problems import explain, unsupported
from workbench.explore.board.reading import board_problem, read_board
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_rows import aside_traits, cell_text, row_values
from workbench.explore.pair.pair_view import view_of
from workbench.explore.pair.pair_widget import pair_arguments
from workbench.explore.pair.stepping import replay_boards
from workbench.long_texts import quoted

TRUE_FEN: Final = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5"
PREDICTED_FEN: Final = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P4/PPP1NPPP/RNBQK2R w KQkq - 1 5"
"""The pair of boards to begin with: a knight that went to f3 is believed to be on e2."""


def compare_answer(
    true_fen: str, predicted_fen: str, line: Sequence[str], settings: ExplorerSettings
) -> dict[str, Any]:
    """Compare two boards after a line of shared moves, or explain which FEN cannot be read.

    Args:
        true_fen: The true board before the line.
        predicted_fen: The predicted board before the line; empty for no predicted state.
        line: Shared moves in UCI.
        settings: How to measure.

    Returns:
        Either ``problems``, a text for ``true`` or ``predicted`` or both; or ``view`` (see
        `pair_view`, of the boards after the line), ``line_words`` (the moves in SAN) and ``code``
        (see `pair_code`).

    Raises:
        InvalidArgumentError: If a move of the line is not legal on both boards.
    """
    try:
        true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    except InvalidFenError:
        return {"problems": fen_problems(true_fen, predicted_fen)}
    return {
        "view": view_of(*replay_boards(true, predicted, line), settings),
        "line_words": numbered_san(read_moves(line), true.fen.board.copy()),
        "code": pair_code(true.text, predicted.text, line, settings),
    }


def fen_problems(true_fen: str, predicted_fen: str) -> dict[str, str]:
    """Return what is wrong with each FEN that cannot be read, in words, by the board's name."""
    given = classify_given(true_fen).parsed or Fen("")
    found = {"true": board_problem(true_fen) or unsupported(given)}
    if predicted_fen.strip():
        found["predicted"] = board_problem(predicted_fen)
    return {name: words for name, words in found.items() if words is not None}


def checked_fen(true_fen: str = "", predicted_fen: str = "") -> str:
    """Return the FEN that was given, alone or in a text, with single spaces and plain hyphens.

    Raises:
        InvalidFenError: If it cannot; the message says why in plain words.
    """
    for name, words in fen_problems(true_fen or chess.STARTING_FEN, predicted_fen).items():
        fen = true_fen if name == "true" else predicted_fen
        raise InvalidFenError(f"the {name} FEN {quoted(fen)} cannot be read: {words}")
    return read_board(true_fen or predicted_fen, "predicted").text


def pair_code(
    true_fen: str, predicted_fen: str, line: Sequence[str], settings: ExplorerSettings
) -> str:
    """Return one line of Python that recreates a pair; defaults are left out."""
    said = pair_arguments([true_fen, predicted_fen], list(line), settings)
    return f"from workbench.explore import BoardPair; BoardPair({said})"


def row_traits(row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
    """Return what BoardPair shows of a row of a table of scores or predictions.

    Args:
        row: At least ``true_state`` and ``predicted_state``; for what else is used see
            `workbench.explore.pair.pair_rows.aside_traits`.

    Returns:
        Arguments of BoardPair. A predicted FEN that cannot be read gives no predicted state, and
        the caption says what is wrong with it.

    Raises:
        TableError: If a FEN's column is missing, or the true FEN is.
        InvalidFenError: If the true FEN cannot be read.
    """
    values = row_values(row)
    predicted = cell_text(values["predicted_state"])
    fault = explain(predicted) if predicted else None
    problem = fault and f"The FEN in the reply cannot be read: {fault} (it is {quoted(predicted)})"
    return {
        "true_fen": checked_fen(true_fen=cell_text(values["true_state"])),
        "predicted_fen": "" if fault else predicted,
        **aside_traits(values, problem or "", class_words("absent")),
    }

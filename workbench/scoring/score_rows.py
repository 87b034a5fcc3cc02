"""Predictions to scores: state precision, recall and text metrics, one row per prediction."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import pandas as pd
import pyarrow as pa

from workbench.answers.classification import ReplyClass
from workbench.environments.chess import text_metrics
from workbench.environments.chess.chess960 import chess960_row
from workbench.environments.chess.kernel import pack_fens
from workbench.environments.chess.losing_track import lost_track
from workbench.environments.chess.reachability import violated_conditions
from workbench.errors import IllegalMoveError, InvalidFenError
from workbench.scoring.affordance_scores import affordance_scores
from workbench.scoring.parameters import READ, IllFormedPolicy, ScoringParameters, scores_schema
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import as_frame, as_records
from workbench.tables.reply_identity import REPLY_KEY

_STATES: Final = (ReplyClass.VALID, ReplyClass.ILL_FORMED)


def is_state(reply_class: str, ill_formed: IllFormedPolicy) -> bool:
    """Return whether a reply of this class is a state; otherwise it is the sink."""
    return reply_class == "valid" or (reply_class == "ill_formed" and ill_formed == "as_is")


def text_scores(true_fen: str, predicted_fen: str | None) -> dict[str, Any]:
    """Return the text metrics of one prediction.

    Where there is no FEN at all the distance is the one to the empty text, and the column
    ``levenshtein_to_empty`` says so.
    """
    predicted = predicted_fen or ""
    scores: dict[str, Any] = {"levenshtein_to_empty": not predicted}
    for fields in get_args(text_metrics.Fields):
        suffix = "" if fields == "full" else f"_{fields}"
        true_text = text_metrics.compared_text(true_fen, fields)
        predicted_text = text_metrics.compared_text(predicted, fields)
        scores[f"exact_match{suffix}"] = true_text == predicted_text
        scores[f"levenshtein{suffix}"] = text_metrics.levenshtein(true_text, predicted_text)
    right = text_metrics.field_correctness(true_fen, predicted)
    return {
        **scores,
        "board_accuracy": text_metrics.board_accuracy(true_fen, predicted),
        **{f"correct_{name}": value for name, value in right.items()},
    }


def backward_scores(
    moves: str | None, predicted_fen: str | None, reply_class: str
) -> dict[str, Any]:
    """Return the backward analysis of a prediction: reachability, and where tracking was lost.

    Args:
        moves: The game's UCI moves, or None if they are unknown.
        predicted_fen: The prediction, or None.
        reply_class: Boards that parse are held to the conditions of reachability.

    Returns:
        The columns violated_conditions, wrong_squares, lost_ply, lost_kind and lost_squares.
    """
    lost = lost_track(moves, predicted_fen)
    parses = predicted_fen is not None and reply_class in _STATES
    violated = violated_conditions(predicted_fen) if parses and predicted_fen else None
    return {
        "violated_conditions": None if violated is None else " ".join(violated),
        "wrong_squares": lost.true_squares,
        "lost_ply": lost.ply,
        "lost_kind": lost.kind,
        "lost_squares": lost.squares,
    }


def measured(rows: Sequence[Mapping[str, Any]], parameters: ScoringParameters) -> list[list[float]]:
    """Return precision and recall of rows whose true FEN can be read.

    Args:
        rows: With position_id, model, sample, true_fen, predicted_fen (None if there is none) and
            reply_class.
        parameters: The parameters of scoring.

    Returns:
        For each row the values in the order of `ScoringParameters.measures`.

    Raises:
        InvalidFenError: If a true FEN, or the predicted FEN of a state, cannot be read.
    """
    policy = parameters.ill_formed
    return affordance_scores(
        [row["true_fen"] for row in rows],
        [row["predicted_fen"] if is_state(row["reply_class"], policy) else None for row in rows],
        parameters,
        [
            derived_seed(
                parameters.seed,
                *(row[name] for name in REPLY_KEY if name != "setting" or row[name]),
                "score",
            )
            for row in rows
        ],
    )


def score_predictions(predictions: pd.DataFrame, parameters: ScoringParameters) -> pd.DataFrame:
    """Score a table of predictions in this thread.

    A row that cannot be scored stays, with its measures undefined and the reason in ``unscored``:
    a failed call, a true board that is missing, unreadable or of Chess960, or an inconsistent row.

    Args:
        predictions: Rows of the PREDICTIONS schema.
        parameters: The parameters of scoring.

    Returns:
        As many rows in the same order, with the columns of `scores_schema`.
    """
    rows: list[dict[str, Any]] = []
    readable: list[dict[str, Any]] = []
    for row in as_records(predictions, READ):
        moves = row.pop("moves")
        row |= {
            **dict.fromkeys(parameters.measures(), math.nan),
            "terminal": parameters.terminal,
            "ill_formed_policy": parameters.ill_formed,
            "method": parameters.method,
            "unscored": unscored_reason(row, moves),
        }
        rows.append(row)
        if row["unscored"]:
            continue
        try:
            row |= backward_scores(moves, row["predicted_fen"], row["reply_class"])
        except IllegalMoveError as error:
            row["unscored"] = f"moves: {error}"
            continue
        row |= text_scores(row["true_fen"], row["predicted_fen"])
        readable.append(row)
    for row, values in zip(readable, measured(readable, parameters), strict=True):
        row |= dict(zip(parameters.measures(), values, strict=True))
    return as_frame(pa.Table.from_pylist(rows, schema=scores_schema(parameters)))


def unscored_reason(row: Mapping[str, Any], moves: str | None) -> str:
    """Return why a row cannot be scored, or nothing if it can.

    Args:
        row: Of a predictions table, with None for what is missing.
        moves: The game's UCI moves, or None if they are unknown.
    """
    given = row["reply_class"]
    if given == ReplyClass.FAILED:
        return row["reason"] or "the call failed"
    if given not in tuple(ReplyClass):
        return f"reply_class: expected one of {', '.join(ReplyClass)}, got {given!r}"
    if fault := _fault_of(row["true_fen"]):
        return f"true_fen: {fault}"
    if reason := chess960_row(row["true_fen"], moves, (row["position_id"], row["source"])):
        return reason
    if given in _STATES and (fault := _fault_of(row["predicted_fen"])):
        return f"predicted_fen of a reply that is {given}: {fault}"
    return ""


def _fault_of(fen: str | None) -> str:
    if fen is None:
        return "expected a FEN, got none"
    try:
        pack_fens([fen])
    except InvalidFenError as error:
        # Its own message counts the FENs given to it.
        return str(error.__cause__)
    return ""

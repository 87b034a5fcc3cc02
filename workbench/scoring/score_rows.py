"""Predictions to scores: state precision, recall and text metrics, one row per prediction."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import pandas as pd
import pyarrow as pa
from rapidfuzz.distance import Levenshtein

from workbench.answers.classification import ReplyClass, plain_fen
from workbench.environments.chess import text_metrics
from workbench.environments.chess.chess960 import chess960_row
from workbench.environments.chess.fen import Fen
from workbench.environments.chess.losing_track import lost_track
from workbench.environments.chess.reachability import conditions_violated_by
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


def text_scores(true: Fen, predicted: Fen) -> dict[str, Any]:
    """Return the text metrics of one prediction.

    Where there is no FEN at all the distance is the one to the empty text, and the column
    ``levenshtein_to_empty`` says so.
    """
    scores: dict[str, Any] = {"levenshtein_to_empty": not predicted.text}
    for fields in get_args(text_metrics.Fields):
        suffix = "" if fields == "full" else f"_{fields}"
        true_text = text_metrics.compared_text(true, fields)
        predicted_text = text_metrics.compared_text(predicted, fields)
        scores[f"exact_match{suffix}"] = true_text == predicted_text
        scores[f"levenshtein{suffix}"] = Levenshtein.distance(true_text, predicted_text)
    right = text_metrics.field_correctness(true, predicted)
    return {
        **scores,
        "board_accuracy": text_metrics.board_accuracy(true, predicted),
        **{f"correct_{name}": value for name, value in right.items()},
    }


def backward_scores(moves: str | None, predicted: Fen, reply_class: str) -> dict[str, Any]:
    """Return the backward analysis of a prediction: reachability, and where tracking was lost.

    Args:
        moves: The game's UCI moves, or None if they are unknown.
        predicted: The prediction.
        reply_class: Boards that parse are held to the conditions of reachability.

    Returns:
        The columns violated_conditions, wrong_squares, lost_ply, lost_kind and lost_squares.
    """
    lost = lost_track(moves, predicted)
    violated = conditions_violated_by(predicted.board) if reply_class in _STATES else None
    return {
        "violated_conditions": None if violated is None else " ".join(violated),
        "wrong_squares": lost.true_squares,
        "lost_ply": lost.ply,
        "lost_kind": lost.kind,
        "lost_squares": lost.squares,
    }


def fens_of(row: Mapping[str, Any]) -> tuple[Fen, Fen]:
    """Return the true and the predicted FEN of a row; None, as a cell, is no text.

    The true FEN has single spaces and plain hyphens, as the predicted one got when it was read.
    """
    return plain_fen(row["true_fen"]), Fen(row["predicted_fen"] or "")


def measured(
    rows: Sequence[Mapping[str, Any]],
    fens: Sequence[tuple[Fen, Fen]],
    parameters: ScoringParameters,
) -> list[list[float]]:
    """Return precision and recall of rows whose true FEN can be read.

    Args:
        rows: With position_id, model, sample and reply_class.
        fens: The true and the predicted FEN of each.
        parameters: The parameters of scoring.

    Returns:
        For each row the values in the order of `ScoringParameters.measures`.

    Raises:
        InvalidFenError: If a true FEN, or the predicted FEN of a state, cannot be read.
    """
    policy = parameters.ill_formed
    return affordance_scores(
        [true.state for true, _ in fens],
        [
            predicted.state if is_state(row["reply_class"], policy) else None
            for row, (_, predicted) in zip(rows, fens, strict=True)
        ],
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
    fens: list[tuple[Fen, Fen]] = []
    for row in as_records(predictions, READ):
        moves = row.pop("moves")
        true, predicted = fens_of(row)
        row |= {
            **dict.fromkeys(parameters.measures(), math.nan),
            "terminal": parameters.terminal,
            "ill_formed_policy": parameters.ill_formed,
            "method": parameters.method,
            "unscored": unscored_reason(row, true, predicted, moves),
        }
        rows.append(row)
        if row["unscored"]:
            continue
        try:
            row |= backward_scores(moves, predicted, row["reply_class"])
        except IllegalMoveError as error:
            row["unscored"] = f"moves: {error}"
            continue
        row |= text_scores(true, predicted)
        readable.append(row)
        fens.append((true, predicted))
    for row, values in zip(readable, measured(readable, fens, parameters), strict=True):
        row |= dict(zip(parameters.measures(), values, strict=True))
    return as_frame(pa.Table.from_pylist(rows, schema=scores_schema(parameters)))


def unscored_reason(row: Mapping[str, Any], true: Fen, predicted: Fen, moves: str | None) -> str:
    """Return why a row cannot be scored, or nothing if it can.

    Args:
        row: Of a predictions table, with None for what is missing.
        true: Its true FEN.
        predicted: Its predicted FEN.
        moves: The game's UCI moves, or None if they are unknown.
    """
    given = row["reply_class"]
    if given == ReplyClass.FAILED:
        return row["reason"] or "the call failed"
    if given not in tuple(ReplyClass):
        return f"reply_class: expected one of {', '.join(ReplyClass)}, got {given!r}"
    if fault := _fault_of(true):
        return f"true_fen: {fault}"
    if reason := chess960_row(true, moves, (row["position_id"], row["source"])):
        return reason
    if given in _STATES and (fault := _fault_of(predicted)):
        return f"predicted_fen of a reply that is {given}: {fault}"
    return ""


def _fault_of(fen: Fen) -> str:
    if not fen.text:
        return "expected a FEN, got none"
    try:
        _ = fen.state
    except InvalidFenError as error:
        return str(error)
    return ""

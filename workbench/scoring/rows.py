"""Predictions to scores: state precision and recall beside the text metrics, a row a prediction."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pandas as pd
import pyarrow as pa

from workbench import text
from workbench.backward import lost_track, violated_conditions
from workbench.chess960 import chess960_row
from workbench.errors import InvalidFenError
from workbench.kernel import pack_fens
from workbench.replies.extract import ReplyClass
from workbench.scoring.affordance import affordance_scores
from workbench.scoring.parameters import COPIED, IllFormedPolicy, ScoringParameters, scores_schema
from workbench.seeds import derived_seed
from workbench.tables import as_frame


def is_state(reply_class: str, ill_formed: IllFormedPolicy) -> bool:
    """Return whether a reply of this class stands for a state; what does not is the sink."""
    return reply_class == "valid" or (reply_class == "ill_formed" and ill_formed == "as_is")


def text_scores(true_fen: str, predicted_fen: str | None) -> dict[str, Any]:
    """Return the text metrics of one prediction.

    Where there is no FEN at all the distance is the one to the empty text, and the column
    ``levenshtein_to_empty`` says so.
    """
    predicted = predicted_fen or ""
    scores: dict[str, Any] = {"levenshtein_to_empty": not predicted}
    for fields in get_args(text.Fields):
        suffix = "" if fields == "full" else f"_{fields}"
        true_text = text.compared_text(true_fen, fields)
        predicted_text = text.compared_text(predicted, fields)
        scores[f"exact_match{suffix}"] = true_text == predicted_text
        scores[f"levenshtein{suffix}"] = text.levenshtein(true_text, predicted_text)
    right = text.field_correctness(true_fen, predicted)
    return {
        **scores,
        "board_accuracy": text.board_accuracy(true_fen, predicted),
        **{f"correct_{name}": value for name, value in right.items()},
    }


def backward_scores(
    moves: str | None, predicted_fen: str | None, reply_class: str
) -> dict[str, Any]:
    """Return what a prediction says about its past: whether it has one, and where it went wrong.

    Args:
        moves: The game's UCI moves, or None if they are unknown.
        predicted_fen: The prediction, or None.
        reply_class: Boards that parse are held to the conditions of reachability.

    Returns:
        The columns violated_conditions, wrong_squares, lost_ply, lost_kind and lost_squares.
    """
    lost = lost_track(moves, predicted_fen)
    parses = predicted_fen is not None and reply_class in ("valid", "ill_formed")
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
        parameters: How to score.

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
            derived_seed(parameters.seed, row["position_id"], row["model"], row["sample"], "score")
            for row in rows
        ],
    )


def score_predictions(predictions: pd.DataFrame, parameters: ScoringParameters) -> pd.DataFrame:
    """Score a table of predictions in this thread.

    A failed call, and a row whose true FEN cannot be read or is of Chess960, stay, with their
    measures undefined and the reason in ``unscored``.

    Args:
        predictions: Rows of the PREDICTIONS schema.
        parameters: How to score.

    Returns:
        As many rows in the same order, with the columns of `scores_schema`.
    """
    rows: list[dict[str, Any]] = []
    readable: list[dict[str, Any]] = []
    for copied in predictions[[*COPIED, "moves"]].to_dict("records"):
        row: dict[str, Any] = {str(name): value for name, value in copied.items()}
        moves = row.pop("moves")
        fen = row["predicted_fen"] if isinstance(row["predicted_fen"], str) else None
        row |= {
            **dict.fromkeys(parameters.measures(), math.nan),
            "predicted_fen": fen,
            "terminal": parameters.terminal,
            "ill_formed_policy": parameters.ill_formed,
            "method": parameters.method,
            "unscored": "",
        }
        rows.append(row)
        if row["reply_class"] == ReplyClass.FAILED:
            row["unscored"] = row["reason"] or "the call failed"
            continue
        try:
            pack_fens([row["true_fen"]])
        except InvalidFenError as error:
            row["unscored"] = str(error)
            continue
        row["unscored"] = chess960_row(row["true_fen"], moves, (row["position_id"], row["source"]))
        if row["unscored"]:
            continue
        row |= text_scores(row["true_fen"], fen)
        row |= backward_scores(moves if isinstance(moves, str) else None, fen, row["reply_class"])
        readable.append(row)
    for row, values in zip(readable, measured(readable, parameters), strict=True):
        row |= dict(zip(parameters.measures(), values, strict=True))
    return as_frame(pa.Table.from_pylist(rows, schema=scores_schema(parameters)))

"""The replies of a run to one position: a list of them, and two of them beside the true board."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from workbench.environments.chess.text_metrics import FIELD_NAMES
from workbench.errors import InvalidFenError
from workbench.explore.board.fen_problems import describe
from workbench.explore.board.moves_view import different_squares
from workbench.explore.board.reading import read_board
from workbench.explore.run.run_table import RunTable
from workbench.explore.run.value_names import value_name
from workbench.scoring.score_rows import text_scores


def reply_name(row: "Mapping[str, Any] | pd.Series[Any]") -> str:
    """Return whose reply a row is: the model, and its setting and sample if they say anything."""
    parts = [value_name("model", row["model"])]
    if isinstance(row["setting"], str) and row["setting"]:
        parts.append(row["setting"])
    if pd.notna(row["sample"]) and row["sample"]:
        parts.append(f"sample {row['sample']}")
    return ", ".join(parts)


def other_replies(run: RunTable, row: int) -> list[dict[str, Any]]:
    """Return the other replies to a row's position, the highest p_m first.

    Args:
        run: The run.
        row: Its number, from 0.

    Returns:
        For each its ``row``, ``name``, ``reply_class``, ``edit_distance``, ``precision`` and
        ``recall``, NaN where undefined.
    """
    rows = run.rows
    same = (rows["position_id"] == rows["position_id"].iloc[row]) & (
        rows["true_fen"] == rows["true_fen"].iloc[row]
    )
    places = np.setdiff1d(np.flatnonzero(same), [row])
    ordered = rows.iloc[places].sort_values("precision", ascending=False, kind="stable")
    return [_listed(run, int(place)) for place in ordered.index]


def side_by_side(run: RunTable, row: int, other: int) -> dict[str, Any]:
    """Return two replies to one position, with the true board.

    Args:
        run: The run.
        row: The number of the first reply.
        other: The number of the second.

    Returns:
        ``true_fen``, and ``replies``: two as in `other_replies`, each with ``fen`` (the text of
        the reply's FEN, empty if it has none), ``board`` (the FEN of a board to draw, empty if
        none can be), ``different`` (squares that differ from the true board), ``fields`` (other
        fields of the FEN that do, in words) and ``words`` (what the board is, or why there is
        none).
    """
    true = read_board(run.rows["true_fen"].iloc[row], "true")
    assert true.board is not None
    replies = []
    for place in (row, other):
        found = run.rows.iloc[place]
        text = found["predicted_fen"] if isinstance(found["predicted_fen"], str) else ""
        shown = {"fen": text, "board": "", "different": [], "fields": [], "words": ""}
        try:
            predicted = read_board(text, "predicted")
        except InvalidFenError as error:
            shown["words"] = f"{error}."
        else:
            shown["words"] = describe(predicted.reply_class, predicted.flags)
            if predicted.board is not None:
                shown["board"] = predicted.text
                shown["different"] = different_squares(true.board, predicted.board)
                correct = text_scores(true.fen, predicted.fen)
                shown["fields"] = [
                    name.replace("_", " ")
                    for name in FIELD_NAMES
                    if name != "placement" and not correct[f"correct_{name}"]
                ]
        replies.append({**_listed(run, place), **shown})
    return {"true_fen": true.text, "replies": replies}


def _listed(run: RunTable, place: int) -> dict[str, Any]:
    row = run.rows.iloc[place]
    measures = ("reply_class", "edit_distance", "precision", "recall")
    return {"row": place, "name": reply_name(row), **{name: row[name] for name in measures}}

"""The models of a run: a row for each with its mean p_m, and two of them compared on common positions."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.answers.imports.true_states import UNKNOWN_GROUP
from workbench.drawing.reply_words import class_words
from workbench.drawing.score_description import scored_rows
from workbench.explore.run.run_table import RunTable, in_order, value_name
from workbench.prediction import CLASSES, READABLE, ReplyClass
from workbench.statistics.grouped import grouped_differences, grouped_means
from workbench.statistics.intervals import DIFFERENCE, SHARE

NAME: Final = "model_setting"
"""The column of a run by whose values models are compared."""

_READ: Final = (
    NAME, "model", "position_id", "group", "cluster", "precision", "reply_class", "unscored",
)  # fmt: skip

Numbers = Sequence[int] | NDArray[np.int64]


def model_rows(run: RunTable, numbers: Numbers, of_lengths: Numbers) -> dict[str, Any]:
    """Return a row for each model, and each setting where it has several, from some rows of a run.

    Args:
        run: The run.
        numbers: Of the rows.
        of_lengths: Of the rows of the means by length: those of all groups, if some are chosen.

    Returns:
        ``alike``: whether all models have the same positions. ``classes``: pairs of a class of replies and its words. ``lengths``: the groups, ascending.
        ``rows``: in the order of their names, each with ``name``, ``model``, the ``mean`` p_m with
        ``low`` and ``high`` (95%, by the variance between games, as `workbench.summary` has them; None
        where undefined), ``replies`` and ``games`` of that mean, ``undefined`` (scored, without a
        p_m), ``failed`` and ``unscored`` (left out of all numbers), the ``counts`` of the classes,
        the share ``readable``, and ``by_length``, the mean p_m of each group.
    """
    rows = run.rows[list(_READ)].iloc[list(numbers)]
    scored = scored_rows(rows)
    names = in_order(rows[NAME].unique())
    means = _by_name(grouped_means(scored, "precision", NAME, clusters="cluster", within=SHARE))
    of_classes = rows.groupby([NAME, "reply_class"]).size()
    unscored = (rows["unscored"] != "") & (rows["reply_class"] != ReplyClass.FAILED)
    of_unscored = unscored.groupby(rows[NAME]).sum()
    readable = scored["reply_class"].isin(READABLE).groupby(scored[NAME]).mean()
    in_groups = _with_length(run, of_lengths)
    lengths = sorted(in_groups["group"].unique().tolist())
    by_length = _by_name(
        in_groups.pivot_table("precision", NAME, "group", "mean", dropna=False).reset_index()
    )
    of_model = rows.drop_duplicates(NAME).set_index(NAME)["model"]
    classes = [name for name in CLASSES if name != ReplyClass.FAILED]
    table = []
    for name in names:
        mean, curve = means.get(name, {}), by_length.get(name, {})
        table.append(
            {
                "name": name,
                "model": value_name("model", of_model[name]),
                "mean": mean.get("value", np.nan),
                "low": mean.get("low", np.nan),
                "high": mean.get("high", np.nan),
                "replies": int(mean.get("count", 0)),
                "games": int(mean.get("games", 0)),
                "undefined": int(mean.get("undefined", 0)),
                "failed": int(of_classes.get((name, ReplyClass.FAILED), 0)),
                "unscored": int(of_unscored[name]),
                "counts": [int(of_classes.get((name, each), 0)) for each in classes],
                "readable": readable.get(name, np.nan),
                "by_length": [curve.get(length, np.nan) for length in lengths],
            }
        )
    asked = scored[[NAME, "position_id"]].drop_duplicates()
    alike = len(asked) == asked[NAME].nunique() * asked["position_id"].nunique()
    return {
        "alike": alike,
        "classes": [[name, class_words(name)] for name in classes],
        "lengths": [value_name("group", length) for length in lengths],
        "rows": table,
    }


def names_of(run: RunTable, models: Sequence[str]) -> list[str]:
    """Return the rows of `model_rows` that a choice of models names, in the order of the choice.

    Args:
        run: The run.
        models: Names of models, each for all of its settings, or of models with their setting.
    """
    pairs = run.rows[["model", NAME]].drop_duplicates()
    named = {name: value_name("model", model) for model, name in pairs.itertuples(index=False)}
    names = [
        name
        for each in models
        for name in in_order(name for name, model in named.items() if each in (name, model))
    ]
    return list(dict.fromkeys(names))


def compare_two(
    run: RunTable, numbers: Numbers, of_lengths: Numbers, one: str, other: str
) -> dict[str, Any]:
    """Compare two models by p_m on the positions that both have among some rows of a run.

    Args:
        run: The run.
        numbers: Of the rows.
        of_lengths: As of `model_rows`.
        one: A name of `model_rows`.
        other: Another one, whose p_m is subtracted.

    Returns:
        ``one``, ``other``, the mean ``difference`` with ``low`` and ``high`` (95%, by the variance
        between games), ``positions`` and ``games`` that both have, ``better``, ``worse`` and
        ``equal`` (positions at which the first is above, below and level), and ``by_length``: for
        each group ``length``, ``difference``, ``low``, ``high`` and ``positions``.
    """
    part = _scored(run, numbers)
    whole = _differences(part, one, other, ())
    total = whole.iloc[0] if len(whole) else {"value": np.nan, "low": np.nan, "high": np.nan}
    of_positions = position_differences(part, one, other)
    lengths = _differences(_with_length(run, of_lengths), one, other, ["group"])
    return {
        "one": one,
        "other": other,
        "difference": total["value"],
        "low": total["low"],
        "high": total["high"],
        "positions": len(of_positions),
        "games": int(total.get("games", 0)),
        "better": int((of_positions > 0).sum()),
        "worse": int((of_positions < 0).sum()),
        "equal": int((of_positions == 0).sum()),
        "by_length": [
            {
                "length": value_name("group", row["group"]),
                "difference": row["value"],
                "low": row["low"],
                "high": row["high"],
                "positions": int(row["count"]),
            }
            for row in lengths[lengths["count"] > 0].to_dict("records")
        ],
    }


def position_differences(rows: pd.DataFrame, one: str, other: str) -> "pd.Series[float]":
    """Return how far the p_m of one model is above another's at each position that both have.

    A position with several replies of a model counts by their mean.
    """
    means = rows.pivot_table("precision", "position_id", NAME, "mean").reindex(columns=[one, other])
    both = means.dropna()
    return both[one] - both[other]


def row_differences(run: RunTable, numbers: Numbers, names: Sequence[str]) -> "pd.Series[float]":
    """Return for each row of a run by how much one of two models is above the other at its position.

    It is defined where ``names`` are two of `model_rows`, for their rows among ``numbers`` at the
    positions that both have; NaN of all others.
    """
    differences = pd.Series(np.nan, run.rows.index)
    if len(names) == 2:
        rows = _scored(run, numbers)
        rows = rows[rows[NAME].isin(names)]
        of_rows = rows["position_id"].map(position_differences(rows, *names))
        differences[of_rows.index] = of_rows
    return differences


def _by_name(table: pd.DataFrame) -> dict[str, dict[Any, Any]]:
    return {row[NAME]: row for row in table.to_dict("records")}


def _scored(run: RunTable, numbers: Numbers) -> pd.DataFrame:
    # A few columns: a part of all of them would be copied for each model.
    return scored_rows(run.rows[list(_READ)].iloc[list(numbers)])


def _with_length(run: RunTable, numbers: Numbers) -> pd.DataFrame:
    rows = _scored(run, numbers)
    return rows[rows["group"].notna() & (rows["group"] != UNKNOWN_GROUP)]


def _differences(rows: pd.DataFrame, one: str, other: str, by: Sequence[str]) -> pd.DataFrame:
    part = rows[rows[NAME].isin([one, other])].assign(game=rows["cluster"])
    options: dict[str, Any] = {"between": NAME, "reference": other, "unit": "position_id"}
    return grouped_differences(part, "precision", by, within=DIFFERENCE, **options)

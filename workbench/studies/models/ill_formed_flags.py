"""Boards that cannot arise in chess: their share of each model's replies, by flag."""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, new_figure
from workbench.drawing.labels import labels, room, wrapped
from workbench.drawing.reply_words import status_words
from workbench.environments.registry import DEFAULT, environment_in_table
from workbench.prediction import ReplyClass

ANY: Final = "ANY"
"""The label of the share of all ill-formed boards."""


def compute(scores: pd.DataFrame, *, by: str = "model") -> pd.DataFrame:
    """Count the ill-formed boards of each model by python-chess's status flags.

    A board may have several flags, so that their shares add up to more than that of ``ANY``.

    Args:
        scores: Rows of a scores table; replies that could not be scored count as well, failed calls
            do not.
        by: ``model``, or another column that tells what is compared.

    Returns:
        Columns ``by``, flag ("ANY" first, then from the most frequent on), count, share (of all
        replies) and replies.
    """
    replies = scores[scores["reply_class"] != ReplyClass.FAILED].groupby(by).size()
    ill_formed = scores[scores["reply_class"] == "ill_formed"]
    flags = ill_formed.assign(flag=ill_formed["status"].str.split()).explode("flag")
    order = [ANY, *flags["flag"].value_counts(sort=True).sort_index(kind="stable").sort_values(
        ascending=False, kind="stable").index]  # fmt: skip
    counted = pd.concat([ill_formed.assign(flag=ANY), flags]).groupby([by, "flag"]).size()
    index = pd.MultiIndex.from_product([replies.index, order], names=[by, "flag"])
    table = counted.reindex(index, fill_value=0).rename("count").reset_index()
    table["replies"] = table[by].map(replies)
    table["share"] = table["count"] / table["replies"]
    return table


def draw(
    table: pd.DataFrame,
    note: str = "",
    by: str = "model",
    whose: str = "",
    environment: str = DEFAULT,
) -> Figure:
    """Draw the shares as a field of numbers, one row per model and one column per flag.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `Comparison.describe` gives.
        by: As for `compute`.
        whose: What is compared, for the title, such as `Comparison.whose` gives.
        environment: The name of the environment, for the words.
    """
    shares = table.pivot(index=by, columns="flag", values="share")[list(table["flag"].unique())]
    shares = shares.sort_values(ANY, ascending=False, kind="stable")
    replies = table.groupby(by)["replies"].first()
    rows, columns = shares.shape
    shown = labels(shares.index)
    names = [f"{shown[name]} ({replies[name]})" for name in shares.index]
    beyond = max(0.0, max(room(name, 8) for name in names) - 2.2)
    width = max(6.4, 3.2 + 0.62 * columns + beyond)
    figure, (axes,) = new_figure(width=width, height=3.4 + 0.34 * rows)
    axes.grid(visible=False)
    largest = max(0.01, float(shares.to_numpy().max()))
    axes.imshow(shares, cmap="Greys", vmin=0, vmax=largest * 1.35, aspect="auto")
    for (row, column), share in np.ndenumerate(shares.to_numpy()):
        axes.text(
            column,
            row,
            "·" if share == 0 else f"{share:.1%}",
            ha="center",
            va="center",
            fontsize=7.5,
            color="white" if share > 0.75 * largest else "black",
        )
    flags = ["anything", *(wrapped(status_words(flag), 3.2, 8) for flag in shares.columns[1:])]
    axes.set_xticks(
        range(columns),
        flags,
        rotation=40,
        ha="right",
        va="center",
        rotation_mode="anchor",
        fontsize=8,
    )
    axes.set_yticks(range(rows), names, fontsize=8)
    axes.axvline(0.5, color="0.3", linewidth=1.0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    named = environment_in_table(environment)
    caption(
        figure,
        f"Replies that parse, but cannot arise in {named.title}, by what is wrong",
        f"{note}\nshares of all replies (their number in brackets); several things may be wrong on a {named.state_noun}",
        whose,
    )
    return figure

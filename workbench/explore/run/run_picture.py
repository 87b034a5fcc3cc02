"""A run as one static picture: edit distance against p_m, marked by group."""

from typing import Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from workbench.drawing.appearance import caption, new_figure, style
from workbench.drawing.scores_in_words import describe_scores
from workbench.explore.run.run_columns import column_label
from workbench.explore.run.run_table import GAP, RunTable, group_name

_MOST_IN_COLUMN: Final = 18


def run_figure(run: RunTable) -> Figure:
    """Draw the rows of a run that have both measures; the note counts the others.

    Args:
        run: What `run_table` made.

    Returns:
        A figure that pyplot does not keep.
    """
    rows = run.rows
    drawn = rows["edit_distance"].notna() & rows["precision"].notna()
    figure, (axes,) = new_figure(width=7.2, height=4.4)
    measure = column_label("precision", run.depth)
    for index, (group, part) in enumerate(rows[drawn].groupby("group", dropna=False)):
        axes.scatter(
            part["edit_distance"],
            part["precision"],
            s=18,
            marker=style(index).marker,
            color=style(index).colour,
            alpha=0.6,
            edgecolors="white",
            linewidths=0.3,
            label=f"{group_name(group)} ({len(part):,})",
        )
    axes.set_xlabel("edit distance (characters)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(measure)
    axes.set_ylim(-0.03, 1.03)
    axes.legend(
        title="group (rows)",
        fontsize=8,
        title_fontsize=8,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        ncols=-(-max(1, rows["group"].nunique()) // _MOST_IN_COLUMN),
    )
    apart = rows[drawn]["disagreement"].abs()
    far = int(np.count_nonzero(apart >= GAP))
    left = int((~drawn).sum())
    caption(
        figure,
        f"Edit distance against {measure}: {far:,} of {len(rows):,} rows lie at least a quarter of the "
        "ranking apart",
        f"{describe_scores(rows)}; {left:,} rows without one of the two measures, not drawn",
    )
    return figure

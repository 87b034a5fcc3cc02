"""A run as one static picture: edit distance against p_m, marked by model, or by group if it is one."""

from typing import Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from workbench.drawing.appearance import caption, model_style, new_figure, style
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.scores_in_words import describe_scores
from workbench.explore.run.run_columns import column_label, marked_by
from workbench.explore.run.run_table import GAP, RunTable
from workbench.explore.run.value_names import in_order, value_names

_MOST_IN_COLUMN: Final = 18
_SLICES: Final = 20


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
    measure = column_label("precision", run)
    by = marked_by(run)
    names = value_names(rows, by)
    different = in_order(names.unique())
    looks = (
        model_style(different)
        if by == "model"
        else {name: style(index) for index, name in enumerate(different)}
    )
    counts = names[drawn].value_counts()
    # In mixed order: drawn one after the other, the last group would cover the rest.
    mixed = np.random.default_rng(0).permutation(np.flatnonzero(drawn))
    for number, places in enumerate(np.array_split(mixed, _SLICES)):
        for name, look in looks.items():
            part = rows.iloc[places][(names.iloc[places] == name).to_numpy()]
            axes.scatter(
                part["edit_distance"],
                part["precision"],
                s=18,
                marker=look.marker,
                facecolors=look.face,
                edgecolors="none" if look.face == look.colour else look.colour,
                alpha=0.6,
                linewidths=0.8,
                label=None if number else f"{name} ({counts.get(name, 0):,})",
            )
    axes.set_xlabel(f"{EDIT_DISTANCE.name} (characters)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(typeset(measure))
    axes.set_ylim(-0.03, 1.03)
    axes.legend(
        title=f"{by} (rows)",
        fontsize=8,
        title_fontsize=8,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        ncols=-(-max(1, len(different)) // _MOST_IN_COLUMN),
    )
    apart = rows[drawn]["disagreement"].abs()
    far = int(np.count_nonzero(apart >= GAP))
    left = int((~drawn).sum())
    sets = [name for name in in_order(value_names(rows, "set").unique()) if name != "none"]
    caption(
        figure,
        f"Edit distance against {measure}: {far:,} of {len(rows):,} rows lie at least a quarter of the "
        "ranking apart",
        f"{rows['position_id'].nunique():,} positions{' of ' if sets else ''}{', '.join(sets)}; "
        f"{describe_scores(rows)}; {left:,} rows without one of the two measures, not drawn",
    )
    return figure

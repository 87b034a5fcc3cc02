"""A model's answers against each other, beside the truth where it is known: by model, and by relation and length."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from workbench.consistency.calibration import MEASURES
from workbench.consistency.measure import summarize
from workbench.drawing.appearance import bar_lengths, caption, style
from workbench.drawing.labels import labels, typeset
from workbench.studies.panels import curve, draw_bars, legend_below, legend_beside, panels
from workbench.studies.recorded_models import model_looks

NEXT_ACTION = "next_action"
CONSISTENCY = ("consistency", "agreement of the two answers", style(0))
TRUTH = ("truth", "agreement with the true state", style(1))


def draw_recorded(
    models: pd.DataFrame, correlations: pd.DataFrame, note: str = "", *, relation: str = NEXT_ACTION
) -> Figure:
    """Draw consistency against truth, a point for each model, and what ranks models as truth does.

    Args:
        models: As of `workbench.consistency.recorded.by_model`.
        correlations: As of `workbench.consistency.calibration.between_models`.
        note: For the caption.
        relation: The relation that is drawn.
    """
    points = models[models["relation"] == relation]
    depth = points["depth"].iloc[0]
    figure, (left, right) = panels(1, 2, 3.9, width=12.5)
    looks = model_looks(points["model"])
    names = labels(points["model"])
    left.plot([0, 1], [0, 1], color="0.6", linewidth=0.8, zorder=1)
    for row in points.sort_values("consistency", ascending=False).to_dict("records"):
        look = looks[row["model"]]
        left.errorbar(
            row["truth"],
            row["consistency"],
            xerr=bar_lengths(*([row[f"truth{end}"]] for end in ("", "_low", "_high"))),
            yerr=bar_lengths(*([row[f"consistency{end}"]] for end in ("", "_low", "_high"))),
            linestyle="",
            marker=look.marker,
            color=look.colour,
            markerfacecolor=look.face,
            elinewidth=0.7,
            label=names[row["model"]],
        )
    left.set_xlim(-0.02, 1.02)
    left.set_ylim(-0.02, 1.02)
    left.set_xlabel(typeset(f"agreement with the true state (half p_{depth}, half r_{depth})"))
    left.set_ylabel("agreement of two answers of the model,\none move apart")
    legend_beside(left, fontsize=7)
    rows = correlations[correlations["relation"] == relation].set_index("measure")
    right.axvline(0, color="0.6", linewidth=0.8)
    order = [name for name in MEASURES if name in rows.index]
    for place, name in enumerate(order):
        draw_bars(right, [place], rows.loc[[name]], "rho", style(place), across=True, linestyle="")
    right.set_yticks(range(len(order)), [MEASURES[name] for name in order], fontsize=8)
    right.invert_yaxis()
    right.set_xlim(-1.05, 1.05)
    right.set_xlabel("Spearman's rho with the truth, between models", fontsize=9)
    caption(figure, "A ranking without an answer key", note)
    return figure


def by_length(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return consistency and truth by model, relation and length, with intervals by game.

    Args:
        pairs: As of `workbench.consistency.measure.measured_pairs`, with a column ``model``.
    """
    return summarize(pairs, ("model", "relation", "group"))


def draw_relations(table: pd.DataFrame, note: str = "", lengths: str = "full moves") -> Figure:
    """Draw consistency and truth by length, a row of panels for each model, a column for each relation."""
    models, relations = (list(dict.fromkeys(table[name])) for name in ("model", "relation"))
    figure, grid = panels(len(models), len(relations), 2.4)
    for row, model in enumerate(models):
        for column, relation in enumerate(relations):
            axes = grid[row * len(relations) + column]
            line = table[(table["model"] == model) & (table["relation"] == relation)]
            for shift, (name, label, look) in ((-0.4, CONSISTENCY), (0.4, TRUTH)):
                ends = {name: "mean", f"{name}_low": "low", f"{name}_high": "high"}
                means = line[["group", *ends]].rename(columns=ends)
                curve(axes, means, means["group"] + shift, label, look)
            axes.set_ylim(-0.03, 1.03)
            axes.set_xlabel(lengths, fontsize=8)
            axes.set_title(relation.replace("_", " "), fontsize=9)
        depth = table["depth"].iloc[0]
        grid[row * len(relations)].set_ylabel(
            typeset(f"{model}\nhalf p_{depth}, half r_{depth}"), fontsize=9
        )
    legend_below(grid[0], 2)
    caption(figure, "Two answers to one question: do they agree, and are they true?", note)
    return figure


def consistent_and_wrong(
    pairs: pd.DataFrame, by: Sequence[str] = ("model", "relation"), least: float = 0.5
) -> pd.DataFrame:
    """Return how often two answers are equal and both are wrong.

    Args:
        pairs: As of `workbench.consistency.measure.measured_pairs`, with the columns of ``by``.
        by: The groups.
        least: Truth below which the two are counted as far from the true state.

    Returns:
        By group: count (pairs without a failed call), ``equal``, ``equal_wrong`` (equal, and not the true
        state), ``equal_far`` (equal, with less truth than ``least``), ``wrong`` (share of pairs with a wrong
        answer) and ``equal_of_wrong`` (share of those whose two answers are equal; NaN without any).
    """
    rows = pairs[~pairs["failed"]].assign(
        wrong=pairs["truth"] < 1,
        equal_wrong=(pairs["equal"] == 1) & (pairs["truth"] < 1),
        equal_far=(pairs["equal"] == 1) & (pairs["truth"] < least),
    )
    groups = rows.groupby(list(by), sort=False)
    names = ["equal", "equal_wrong", "equal_far", "wrong"]
    table: pd.DataFrame = groups[names].mean()
    table.insert(0, "count", groups.size())
    share = table["equal_wrong"] / table["wrong"].where(table["wrong"] > 0)
    return table.assign(equal_of_wrong=share).reset_index()

"""How tracking emerges: every measure along the checkpoints of one training run."""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import RECORDED_LOOKS, caption, style
from workbench.drawing.labels import typeset
from workbench.drawing.scores_in_words import interval_words
from workbench.studies.language_models.means_by_game import ALL, means_by_game
from workbench.studies.language_models.panels import counts_in_words, curve, legend_below, panels

SHARES: Final[Mapping[str, str]] = {
    "precision": "state precision p_{depth}",
    "recall": "state recall r_{depth}",
    "exact_match_position": "exact boards, without the clocks",
    "squares": "squares right",
}
"""Measures that rise from 0 to 1."""

OTHERS: Final[Mapping[str, str]] = {
    "levenshtein": "edit distance",
    "ill_formed": "boards that cannot arise",
    "unreadable": "replies that are no FEN",
}

UNITS: Final[Mapping[str, str]] = {
    "precision": "mean",
    "recall": "mean",
    "exact_match_position": "share of boards",
    "squares": "share of squares",
    "levenshtein": "mean, in characters",
    "ill_formed": "share of boards",
    "unreadable": "share of replies",
}
"""What the vertical axis of each measure counts."""


def compute(
    scores: pd.DataFrame,
    steps: Mapping[str, int],
    *,
    depth: int = 4,
) -> pd.DataFrame:
    """Compute the mean of every measure for each model and length.

    Args:
        scores: The result of `workbench.studies.language_models.checkpoint_scores.scores_of_models`.
        steps: The training step of each model.
        depth: m.

    Returns:
        Columns model, step (0 for the baseline), length (full moves, as text; "all" last), measure,
        depth, mean, low, high, count, games and effective (number of games). The measures are those of `SHARES` and `OTHERS`;
        exact boards are compared without the clocks.
    """
    measured = scores.rename(
        columns={f"precision_{depth}": "precision", f"recall_{depth}": "recall"}
    )
    table = means_by_game(measured, ["model"], [*SHARES, *OTHERS])
    step = table["model"].map({**steps, BASELINE: 0}).astype(int)
    return table.assign(step=step, depth=depth)


def draw(table: pd.DataFrame, schedule: pd.DataFrame, whose: str, note: str = "") -> Figure:
    """Draw each measure against the training step, a line for each length of games.

    Steps before games were read to their full length are shaded.

    Args:
        table: The result of `compute`.
        schedule: The result of `workbench.studies.language_models.training_course.course`.
        whose: The model, for the title.
        note: Small print below the axes.
    """
    depth = table["depth"].iloc[0]
    figure, axes_of = panels(2, 3, 2.9)
    shown = ["precision", "recall", "exact_match_position", "levenshtein", "ill_formed"]
    lines = table[(table["length"] != ALL) & (table["step"] > 0)]
    baseline = table[(table["length"] == ALL) & (table["step"] == 0)].set_index("measure")["mean"]
    steps = sorted(lines["step"].unique())
    run = schedule[~schedule["branch"]]
    full = run[run["plies"] < run["plies"].max()]["step"].max()
    for axes, measure in zip(axes_of, shown, strict=False):
        for index, (length, part) in enumerate(_by_length(lines[lines["measure"] == measure])):
            ordered = part.sort_values("step")
            curve(axes, ordered, ordered["step"], f"{length} full moves", style(index))
        axes.axhline(baseline[measure], color="0.45", linewidth=1, linestyle=":", label=BASELINE)
        axes.set_title(typeset({**SHARES, **OTHERS}[measure].format(depth=depth)), fontsize=9)
        axes.set_ylabel(UNITS[measure], fontsize=8)
        if measure in SHARES:
            axes.set_ylim(-0.03, 1.03)
    _draw_course(axes_of[-1], schedule)
    for axes in axes_of:
        axes.axvspan(steps[0] / 2, full, color="0.92", zorder=0)
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xlabel("training step (logarithmic)", fontsize=8)
        axes.set_xticks(steps, [str(step) for step in steps], fontsize=7, rotation=60)
        axes.set_xlim(steps[0] / 1.25, steps[-1] * 1.25)
    legend_below(axes_of[0], 6)
    note += (
        f"\nmeans of {counts_in_words(lines)} a point; {interval_words(lines)}; "
        "shaded: games are not yet read to the end"
    )
    caption(figure, f"{whose}: how tracking emerges in training", note)
    return figure


def draw_sizes(table: pd.DataFrame, parameters: Mapping[str, int], note: str = "") -> Figure:
    """Draw each measure against the length of games, a line for each model.

    Args:
        table: The result of `compute`, of finished models and the baseline.
        parameters: How many each model has, the smallest first.
        note: Small print below the axes.
    """
    depth = table["depth"].iloc[0]
    figure, axes_of = panels(2, 3, 2.7)
    lines = table[table["length"] != ALL].assign(at=lambda rows: rows["length"].astype(int))
    names = {
        **{name: f"{name}, {count:,} parameters" for name, count in parameters.items()},
        BASELINE: f"{BASELINE}: the initial position as every answer",
    }
    shown = [
        "precision",
        "recall",
        "exact_match_position",
        "levenshtein",
        "ill_formed",
        "unreadable",
    ]
    for axes, measure in zip(axes_of, shown, strict=True):
        of_measure = lines[lines["measure"] == measure]
        for index, (name, label) in enumerate(names.items()):
            line = of_measure[of_measure["model"] == name].sort_values("at")
            look = RECORDED_LOOKS[BASELINE] if name == BASELINE else style(index)
            curve(axes, line, line["at"] + 0.5 * (index - 1), label, look)
        axes.set_title(typeset({**SHARES, **OTHERS}[measure].format(depth=depth)), fontsize=9)
        axes.set_xticks(sorted(of_measure["at"].unique()))
        if measure != "levenshtein":
            axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("full moves played", fontsize=8)
        axes.set_ylabel(UNITS[measure], fontsize=8)
    legend_below(axes_of[0], 2)
    note += f"\nmeans of {counts_in_words(lines)} a point; {interval_words(lines)}"
    caption(figure, "The bundled language models, by size", note)
    return figure


def _by_length(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return sorted(((str(name), part) for name, part in rows.groupby("length")), key=_moves)


def _moves(named: tuple[str, pd.DataFrame]) -> int:
    return int(named[0])


def _draw_course(axes: Axes, schedule: pd.DataFrame) -> None:
    run = schedule[~schedule["branch"]]
    rate, plies = run["learning_rate"].max(), run["plies"].max()
    axes.plot(
        run["step"],
        run["learning_rate"] / rate,
        color=style(2).colour,
        linewidth=1.6,
        label=f"learning rate, as a share of {rate:g}",
    )
    label = "the same where a checkpoint is cooled down"
    for _, branch in schedule[schedule["branch"]].groupby("of"):
        axes.plot(
            branch["step"], branch["learning_rate"] / rate, color="0.2", linewidth=0.9, label=label
        )
        label = ""
    axes.plot(
        run["step"],
        run["plies"] / plies,
        color=style(3).colour,
        linestyle="--",
        label=f"longest game read so far, as a share of {plies} plies",
    )
    axes.set_ylim(-0.03, 1.6)
    axes.set_yticks([0, 0.5, 1])
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    axes.set_title("the course of training", fontsize=9)
    axes.set_ylabel("share", fontsize=8)

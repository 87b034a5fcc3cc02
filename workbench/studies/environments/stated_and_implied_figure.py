"""The figure of `stated_and_implied`, its verdict in words, and its simulated trackers."""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.simulated_replies import simulate
from workbench.drawing.appearance import Style, caption, draw_means, figure_of_rows, style
from workbench.drawing.labels import labels
from workbench.drawing.quantities import PRECISION, RECALL
from workbench.drawing.scores_in_words import interval_words
from workbench.environments.registry import environment_in_table
from workbench.seeds import derived_seed
from workbench.studies.environments.stated_and_implied import ALL

ACTING: Final = "simulated tracker: lists what its state permits"
APART: Final = "simulated tracker: tracks twice, once to write and once to list"


def simulated_pair(
    positions: pd.DataFrame, *, rate: float, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return states and lists of two simulated trackers, which show what the study can tell.

    One lists what the state that it writes permits. The other tracks the episode a second time, with
    slips of its own, and lists what that state permits.

    Args:
        positions: Rows of the POSITIONS schema.
        rate: Probability of a slip at each action, in [0, 1].
        seed: Seed of the slips, at least 0.

    Returns:
        Predictions of the task ``state`` and of the task ``actions``.
    """
    states = [
        simulate(positions, rate=rate, seed=seed, model_name=name) for name in (ACTING, APART)
    ]
    lists = [
        simulate(positions, rate=rate, seed=own, model_name=name, task="actions")
        for name, own in ((ACTING, seed), (APART, derived_seed(seed, "second track")))
    ]
    return pd.concat(states, ignore_index=True), pd.concat(lists, ignore_index=True)


def verdict(table: pd.DataFrame) -> str:
    """Return in words, as Markdown, on which state each model acts.

    Args:
        table: The result of `workbench.studies.environments.stated_and_implied.compute`.
    """
    lines = []
    noun = environment_in_table(table["environment"].iloc[0]).state_noun
    overall = table[table["length"] == ALL].set_index(["model", "quantity"])
    for model in table["model"].unique():
        stated, true, less = (
            overall.loc[(model, name)]
            for name in ("stated_only_listed", "true_only_listed", "stated_less_true_only")
        )
        if less["count"] == 0:
            lines.append(
                f"* {model}: at no position do the two {noun}s each permit what the other does not."
            )
            continue
        said = f"whether it acts on the {noun} that it writes cannot be told"
        ends = [less["low"], less["high"]]
        interval = f" ({ends[0]:+.2f} to {ends[1]:+.2f}, n = {less['count']})"
        if np.isnan(ends).any():
            # Several episodes that do not vary tell by their mean.
            ends = [less["mean"] if less["games"] > 1 else 0.0] * 2
            interval = f" (no interval, n = {less['count']})"
        if ends[0] > 0:
            said = f"it acts on the {noun} that it writes"
        elif ends[1] < 0:
            said = (
                f"it does not act on the {noun} that it writes: its lists are nearer to the truth"
            )
        lines.append(
            f"* {model}: {said}. It lists {stated['mean']:.0%} of what only that {noun} permits and "
            f"{true['mean']:.0%} of what only the true one permits; the difference is "
            f"{less['mean']:+.2f}{interval}."
        )
    return "\n".join(lines)


def draw(table: pd.DataFrame, whose: str, note: str = "") -> Figure:
    """Draw a row of three panels for each model, against the length of the episode.

    Args:
        table: The result of `workbench.studies.environments.stated_and_implied.compute`.
        whose: Whose replies these are, for the title.
        note: Small print below the axes.
    """
    environment = environment_in_table(table["environment"].iloc[0])
    noun, action = environment.state_noun, environment.action_noun
    models = list(table["model"].unique())
    stated, true, third = PRECISION.look, RECALL.look, style(7)
    panels = (
        (
            f"Listed {action}s: the share\nthat is legal on ...",
            (
                ("legal_on_true", f"the true {noun}", true),
                ("legal_on_stated", f"the stated {noun}", stated),
                ("legal_on_both", "both", third),
            ),
        ),
        (
            f"{action.capitalize()}s that one {noun} alone\npermits: the share that is listed",
            (
                ("stated_only_listed", f"only the stated {noun}", stated),
                ("true_only_listed", f"only the true {noun}", true),
            ),
        ),
        (
            f"Listed, but illegal in truth:\nthe share legal on the stated {noun}",
            (
                ("explained", "found", stated),
                ("expected", "expected of other episodes' lists", third),
            ),
        ),
    )
    figure, rows = figure_of_rows([3] * len(models), [3.1] * len(models), 10.5)
    names = labels(models, 70)
    numbers = table[table["length"] != ALL].assign(at=lambda each: each["length"].astype(int))
    for row, model in zip(rows, models, strict=True):
        part = numbers[numbers["model"] == model]
        lengths = sorted(part["at"].unique())
        for axes, (title, lines) in zip(row, panels, strict=True):
            for place, (quantity, label, look) in enumerate(lines):
                _line(axes, part[part["quantity"] == quantity], label, look, place)
            axes.set_title(title, fontsize=9)
            axes.set_xscale("log", base=2)
            axes.set_xlim(lengths[0] / 1.5, lengths[-1] * 1.5)
            axes.set_xticks(lengths, [str(length) for length in lengths], fontsize=8)
            axes.minorticks_off()
            axes.set_xlabel("actions" if environment.actions_a_group == 1 else "actions (plies)")
            axes.legend(
                fontsize=7, frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2)
            )
        row[0].set_ylim(-0.04, 1.04)
        row[0].set_ylabel(names[model].replace(": ", ":\n").replace(", ", ",\n"), fontsize=8)
    once = table[(table["length"] == ALL) & (table["quantity"] == "legal_on_true")]
    left = ", ".join(
        f"{once[name].sum()} {words}"
        for name, words in (
            ("failed", "with a failed call"),
            ("unscored", "not scored"),
            ("without_state", f"without a {noun}"),
            ("without_list", "without a list"),
        )
    )
    caption(
        figure,
        f"The {noun} that is stated and the {action}s that are listed: {whose}",
        f"{environment.title}; {once['pairs'].sum()} pairs of replies; left out: {left}{note}\n"
        f"means over positions where defined; {interval_words(table, 'episodes')}",
    )
    return figure


def _line(axes: Axes, line: pd.DataFrame, label: str, look: Style, place: int) -> None:
    line = line[line["count"] > 0].sort_values("at")
    # Beside each other on a logarithmic axis.
    at = line["at"] * 1.06 ** (place - 1)
    draw_means(axes, at, line["mean"], line["low"], line["high"], look, label, size=4, width=1.2)

"""Prompts compared on the same positions: exact match and state precision, each against one prompt.

McNemar's exact test looks at the positions that one prompt gets right and the other does not; see
`workbench.statistics.paired_tests`.
"""

import math
from collections.abc import Hashable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from workbench.drawing.appearance import bar_lengths, caption, model_style, new_figure
from workbench.drawing.labels import LONGEST, labels, room, some_of, typeset
from workbench.drawing.scores_in_words import counted_by, episode_words, interval_words
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.long_texts import shortened
from workbench.statistics.grouped import grouped_differences, grouped_means, groups, spread
from workbench.statistics.intervals import DIFFERENCE, SHARE
from workbench.statistics.paired_tests import grouped_mcnemar

_COLUMNS: Final = (
    "model", "prompt", "positions", "answers", "failed", "unscored", "games", "effective",
    "exact_match", "exact_match_low", "exact_match_high", "precision", "precision_low",
    "precision_high", "pairs", "only_here", "only_reference", "mcnemar", "difference",
    "difference_low", "difference_high", "holm", "reference", "depth",
)  # fmt: skip


def compute(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    reference: str = "",
) -> pd.DataFrame:
    """Compare each prompt with a reference, for each model, paired by position.

    p_m is averaged over the answers to a position; exact match in the test is that of the first
    answer. Intervals are of 95%, by the variance between games; the test takes positions as independent.

    Args:
        scores: `workbench.studies.models.model_scores.Comparison.scores`.
        depth: m.
        reference: A prompt's name; the first in the scores if empty.

    Returns:
        One row per model and prompt, the reference first: model, prompt, positions, games, effective (number of games), answers,
        failed (calls, which are no answers), unscored, exact_match (share over positions of the mean over answers) and precision with _low
        and _high, and of the pair with the reference (NaN in its own row): pairs (positions that
        both answered), only_here and only_reference (first answers right), mcnemar, holm (adjusted
        over the model's prompts), difference of p_m with _low and _high. reference and depth name
        what was asked for.

    Raises:
        InvalidArgumentError: If the measure or the reference is missing.
    """
    measure = f"precision_{depth}"
    prompts = list(scores["prompt"].unique())
    chosen = reference or (prompts[0] if prompts else "")
    if measure not in scores or chosen not in prompts:
        raise InvalidArgumentError(
            f"expected scores with {measure!r} under the prompt {chosen!r}, got prompts {prompts} "
            f"and columns {list(scores.columns)}"
        )
    by, order = ["model", "prompt"], [chosen, *(each for each in prompts if each != chosen)]
    rows = scores.sort_values(["position_id", "sample"], kind="stable")
    rows = rows.assign(right=rows["exact_match"].astype(float))
    by_prompt = [_by_position(part, measure).assign(**key) for key, part in groups(rows, by)]
    positions = pd.concat(by_prompt, ignore_index=True)
    positions["prompt"] = pd.Categorical(positions["prompt"], order, ordered=True)
    against: dict[str, Any] = {"between": "prompt", "reference": chosen, "unit": "position_id"}
    means = grouped_means(positions, ["exact_match", "precision"], by, within=SHARE)
    differences = grouped_differences(
        positions, "precision", "model", within=DIFFERENCE, **against
    ).replace({"column": {"precision": "difference"}})
    table = spread(means, by, counted="precision").rename(columns={"count": "positions"})
    counts = counted_by(rows, by)
    counts["answers"] = counts["count"] - counts["failed"]
    table = table.merge(counts[[*by, "answers", "failed", "unscored"]], on=by)
    for paired in (
        grouped_mcnemar(positions, "first", "model", **against),
        spread(differences, by),
    ):
        table = table.merge(paired, on=by, how="left")
    table["pairs"] = table["pairs"].fillna(0).astype(int)
    return table.assign(reference=chosen, depth=depth).reindex(columns=list(_COLUMNS))


def _by_position(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    return rows.groupby("position_id", as_index=False).agg(
        game=("game", "first"),
        first=("right", "first"),
        exact_match=("right", "mean"),
        precision=(measure, "mean"),
    )


def draw(
    table: pd.DataFrame, note: str = "", whose: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw exact match, mean p_m and the paired difference of p_m, one line per prompt.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `Comparison.describe` gives.
        whose: What the title begins with, such as `Comparison.whose`; the model if there is one.
        environment: The name of the environment, for the words.
    """
    depth, reference = table["depth"].iloc[0], table["reference"].iloc[0]
    models = list(table["model"].unique())
    of_models, of_prompts = labels(models, 28), labels(table["prompt"])
    names = [
        of_prompts[prompt] if len(models) == 1 else f"{of_models[model]}: {of_prompts[prompt]}"
        for model, prompt in zip(table["model"], table["prompt"], strict=True)
    ]
    beyond = max(0.0, max(room(name, 8) for name in names) - 1.6)
    figure, panels = new_figure(3, width=10.0 + beyond, height=1.9 + 0.4 * len(table))
    places = np.arange(len(table))
    for axes, (name, title) in zip(
        panels,
        (
            ("exact_match", "exact match (share)"),
            ("precision", f"mean p_{depth}"),
            ("difference", f"difference of p_{depth}, paired"),
        ),
        strict=True,
    ):
        value, low, high = (table[f"{name}{end}"].to_numpy(float) for end in ("", "_low", "_high"))
        ends = bar_lengths(value, low, high)
        for model, look in model_style(models).items():
            of_model = (table["model"] == model).to_numpy()
            axes.errorbar(
                value[of_model],
                places[of_model],
                xerr=ends[:, of_model],
                fmt=look.marker,
                color=look.colour,
                markerfacecolor=look.face,
                capsize=3,
            )
        axes.set_xlabel(typeset(title), fontsize=9)
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x", linewidth=0.5, alpha=0.5)
    panels[0].set_yticks(places, names, fontsize=8)
    panels[0].set_ylim(len(table) - 0.4, -0.6)
    # Numbers with a sign are wider than matplotlib allows for.
    panels[2].xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    panels[2].axvline(0, color="0.3", linewidth=0.9)
    for place, row in zip(places, table.to_dict("records"), strict=True):
        panels[2].annotate(
            _test_words(row),
            (1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=7.5,
            annotation_clip=False,
        )
    of_one = some_of(models, "models") if len(models) == 1 else ""
    subject = f"{whose or of_one}: the" if whose or of_one else "The"
    bars = interval_words(table.assign(low=table["precision_low"]), episode_words(environment))
    caption(
        figure,
        f"{subject} same positions under several prompts; reference: {shortened(reference, LONGEST)}",
        f"{note}\n{bars}; McNemar's exact test of the first "
        "answers: right only here : right only under the reference, Holm's p",
    )
    return figure


def _test_words(row: Mapping[Hashable, Any]) -> str:
    if row["prompt"] == row["reference"]:
        return "reference"
    if not row["pairs"]:
        return "no pairs"
    p_value = "no test" if math.isnan(row["holm"]) else f"p = {row['holm']:.2g}"
    return f"{row['only_here']:.0f} : {row['only_reference']:.0f} of {row['pairs']}, {p_value}"

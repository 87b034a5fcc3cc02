"""Prompts and thinking budgets compared on the same positions."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from workbench.drawing.appearance import caption, new_figure, plain_axes
from workbench.drawing.labels import LONGEST, labels, room, some_of, typeset
from workbench.drawing.score_description import class_counts_by, episode_words, interval_words
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.long_texts import shortened
from workbench.prediction import CLASSES, ReplyClass
from workbench.statistics.grouped import grouped_differences, grouped_means, spread
from workbench.statistics.intervals import DIFFERENCE, SHARE
from workbench.statistics.paired_tests import grouped_mcnemar
from workbench.studies.panels import draw_bars, legend_beside
from workbench.studies.recorded_models import model_looks
from workbench.tables.parquet_tables import setting_value

_PROMPT_COLUMNS: Final = (
    "model", "prompt", "positions", "answers", "failed", "unscored", "games", "effective",
    "exact_match", "exact_match_low", "exact_match_high", "precision", "precision_low",
    "precision_high", "pairs", "only_here", "only_reference", "mcnemar", "difference",
    "difference_low", "difference_high", "holm", "reference", "depth",
)  # fmt: skip


def compute_prompts(scores: pd.DataFrame, *, depth: int = 4, reference: str = "") -> pd.DataFrame:
    """Compare each prompt with a reference, for each model, paired by position.

    p_m is averaged over the answers to a position; exact match in the test is that of the first
    answer. Intervals are of 95%, by the variance between games; the test takes positions as
    independent.

    The reference is a prompt's name; the first in the scores if empty.

    Returns:
        One row per model and prompt, the reference first: model, prompt, positions, games, effective (number of games), answers,
        failed (calls, which are no answers), unscored, exact_match (share over positions of the mean over answers) and precision with _low
        and _high, and of the pair with the reference (NaN in its own row): pairs (positions that
        both answered), only_here and only_reference (first answers right), mcnemar, holm (adjusted
        over the model's prompts), difference of p_m with _low and _high. reference and depth name
        what was asked for.
    """
    measure = f"precision_{depth}"
    prompts = list(scores["prompt"].unique())
    first_prompt = reference or (prompts[0] if prompts else "")
    if measure not in scores or first_prompt not in prompts:
        raise InvalidArgumentError(
            f"expected scores with {measure!r} under the prompt {first_prompt!r}, got prompts {prompts} "
            f"and columns {list(scores.columns)}"
        )
    by, order = (
        ["model", "prompt"],
        [first_prompt, *(each for each in prompts if each != first_prompt)],
    )
    rows = scores.sort_values(["position_id", "sample"], kind="stable")
    rows = rows.assign(right=rows["exact_match"].astype(float))
    positions = rows.groupby([*by, "position_id"], as_index=False, dropna=False).agg(
        game=("game", "first"),
        first=("right", "first"),
        exact_match=("right", "mean"),
        precision=(measure, "mean"),
    )
    positions["prompt"] = pd.Categorical(positions["prompt"], order, ordered=True)
    table = _paired(positions, ["exact_match", "precision"], "prompt", first_prompt, "first")
    counts = class_counts_by(rows, by)
    counts["answers"] = counts["count"] - counts["failed"]
    table = table.rename(columns={"count": "positions"}).rename(
        columns=lambda name: name.removeprefix("precision_") if "difference" in name else name
    )
    table = table.merge(counts[[*by, "answers", "failed", "unscored"]], on=by)
    table["pairs"] = table["pairs"].fillna(0).astype(int)
    return table.assign(reference=first_prompt, depth=depth).reindex(columns=list(_PROMPT_COLUMNS))


def _paired(
    rows: pd.DataFrame, measures: Sequence[str], between: str, reference: Any, right: str
) -> pd.DataFrame:
    """Return for each model the means, and paired differences and McNemar's test from a reference."""
    by = ["model", between]
    against: dict[str, Any] = {"between": between, "reference": reference, "unit": "position_id"}
    means = grouped_means(rows, measures, by, within=SHARE)
    differences = grouped_differences(rows, measures, "model", within=DIFFERENCE, **against)
    differences["column"] += "_difference"
    tests = grouped_mcnemar(rows, right, "model", **against)
    table = spread(means, by, counted="precision").merge(tests, on=by, how="left")
    return table.merge(spread(differences, by), on=by, how="left")


def draw_prompts(
    table: pd.DataFrame, note: str = "", subject: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw exact match, mean p_m and the paired difference of p_m, one line per prompt."""
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
    titles = {
        "exact_match": "exact match (share)",
        "precision": f"mean p_{depth}",
        "difference": f"difference of p_{depth}, paired",
    }
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        for model, look in model_looks(models).items():
            of_model = (table["model"] == model).to_numpy()
            draw_bars(
                axes, places[of_model], table[of_model], name, look, across=True, capsize=3,
                linestyle="none",
            )  # fmt: skip
        axes.set_xlabel(typeset(title), fontsize=9)
        axes.grid(visible=False, axis="y")
        plain_axes([axes], "x")
    panels[0].set_yticks(places, names, fontsize=8)
    panels[0].set_ylim(len(table) - 0.4, -0.6)
    # Numbers with a sign are wider than matplotlib allows for.
    panels[2].xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    panels[2].axvline(0, color="0.3", linewidth=0.9)
    for place, row in zip(places, table.to_dict("records"), strict=True):
        panels[2].annotate(
            _test_words(row), (1.02, place), xycoords=("axes fraction", "data"), va="center",
            fontsize=7.5, annotation_clip=False,
        )  # fmt: skip
    of_one = some_of(models, "models") if len(models) == 1 else ""
    beginning = f"{subject or of_one}: the" if subject or of_one else "The"
    bars = interval_words(table, episode_words(environment), "precision_low")
    caption(
        figure,
        f"{beginning} same positions under several prompts; reference: {shortened(reference, LONGEST)}",
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


MEASURES: Final = ("precision", "exact_match", "ill_formed_share")
_BUDGET_COLUMNS: Final = (
    "model", "budget", "replies", *CLASSES, "games", "effective",
    *(
        f"{measure}{paired}{end}"
        for measure in MEASURES
        for paired in ("", "_difference")
        for end in ("", "_low", "_high")
    ),
    "pairs", "only_here", "only_reference", "reference", "mcnemar", "holm", "depth",
)  # fmt: skip


def compute_budgets(scores: pd.DataFrame, *, depth: int = 4) -> pd.DataFrame:
    """Compare each thinking budget of a model with its smallest, on the same positions.

    Intervals are of 95%, by the variance between games. McNemar's test of exact match takes
    positions as independent.

    Returns:
        One row per model and budget, the smallest first: model, budget (tokens), replies, games, effective (number of
        games),
        valid, ill_formed, unparseable, absent, failed, for each of precision (mean p_m),
        exact_match and ill_formed_share the mean with _low and _high and the paired
        _difference with _difference_low and _difference_high, pairs, only_here and only_reference
        (exact matches), mcnemar, holm (adjusted over the model's budgets), reference (budget) and
        depth. The pair of a reference with itself is NaN.
    """
    measure = f"precision_{depth}"
    budgets = scores["setting"].map(lambda setting: setting_value(setting, "thinking"))
    again = scores.duplicated(["model", "setting", "position_id"]).any()
    if measure not in scores or again or not budgets.str.isdecimal().all():
        raise InvalidArgumentError(
            f"expected scores with {measure!r}, settings thinking=TOKENS and one reply a position, got "
            f"columns {list(scores.columns)}, settings {sorted(scores['setting'].unique())} and "
            f"{'repeated' if again else 'single'} replies"
        )
    ill_formed = (scores["reply_class"] == ReplyClass.ILL_FORMED).astype(float)
    rows = scores.assign(
        budget=budgets.astype(int),
        precision=scores[measure],
        ill_formed_share=ill_formed.where(scores["unscored"] == ""),
    )
    by, tables = ["model", "budget"], []
    for _, part in rows.groupby("model", sort=True):
        smallest = part["budget"].min()
        table = _paired(part, MEASURES, "budget", smallest, "exact_match")
        table = class_counts_by(part, by)[[*by, *CLASSES]].merge(table, on=by)
        tables.append(table.assign(reference=smallest, depth=depth))
    counts = dict.fromkeys(("pairs", "only_here", "only_reference"), 0)
    table = pd.concat(tables, ignore_index=True).rename(columns={"count": "replies"})
    table = table.fillna(counts).astype(dict.fromkeys(counts, int))
    return table.reindex(columns=list(_BUDGET_COLUMNS))


def verdict(table: pd.DataFrame) -> str:
    """Return in words at which budgets each measure differs from that at the smallest budget."""
    words = []
    for model, of_model in table.groupby("model", sort=True):
        others = of_model[of_model["pairs"] > 0]
        depth, reference = table["depth"].iloc[0], of_model["reference"].iloc[0]
        clauses = []
        for name, title in _titles(depth).items():
            low, high = others[f"{name}_difference_low"], others[f"{name}_difference_high"]
            parts = [
                f"{way} at {some_of(map(str, others.loc[where, 'budget']), 'budgets', 6)}"
                for way, where in (("lower", high < 0), ("higher", low > 0))
                if where.any()
            ]
            clauses.append(f"{title} is {' and '.join(parts) or 'not told apart at any budget'}")
        words.append(
            f"{labels([str(model)])[str(model)]}, against a budget of {reference}: {'; '.join(clauses)}"
        )
    return "; ".join(words) + " (95% intervals of the differences that exclude 0)"


def _titles(depth: int) -> dict[str, str]:
    return {
        "precision": f"mean p_{depth}",
        "exact_match": "exact match",
        "ill_formed_share": "share of ill-formed boards",
    }


def draw_budgets(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw three measures against the budget, and below their paired differences."""
    depth = table["depth"].iloc[0]
    budgets = sorted(table["budget"].unique())
    places = {budget: place for place, budget in enumerate(budgets)}
    looks, titles = model_looks(table["model"]), labels(table["model"])
    figure, panels = new_figure(3, width=10.4, height=5.6, rows=2)
    for column, (name, title) in enumerate(_titles(depth).items()):
        for axes, value in ((panels[column], name), (panels[column + 3], f"{name}_difference")):
            for number, (model, part) in enumerate(table.groupby("model", sort=True)):
                look, at = looks[str(model)], part["budget"].map(places) + 0.08 * number
                label = f"{titles[str(model)]} ({int(part['replies'].max())} positions)"
                draw_bars(axes, at, part, value, look, linestyle=look.line, capsize=3, label=label)
        panels[column].set_title(typeset(title), fontsize=10)
        panels[column + 3].axhline(0, color="0.3", linewidth=0.9)
        panels[column + 3].set_xticks(list(places.values()), list(map(str, budgets)), fontsize=8)
        panels[column + 3].set_xlabel("thinking budget (tokens)", fontsize=9)
    panels[0].set_ylabel("mean, or share")
    panels[3].set_ylabel(f"difference from\na budget of {budgets[0]}, paired")
    models = sorted(titles[name] for name in set(table["model"]))
    if len(models) > 1:
        legend_beside(panels[2])
    else:
        for place, row in zip(places.values(), table.to_dict("records"), strict=True):
            if row["pairs"]:
                p_value = "p < .001" if row["holm"] < 0.001 else f"p = {row['holm']:.3f}"[:9]
                tested = f"{row['only_here']} : {row['only_reference']}\n{p_value}"
                panels[4].annotate(
                    tested, (place, 0.99), xycoords=("data", "axes fraction"),
                    ha="center", va="top", fontsize=6,
                )  # fmt: skip
        low, high = panels[4].get_ylim()
        panels[4].set_ylim(low, high + 0.2 * (high - low))
    bars = interval_words(table, low="precision_low")
    plies = f"{table['replies'].max()} positions"
    caption(
        figure,
        f"Does thinking longer help? {some_of(models, 'models')}: the same {plies} at every budget",
        f"{bars}; lower middle: right only here : right only at a "
        f"budget of {budgets[0]}, McNemar's exact test, Holm's p\n{note}",
    )
    return figure

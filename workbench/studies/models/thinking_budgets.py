"""Replies of one model under several thinking budgets, paired by position."""

from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import bar_lengths, caption, model_style, new_figure
from workbench.drawing.labels import labels, some_of, typeset
from workbench.drawing.scores_in_words import counted_by, interval_words
from workbench.errors import InvalidArgumentError
from workbench.prediction import CLASSES, ReplyClass
from workbench.statistics.grouped import grouped_differences, grouped_means, spread
from workbench.statistics.intervals import DIFFERENCE, SHARE
from workbench.statistics.paired_tests import grouped_mcnemar
from workbench.tables.reply_identity import setting_value

MEASURES: Final = ("precision", "exact_match", "ill_formed_share")
_COLUMNS: Final = (
    "model", "budget", "replies", *CLASSES, "games", "effective",
    *(
        f"{measure}{paired}{end}"
        for measure in MEASURES
        for paired in ("", "_difference")
        for end in ("", "_low", "_high")
    ),
    "pairs", "only_here", "only_reference", "reference", "mcnemar", "holm", "depth",
)  # fmt: skip


def compute(scores: pd.DataFrame, *, depth: int = 4) -> pd.DataFrame:
    """Compare each thinking budget of a model with its smallest, on the same positions.

    Intervals are of 95%, by the variance between games. McNemar's test of exact match takes positions as
    independent.

    Args:
        scores: `workbench.studies.models.model_scores.compare_settings`, one reply a position and
            budget.
        depth: m.

    Returns:
        One row per model and budget, the smallest first: model, budget (tokens), replies, games, effective (number of
        games),
        valid, ill_formed, unparseable, absent, failed, for each of precision (mean p_m),
        exact_match and ill_formed_share the mean with _low and _high and the paired
        _difference with _difference_low and _difference_high, pairs, only_here and only_reference
        (exact matches), mcnemar, holm (adjusted over the model's budgets), reference (budget) and
        depth. The pair of a reference with itself is NaN.

    Raises:
        InvalidArgumentError: If the measure is missing, a budget is no number, or a position has
            several replies.
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
        against: dict[str, Any] = {
            "between": "budget",
            "reference": smallest,
            "unit": "position_id",
        }
        means = grouped_means(part, MEASURES, by, within=SHARE)
        differences = grouped_differences(part, MEASURES, "model", within=DIFFERENCE, **against)
        differences["column"] += "_difference"
        table = counted_by(part, by)[[*by, *CLASSES]].merge(
            spread(means, by, counted="precision").rename(columns={"count": "replies"}), on=by
        )
        for paired in (
            grouped_mcnemar(part, "exact_match", "model", **against),
            spread(differences, by),
        ):
            table = table.merge(paired, on=by, how="left")
        tables.append(table.assign(reference=smallest, depth=depth))
    counts = dict.fromkeys(("pairs", "only_here", "only_reference"), 0)
    table = pd.concat(tables, ignore_index=True)
    return table.fillna(counts).astype(dict.fromkeys(counts, int)).reindex(columns=list(_COLUMNS))


def verdict(table: pd.DataFrame) -> str:
    """Return in words at which budgets each measure differs from that at the smallest budget.

    Args:
        table: The result of `compute`.
    """
    words = []
    for model, of_model in table.groupby("model", sort=True):
        others = of_model[of_model["pairs"] > 0]
        depth, reference = table["depth"].iloc[0], of_model["reference"].iloc[0]
        said = []
        for name, title in _titles(depth).items():
            low, high = others[f"{name}_difference_low"], others[f"{name}_difference_high"]
            parts = [
                f"{way} at {some_of(map(str, others.loc[where, 'budget']), 'budgets', 6)}"
                for way, where in (("lower", high < 0), ("higher", low > 0))
                if where.any()
            ]
            said.append(f"{title} is {' and '.join(parts) or 'not told apart at any budget'}")
        words.append(
            f"{labels([str(model)])[str(model)]}, against a budget of {reference}: {'; '.join(said)}"
        )
    return "; ".join(words) + " (95% intervals of the differences that exclude 0)"


def _titles(depth: int) -> dict[str, str]:
    return {
        "precision": f"mean p_{depth}",
        "exact_match": "exact match",
        "ill_formed_share": "share of ill-formed boards",
    }


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw three measures against the budget, and below their paired differences.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `Comparison.describe` gives.
    """
    depth = table["depth"].iloc[0]
    budgets = sorted(table["budget"].unique())
    places = {budget: place for place, budget in enumerate(budgets)}
    looks, shown = model_style(table["model"]), labels(table["model"])
    figure, panels = new_figure(3, width=10.4, height=5.6, rows=2)
    for column, (name, title) in enumerate(_titles(depth).items()):
        for axes, value in ((panels[column], name), (panels[column + 3], f"{name}_difference")):
            for number, (model, part) in enumerate(table.groupby("model", sort=True)):
                look = looks[str(model)]
                axes.errorbar(
                    part["budget"].map(places) + 0.08 * number,
                    part[value],
                    yerr=bar_lengths(part[value], part[f"{value}_low"], part[f"{value}_high"]),
                    marker=look.marker,
                    linestyle=look.line,
                    color=look.colour,
                    markerfacecolor=look.face,
                    capsize=3,
                    label=f"{shown[str(model)]} ({int(part['replies'].max())} positions)",
                )
        panels[column].set_title(typeset(title), fontsize=10)
        panels[column + 3].axhline(0, color="0.3", linewidth=0.9)
        panels[column + 3].set_xticks(list(places.values()), list(map(str, budgets)), fontsize=8)
        panels[column + 3].set_xlabel("thinking budget (tokens)", fontsize=9)
    panels[0].set_ylabel("mean, or share")
    panels[3].set_ylabel(f"difference from\na budget of {budgets[0]}, paired")
    models = sorted(shown[name] for name in set(table["model"]))
    if len(models) > 1:
        panels[2].legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
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
    bars = interval_words(table.assign(low=table["precision_low"]))
    plies = f"{table['replies'].max()} positions"
    caption(
        figure,
        f"Does thinking longer help? {some_of(models, 'models')}: the same {plies} at every budget",
        f"{bars}; lower middle: right only here : right only at a "
        f"budget of {budgets[0]}, McNemar's exact test, Holm's p\n{note}",
    )
    return figure

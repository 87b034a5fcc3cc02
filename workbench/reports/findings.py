"""Findings about the models of the runs, in sentences made from the numbers of a chapter."""

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.score_description import length_words, scored_rows
from workbench.reports.chapters import Chapter, baselines_of
from workbench.reports.forest_plot import ranked_families
from workbench.reports.headline import headline
from workbench.reports.model_comparison import Comparisons, counted_family, families, too_few_games
from workbench.reports.page_parts import counted, interval_cell, number, share, with_interval
from workbench.reports.result_sections import lengths_of
from workbench.scoring.parameters import MEASURES
from workbench.statistics.paired_tests import LEVEL
from workbench.studies.models.format_and_tracking import format_words
from workbench.studies.panels import ALL_LENGTHS

_MOST_OPPONENTS: Final = 5
_MOST_NAMED: Final = 4
_READABLE: Final = 0.95
"""Of models with a smaller share of readable replies the format is named."""
_INCLUDED: Final = "the interval includes zero"
_EXCLUDED: Final = "the interval excludes zero"


def findings(
    chapter: Chapter, summary: pd.DataFrame, compared: Comparisons, parts: pd.DataFrame
) -> list[str]:
    """Return sentences about a chapter's own models, and how they differ from others.

    One model has its own numbers. Of several the best of the largest family is compared with the next
    one and the baseline, and what else would give these numbers is named: format and other positions.
    The baseline is a subject only where it stands alone.
    """
    overall = summary[summary["own"] & (summary["length"] == ALL_LENGTHS)]
    scored = overall.dropna(subset="precision").sort_values("precision", ascending=False)
    if scored.empty:
        return ["No reply has a score: there is nothing to say about p or r."]
    baselines = baselines_of(chapter)
    models = [name for name in scored["model"] if name not in baselines] or list(scored["model"])
    if len(models) == 1:
        of_format = format_words(_overall(parts, models[0]), chapter.environment.name)
        of_format = f"{of_format[:1].upper()}{of_format[1:]}."
        sentences = [_headline_words(chapter, models[0]), of_format]
        sentences += _length_words(chapter, summary, parts, models[0])
        sentences += _difference_words(chapter, compared, models[0])
        sentences += _tau_words(chapter, overall, models[0])
    else:
        sentences = _several_words(chapter, compared, parts, scored, models)
    return [*sentences, *_separated_words(compared)]


def _several_words(
    chapter: Chapter,
    compared: Comparisons,
    parts: pd.DataFrame,
    scored: pd.DataFrame,
    models: list[str],
) -> list[str]:
    """Return who leads the largest family and by how much, and what else would give these numbers."""
    means = scored.set_index("model")
    ranked = [
        [name for name in models if name in family.models] for family in ranked_families(chapter)
    ]
    first = max(ranked, key=len)
    sentences = [
        f"{first[0]} has the highest mean {chapter.symbol}"
        + (f" of the {len(first)} models asked about the same positions" if len(first) > 1 else "")
        + f": {interval_cell(means.loc[first[0]].to_dict(), 'precision')}."
    ]
    turned, baselines = _turned(compared, first[0]), baselines_of(chapter)
    next_one = turned[turned["opponent"].isin(first[1:2])]
    for row in next_one.to_dict("records"):
        test = "separates them" if row["holm"] < LEVEL else "does not separate them"
        sentences.append(
            f"That is {with_interval(row['by'], row['least'], row['most'])} above the next, "
            f"{row['opponent']} ({counted(row['positions'], 'common position')} of "
            f"{counted(row['games'], chapter.environment.episode_noun)}; {_zero(row)}; the sign test {test})."
        )
    for row in _against(turned, baselines):
        sentences.append(
            f"{row['opponent']}, which knows no {chapter.environment.action_noun} of the {chapter.environment.episode_noun}, is "
            f"{with_interval(row['by'], row['least'], row['most'])} below it."
        )
    unreadable = [
        (name, share_read)
        for name in models
        if (share_read := _overall(parts, name)["readable"]) < _READABLE
    ]
    if unreadable:
        worst = sorted(unreadable, key=lambda each: each[1])[:_MOST_NAMED]
        named = ", ".join(f"{name} {share(value)}" for name, value in worst)
        more = len(unreadable) - len(worst)
        sentences.append(
            f"Format: of {counted(len(unreadable), 'model')} less than {share(_READABLE)} of the replies "
            f"can be read ({named}{f', {more} more' if more else ''}); an unreadable reply has "
            f"{chapter.symbol} = 0, so that these means say less about tracking."
        )
    case = [name for name in models if _overall(parts, name)["case_replies"]]
    if case:
        sentences.append(
            f"Replies of {counted(len(case), 'model')} are wrong in letter case alone; the table of format "
            "has their means in the right case."
        )
    others = sum(len(part) for part in ranked if part is not first)
    if others:
        sentences.append(
            f"{counted(others, 'other row')} {'is' if others == 1 else 'are'} of other positions or of settings "
            "of one model, and ranked apart: their means are not comparable with these."
        )
    return sentences


def _headline_words(chapter: Chapter, model: str) -> str:
    rows = chapter.scores[chapter.scores["model"] == model]
    by_quantity: dict[Any, dict[Any, Any]] = (
        headline(rows, depth=chapter.depth).set_index("quantity").to_dict("index")
    )
    precision, recall = (by_quantity.get(f"{name}_{chapter.depth}", {}) for name in MEASURES)
    words = f"{model} has a mean {chapter.symbol}: {interval_cell(precision)}"
    if recall.get("n"):
        words += f", with r_{chapter.depth} {interval_cell(recall)}"
    words += f", over {counted(precision['n'], 'reply', 'replies')}."
    if chapter.measures_text:
        words += (
            f" {by_quantity['exact_match']['mean']:.1%} of them match exactly; the mean "
            f"{EDIT_DISTANCE.name} is {interval_cell(by_quantity['levenshtein'])} characters."
        )
    return words


def _overall(parts: pd.DataFrame, model: str) -> dict[Any, Any]:
    (row,) = parts[(parts["model"] == model) & (parts["length"] == ALL_LENGTHS)].to_dict("records")
    return row


def _length_words(
    chapter: Chapter, summary: pd.DataFrame, parts: pd.DataFrame, model: str
) -> Iterator[str]:
    part = summary[summary["model"] == model].set_index("length")["precision"].dropna()
    lengths = [name for name in lengths_of(summary) if name in part.index]
    if len(lengths) > 1:
        first, last = lengths[0], lengths[-1]
        of_model = parts[parts["model"] == model].set_index("length")
        readable, mean = of_model["readable"], of_model["mean_readable"]
        yield (
            f"Its mean {chapter.symbol} goes from {number(part[first])} at {first} to "
            f"{number(part[last])} at {last} {length_words(chapter.environment.name)}; over readable "
            f"replies, {readable[first]:.0%} and {readable[last]:.0%} of all, from "
            f"{number(mean[first])} to {number(mean[last])}."
        )


def _difference_words(chapter: Chapter, compared: Comparisons, model: str) -> Iterator[str]:
    turned, baselines = _turned(compared, model), baselines_of(chapter)
    others = turned[~turned["opponent"].isin(baselines)]
    nearest = _most_common(others).sort_values("by", key=abs).head(_MOST_OPPONENTS)
    for row in [*nearest.to_dict("records"), *_against(turned, baselines)]:
        yield (
            f"{model} differs from {row['opponent']} by "
            f"{with_interval(row['by'], row['least'], row['most'])} in {chapter.symbol}, on "
            f"{counted(row['positions'], 'common position')} of {counted(row['games'], 'game')}; "
            f"{_zero(row)}."
        )
    if len(others) > len(nearest):
        yield (
            f"Of {len(others)} models that it is compared with, these are the {len(nearest)} nearest of "
            "those with the most common positions."
        )


def _turned(compared: Comparisons, model: str) -> pd.DataFrame:
    """Return a model's pairs from its side: opponent, by, least, most, positions and games."""
    pairs = compared.own[(compared.own["model"] == model) | (compared.own["other"] == model)]
    sign = pairs["model"].eq(model).map({True: 1.0, False: -1.0})
    return pairs.assign(
        opponent=pairs["other"].where(sign > 0, pairs["model"]),
        by=sign * pairs["difference"],
        least=(pairs["low"]).where(sign > 0, -pairs["high"]),
        most=(pairs["high"]).where(sign > 0, -pairs["low"]),
    )


def _most_common(turned: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with many common positions: few may be easy ones, or near by chance."""
    least: float = turned["positions"].max() / 2
    return turned[turned["positions"] >= least]


def _against(turned: pd.DataFrame, baselines: set[str]) -> list[dict[Any, Any]]:
    """Return the pair with the baseline, if any; of several that with the most positions."""
    pairs = turned[turned["opponent"].isin(baselines)]
    return pairs.sort_values("positions", ascending=False).head(1).to_dict("records")


def _zero(row: dict[Any, Any]) -> str:
    if pd.isna(row["least"]):
        return "no interval: one game holds nearly all positions, or games do not vary"
    return _INCLUDED if row["least"] <= 0 <= row["most"] else _EXCLUDED


def _separated_words(compared: Comparisons) -> Iterator[str]:
    for name, part in families(compared.own):
        count = int((part["holm"] < LEVEL).sum())
        yield (
            f"{count:,} of {counted_family(name, len(part))} {'is' if count == 1 else 'are'} separated "
            "at 5% after Holm's correction."
        )
    yield from too_few_games(compared.own)


def _tau_words(chapter: Chapter, overall: pd.DataFrame, model: str) -> Iterator[str]:
    (row,) = overall[overall["model"] == model].to_dict("records")
    if not chapter.measures_text or pd.isna(row["tau"]):
        return
    zero = scored_rows(chapter.scores[chapter.scores["model"] == model])
    lost = int((zero[f"precision_{chapter.depth}"] == 0).sum())
    yield (
        f"Kendall's tau-b of its {chapter.symbol} and its {EDIT_DISTANCE.name} is "
        f"{interval_cell(row, 'tau')}; {chapter.symbol} is 0 for "
        f"{counted(lost, 'reply', 'replies')}."
    )

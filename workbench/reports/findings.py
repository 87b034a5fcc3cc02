"""Conclusions about the models of the runs: short sentences from the numbers of a chapter, each with its evidence."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pandas as pd

from workbench.drawing.score_description import length_words
from workbench.reports.cause_section import kinds_of_wrong, wrong_replies
from workbench.reports.chapters import Chapter, baselines_of
from workbench.reports.evidence import difference_identity
from workbench.reports.forest_plot import ranked_families
from workbench.reports.headline import headline
from workbench.reports.model_comparison import (
    OWN,
    Comparisons,
    too_few_games,
)
from workbench.reports.page_parts import counted, interval_cell, number, share, with_interval
from workbench.reports.result_sections import lengths_of
from workbench.scoring.parameters import MEASURES
from workbench.statistics.paired_tests import LEVEL
from workbench.studies.models.format_and_tracking import format_words
from workbench.studies.panels import ALL_LENGTHS

_READABLE: Final = 0.95
"""Of models with a smaller share of readable replies the format is named."""


class Conclusion(NamedTuple):
    """A sentence, and the part of the chapter that it rests on.

    Attributes:
        words: The sentence.
        part: The end of the identity of that part.
        evidence: What the part has, as the words of a link.
    """

    words: str
    part: str
    evidence: str


def findings(
    chapter: Chapter,
    summary: pd.DataFrame,
    compared: Comparisons,
    parts: pd.DataFrame,
    sample: pd.DataFrame | None,
) -> list[Conclusion]:
    """Return at most five conclusions about a chapter's own models.

    Of several models they are about the largest family that was asked alike: who has the highest mean,
    the difference to the next, what remains over readable replies, how many pairs are separated, and why
    replies are wrong. One model has its means, its format, its way by length, the nearest other model, and
    why its replies are wrong. The baseline is a subject only where it stands alone.

    Args:
        chapter: A chapter with scores.
        summary: `workbench.reports.result_sections.summary_of` of it.
        compared: `workbench.reports.model_comparison.compare` of it.
        parts: `workbench.reports.result_sections.parts_of_means` of it.
        sample: `workbench.reports.cause_section.cause_sample` of it; None where replies are no states.
    """
    means = summary[summary["length"] == ALL_LENGTHS].set_index("model")
    scored = means[means["own"]].dropna(subset="precision")
    scored = scored.sort_values("precision", ascending=False)
    if scored.empty:
        words = "No reply has a score: there is nothing to say about p or r."
        return [Conclusion(words, "classes", "classes of answers")]
    baselines = baselines_of(chapter)
    models = [name for name in scored.index if name not in baselines] or list(scored.index)
    ranked = [
        [name for name in models if name in family.models] for family in ranked_families(chapter)
    ]
    first = max(ranked, key=len)
    floor = _floor_words(chapter, means, first)
    if len(models) == 1:
        return [
            _means_of_one(chapter, models[0], floor),
            _format_of_one(chapter, parts, models[0]),
            *_way_by_length(chapter, summary, parts, models[0]),
            *_nearest(chapter, compared, models[0]),
            *_why_wrong(chapter, sample, models),
        ]
    highest = (
        f"{first[0]} has the highest mean {chapter.symbol}"
        + (f" of the {len(first)} models asked about the same positions" if len(first) > 1 else "")
        + f": {interval_cell(means.loc[first[0]].to_dict(), 'precision')}{floor}."
    )
    return [
        Conclusion(highest, "numbers", "all numbers"),
        *_next(chapter, compared, first),
        *_over_readable(chapter, parts, first),
        *_separated(compared, first),
        *_why_wrong(chapter, sample, first),
    ]


def _floor_words(chapter: Chapter, means: pd.DataFrame, models: list[str]) -> str:
    """Return the baseline's mean, where it was asked as these models were."""
    family = next(each.models for each in ranked_families(chapter) if models[0] in each.models)
    names = sorted(baselines_of(chapter).intersection(family).difference(models))
    return "".join(
        f"; {name}, which knows no {chapter.environment.action_noun} of the "
        f"{chapter.environment.episode_noun}, has {number(mean)}"
        for name, mean in means["precision"].reindex(names[:1]).items()
    )


def _next(chapter: Chapter, compared: Comparisons, ranked: list[str]) -> Iterator[Conclusion]:
    turned = _turned(compared, ranked[0])
    for place, row in turned[turned["opponent"].isin(ranked[1:2])].iterrows():
        words = f"The next is {row['opponent']}: the difference is {_difference(chapter, row)}."
        yield Conclusion(words, difference_identity(place), "positions")


def _difference(chapter: Chapter, row: "pd.Series[Any]") -> str:
    test = "separates them" if row["holm"] < LEVEL else "does not separate them"
    # One game holds nearly all positions, or games do not vary.
    interval = " (no interval)" if pd.isna(row["least"]) else ""
    return (
        f"{with_interval(row['by'], row['least'], row['most'])}{interval} on "
        f"{counted(row['positions'], 'common position')} of "
        f"{counted(row['games'], chapter.environment.episode_noun)}, and the sign test {test}"
    )


def _over_readable(
    chapter: Chapter, parts: pd.DataFrame, ranked: list[str]
) -> Iterator[Conclusion]:
    """Yield whether the first is the first over readable replies too, where many cannot be read."""
    rows = parts[parts["length"] == ALL_LENGTHS].set_index("model").reindex(ranked)
    few = int((rows["readable"] < _READABLE).sum())
    if not few or rows["mean_readable"].isna().all():
        return
    best = max(ranked, key=rows["mean_readable"].fillna(-1.0).to_dict().__getitem__)
    who = f"{best} {'too ' if best == ranked[0] else ''}has the highest"
    words = (
        f"In {few} of {counted(len(ranked), 'model')} less than {share(_READABLE)} of the replies can be read; over readable "
        f"replies alone, which are not the same for each model, {who} mean: "
        f"{interval_cell(rows.to_dict('index')[best], 'mean_readable')}."
    )
    yield Conclusion(words, "format", "format")


def _separated(compared: Comparisons, models: list[str]) -> Iterator[Conclusion]:
    """Yield how many pairs of models the test separates, or that it cannot separate any."""
    alike = compared.own[compared.own["family"] == OWN]
    pairs = alike[alike["model"].isin(models) & alike["other"].isin(models)]
    if pairs.empty:
        return
    count = int((pairs["holm"] < LEVEL).sum())
    words = (
        f"{count:,} of {counted(len(pairs), 'pair')} of these models {'is' if count == 1 else 'are'} separated "
        "by the sign test, at 5% after Holm's correction."
    )
    yield Conclusion([*too_few_games(alike), words][0], "compared", "all pairs")


def _why_wrong(
    chapter: Chapter, sample: pd.DataFrame | None, models: list[str]
) -> Iterator[Conclusion]:
    """Yield which kind of wrong reply is the most frequent: several errors, one cause, or no state."""
    if sample is None:
        return
    own = sample[sample["model"].isin(models)]
    wrong = wrong_replies(own)
    if wrong.empty:
        return
    kinds = pd.crosstab(wrong["model"], kinds_of_wrong(chapter, wrong))
    if len(models) == 1:
        shares = (kinds.sum() / len(wrong)).sort_values(ascending=False, kind="stable")
        listed = ", ".join(f"{share(value)} have {kind}" for kind, value in shares.items())
        words = f"Of {len(wrong):,} wrong replies in a sample of {len(own):,}: {listed}."
    else:
        most = kinds.eq(kinds.max(axis=1), axis=0)
        alone = most[most.sum(axis=1) == 1].sum()
        alone = alone[alone > 0].sort_values(ascending=False, kind="stable")
        listed = ", ".join(f"{kind} in {count}" for kind, count in alone.items())
        words = (
            f"The most frequent kind of wrong reply, in samples of {counted(len(kinds), 'model')}: "
            f"{listed}."
        )
    yield Conclusion(words, "causes", f"{chapter.environment.state_noun}s by cause")


def _means_of_one(chapter: Chapter, model: str, floor: str) -> Conclusion:
    rows = chapter.scores[chapter.scores["model"] == model]
    by_quantity: dict[Any, dict[Any, Any]] = (
        headline(rows, depth=chapter.depth).set_index("quantity").to_dict("index")
    )
    precision, recall = (by_quantity.get(f"{name}_{chapter.depth}", {}) for name in MEASURES)
    words = f"{model} has a mean {chapter.symbol}: {interval_cell(precision)}"
    if recall.get("n"):
        words += f", with r_{chapter.depth} {interval_cell(recall)}"
    words += f", over {counted(precision['n'], 'reply', 'replies')}{floor}."
    return Conclusion(words, "numbers", "all numbers")


def _format_of_one(chapter: Chapter, parts: pd.DataFrame, model: str) -> Conclusion:
    words = format_words(_overall(parts, model), chapter.environment.name)
    return Conclusion(f"{words[:1].upper()}{words[1:]}.", "format", "format")


def _overall(parts: pd.DataFrame, model: str) -> dict[Any, Any]:
    (row,) = parts[(parts["model"] == model) & (parts["length"] == ALL_LENGTHS)].to_dict("records")
    return row


def _way_by_length(
    chapter: Chapter, summary: pd.DataFrame, parts: pd.DataFrame, model: str
) -> Iterator[Conclusion]:
    part = summary[summary["model"] == model].set_index("length")["precision"].dropna()
    lengths = [name for name in lengths_of(summary) if name in part.index]
    if len(lengths) > 1:
        first, last = lengths[0], lengths[-1]
        of_model = parts[parts["model"] == model].set_index("length")
        readable, mean = of_model["readable"], of_model["mean_readable"]
        words = (
            f"Its mean {chapter.symbol} goes from {number(part[first])} at {first} to "
            f"{number(part[last])} at {last} {length_words(chapter.environment.name)}; over readable "
            f"replies, {readable[first]:.0%} and {readable[last]:.0%} of all, from "
            f"{number(mean[first])} to {number(mean[last])}."
        )
        yield Conclusion(words, "length", "curves")


def _nearest(chapter: Chapter, compared: Comparisons, model: str) -> Iterator[Conclusion]:
    """Yield the difference to the nearest other model, or to the baseline where there is no other."""
    turned = _turned(compared, model)
    others = turned[~turned["opponent"].isin(baselines_of(chapter))]
    candidates = _most_common(turned if others.empty else others)
    for place, row in candidates.sort_values("by", key=abs).head(1).iterrows():
        of = f", the nearest of {len(others)}," if len(others) > 1 else ""
        words = f"{model} differs from {row['opponent']}{of} by {_difference(chapter, row)}."
        yield Conclusion(words, difference_identity(place), "positions")


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

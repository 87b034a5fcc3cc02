"""What the numbers of a chapter say, in sentences that are made from them."""

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.scores_in_words import length_words, scored_rows
from workbench.reports.chapters import Chapter
from workbench.reports.comparison_section import Comparisons
from workbench.reports.headline import headline
from workbench.reports.measured_sections import lengths_of
from workbench.reports.numbers_in_words import counted, number, with_interval
from workbench.studies.models.model_summary import OVERALL
from workbench.studies.models.paired_models import LEVEL

_MOST_OPPONENTS: Final = 5


def findings(
    chapter: Chapter,
    summary: pd.DataFrame,
    compared: Comparisons,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> list[str]:
    """Return sentences about the best of a chapter's own models, and how it differs from others.

    Args:
        chapter: With at least one row that has scores.
        summary: The result of `workbench.reports.measured_sections.summary_of`.
        compared: The result of `workbench.reports.comparison_section.compare`.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.
    """
    overall = summary[summary["own"] & (summary["length"] == OVERALL)]
    known = overall.dropna(subset="precision")
    if known.empty:
        return ["No reply has a score: there is nothing to say about p or r."]
    best = str(known.sort_values("precision", ascending=False)["model"].iloc[0])
    said = [_headline_words(chapter, best, len(overall), resamples, seed)]
    said += _length_words(chapter, summary, best)
    said += _difference_words(chapter, compared, best)
    said += _tau_words(chapter, overall, best)
    return said


def _headline_words(chapter: Chapter, best: str, models: int, resamples: int, seed: int) -> str:
    rows = chapter.scores[chapter.scores["model"] == best]
    numbers = headline(rows, depth=chapter.depth, resamples=resamples, seed=seed)
    by_quantity: dict[Any, dict[Any, Any]] = numbers.set_index("quantity").to_dict("index")

    def value(name: str) -> str:
        return with_interval(*(by_quantity[name][each] for each in ("mean", "lower", "upper")))

    which = (
        f"Of {models} models, {best} has the highest mean" if models > 1 else f"{best} has a mean"
    )
    precision = f"precision_{chapter.depth}"
    words = f"{which} p_{chapter.depth}: {value(precision)}"
    recall = f"recall_{chapter.depth}"
    if by_quantity.get(recall, {}).get("n"):
        words += f", with r_{chapter.depth} {value(recall)}"
    words += f", over {counted(by_quantity[precision]['n'], 'reply', 'replies')}."
    if chapter.measures_text:
        words += (
            f" {by_quantity['exact_match']['mean']:.1%} of them match exactly; the mean "
            f"{EDIT_DISTANCE.name} is {value('levenshtein')} characters."
        )
    return words


def _length_words(chapter: Chapter, summary: pd.DataFrame, best: str) -> Iterator[str]:
    part = summary[summary["model"] == best].set_index("length")["precision"].dropna()
    lengths = [name for name in lengths_of(summary) if name in part.index]
    if len(lengths) > 1:
        first, last = lengths[0], lengths[-1]
        yield (
            f"Its mean p_{chapter.depth} goes from {number(part[first])} at {first} to "
            f"{number(part[last])} at {last} {length_words(chapter.environment.name)}."
        )


def _difference_words(chapter: Chapter, compared: Comparisons, best: str) -> Iterator[str]:
    pairs = compared.own[(compared.own["model"] == best) | (compared.own["other"] == best)]
    if pairs.empty:
        return
    sign = pairs["model"].eq(best).map({True: 1.0, False: -1.0})
    turned = pairs.assign(
        opponent=pairs["other"].where(sign > 0, pairs["model"]),
        by=sign * pairs["difference"],
        least=(pairs["low"]).where(sign > 0, -pairs["high"]),
        most=(pairs["high"]).where(sign > 0, -pairs["low"]),
    )
    # The nearest of those with few positions are near because these are easy, or by chance.
    most = turned[turned["positions"] >= turned["positions"].max() / 2]
    nearest = most.sort_values("by", key=abs).head(_MOST_OPPONENTS)
    for row in nearest.to_dict("records"):
        if pd.isna(row["least"]):
            zero = "; there is no interval, for the positions are of one game"
        elif row["least"] <= 0 <= row["most"]:
            zero = "; the interval includes zero"
        else:
            zero = "; the interval excludes zero"
        yield (
            f"{best} differs from {row['opponent']} by "
            f"{with_interval(row['by'], row['least'], row['most'])} in p_{chapter.depth}, on "
            f"{counted(row['positions'], 'common position')} of {counted(row['games'], 'game')}{zero}."
        )
    if len(turned) > len(nearest):
        yield (
            f"These are the {len(nearest)} nearest, of those with the most common positions, of "
            f"{len(turned)} models that it is compared with."
        )
    apart = int((compared.own["holm"] < LEVEL).sum())
    yield (
        f"{apart:,} of {counted(len(compared.own), 'pair')} of models "
        f"{'is' if apart == 1 else 'are'} separated at 5% after Holm's correction."
    )


def _tau_words(chapter: Chapter, overall: pd.DataFrame, best: str) -> Iterator[str]:
    (row,) = overall[overall["model"] == best].to_dict("records")
    if not chapter.measures_text or pd.isna(row["tau"]):
        return
    zero = scored_rows(chapter.scores[chapter.scores["model"] == best])
    lost = int((zero[f"precision_{chapter.depth}"] == 0).sum())
    yield (
        f"Kendall's tau-b of its p_{chapter.depth} and its {EDIT_DISTANCE.name} is "
        f"{with_interval(row['tau'], row['tau_low'], row['tau_high'])}; p_{chapter.depth} is 0 for "
        f"{counted(lost, 'reply', 'replies')}."
    )

"""Findings about the models of the runs, in sentences made from the numbers of a chapter."""

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.score_description import length_words, scored_rows
from workbench.reports.chapters import Chapter, baseline_name
from workbench.reports.headline import headline
from workbench.reports.model_comparison import Comparisons, counted_family, families, too_few_games
from workbench.reports.page_parts import counted, interval_cell, number, with_interval
from workbench.reports.result_sections import lengths_of
from workbench.scoring.parameters import MEASURES
from workbench.statistics.paired_tests import LEVEL
from workbench.studies.models.format_and_tracking import format_words
from workbench.studies.panels import ALL_LENGTHS

_MOST_OPPONENTS: Final = 5
_MOST_SUBJECTS: Final = 6
_INCLUDED: Final = "the interval includes zero"
_EXCLUDED: Final = "the interval excludes zero"


def findings(
    chapter: Chapter, summary: pd.DataFrame, compared: Comparisons, parts: pd.DataFrame
) -> list[str]:
    """Return sentences about a chapter's own models, and how they differ from others.

    One model has several sentences. Of several each has one, which compares it with the next one and
    with the baseline; of more than six those that are the best of their run, then the best of all with
    many positions. The baseline is a subject only where it stands alone.
    """
    overall = summary[summary["own"] & (summary["length"] == ALL_LENGTHS)]
    scored = overall.dropna(subset="precision").sort_values("precision", ascending=False)
    if scored.empty:
        return ["No reply has a score: there is nothing to say about p or r."]
    baselines = _baselines(chapter)
    models = [name for name in scored["model"] if name not in baselines] or list(scored["model"])
    if len(models) == 1:
        of_format = format_words(_overall(parts, models[0]), chapter.environment.name)
        of_format = f"{of_format[:1].upper()}{of_format[1:]}."
        sentences = [_headline_words(chapter, models[0]), of_format]
        sentences += _length_words(chapter, summary, parts, models[0])
        sentences += _difference_words(chapter, compared, models[0])
        sentences += _tau_words(chapter, overall, models[0])
    else:
        subjects = _subjects(chapter, models)
        rows = scored.set_index("model")
        sentences = [
            _short_words(chapter, compared, parts, name, rows.loc[name].to_dict())
            for name in subjects
        ]
        rest = rows.loc[[name for name in models if name not in subjects], "precision"]
        if len(rest):
            sentences.append(
                f"The other {counted(len(rest), 'model')}, with a mean {chapter.symbol} from "
                f"{number(rest.min())} to {number(rest.max())}, {'is' if len(rest) == 1 else 'are'} in "
                "the tables."
            )
    return [*sentences, *_separated_words(compared)]


def _baselines(chapter: Chapter) -> set[str]:
    rows = chapter.all_scores()
    return set(rows.loc[rows["asked"].isin([BASELINE, baseline_name(chapter)]), "model"])


def _subjects(chapter: Chapter, models: list[str]) -> list[str]:
    scores = chapter.scores
    of_runs = scores.groupby("model")["run"].first()
    positions = scores.groupby("model")["position_id"].nunique()
    # Means over few positions may be high because these are easy.
    many = [name for name in models if 2 * positions[name] >= positions[models].max()]
    ordered = [*many, *models]
    best_of_runs = {of_runs[name]: name for name in reversed(ordered)}.values()
    first = [name for name in models if name in best_of_runs]
    subjects = list(dict.fromkeys([*first, *ordered]))[:_MOST_SUBJECTS]
    return [name for name in models if name in subjects]


def _short_words(
    chapter: Chapter, compared: Comparisons, parts: pd.DataFrame, model: str, row: dict[Any, Any]
) -> str:
    count = int((scored_rows(chapter.scores)["model"] == model).sum())
    mean = interval_cell(row, "precision")
    words = f"{model}: mean {chapter.symbol} {mean} over {counted(count, 'reply', 'replies')}"
    of_format = _overall(parts, model)
    if of_format["readable"] < 1 or of_format["case_replies"]:
        words += f" ({format_words(of_format, chapter.environment.name)})"
    turned, baselines = _turned(compared, model), _baselines(chapter)
    lower = _most_common(turned[~turned["opponent"].isin(baselines) & (turned["by"] >= 0)])
    nearest = lower.sort_values("by").head(1).to_dict("records")
    distances = [_distance(each, "the next, ") for each in nearest]
    distances += [_distance(each) for each in _against(turned, baselines)]
    return "; ".join([words, *([" and ".join(distances)] if distances else [])]) + "."


def _distance(row: dict[Any, Any], which: str = "") -> str:
    """Return by how much a model is above or below another, from `_turned`."""
    ends = (row["by"], row["least"], row["most"])
    side = "above"
    if row["by"] < 0:
        side, ends = "below", (-row["by"], -row["most"], -row["least"])
    zero = "" if _zero(row) == _EXCLUDED else f"; {_zero(row)}"
    positions = counted(row["positions"], "common position")
    return f"{with_interval(*ends)} {side} {which}{row['opponent']} ({positions}{zero})"


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
    turned, baselines = _turned(compared, model), _baselines(chapter)
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

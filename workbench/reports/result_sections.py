"""Sections of a report: curves by length, agreement with edit distance, consistency, format."""

import math
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from workbench.consistency.recorded import by_model, held_pairs
from workbench.drawing.quantities import EDIT_DISTANCE, QUANTITIES
from workbench.drawing.score_description import length_words, reply_count_words, scored_rows
from workbench.errors import TableError
from workbench.reports.chapters import Chapter
from workbench.reports.headline import headline
from workbench.reports.page_parts import (
    UNDEFINED,
    details,
    figure,
    interval_cell,
    number,
    paragraph,
    section,
    share,
    table,
)
from workbench.scoring.parameters import MEASURES, ScoringParameters
from workbench.statistics.intervals import share_of_ties
from workbench.studies.models import answer_spread, format_and_tracking, model_summary
from workbench.studies.panels import ALL_LENGTHS

MOST_PAIRS: Final = 200
"""Pairs of answers of a model that are compared with each other."""

_RELATION: Final = "next_action"
_SEED: Final = 0


def summary_of(chapter: Chapter) -> pd.DataFrame:
    """Return the model summary of a chapter and of its references; ``own`` marks the chapter's models.

    Only the chapter's models have a tau.
    """
    curve = [f"precision_{m}" for m in range(1, chapter.depth + 1)]
    parts = []
    for scores, own in ((chapter.scores, True), (chapter.references, False)):
        if len(scores):
            # An estimator gives p_m and r_m alone.
            lacking = {name: np.nan for name in curve if name not in scores}
            summary = model_summary.compute(
                scores.assign(**lacking),
                depth=chapter.depth,
                with_tau=own and chapter.measures_text,
            )
            parts.append(summary.assign(own=own))
    return pd.concat(parts, ignore_index=True)


def curves_section(chapter: Chapter, summary: pd.DataFrame, identity: str) -> str:
    """Return the curves of p_m and r_m by length, with their numbers."""
    name = chapter.environment.name
    identity, title = f"{identity}-length", f"By length ({length_words(name)})"
    if (summary["length"] == ALL_LENGTHS).all():
        return section(identity, title, paragraph("No position says its length: no curves."))
    beside = sorted(summary.loc[~summary["own"], "model"].unique())
    words = f"Beside the chapter's own: {', '.join(beside)}." if beside else ""
    parts = [paragraph(words), *map(paragraph, chapter.notes)]
    for measure, quantity in QUANTITIES.items():
        if measure not in summary or summary[measure].isna().all():
            continue
        symbol = f"{quantity.symbol}_{chapter.depth}"
        curves = model_summary.draw(
            summary,
            reply_count_words(chapter.scores),
            environment=name,
            measure="recall" if measure == "recall" else "precision",
        )
        caption = f"Mean {symbol} by length, with 95% intervals"
        numbers = _by_length(summary, measure, caption, symbol)
        alt = f"{chapter.title}: mean {quantity.label(chapter.depth)} by length, a line a model; the numbers follow as a table."  # fmt: skip
        parts.append(figure(curves, alt, details(f"The numbers: {symbol} by length", numbers)))
    return section(identity, title, *parts)


def accepted_section(chapter: Chapter, identity: str) -> str:
    """Return how far lines of actions are accepted; nothing for other tasks."""
    if chapter.task != "continuation":
        return ""
    scores, noun = chapter.all_scores(), chapter.environment.action_noun
    depths = [m for m in range(1, chapter.depth + 1) if f"precision_{m}" in scores]
    numbers = [headline(scores, depth=m) for m in depths]
    order = numbers[-1].sort_values("mean", ascending=False)["model"]
    by_model = [each.set_index("model") for each in numbers]
    rows = [[model, *(interval_cell(each.loc[model]) for each in by_model)] for model in order]
    caption = (
        f"Share of the replies whose first i {noun}s the true {chapter.environment.state_noun} "
        "accepts"
    )
    return section(
        f"{identity}-accepted",
        f"How far the lines of {noun}s are accepted",
        table(caption, ["model", *(f"p_{m}" for m in depths)], rows),
    )


def agreement_section(chapter: Chapter, summary: pd.DataFrame, identity: str) -> str:
    """Return Kendall's tau of p_m and edit distance by length; nothing for tasks without states."""
    if not chapter.measures_text:
        return ""
    symbol, columns = chapter.symbol, (f"precision_{chapter.depth}", "levenshtein")
    ties = [
        [model, *(share(share_of_ties(part[name].to_numpy(float))) for name in columns)]
        for model, part in scored_rows(chapter.scores).groupby("model")
    ]
    own = summary[summary["own"]]
    return section(
        f"{identity}-agreement",
        f"Agreement of {symbol} and {EDIT_DISTANCE.name}",
        paragraph(
            f"Kendall's tau-b of {symbol} and the negative {EDIT_DISTANCE.name}: 1 where both put all "
            "replies in the same order, 0 where neither tells about the other. Undefined where one of "
            "them is the same for all replies."
        ),
        _by_length(own, "tau", "Kendall's tau-b by length, with 95% intervals", "all"),
        details(
            "Shares of tied pairs of replies",
            table("Tied pairs", ["model", symbol, EDIT_DISTANCE.name], ties),
        ),
    )


def consistency_section(chapter: Chapter, identity: str) -> str:
    """Return how alike the answers to one question are, where it was asked several times."""
    identity, title = f"{identity}-consistency", "Consistency of repeated answers"
    spread = answer_spread.compute(chapter.scores, depth=chapter.depth)
    if not (spread["answers"] > 1).any():
        words = "Each position was asked once: nothing to say about repeated answers."
        return section(identity, title, paragraph(words))
    rows = [
        [
            row["model"],
            f"{row['repeated']:,}",
            *(share(row[name]) for name in ("same", "always", "sometimes", "never")),
            *(number(row[name]) for name in ("within", "between")),
            share(row["share_within"]),
        ]
        for row in answer_spread.summarise(spread).to_dict("records")
    ]
    columns = [
        "model", "positions asked again", f"same {chapter.answer} in all", "always right", "sometimes right",
        "never right", "deviation within", "deviation between", "share within",
    ]  # fmt: skip
    ranges = answer_spread.draw(spread, reply_count_words(chapter.scores))
    alt = f"{chapter.title}: the range of {chapter.symbol} over the answers to each position."
    return section(
        identity,
        title,
        paragraph(
            f"Deviations are standard deviations of {chapter.symbol}: within, between the answers to "
            "one position; between, of the positions' means."
        ),
        table("Repeated answers to the same position", columns, rows),
        figure(ranges, alt),
    )


def own_answers_section(chapter: Chapter, identity: str) -> str:
    """Return how far answers about neighbouring positions agree, beside the truth: a check without an answer key."""
    identity, title = f"{identity}-own-answers", "Answers against each other"
    action, state = chapter.environment.action_noun, chapter.environment.state_noun
    if chapter.predictions.empty:
        words = "The predictions are not available: no answers to compare with each other."
        return section(identity, title, paragraph(words))
    try:
        held = held_pairs(chapter.predictions, (_RELATION,))
    except TableError as error:
        return section(identity, title, paragraph(f"Nothing to compare: {error}."))
    settings = chapter.scores.iloc[0]
    parameters = ScoringParameters(
        chapter.depth, settings["terminal"], settings["ill_formed_policy"]
    )
    generator = np.random.default_rng(_SEED)
    measured = []
    for each in held:
        places = sorted(generator.permutation(len(each.pairs))[:MOST_PAIRS].tolist())
        some = replace(each, pairs=tuple(each.pairs[place] for place in places))
        measured.append(some.measured(parameters))
    means = by_model(pd.concat(measured, ignore_index=True))
    rows = [
        [
            " ".join(filter(None, (row["model"], row["setting"]))),
            f"{row['count']:,}",
            *(interval_cell(row, name) for name in ("consistency", "truth")),
            *(share(row[name]) for name in ("equal", "readable")),
        ]
        for row in means.to_dict("records")
    ]
    precision, recall = (f"{name[0]}_{chapter.depth}" for name in MEASURES)
    return section(
        identity,
        title,
        paragraph(
            f"The {state} that a model writes is moved on by the next {action} of the {chapter.environment.episode_noun}, and "
            f"compared with the {state} that it writes after that {action}: half {precision}, half {recall}, 0 where it does not "
            f"permit the {action}. No true {state} is needed for that; beside it the same of both answers against the true "
            f"{state}s. A model can be consistent and wrong. At most {MOST_PAIRS} pairs of each model (seed {_SEED}), "
            "intervals by whole games."
        ),
        table(
            "Two answers of one model",
            [
                "model",
                "pairs",
                "agreement of the two",
                "agreement with the truth",
                "equal",
                "both readable",
            ],
            rows,
        ),
    )


def lengths_of(summary: pd.DataFrame) -> list[str]:
    """Return the lengths of a summary in order, without the one for all."""
    return sorted(set(summary["length"]) - {ALL_LENGTHS}, key=int)


def _by_length(summary: pd.DataFrame, measure: str, caption: str, symbol: str) -> str:
    lengths = [*lengths_of(summary), ALL_LENGTHS]
    rows = []
    overall = summary[summary["length"] == ALL_LENGTHS].sort_values(measure, ascending=False)
    for model in overall["model"]:
        part = summary[summary["model"] == model].set_index("length").to_dict("index")
        cells = (interval_cell(part[name], measure) if name in part else "–" for name in lengths)
        rows.append([model, *cells])
    overall_head = f"{symbol}, all lengths" if symbol != ALL_LENGTHS else "all lengths"
    return table(caption, ["model", *lengths[:-1], overall_head], rows)


def parts_of_means(chapter: Chapter) -> pd.DataFrame:
    """Return `format_and_tracking.compute` of a chapter with scored rows and of its references."""
    return format_and_tracking.compute(chapter.all_scores(), depth=chapter.depth)


def format_section(chapter: Chapter, parts: pd.DataFrame, identity: str) -> str:
    """Return each model's mean and its parts, over all lengths and by length."""
    name = chapter.environment.name
    overall = parts[parts["length"] == ALL_LENGTHS].sort_values("mean", ascending=False)
    by_length = parts[parts["length"] != ALL_LENGTHS]
    title = "Format apart from tracking"
    words = (
        f"Mean {chapter.symbol} over all replies is the share of readable replies times the mean over "
        "these. A difference between models that is not there over the readable replies is one of "
        "format, and says nothing about tracking."
    )
    if chapter.measures_text and overall["case_replies"].any():
        words += (
            " Replies that differ from the true state in letter case alone are also measured in the "
            "right case."
        )
    overview = format_and_tracking.draw_overall(parts, environment=name)
    alt = f"{chapter.title}: mean {chapter.symbol} of each model and its parts; the table has the numbers."
    content = [
        paragraph(words),
        _table(chapter, overall, f"Mean {chapter.symbol} and its parts, with 95% intervals"),
        figure(overview, alt),
    ]
    if len(by_length):
        lines = format_and_tracking.draw(parts, environment=name)
        alt = f"{chapter.title}: the parts of mean {chapter.symbol} by length, a panel a model."
        caption = f"The same by length ({length_words(name)})"
        content.append(details(caption, figure(lines, alt), _table(chapter, by_length, caption)))
    return section(f"{identity}-format", title, *content)


def _table(chapter: Chapter, rows: pd.DataFrame, caption: str) -> str:
    symbol = chapter.symbol
    columns = [
        "model", "replies", "readable", symbol, f"{symbol} over readable", f"{symbol} over valid",
    ]  # fmt: skip
    names = ["readable", "mean", "mean_readable", "mean_valid"]
    if case := bool(rows["case_replies"].any()):
        columns += [f"{symbol} in the right letter case", "replies wrong in case alone"]
    if chapter.measures_text:
        columns += ["right as written", "right ignoring case", "right without clocks"]
    of_length = (rows["length"] != ALL_LENGTHS).any()
    lines = []
    for row in rows.to_dict("records"):
        cells = [row["model"] + (f", {row['length']}" if of_length else ""), f"{row['replies']:,}"]
        cells += [interval_cell(row, name) for name in names]
        if case:
            cells += [number(row["mean_in_true_case"]), f"{row['case_replies']:,}"]
        if chapter.measures_text:
            cells += [
                UNDEFINED if math.isnan(row[each]) else f"{row[each]:.1%}"
                for each in ("right", "right_ignoring_case", "right_without_clocks")
            ]
        lines.append(cells)
    return table(caption, columns, lines)

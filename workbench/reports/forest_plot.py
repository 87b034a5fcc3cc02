"""The forest plot of a report: models by a mean with intervals, with the numbers of its switches."""

import math
from collections.abc import Iterator
from html import escape
from typing import Any, Final, NamedTuple

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from workbench.drawing.appearance import caption, figure_of_rows
from workbench.drawing.labels import labels, typeset
from workbench.drawing.quantities import PRECISION
from workbench.drawing.score_description import convention_words, scored_rows, with_length
from workbench.metrics import find_metric, range_of, with_summaries
from workbench.prediction import READABLE
from workbench.reports.chapters import Chapter
from workbench.reports.headline import quantities_of
from workbench.reports.model_comparison import asking_conditions
from workbench.reports.page_parts import (
    counted,
    interval_texts,
    quantity_name,
    subscripts,
)
from workbench.statistics.grouped import grouped_means
from workbench.studies.panels import ALL_LENGTHS

OWN, COMMON = "own", "common"
"""The positions of a mean: all of a model's own, or those that all models have scores at."""

_READABLE: Final = "readable"
_OVER_READABLE: Final = "precision_readable"


class Family(NamedTuple):
    """Models that may be ranked with each other, for they were asked alike.

    Attributes:
        title: Which they are, in words.
        models: Their names.
        settings: Whether they are the settings of one model.
    """

    title: str
    models: list[str]
    settings: bool


def ranked_families(chapter: Chapter) -> list[Family]:
    """Return the families of a chapter's models and of those beside them, the largest first."""
    conditions = asking_conditions(chapter.all_scores())
    noun = chapter.environment.episode_noun
    scored = scored_rows(chapter.all_scores())
    games = scored.drop_duplicates("position_id").set_index("position_id")["game"]
    whose = conditions["asked"].where(conditions["variant"] != "", "")
    result = []
    for _, part in conditions.assign(whose=whose).groupby(["positions", "whose"], sort=False):
        positions, asked = part["positions"].iloc[0], part["whose"].iloc[0]
        count = counted(len(positions), "position")
        of_games = counted(games.loc[list(positions)].nunique(), noun)
        words = f"settings of {asked} at" if asked else "models asked about"
        same = "the same " if len(part) > 1 else ""
        if len(part) == 1:
            words = words.replace("models", "model")
        result.append(
            Family(
                f"{len(part)} {words} {same}{count} of {of_games}", list(part.index), bool(asked)
            )
        )
    return sorted(result, key=lambda each: (each.settings, -len(each.models)))


def measures_of(chapter: Chapter) -> list[str]:
    """Return the columns that the plot can show; the first is that of p_m."""
    columns = quantities_of(chapter.task, chapter.depth, chapter.scores.columns)
    return [*columns, _READABLE, _OVER_READABLE]


def common_positions(chapter: Chapter) -> frozenset[str]:
    """Return the positions that all models have scores at; none where these are all that any has."""
    sets = scored_rows(chapter.all_scores()).groupby("model")["position_id"].agg(frozenset)
    return frozenset() if sets.nunique() < 2 else frozenset.intersection(*sets)


def forest_numbers(chapter: Chapter) -> pd.DataFrame:
    """Return the means of all measures: by model and length, of own and of common positions.

    Returns:
        positions (OWN or COMMON), model, length ("all" for all), column, and the statistics of
        `workbench.statistics.grouped.grouped_means`, whose intervals are of 95%, clustered by game.
    """
    rows = with_length(with_summaries(scored_rows(chapter.all_scores())))
    readable = rows["reply_class"].isin(READABLE)
    precision = rows[f"precision_{chapter.depth}"].astype(float)
    rows = rows.assign(readable=readable, precision_readable=precision.where(readable))
    common = rows[rows["position_id"].isin(common_positions(chapter))]
    return pd.concat(
        [
            grouped_means(
                part, measures_of(chapter), ["model", "length"], within=range_of, total=ALL_LENGTHS
            ).assign(positions=name)
            for name, part in ((OWN, rows), (COMMON, common))
            if len(part)
        ],
        ignore_index=True,
    )


def measure_title(chapter: Chapter, column: str) -> str:
    """Return what the plot calls a measure: a name, and the symbol where it has one."""
    if column == _READABLE:
        return "share of readable replies"
    if column == _OVER_READABLE:
        return subscripts(f"{chapter.symbol} over readable replies")
    metric = find_metric(column)
    heading = subscripts(quantity_name(column))
    title = column if metric is None else metric.title
    return heading if heading == title else f"{title} {heading}"


def _words(chapter: Chapter, column: str) -> str:
    noun = chapter.environment.action_noun
    explained = {
        f"precision_{chapter.depth}": f"{chapter.symbol}: how often a random line of {noun}s that the "
        "predicted state permits is permitted by the true one.",
        f"recall_{chapter.depth}": f"r_{chapter.depth}: how often a random line of {noun}s that the true "
        "state permits is permitted by the predicted one.",
        f"f_{chapter.depth}": f"The harmonic mean of {chapter.symbol} and r_{chapter.depth} of a reply.",
        "levenshtein": "Characters to change until the reply's state is the true one; less is better.",
        _READABLE: f"Replies from which a {chapter.answer} can be read.",
        _OVER_READABLE: "Without the replies that cannot be read: tracking apart from format. Models "
        "differ in which replies these are.",
    }
    return subscripts(explained.get(column, ""))


def forest(
    chapter: Chapter, numbers: pd.DataFrame, choices: bool = True
) -> tuple[str, dict[str, Any]]:
    """Return the plot of p_m over all lengths as HTML, and what its switches show instead.

    Args:
        chapter: The chapter.
        numbers: As of `forest_numbers`.
        choices: Whether there are switches.
    """
    measures, families = measures_of(chapter), ranked_families(chapter)
    models = [model for family in families for model in family.models]
    lengths = [*_lengths(numbers), ALL_LENGTHS][::-1]
    positions = [each for each in (OWN, COMMON) if (numbers["positions"] == each).any()]
    key = ["positions", "column", "length", "model"]
    cells = {tuple(row[name] for name in key): _cell(row) for row in numbers.to_dict("records")}
    values = [
        [
            [[cells.get((of, column, length, model), "undefined|||0") for model in models] for length in lengths]
            for column in measures
        ]
        for of in positions
    ]  # fmt: skip
    described: list[dict[str, Any]] = [
        {
            "label": measure_title(chapter, column),
            "words": _words(chapter, column),
            "quantity": _quantity(column),
            "best": "low" if column == "levenshtein" else "high",
            "ticks": _ticks(numbers, column),
        }
        for column in measures
    ]
    count = counted(len(common_positions(chapter)), "position")
    together = len([model for family in families if not family.settings for model in family.models])
    common = [
        f"{family.title.partition(' at ')[0] if family.settings else counted(together, 'model')} "
        f"on the {count} that all models here have answered"
        for family in families
    ]
    data = {
        "measures": described, "values": values, "own": [each.title for each in families],
        "common": common,
    }  # fmt: skip
    own_numbers = numbers[(numbers["positions"] == OWN) & (numbers["length"] == ALL_LENGTHS)]
    means = own_numbers[own_numbers["column"] == measures[0]].set_index("model")["value"]
    top = described[0]["ticks"][-1]
    bodies = []
    for home, family in enumerate(families):
        ordered = sorted(family.models, key=lambda model: -_or_low(means.get(model, math.nan)))
        rows = "".join(
            _row(
                chapter, model, models.index(model), home, values[0][0][0][models.index(model)], top
            )
            for model in ordered
        )
        apart = " data-settings" if family.settings else ""
        bodies.append(
            f'<tbody{apart}><tr class="family"><th colspan="3" scope="rowgroup">'
            f"{escape(family.title)}</th><td></td></tr>{rows}</tbody>"
        )
    switches = ""
    if choices:
        per = (
            f"{chapter.environment.action_noun}s"
            if chapter.environment.actions_per_group == 1
            else "full moves"
        )
        switches = _select("measure", "Measure", [each["label"] for each in described])
        switches += _select(
            "length", "Length", ["all lengths", *(f"{each} {per}" for each in lengths[1:])]
        )
        if len(positions) > 1:
            switches += _select(
                "positions", "Positions", ["each model's own", "common to all models"]
            )
    axis = "".join(
        f'<text x="{100 * tick / top:g}%" y="12" text-anchor='
        f'"{"start" if tick == 0 else "end" if tick == top else "middle"}">{tick:g}</text>'
        for tick in described[0]["ticks"]
    )
    page = (
        f'<div class="forest" data-quantity="precision" style="--steps:{len(described[0]["ticks"]) - 1}">'
        f'<div class="switches" hidden>{switches}</div>'
        f'<p class="quiet" data-role="words" role="status">{escape(described[0]["words"])}</p>'
        f"<table><caption>{escape(_caption(chapter))}</caption>"
        '<thead><tr><th scope="col">model</th>'
        f'<th scope="col"><span class="unseen">picture</span><svg data-role="axis" aria-hidden="true">{axis}</svg></th>'
        '<th scope="col">mean [95%]</th><th scope="col">replies</th></tr></thead>'
        f"{''.join(bodies)}</table></div>"
    )
    return page, data


def _caption(chapter: Chapter) -> str:
    noun = chapter.environment.episode_noun
    beside = "; hollow marks: models beside the report's own" if len(chapter.references) else ""
    return (
        f"{chapter.title}. Best first. Bars: 95% intervals by the variance between whole {noun}s"
        f"{beside}; {convention_words(chapter.scores)}."
    )


def _select(name: str, title: str, options: list[str]) -> str:
    items = "".join(
        f'<option value="{place}">{escape(text)}</option>' for place, text in enumerate(options)
    )
    return f'<label>{title} <select data-switch="{name}">{items}</select></label>'


def _row(chapter: Chapter, model: str, place: int, home: int, text: str, top: float) -> str:
    mean, low, high, count = text.split("|")
    at = [
        f"{100 * float(each.replace(',', '')) / top:.4g}%" if each else "0" for each in (low, high)
    ]
    undefined = not mean[0].isdigit()
    hidden = ['visibility="hidden"' if each else "" for each in (not low, undefined)]
    centre = "0" if undefined else f"{100 * float(mean.replace(',', '')) / top:.4g}%"
    beside = "" if model in chapter.models else ' class="beside"'
    return (
        f'<tr data-model="{place}" data-home="{home}"{beside}><th scope="row">{escape(model)}</th>'
        f'<td><svg aria-hidden="true"><line x1="{at[0]}" x2="{at[1]}" y1="50%" y2="50%" {hidden[0]}/>'
        f'<circle cx="{centre}" cy="50%" r="4" {hidden[1]}/></svg></td>'
        f"<td><strong>{mean}</strong> <span>{f'[{low}, {high}]' if low else ''}</span></td>"
        f"<td>{count}</td></tr>"
    )


def _cell(row: dict[Any, Any]) -> str:
    mean, low, high = interval_texts(row["value"], row["low"], row["high"])
    return f"{mean}|{low}|{high}|{row['count']:,}"


def _lengths(numbers: pd.DataFrame) -> list[str]:
    return sorted(set(numbers["length"]) - {ALL_LENGTHS}, key=int, reverse=True)


def _ticks(numbers: pd.DataFrame, column: str) -> list[float]:
    if range_of(column)[1] == 1:
        return [0, 0.25, 0.5, 0.75, 1]
    part = numbers[numbers["column"] == column]
    most = part[["value", "high"]].max().max()
    ticks = MaxNLocator(4).tick_values(0, most if most > 0 else 1)
    return [float(f"{tick:.6g}") for tick in ticks]


def _or_low(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _quantity(column: str) -> str:
    names = {"precision": "precision", "recall": "recall", "levenshtein": "edit-distance"}
    return names.get(column.partition("_")[0], "plain")


def draw(chapter: Chapter, numbers: pd.DataFrame) -> Figure:
    """Draw the plot of p_m for a paper: the families below each other, each model's mean with its bar."""
    families, column = ranked_families(chapter), f"precision_{chapter.depth}"
    own = numbers[(numbers["positions"] == OWN) & (numbers["length"] == ALL_LENGTHS)]
    own = own[own["column"] == column].set_index("model")
    heights = [1.0 + 0.22 * len(each.models) for each in families]
    figure, panels = figure_of_rows([1] * len(families), heights, 6.4)
    for (axes,), family in zip(panels, families, strict=True):
        part = own.reindex(family.models).sort_values("value", kind="stable")
        names = labels(part.index)
        places = range(len(part))
        axes.hlines(places, part["low"], part["high"], color=PRECISION.colour, linewidth=1.6)
        fills = [PRECISION.colour if name in chapter.models else "white" for name in part.index]
        axes.scatter(part["value"], places, c=fills, edgecolors=PRECISION.colour, s=26, zorder=3)
        axes.set_yticks(places, [names[each] for each in part.index], fontsize=8)
        axes.set_title(family.title, fontsize=8, loc="left")
        axes.set_ylim(-0.6, len(part) - 0.4)
        axes.set_xlim(-0.02, 1.02)
    panels[-1][0].set_xlabel(typeset(f"mean {chapter.symbol}"))
    caption(figure, f"Models by mean {PRECISION.label(chapter.depth)}", _caption(chapter))
    return figure


def latex_table(chapters: list[tuple[Chapter, pd.DataFrame]]) -> str:
    """Return the means of all measures as a LaTeX table of the package booktabs."""
    return "\n\n".join("\n".join(_latex_lines(*each)) for each in chapters) + "\n"


def _latex_lines(chapter: Chapter, numbers: pd.DataFrame) -> Iterator[str]:
    columns = measures_of(chapter)
    own = numbers[(numbers["positions"] == OWN) & (numbers["length"] == ALL_LENGTHS)]
    rows = {(row["model"], row["column"]): row for row in own.to_dict("records")}
    yield f"% {_plain(chapter.title)}. World-State Workbench; needs \\usepackage{{booktabs}}."
    yield f"\\begin{{tabular}}{{l{'r' * (len(columns) + 1)}}}"
    yield "\\toprule"
    yield (
        " & ".join(["model", *(_latex_head(chapter, each) for each in columns), "replies"])
        + " \\\\"
    )
    for family in ranked_families(chapter):
        yield "\\midrule"
        yield f"\\multicolumn{{{len(columns) + 2}}}{{l}}{{\\emph{{{_escaped(family.title)}}}}} \\\\"
        main = {
            model: rows[model, columns[0]] for model in family.models if (model, columns[0]) in rows
        }
        for model in sorted(main, key=lambda name: -_or_low(main[name]["value"])):
            cells = []
            for column in columns:
                mean, low, high = interval_texts(
                    *(rows[model, column][each] for each in ("value", "low", "high"))
                )
                cells.append(f"{mean} [{low}, {high}]" if low else mean)
            yield " & ".join([_escaped(model), *cells, f"{main[model]['count']:,}"]) + " \\\\"
    yield "\\bottomrule"
    yield "\\end{tabular}"


def _latex_head(chapter: Chapter, column: str) -> str:
    if column == _READABLE:
        return "readable"
    if column == _OVER_READABLE:
        return f"${chapter.symbol[0]}_{{{chapter.depth}}}$, readable"
    letter, _, depth = quantity_name(column).partition("_")
    return f"${letter}_{{{depth}}}$" if depth.isdigit() else _escaped(quantity_name(column))


_LATEX: Final = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip


def _escaped(text: str) -> str:
    return _plain(text).translate(_LATEX)


def _plain(text: str) -> str:
    return " ".join(text.split())

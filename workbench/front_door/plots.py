"""Figures of scores: the paper's curve, and any metric by length, by model, and the classes of replies."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import Style, caption, draw_means, new_figure, plain_axes, style
from workbench.drawing.labels import labels, typeset
from workbench.drawing.quantities import Quantity
from workbench.drawing.reply_words import class_words
from workbench.drawing.score_description import (
    answer_words,
    class_counts,
    describe_scores,
    environment_of,
    has_bands,
    interval_words,
    length_words,
    reply_count_words,
    scored_rows,
)
from workbench.front_door.frames import Rows
from workbench.front_door.scores import check_columns, default_metrics, summary, with_games
from workbench.metrics import find_metric
from workbench.prediction import CLASSES
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import draw_bars
from workbench.studies.paper import kendall_tau
from workbench.studies.recorded_models import column_looks

_PER_ROW: Final = 0.3
_UNKNOWN: Final = 0


class Plot:
    """Figures of scores: ``workbench.plot(scores)``, and ``.tau``, ``.models`` and ``.classes``.

    Each takes what `workbench.score` returns, or the path of a scores table, and returns a figure.

    Example:
        >>> import workbench as wb
        >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> figure = wb.plot(wb.score([{"fen": start, "reply": start}], depth=2))
        >>> figure.axes[0].get_xlabel()
        'state precision $p_{2}$, mean'
    """

    def __call__(
        self, scores: Rows, metric: str | Sequence[str] | None = None, by: str = "model"
    ) -> Figure:
        """Draw the mean of a metric against the length of the episode: the paper's curve.

        Args:
            scores: As of `workbench.score`, or the path of a scores table.
            metric: A column, such as ``f_4`` or ``levenshtein``; by default p_m, and r_m beside it
                where there is only one line to draw.
            by: A column: one line for each of its values.

        Returns:
            The figure; points with intervals, one below the other, where the rows have one length.

        Raises:
            InvalidArgumentError: If there is no such column.
        """
        frame = with_games(scores)
        check_columns(frame, [by])
        several = frame[by].nunique(dropna=False) > 1
        if metric is None:
            metric = default_metrics(frame)[: 1 if several else 2]
        names = [metric] if isinstance(metric, str) else list(metric)
        check_columns(frame, names)
        lengths = frame.loc[frame["group"].fillna(_UNKNOWN) != _UNKNOWN]
        if lengths["group"].nunique() < 2:
            return self.models(frame, names[0], by)
        table = summary(lengths, [by, "group"], names)
        return _lines(frame, table, names, by)

    def models(self, scores: Rows, metric: str | None = None, by: str = "model") -> Figure:
        """Draw the mean of a metric for each model with its interval, the best first.

        Args:
            scores: As of `workbench.score`, or the path of a scores table.
            metric: A column; by default p_m.
            by: A column whose values are compared, ``model`` unless another is named.

        Raises:
            InvalidArgumentError: If there is no such column.
        """
        frame = with_games(scores)
        check_columns(frame, [by])
        name = metric or default_metrics(frame)[0]
        check_columns(frame, [name])
        definition = find_metric(name)
        lower = definition is not None and definition.direction == "lower"
        table = summary(frame, [by], [name])
        table = table.sort_values(name, ascending=not lower, ignore_index=True)
        figure, (axes,) = new_figure(height=max(2.2, 1.4 + _PER_ROW * len(table)))
        looks = column_looks(by, list(table[by].astype(str).unique()))
        for place, value in enumerate(table[by].astype(str)):
            draw_bars(
                axes, [place], table.iloc[[place]], name, looks[value], across=True,
                linestyle="none", capsize=2, elinewidth=0.8,
            )  # fmt: skip
        names, counts = list(labels(table[by].astype(str)).values()), table["replies"]
        if counts.nunique() > 1:
            names = [f"{each} (n = {count})" for each, count in zip(names, counts, strict=True)]
        axes.set_yticks(range(len(table)), names)
        axes.set_ylim(-0.6, len(table) - 0.4)
        axes.grid(visible=False, axis="y")
        plain_axes([axes], "x")
        axes.set_xlabel(f"{typeset(_axis(name))}, mean")
        _caption(figure, frame, f"{_title(name)}: mean of all replies", table, name)
        return figure

    def tau(self, scores: Rows) -> Figure:
        """Draw Kendall's tau-b of p_m and edit distance at each length, as the paper does.

        Args:
            scores: As of `workbench.score`, or the path of a scores table.
        """
        frame = with_games(scores)
        depth = int(default_metrics(frame)[0].rpartition("_")[2])
        models = None
        if frame["model"].nunique() > 1:
            models = kendall_tau.compute(frame, depth=depth, each_model=True)
        table = kendall_tau.compute(frame, depth=depth)
        words = describe_scores(scored_rows(frame))
        return kendall_tau.draw(table, words, models=models, environment=environment_of(frame).name)

    def classes(self, scores: Rows, by: str = "model") -> Figure:
        """Draw the share of each class of replies: valid, ill-formed, unreadable, without a state.

        Args:
            scores: As of `workbench.score`, or the path of a scores table.
            by: A column: one bar for each of its values.

        Raises:
            InvalidArgumentError: If there is no such column.
        """
        frame = with_games(scores)
        check_columns(frame, [by])
        counts = class_counts(frame, [by])
        shares = counts["valid"] / counts["count"]
        counts = counts.loc[shares.sort_values().index].reset_index(drop=True)
        names = [name for name in (*CLASSES, "unscored") if counts[name].any() or name == "valid"]
        figure, (axes,) = new_figure(width=7.6, height=max(2.4, 1.6 + _PER_ROW * len(counts)))
        left = pd.Series(0.0, counts.index)
        for name in names:
            look = style((*CLASSES, "unscored").index(name))
            share = counts[name] / counts["count"]
            axes.barh(
                counts.index, share, left=left, color=look.colour, hatch=look.hatch,
                edgecolor="white", linewidth=0.5, label=class_words(name, answer_words(frame)),
            )  # fmt: skip
            left += share
        axes.set_yticks(counts.index, list(labels(counts[by].astype(str)).values()))
        axes.set_xlim(0, 1)
        axes.set_xlabel(f"share of {counts['count'].sum()} replies")
        figure.legend(loc="outside right upper", fontsize=7, frameon=False)
        caption(figure, "Classes of replies", reply_count_words(frame))
        return figure


plot: Final = Plot()


def _lines(frame: pd.DataFrame, table: pd.DataFrame, names: list[str], by: str) -> Figure:
    values = list(dict.fromkeys(table[by].astype(str)))
    figure, (axes,) = new_figure(width=7.8, height=4.2 + 0.1 * len(values) * (len(values) > 5))
    looks, short = column_looks(by, values), labels(values)
    for value, rows in table.groupby(table[by].astype(str), sort=False):
        for name in names:
            look = looks[value] if len(values) > 1 else _look(name)
            label = short[value] if len(values) > 1 else typeset(_axis(name))
            ends = rows[f"{name}_low"], rows[f"{name}_high"]
            draw_means(axes, rows["group"], rows[name], *ends, look, label)
    environment = environment_of(frame)
    axes.set_xlabel(length_words(environment.name, in_bands=has_bands(frame)))
    axes.set_xticks(sorted(table["group"].unique()))
    axes.set_ylabel(f"{typeset(_axis(names[0]))}, mean" if len(names) == 1 else "mean")
    if all((metric := find_metric(name)) and metric.range == SHARE for name in names):
        axes.set_ylim(-0.02, 1.02)
    figure.legend(loc="outside right upper", fontsize=7, frameon=False)
    title = (
        f"{' and '.join(map(_title, names))} against the length of the {environment.episode_noun}"
    )
    _caption(figure, frame, title, table, names[0])
    return figure


def _caption(
    figure: Figure, frame: pd.DataFrame, title: str, table: pd.DataFrame, name: str
) -> None:
    bars = interval_words(table, f"{environment_of(frame).episode_noun}s", f"{name}_low")
    words = f"{describe_scores(frame)}\n{bars}"
    caption(figure, title[:1].upper() + title[1:], words)


def _title(column: str) -> str:
    metric = find_metric(column)
    return column.replace("_", " ") if metric is None else metric.title


def _axis(column: str) -> str:
    """Return the name of a column with its unit; one that is no metric has its own name."""
    metric = find_metric(column)
    if metric is None:
        return _title(column)
    return metric.label + (f" ({metric.unit})" if metric.unit not in ("", "proportion") else "")


def _look(column: str) -> Style:
    metric = find_metric(column)
    return style(0) if metric is None else Quantity(metric).look

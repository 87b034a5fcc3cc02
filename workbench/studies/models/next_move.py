"""The probability that a legal next move is legal on the true board, beside that of whole lines.

The paper writes that "the probability of a legal next move remains near one" while p_4 falls. Here
it is p_1: of a move drawn uniformly from those of the predicted board.
"""

from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import Style, caption, new_figure
from workbench.drawing.labels import fitting_ticks, labels, room, some_of, span
from workbench.drawing.score_description import (
    episode_words,
    interval_words,
    length_words,
    scored_rows,
    with_length,
)
from workbench.environments.registry import DEFAULT, environment_in_table
from workbench.errors import InvalidArgumentError
from workbench.prediction import READABLE
from workbench.statistics.grouped import grouped_means, spread
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import draw_bars
from workbench.studies.recorded_models import model_looks

YES: Final = "near one"
NO: Final = "not near one"
OPEN: Final = "undecided"

_PANELS_IN_ROW: Final = 6
_PANEL_WIDTH: Final = 1.9
_SIZE: Final = 7.5


def compute(scores: pd.DataFrame, *, depth: int = 4, near: float = 0.9) -> pd.DataFrame:
    """Compare mean p_1 and p_m of each model at each length of the game.

    Intervals are of 95%, by the variance between games. A mean is ``near one`` if its interval lies
    at or above ``near`` at every length, ``not near one`` if it lies below at some length, and else
    ``undecided``.

    Returns:
        One row per model and length: model, length (full moves), count (replies), boards (replies
        that hold a board), games, effective (number of games), next and line (means of p_1 and p_m) and next_of_boards (of p_1
        over the replies that hold a board; NaN if there are none) with _low and _high, verdict and
        verdict_of_boards (on the model's next and next_of_boards), near and depth.
    """
    line = f"precision_{depth}"
    if not {"precision_1", line} <= set(scores) or not 0 < near < 1:
        raise InvalidArgumentError(
            f"expected scores with 'precision_1' and {line!r}, and near in (0, 1), got columns "
            f"{list(scores.columns)} and {near!r}"
        )
    rows = with_length(scored_rows(scores)).dropna(subset="length")
    rows = rows.assign(
        next=rows["precision_1"],
        line=rows[line],
        next_of_boards=rows["precision_1"].where(rows["reply_class"].isin(READABLE)),
    )
    by = ["model", "length"]
    means = grouped_means(rows, ["next", "line", "next_of_boards"], by, within=SHARE)
    table = spread(means, by, counted="next")
    table.insert(3, "boards", means.loc[means["column"] == "next_of_boards", "count"].to_numpy())
    for name, column in (("next", "verdict"), ("next_of_boards", "verdict_of_boards")):
        # Where several games do not vary, the mean itself counts.
        mean = table[name].where(table["games"] > 1)
        high, low = (table[f"{name}_{end}"].fillna(mean) for end in ("high", "low"))
        below = (high < near).groupby(table["model"]).transform("any")
        above = (low >= near).groupby(table["model"]).transform("all")
        table[column] = np.select([below, above], [NO, YES], OPEN)
    return table.assign(near=near, depth=depth)


def verdict(table: pd.DataFrame) -> str:
    """Return in words for which models p_1 remains near one; the baseline does not count."""
    models = table[table["model"] != BASELINE]
    near = table["near"].iloc[0]
    rule = f"the 95% interval of mean p_1 at every length at or above {near:g}"
    return (
        f"Near one ({rule}): {_counted(models, 'next', 'verdict')}. Over the replies that hold a "
        f"board alone: {_counted(models, 'next_of_boards', 'verdict_of_boards')}."
    )


def _counted(models: pd.DataFrame, name: str, column: str) -> str:
    worst = models.groupby("model")[name].min()
    verdicts = models.groupby("model")[column].first()
    near = worst[verdicts == YES].sort_values(ascending=False)
    words = f"{len(near)} of {len(worst)} models"
    if len(near):
        words += (
            f" ({some_of(map(str, near.index), 'models')}; at its worst length {span(near, 3)})"
        )
    if len(unclear := worst[verdicts == OPEN]):
        words += f"; undecided: {some_of(map(str, unclear.index), 'models')} ({span(unclear, 3)})"
    if len(far := worst[verdicts == NO]):
        words += f"; not near one: {len(far)}, at their worst lengths {span(far, 3)}"
    return words


def draw(
    table: pd.DataFrame, note: str = "", subject: str = "", environment: str = DEFAULT
) -> Figure:
    """Draw mean p_1 and p_m against the length of the game, one panel per model.

    Models with replies at every length come first, the best of them first.
    """
    noun = environment_in_table(environment).state_noun
    depth, near = table["depth"].iloc[0], table["near"].iloc[0]
    of_models = table.groupby("model")["next"].agg(["size", "mean"])
    order = list(of_models.sort_values(["size", "mean"], ascending=False).index)
    columns = min(len(order), _PANELS_IN_ROW)
    rows = -(-len(order) // columns)
    titles, looks = labels(order, 31), model_looks(order)
    wide = max(_PANEL_WIDTH, *(room(name, _SIZE) + 0.15 for name in titles.values()))
    figure, panels = new_figure(
        columns, width=max(6.4, 0.6 + wide * columns), height=1.4 + 1.75 * rows, rows=rows
    )
    lengths = sorted(table["length"].unique())
    margin = 0.08 * (lengths[-1] - lengths[0]) or 1.0
    for axes, model in zip(panels, order, strict=False):
        part = table[table["model"] == model]
        _draw_panel(axes, part, looks[model])
        axes.axhline(near, color="0.3", linewidth=0.8, linestyle=(0, (1, 2)))
        axes.set_title(f"{titles[model]}\n{part['verdict'].iloc[0]}", fontsize=_SIZE)
        axes.set(xlim=(lengths[0] - margin, lengths[-1] + margin), ylim=(-0.02, 1.04))
        axes.tick_params(labelbottom=True, labelsize=7)
        fitting_ticks(axes, lengths, map(str, lengths), _PANEL_WIDTH - 0.3, 7)
    for axes in panels[len(order) :]:
        axes.set_axis_off()
    for axes in panels[::columns]:
        axes.set_ylabel("mean", fontsize=8)
    for axes in panels[max(0, len(order) - columns) : len(order)]:
        axes.set_xlabel(length_words(environment), fontsize=8)
    bars = interval_words(table, episode_words(environment), "next_low")
    caption(
        figure,
        "Does the probability of a legal next move remain near one?",
        f"solid, large marks: mean p_1; dashed, small marks: mean p_{depth}; thin, no marks: mean p_1 over "
        f"the replies that hold a {noun}; dotted: {near:g}, near one; {bars}\n{note}",
        subject,
    )
    return figure


def _draw_panel(axes: Axes, part: pd.DataFrame, look: Style) -> None:
    axes.plot(part["length"], part["next_of_boards"], color=look.colour, linewidth=0.8)
    for name, size, line in (("next", 6, "-"), ("line", 3, "--")):
        draw_bars(
            axes, part["length"], part, name, look, linestyle=line, markersize=size, linewidth=1.3,
            elinewidth=0.8, capsize=2,
        )  # fmt: skip

"""How tracking emerges: every measure along the checkpoints of a training run, and which rises first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import Style, caption, style
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, RECALL
from workbench.drawing.score_description import interval_words
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.statistics.intervals import (
    cluster_codes,
    cluster_resamples,
    quantile_ends,
    resampled_means,
)
from workbench.studies.panels import (
    ALL_LENGTHS,
    counts_in_words,
    curve,
    draw_bars,
    legend_below,
    legend_beside,
    means_by_game,
    name_panel,
    panels,
)
from workbench.studies.recorded_models import RECORDED_LOOKS

MEASURED: Final[Mapping[str, tuple[str, str]]] = {
    "precision": ("state precision p_{depth}", "mean"),
    "recall": ("state recall r_{depth}", "mean"),
    "exact_match_position": ("exact boards, without the clocks", "share of boards"),
    "squares": ("squares right", "share of squares"),
    "levenshtein": ("edit distance", "mean, in characters"),
    "ill_formed": ("boards that cannot arise", "share of boards"),
    "unreadable": ("replies that are no FEN", "share of replies"),
}
"""The title of each measure, and what its vertical axis counts."""

Titles = Mapping[str, tuple[str, str]]


def compute(
    scores: pd.DataFrame, steps: Mapping[str, int], *, depth: int = 4, measured: Titles = MEASURED
) -> pd.DataFrame:
    """Compute the mean of every measure for each model and length.

    ``steps`` is the training step of each model.

    Returns:
        Columns model, step (0 for the baseline), length (full moves, as text; "all" last), measure,
        depth, mean, low, high, count, games and effective (number of games). The measures are those of ``measured``;
        exact boards are compared without the clocks.
    """
    rows = scores.rename(columns={f"precision_{depth}": "precision", f"recall_{depth}": "recall"})
    table = means_by_game(rows, ["model"], list(measured))
    step = table["model"].map({**steps, BASELINE: 0}).astype(int)
    return table.assign(step=step, depth=depth)


def draw(
    table: pd.DataFrame,
    schedule: pd.DataFrame | None,
    subject: str,
    note: str = "",
    *,
    measured: Titles = MEASURED,
    lengths: str = "full moves",
    episodes: str = "games",
    title: str = "how tracking emerges in training",
) -> Figure:
    """Draw each measure against the training step, a line for each length of games.

    The last panel shows the schedule of the training, and steps before games were read to their full length
    are shaded. Without a schedule it shows one measure more. A point at step 0 stands left of a linear part
    of the axis.
    """
    depth = table["depth"].iloc[0]
    figure, axes_of = panels(2, 3, 2.9)
    lines = table[(table["length"] != ALL_LENGTHS) & (table["model"] != BASELINE)]
    of_baseline = table[(table["length"] == ALL_LENGTHS) & (table["model"] == BASELINE)]
    baseline = of_baseline.set_index("measure")["mean"]
    steps = sorted(lines["step"].unique())
    places = axes_of if schedule is None else axes_of[:-1]
    names = [name for name in measured if name != "squares"][: len(places)]
    for axes, measure in zip(places, names, strict=False):
        of_measure = lines[lines["measure"] == measure].sort_values("step")
        for index, length in enumerate(sorted(of_measure["length"].unique(), key=int)):
            line = of_measure[of_measure["length"] == length]
            curve(axes, line, line["step"], f"{length} {lengths}", style(index))
        if measure in baseline:
            axes.axhline(
                baseline[measure], color="0.45", linewidth=1, linestyle=":", label=BASELINE
            )
        name_panel(axes, measured[measure], depth, "")
        if measure != "levenshtein" and (measure != "ill_formed" or schedule is None):
            axes.set_ylim(-0.03, 1.03)
    for axes in places[len(names) :]:
        axes.set_axis_off()
    words = [
        f"means of {counts_in_words(lines, episodes)} a point",
        interval_words(lines, episodes),
    ]
    if schedule is not None:
        _draw_course(axes_of[-1], schedule)
        run = schedule[~schedule["branch"]]
        full = run[run["plies"] < run["plies"].max()]["step"].max()
        for axes in axes_of:
            axes.axvspan(steps[0] / 2, full, color="0.92", zorder=0)
        words.append("shaded: games are not yet read to the end")
    for axes in axes_of:
        _step_axis(axes, steps)
    legend_below(axes_of[0], 6)
    caption(figure, f"{subject}: {title}", f"{note}\n{'; '.join(words)}")
    return figure


_LEAST_RATIO: Final = 1.2
"""Of two steps that are labelled, so that their numbers do not touch."""


def _step_axis(axes: Axes, steps: Sequence[int]) -> None:
    """Make the horizontal axis one of training steps, logarithmic above 0."""
    first = next((step for step in steps if step), 1)
    if steps[0]:
        axes.set_xscale("log")
        axes.set_xlim(first / 1.25, steps[-1] * 1.25)
    else:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
        axes.set_xlim(-0.3 * first, max(steps[-1], first) * 1.25)
    ticks: list[int] = []
    for step in steps:
        if not ticks or step >= _LEAST_RATIO * ticks[-1]:
            ticks.append(step)
    axes.minorticks_off()
    axes.set_xlabel("training step (logarithmic)", fontsize=8)
    axes.set_xticks(ticks, [str(step) for step in ticks], fontsize=7, rotation=60)


def draw_sizes(table: pd.DataFrame, parameters: Mapping[str, int], note: str = "") -> Figure:
    """Draw each measure against the length of games, a line for each model."""
    depth = table["depth"].iloc[0]
    figure, axes_of = panels(2, 3, 2.7)
    lines = table[table["length"] != ALL_LENGTHS].assign(at=lambda rows: rows["length"].astype(int))
    names = {
        **{name: f"{name}, {count:,} parameters" for name, count in parameters.items()},
        BASELINE: f"{BASELINE}: the initial position as every answer",
    }
    measures = [name for name in MEASURED if name != "squares"]
    for axes, measure in zip(axes_of, measures, strict=True):
        of_measure = lines[lines["measure"] == measure]
        for index, (name, label) in enumerate(names.items()):
            line = of_measure[of_measure["model"] == name].sort_values("at")
            look = RECORDED_LOOKS[BASELINE] if name == BASELINE else style(index)
            curve(axes, line, line["at"] + 0.5 * (index - 1), label, look)
        name_panel(axes, MEASURED[measure], depth, "full moves played")
        axes.set_xticks(sorted(of_measure["at"].unique()))
        if measure != "levenshtein":
            axes.set_ylim(-0.03, 1.03)
    legend_below(axes_of[0], 2)
    note += f"\nmeans of {counts_in_words(lines)} a point; {interval_words(lines)}"
    caption(figure, "The bundled language models, by size", note)
    return figure


def _draw_course(axes: Axes, schedule: pd.DataFrame) -> None:
    run = schedule[~schedule["branch"]]
    rate, plies = run["learning_rate"].max(), run["plies"].max()
    axes.plot(
        run["step"], run["learning_rate"] / rate, color=style(2).colour, linewidth=1.6,
        label=f"learning rate, as a share of {rate:g}",
    )  # fmt: skip
    label = "the same where a checkpoint is cooled down"
    for _, branch in schedule[schedule["branch"]].groupby("of"):
        axes.plot(
            branch["step"], branch["learning_rate"] / rate, color="0.2", linewidth=0.9, label=label
        )
        label = ""
    axes.plot(
        run["step"], run["plies"] / plies, color=style(3).colour, linestyle="--",
        label=f"longest game read so far, as a share of {plies} plies",
    )  # fmt: skip
    axes.set_ylim(-0.03, 1.6)
    axes.set_yticks([0, 0.5, 1])
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    axes.set_title("the course of training", fontsize=9)
    axes.set_ylabel("share", fontsize=8)


Looks = Mapping[str, tuple[str, Style]]

MEASURES: Final[Looks] = {
    "squares": ("squares right", style(2)),
    "levenshtein": (EDIT_DISTANCE.name, EDIT_DISTANCE.look),
    "precision": (PRECISION.label("{depth}"), PRECISION.look),
    "recall": (RECALL.label("{depth}"), RECALL.look),
    "exact_match_position": ("exact boards,\nwithout the clocks", style(4)),
}

_RISE_COLUMNS: Final = [
    "length", "measure", "depth", "step", "low", "high", "later", "later_low", "later_high", "earliest",
    "start", "end", "count", "games", "undefined",
]  # fmt: skip

Values = NDArray[np.float64]


def half_way(steps: Values, means: Values, start: Values, level: float = 0.5) -> Values:
    """Return the step at which each curve first passes a share of its way, on a logarithmic axis.

    The steps ascend, shape (checkpoints,); means have the shape (curves, checkpoints), and
    ``start``, where each way begins, (curves,).

    Returns:
        Shape (curves,): interpolated between two checkpoints; the first step where a curve is beyond
        the share from the first checkpoint on; NaN where it does not change.
    """
    logs = np.log(steps)
    half = np.full(len(means), np.nan)
    for row in np.flatnonzero(means[:, -1] != start):
        way = (means[row] - start[row]) / (means[row, -1] - start[row])
        at = int((way >= level).argmax())
        if at:
            before, after = way[at - 1 : at + 1]
            share = (level - before) / (after - before)
            half[row] = np.exp(logs[at - 1] + share * (logs[at] - logs[at - 1]))
        else:
            half[row] = steps[0]
    return half


def compute_rises(
    scores: pd.DataFrame,
    steps: Mapping[str, float],
    *,
    depth: int = 4,
    measures: Iterable[str] = MEASURES,
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Find when each measure has covered half of its way, for each length of games.

    ``steps`` is the training step of each checkpoint of one run, and of the model that it ended
    with. Whole games are resampled, the same in all checkpoints.

    Returns:
        Columns length (full moves), measure, depth, step (NaN where a measure does not change), low, high,
        later, later_low and later_high (step divided by that of the measure before it in ``measures``;
        NaN for the first), earliest (whether half of the way was covered before the first checkpoint, so
        that the step is an upper end), start, end, count, games and undefined (resamples without a step).
    """
    names, of = sorted(steps, key=lambda name: steps[name]), list(measures)
    measured = scores.rename(
        columns={f"precision_{depth}": "precision", f"recall_{depth}": "recall"}
    )
    at = np.array([steps[name] for name in names], float)
    rows = []
    for length, part in measured[measured["model"].isin([*names, BASELINE])].groupby("group"):
        by_model = {
            name: numbers.sort_values("position_id") for name, numbers in part.groupby("model")
        }
        ids = by_model[BASELINE]["position_id"].to_numpy()
        for name in names:
            if not np.array_equal(ids, by_model[name]["position_id"]):
                raise InvalidArgumentError(
                    f"{name}: expected answers to the same {len(ids)} positions as {BASELINE}, got "
                    "others"
                )
        codes, games = cluster_codes(by_model[BASELINE]["game"])
        resample = cluster_resamples(games, resamples, derived_seed(seed, length))
        before, drawn_before = np.nan, np.full(resamples, np.nan)
        for measure in of:
            values = np.stack(
                [by_model[name][measure].to_numpy(float) for name in [BASELINE, *names]], axis=1
            )
            means = values.mean(axis=0)[None]
            resampled = resampled_means(values, codes, resample)
            step = half_way(at, means[:, 1:], means[:, 0])[0]
            drawn_steps = half_way(at, resampled[:, 1:], resampled[:, 0])
            later = (step / before, *quantile_ends(drawn_steps / drawn_before))
            way = (bool(step == at[0]), means[0, 0], means[0, -1])
            undefined = int(np.isnan(drawn_steps).sum())
            numbers = (step, *quantile_ends(drawn_steps), *later, *way, len(ids), games, undefined)
            rows.append((int(str(length)), measure, depth, *numbers))
            before, drawn_before = step, drawn_steps
    return pd.DataFrame(rows, columns=_RISE_COLUMNS)


def compute_rises_of_trackers(
    trackers: pd.DataFrame, baseline: pd.DataFrame, **computing: Any
) -> pd.DataFrame:
    """Compute what `compute_rises` does for simulated trackers whose slip rate falls, as in training.

    The trackers have rates above 0; the baseline is the initial position as every answer, at the
    same positions.

    Returns:
        As of `compute_rises`; a step is the mean number of plies from slip to slip, 1 / rate.
    """
    rates = trackers.groupby("model")["rate"].first()
    steps = {str(name): 1 / rate for name, rate in rates.items()}
    return compute_rises(pd.concat([trackers, baseline]), steps, **computing)


def draw_rises(
    table: pd.DataFrame,
    subject: str,
    note: str = "",
    control: pd.DataFrame | None = None,
    *,
    looks: Looks = MEASURES,
    of_lengths: str = "full moves",
    of_slips: str = "slips per ply",
    episodes: str = "games",
    start: str = "the initial position as every answer",
) -> Figure:
    """Draw the steps, a row for each length of games and a mark for each measure."""
    parts = [table] if control is None else [table, control]
    lengths = sorted(table["length"].unique())
    figure, axes_of = panels(1, len(parts), 1.1 + 0.75 * len(lengths), 3 + 4.5 * len(parts))
    for axes, part in zip(axes_of, parts, strict=True):
        _draw_marks(axes, part, lengths, looks)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(True, axis="x", which="both", linewidth=0.4, alpha=0.5)
        axes.set_yticks(range(len(lengths)), [f"{length} {of_lengths}" for length in lengths])
        axes.invert_yaxis()
    axes_of[0].set_xlabel("training step at which half of the way is covered (logarithmic)")
    axes_of[0].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if control is not None:
        axes_of[0].set_title("the training", fontsize=10)
        axes_of[1].set_title("simulated: a tracker whose slip rate falls", fontsize=10)
        axes_of[1].set_xlabel(f"{of_slips} at which half of the way is covered (logarithmic)")
        axes_of[1].xaxis.set_major_formatter(FuncFormatter(lambda plies, _: f"{1 / plies:g}"))
        axes_of[1].tick_params(labelleft=False)
    legend_beside(axes_of[-1])
    first, nowhere = int(table["earliest"].sum()), int(table["step"].isna().sum())
    end = "the end of training" + (" or the lowest slip rate" if control is not None else "")
    note += (
        f"\nthe way: from {start} to {end}; {first} of "
        f"{len(table)} marks of the training stand at the first checkpoint, by which half was covered already; "
        f"{nowhere} have no way to cover; n = {table['count'].min()} positions a length; bars: 95%, "
        f"resampling whole {episodes}"
    )
    if undefined := int(table["undefined"].max()):
        note += f"; up to {undefined} resamples of a mark have no step, and its bar leaves them out"
    caption(figure, f"{subject}: which measure rises first", note)
    return figure


def _draw_marks(axes: Axes, table: pd.DataFrame, lengths: Sequence[int], looks: Looks) -> None:
    for index, (measure, (label, look)) in enumerate(looks.items()):
        part = table[table["measure"] == measure].set_index("length").loc[list(lengths)]
        places = np.arange(len(lengths)) + 0.15 * (index - (len(looks) - 1) / 2)
        draw_bars(
            axes, places, part, "step", look, across=True, markersize=5, capsize=2, elinewidth=0.9,
            linestyle="none", label=typeset(label.format(depth=table["depth"].iloc[0])),
        )  # fmt: skip

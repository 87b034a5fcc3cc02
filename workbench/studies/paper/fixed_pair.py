"""Two fixed boards: repeated runs of the paper's two estimators against m and against N."""

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from workbench.affordance import ESTIMATORS, Terminal, exact_profile
from workbench.affordance.estimate import single_runs
from workbench.drawing.appearance import caption, new_figure, style
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import PRECISION, QUANTITIES, RECALL
from workbench.environments.registry import environment_named
from workbench.games.synthetic_boards import boards_at_distance
from workbench.seeds import derived_seed
from workbench.studies.panels import legend_beside, zero_line


def repeated_estimates(
    settings: Iterable[tuple[int, int]],
    *,
    exact_depth: int,
    distance: int = 17,
    plies: int = 10,
    runs: int = 20,
    methods: Sequence[str] = ("naive", "intermediate"),
    terminal: Terminal = "absorb",
    seed: int = 0,
    true_fen: str = "",
    predicted_fen: str = "",
) -> pd.DataFrame:
    """Return estimates of p_m and r_m from independent single runs, with the exact values beside them.

    r_m is p_m with the boards exchanged, so that the same methods estimate it.

    Args:
        settings: The values of m and N.
        exact_depth: Up to which m the exact value is computed.
        distance: Edit distance of the two boards.
        plies: Random half-moves that lead to each.
        runs: Independent runs, one point each.
        methods: Estimators to compare.
        terminal: How games that finish earlier count.
        seed: Seed of the boards and of the runs.
        true_fen: A board S to use instead of a random one.
        predicted_fen: A board T, likewise.

    Returns:
        Columns method, depth, samples, run, value, node_count, measure, true_fen and predicted_fen.
    """
    if not (true_fen and predicted_fen):
        true_fen, predicted_fen = boards_at_distance(distance, plies, seed)
    chess = environment_named("chess")
    true, predicted = (chess.read_state(fen) for fen in (true_fen, predicted_fen))
    exact = exact_profile(
        true, predicted, exact_depth, automaton=chess.automaton, terminal=terminal
    )
    settings = list(settings)
    rows: list[tuple[str, int, int, int, float, int, str]] = []
    for measure, values, boards, own in (
        ("precision", exact.precision, (true, predicted), ()),
        ("recall", exact.recall, (predicted, true), ("recall",)),
    ):
        rows += [
            ("exact", m, 0, 0, value, exact.node_count, measure)
            for m, value in enumerate(values, start=1)
        ]
        for (depth, samples), method in product(settings, methods):
            seeds = [derived_seed(seed, *own, method, depth, samples, run) for run in range(runs)]
            estimates = single_runs(
                *boards, depth, automaton=chess.automaton, method=method, samples=samples,
                seeds=seeds, terminal=terminal,
            )  # fmt: skip
            rows += [
                (method, depth, samples, run, estimate.value, estimate.node_count, measure)
                for run, estimate in enumerate(estimates)
            ]
    columns = ["method", "depth", "samples", "run", "value", "node_count", "measure"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(true_fen=true_fen, predicted_fen=predicted_fen)


def summarise(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return bias and spread of each method, relative to the exact value.

    Returns:
        Columns measure, depth, samples, method, exact, mean, bias, spread, zeros (share of runs that
        gave 0) and runs; exact, bias and spread are NaN where the exact value was not computed.
    """
    exact = table[table["method"] == "exact"].rename(columns={"value": "exact"})
    estimates = table[table["method"] != "exact"]
    estimates = estimates.assign(zero=estimates["value"] == 0)
    summary = (
        estimates.groupby(["measure", "depth", "samples", "method"], sort=False)
        .agg(
            mean=("value", "mean"),
            deviation=("value", "std"),
            zeros=("zero", "mean"),
            runs=("run", "count"),
        )
        .reset_index()
        .merge(exact[["measure", "depth", "exact"]], how="left")
        .sort_values(["measure", by, "method"], kind="stable")
    )
    summary["bias"] = summary["mean"] / summary["exact"] - 1
    summary["spread"] = summary["deviation"] / summary["exact"]
    columns = [
        "measure", "depth", "samples", "method", "exact", "mean", "bias", "spread", "zeros", "runs",
    ]  # fmt: skip
    return summary[columns].reset_index(drop=True)


_BLACK: Final[dict[str, Any]] = {"color": "black", "linewidth": 1.0}
_BOXES: Final = (
    "boxes: lower quartile, median and upper quartile of the runs; whiskers: to the farthest run within "
    "1.5 interquartile ranges of the box; dots: runs beyond"
)


def draw_estimators(
    table: pd.DataFrame, by: str, *, label: str, symbol_depth: int | str, title: str, note: str
) -> Figure:
    """Draw a box for each method at each setting, and the exact values in black.

    Precision is on the left, recall on the right. The scale is logarithmic; runs that gave 0 are on
    a separate line at the bottom.
    """
    settings = sorted(table.loc[table["method"] != "exact", by].unique())
    methods = [str(method) for method in table["method"].unique() if method != "exact"]
    positive = table.loc[table["value"] > 0, "value"]
    if positive.empty:
        positive = pd.Series([1.0])
    nought = float(positive.min()) / 3
    width = max(10.4, 3.4 + 0.34 * len(settings) * len(methods))
    figure, panels = new_figure(panels=2, width=width, height=4.2)
    measures = list(table["measure"].unique())
    for axes, measure in zip(panels, measures, strict=True):
        part = table[table["measure"] == measure]
        words = QUANTITIES[measure].label(symbol_depth)
        exact = part[part["method"] == "exact"]
        if by == "depth":
            axes.plot(exact["depth"] - 1, exact["value"], marker="_", markersize=8, **_BLACK)
        else:
            value = exact.loc[exact["depth"] == part["depth"].max(), "value"].iloc[0]
            axes.axhline(value, **_BLACK)
            words += f" (exact: {value:.4g})"
        axes.set_title(typeset(words), fontsize=10)
        _draw_boxes(axes, part, by, settings, methods, nought)
        axes.set_xticks(range(len(settings)), [str(setting) for setting in settings])
        axes.set_xlim(-0.5, len(settings) - 0.5)
        axes.set_xlabel(label)
        axes.set_yscale("log")
    symbols = f"{PRECISION.symbol}_{symbol_depth}, {RECALL.symbol}_{symbol_depth}"
    panels[0].set_ylabel(typeset(f"{symbols} (logarithmic)"))
    decades = range(math.ceil(math.log10(2 * nought)), math.ceil(math.log10(positive.max())) + 1)
    panels[0].yaxis.set_major_locator(FixedLocator([10.0**decade for decade in decades]))
    if (table["value"] <= 0).any():
        zero_line(panels, nought, 1)
        panels[0].set_ylim(bottom=nought / 1.5)
    handles: list[Line2D | Patch] = []
    for method in methods:
        look, label = style(ESTIMATORS[method].look), ESTIMATORS[method].label
        edge: dict[str, Any] = {"edgecolor": look.colour, "linewidth": 1.6, "hatch": look.hatch}
        handles.append(Patch(facecolor="white", label=label, **edge))
    handles.append(Line2D([], [], **_BLACK, label="exact"))
    legend_beside(panels[1], handles=handles)
    caption(figure, title, f"{note}\n{_BOXES}")
    return figure


def _draw_boxes(
    axes: Axes, part: pd.DataFrame, by: str, settings: list[Any], methods: list[str], nought: float
) -> None:
    """Draw the boxes side by side, with room between them for the mark of the exact value."""
    apart = 0.8 / len(methods)
    for index, method in enumerate(methods):
        runs = part[part["method"] == method]
        values = runs["value"].where(runs["value"] > 0, nought)
        colour = style(ESTIMATORS[method].look).colour
        # An edge of the method's colour shows a box that is narrower than a line.
        line = {"color": colour, "linewidth": 1.6}
        artists = axes.boxplot(
            [values[runs[by] == setting].to_numpy() for setting in settings],
            positions=[place + apart * (index - (len(methods) - 1) / 2) for place in range(len(settings))],
            widths=0.75 * apart,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": "white", "edgecolor": colour, "linewidth": 1.6},
            whiskerprops=line | {"linewidth": 1.0},
            capprops=line | {"linewidth": 1.0},
            medianprops=line,
            flierprops={
                "marker": ".", "markersize": 3, "markeredgecolor": colour, "markerfacecolor": colour,
            },
            zorder=3,
        )  # fmt: skip
        for box in artists["boxes"]:
            box.set_hatch(style(ESTIMATORS[method].look).hatch)


def compute_by_depth(
    *, depths: int = 8, samples: int = 500, exact_depth: int = 5, **options: Any
) -> pd.DataFrame:
    """Estimate p_1 .. p_m and r_1 .. r_m on one pair of boards, with the exact values of the first.

    ``depths`` is the largest m, ``samples`` is N; the options are those of `repeated_estimates`.
    """
    settings = [(depth, samples) for depth in range(1, depths + 1)]
    return repeated_estimates(settings, exact_depth=min(exact_depth, depths), **options)


def draw_by_depth(table: pd.DataFrame) -> Figure:
    """Draw box plots of the runs at each depth, and the exact values as a line through them."""
    samples = table.loc[table["samples"] > 0, "samples"].iloc[0]
    runs = table["run"].max() + 1
    return draw_estimators(
        table, "depth", label="depth m (plies)", symbol_depth="m",
        title="State precision and recall against depth",
        note=f"two boards from random moves; N = {samples}; {runs} runs a box",
    )  # fmt: skip


def compute_by_samples(
    *, depth: int = 4, samples: Sequence[int] = (10, 30, 100, 300, 1000, 3000), **options: Any
) -> pd.DataFrame:
    """Estimate p_m and r_m on one pair of boards with different numbers of samples.

    ``depth`` is m, ``samples`` the values of N; the options are those of `repeated_estimates`.
    """
    settings = [(depth, count) for count in samples]
    return repeated_estimates(settings, exact_depth=depth, **options)


def draw_by_samples(table: pd.DataFrame) -> Figure:
    """Draw box plots of the runs at each N, and the exact value as a line through them."""
    depth = table["depth"].max()
    runs = table["run"].max() + 1
    return draw_estimators(
        table, "samples", label="samples N", symbol_depth=depth,
        title=f"State precision p_{depth} and recall r_{depth} against the number of samples",
        note=f"two boards from random moves; {runs} runs a box",
    )  # fmt: skip

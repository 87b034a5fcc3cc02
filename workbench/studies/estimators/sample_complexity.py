"""Samples and states needed for a target relative error: growth with the depth m."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from workbench.affordance import ESTIMATORS, Terminal, exact_profile
from workbench.automaton import twin_for
from workbench.drawing.appearance import caption, plain_axes, style
from workbench.drawing.reply_words import finished_words
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.studies.estimators.needed_samples import (
    AT_MOST,
    FOUND,
    HOMOGENEOUS,
    METHODS,
    MORE_THAN,
    NOT_TRIED,
    RANDOM,
    WEIGHTED,
    SampleSize,
    Setting,
    chess_settings,
    derived_samples,
    search,
    tree_settings,
)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median over like pairs, where what was not reached counts as infinite.

    Returns:
        Columns setting, chance, method, depth, status, samples, nodes (medians, or under ``more than``
        the smallest bound), derived (median), precision (geometric mean), instances, reached (how
        many of them have an N).
    """
    rows = []
    for (setting, chance, method, depth), part in table.groupby(
        ["setting", "chance", "method", "depth"], sort=False, dropna=False
    ):
        reached = part["status"].isin([FOUND, AT_MOST])
        ordered = part.assign(order=part["samples"].where(reached, math.inf)).sort_values("order")
        middle = ordered.iloc[(len(part) - 1) // 2 : len(part) // 2 + 1]
        if np.isfinite(middle["order"]).all():
            status = AT_MOST if (middle["status"] == AT_MOST).all() else FOUND
            samples, nodes = middle["samples"].mean(), middle["nodes"].mean()
        else:
            bounds = part[part["status"] == MORE_THAN]
            status = MORE_THAN if len(bounds) else NOT_TRIED
            samples, nodes = bounds["samples"].min(), bounds["nodes"].min()
        with np.errstate(divide="ignore"):
            precision = float(np.exp(np.log(part["precision"]).mean()))
        rows.append(
            (
                setting, chance, method, depth, status, samples, nodes, part["derived"].median(),
                precision, len(part), int(reached.sum()),
            )
        )  # fmt: skip
    return pd.DataFrame(
        rows,
        columns=[
            "setting", "chance", "method", "depth", "status", "samples", "nodes", "derived",
            "precision", "instances", "reached",
        ],
    )  # fmt: skip


def growth(table: pd.DataFrame, from_depth: int = 4) -> pd.DataFrame:
    """Return how N and the states generated grow with m, by least squares on logarithms.

    ``from_depth`` is the least m that is used.

    Returns:
        Columns setting, chance, method, points (depths with an N), samples_power and nodes_power
        (slopes over ln m: 1 is linear, 2 quadratic), samples_rate (slope over m: the lambda of
        e^(lambda m)), rate (-ln p_m / m at the largest m, which is lambda = -ln p on a tree; NaN where
        p_m is not known), derived_ratio (geometric mean of measured over derived N). NaN with less
        than three depths.
    """
    rows = []
    for (setting, chance, method), part in summarise(table).groupby(
        ["setting", "chance", "method"], sort=False, dropna=False
    ):
        last = part.iloc[-1]
        used = part[(part["status"] == FOUND) & (part["depth"] >= from_depth)]
        slopes = [math.nan] * 3
        if len(used) >= 3:
            samples, nodes, depth = (np.log(used[name]) for name in ("samples", "nodes", "depth"))
            slopes = [
                float(np.polyfit(x, y, 1)[0])
                for x, y in ((depth, samples), (depth, nodes), (used["depth"], samples))
            ]
        ratio = np.log((used["samples"] / used["derived"]).where(used["derived"] > 0)).mean()
        rate = -math.log(last["precision"]) / last["depth"] if last["precision"] > 0 else math.nan
        rows.append((setting, chance, method, len(used), *slopes, rate, float(np.exp(ratio))))
    return pd.DataFrame(
        rows,
        columns=[
            "setting", "chance", "method", "points", "samples_power", "nodes_power",
            "samples_rate", "rate", "derived_ratio",
        ],
    )  # fmt: skip


_COLUMNS: Final = [
    "setting", "chance", "children", "instance", "method", "depth", "status", "samples", "nodes",
    "derived", "precision", "precision_from", "wanted",
]  # fmt: skip
_CONSTANT: Final = "Algorithm 2, homogeneous tree:\nno variance at any N"
_START: Final = 16
_DIGITS: Final = 9
_CONFIRMED: Final = 3
_LONG_RUNS: Final = 16
_LONG_RUN_SAMPLES: Final = 2000


def compute(
    *,
    relative_error: float = 0.1,
    chances: Sequence[float] = (0.5, 0.8, 0.95),
    tree_depths: Sequence[int] = (1, 2, 3, 4, 6, 8, 12, 16, 24),
    children: int = 8,
    trees: int = 1,
    chess_depths: Sequence[int] = (1, 2, 3, 4, 5, 6, 7, 8),
    pairs: int = 3,
    plies: int = 20,
    exact_depth: int = 5,
    repeats: int = 32,
    cap: int = 8192,
    budget: int = 850_000,
    budget_compiled: int = 10_000_000,
    terminal: Terminal = "absorb",
    seed: int = 0,
) -> pd.DataFrame:
    """Find the N that each estimator needs on every setting and at every depth.

    Args:
        relative_error: The target root mean square error of one run about p_m, over p_m, above 0.
            For an unbiased estimator that is its relative standard deviation.
        chances: The values of p of the trees.
        tree_depths: The values of m on trees, ascending.
        children: Actions at each node of a random tree.
        trees: Random trees of each p.
        chess_depths: The values of m on chess boards, ascending.
        pairs: Pairs of boards, as many near as far.
        plies: Half-moves that lead to a board.
        exact_depth: Up to which m p_m of chess is exact; beyond, from a long stratified run.
        repeats: R, single runs from which an error is measured, at least 2. The error is then
            known to about 1 / sqrt(2 R) of itself, N to sqrt(2 / R).
        cap: The largest N that is tried.
        budget: States that the R runs of one measurement may generate, as foreseen from the last;
            beyond that N is not tried.
        budget_compiled: The same for what the compiled kernel runs.
        terminal: How a line that finishes earlier counts.
        seed: Seed of the trees, the boards and the runs.

    On chess boards, where the kernel makes it cheap, the error must stay down for three further
    doublings of N: Algorithm 2 has less of it with N = 1 than with 2 to some dozens.

    Returns:
        Columns setting, chance (p, NaN for chess), children (b, 0 for chess), instance, method,
        depth, status (see `SampleSize`; ``not tried`` below a depth that took more than was allowed,
        with NaN), samples (N), nodes (states generated in one run), derived (N by the formula above,
        NaN where there is none), precision (p_m; NaN on random trees, where the mean of the runs
        stands in for it), precision_from (``closed form``, ``exact``, ``long run``, ``runs``),
        wanted (the relative error).
    """
    if relative_error <= 0 or repeats < 2 or cap < 1 or min(budget, budget_compiled) < 1:
        raise InvalidArgumentError(
            "expected a relative error above 0, at least 2 repeats, and a cap and budgets of at "
            f"least 1, got relative_error={relative_error!r}, repeats={repeats!r}, cap={cap!r}, "
            f"budget={budget!r}, budget_compiled={budget_compiled!r}"
        )
    settings = tree_settings(chances, children, trees, tree_depths, seed)
    settings += chess_settings(pairs, plies, chess_depths, seed)
    rows: list[tuple[object, ...]] = []
    for setting in settings:
        precisions = _precisions(setting, exact_depth, terminal, seed)
        twin = twin_for(setting.automaton, None, setting.true, setting.predicted)
        for method in setting.methods:
            compiled = twin is not None and method in twin.methods
            allowed = (budget_compiled if compiled else budget) // repeats
            start, stopped = float(_START), False
            for depth in setting.depths:
                value, origin = precisions[depth]
                needed = SampleSize(NOT_TRIED, math.nan, math.nan)
                if not stopped:
                    measure = _measurement(
                        setting, method, depth, value, repeats, terminal,
                        derived_seed(seed, setting.name, setting.chance, setting.instance),
                    )  # fmt: skip
                    needed = search(
                        measure, relative_error, start=start, cap=cap, allowed=allowed,
                        confirmed=_CONFIRMED if compiled else 0,
                    )  # fmt: skip
                    start, stopped = needed.samples, needed.status == MORE_THAN
                rows.append(
                    (
                        setting.name, setting.chance, setting.children, setting.instance, method,
                        depth, needed.status, needed.samples, needed.nodes,
                        derived_samples(
                            setting.name, method, depth, relative_error,
                            chance=setting.chance, children=setting.children, precision=value,
                        ),
                        value, origin, relative_error,
                    )
                )  # fmt: skip
    return pd.DataFrame(rows, columns=_COLUMNS)


def _precisions(
    setting: Setting, exact_depth: int, terminal: Terminal, seed: int
) -> dict[int, tuple[float, str]]:
    if setting.precision is not None:
        return {depth: (setting.precision(depth), "closed form") for depth in setting.depths}
    if setting.name == RANDOM:
        return dict.fromkeys(setting.depths, (math.nan, "runs"))
    largest_exact = min(exact_depth, max(setting.depths))
    exact: tuple[float, ...] = ()
    if largest_exact:
        exact = exact_profile(
            setting.true,
            setting.predicted,
            largest_exact,
            automaton=setting.automaton,
            terminal=terminal,
        ).precision
    precisions = {}
    for depth in setting.depths:
        if depth <= largest_exact:
            precisions[depth] = (exact[depth - 1], "exact")
            continue
        seeds = [derived_seed(seed, "long run", depth, batch) for batch in range(_LONG_RUNS)]
        values, _ = setting.runs("stratified", depth, _LONG_RUN_SAMPLES, seeds, terminal)
        precisions[depth] = (float(np.mean(values)), "long run")
    return precisions


def _measurement(
    setting: Setting,
    method: str,
    depth: int,
    precision: float,
    repeats: int,
    terminal: Terminal,
    seed: int,
) -> Callable[[int], tuple[float, float]]:
    """Return a function from N to the relative error of a run and its mean count of states."""

    def measure(samples: int) -> tuple[float, float]:
        seeds = [derived_seed(seed, method, depth, samples, run) for run in range(repeats)]
        values, nodes = setting.runs(method, depth, samples, seeds, terminal)
        if math.isnan(precision):
            mean = values.mean()
            return (float(values.std(ddof=1) / mean) if mean > 0 else math.inf), nodes
        if precision == 0:
            return (0.0 if not values.any() else math.inf), nodes
        return float(np.sqrt(np.mean((values / precision - 1) ** 2))), nodes

    return measure


def figure_parts(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each of the two figures, trees and chess, by the end of its name."""
    on_trees = table["chance"].notna()
    parts = {"trees": table[on_trees], "chess": table[~on_trees]}
    return {name: part for name, part in parts.items() if len(part)}


def draw(table: pd.DataFrame, *, repeats: int, terminal: Terminal = "absorb") -> Figure:
    """Draw N above and the states generated below against m, with the paper's two curves.

    A column is a value of p or a kind of chess pair. Both curves have one constant, fitted to the
    naive estimator and to Algorithm 2 in that panel. Coordinates are rounded to `_DIGITS`
    significant digits: the last digits depend on the processor, and so would the picture.
    """
    summary = summarise(table)
    for name in ("samples", "nodes", "derived"):
        summary[name] = _rounded(summary[name].to_numpy(float))
    columns = [(f"trees, p = {p:g}", summary[summary["chance"] == p]) for p in
               summary["chance"].dropna().unique()]  # fmt: skip
    columns += [(str(name), part) for name, part in
                summary[summary["chance"].isna()].groupby("setting", sort=False)]  # fmt: skip
    figure = Figure(figsize=(max(9.0, 2.4 * len(columns) + 2.8), 6.6), layout="constrained")
    grid = figure.subplots(2, len(columns), squeeze=False, sharey="row", sharex="col")
    handles: dict[str, Line2D] = {}
    for (title, part), (upper, lower) in zip(columns, grid.T, strict=True):
        rate = growth(table[table.set_index(["setting", "chance"]).index.isin(
            part.set_index(["setting", "chance"]).index)])["rate"].max()  # fmt: skip
        for axes, name in ((upper, "samples"), (lower, "nodes")):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            plain_axes([axes])
            _draw_panel(axes, part, name, rate, handles)
        ticks = sorted({1, 2, 4, 8, 16, 32} & set(range(1, int(part["depth"].max()) + 1)))
        upper.set_xticks(ticks, [str(tick) for tick in ticks])
        upper.set_title(title, fontsize=10)
        lower.set_xlabel("depth m (actions)")
    for axes, name in zip(grid[:, 0], ("samples", "nodes"), strict=True):
        reached = summary.loc[summary["status"] != NOT_TRIED, name]
        axes.set_ylim(0.6, 6 * float(reached.max()))
    grid[0, 0].set_ylabel("samples N needed")
    grid[1, 0].set_ylabel("states generated by one run")
    order = [ESTIMATORS[method].label for method in METHODS]
    order += [label for label in handles if label not in order]
    ordered = [handles[label] for label in order]
    figure.legend(ordered, order, loc="outside right upper", fontsize=8, frameon=False)
    target = table["wanted"].iloc[0]
    note = (
        "filled: found; hollow at N = 1: one line is enough; hollow with an arrow: more than this, the "
        f"largest N tried; an error is measured over {repeats} runs, so that N is uncertain by some "
        f"{math.sqrt(2 / repeats):.0%}"
    )
    if table["chance"].notna().any():
        note += (
            "\ntrees: naive and uniform branching on the homogeneous, the others on the random tree"
        )
    if pairs := table.loc[table["chance"].isna(), "instance"].nunique():
        note += f"\nchess: median over pairs, {pairs} of each kind; {finished_words(terminal)}"
    caption(figure, f"What a relative error of {target:.0%} in one run costs", note)
    return figure


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values])


def _draw_panel(
    axes: Axes, part: pd.DataFrame, name: str, rate: float, handles: dict[str, Line2D]
) -> None:
    on_tree = part["chance"].notna().all()
    for method in METHODS:
        rows = part[part["method"] == method]
        if on_tree:
            exact = rows[rows["setting"] == HOMOGENEOUS]
            rows = rows[rows["setting"] == (RANDOM if method in WEIGHTED else HOMOGENEOUS)]
            if method == "intermediate":
                (handles[_CONSTANT],) = axes.plot(
                    exact["depth"], exact[name], "x", color="0.5", markersize=4, zorder=2
                )
        look = style(ESTIMATORS[method].look)
        colour, marker = look.colour, look.marker
        filled = rows[rows["status"] == FOUND]
        (handles[ESTIMATORS[method].label],) = axes.plot(
            filled["depth"], filled[name], marker=marker, color=colour, markersize=5,
            linewidth=0.8, zorder=3,
        )  # fmt: skip
        hollow: dict[str, Any] = {"linestyle": "", "color": colour, "markerfacecolor": "white"}
        hollow |= {"zorder": 3, "marker": marker, "markersize": 5}
        few = rows[rows["status"] == AT_MOST]
        axes.plot(few["depth"], few[name], **hollow)
        short = rows[rows["status"] == MORE_THAN]
        for point in zip(short["depth"].astype(float), short[name].astype(float), strict=True):
            axes.plot(*point, **hollow)
            axes.annotate(
                "", point, xytext=(0, 16), textcoords="offset points",
                arrowprops={"arrowstyle": "<-", "color": colour, "linewidth": 1.0},
            )  # fmt: skip
        derived = rows[rows["derived"] > 0]
        if name == "samples" and len(derived):
            axes.plot(
                derived["depth"], derived["derived"], color=colour, linewidth=3, alpha=0.3, zorder=1
            )
            handles["derived here"] = Line2D([], [], color="0.4", linewidth=3, alpha=0.4)
    depths = np.geomspace(1, part["depth"].max(), 100)
    exponential = "paper: $e^{\\lambda m}$, one constant\nfitted to naive"
    square = "paper: $m^2$, one constant\nfitted to Algorithm 2"
    curves = (
        ("naive", exponential, "--", np.exp(rate * depths)),
        ("intermediate", square, ":", depths**2),
    )
    for method, label, line, curve in curves:
        rows = part[(part["method"] == method) & (part["status"] == FOUND)]
        rows = rows[rows["depth"] >= 2]
        if len(rows):
            logs = np.interp(rows["depth"], depths, np.log(curve))
            constant = np.exp((np.log(rows[name]) - logs).mean())
            (handles[label],) = axes.plot(
                depths, _rounded(constant * curve), line, color="black", linewidth=1.0, zorder=2
            )

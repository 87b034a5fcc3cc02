"""Bias and variance of every estimator, against the exact value and at depths beyond it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from workbench.affordance import ESTIMATORS, Terminal
from workbench.drawing.appearance import caption, plain_axes, style
from workbench.drawing.labels import span, typeset
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.studies.estimators.comparison_pairs import (
    LARGEST_Z,
    POOL,
    ROUNDING,
    ComparisonPair,
    compiled_twin,
    exact_precisions,
    missing_pairs,
    run_statistics,
    timed_runs,
)
from workbench.studies.panels import zero_line

_MOST_BESIDE_TITLE: Final = 4
_COLUMNS: Final = [
    "pair", "kind", "difference", "full_moves", "depth", "method", "unbiased", "samples", "repeats",
    "exact", "mean", "bias", "standard_error", "z", "agrees", "deviation", "largest", "node_count",
    "milliseconds", "intervals", "covered", "true_fen", "predicted_fen", "boards",
]  # fmt: skip


def compute(
    pairs: Sequence[ComparisonPair],
    *,
    depths: Sequence[int] = (4, 5, 6),
    methods: Sequence[str] = tuple(ESTIMATORS),
    samples: int = 500,
    repeats: int = 2000,
    reference_repeats: int = 0,
    terminal: Terminal = "absorb",
    workers: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Run every estimator repeatedly on every pair, and compare it with the exact p_m.

    The standard error of the mean of ``branch`` is binomial, at the exact value: its runs on far
    pairs are nearly all 0 and show no spread. That of the others comes from the spread of the runs.

    Args:
        pairs: From `workbench.studies.estimators.comparison_pairs.pairs`; p_m has lines drawn from T and tried in S.
        depths: Values of m, each at least 1.
        methods: Names in `workbench.affordance.ESTIMATORS`.
        samples: N of each run.
        repeats: Independent runs, at least 2.
        reference_repeats: Runs of an estimator that is not compiled, in place of ``repeats``: it
            is about a hundred times slower. Such estimators are left out at 0.
        terminal: How finished games count.
        workers: Threads, None for all cores. No number but the time depends on it.
        seed: Seed of the runs; each run's own seed is derived from it.

    Returns:
        A row for each pair, depth and method: unbiased (whether the estimator claims it), exact,
        mean, bias, standard_error and deviation (of the mean and of one run) and all three relative
        to the exact value, z (bias in standard errors), agrees (whether z is within `LARGEST_Z`),
        largest (largest run over the mean), node_count and milliseconds of a run, intervals (95%
        intervals, each made of `BATCHES` runs) and covered (those that hold the exact value), boards
        (among which the pair was found). NaN
        where a ratio is undefined; z is NaN where no run differs from the exact value.
    """
    depths, methods = tuple(depths), tuple(methods)
    _check(pairs, depths, methods, repeats, reference_repeats)
    true, predicted = [pair.true_fen for pair in pairs], [pair.predicted_fen for pair in pairs]
    exact = exact_precisions(true, predicted, max(depths), terminal, workers=workers)
    compiled = compiled_twin().methods
    rows = []
    for index, pair in enumerate(pairs):
        for depth in depths:
            for method in methods:
                count = repeats if method in compiled else reference_repeats
                if not count:
                    continue
                seeds = [derived_seed(seed, index, method, depth, run) for run in range(count)]
                values, nodes, elapsed = timed_runs(
                    method, pair, depth, samples, seeds, terminal, workers
                )
                row = {"pair": index, **asdict(pair), "depth": depth, "method": method}
                row |= {"unbiased": ESTIMATORS[method].unbiased, "samples": samples}
                row |= run_statistics(values, float(exact[index, depth - 1]), method, samples)
                row |= {"repeats": count, "node_count": nodes, "milliseconds": elapsed}
                rows.append(row)
    return pd.DataFrame(rows, columns=_COLUMNS)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return bias and spread of each estimator on near and on far pairs.

    Returns:
        Columns kind, method, depth, unbiased, pairs, agree (pairs whose mean is within `LARGEST_Z`
        standard errors), bias_median, bias_low and bias_high (over pairs), deviation_median,
        deviation_high, largest (largest run over the mean, of the worst pair), coverage (share of
        intervals, pooled), coverage_low and coverage_high (of the single pairs), node_count and
        milliseconds (medians).
    """
    shares = table["covered"] / table["intervals"].where(table["intervals"] > 0)
    summary = (
        table.assign(share=shares)
        .groupby(["kind", "method", "depth"], sort=False)
        .agg(
            unbiased=("unbiased", "first"),
            pairs=("pair", "count"),
            agree=("agrees", "sum"),
            bias_median=("bias", "median"),
            bias_low=("bias", "min"),
            bias_high=("bias", "max"),
            deviation_median=("deviation", "median"),
            deviation_high=("deviation", "max"),
            largest=("largest", "max"),
            intervals=("intervals", "sum"),
            covered=("covered", "sum"),
            coverage_low=("share", "min"),
            coverage_high=("share", "max"),
            node_count=("node_count", "median"),
            milliseconds=("milliseconds", "median"),
        )
        .reset_index()
    )
    coverage = summary["covered"] / summary["intervals"].where(summary["intervals"] > 0)
    # In the place of both.
    return (
        summary.assign(intervals=coverage)
        .rename(columns={"intervals": "coverage"})
        .drop(columns="covered")
    )


def misses(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose estimator claims to be unbiased and whose mean does not agree."""
    columns = ["kind", "pair", "method", "depth", "exact", "bias", "z", "deviation", "largest"]
    missed = table[table["unbiased"] & ~table["agrees"]]
    return missed[columns].reset_index(drop=True)


def variance_ratios(
    table: pd.DataFrame, method: str = "stratified", against: str = "intermediate"
) -> pd.DataFrame:
    """Return by how much an estimator has less variance than another, and takes more time.

    Returns:
        Columns kind, depth, pairs, exact (pairs on which ``method`` has no spread, as where nothing
        is thinned), exact_against (likewise), variance_ratio (median of ``against`` over
        ``method``), variance_low and variance_high (smallest and largest; these three over pairs on
        which both spread), time_ratio and node_ratio (medians of ``method`` over ``against``).
    """
    keys = ["kind", "depth", "pair"]
    one, other = (table[table["method"] == name].set_index(keys) for name in (method, against))
    certain, certain_against = (rows["deviation"] <= ROUNDING for rows in (one, other))
    ratios = pd.DataFrame(
        {
            "variance": ((other["deviation"] / one["deviation"]) ** 2).where(
                ~certain & ~certain_against
            ),
            "certain": certain,
            "certain_against": certain_against,
            "time": one["milliseconds"] / other["milliseconds"],
            "nodes": one["node_count"] / other["node_count"],
        }
    )
    medians: pd.DataFrame = ratios.groupby(["kind", "depth"], sort=False).agg(
        pairs=("nodes", "count"),
        exact=("certain", "sum"),
        exact_against=("certain_against", "sum"),
        variance_ratio=("variance", "median"),
        variance_low=("variance", "min"),
        variance_high=("variance", "max"),
        time_ratio=("time", "median"),
        node_ratio=("nodes", "median"),
    )
    return medians.reset_index()


def draw(table: pd.DataFrame) -> Figure:
    """Draw bias (left) and spread (right) of every estimator on near (above) and far pairs (below).

    A point is a pair at one depth, a bar `LARGEST_Z` standard errors, a black line the median over
    pairs. Runs without spread are on a separate line at the bottom, hollow where
    every run gave 0.
    """
    kinds = [kind for kind in ("near", "far") if (table["kind"] == kind).any()]
    methods = [method for method in ESTIMATORS if (table["method"] == method).any()]
    # Six labels side by side fit into 11 inches.
    width = 11.0 * max(1.0, len(methods) / 6)
    figure = Figure(figsize=(width, 1.2 + 3.1 * len(kinds)), layout="constrained")
    grid = figure.subplots(len(kinds), 2, squeeze=False)
    for (left, right), kind in zip(grid, kinds, strict=True):
        part = table[table["kind"] == kind]
        plain_axes((left, right))
        for axes in (left, right):
            axes.set_xlim(-0.5, len(methods) - 0.5)
            axes.set_xticks(range(len(methods)), [_label(method) for method in methods], fontsize=8)
        pairs = f"{part['pair'].nunique()} {kind} pairs"
        _draw_bias(left, part, methods)
        left.set_title(f"{pairs}: bias", fontsize=10)
        _draw_deviation(right, part, methods)
        right.set_title(f"{pairs}: spread of one run", fontsize=10)
    handles = [
        Line2D([], [], linestyle="", label=f"m = {depth}", **_mark(index))
        for index, depth in enumerate(sorted(table["depth"].unique()))
    ]
    handles.append(Line2D([], [], color="black", linewidth=1.5, label="median over pairs"))
    place: dict[str, Any] = {"loc": "outside right upper"}
    if len(handles) <= _MOST_BESIDE_TITLE:
        place = {"loc": "outside upper right", "ncols": len(handles)}
    figure.legend(handles=handles, fontsize=8, frameon=False, **place)
    counts = table.groupby("method", sort=False)["repeats"].max()
    note = f"N = {table['samples'].iloc[0]}, {counts.max()} runs a point"
    note += "".join(
        f" ({_label(str(name)).replace(chr(10), ' ')}: {count})"
        for name, count in counts.items()
        if count < counts.max()
    )
    note += f"; bars: mean ± {LARGEST_Z:g} standard errors; * claims to be unbiased"
    if (table["mean"] == 0).any():
        note += "; hollow: every run gave 0"
    few = sorted(table.loc[table["boards"] < POOL, "boards"].unique())
    if few:
        note += f"\npairs found among {span(few)} boards"
    lengths = table.groupby("kind")["full_moves"].unique().to_dict()
    if missing := missing_pairs(lengths.get("near", ()), lengths.get("far", ())):
        note += f"\n{missing}"
    caption(figure, "Estimators against the exact value", note)
    return figure


def _mark(index: int) -> dict[str, Any]:
    return {"marker": style(index).marker, "color": style(index).colour}


def _label(method: str) -> str:
    label = ESTIMATORS[method].label
    for before in (" (", " by ", " branching"):
        label = label.replace(before, "\n" + before.strip() + " " * before.endswith(" "))
    return label + ("*" if ESTIMATORS[method].unbiased else "")


def _places(part: pd.DataFrame, methods: Sequence[str]) -> "list[tuple[int, Any, pd.DataFrame]]":
    depths = sorted(part["depth"].unique())
    points = []
    for column, method in enumerate(methods):
        for index, depth in enumerate(depths):
            rows = part[(part["method"] == method) & (part["depth"] == depth)]
            if len(rows):
                start = column - 0.4 + 0.8 * index / len(depths)
                places = start + 0.75 / len(depths) * (np.arange(len(rows)) + 0.5) / len(rows)
                points.append((index, places, rows))
    return points


def _median(axes: Axes, places: Any, value: float) -> None:
    axes.plot([places[0] - 0.03, places[-1] + 0.03], [value] * 2, color="black", linewidth=1.5)


def _draw_bias(axes: Axes, part: pd.DataFrame, methods: Sequence[str]) -> None:
    axes.axhline(0, color="0.3", linewidth=0.8)
    for index, places, rows in _places(part, methods):
        axes.errorbar(
            places, rows["bias"], yerr=LARGEST_Z * rows["standard_error"], linestyle="",
            markersize=3.5, elinewidth=0.8, **_mark(index),
        )  # fmt: skip
        _median(axes, places, rows["bias"].median())
    axes.set_yscale("symlog", linthresh=1e-3, linscale=0.6)
    largest = float((part["bias"].abs() + LARGEST_Z * part["standard_error"]).max())
    axes.set_ylim(-1.3 * max(largest, 2e-3), 1.3 * max(largest, 2e-3))
    decades = [10.0**k for k in range(-3, 3) if 10.0**k <= 1.3 * largest]
    axes.set_yticks([*(-d for d in reversed(decades)), 0.0, *decades])
    axes.yaxis.set_major_formatter(FuncFormatter(_percent))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel(typeset("bias, relative to exact p_m"))


def _draw_deviation(axes: Axes, part: pd.DataFrame, methods: Sequence[str]) -> None:
    random = part.loc[part["deviation"] > ROUNDING, "deviation"]
    foot = float(random.min()) / 4 if len(random) else 1e-3
    for index, places, rows in _places(part, methods):
        heights = rows["deviation"].where(rows["deviation"] > ROUNDING, foot)
        for where, fill in ((rows["mean"] > 0, style(index).colour), (rows["mean"] == 0, "white")):
            axes.plot(
                places[where], heights[where], linestyle="", markerfacecolor=fill, markersize=3.5,
                **_mark(index),
            )  # fmt: skip
        _median(axes, places, heights.median())
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, place: _percent(value, place) if value > 2 * foot else "")
    )
    axes.yaxis.set_minor_locator(NullLocator())
    if (part["deviation"] <= ROUNDING).any():
        zero_line([axes], foot, 0)
    axes.set_ylabel("standard deviation, relative (log)")


def _percent(value: float, _: int) -> str:
    return f"{100 * value:g}%"


def _check(
    pairs: Sequence[ComparisonPair],
    depths: Sequence[int],
    methods: Sequence[str],
    repeats: int,
    reference_repeats: int,
) -> None:
    unknown = [method for method in methods if method not in ESTIMATORS]
    if unknown or not methods:
        raise InvalidArgumentError(f"expected methods of {list(ESTIMATORS)}, got {methods!r}")
    if not pairs or not depths:
        raise InvalidArgumentError(
            f"expected at least one pair and one depth, got {len(pairs)} pairs and depths {depths!r}"
        )
    if repeats < 2 or reference_repeats < 0 or reference_repeats == 1:
        raise InvalidArgumentError(
            "expected at least 2 repeats, since a spread is taken, and 0 or at least 2 reference "
            f"repeats, got {repeats!r} and {reference_repeats!r}"
        )


_BEYOND_EXACT_COLUMNS: Final = [
    "pair", "method", "depth", "samples", "repeats", "reference", "reference_error", "mean", "bias",
    "z", "deviation", "node_count", "milliseconds",
]  # fmt: skip


def compute_beyond_exact(
    pairs: Sequence[ComparisonPair],
    *,
    depth: int = 8,
    methods: Sequence[str] = ("branch", "intermediate", "stratified"),
    samples: int = 500,
    repeats: int = 200,
    reference_samples: int = 20_000,
    reference_runs: int = 16,
    terminal: Terminal = "absorb",
    workers: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare estimators at a depth where the exact value takes too long, on near pairs.

    A long run of ``stratified``, independent of the other runs, replaces it.

    ``reference_runs`` runs of ``reference_samples`` each make the long run; all else is as of
    `compute`, far pairs left aside.

    Returns:
        Columns pair, method, depth, samples, repeats, reference, reference_error (its standard
        error), mean, bias, z (against both standard errors), deviation, node_count, milliseconds;
        errors, bias and deviation relative to the reference.
    """
    methods = tuple(methods)
    _check(pairs, (depth,), methods, min(repeats, reference_runs), 0)
    rows = []
    for index, pair in enumerate(pairs):
        if pair.kind != "near":
            continue
        seeds = [derived_seed(seed, index, "long run", depth, run) for run in range(reference_runs)]
        long, _, _ = timed_runs(
            "stratified", pair, depth, reference_samples, seeds, terminal, workers
        )
        reference = float(long.mean())
        reference_error = float(long.std(ddof=1) / np.sqrt(reference_runs))
        for method in methods:
            seeds = [derived_seed(seed, index, method, depth, run) for run in range(repeats)]
            values, nodes, elapsed = timed_runs(
                method, pair, depth, samples, seeds, terminal, workers
            )
            off, spread = float(values.mean()) - reference, float(values.std(ddof=1))
            error = float(np.hypot(spread / np.sqrt(repeats), reference_error))
            z = off / error if error > ROUNDING * reference else np.nan
            rows.append(
                (
                    index, method, depth, samples, repeats, reference, reference_error / reference,
                    float(values.mean()), off / reference, z, spread / reference, nodes, elapsed,
                )
            )  # fmt: skip
    return pd.DataFrame(rows, columns=_BEYOND_EXACT_COLUMNS)


def summarise_beyond_exact(table: pd.DataFrame) -> pd.DataFrame:
    """Return spread and time of each estimator, over pairs."""
    sized = table.assign(size=table["z"].abs())
    summary: pd.DataFrame = sized.groupby(["depth", "method"], sort=False).agg(
        pairs=("pair", "count"),
        deviation_median=("deviation", "median"),
        deviation_high=("deviation", "max"),
        z_largest=("size", "max"),
        reference_error=("reference_error", "max"),
        node_count=("node_count", "median"),
        milliseconds=("milliseconds", "median"),
    )
    return summary.reset_index()

"""p_m against m in several environments behind one interface, and on a homogeneous tree.

In each, the predicted state is the true one after one slip, of the kind that trackers of this
environment make. Everything is measured by the same functions, which know nothing of the environment.

Source: arXiv 2508.19851, section 3: p_m is defined on any deterministic automaton; p_m = p^m where
every action is accepted with the same chance p.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.affordance import ESTIMATORS, Terminal, estimate, exact_profile
from workbench.drawing.appearance import caption, figure_of_rows, style
from workbench.drawing.labels import typeset
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.studies.environments.environment_runs import SIX
from workbench.studies.environments.state_pairs import Pair, PairsOfStates, state_pairs

_COLUMNS: Final = [
    "environment", "title", "pair", "method", "depth", "value", "standard_error", "samples", "batches",
    "node_count", "difference", "true", "predicted",
]  # fmt: skip
_IN_A_ROW: Final = 4


def compute(
    *,
    names: Sequence[str] = SIX,
    pairs: int = 4,
    moves: int = 16,
    depths: int = 6,
    exact_depth: int = 5,
    methods: Sequence[str] = ("branch", "intermediate", "stratified"),
    samples: int = 200,
    batches: int = 8,
    shared: int = 4,
    predicted_only: int = 1,
    terminal: Terminal = "absorb",
    seed: int = 0,
) -> pd.DataFrame:
    """Measure p_1 .. p_m on pairs of every environment.

    Args:
        names: Of environments; the tree is always added.
        pairs: Pairs of states in each environment but the tree, which has one, at least 1.
        moves: Actions drawn uniformly that lead from the initial state to the true one, at least 1.
        depths: Largest m.
        exact_depth: Up to which m the exact value is computed as well, at least 0.
        methods: Names in `workbench.affordance.ESTIMATORS`.
        samples: N of each batch.
        batches: Independent runs of an estimator; the value is their mean.
        shared: Actions that both trees permit at every node.
        predicted_only: Actions that the predicted tree alone permits; p is
            shared / (shared + predicted_only).
        terminal: How a line that is finished before m actions counts.
        seed: Seed of the pairs and of the estimates.

    Returns:
        Columns environment, title, pair (from 0), method (an estimator, ``exact`` or ``closed form``),
        depth (m), value (p_m), standard_error (0 where exact), samples and batches (0 where exact),
        node_count (states generated), difference (in words), true and predicted (as text, rows of
        a map parted by ``/``).

    Raises:
        InvalidArgumentError: If an argument is out of range.
    """
    if min(pairs, moves) < 1 or exact_depth < 0:
        raise InvalidArgumentError(
            "expected at least 1 pair and 1 move and no negative exact depth, got "
            f"pairs={pairs!r}, moves={moves!r}, exact_depth={exact_depth!r}"
        )
    rows = []
    drawn = state_pairs(names, pairs, moves, shared, predicted_only, seed)
    for name, environment in drawn.items():
        for index, pair in enumerate(environment.pairs):
            said = (pair.difference, pair.true_text, pair.predicted_text)
            rows += [
                (name, environment.title, index, *values, *said)
                for values in _measured(
                    environment, pair, depths, min(exact_depth, depths), methods, samples, batches, terminal,
                    derived_seed(seed, name, index),
                )
            ]  # fmt: skip
    return pd.DataFrame(rows, columns=_COLUMNS)


def _measured(
    environment: PairsOfStates,
    pair: Pair,
    depths: int,
    known: int,
    methods: Sequence[str],
    samples: int,
    batches: int,
    terminal: Terminal,
    seed: int,
) -> Iterator[tuple[str, int, float, float, int, int, int]]:
    automaton, true, predicted = environment.automaton, pair.true, pair.predicted
    if known:
        profile = exact_profile(true, predicted, known, automaton=automaton, terminal=terminal)
        for depth, value in enumerate(profile.precision, start=1):
            yield "exact", depth, value, 0.0, 0, 0, profile.node_count
    if environment.closed_form is not None:
        for depth in range(1, depths + 1):
            yield "closed form", depth, environment.closed_form(depth), 0.0, 0, 0, 0
    for method in methods:
        for depth in range(1, depths + 1):
            found = estimate(
                true,
                predicted,
                depth,
                automaton=automaton,
                method=method,
                samples=samples,
                batches=batches,
                seed=derived_seed(seed, method, depth),
                terminal=terminal,
            )
            yield (
                method, depth, found.value, found.standard_error, samples, batches,
                found.node_count,
            )  # fmt: skip


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over pairs, and how far each estimator is from the exact values.

    Args:
        table: The result of `compute`.

    Returns:
        Columns environment, method, depth, mean, low and high (smallest and largest of the pairs),
        pairs, deviation (root mean square over pairs of estimate less exact value) and
        standard_error (root mean square of the estimator's own); deviation is NaN where the exact
        value was not computed.
    """
    keys = ["environment", "pair", "depth"]
    exact = table[table["method"] == "exact"].set_index(keys)["value"].rename("exact")
    joined = table.join(exact, on=keys)
    joined["squared"] = (joined["value"] - joined["exact"]) ** 2
    joined["variance"] = joined["standard_error"] ** 2
    summary = (
        joined.groupby(["environment", "method", "depth"], sort=False)
        .agg(
            mean=("value", "mean"),
            low=("value", "min"),
            high=("value", "max"),
            pairs=("value", "count"),
            deviation=("squared", "mean"),
            standard_error=("variance", "mean"),
        )
        .reset_index()
    )
    for column in ("deviation", "standard_error"):
        summary[column] = np.sqrt(summary[column])
    return summary


def draw(table: pd.DataFrame) -> Figure:
    """Draw the mean p_m of each environment in a panel of its own, with the span of its pairs."""
    summary = summarise(table)
    names = list(summary["environment"].unique())
    known = ("exact", "closed form")
    methods = [method for method in summary["method"].unique() if method not in known]
    figure, rows_of_panels = figure_of_rows(
        [_IN_A_ROW] * math.ceil(len(names) / _IN_A_ROW),
        [2.9] * math.ceil(len(names) / _IN_A_ROW),
        9.5,
    )
    places = list(chain.from_iterable(rows_of_panels))
    panels = places[: len(names)]
    for empty in places[len(names) :]:
        empty.set_axis_off()
    labelled: dict[str, Any] = {}
    for axes, name in zip(panels, names, strict=True):
        part = summary[summary["environment"] == name].set_index("method")
        single = table[(table["environment"] == name) & (table["method"] == "exact")]
        for _, one in single.groupby("pair"):
            (labelled["exact, one pair"],) = axes.plot(
                one["depth"], one["value"], color="0.65", linewidth=0.7, zorder=1
            )
        if "exact" in part.index:
            rows = part.loc[["exact"]]
            (labelled["exact, mean"],) = axes.plot(
                rows["depth"], rows["mean"], color="black", linewidth=1.6, zorder=3
            )
        if "closed form" in part.index:
            rows = part.loc[["closed form"]]
            (labelled["closed form $p^m$"],) = axes.plot(
                rows["depth"], rows["mean"], color="0.82", linewidth=6, zorder=0
            )
        for index, method in enumerate(methods):
            rows, look = part.loc[[method]], style(ESTIMATORS[method].look)
            labelled[ESTIMATORS[method].label] = axes.errorbar(
                rows["depth"] + 0.2 * (index - (len(methods) - 1) / 2),
                rows["mean"],
                yerr=[rows["mean"] - rows["low"], rows["high"] - rows["mean"]],
                fmt=look.marker,
                markersize=4,
                color=look.colour,
                elinewidth=0.8,
                capsize=1.5,
                zorder=4,
            )
        pairs = part["pairs"].max()
        title = table.loc[table["environment"] == name, "title"].iloc[0]
        title = f"{title[:1].upper()}{title[1:]}"
        axes.set_title(f"{title} ({pairs} pair{'s' if pairs > 1 else ''})", fontsize=9)
        axes.set_xlabel("depth m (actions)", fontsize=9)
        axes.set_xticks(range(1, int(part["depth"].max()) + 1))
    for first in panels[::_IN_A_ROW]:
        first.set_ylabel(typeset("state precision p_m"))
        first.set_ylim(0, 1.02 * max(1.0, summary["high"].max()))
    figure.legend(
        labelled.values(),
        labelled.keys(),
        **_legend_place(places[len(panels) :]),
        fontsize=8,
        frameon=False,
    )
    used = table[table["samples"] > 0]
    note = "marks: mean over pairs; bars: smallest to largest of the pairs"
    if len(used):
        note += f"; estimators: {used['batches'].iloc[0]} batches of N = {used['samples'].iloc[0]}"
    caption(figure, "State precision p_m of states that are wrong by one slip", note)
    return figure


def _legend_place(unused: Sequence[Axes]) -> dict[str, Any]:
    """Return where a legend goes: on the first unused axes, else beside the figure."""
    if unused:
        return {
            "loc": "center left",
            "bbox_to_anchor": (0, 0.5),
            "bbox_transform": unused[0].transAxes,
        }
    return {"loc": "outside right upper"}

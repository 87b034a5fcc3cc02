"""F_m, and the means of p, r and F over m: columns of scores that follow from those of p_m and r_m.

They stand below the tables, because tables of earlier versions get them when they are read.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.float64]

MEANS: Final = ("precision_mean", "recall_mean", "f_mean")
"""Means over m = 1..depth, of exact values alone."""

ERROR: Final = "_standard_error"
"""How the column of a standard error ends."""

_F: Final = re.compile(rf"f_(\d+)({ERROR})?")
_DEPTH: Final = re.compile(r"precision_(\d+)")


def harmonic_mean(precision: Values, recall: Values) -> Values:
    """Return F = 2pr / (p + r): 0 where both are 0, NaN where either is."""
    total = precision + recall
    share = np.divide(recall, total, out=0.0 * total, where=total > 0)
    return 2 * precision * share


def harmonic_mean_error(
    precision: Values, precision_error: Values, recall: Values, recall_error: Values
) -> Values:
    """Return the standard error of F by the delta method, for independent errors of p and r.

    dF/dp = 2 r^2 / (p + r)^2, and likewise dF/dr. Where p = r = 0 there is no derivative: the error
    is 0 if p and r have none, else NaN.
    """
    total = precision + recall
    shares = [
        np.divide(each, total, out=np.full_like(total, np.nan), where=total > 0)
        for each in (recall, precision)
    ]
    error = np.hypot(2 * shares[0] ** 2 * precision_error, 2 * shares[1] ** 2 * recall_error)
    certain = (total == 0) & (precision_error == 0) & (recall_error == 0)
    return np.where(certain, 0.0, error)


def summary_sources(name: str, present: Collection[str]) -> tuple[str, ...]:
    """Return the columns that a summary follows from."""
    needed: list[str] = []
    if match := _F.fullmatch(name):
        ends = ("", ERROR) if match[2] else ("",)
        needed = [f"{side}_{match[1]}{end}" for side in ("precision", "recall") for end in ends]
    elif name in MEANS:
        sides = ("precision", "recall") if name == "f_mean" else (name.removesuffix("_mean"),)
        needed = [f"{side}_{m}" for side in sides for m in exact_depths(present)]
    return tuple(needed) if set(needed) <= set(present) else ()


def exact_depths(present: Collection[str]) -> range:
    """Return the depths 1..m of a table of exact scores; none of an estimator's, which has m alone."""
    depths = {int(match[1]) for name in present if (match := _DEPTH.fullmatch(name))}
    deepest = max(depths, default=0)
    estimated = f"precision_{deepest}{ERROR}" in present
    return range(1, 1 if estimated or len(depths) < deepest else deepest + 1)


def summary(name: str, values: Sequence[Values]) -> Values:
    """Return a summary from the values of the columns that `summary_sources` names, in its order."""
    if name.endswith(ERROR):
        return harmonic_mean_error(*values)
    if name not in MEANS:
        return harmonic_mean(*values)
    if name == "f_mean":
        half = len(values) // 2
        values = [harmonic_mean(*both) for both in zip(values[:half], values[half:], strict=True)]
    mean: Values = np.mean(values, axis=0)
    return mean


def stale_summaries(names: Sequence[str], present: Collection[str]) -> list[str]:
    """Return the summaries to recompute when columns are read from a scores table.

    They are those that the table lacks, and the means of a table of another depth than is read.
    """
    same = exact_depths(names) == exact_depths(present)
    return [
        name
        for name in names
        if (name not in present or (name in MEANS and not same)) and summary_sources(name, names)
    ]

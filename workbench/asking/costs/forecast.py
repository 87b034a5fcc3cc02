"""The forecast of a run's total cost, from the cost of its answers so far."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

MEASURES: Final = ("dollars", "input_tokens", "output_tokens")
_NORMAL_QUANTILE: Final = 1.96


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a whole run costs, by the answers so far.

    Attributes:
        questions: Of the whole run.
        answers: What the forecast is made from.
        totals: Dollars and tokens of the whole run, what is spent included; a measure that is not
            known of any answer is missing.
        errors: Their standard errors; infinite by a single answer.
    """

    questions: int
    answers: int
    totals: dict[str, float]
    errors: dict[str, float]

    def interval(self, measure: str) -> tuple[float, float]:
        """Return the 95% interval of a total."""
        reach = _NORMAL_QUANTILE * self.errors[measure]
        return max(0.0, self.totals[measure] - reach), self.totals[measure] + reach

    def describe(self) -> str:
        """Return the forecast as a line of text."""
        said = []
        if "dollars" in self.totals:
            least, most = self.interval("dollars")
            between = f" (95%: {least:.2f} to {most:.2f})" if math.isfinite(most) else ""
            said.append(f"{self.totals['dollars']:.2f} dollars{between}")
        for measure in ("input_tokens", "output_tokens"):
            if measure in self.totals:
                kind = measure.removesuffix("_tokens")
                said.append(f"{self.totals[measure]:,.0f} tokens of {kind}")
        costs = ", ".join(said) or "no counts from the provider"
        return (
            f"forecast for all {self.questions:,} questions, by {self.answers:,} answers: {costs}"
        )


def forecast(
    groups: Mapping[str, int],
    samples: int,
    costs: Mapping[tuple[str, int], Mapping[str, float | None]],
) -> Forecast | None:
    """Return what the whole run costs; None without an answer.

    Each group of positions is taken by itself, because long games cost more than short ones and
    need not be as many among the answers as in the whole. A group without answers is taken to cost
    what the average answer does.

    Args:
        groups: The group of every position, by ``position_id``.
        samples: Samples per position, at least 1.
        costs: The `MEASURES` of each answered question, by position and sample; None if unknown.
    """
    answered = pd.DataFrame(
        [
            {"group": groups[name], **{measure: known.get(measure) for measure in MEASURES}}
            for (name, sample), known in costs.items()
            if name in groups and sample < samples
        ],
        columns=["group", *MEASURES],
    ).astype(dict.fromkeys(MEASURES, "float64"))
    if answered.empty:
        return None
    sizes = pd.Series(groups).value_counts() * samples
    totals, errors = {}, {}
    for measure in MEASURES:
        known = answered[["group", measure]].dropna()
        if len(known):
            totals[measure], errors[measure] = _total(known["group"], known[measure], sizes)
    return Forecast(int(sizes.sum()), len(answered), totals, errors)


def _total(
    groups: "pd.Series[int]", values: "pd.Series[float]", sizes: "pd.Series[int]"
) -> tuple[float, float]:
    """Return the stratified estimate of a total, and its standard error."""
    by_group = values.groupby(groups)
    counts = by_group.count().reindex(sizes.index, fill_value=0)
    means = by_group.mean().reindex(sizes.index).fillna(values.mean())
    within = values - by_group.transform("mean")
    freedom = len(values) - by_group.ngroups
    # With one answer a group nothing is known of the spread within groups; that of all is larger.
    variance = float((within**2).sum() / freedom) if freedom else float(values.var(ddof=1))
    squared: float = (sizes * (sizes - counts) / np.maximum(counts, 1)).sum()
    error = math.inf if math.isnan(variance) else math.sqrt(float(squared) * variance)
    return float((sizes * means).sum()), error

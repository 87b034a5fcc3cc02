"""What the headline quantities are: names, ranges and directions for published schemas."""

import re
from dataclasses import dataclass
from typing import Final

from workbench.drawing.quantities import QUANTITIES
from workbench.reports.exports.evaluations import BENCHMARK

_MEASURE: Final = re.compile(r"(precision|recall)_(\d+)")

_MEANINGS: Final = {
    ("state", "precision"): (
        "Mean probability that the true state accepts a sequence of {m} actions drawn from the "
        "predicted state, each step uniformly from the permitted actions."
    ),
    ("state", "recall"): (
        "Mean probability that the predicted state accepts a sequence of {m} actions drawn from the "
        "true state, each step uniformly from the permitted actions."
    ),
    ("actions", "precision"): "Mean share of the listed actions that are permitted.",
    ("actions", "recall"): "Mean share of the permitted actions that are listed.",
    ("continuation", "precision"): (
        "Share of the replies whose first {m} actions the true state accepts."
    ),
}


@dataclass(frozen=True, slots=True)
class Metric:
    """A headline quantity as published schemas describe one.

    Attributes:
        identifier: Its name among the metrics of all benchmarks.
        name: As page and tables call it.
        kind: The family of metrics that it belongs to.
        description: What it is, in one sentence.
        unit: Of its values.
        lower_is_better: Whether a smaller value is a better one.
        upper: The largest possible value; None if there is none. The smallest is 0.
        depth: m, or None for a quantity that has none.
    """

    identifier: str
    name: str
    kind: str
    description: str
    unit: str = "proportion"
    lower_is_better: bool = False
    upper: int | None = 1
    depth: int | None = None


def metric_of(task: str, quantity: str) -> Metric:
    """Return the description of a headline quantity.

    Args:
        task: Of the column ``task``.
        quantity: A column of a scores table, such as ``precision_4``.
    """
    found = _MEASURE.fullmatch(quantity)
    if found:
        measure, depth = found[1], int(found[2])
        meaning = _MEANINGS.get((task, measure), _MEANINGS["state", measure])
        return Metric(
            identifier=f"{BENCHMARK}.{quantity}",
            name=QUANTITIES[measure].label(depth),
            kind=f"state_{measure}",
            description=meaning.format(m=depth),
            depth=depth,
        )
    if quantity == "exact_match":
        return Metric(
            "exact_match", "exact match", "accuracy",
            "Share of the replies whose state is, character by character, the true one.",
        )  # fmt: skip
    if quantity == "levenshtein":
        return Metric(
            "levenshtein", QUANTITIES["edit_distance"].name, "edit_distance",
            "Mean Levenshtein distance of the predicted state's text from that of the true state.",
            unit="characters",
            lower_is_better=True,
            upper=None,
        )  # fmt: skip
    return Metric(f"{BENCHMARK}.{quantity}", quantity, quantity, f"Mean of the column {quantity}.")

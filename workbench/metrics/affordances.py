"""State precision p_m, state recall r_m, F_m, their means over m, and standard errors.

p_m and r_m are computed together, by `workbench.affordance`; the others follow from them. Source:
arXiv 2508.19851, section 3; F_m and the means over m are ours.
"""

import math
from collections.abc import Mapping
from typing import ClassVar, Final

from workbench.depth_summaries import ERROR, Values, summary, summary_sources
from workbench.metrics.metric import Direction, Look, Metric, Needs


class Precision(Metric):
    """State precision p_m."""

    name = "precision"
    title = "state precision"
    symbol = "p"
    sentence = (
        "Probability that the true state accepts a sequence of m actions drawn from the predicted "
        "state, each step uniformly from the permitted actions."
    )
    # In the colour of the predicted board, from which its lines are drawn.
    look = Look("#c04a00", "#f2985a", "s", "--", "///")
    by_depth: ClassVar[bool] = True
    estimated: ClassVar[bool] = True
    needs: Needs = "walk"
    defined: ClassVar[bool] = True


class Recall(Precision):
    """State recall r_m."""

    name = "recall"
    title = "state recall"
    symbol = "r"
    sentence = (
        "Probability that the predicted state accepts a sequence of m actions drawn from the true "
        "state, each step uniformly from the permitted actions."
    )
    # In the colour of the true board, from which its lines are drawn.
    look = Look("#0b5fa5", "#6cb6f2", "o", "-", "")


class Summary(Metric):
    """A metric that follows from the columns of p_m and r_m."""

    needs: Needs = "columns"
    defined: ClassVar[bool] = True
    headline = False

    def values(self, columns: Mapping[str, Values]) -> Values:
        """Return the values of rows from the columns of p and r."""
        sources = summary_sources(self.column, columns.keys())
        return summary(self.column, [columns[name] for name in sources])


class FScore(Summary):
    """F_m, the harmonic mean of p_m and r_m; 0 where both are 0."""

    name = "f"
    title = "state F"
    symbol = "F"
    sentence = "Harmonic mean of state precision p_m and state recall r_m; 0 where both are 0."
    look = Look("#9600f0", "#9669ff", "^", "-.", "xx")
    by_depth: ClassVar[bool] = True
    estimated: ClassVar[bool] = True
    headline = True


class DepthMean(Summary):
    """The mean of p_m, r_m or F_m over m = 1..depth.

    Args:
        of: The metric.
    """

    def __init__(self, of: Metric) -> None:
        self.name = f"{of.name}_mean"
        self.title = f"mean {of.title}"
        self.symbol = f"mean {of.symbol}"
        self.sentence = f"Mean of {of.title} {of.symbol}_m over m = 1, 2, ... up to the depth."
        self.look = of.look


class StandardError(Summary):
    """The standard error of an estimate.

    Args:
        of: The metric that is estimated, bound to its depth.
    """

    range = (0.0, math.inf)
    direction: Direction = "none"
    by_depth: ClassVar[bool] = True

    def __init__(self, of: Metric) -> None:
        self.name = f"{of.name}{ERROR}"
        self.title = f"standard error of {of.label}"
        self.sentence = f"Standard error of the estimate of {of.label}."
        self.needs = of.needs
        self.depth = of.depth
        self._of = of

    @property
    def column(self) -> str:
        """The column of the estimate, with an ending."""
        return f"{self._of.column}{ERROR}"


PRECISION: Final = Precision()
RECALL: Final = Recall()
F_SCORE: Final = FScore()
AFFORDANCES: Final = (PRECISION, RECALL, F_SCORE)
MEANS: Final = tuple(DepthMean(each) for each in AFFORDANCES)

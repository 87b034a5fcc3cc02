"""What a metric is, and the metrics of affordances: p_m, r_m, F_m, their means, and standard errors."""

import math
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import pyarrow as pa

from workbench.depth_summaries import ERROR, Values, summary, summary_sources
from workbench.environment import Environment
from workbench.prediction import ParsedState

Needs: TypeAlias = Literal["walk", "texts", "states", "columns"]
Direction: TypeAlias = Literal["higher", "lower", "none"]


class Look(NamedTuple):
    """How a metric looks in figures and on pages.

    Attributes:
        colour: On white, for figures and the light theme.
        dark_colour: On a dark page.
        marker: Marker of points.
        line: Style of lines, as matplotlib names it.
        hatch: Hatch of surfaces.
    """

    colour: str = "#444444"
    dark_colour: str = "#e6e6e6"
    marker: str = "D"
    line: Literal["-", "--", ":", "-."] = ":"
    hatch: str = "..."


class Pair:
    """A true and a predicted state; what several metrics need of the two is computed once.

    Attributes:
        environment: Of both.
        true: The true state; it can be read.
        predicted: The predicted state; any text.
        texts: The true and the predicted text as they are compared, for each of the environment's
            ``text_variants``.
        fields: Whether each of its ``text_fields`` is right.
    """

    def __init__(
        self, environment: Environment[Any, Any], true: ParsedState, predicted: ParsedState
    ) -> None:
        self.environment = environment
        self.true = true
        self.predicted = predicted
        self.texts = environment.compared_texts(true, predicted)
        self.fields = environment.correct_fields(true, predicted)


class Metric:
    """A column of a scores table, or several, one for each depth: computed, named and formatted.

    A metric of one's own is a subclass with class attributes and the method `value` or `values`, in
    a package that registers it under the entry-point group ``workbench.metrics``. It is then in the
    scores, and wherever the workbench shows or publishes them.

    Class attributes:
        name: How its columns are called, or begin if there is one for each depth.
        title: On axes and in legends, such as ``state precision``.
        sentence: What it is, in one sentence.
        symbol: As in formulas, such as ``p``; empty if it has none.
        unit: Of its values.
        direction: Which values are better: ``higher``, ``lower`` or, where neither is, ``none``.
        range: Least and greatest possible value.
        digits: After the decimal point, in tables.
        type: Of its columns.
        look: Colour, marker, line and hatch.
        by_depth: Whether there is a column for each depth m.
        estimated: Whether an estimator gives it, at depth m alone, with a column for its standard
            error. Otherwise a metric of columns is computed from exact values alone.
        needs: ``texts``: computed for every reply that should be a state. ``states``: computed where
            the predicted state can be read, else null. ``columns``: computed from other columns.
            ``walk``: p_m and r_m alone, which `workbench.affordance` computes.
        defined: Whether every scored reply to the task ``state`` has a value.
        scored: Whether scores tables have its columns.
        headline: Whether reports and exports give its mean.

    Attributes:
        depth: m; None for a metric that is bound to no depth.
    """

    name: str
    title: str
    sentence: str
    symbol: str = ""
    unit: str = "proportion"
    direction: Direction = "higher"
    range: tuple[float, float] = (0.0, 1.0)
    digits: int = 4
    type: ClassVar[pa.DataType] = pa.float64()
    look: Look = Look()
    by_depth: ClassVar[bool] = False
    estimated: ClassVar[bool] = False
    needs: Needs = "states"
    defined: ClassVar[bool] = False
    scored: ClassVar[bool] = True
    headline: bool = True

    depth: int | None = None

    def at(self, depth: int | None) -> Self:
        """Return the metric bound to a depth."""
        bound = copy(self)
        bound.depth = depth
        return bound

    @property
    def column(self) -> str:
        """Its column in a scores table: ``precision_4``, ``levenshtein``."""
        return f"{self.name}_{self.depth}" if self.by_depth and self.depth else self.name

    @property
    def heading(self) -> str:
        """The head of its column on pages: the symbol with its depth, such as ``p_4``, or the title."""
        symbol = f"{self.symbol}_{self.depth or 'm'}" if self.by_depth else self.symbol
        return symbol if self.symbol else self.title

    @property
    def label(self) -> str:
        """Its title with the symbol, where it has a depth: ``state precision p_4``."""
        with_symbol = self.by_depth and self.symbol
        return f"{self.title} {self.heading}" if with_symbol else self.title

    def applies(self, environment: Environment[Any, Any]) -> bool:
        """Return whether the metric is defined in an environment; by default in all."""
        del environment
        return True

    def value(self, pair: Pair) -> Any:
        """Return the value of one pair, for a metric that needs texts or states.

        Args:
            pair: For a metric of states, one whose predicted state can be read.

        Returns:
            A value that fits `type`; NaN where it is undefined.
        """
        raise NotImplementedError(f"{type(self).__name__}: expected a method value, got none")

    def values(self, columns: Mapping[str, Values]) -> Values:
        """Return the values of rows, for a metric that needs columns.

        Args:
            columns: Columns of the scores by name, NaN where a value is missing.

        Returns:
            As many values, NaN where undefined.
        """
        raise NotImplementedError(f"{type(self).__name__}: expected a method values, got none")

    def text(self, value: float) -> str:
        """Return a value with `digits` after the point; ``none`` where it is undefined."""
        return "none" if value is None or np.isnan(value) else f"{value:.{self.digits}f}"


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

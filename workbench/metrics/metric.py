"""What a metric is: how it is computed from a pair of states or from columns, and how it is shown."""

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import pyarrow as pa

from workbench.depth_summaries import Values
from workbench.environment import Environment
from workbench.parsed_state import ParsedState

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

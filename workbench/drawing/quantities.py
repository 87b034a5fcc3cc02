"""The metrics that figures and widgets show, with names and looks of `workbench.metrics`.

The page has the same: names in ``explore/page/quantities.js``, colours in ``explore/page/theme.css``;
tests keep them equal.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from matplotlib.colors import to_rgb

from workbench.drawing.appearance import Style
from workbench.metrics import Metric, metric_of, range_of
from workbench.statistics.intervals import DIFFERENCE, SHARE


def difference_range(column: str) -> tuple[float, float] | None:
    """Return the range of differences of a column of shares; None of a column of another range."""
    return DIFFERENCE if range_of(column) == SHARE else None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A metric as figures draw it: its name on axes, and its look."""

    metric: Metric

    @property
    def name(self) -> str:
        """As axes, legends and tables call it."""
        return self.metric.title

    @property
    def symbol(self) -> str:
        """As in formulas; empty if it has none."""
        return self.metric.symbol

    @property
    def colour(self) -> str:
        """On white, for figures and the light theme."""
        return self.metric.look.colour

    @property
    def dark_colour(self) -> str:
        """On a dark page."""
        return self.metric.look.dark_colour

    @property
    def look(self) -> Style:
        """The look in figures."""
        colour = to_rgb(self.colour)
        look = self.metric.look
        return Style(colour, look.marker, look.line, look.hatch, colour)

    def label(self, depth: int | str | None = None) -> str:
        """Return the name, with the symbol where a depth is given: ``state precision p_4``."""
        return self.name if depth is None else f"{self.name} {self.symbol}_{depth}"


PRECISION: Final = Quantity(metric_of("precision"))
RECALL: Final = Quantity(metric_of("recall"))
F: Final = Quantity(metric_of("f"))
EDIT_DISTANCE: Final = Quantity(metric_of("levenshtein"))

QUANTITIES: Final[Mapping[str, Quantity]] = MappingProxyType(
    {"precision": PRECISION, "recall": RECALL, "edit_distance": EDIT_DISTANCE}
)
"""By the names that columns of tables begin with."""

"""The quantities that figures and widgets show: one name, one symbol and one look for each.

The page has the same: names in ``explore/page/quantities.js``, colours in ``explore/page/theme.css``;
tests keep them equal.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from matplotlib.colors import to_rgb

from workbench.drawing.appearance import Style
from workbench.statistics.intervals import DIFFERENCE, SHARE


def range_of(column: str) -> tuple[float, float]:
    """Return the range of a column of a scores table: 0 to 1, but without end of an edit distance."""
    return (0.0, math.inf) if column.startswith("levenshtein") else SHARE


def difference_range(column: str) -> tuple[float, float] | None:
    """Return the range of differences of a column; None of an edit distance, which has no bound."""
    return DIFFERENCE if range_of(column) == SHARE else None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that is measured of a pair of states.

    Attributes:
        name: As axes, legends and tables call it.
        symbol: As in formulas; empty if it has none.
        colour: On white, for figures and the light theme.
        dark_colour: On a dark page.
        marker: Marker of points.
        line: Style of lines, as matplotlib names it.
        hatch: Hatch of surfaces.
    """

    name: str
    symbol: str
    colour: str
    dark_colour: str
    marker: str
    line: Literal["-", "--", ":"]
    hatch: str

    @property
    def look(self) -> Style:
        """The look in figures."""
        colour = to_rgb(self.colour)
        return Style(colour, self.marker, self.line, self.hatch, colour)

    def label(self, depth: int | str | None = None) -> str:
        """Return the name, with the symbol where a depth is given: ``state precision p_4``."""
        return self.name if depth is None else f"{self.name} {self.symbol}_{depth}"


PRECISION: Final = Quantity("state precision", "p", "#c04a00", "#f2985a", "s", "--", "///")
"""In the colour of the predicted board, from which its lines are drawn."""

RECALL: Final = Quantity("state recall", "r", "#0b5fa5", "#6cb6f2", "o", "-", "")
"""In the colour of the true board, from which its lines are drawn."""

EDIT_DISTANCE: Final = Quantity("edit distance", "", "#444444", "#e6e6e6", "D", ":", "...")
"""Of the texts, so in the colour of neither board."""

QUANTITIES: Final[Mapping[str, Quantity]] = MappingProxyType(
    {"precision": PRECISION, "recall": RECALL, "edit_distance": EDIT_DISTANCE}
)
"""By the names that columns of tables begin with."""

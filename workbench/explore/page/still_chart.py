"""The charts of a widget's last answer: SVG without a script or a style sheet, for pages without a kernel."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Final

_LEFT: Final = 46
_RIGHT: Final = 14
_TITLE: Final = 22
_FOOT: Final = 34
_BETWEEN: Final = 10
_INK: Final = "#3a3a3a"
_RULE: Final = "#d5d5d5"


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its name, and the values at its ends."""

    name: str
    low: float
    high: float

    def at(self, value: float, start: float, end: float) -> float:
        """Return where between two places of the drawing a value lies."""
        width = self.high - self.low
        return start + (end - start) * ((value - self.low) / width if width else 0.5)

    def ticks(self) -> list[float]:
        """Return both ends and the middle."""
        return sorted({self.low, (self.low + self.high) / 2, self.high})


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the charts of a drawing, which share their horizontal axis.

    Attributes:
        vertical: Its own axis.
        points: Horizontal and vertical values; what is not finite is not drawn, and leaves a gap.
        colour: Of its marks.
        joined: Whether a line joins the points.
    """

    vertical: Axis
    points: Sequence[tuple[float, float]]
    colour: str
    joined: bool = False


def axis_around(name: str, values: Iterable[float], ends: tuple[float, float]) -> Axis:
    """Return an axis that holds all values and the ends of their range, as far as these are finite."""
    defined = [float(value) for value in (*values, *ends) if isfinite(value)]
    return Axis(name, min(defined, default=0.0), max(defined, default=1.0))


def still_chart(
    name: str,
    panels: Sequence[Panel],
    horizontal: Axis,
    *,
    width: int,
    height: int,
    cursor: float | None = None,
) -> str:
    """Return charts below each other as the text of an SVG element.

    Points that fall on one pixel are drawn once, the darker the more there are.

    Args:
        name: What is drawn, for those who cannot see it.
        panels: From top to bottom.
        horizontal: The axis below the last.
        width: Of the drawing.
        height: Of each panel, with its title.
        cursor: A horizontal value that a line through all panels marks.
    """
    left, right = _LEFT + 6.0, width - _RIGHT - 6.0
    below = len(panels) * (height + _BETWEEN) - _BETWEEN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(name)}" '
        f'viewBox="0 0 {width} {below + _FOOT}" width="{width}" height="{below + _FOOT}" '
        f'font-family="sans-serif" font-size="11" fill="{_INK}">',
        f"<title>{escape(name)}</title>",
        f'<rect width="{width}" height="{below + _FOOT}" fill="#ffffff"/>',
    ]
    for tick in horizontal.ticks():
        x = horizontal.at(tick, left, right)
        parts.append(f'<text x="{x:.1f}" y="{below + 14}" text-anchor="middle">{tick:.4g}</text>')
    middle = (left + right) / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{below + 29}" text-anchor="middle">{escape(horizontal.name)}</text>'
    )
    if cursor is not None:
        x = horizontal.at(cursor, left, right)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TITLE}" y2="{below}" stroke="#111111" '
            'stroke-dasharray="2 3"/>'
        )
    for number, panel in enumerate(panels):
        top = number * (height + _BETWEEN)
        parts += _panel(panel, horizontal, (left, right), (top + height, top + _TITLE))
    return "".join([*parts, "</svg>"])


def _panel(
    panel: Panel, horizontal: Axis, across: tuple[float, float], up: tuple[float, float]
) -> list[str]:
    own = panel.vertical
    parts = [
        f'<text x="{_LEFT}" y="{up[1] - 8}" fill="{panel.colour}">{escape(own.name)}</text>',
    ]
    for tick in own.ticks():
        y = own.at(tick, *up)
        parts.append(
            f'<line x1="{_LEFT}" x2="{across[1] + 6:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_RULE}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:.4g}</text>'
        )
    places = [
        (horizontal.at(x, *across), own.at(y, *up)) if isfinite(x) and isfinite(y) else None
        for x, y in panel.points
    ]
    if panel.joined:
        pen, steps = "M", []
        for place in places:
            steps.append("" if place is None else f"{pen}{place[0]:.1f},{place[1]:.1f}")
            pen = "M" if place is None else "L"
        parts.append(f'<path d="{"".join(steps)}" fill="none" stroke="{panel.colour}"/>')
    counts = Counter((round(place[0]), round(place[1])) for place in places if place is not None)
    if panel.joined:
        counts = Counter(dict.fromkeys(counts, 1))
    most = max(counts.values(), default=1)
    for (x, y), count in sorted(counts.items()):
        opacity = 0.35 + 0.65 * count / most
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="2.6" fill="{panel.colour}" fill-opacity="{opacity:.2f}"/>'
        )
    return parts

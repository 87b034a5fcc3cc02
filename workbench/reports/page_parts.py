"""Numbers in words and parts of a page as HTML: all text is escaped, every picture is in the file."""

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

from workbench.drawing.quantities import QUANTITIES
from workbench.long_texts import cut
from workbench.metrics import find_metric

UNDEFINED: Final = "undefined"


def number(value: float) -> str:
    """Return a value with three decimals, with one from 10 on and with none from 1,000 on."""
    if math.isnan(value):
        return UNDEFINED
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:,.1f}"
    if size >= 0.001:
        return f"{value:.3f}"
    return f"{value:.1e}"


def share(value: float) -> str:
    """Return a share as a percentage."""
    return UNDEFINED if math.isnan(value) else f"{value:.0%}"


def with_interval(value: float, low: float, high: float) -> str:
    """Return a value with its 95% interval, where there is one."""
    if math.isnan(value) or math.isnan(low):
        return number(value)
    return f"{number(value)} [{number(low)}, {number(high)}]"


def interval_cell(row: Mapping[Any, Any], name: str = "") -> str:
    """Return a mean with its interval from a row of `headline`, or of a study's columns ``name``."""
    columns = (name, f"{name}_low", f"{name}_high") if name else ("mean", "lower", "upper")
    return with_interval(*(float(row[column]) for column in columns))


def counted(count: int, one: str, several: str = "") -> str:
    """Return how many there are, with the noun in the right number."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def quantity_name(column: str) -> str:
    """Return what the report calls a column of a scores table, such as ``p_4`` or ``edit distance``."""
    metric = find_metric(column)
    return column.replace("_", " ") if metric is None else metric.heading


def prompt_words(prompt: Mapping[str, Any]) -> str:
    """Return which prompt a description is of; what it does not say is unknown."""
    name, version, digest = (prompt.get(part, "unknown") for part in ("name", "version", "sha256"))
    return f"{name}@{version}, SHA-256 {digest}"


LONGEST_TEXT: Final = 20_000
"""Characters of a text that the page shows."""

_HEADS: Final = {"p": "precision", "r": "recall", "edit distance": "edit_distance"}


def section(identity: str, title: str, *content: str, level: int = 3) -> str:
    """Return a section with a heading that can be linked to."""
    return f'<section><h{level} id="{escape(identity)}">{escape(title)}</h{level}>{"".join(content)}</section>'


def contents(places: Mapping[str, str]) -> str:
    """Return links to sections, by their identities."""
    items = "".join(f"<li>{link(f'#{name}', title)}</li>" for name, title in places.items())
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def paragraph(text: str, look: str = "") -> str:
    """Return a paragraph; an empty text gives nothing."""
    return f"<p{_class(look)}>{escape(text)}</p>" if text else ""


def bullets(texts: Iterable[str]) -> str:
    """Return texts as a list; none give nothing."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose first column names its rows; it scrolls by itself where it is too wide.

    A column whose name begins with ``p_``, ``r_`` or ``edit distance`` gets that quantity's colour.
    """
    head = "".join(
        f'<th scope="col"{_class(_quantity(name))}>{escape(name)}</th>' for name in columns
    )
    lines = "".join(
        f'<tr><th scope="row">{escape(str(first))}</th>'
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    return (
        f'<div class="wide" role="group" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )


def details(summary: str, *content: str) -> str:
    """Return content that is shown on demand, and always printed."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(content)}</details>"


def preformatted(text: str, name: str) -> str:
    """Return a text with its line breaks, cut if it is very long."""
    content = escape(cut(text, LONGEST_TEXT))
    return f'<pre role="group" tabindex="0" aria-label="{escape(name)}">{content}</pre>'


def figure(chart: Figure, alt: str, *content: str) -> str:
    """Return a figure as a picture on white, with content such as a table of its numbers below it."""
    svg = BytesIO()
    with mpl.rc_context({"svg.hashsalt": alt}):
        chart.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    code = base64.b64encode(svg.getvalue()).decode()
    width, height = (round(96 * inches) for inches in chart.get_size_inches())
    return (
        f'<figure><img class="card" width="{width}" height="{height}" alt="{escape(alt)}" '
        f'src="data:image/svg+xml;base64,{code}">{"".join(content)}</figure>'
    )


def link(address: str, text: str) -> str:
    """Return a link to a place of this page."""
    return f'<a class="on-screen" href="{escape(address)}">{escape(text)}</a>'


def side_by_side(words: str, pictures: Iterable[str], *below: str) -> str:
    """Return pictures side by side, with words above."""
    cells = "".join(f"<div>{each}</div>" for each in pictures)
    return f'<div class="pair"><p>{escape(words)}</p><div class="sides">{cells}</div>{"".join(below)}</div>'


def pairs(content: Iterable[str]) -> str:
    """Return parts in two columns where there is room."""
    return f'<div class="pairs">{"".join(content)}</div>'


def quantity_colours() -> str:
    """Return style rules that give each quantity its colour, on a light and on a dark page."""
    light, dark = (
        "".join(
            f"--{name.replace('_', '-')}:{getattr(each, colour)};"
            for name, each in QUANTITIES.items()
        )
        for colour in ("colour", "dark_colour")
    )
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _quantity(name: str) -> str:
    start = name.partition("_")[0] if name[1:2] == "_" else name
    return _HEADS.get(start, "").replace("_", "-")


def _class(look: str) -> str:
    return f' class="{escape(look)}"' if look else ""

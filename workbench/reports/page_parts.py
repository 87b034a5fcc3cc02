"""Numbers in words and parts of a page as HTML: all text is escaped, every picture is in the file."""

import math
import re
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

_FONTS: Final = "DejaVu Sans,Verdana,sans-serif"
"""Fonts of a figure; others are narrower, so that its texts fit."""
_NO_PICTURE: Final = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
_FAMILY: Final = re.compile(r";? *font-family: [^;\"<]*")
_LONG: Final = re.compile(r"(?<![\w#.-])-?\d+\.\d{3,}(?![\w.])")
_BREAK: Final = re.compile(r"\s*\n\s*(?=[<\"])|(?<=>)\s*\n\s*")

_MOST_DECIMALS: Final = 6
_SYMBOL: Final = re.compile(r"(?<![\w$./-])([prF])_(\d+|[mi])(?![\w$./-])")
_SUBSCRIPTS: Final = str.maketrans("0123456789mi", "₀₁₂₃₄₅₆₇₈₉ₘᵢ")


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


def interval_texts(value: float, low: float, high: float) -> tuple[str, str, str]:
    """Return a value and the ends of its 95% interval, with two significant digits of its half width.

    Where there is no interval the ends are empty, and the value is that of `number`.
    """
    half = (high - low) / 2
    if math.isnan(value) or math.isnan(half) or half == 0:
        return number(value), "", ""
    decimals = min(_MOST_DECIMALS, max(0, 1 - math.floor(math.log10(half))))
    mean, lower, upper = (f"{each:,.{decimals}f}" for each in (value, low, high))
    return mean, lower, upper


def with_interval(value: float, low: float, high: float) -> str:
    """Return a value with its 95% interval, where there is one; see `interval_texts`."""
    mean, lower, upper = interval_texts(value, low, high)
    return f"{mean} [{lower}, {upper}]" if lower else mean


def subscripts(text: str) -> str:
    """Return a text whose symbols such as ``p_4`` and ``r_m`` have subscripts."""
    return _SYMBOL.sub(lambda match: match[1] + match[2].translate(_SUBSCRIPTS), text)


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


class Markup(str):
    """HTML that stays as it is, as a cell of a table."""

    __slots__ = ()


def section(identity: str, title: str, *content: str, look: str = "appendix") -> str:
    """Return a section that unfolds, with a heading that can be linked to.

    Of the look "appendix" it is printed on request alone, of the look "printed" always.
    """
    return (
        f'<details id="{escape(identity)}"{_class(look)}><summary><h3>{_text(title)}</h3></summary>'
        f"{''.join(content)}</details>"
    )


def part(identity: str, title: str, *content: str, look: str = "") -> str:
    """Return a part of the page that is open, with a heading."""
    return (
        f'<section{_class(look)}><h2 id="{escape(identity)}">{_text(title)}</h2>'
        f"{''.join(content)}</section>"
    )


def paragraph(text: str, look: str = "") -> str:
    """Return a paragraph; an empty text gives nothing."""
    return f"<p{_class(look)}>{_text(text)}</p>" if text else ""


def bullets(texts: Iterable[str]) -> str:
    """Return texts as a list; none give nothing."""
    items = "".join(f"<li>{_text(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose first column names its rows; it scrolls by itself where it is too wide.

    A cell of `Markup` stays as it is. A column whose name begins with ``p_``, ``r_`` or ``edit distance`` gets that quantity's colour.
    """
    head = "".join(
        f'<th scope="col"{_class(_quantity(name))}>{_text(name)}</th>' for name in columns
    )
    lines = "".join(
        f'<tr><th scope="row">{_cell(first)}</th>'
        + "".join(f"<td>{_cell(cell)}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    return (
        f'<div class="wide" role="group" tabindex="0" aria-label="{_text(caption)}"><table>'
        f"<caption>{_text(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )


def details(summary: str, *content: str, identity: str = "") -> str:
    """Return content that is shown on demand; with an identity it can be linked to."""
    named = f' id="{escape(identity)}"' if identity else ""
    return f"<details{named}><summary>{_text(summary)}</summary>{''.join(content)}</details>"


def preformatted(text: str, name: str) -> str:
    """Return a text with its line breaks, cut if it is very long."""
    content = escape(cut(text, LONGEST_TEXT))
    return f'<pre role="group" tabindex="0" aria-label="{escape(name)}">{content}</pre>'


def figure(chart: Figure, alt: str, *content: str) -> str:
    """Return a figure as a picture on white, with content such as a table of its numbers below it."""
    svg = BytesIO()
    with mpl.rc_context({"svg.hashsalt": alt, "svg.fonttype": "none"}):
        chart.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    code = _address(_short_svg(svg.getvalue().decode()))
    width, height = (round(96 * inches) for inches in chart.get_size_inches())
    return (
        f'<figure><img class="card" width="{width}" height="{height}" alt="{escape(alt)}" '
        f'src="data:image/svg+xml,{code}">{"".join(content)}</figure>'
    )


def _short_svg(svg: str) -> str:
    """Return a figure of matplotlib in a third of its bytes: hundredths of a point, and fonts once."""
    svg = _NO_PICTURE.sub("", svg[svg.index("<svg") :])
    svg = _LONG.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = _FAMILY.sub("", svg).replace("<svg ", f"<svg font-family='{_FONTS}' ", 1)
    return _BREAK.sub("", svg).replace("\n", " ")


def _address(svg: str) -> str:
    """Return a picture as a part of an address within double quotes."""
    codes: dict[str, str | int | None] = {
        "%": "%25",
        "#": "%23",
        '"': "'",
        "&": "%26",
        "<": "%3C",
        ">": "%3E",
    }
    return svg.translate(str.maketrans(codes))


def link(address: str, text: str) -> str:
    """Return a link to a place of this page; the text alone where there is no address."""
    if not address:
        return escape(text)
    return f'<a class="on-screen" href="{escape(address)}">{escape(text)}</a>'


def side_by_side(words: str, pictures: Iterable[str], *below: str) -> str:
    """Return pictures side by side, with words above."""
    cells = "".join(f"<div>{each}</div>" for each in pictures)
    return f'<div class="pair"><p>{_text(words)}</p><div class="sides">{cells}</div>{"".join(below)}</div>'


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


def _text(text: str) -> str:
    return escape(subscripts(text))


def _cell(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


def _quantity(name: str) -> str:
    start = name.partition("_")[0] if name[1:2] == "_" else name
    return _HEADS.get(start, "").replace("_", "-")


def _class(look: str) -> str:
    return f' class="{escape(look)}"' if look else ""

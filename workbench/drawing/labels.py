"""Names and notes on figures: literal, distinct, and no wider than the available room.

A name can be anything: ``$`` would begin a formula, a character that the font lacks would be drawn
as a box like any other, and a file's name can be longer than the figure is wide. What a table holds
stays whole.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cache
from itertools import pairwise
from typing import Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, findfont, get_font

from workbench.long_texts import shortened

LONGEST: Final = 40
"""Characters of a name on a figure, unless there is another reason."""

FILE_DOTS_AN_INCH: Final = 130
"""Of a figure in a PNG file. Characters are whole dots wide, so that their room depends on it."""

STILL_DOTS_AN_INCH: Final = 100
"""Of a still picture in a notebook."""

NO_NAME: Final = "no name"
"""What a thing is called whose name is missing or empty."""

_ELLIPSIS: Final = "…"
_SYMBOL: Final = re.compile(r"(?<![\w$./-])([prFv])_(\d+|[mi])(?![\w$./-])")
_BEFORE_DIFFERENCE: Final = 3
# Hebrew, Arabic and the scripts between them: digits that follow would be drawn in their direction.
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+")
_LEFT_TO_RIGHT_MARK: Final = "\u200e"


def labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Return how each name is written on a figure; different names are written differently.

    Each has at most so many characters, at least 24, not counting escapes.
    """
    texts = {name: _drawable(name) or NO_NAME for name in names}
    # matplotlib keeps what begins with an underscore out of legends.
    return {
        name: _literal(f" {short}" if short.startswith("_") else short)
        for name, short in _distinct(texts, longest).items()
    }


def some_of(names: Iterable[str], noun: str, most: int = 4) -> str:
    """Return names in words: all of a few, else how many there are and the first of them."""
    short = [shortened(name, LONGEST) or NO_NAME for name in names]
    if len(short) <= most:
        return ", ".join(short)
    first = ", ".join(short[: most - 1])
    return f"{len(short)} {noun} ({first} and {len(short) - most + 1} more)"


def span(values: Collection[float], digits: int = 0) -> str:
    """Return the smallest and the largest of some numbers in words; one number if they look the same."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def room(text: str, size: float) -> float:
    """Return the width in inches of the widest line of a text; the font's size is in points."""
    lines = text.replace(r"\$", "$").split("\n")
    return max(sum(_advance(character, size) for character in line) for line in lines)


def wrapped(text: str, width: float, size: float) -> str:
    """Return a text in lines that fit, broken between words where that is possible."""
    lines = []
    for line in _drawable(text, keep="\n").split("\n"):
        current = ""
        for word in line.split(" "):
            longer = f"{current} {word}" if current else word
            if room(longer, size) <= width:
                current = longer
                continue
            if current:
                lines.append(current)
            *full, current = _pieces(word, width, size)
            lines += full
        lines.append(current)
    return _literal("\n".join(lines))


def fitting_ticks(
    axes: Axes, places: Iterable[float], texts: Iterable[str], width: float, size: float
) -> None:
    """Label the horizontal axis at every place, or every second or third, ..., as there is room.

    The last place has its label always.
    """
    low, high = axes.get_xlim()
    ticks = list(zip(places, texts, strict=True))[::-1]
    edges = [
        ((place - low) / (high - low) * width, room(text, size) / 2 + size / 72 / 4)
        for place, text in ticks
    ]
    steps = (
        step
        for step in range(1, len(ticks) + 1)
        if all(
            middle - half >= following + reach
            for (middle, half), (following, reach) in pairwise(edges[::step])
        )
    )
    step = next(steps, 1)
    labelled = ticks[::step]
    axes.set_xticks([place for place, _ in labelled], [text for _, text in labelled], fontsize=size)


def typeset(text: str) -> str:
    """Return a text in which ``p_4`` and other symbols with an index are formulas of mathtext.

    For the words on a figure, not for names, which are drawn literally; `caption` calls it.
    """
    return _SYMBOL.sub(r"$\1_{\2}$", text)


def _distinct(full: dict[str, str], longest: int) -> dict[str, str]:
    """Shorten texts; where that makes some the same, keep the place at which they part."""
    labelled: dict[str, str] = {}
    waiting = [(dict(full), 0)]
    while waiting:
        texts, start = waiting.pop()
        groups: dict[str, dict[str, str]] = defaultdict(dict)
        for name, text in texts.items():
            cut = text if start == 0 else text[: longest // 4] + _ELLIPSIS + text[start:]
            groups[shortened(cut, longest)][name] = text
        for short, same in groups.items():
            if len(same) == 1 and short not in labelled.values():
                labelled[next(iter(same))] = short
                continue
            # The first character that is not the same in all, or where one ends.
            columns = list(zip(*same.values(), strict=False))
            parting = [place for place, column in enumerate(columns) if len(set(column)) > 1]
            following = max([*parting, len(columns)][0] - _BEFORE_DIFFERENCE, start + 1)
            if len(set(same.values())) == 1 or following >= min(map(len, same.values())):
                for number, name in enumerate(same, start=1):
                    labelled[name] = f"{shortened(short, longest - 6)} ({number})"
            else:
                waiting.append((same, following))
    return {name: labelled[name] for name in full}


def _literal(text: str) -> str:
    return text.replace("$", r"\$")


def _pieces(word: str, width: float, size: float) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and room(pieces[-1] + character, size) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _drawable(text: str, keep: str = "") -> str:
    """Return a text with what the font cannot draw written as Python's escapes."""
    families = tuple(mpl.rcParams["font.family"])
    visible = "".join(
        character
        if character in keep or any(ord(character) in glyphs for glyphs in _glyphs(families))
        else character.encode("unicode_escape").decode()
        for character in text
    )
    mark = _LEFT_TO_RIGHT_MARK
    return _RIGHT_TO_LEFT.sub(rf"{mark}\g<0>{mark}", visible)


@cache
def _glyphs(families: tuple[str, ...]) -> list[frozenset[int]]:
    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in families]
    return [frozenset(font.get_charmap()) for font in fonts]


@cache
def _advance(character: str, size: float) -> float:
    """Return the width of a character in inches, the largest of all in which it is drawn."""
    font = get_font(findfont(FontProperties()))
    widths = []
    for dots in (FILE_DOTS_AN_INCH, STILL_DOTS_AN_INCH):
        font.set_size(size, dots)
        glyph = font.load_char(ord(character))
        widths += [glyph.horiAdvance / 64 / dots, glyph.linearHoriAdvance / 65536 / dots]
    return max(widths)

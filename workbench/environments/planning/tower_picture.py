"""The towers of Blocksworld as an SVG drawing; what it shows survives a grey printer."""

from collections import defaultdict
from html import escape
from typing import Final

from workbench.environments.planning.strips_automaton import Facts
from workbench.environments.planning.strips_task import StripsTask, words
from workbench.environments.square_picture import CELL, INK

_MOST_BLOCKS: Final = 50
_NEEDED: Final = {"on": 2, "on-table": 1, "holding": 1, "clear": 1}
_GAP: Final = 12
_MARK: Final = "#b3002d"


def has_towers(task: StripsTask) -> bool:
    """Return whether a problem has the predicates of Blocksworld, and few enough objects."""
    arities = {name: len(task.predicates.get(name, ())) for name in _NEEDED}
    return arities == _NEEDED and len(task.objects) <= _MOST_BLOCKS


def tower_picture(task: StripsTask, state: Facts, marked: frozenset[str]) -> str:
    """Return the blocks of a state as the text of an SVG element.

    A block is drawn once for each fact that says where it is, so that an ill-formed state shows its
    contradictions; it is dotted where no fact says where it is and another block stands on it. A
    bar lies on blocks that are clear, a held block hangs from a line.

    Args:
        task: The problem.
        state: Its state.
        marked: Facts whose block gets a dashed frame, or whose bar is dashed. Those that are false
            are named below.
    """
    towers = _Towers(task.in_order(state))
    height = max([3, *(level + 1 for _, _, level, _, _ in towers.blocks)])
    width = max(1, towers.columns)
    wide, high = width * CELL, (height + 1) * CELL
    said = f"Blocks: {' '.join(task.in_order(state)) or 'no facts'}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(said)}" '
        f'viewBox="{-_GAP} {-_GAP} {max(wide, 4 * CELL) + 2 * _GAP} {high + 4 * _GAP}" '
        f'font-family="sans-serif" font-size="12" text-anchor="middle">',
        f"<title>{escape(said)}</title>",
        f'<rect x="{-_GAP}" y="{-_GAP}" width="100%" height="100%" fill="#ffffff"/>',
    ]
    for block, column, level, span, fact in towers.blocks:
        x, y = column * CELL, (height - level) * CELL
        kind = words(fact)[0] if fact else ""
        if kind == "on-table":
            parts.append(_line(x - 2, y + CELL, x + span * CELL + 2, y + CELL, 3))
        if kind == "holding":
            parts.append(_line(x + CELL / 2, -_GAP, x + CELL / 2, y, 3))
        look = f'fill="#dfe3e6" stroke="{INK}" stroke-width="1.5"'
        if not fact:
            look = f'fill="none" stroke="{INK}" stroke-width="1" stroke-dasharray="2 3"'
        place = f'x="{x + 2}" y="{y + 2}" width="{span * CELL - 4}" height="{CELL - 4}" rx="3"'
        parts.append(f"<rect {place} {look}/>")
        if fact in marked:
            parts.append(
                f'<rect {place} fill="none" stroke="{_MARK}" stroke-width="3" '
                'stroke-dasharray="7 4"/>'
            )
        middle = x + span * CELL / 2
        parts.append(f'<text x="{middle:g}" y="{y + CELL / 2 + 4:g}" fill="{INK}">{block}</text>')
        clear = f"(clear {block})"
        if clear in state:
            style = (_MARK, ' stroke-dasharray="4 2"') if clear in marked else (INK, "")
            parts.append(_line(middle - 10, y - 1, middle + 10, y - 1, 3, *style))
    drawn = {fact for *_, fact in towers.blocks}
    other = [
        fact
        for fact in task.in_order(state)
        if fact not in drawn and not (fact.startswith("(clear ") and words(fact)[1] in towers.seen)
    ]
    lacks = " ".join(
        task.in_order(fact for fact in marked if _known(task, fact) and fact not in state)
    )
    captions = [" ".join(other), f"not: {lacks}" if lacks else ""]
    for place_below, caption in enumerate(filter(None, captions)):
        y = high + _GAP + 14 * place_below
        parts.append(f'<text x="0" y="{y}" fill="{INK}" text-anchor="start">{caption}</text>')
    return "".join([*parts, "</svg>"])


def _known(task: StripsTask, fact: str) -> bool:
    name, *arguments = words(fact)
    return name in task.predicates and task.objects.keys() >= set(arguments)


def _line(
    x: float, y: float, to_x: float, to_y: float, width: int, colour: str = INK, dash: str = ""
) -> str:
    return (
        f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{colour}" '
        f'stroke-width="{width}"{dash}/>'
    )


class _Towers:
    """Where to draw each block.

    Attributes:
        blocks: Block, column, level, columns that it spans, and the fact that says where it is, or
            nothing.
        columns: In all.
        seen: Blocks that are drawn.
    """

    def __init__(self, facts: list[str]) -> None:
        self.blocks: list[tuple[str, int, int, int, str]] = []
        self.columns = 0
        self.seen: set[str] = set()
        self._above = defaultdict(list)
        atoms = list(map(words, facts))
        for atom in atoms:
            if atom[0] == "on":
                self._above[atom[2]].append(atom[1])
        for kind, level in (("on-table", 0), ("holding", 2)):
            for atom in atoms:
                if atom[0] == kind:
                    self.columns += self._place(atom[1], self.columns, level, f"({kind} {atom[1]})")
        # Blocks of no known place below others; last, blocks in a circle.
        held = {above for each in self._above.values() for above in each}
        for below in sorted(self._above, key=held.__contains__):
            if below not in self.seen:
                self.columns += self._place(below, self.columns, 0, "")

    def _place(self, block: str, column: int, level: int, fact: str) -> int:
        """Place a block and, the first time, what stands on it; return the columns that it spans."""
        span = 0
        if block not in self.seen:
            self.seen.add(block)
            for above in self._above[block]:
                span += self._place(above, column + span, level + 1, f"(on {above} {block})")
        self.blocks.append((block, column, level, max(1, span), fact))
        return max(1, span)

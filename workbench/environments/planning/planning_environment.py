"""The environment of a planning problem: facts and actions as text, slips, and pictures of towers of blocks."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from html import escape
from itertools import combinations
from typing import ClassVar, Final, TypeVar

import numpy as np

from workbench.environment import Environment, Symmetry
from workbench.environments.planning.planning_texts import (
    NO_FACTS,
    FactReader,
    read_atoms,
    rules_in_words,
)
from workbench.environments.planning.strips import (
    Facts,
    NecessaryConditions,
    StripsAutomaton,
    StripsOperator,
    StripsTask,
    atom_text,
    words,
)
from workbench.environments.square_picture import CELL, DIFFERENT, INK, difference_mark
from workbench.errors import InvalidArgumentError, InvalidBoardError
from workbench.prediction import Prediction, ReplyClass

_MOST_BLOCKS: Final = 50
_NEEDED: Final = {"on": 2, "on-table": 1, "holding": 1, "clear": 1}
_GAP: Final = 12


def tower_picture(task: StripsTask, state: Facts, marked: frozenset[str]) -> str:
    """Return the blocks of a state as the text of an SVG element.

    A block is drawn once for each fact that says where it is, so that an ill-formed state shows its
    contradictions; it is dotted where no fact says where it is and another block stands on it. A
    bar lies on blocks that are clear, a held block hangs from a line.
    """
    towers = _Towers(task.in_order(state))
    height = max([3, *(level + 1 for _, _, level, _, _ in towers.blocks)])
    width = max(1, towers.columns)
    wide, high = width * CELL, (height + 1) * CELL
    label = f"Blocks: {' '.join(task.in_order(state)) or 'no facts'}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
        f'viewBox="{-_GAP} {-_GAP} {max(wide, 4 * CELL) + 2 * _GAP} {high + 4 * _GAP}" '
        f'font-family="sans-serif" font-size="12" text-anchor="middle">',
        f"<title>{escape(label)}</title>",
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
            parts.append(difference_mark(x + 2, y + 2, span * CELL - 4, CELL - 4))
        middle = x + span * CELL / 2
        parts.append(f'<text x="{middle:g}" y="{y + CELL / 2 + 4:g}" fill="{INK}">{block}</text>')
        clear = f"(clear {block})"
        if clear in state:
            style = (DIFFERENT, ' stroke-dasharray="4 2"') if clear in marked else (INK, "")
            parts.append(_line(middle - 10, y - 1, middle + 10, y - 1, 3, *style))
    placed = {fact for *_, fact in towers.blocks}
    other = [
        fact
        for fact in task.in_order(state)
        if fact not in placed
        and not (fact.startswith("(clear ") and words(fact)[1] in towers.visited)
    ]
    lacks = " ".join(
        task.in_order(fact for fact in marked if _is_fact(task, fact) and fact not in state)
    )
    captions = [" ".join(other), f"not: {lacks}" if lacks else ""]
    for place_below, caption in enumerate(filter(None, captions)):
        y = high + _GAP + 14 * place_below
        parts.append(f'<text x="0" y="{y}" fill="{INK}" text-anchor="start">{caption}</text>')
    return "".join([*parts, "</svg>"])


def _is_fact(task: StripsTask, fact: str) -> bool:
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
        visited: Blocks that are drawn.
    """

    def __init__(self, facts: list[str]) -> None:
        self.blocks: list[tuple[str, int, int, int, str]] = []
        self.columns = 0
        self.visited: set[str] = set()
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
        upper = {above for each in self._above.values() for above in each}
        for below in sorted(self._above, key=upper.__contains__):
            if below not in self.visited:
                self.columns += self._place(below, self.columns, 0, "")

    def _place(self, block: str, column: int, level: int, fact: str) -> int:
        """Place a block and, the first time, what stands on it; return the columns that it spans."""
        span = 0
        if block not in self.visited:
            self.visited.add(block)
            for above in self._above[block]:
                span += self._place(above, column + span, level + 1, f"(on {above} {block})")
        self.blocks.append((block, column, level, max(1, span), fact))
        return max(1, span)


Item = TypeVar("Item")

_LONGEST_ACTION: Final = 1000
_OPENING: Final = re.compile(r"\(\s*")


class PlanningEnvironment(Environment[Facts, str]):
    """A planning problem: STRIPS with types.

    A state is the set of true facts, without those that no action changes. Every episode starts in
    the initial state of the problem; the goal plays no part.
    """

    automaton: StripsAutomaton
    title: ClassVar[str] = "Planning"
    summary: ClassVar[str] = "facts and actions of a PDDL problem"
    argument: ClassVar[str] = "blocksworld, gripper, logistics, or DOMAIN.pddl,PROBLEM.pddl"
    item_separator: ClassVar[re.Pattern[str]] = re.compile(
        r"(?<=\))[\s,;]*(?=[(\w])|[;,](?![^()]{0,200}\))"
    )

    def __init__(self, name: str, task: StripsTask) -> None:
        super().__init__(name)
        self.task: Final = task
        self.automaton = task.automaton
        self._reader = FactReader(
            {each: len(types) for each, types in task.predicates.items()},
            task.objects,
            self.longest_state,
        )
        self._parameters = {each.name: len(each.parameters) for each in task.schemas}
        names = "|".join(map(re.escape, self._parameters))
        self._action_clue = re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
        self._conditions = NecessaryConditions(task.automaton)
        initial = self.state_text(task.automaton.initial)
        if 2 * len(initial) > self.longest_state:
            raise InvalidArgumentError(
                f"{name}: expected an initial state of at most {self.longest_state // 2:,} "
                f"characters, got {len(initial):,}; take a problem with fewer objects"
            )
        self.rules = rules_in_words(task)
        example = next(iter(task.in_order(task.automaton.initial)), NO_FACTS)
        constant = " Leave out the facts that no action changes." if task.constant_facts else ""
        self.state_format = (
            "Write all facts that are true, each in parentheses, such as "
            f"{example}, in one line, separated by spaces, in any order.{constant}"
        )
        sample = next((each.name for each in task.automaton.operators), "(name object)")
        self.action_format = f"Write an action in parentheses, its name first and then its objects, such as {sample}."

    def state_text(self, state: Facts) -> str:
        """Return the facts in the order of the PDDL files, separated by spaces."""
        return " ".join(self.task.in_order(state)) or NO_FACTS

    def read_state(self, text: str) -> Facts:
        """Return the facts in a text, without the true ones that no action changes."""
        return self._reader.read(text) - self.task.constant_facts

    def action_text(self, action: str) -> str:
        """Return the action itself."""
        return action

    def plain_action(self, text: str) -> str | None:
        """Return an action of the domain with as many objects as it takes, of whatever types.

        In parentheses they need not be objects of the problem: no state permits such an action.
        """
        if len(text) > _LONGEST_ACTION or not self._action_clue.search(text):
            return None
        try:
            atoms = read_atoms(text)
        except InvalidBoardError:
            return None
        if len(atoms) != 1 or len(atoms[0]) - 1 != self._parameters.get(atoms[0][0]):
            return None
        exist = self.task.objects.keys() >= set(atoms[0][1:])
        return atom_text(atoms[0]) if exist or "(" in text else None

    def conditions(self, state: Facts) -> tuple[str, ...]:
        """Return the conditions that a state does not meet; see `NecessaryConditions.unmet`.

        ``false_fact`` and ``wrong_type`` say why a fact is impossible: no action changes it and it
        is false, or an object is of a type that the predicate does not take.
        """
        impossible = state - self._conditions.together.keys()
        why = []
        if any(words(fact)[0] not in self.task.changing for fact in impossible):
            why.append("false_fact")
        if not all(map(self.task.well_typed, impossible)):
            why.append("wrong_type")
        return (*why, *self._conditions.unmet(state))

    def plain_reply(self, reply: str) -> str:
        """Return a reply in plain form, with ``on: (a b), (b c)`` as ``(on a b) (on b c)``."""
        return self._by_predicate.sub(
            lambda line: _OPENING.sub(f"({line['name']} ", line["facts"]),
            super().plain_reply(reply),
        )

    @cached_property
    def _by_predicate(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, self.task.predicates))
        return re.compile(
            rf"(?i)^[ \t*-]*(?P<name>{names})[*`]*[ \t]*[:=][*` \t]*"
            rf"(?P<facts>(?:\((?!\s*(?:{names})\b)[^()\n]*\)[,; \t]*)+)$",
            re.MULTILINE,
        )

    def classify_plain(self, reply: str) -> Prediction:
        """Find the facts that a reply in plain form gives as its answer, and classify them."""
        stated = self._reader.stated(reply)
        if stated is None:
            return Prediction(ReplyClass.ABSENT, None, reason="no facts found")
        return self.classify_state(stated)

    def is_state_line(self, line: str) -> bool:
        """Return whether a line holds facts, and nothing else."""
        return self._reader.has_facts(line)

    def looks_like_state(self, text: str) -> bool:
        """Return whether a text holds lines of facts, whatever their names."""
        return self._reader.stated(text) is not None

    def elements(self, state: Facts) -> Mapping[str, str]:
        """Return the true facts; the share of right elements is of those true in either state."""
        return dict.fromkeys(self.task.in_order(state), "true")

    def mended(self, state: Facts, true: Facts, name: str) -> Facts:
        """Return the facts with one of them as true or as false as it is."""
        return state - {name} | true & {name}

    def symmetries(self, initial: Facts, generator: np.random.Generator) -> tuple[Symmetry, ...]:
        """Return the exchanges of two objects of one type by which the actions stay the same."""
        return self._exchanges

    @cached_property
    def _exchanges(self) -> tuple[Symmetry, ...]:
        objects, operators = self.task.objects, self.automaton.operators
        known, exchanges = set(operators), []
        for one, other in combinations(objects, 2):
            if objects[one] == objects[other]:
                names = {one: other, other: one}
                if all(_renamed_operator(each, names) in known for each in operators):
                    exchanges.append(_exchange(names))
        return tuple(exchanges)

    def slip(self, state: Facts, generator: np.random.Generator) -> Facts:
        """Return a state after one mistake.

        An effect that an action may just have had is forgotten (a fact that it deleted is kept, or
        one that it added is missing), or an object is mistaken for another of its type (in one
        fact, or the two take each other's place everywhere).
        """
        kinds = (self._undeleted, self._missing, self._mistaken, self._exchanged)
        for kind in _shuffled(kinds, generator):
            slipped = kind(state, generator)
            if slipped is not None:
                return slipped
        return state

    def _last_operators(self, state: Facts) -> list[StripsOperator]:
        return [
            each
            for each in self.automaton.operators
            if each.added <= state and state.isdisjoint(each.deleted)
        ]

    def _undeleted(self, state: Facts, generator: np.random.Generator) -> Facts | None:
        facts = Facts().union(*(each.deleted for each in self._last_operators(state)))
        return state | {_shuffled(self.task.in_order(facts), generator)[0]} if facts else None

    def _missing(self, state: Facts, generator: np.random.Generator) -> Facts | None:
        facts = Facts().union(*(each.added for each in self._last_operators(state)))
        return state - {_shuffled(self.task.in_order(facts), generator)[0]} if facts else None

    def _mistaken(self, state: Facts, generator: np.random.Generator) -> Facts | None:
        for fact in _shuffled(self.task.in_order(state), generator):
            name, *arguments = words(fact)
            for place in _shuffled(range(len(arguments)), generator):
                for other in _shuffled(self._alike(arguments[place]), generator):
                    changed = atom_text([name, *arguments[:place], other, *arguments[place + 1 :]])
                    if changed not in state:
                        return state - {fact} | {changed}
        return None

    def _exchanged(self, state: Facts, generator: np.random.Generator) -> Facts | None:
        atoms = [words(fact) for fact in self.task.in_order(state)]
        for one in _shuffled(dict.fromkeys(each for atom in atoms for each in atom[1:]), generator):
            for two in _shuffled(self._alike(one), generator):
                exchange = {one: two, two: one}
                changed = frozenset(
                    atom_text([atom[0], *(exchange.get(each, each) for each in atom[1:])])
                    for atom in atoms
                )
                if changed != state:
                    return changed
        return None

    def _alike(self, name: str) -> list[str]:
        objects = self.task.objects
        return [each for each in objects if each != name and objects[each] == objects[name]]

    def picture(self, state: Facts, marked: frozenset[str] = frozenset()) -> str | None:
        """Return the towers of blocks, in a domain with the predicates of Blocksworld."""
        arities = {name: len(self.task.predicates.get(name, ())) for name in _NEEDED}
        if arities != _NEEDED or len(self.task.objects) > _MOST_BLOCKS:
            return None
        return tower_picture(self.task, state, marked)


def _renamed_atom(text: str, names: Mapping[str, str]) -> str:
    name, *objects = words(text)
    return atom_text([name, *(names.get(each, each) for each in objects)])


def _renamed(facts: Facts, names: Mapping[str, str]) -> Facts:
    return frozenset(_renamed_atom(fact, names) for fact in facts)


def _renamed_operator(operator: StripsOperator, names: Mapping[str, str]) -> StripsOperator:
    facts = (operator.preconditions, operator.added, operator.deleted)
    return StripsOperator(
        _renamed_atom(operator.name, names), *(_renamed(each, names) for each in facts)
    )


def _exchange(names: Mapping[str, str]) -> Symmetry:
    def state(facts: Facts) -> Facts:
        return _renamed(facts, names)

    return Symmetry(
        f"{' and '.join(names)} exchanged",
        False,
        state,
        state,
        lambda text: _renamed_atom(text, names),
    )


def _shuffled(items: Iterable[Item], generator: np.random.Generator) -> list[Item]:
    listed = list(items)
    return [listed[int(place)] for place in generator.permutation(len(listed))]

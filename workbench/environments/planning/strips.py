"""STRIPS: the automaton of a problem, its types and actions, and necessary conditions for a state to be reachable."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from workbench.automaton import Automaton

Facts: TypeAlias = frozenset[str]
"""A state: the facts that are true."""


@dataclass(frozen=True, slots=True)
class StripsOperator:
    """An action with objects in the place of its parameters.

    Attributes:
        name: Such as ``(stack a b)``.
        preconditions: The facts that must be true.
        added: The facts that become true.
        deleted: The facts that become false; none of those added.
    """

    name: str
    preconditions: Facts
    added: Facts
    deleted: Facts


class StripsAutomaton(Automaton[Facts, str]):
    """The automaton of all sets of facts of one problem."""

    def __init__(self, initial: Facts, operators: Sequence[StripsOperator]) -> None:
        self._initial = initial
        self.operators = tuple(operators)
        self._by_name = {each.name: each for each in self.operators}
        # An operator is looked at only where its rarest precondition is true.
        common = Counter(fact for each in self.operators for fact in each.preconditions)
        watched = defaultdict(list)
        for number, each in enumerate(self.operators):
            facts = sorted(each.preconditions)
            rarest = min(facts, key=common.__getitem__) if facts else None
            watched[rarest].append((number, each.preconditions, each.name))
        self._unconditional = watched.pop(None, [])
        self._watched = {fact: tuple(found) for fact, found in watched.items()}

    @property
    def initial(self) -> Facts:
        """The facts that are true at first."""
        return self._initial

    def permitted(self, state: Facts) -> tuple[str, ...]:
        """Return the actions whose preconditions are true, in the order of the operators."""
        watched = self._watched
        found = [
            (number, name)
            for fact in state
            if fact in watched
            for number, preconditions, name in watched[fact]
            if preconditions <= state
        ]
        found += [(number, name) for number, _, name in self._unconditional]
        found.sort()
        return tuple([name for _, name in found])

    def successor(self, state: Facts, action: str) -> Facts:
        """Return the facts that are true after an action."""
        operator = self._by_name[action]
        return (state - operator.deleted) | operator.added


Atom: TypeAlias = tuple[str, ...]
"""The name of a predicate or an action, then objects or variables."""

Parameters: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Variables, such as ``?block``, each with the names of the types that it may have."""


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """An action with variables in the place of objects.

    Attributes:
        name: Its name.
        parameters: Its variables.
        preconditions: What must be true.
        added: What becomes true.
        deleted: What becomes false.
    """

    name: str
    parameters: Parameters
    preconditions: tuple[Atom, ...]
    added: tuple[Atom, ...]
    deleted: tuple[Atom, ...]


@dataclass(frozen=True)
class StripsTask:
    """A planning problem.

    Attributes:
        domain: The domain's name.
        objects: The type of each object, constants included, in the order of the files.
        kinds: Each type with itself and the types above it.
        predicates: The parameters of each predicate.
        schemas: The actions, in the order of the domain.
        always: The true facts of predicates that no action changes; no part of a state.
        automaton: The automaton of the other facts.
    """

    domain: str
    objects: Mapping[str, str]
    kinds: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, Parameters]
    schemas: tuple[ActionSchema, ...]
    always: Facts
    automaton: StripsAutomaton

    @cached_property
    def changing(self) -> tuple[str, ...]:
        """The predicates that some action adds or deletes."""
        return changing_predicates(self.predicates, self.schemas)

    @cached_property
    def _order(self) -> dict[str, int]:
        return {name: place for place, name in enumerate([*self.predicates, *self.objects])}

    def in_order(self, facts: Iterable[str]) -> list[str]:
        """Return facts sorted by predicate, then by objects, in the order of the files."""
        places = self._order
        return sorted(facts, key=lambda fact: [places[word] for word in words(fact)])

    def well_typed(self, fact: str) -> bool:
        """Return whether each object of a fact is of a type that its predicate takes."""
        name, *arguments = words(fact)
        return all(
            not set(types).isdisjoint(self.kinds[self.objects[each]])
            for each, (_, types) in zip(arguments, self.predicates[name], strict=True)
        )


def words(text: str) -> list[str]:
    """Return the name and the objects of a fact or an action, such as ``(on a b)``."""
    return text[1:-1].split(" ")


def written(atom: Sequence[str]) -> str:
    """Return a name and objects as a fact or an action, such as ``(on a b)``."""
    return f"({' '.join(atom)})"


def changing_predicates(names: Iterable[str], schemas: Iterable[ActionSchema]) -> tuple[str, ...]:
    """Return those predicates that some action adds or deletes."""
    changed = {atom[0] for each in schemas for atom in (*each.added, *each.deleted)}
    return tuple(name for name in names if name in changed)


_MOST_STATES: Final = 10_000
_MOST_FACTS: Final = 1_000
_MOST_OPERATORS: Final = 20_000
_MOST_STEPS: Final = 100_000
_MOST_CHOICES: Final = 50


class NecessaryConditions:
    """Which facts can be true, which can be true together, and of which sets one always is."""

    def __init__(self, automaton: StripsAutomaton) -> None:
        self._automaton = automaton
        self._operators = automaton.operators

    @cached_property
    def possible(self) -> Facts:
        """The facts that may be true in some state that can arise."""
        pairs = self._pairs
        if pairs is None:
            return self._relaxed
        return frozenset(
            fact for fact, number in self._numbers.items() if pairs[number] >> number & 1
        )

    @cached_property
    def _relaxed(self) -> Facts:
        """The facts that would be true in some state, were nothing ever deleted."""
        possible = set(self._automaton.initial)
        needed_by = defaultdict(list)
        missing = []
        for number, each in enumerate(self._operators):
            missing.append(len(each.preconditions))
            for fact in each.preconditions:
                needed_by[fact].append(number)
        waiting = list(possible)
        free = [each for each in self._operators if not each.preconditions]
        for each in free:
            waiting += each.added - possible
            possible |= each.added
        while waiting:
            for number in needed_by[waiting.pop()]:
                missing[number] -= 1
                if not missing[number]:
                    waiting += self._operators[number].added - possible
                    possible |= self._operators[number].added
        return frozenset(possible)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {fact: number for number, fact in enumerate(sorted(self._relaxed))}

    def _mask(self, facts: Facts) -> int:
        return sum(1 << self._numbers[fact] for fact in facts if fact in self._numbers)

    @cached_property
    def _pairs(self) -> list[int] | None:
        """For each fact a mask of those that can be true with it; None if there are too many."""
        numbers = self._numbers
        if len(numbers) > _MOST_FACTS or len(self._operators) > _MOST_OPERATORS:
            return None
        start = self._mask(self._automaton.initial)
        pairs = [start if start >> number & 1 else 0 for number in range(len(numbers))]
        operators = [
            (
                [numbers[fact] for fact in each.preconditions],
                [numbers[fact] for fact in each.added],
                self._mask(each.added),
                ~self._mask(each.deleted),
            )
            for each in self._operators
            if each.preconditions <= self._relaxed
        ]
        everything, grown = (1 << len(numbers)) - 1, True
        while grown:
            grown = False
            # What is true in any state at all, for operators without preconditions.
            some = sum(1 << number for number, mask in enumerate(pairs) if mask)
            for preconditions, added, adds, keeps in operators:
                needed = sum(1 << number for number in preconditions)
                held = some & everything
                for number in preconditions:
                    held &= pairs[number]
                if needed & ~held:
                    continue
                after = (held & keeps) | adds
                for number in added:
                    fresh = after & ~pairs[number]
                    if fresh:
                        grown = True
                        pairs[number] |= fresh
                        for other in _bits(fresh):
                            pairs[other] |= 1 << number
        return pairs

    @cached_property
    def _groups(self) -> tuple[int, ...]:
        """Masks of sets of facts of which at least one is true in every state."""
        pairs = self._pairs
        if pairs is None:
            return ()
        deleters = defaultdict(list)
        for each in self._operators:
            if not each.preconditions <= self.possible:
                continue
            needed, added = self._mask(each.preconditions), self._mask(each.added)
            for number in _bits(self._mask(each.deleted)):
                # An operator that needs what is never true with a fact never deletes that fact.
                if all(pairs[number] >> other & 1 for other in _bits(needed)):
                    kept = needed & ~self._mask(each.deleted)
                    deleters[number].append(added | kept)
        found: set[int] = set()
        steps = _MOST_STEPS
        for number in sorted(map(self._numbers.__getitem__, self._automaton.initial)):
            choices = _MOST_CHOICES
            waiting = [1 << number]
            seen = set(waiting)
            while waiting and choices and steps > 0:
                group = waiting.pop()
                choices -= 1
                broken = None
                for member in _bits(group):
                    steps -= len(deleters[member])
                    broken = next((each for each in deleters[member] if not each & group), broken)
                if broken is None:
                    found.add(group)
                    continue
                apart = broken
                for member in _bits(group):
                    apart &= ~pairs[member]
                # Of the facts that take its place, those that are never true with any of the set.
                for other in _bits(apart):
                    larger = group | 1 << other
                    if larger not in seen:
                        seen.add(larger)
                        waiting.append(larger)
        return tuple(
            sorted(
                one for one in found if not any(two != one and two & one == two for two in found)
            )
        )

    @property
    def groups(self) -> tuple[Facts, ...]:
        """Sets of facts of which at least one is true in every state that can arise."""
        facts = sorted(self._relaxed)
        return tuple(frozenset(facts[number] for number in _bits(each)) for each in self._groups)

    @cached_property
    def states(self) -> frozenset[Facts] | None:
        """Every state that can arise, or None if there are more than ten thousand."""
        automaton = self._automaton
        found = {automaton.initial}
        waiting = [automaton.initial]
        while waiting:
            state = waiting.pop()
            for action in automaton.permitted(state):
                after = automaton.successor(state, action)
                if after not in found:
                    if len(found) >= _MOST_STATES:
                        return None
                    found.add(after)
                    waiting.append(after)
        return frozenset(found)

    def unmet(self, state: Facts) -> tuple[str, ...]:
        """Return the names of the conditions that a state does not meet.

        Returns:
            Some of ``impossible_fact`` (a fact that is never true), ``exclusive_facts`` (two facts
            that are never true together), ``missing_fact`` (none of a set of facts of which one is
            always true) and, if the state meets these and yet cannot arise, ``unreachable``.
        """
        if self.states is not None and state in self.states:
            return ()
        unmet = []
        if not state <= self.possible:
            unmet.append("impossible_fact")
        mask, pairs = self._mask(state & self.possible), self._pairs
        if pairs is not None and any(mask & ~pairs[number] for number in _bits(mask)):
            unmet.append("exclusive_facts")
        if any(not mask & group for group in self._groups):
            unmet.append("missing_fact")
        if not unmet and self.states is not None:
            unmet.append("unreachable")
        return tuple(unmet)


def _bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest

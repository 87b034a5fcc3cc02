"""STRIPS: the automaton of a problem, its types and actions, and necessary conditions for a state to be reachable."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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

    def __init__(self, initial: Facts, operators: Iterable[StripsOperator]) -> None:
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
        self._watched = {fact: tuple(entries) for fact, entries in watched.items()}

    @property
    def initial(self) -> Facts:
        """The facts that are true at first."""
        return self._initial

    def permitted(self, state: Facts) -> tuple[str, ...]:
        """Return the actions whose preconditions are true, in the order of the operators."""
        watched = self._watched
        operators = [
            (number, name)
            for fact in state
            if fact in watched
            for number, preconditions, name in watched[fact]
            if preconditions <= state
        ]
        operators += [(number, name) for number, _, name in self._unconditional]
        operators.sort()
        return tuple([name for _, name in operators])

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
        constant_facts: The true facts of predicates that no action changes; no part of a state.
        automaton: The automaton of the other facts.
    """

    domain: str
    objects: Mapping[str, str]
    kinds: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, Parameters]
    schemas: tuple[ActionSchema, ...]
    constant_facts: Facts
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


def atom_text(atom: Sequence[str]) -> str:
    """Return a name and objects as a fact or an action, such as ``(on a b)``."""
    return f"({' '.join(atom)})"


def changing_predicates(names: Iterable[str], schemas: Iterable[ActionSchema]) -> tuple[str, ...]:
    """Return those predicates that some action adds or deletes."""
    changed = {atom[0] for each in schemas for atom in (*each.added, *each.deleted)}
    return tuple(name for name in names if name in changed)


_MOST_STATES: Final = 10_000
_MOST_FACTS: Final = 1_000
_MOST_OPERATORS: Final = 20_000


class NecessaryConditions:
    """Which facts can be true, which can be true together, and every state of a small problem."""

    def __init__(self, automaton: StripsAutomaton) -> None:
        self._automaton = automaton

    @cached_property
    def together(self) -> Mapping[str, set[str]]:
        """For each fact that may be true those that may be true with it.

        They are found by following the operators from the initial state by pairs of facts. A large
        problem has every fact that an operator adds, or that is true at first, with every other.
        """
        operators, initial = self._automaton.operators, self._automaton.initial
        every = initial.union(*(each.added for each in operators))
        if len(every) > _MOST_FACTS or len(operators) > _MOST_OPERATORS:
            return {fact: set(every) for fact in every}
        pairs = {fact: set(initial) for fact in initial}
        grown = True
        while grown:
            grown = False
            for each in operators:
                if not all(
                    each.preconditions <= pairs.get(fact, set()) for fact in each.preconditions
                ):
                    continue
                needed = [pairs[fact] for fact in each.preconditions]
                common = set.intersection(*needed) if needed else set(pairs)
                after = common - each.deleted | each.added
                for fact in each.added:
                    fresh = after - pairs.setdefault(fact, set())
                    grown = grown or bool(fresh)
                    pairs[fact] |= fresh
                    for other in fresh:
                        pairs.setdefault(other, set()).add(fact)
        return pairs

    @cached_property
    def states(self) -> frozenset[Facts] | None:
        """Every state that can arise, or None if there are more than ten thousand."""
        automaton = self._automaton
        states = {automaton.initial}
        waiting = [automaton.initial]
        while waiting:
            state = waiting.pop()
            for action in automaton.permitted(state):
                after = automaton.successor(state, action)
                if after not in states:
                    if len(states) >= _MOST_STATES:
                        return None
                    states.add(after)
                    waiting.append(after)
        return frozenset(states)

    def unmet(self, state: Facts) -> tuple[str, ...]:
        """Return the names of the conditions that a state does not meet.

        Returns:
            Some of ``impossible_fact`` (a fact that is never true), ``exclusive_facts`` (two facts
            that are never true together) and, if every state is known, ``missing_fact`` (the other
            facts are a part of a state that can arise) and, if the state meets these and yet cannot
            arise, ``unreachable``.
        """
        states, together = self.states, self.together
        if states is not None and state in states:
            return ()
        possible = state & together.keys()
        unmet = {
            "impossible_fact": possible < state,
            "exclusive_facts": not all(possible <= together[fact] for fact in possible),
            "missing_fact": any(possible < each for each in states or ()),
        }
        names = tuple(name for name, broken in unmet.items() if broken)
        return names or (("unreachable",) if states is not None else ())

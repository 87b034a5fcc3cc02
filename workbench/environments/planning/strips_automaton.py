"""The automaton of a STRIPS problem: states are sets of facts, actions are grounded operators.

A state permits an action if it holds each of the action's preconditions; the action then deletes
some facts and adds others. The goal plays no part. A fact is a text such as ``(on a b)``, an action
one such as ``(stack a b)``. Source: Fikes and Nilsson, STRIPS, Artificial Intelligence 2 (1971).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

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
    """The automaton of all sets of facts of one problem.

    Args:
        initial: The facts that are true at first.
        operators: In the order in which actions are listed; their names differ.
    """

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

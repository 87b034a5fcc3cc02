"""Conditions that every state which can arise meets, derived from the operators of a problem.

Each is necessary. Where the states that can arise are few enough to be listed, all of them together
are sufficient too. Pairs of facts are those of h^2: Haslum and Geffner, Admissible heuristics for
optimal planning, AIPS 2000.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from workbench.environments.planning.strips_automaton import Facts, StripsAutomaton

_MOST_STATES: Final = 10_000
_MOST_FACTS: Final = 1_000
_MOST_OPERATORS: Final = 20_000
_MOST_STEPS: Final = 100_000
_MOST_CHOICES: Final = 50


class NecessaryConditions:
    """Which facts can be true, which can be true together, and of which sets one always is.

    Args:
        automaton: Of the problem; what can arise is what its actions make of its initial state.
    """

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

        Args:
            state: Any set of facts.

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

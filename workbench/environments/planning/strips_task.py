"""A planning problem: its names, types and predicates, its actions, and its automaton."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from workbench.environments.planning.strips_automaton import Facts, StripsAutomaton

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

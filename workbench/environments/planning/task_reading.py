"""A planning problem read from PDDL and grounded, both by pyperplan.

It is grounded without pyperplan's relevance analysis, which drops the actions that do not help to
reach the goal: they are permitted too.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, Final, NoReturn

from pyperplan.grounding import ground
from pyperplan.pddl.errors import ParseError
from pyperplan.pddl.parser import Parser
from pyperplan.pddl.tree_visitor import SemanticError

from workbench.environments.planning.pddl_text import plain_domain, plain_problem
from workbench.environments.planning.strips_automaton import StripsAutomaton, StripsOperator
from workbench.environments.planning.strips_task import (
    ActionSchema,
    Atom,
    Parameters,
    StripsTask,
    changing_predicates,
    words,
    written,
)
from workbench.errors import InvalidArgumentError

_MOST_OBJECTS: Final = 1000
_MOST_TYPES: Final = 500
_MOST_ATOMS: Final = 300_000
_MOST_MATCHES: Final = 5_000_000
_MATCHES_A_PATTERN: Final = 300
"""pyperplan compiles a pattern for each object it looks for, which takes as long."""

_FAULTS: Final = (
    ParseError,
    SemanticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What pyperplan raises on files that it cannot read."""


def read_task(domain: str, problem: str, places: tuple[str, str]) -> StripsTask:
    """Return the planning problem that two texts of PDDL describe.

    Args:
        domain: The text of the domain: STRIPS with types.
        problem: The text of the problem.
        places: The names of their files, for messages.

    Raises:
        InvalidArgumentError: If they describe none, need more of PDDL, or ground to too much.
    """
    plain = plain_domain(domain, places[0]), plain_problem(problem, places[1])
    parsed = _parsed(plain, places)
    if len(parsed.domain.types) > _MOST_TYPES:
        _refuse(places[0], f"at most {_MOST_TYPES:,} types", f"{len(parsed.domain.types):,}")
    kinds = {name: _upward(each) for name, each in parsed.domain.types.items()}
    objects = _objects(parsed, places[1])
    predicates = {
        name: _parameters(each.signature) for name, each in parsed.domain.predicates.items()
    }
    order = list(predicates)
    schemas = tuple(_schema(each, order) for each in parsed.domain.actions.values())
    for schema in schemas:
        _check_schema(schema, objects, places[0])
    for fact in parsed.initial_state:
        arity = len(predicates[fact.name]) if fact.name in predicates else None
        if len(fact.signature) != arity:
            found = written(_atom(fact))
            expected = "a predicate of the domain" if arity is None else f"{arity} objects"
            _refuse(places[1], f"{expected} in each fact of :init", found)
    changing = frozenset(changing_predicates(predicates, schemas))
    _check_size(schemas, objects, kinds, changing, len(parsed.initial_state), places)
    with _quiet():
        task = ground(
            parsed, remove_statics_from_initial_state=False, remove_irrelevant_operators=False
        )
    always = frozenset(fact for fact in task.initial_state if words(fact)[0] not in changing)
    automaton = StripsAutomaton(task.initial_state - always, _operators(task, schemas, objects))
    return StripsTask(parsed.domain.name, objects, kinds, predicates, schemas, always, automaton)


def _parsed(plain: tuple[str, str], places: tuple[str, str]) -> Any:
    parser, place = Parser(None), places[0]
    try:
        parser.domInput = plain[0]
        domain = parser.parse_domain(read_from_file=False)
        place = places[1]
        parser.probInput = plain[1]
        return parser.parse_problem(domain, read_from_file=False)
    except _FAULTS as error:
        _refuse(place, "PDDL that pyperplan reads", f"{type(error).__name__}: {error}", error)


def _objects(parsed: Any, place: str) -> dict[str, str]:
    constants, own = parsed.domain.constants, parsed.objects
    both = sorted(constants.keys() & own.keys())
    if both:
        _refuse(place, "objects that are no constants of the domain", both[0])
    if len(constants) + len(own) > _MOST_OBJECTS:
        _refuse(place, f"at most {_MOST_OBJECTS:,} objects", f"{len(constants) + len(own):,}")
    return {name: each.name for name, each in [*constants.items(), *own.items()]}


def _upward(kind: Any) -> tuple[str, ...]:
    """Return the names of a type and of those above it."""
    names = [kind.name]
    while kind.parent is not None:
        kind = kind.parent
        names.append(kind.name)
    return tuple(names)


def _parameters(signature: Any) -> Parameters:
    return tuple((name, tuple(each.name for each in types)) for name, types in signature)


def _atom(found: Any) -> Atom:
    return found.name, *(name for name, _ in found.signature)


def _schema(action: Any, predicates: list[str]) -> ActionSchema:
    parameters = _parameters(action.signature)
    terms = [name for name, _ in parameters]

    def effects(found: Any) -> list[Atom]:
        """Return effects, which pyperplan keeps without order, by predicate and parameters."""
        return sorted(
            set(map(_atom, found)),
            key=lambda atom: (
                predicates.index(atom[0]),
                [terms.index(term) if term in terms else -1 for term in atom[1:]],
                atom,
            ),
        )

    added = effects(action.effect.addlist)
    return ActionSchema(
        action.name,
        parameters,
        tuple(dict.fromkeys(map(_atom, action.precondition))),
        tuple(added),
        tuple(atom for atom in effects(action.effect.dellist) if atom not in added),
    )


def _check_schema(schema: ActionSchema, objects: Mapping[str, str], place: str) -> None:
    parameters = {name for name, _ in schema.parameters}
    if len(parameters) < len(schema.parameters):
        _refuse(place, f"parameters of {schema.name} with different names", str(schema.parameters))
    for atom in (*schema.preconditions, *schema.added, *schema.deleted):
        for term in atom[1:]:
            if term not in parameters and term not in objects:
                _refuse(place, f"parameters or constants in {schema.name}", f"{term} in {atom}")


def _check_size(
    schemas: tuple[ActionSchema, ...],
    objects: Mapping[str, str],
    kinds: Mapping[str, tuple[str, ...]],
    changing: frozenset[str],
    facts: int,
    places: tuple[str, str],
) -> None:
    """Refuse a problem on which pyperplan would take more than seconds."""
    counts = dict.fromkeys(kinds, 0)
    for kind in objects.values():
        for name in kinds[kind]:
            counts[name] += 1
    atoms = matches = 0
    for schema in schemas:
        choices = {
            name: min(len(objects), sum(counts[each] for each in types))
            for name, types in schema.parameters
        }
        size = 1 + len(schema.preconditions) + len(schema.added) + len(schema.deleted)
        atoms += prod(choices.values()) * size
        matches += sum(
            choices[name] * (facts + _MATCHES_A_PATTERN)
            for atom in schema.preconditions
            if atom[0] not in changing
            for name in set(atom[1:]) & choices.keys()
        )
    if atoms > _MOST_ATOMS or matches > _MOST_MATCHES:
        _refuse(
            places[1],
            f"a problem with at most {_MOST_ATOMS:,} facts in grounded actions and "
            f"{_MOST_MATCHES:,} comparisons with facts that never change",
            f"{atoms:,} and {matches:,}; take fewer objects",
        )


def _operators(
    task: Any, schemas: tuple[ActionSchema, ...], objects: Mapping[str, str]
) -> list[StripsOperator]:
    """Return the operators by action, then by objects, in the order of the files."""
    of_action = {each.name: place for place, each in enumerate(schemas)}
    of_object = {name: place for place, name in enumerate(objects)}

    def place(operator: Any) -> tuple[int, ...]:
        name, *arguments = words(operator.name)
        return of_action[name], *(of_object[each] for each in arguments)

    return [
        StripsOperator(each.name, each.preconditions, each.add_effects, each.del_effects)
        for each in sorted(task.operators, key=place)
    ]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pyperplan's log messages from configuring the log of the whole program."""
    silent = logging.NullHandler()
    logging.getLogger().addHandler(silent)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(silent)


def _refuse(place: str, expected: str, found: str, cause: Exception | None = None) -> NoReturn:
    raise InvalidArgumentError(f"{place}: expected {expected}, got {found!r:.200}") from cause

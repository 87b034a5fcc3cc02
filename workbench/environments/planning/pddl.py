"""PDDL files: checked for STRIPS with types, rewritten for pyperplan, parsed and grounded."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

from pyperplan.grounding import ground
from pyperplan.pddl.errors import ParseError
from pyperplan.pddl.parser import Parser
from pyperplan.pddl.tree_visitor import SemanticError

from workbench.environments.planning.strips import (
    ActionSchema,
    Atom,
    Parameters,
    StripsAutomaton,
    StripsOperator,
    StripsTask,
    changing_predicates,
    words,
    written,
)
from workbench.errors import InvalidArgumentError

Tree: TypeAlias = "str | list[Tree]"

_MOST_BYTES: Final = 1_000_000
_MOST_TOKENS: Final = 20_000
_DEEPEST: Final = 20
_SHOWN: Final = 60

_COMMENT: Final = re.compile(r";[^\n]*")
_TOKEN: Final = re.compile(r"[()]|[^\s()]+")
_NAME: Final = re.compile(r"[a-z0-9_][a-z0-9_-]*")
_VARIABLE: Final = re.compile(r"\?[a-z0-9_][a-z0-9_-]*")
_REQUIREMENTS: Final = frozenset({":strips", ":typing"})
_DOMAIN_ORDER: Final = (":requirements", ":types", ":constants", ":predicates", ":action")
_PROBLEM_ORDER: Final = (":domain", ":requirements", ":objects", ":init", ":goal")
_ACTION_ORDER: Final = (":parameters", ":precondition", ":effect")
_RESERVED: Final = frozenset({"and", "not", "either"})
_NEEDS: Final = {
    "not": ":negative-preconditions",
    "or": ":disjunctive-preconditions",
    "imply": ":disjunctive-preconditions",
    "exists": ":existential-preconditions",
    "forall": ":universal-preconditions or :conditional-effects",
    "when": ":conditional-effects",
    "=": ":equality or :numeric-fluents",
    "increase": ":numeric-fluents",
    "decrease": ":numeric-fluents",
    "assign": ":numeric-fluents",
    ":functions": ":numeric-fluents",
    ":metric": ":numeric-fluents",
    ":derived": ":derived-predicates",
    ":durative-action": ":durative-actions",
    ":constraints": ":constraints",
    "preference": ":preferences",
}
"""The requirements behind what STRIPS lacks."""


def file_text(path: str) -> str:
    """Return the text of a PDDL file.

    Args:
        path: Of a file in UTF-8 of at most 1 MB.
    """
    try:
        # Opening a pipe or a device may wait without end.
        if Path(path).exists() and not Path(path).is_file():
            _refuse(path, "a regular file", "another kind")
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            _refuse(path, f"at most {_MOST_BYTES:,} bytes", "more")
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        _refuse(path, "a file of PDDL in UTF-8", str(error))


def in_one_line(text: str) -> str:
    """Return PDDL without comments, with single spaces."""
    return " ".join(_COMMENT.sub(" ", text).split())


def plain_domain(text: str, where: str) -> str:
    """Return a domain in plain form: its sections in order, conditions as flat conjunctions."""
    head, sections = _sections(text, where, "domain", _DOMAIN_ORDER)
    for needed in (":predicates", ":action"):
        if needed not in map(_keyword, sections):
            _refuse(where, f"a domain with {needed}", "none")
    for each in sections:
        if _keyword(each) == ":types":
            _check_types(each, where)
    written = [_plain_action(each, where) if each[0] == ":action" else each for each in sections]
    return _written(["define", head, *written], where)


def plain_problem(text: str, where: str) -> str:
    """Return a problem in plain form: its sections in order, the goal as a flat conjunction."""
    head, sections = _sections(text, where, "problem", _PROBLEM_ORDER)
    for needed in (":domain", ":init"):
        if needed not in map(_keyword, sections):
            _refuse(where, f"a problem with {needed}", "none")
    for each in sections:
        if _keyword(each) == ":init":
            for fact in each[1:]:
                _check_atom(fact, where, ":init")
    goals = [each for each in sections if _keyword(each) == ":goal"]
    if any(len(each) != 2 for each in goals):
        _refuse(where, "one condition in :goal", _cut(goals[0]))
    goal = [fact for each in goals for fact in _conjunction(each[1], where, ":goal", False)]
    kept = [each for each in sections if _keyword(each) not in (":goal", ":requirements")]
    return _written(["define", head, *kept, [":goal", ["and", *goal]]], where)


def _sections(
    text: str, where: str, kind: str, order: tuple[str, ...]
) -> tuple[Tree, list[list[Tree]]]:
    """Return the head, such as ``(domain gripper)``, and the sections sorted as pyperplan wants."""
    tree = _tree(text, where)
    if tree[:1] != ["define"] or len(tree) < 2 or _keyword(tree[1]) != kind:
        _refuse(where, f"(define ({kind} NAME) ...)", _cut(tree))
    if len(tree[1]) != 2 or not _is_name(tree[1][1]):
        _refuse(where, f"({kind} NAME)", _cut(tree[1]))
    sections: list[list[Tree]] = []
    for each in tree[2:]:
        keyword = _keyword(each)
        if keyword not in order or isinstance(each, str):
            _refuse(where, f"STRIPS with types, sections {', '.join(order)}", _with_need(each))
        if keyword != ":action" and keyword in map(_keyword, sections):
            _refuse(where, f"one section {keyword}", "two")
        if keyword == ":requirements":
            other = [_cut(name) for name in each[1:] if str(name) not in _REQUIREMENTS]
            if other:
                _refuse(where, "no requirement but :strips and :typing", ", ".join(other[:5]))
        sections.append(each)
    return tree[1], sorted(sections, key=lambda each: order.index(_keyword(each)))


def _tree(text: str, where: str) -> list[Tree]:
    """Return the one list in a text, without recursion."""
    root: list[Tree] = []
    above: list[list[Tree]] = []
    here = root
    for number, found in enumerate(_TOKEN.finditer(_COMMENT.sub("", text))):
        token = found.group()
        if number >= _MOST_TOKENS:
            _refuse(where, f"at most {_MOST_TOKENS:,} words and parentheses", "more")
        if token == "(":
            inner: list[Tree] = []
            here.append(inner)
            above.append(here)
            here = inner
            if len(above) > _DEEPEST:
                _refuse(where, f"parentheses nested at most {_DEEPEST} deep", "deeper ones")
        elif token == ")":
            if not above:
                _refuse(where, "a '(' for every ')'", "a ')' too many")
            here = above.pop()
        else:
            here.append(token.lower() if token.isascii() else token)
    if above:
        _refuse(where, "a ')' for every '('", f"{len(above)} missing at the end")
    if len(root) != 1 or isinstance(root[0], str):
        _refuse(where, "one (define ...)", _cut(root) if root else "an empty text")
    return root[0]


def _plain_action(action: list[Tree], where: str) -> list[Tree]:
    if len(action) < 2 or not _is_name(action[1]):
        _refuse(where, "(:action NAME ...)", _cut(action))
    parts: dict[Tree, Tree] = {}
    rest = action[2:]
    for keyword, value in zip(rest[::2], rest[1::2], strict=False):
        if keyword not in _ACTION_ORDER or keyword in parts or isinstance(value, str):
            _refuse(where, f"{', '.join(_ACTION_ORDER)}, each once, in {action[1]}", _cut(keyword))
        parts[str(keyword)] = value
    if len(rest) % 2 or ":effect" not in parts:
        _refuse(where, f"an action with :effect, {action[1]}", _cut(action))
    name = f"action {action[1]}"
    return [
        *action[:2],
        ":parameters",
        parts.get(":parameters", []),
        ":precondition",
        ["and", *_conjunction(parts.get(":precondition", []), where, name, False)],
        ":effect",
        ["and", *_conjunction(parts[":effect"], where, name, True)],
    ]


def _conjunction(formula: Tree, where: str, part: str, deletes: bool) -> list[Tree]:
    """Return the facts of a conjunction, nested ones included, with deleted ones as (not ...)."""
    if formula == []:
        return []
    if isinstance(formula, list) and formula[0] == "and":
        return [fact for each in formula[1:] for fact in _conjunction(each, where, part, deletes)]
    negated = isinstance(formula, list) and formula[0] == "not" and len(formula) == 2
    _check_atom(formula[1] if negated and deletes else formula, where, part)
    return [formula]


def _check_atom(atom: Tree, where: str, part: str) -> None:
    if (
        isinstance(atom, str)
        or not atom
        or not _is_name(atom[0])
        or atom[0] in _RESERVED
        or _keyword(atom) in _NEEDS
        or not all(map(_is_term, atom))
    ):
        _refuse(
            where,
            f"in {part} only facts such as (on ?x ?y), joined by 'and' (STRIPS with types)",
            _with_need(atom),
        )


def _check_types(section: list[Tree], where: str) -> None:
    """Refuse what pyperplan does not survive: object as a type, and types above themselves."""
    above: dict[Tree, Tree] = {}
    waiting: list[Tree] = []
    words = iter(section[1:])
    for word in words:
        if word != "-":
            waiting.append(word)
            continue
        parent = next(words, "object")
        above.update(dict.fromkeys(map(str, waiting), str(parent)))
        waiting = []
    above.update(dict.fromkeys(map(str, waiting), "object"))
    if "object" in above:
        _refuse(where, "types other than object, which every domain has", "object in :types")
    sound: set[Tree] = {"object"}
    for name in above:
        path: list[Tree] = []
        here: Tree = name
        while here in above and here not in sound:
            sound.add(here)
            path.append(here)
            here = above[here]
        if here in path:
            _refuse(where, "a hierarchy of types", f"{here!r:.{_SHOWN}} above itself")


def _written(tree: Tree, where: str) -> str:
    """Return a tree of known depth as text, its words checked."""
    if isinstance(tree, list):
        return f"({' '.join(_written(each, where) for each in tree)})"
    bare = tree.removeprefix(":")
    if tree != "-" and not _NAME.fullmatch(bare) and not _VARIABLE.fullmatch(tree):
        _refuse(where, "names of letters, digits, - and _", f"{tree!r:.{_SHOWN}}")
    return tree


def _is_name(word: Tree) -> bool:
    return isinstance(word, str) and bool(_NAME.fullmatch(word))


def _is_term(word: Tree) -> bool:
    return _is_name(word) or (isinstance(word, str) and bool(_VARIABLE.fullmatch(word)))


def _keyword(section: Tree) -> str:
    return (
        section[0] if isinstance(section, list) and section and isinstance(section[0], str) else ""
    )


def _with_need(tree: Tree) -> str:
    """Return the beginning of a tree, and the requirement that it needs, for messages."""
    need = _NEEDS.get(_keyword(tree))
    return f"{_cut(tree)}, which needs {need}" if need else _cut(tree)


def _cut(tree: Tree) -> str:
    """Return the beginning of a tree as text, for messages."""
    text = tree if isinstance(tree, str) else _beginning(tree)
    return f"{text!r:.{_SHOWN}}"


def _beginning(tree: list[Tree]) -> str:
    inner = [each if isinstance(each, str) else "(...)" for each in tree[:8]]
    return f"({' '.join(inner)}{' ...' if len(tree) > 8 else ''})"


def _refuse(where: str, expected: str, found: str) -> NoReturn:
    raise InvalidArgumentError(f"{where}: expected {expected}, got {found}")


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
    """Return the planning problem that two texts of PDDL describe."""
    plain = plain_domain(domain, places[0]), plain_problem(problem, places[1])
    parsed = _parsed(plain, places)
    if len(parsed.domain.types) > _MOST_TYPES:
        _refuse_task(places[0], f"at most {_MOST_TYPES:,} types", f"{len(parsed.domain.types):,}")
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
            _refuse_task(places[1], f"{expected} in each fact of :init", found)
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
        _refuse_task(place, "PDDL that pyperplan reads", f"{type(error).__name__}: {error}", error)


def _objects(parsed: Any, place: str) -> dict[str, str]:
    constants, own = parsed.domain.constants, parsed.objects
    both = sorted(constants.keys() & own.keys())
    if both:
        _refuse_task(place, "objects that are no constants of the domain", both[0])
    if len(constants) + len(own) > _MOST_OBJECTS:
        _refuse_task(place, f"at most {_MOST_OBJECTS:,} objects", f"{len(constants) + len(own):,}")
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
        _refuse_task(
            place, f"parameters of {schema.name} with different names", str(schema.parameters)
        )
    for atom in (*schema.preconditions, *schema.added, *schema.deleted):
        for term in atom[1:]:
            if term not in parameters and term not in objects:
                _refuse_task(
                    place, f"parameters or constants in {schema.name}", f"{term} in {atom}"
                )


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
        _refuse_task(
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


def _refuse_task(place: str, expected: str, found: str, cause: Exception | None = None) -> NoReturn:
    raise InvalidArgumentError(f"{place}: expected {expected}, got {found!r:.200}") from cause

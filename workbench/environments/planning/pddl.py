"""PDDL files: STRIPS with types, read, checked and grounded."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from workbench.environments.planning.strips import (
    ActionSchema,
    Atom,
    Facts,
    Parameters,
    StripsAutomaton,
    StripsOperator,
    StripsTask,
    atom_text,
    changing_predicates,
    words,
)
from workbench.errors import InvalidArgumentError

Tree: TypeAlias = "str | list[Tree]"
_Sections: TypeAlias = dict[str, list["list[Tree]"]]

_MOST_BYTES: Final = 1_000_000
_MOST_OBJECTS: Final = 1000
_MOST_TYPES: Final = 500
_MOST_ATOMS: Final = 300_000
_MOST_TOKENS: Final = 20_000
_DEEPEST: Final = 20
_QUOTE: Final = 60

_COMMENT: Final = re.compile(r";[^\n]*")
_TOKEN: Final = re.compile(r"[()]|[^\s()]+")
_NAME: Final = re.compile(r"[a-z0-9_][a-z0-9_-]*")
_VARIABLE: Final = re.compile(r"\?[a-z0-9_][a-z0-9_-]*")
_REQUIREMENTS: Final = frozenset({":strips", ":typing"})
_DOMAIN_SECTIONS: Final = (":requirements", ":types", ":constants", ":predicates", ":action")
_PROBLEM_SECTIONS: Final = (":domain", ":requirements", ":objects", ":init", ":goal")
_ACTION_PARTS: Final = (":parameters", ":precondition", ":effect")
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


def read_task(domain: str, problem: str, places: tuple[str, str]) -> StripsTask:
    """Return the planning problem that two texts of PDDL describe."""
    where, problem_where = places
    name, sections = _sections(
        domain, where, "domain", _DOMAIN_SECTIONS, (":predicates", ":action")
    )
    _, own = _sections(problem, problem_where, "problem", _PROBLEM_SECTIONS, (":domain", ":init"))
    if own[":domain"] != [[name]]:
        domain_name = " ".join(map(_cut, own[":domain"][0]))
        _refuse(problem_where, f"a problem of the domain {name}", domain_name or "none")
    kinds = _kinds(_only(sections, ":types"), where)
    objects = _objects(_only(sections, ":constants"), kinds, {}, where)
    objects |= _objects(_only(own, ":objects"), kinds, objects, problem_where)
    if len(objects) > _MOST_OBJECTS:
        _refuse(problem_where, f"at most {_MOST_OBJECTS:,} objects", f"{len(objects):,}")
    predicates: dict[str, Parameters] = {}
    for each in _only(sections, ":predicates"):
        if isinstance(each, str) or not each or not _is_name(each[0]) or each[0] in predicates:
            _refuse(where, "predicates such as (on ?x ?y), each once", _cut(each))
        predicates[str(each[0])] = _typed(each[1:], kinds, where, _VARIABLE)
    schemas: dict[str, ActionSchema] = {}
    for action in sections[":action"]:
        schema = _schema(action, kinds, predicates, objects, where)
        if schema.name in schemas:
            _refuse(where, f"one action {schema.name}", "two")
        schemas[schema.name] = schema
    fact_of, goal_of = (
        partial(_atom, where=problem_where, part=part, predicates=predicates, terms=objects)
        for part in (":init", ":goal")
    )
    facts = frozenset(atom_text(fact_of(each)) for each in _only(own, ":init"))
    if len(own.get(":goal", [[[]]])[0]) != 1:
        _refuse(problem_where, "one condition in :goal", _cut([":goal", *_only(own, ":goal")]))
    for goal in _only(own, ":goal"):
        _conjunction(goal, False, goal_of)
    changing = changing_predicates(predicates, schemas.values())
    constant_facts = frozenset(fact for fact in facts if words(fact)[0] not in changing)
    operators = _operators(
        schemas.values(), objects, kinds, changing, constant_facts, problem_where
    )
    automaton = StripsAutomaton(facts - constant_facts, operators)
    return StripsTask(
        name, objects, kinds, predicates, tuple(schemas.values()), constant_facts, automaton
    )


def _sections(
    text: str, where: str, kind: str, names: tuple[str, ...], needed: tuple[str, ...]
) -> tuple[str, _Sections]:
    tree = _tree(text, where)
    if tree[:1] != ["define"] or len(tree) < 2 or _keyword(tree[1]) != kind:
        _refuse(where, f"(define ({kind} NAME) ...)", _cut(tree))
    if len(tree[1]) != 2 or not _is_name(tree[1][1]):
        _refuse(where, f"({kind} NAME)", _cut(tree[1]))
    sections: _Sections = {}
    for each in tree[2:]:
        keyword = _keyword(each)
        if keyword not in names or isinstance(each, str):
            _refuse(where, f"STRIPS with types, sections {', '.join(names)}", _with_need(each))
        if keyword != ":action" and keyword in sections:
            _refuse(where, f"one section {keyword}", "two")
        if keyword == ":requirements":
            other = [_cut(name) for name in each[1:] if str(name) not in _REQUIREMENTS]
            if other:
                _refuse(where, "no requirement but :strips and :typing", ", ".join(other[:5]))
        sections.setdefault(keyword, []).append(each[1:])
    for keyword in needed:
        if keyword not in sections:
            _refuse(where, f"a {kind} with {keyword}", "none")
    return str(tree[1][1]), sections


def _only(sections: _Sections, keyword: str) -> list[Tree]:
    return sections.get(keyword, [[]])[0]


def _tree(text: str, where: str) -> list[Tree]:
    """Return the one list in a text, without recursion."""
    root: list[Tree] = []
    above: list[list[Tree]] = []
    here = root
    for number, match in enumerate(_TOKEN.finditer(_COMMENT.sub("", text))):
        token = match.group()
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


def _typed(
    listing: Sequence[Tree],
    kinds: Collection[str] | None,
    where: str,
    form: re.Pattern[str] = _NAME,
) -> Parameters:
    """Return names, each with its types: ``a b - block c - (either cup jar) d``."""
    pairs: list[tuple[str, tuple[str, ...]]] = []
    waiting: list[str] = []
    rest = iter(listing)
    for word in rest:
        if word == "-":
            kind = next(rest, "object")
            types = kind[1:] if _keyword(kind) == "either" else [kind]
            for each in types:
                if not _is_name(each) or (kinds is not None and each not in kinds):
                    _refuse(where, "types of the domain", _cut(each))
            pairs += [(name, tuple(map(str, types))) for name in waiting]
            waiting = []
        elif isinstance(word, str) and form.fullmatch(word):
            waiting.append(word)
        else:
            _refuse(where, "names of letters, digits, - and _", _with_need(word))
    return tuple(pairs) + tuple((name, ("object",)) for name in waiting)


def _kinds(section: list[Tree], where: str) -> dict[str, tuple[str, ...]]:
    """Return each type with itself and the types above it."""
    above = {name: types[0] for name, types in _typed(section, None, where)}
    if "object" in above:
        _refuse(where, "types other than object, which every domain has", "object in :types")
    if len(above) >= _MOST_TYPES:
        _refuse(where, f"at most {_MOST_TYPES:,} types", f"{len(above) + 1:,}")
    kinds: dict[str, tuple[str, ...]] = {"object": ("object",)}
    for name in above:
        path = [name]
        while path[-1] != "object":
            parent = above.get(path[-1])
            if parent is None:
                _refuse(where, "types of the domain", _cut(path[-1]))
            if parent in path:
                _refuse(where, "a hierarchy of types", f"{_cut(parent)} above itself")
            path.append(parent)
        kinds[name] = tuple(path)
    return kinds


def _objects(
    section: list[Tree], kinds: Collection[str], others: Collection[str], where: str
) -> dict[str, str]:
    objects: dict[str, str] = {}
    for name, types in _typed(section, kinds, where):
        if name in others or name in objects or len(types) != 1:
            _refuse(where, "objects with names of their own, each of one type", _cut(name))
        objects[name] = types[0]
    return objects


def _schema(
    action: list[Tree],
    kinds: Collection[str],
    predicates: Mapping[str, Parameters],
    objects: Collection[str],
    where: str,
) -> ActionSchema:
    if not action or not _is_name(action[0]):
        _refuse(where, "(:action NAME ...)", _cut([":action", *action]))
    name = str(action[0])
    parts: dict[str, list[Tree]] = {}
    rest = action[1:]
    for keyword, value in zip(rest[::2], rest[1::2], strict=False):
        if keyword not in _ACTION_PARTS or keyword in parts or isinstance(value, str):
            _refuse(where, f"{', '.join(_ACTION_PARTS)}, each once, in {name}", _cut(keyword))
        parts[str(keyword)] = value
    if len(rest) % 2 or ":effect" not in parts:
        _refuse(where, f"an action with :effect, {name}", _cut([":action", *action]))
    parameters = _typed(parts.get(":parameters", []), kinds, where, _VARIABLE)
    terms = dict.fromkeys(variable for variable, _ in parameters)
    if len(terms) < len(parameters):
        _refuse(where, f"parameters of {name} with different names", str(list(terms)))

    def read(atom: Tree) -> Atom:
        return _atom(atom, where, f"action {name}", predicates, {*terms, *objects})

    preconditions, _ = _conjunction(parts.get(":precondition", []), False, read)
    order, places = list(predicates), list(terms)

    def place(atom: Atom) -> tuple[int, list[int], Atom]:
        """By predicate, then by parameters."""
        positions = [places.index(term) if term in terms else -1 for term in atom[1:]]
        return order.index(atom[0]), positions, atom

    added, deleted = (
        sorted(set(each), key=place) for each in _conjunction(parts[":effect"], True, read)
    )
    deleted = [atom for atom in deleted if atom not in added]
    required = tuple(dict.fromkeys(preconditions))
    return ActionSchema(name, parameters, required, tuple(added), tuple(deleted))


def _conjunction(
    formula: Tree, deletes: bool, read: Callable[[Tree], Atom]
) -> tuple[list[Atom], list[Atom]]:
    """Return the facts of a conjunction, nested ones included, and those under (not ...)."""
    if formula == []:
        return [], []
    if isinstance(formula, list) and formula[0] == "and":
        parts = [_conjunction(each, deletes, read) for each in formula[1:]]
        true, false = ([atom for part in parts for atom in part[index]] for index in (0, 1))
        return true, false
    if deletes and _keyword(formula) == "not" and len(formula) == 2:
        return [], [read(formula[1])]
    return [read(formula)], []


def _atom(
    tree: Tree,
    where: str,
    part: str,
    predicates: Mapping[str, Parameters],
    terms: Collection[str],
) -> Atom:
    if (
        isinstance(tree, str)
        or not tree
        or _keyword(tree) in _NEEDS
        or not all(map(_is_term, tree))
    ):
        _refuse(
            where,
            f"in {part} only facts such as (on ?x ?y), joined by 'and' (STRIPS with types)",
            _with_need(tree),
        )
    atom = tuple(map(str, tree))
    if atom[0] not in predicates:
        _refuse(where, f"a predicate of the domain in each fact of {part}", _cut(tree))
    if len(atom) - 1 != len(predicates[atom[0]]):
        _refuse(where, f"{len(predicates[atom[0]])} objects in each fact of {part}", _cut(tree))
    unknown = [term for term in atom[1:] if term not in terms]
    if unknown:
        expected = "objects" if part.startswith(":") else "parameters or constants"
        _refuse(where, f"known {expected} in {part}", f"object {unknown[0]} in {_cut(tree)}")
    return atom


def _operators(
    schemas: Collection[ActionSchema],
    objects: Mapping[str, str],
    kinds: Mapping[str, tuple[str, ...]],
    changing: Collection[str],
    constant_facts: Facts,
    where: str,
) -> Iterator[StripsOperator]:
    """Yield the operators by action, then by objects, in the order of the files.

    Those that need a fact that is false, and that no action changes, are left out.
    """
    choices = {
        schema.name: [
            [name for name, kind in objects.items() if not set(types).isdisjoint(kinds[kind])]
            for _, types in schema.parameters
        ]
        for schema in schemas
    }
    atoms = sum(
        prod(map(len, choices[each.name]))
        * (1 + len(each.preconditions) + len(each.added) + len(each.deleted))
        for each in schemas
    )
    if atoms > _MOST_ATOMS:
        expected = f"a problem with at most {_MOST_ATOMS:,} facts in grounded actions"
        _refuse(where, expected, f"{atoms:,}; take fewer objects")
    for schema in schemas:
        variables = [name for name, _ in schema.parameters]
        for arguments in product(*choices[schema.name]):
            values = dict(zip(variables, arguments, strict=True))
            needed, added, deleted = (
                frozenset(atom_text([values.get(word, word) for word in atom]) for atom in part)
                for part in (schema.preconditions, schema.added, schema.deleted)
            )
            constant = {fact for fact in needed if words(fact)[0] not in changing}
            if constant <= constant_facts:
                needed -= constant
                name = atom_text([schema.name, *arguments])
                yield StripsOperator(name, needed, added - needed, deleted - added)


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
    if not isinstance(tree, str):
        inner = [each if isinstance(each, str) else "(...)" for each in tree[:8]]
        tree = f"({' '.join(inner)}{' ...' if len(tree) > 8 else ''})"
    return f"{tree!r:.{_QUOTE}}"


def _refuse(where: str, expected: str, value: str) -> NoReturn:
    raise InvalidArgumentError(f"{where}: expected {expected}, got {value}")

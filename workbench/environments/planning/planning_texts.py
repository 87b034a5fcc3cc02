"""Texts of a planning problem: its rules in words for prompts, and facts and actions read from replies."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from workbench.environments.planning.strips import (
    ActionSchema,
    Atom,
    Parameters,
    StripsTask,
    atom_text,
)
from workbench.errors import InvalidBoardError
from workbench.reply_parts import BULLET, after_heading, fenced_blocks


def rules_in_words(task: StripsTask) -> str:
    """Return what there is in a problem, and which actions are permitted and what they do."""
    sentences = [
        f"This is a planning problem of the domain {task.domain}.",
        _objects(task),
        "A state is the set of the facts that are true; every other fact is false.",
        f"The facts are: {_signatures(task, task.changing)}.",
    ]
    constant = [name for name in task.predicates if name not in task.changing]
    if constant:
        true = " ".join(task.in_order(task.constant_facts)) or "none"
        sentences.append(
            f"No action changes the facts {_signatures(task, constant)}; of these, exactly the "
            f"following are always true: {true}."
        )
    sentences.append("An action is permitted in a state if all facts that it needs are true.")
    sentences += map(_action, task.schemas)
    return " ".join(sentences)


def _objects(task: StripsTask) -> str:
    by_type = defaultdict(list)
    for name, kind in task.objects.items():
        by_type[kind].append(name)
    listed = [
        f"{', '.join(names)}" if kind == "object" else f"{', '.join(names)} ({_kind(task, kind)})"
        for kind, names in by_type.items()
    ]
    return f"The objects are {'; '.join(listed)}." if listed else "There are no objects."


def _kind(task: StripsTask, kind: str) -> str:
    """Return a type with those above it, such as ``type truck, a vehicle``."""
    above = [each for each in task.kinds[kind][1:] if each != "object"]
    return ", a kind of ".join([f"type {kind}", *above])


def _signatures(task: StripsTask, names: Iterable[str]) -> str:
    signatures = [_with_types(name, task.predicates[name]).removesuffix(",") for name in names]
    return "; ".join(signatures) or "none"


def _with_types(name: str, parameters: Parameters) -> str:
    by_type = defaultdict(list)
    for variable, types in parameters:
        if types != ("object",):
            by_type[" or ".join(types)].append(variable)
    typed = [f"{_listed(variables)} of type {types}" for types, variables in by_type.items()]
    bare = atom_text([name, *(variable for variable, _ in parameters)])
    return f"{bare}, with {_listed(typed)}," if typed else bare


def _action(schema: ActionSchema) -> str:
    needs = _facts(schema.preconditions) if schema.preconditions else "nothing"
    effects = [
        f"{_facts(atoms)} {'become' if len(atoms) > 1 else 'becomes'} {value}"
        for atoms, value in ((schema.added, "true"), (schema.deleted, "false"))
        if atoms
    ]
    action = _with_types(schema.name, schema.parameters)
    return f"{action} needs {needs}; {', and '.join(effects) or 'nothing changes'}."


def _facts(atoms: Sequence[Atom]) -> str:
    return _listed([atom_text(each) for each in atoms])


def _listed(items: Sequence[str]) -> str:
    return " and ".join([*([", ".join(items[:-1])] if items[1:] else []), items[-1]])


NO_FACTS: Final = "no facts"
"""How a state in which no fact is true is written."""

_QUOTE: Final = 80
_MOST_LINES: Final = 5000
"""Of a longer reply the last are looked at, where answers stand."""
_TOKEN: Final = re.compile(
    r"(?P<word>:?\w[\w-]*)|(?P<open>\()|(?P<close>\))|(?P<break>[,;.\n∧&])"
    r"|(?P<mark>[\s`'\"*{}\[\]]+)|(?P<other>.)",
    re.DOTALL,
)
_WRAPPERS: Final = frozenset({(), ("and",), (":init",), ("init",), ("state",), (":state",)})
_SAYS_NONE: Final = re.compile(r"[`*\"']*(?:no facts|none)[`*\"'.]*", re.IGNORECASE)
_FRAME: Final = re.compile(r"\(\s*(?:and|:?init|:?state)?|\)+|[{}\[\]]+", re.IGNORECASE)
_LABEL: Final = re.compile(r"[^:\n]*:[*_ \t]+(?=\S)")


def read_atoms(text: str) -> list[tuple[str, ...]]:
    """Return the names in a text, in groups: each a fact or an action with its objects."""
    lines = text.split("\n")
    return list(_atoms("\n".join(BULLET.sub("", line, count=1) for line in lines)))


def _atoms(text: str) -> Iterator[tuple[str, ...]]:
    bare: list[str] = []
    group: list[str] | None = None
    depth, word_end = 0, -1
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "word":
            # Of other letters some become ASCII in lower case, as the Kelvin sign does.
            name = token.lower() if token.isascii() else token
            if group is None and name == "and":
                yield from _whole(bare)
                bare = []
            else:
                (bare if group is None else group).append(name)
                word_end = match.end()
        elif kind == "open":
            if group is not None:
                if tuple(group) not in _WRAPPERS:
                    _refuse("facts without parentheses inside", text, match.start())
                depth += 1
            group = []
            if match.start() == word_end and bare:
                group.append(bare.pop())
            yield from _whole(bare)
            bare = []
        elif kind == "close":
            if group is not None:
                yield from _whole(group)
                group = None
            elif depth:
                depth -= 1
            else:
                _refuse("a '(' for each ')'", text, match.start())
        elif kind == "break":
            if group is None:
                yield from _whole(bare)
                bare = []
        elif kind == "other":
            _refuse("facts such as (on a b)", text, match.start())
    if group is not None and tuple(group) not in _WRAPPERS:
        _refuse("a ')' for each '('", text, len(text))
    yield from _whole(bare)


def _whole(group: list[str]) -> Iterator[tuple[str, ...]]:
    if group and tuple(group) not in _WRAPPERS:
        yield tuple(group)


def _refuse(expected: str, text: str, place: int) -> None:
    raise InvalidBoardError(
        f"expected {expected}, got {text[max(0, place - 20) : place + 40]!r:.{_QUOTE}} at character "
        f"{place}"
    )


def _last_blocks(text: str) -> list[str]:
    return fenced_blocks(text)[:-_MOST_LINES:-1]


class FactReader:
    """Reads the facts of one problem."""

    def __init__(
        self, predicates: Mapping[str, int], objects: Collection[str], longest_line: int
    ) -> None:
        self._predicates = dict(predicates)
        self._objects = frozenset(objects)
        self._longest_line = longest_line
        self._clue = re.compile(
            "|".join([r"\(", *(rf"\b{re.escape(each)}\b" for each in predicates)]), re.IGNORECASE
        )

    def read(self, text: str) -> frozenset[str]:
        """Return the facts in a text that holds nothing else."""
        if _SAYS_NONE.fullmatch(text.strip()):
            return frozenset()
        facts = frozenset(map(self._fact, read_atoms(text)))
        if not facts and "(" not in text:
            raise InvalidBoardError(f"expected facts, or '{NO_FACTS}', got {text!r:.{_QUOTE}}")
        return facts

    def _fact(self, atom: tuple[str, ...]) -> str:
        name, *arguments = atom
        quote = f"{atom_text(atom)!r:.{_QUOTE}}"
        if name not in self._predicates:
            raise InvalidBoardError(
                f"expected a fact of {', '.join(self._predicates)}, got {quote}"
            )
        if len(arguments) != self._predicates[name]:
            raise InvalidBoardError(
                f"expected {self._predicates[name]} objects of {name}, got {quote}"
            )
        unknown = next((each for each in arguments if each not in self._objects), None)
        if unknown is not None:
            raise InvalidBoardError(f"expected objects of the problem, got {unknown!r} in {quote}")
        return atom_text(atom)

    def stated(self, reply: str) -> str | None:
        """Return the part of a reply that gives a state, or None if there is none.

        It is the last run of lines with facts: in a fenced block behind the last heading such as
        "Final state:", behind that heading, in any fenced block, or anywhere. Lines of facts with
        a name or an object that the problem lacks count too; `read` then says so.
        """
        after = after_heading(reply)
        regions = [] if after is None else [*_last_blocks(after), after]
        regions += [*_last_blocks(reply), reply]
        for inline in (False, True):
            for region in regions:
                run = self._last_run(region, inline)
                if run:
                    return run
        answers = (reply if after is None else after).strip()
        return NO_FACTS if _SAYS_NONE.fullmatch(answers) else None

    def _last_run(self, region: str, inline: bool) -> str:
        """Return the last lines of facts with nothing but blank lines and frames between them."""
        run: list[str] = []
        for line in reversed(region.split("\n")[-_MOST_LINES:]):
            bare = line.strip("` \t\r")
            if not bare or _FRAME.fullmatch(bare) or self.has_facts(line):
                run.append(line)
            else:
                labelled = _LABEL.match(line)
                rest = line[labelled.end() :] if labelled else line
                if inline and "(" in rest:
                    rest = rest[rest.index("(") :]
                if rest is not line and self.has_facts(rest):
                    run.append(rest)
                    break
                if any(map(self.has_facts, run)):
                    break
                run = []
        if not any(map(self.has_facts, run)):
            return ""
        return "\n".join(reversed(run)).strip()

    def has_facts(self, line: str) -> bool:
        """Return whether a line holds facts, or attempts at facts, and nothing else."""
        if len(line) > self._longest_line or not self._clue.search(line):
            return False
        try:
            atoms = read_atoms(line)
        except InvalidBoardError:
            return False
        return bool(atoms) and all(
            atom[0] in self._predicates or (len(atom) > 1 and self._objects.issuperset(atom[1:]))
            for atom in atoms
        )

"""Custom prompts, read from TOML files; data/README.md describes the format."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final, NoReturn, get_args

from workbench.asking.prompts.prompt_choice import DIRECT, prompt_named
from workbench.asking.prompts.published_prompts import ENVIRONMENT, PROMPTS, TASK
from workbench.asking.prompts.written_prompt import (
    PLACEHOLDER,
    PLACEHOLDERS,
    REPLY_TOKENS,
    Notation,
    Prompt,
)
from workbench.errors import InvalidArgumentError

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FIELDS: Final = ("name", "version", "notation", "turns", "system", "reply_tokens")


def read_prompt(path: Path) -> Prompt:
    """Return the prompt that a file holds.

    Args:
        path: A TOML file with ``name``, ``version``, ``turns`` and perhaps ``notation`` (``pgn``),
            ``system`` and ``reply_tokens`` (60).

    Raises:
        InvalidArgumentError: If the file cannot be read, lacks something or has something unknown;
            the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        fields = tomllib.loads(text)
    except OSError as error:
        raise InvalidArgumentError(f"{path}: expected a readable prompt file: {error}") from error
    except ValueError as error:
        raise InvalidArgumentError(f"{path}: expected TOML in UTF-8, got: {error}") from error
    return _PromptFile(path, text, fields).prompt()


def prompt_given(
    name: str | None,
    environment: str = ENVIRONMENT,
    task: str = TASK,
    depth: int | None = None,
) -> Prompt:
    """Return the prompt that a user names.

    Args:
        name: As of `workbench.asking.prompts.prompt_choice.prompt_named`; or a file, ending with
            ``.toml``.
        environment: As of `prompt_named`, as are the others.
        task: The name of a task.
        depth: m.

    Raises:
        InvalidArgumentError: If there is no such prompt, or the file is none.
    """
    if name is not None and name.endswith(".toml"):
        return read_prompt(Path(name))
    return prompt_named(name, environment, task, depth)


class _PromptFile:
    def __init__(self, path: Path, text: str, fields: dict[str, Any]) -> None:
        self._path = path
        self._lines = text.splitlines()
        self._fields = fields

    def prompt(self) -> Prompt:
        for name in self._fields:
            if name not in _FIELDS:
                self._refuse(f"one of {', '.join(_FIELDS)}", name, name)
        name = self._field("name", str, "a name")
        if not _NAME.fullmatch(name):
            self._refuse("a name of letters, digits, dots, hyphens and underscores", name, "name")
        if name in {DIRECT, *(prompt.name for prompt in PROMPTS)}:
            self._refuse("a name that no built-in prompt has", name, "name")
        version = self._field("version", int, "a version of at least 1")
        notation = self._field("notation", str, "a notation", "pgn")
        if notation not in get_args(Notation):
            self._refuse(f"one of {', '.join(get_args(Notation))}", notation, "notation")
        tokens = self._field("reply_tokens", int, "a number of tokens, at least 1", REPLY_TOKENS)
        for number, field in ((version, "version"), (tokens, "reply_tokens")):
            if number < 1:
                self._refuse("at least 1", number, field)
        system = self._field("system", str, "a text", "")
        if found := PLACEHOLDER.search(system):
            self._refuse("a system prompt without placeholders", found[0], found[0])
        return Prompt(name, version, notation, self._turns(), tokens, system or None)

    def _turns(self) -> tuple[str, ...]:
        turns = self._field("turns", list, "a list of texts")
        if not turns:
            self._refuse("at least one turn", turns, "turns")
        for turn in turns:
            if not isinstance(turn, str) or not turn.strip():
                self._refuse("turns that are texts and not empty", turn, "turns")
            for found in PLACEHOLDER.finditer(turn):
                if found["name"] and found["name"] not in PLACEHOLDERS:
                    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
                    self._refuse(
                        f"a placeholder of {known}, or {{{found[0]}}} for {found[0]} itself",
                        found[0],
                        found[0],
                    )
        if not any(found["name"] == "moves" for found in PLACEHOLDER.finditer(turns[0])):
            self._refuse("the placeholder {moves} in the first turn", turns[0], "turns")
        return tuple(turns)

    def _field(self, name: str, kind: type, wanted: str, default: object = None) -> Any:
        value = self._fields.get(name, default)
        if value is None:
            raise InvalidArgumentError(f"{self._path}: expected {wanted} as {name}, got none")
        if not isinstance(value, kind) or isinstance(value, bool):
            self._refuse(wanted, value, name)
        return value

    def _refuse(self, wanted: str, got: object, sought: str) -> NoReturn:
        """Name the line that a placeholder stands in, or that a field begins in."""
        found = re.escape(sought) if sought.startswith("{") else rf"\s*[\"']?{re.escape(sought)}\b"
        search = re.search if sought.startswith("{") else re.match
        for number, line in enumerate(self._lines, start=1):
            if search(found, line):
                where = f"{self._path}, line {number}"
                break
        else:
            where = str(self._path)
        raise InvalidArgumentError(f"{where}: expected {wanted}, got {got!r:.80}")

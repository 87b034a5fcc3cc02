"""The form of a prompt: one or more user turns with placeholders."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from workbench.errors import TableError
from workbench.tables.provenance import text_hash

Notation = Literal["pgn", "san", "uci", "shown"]
"""``pgn``: movetext with numbers; ``san``: the same without; ``uci``: from square, to square;
``shown``: as the environment shows actions to a model, in chess as PGN."""

PLACEHOLDERS: Final = ("moves", "initial", "plies", "side")

PLACEHOLDER: Final = re.compile(r"\{\{(?P<literal>\w+)\}\}|\{(?P<name>\w+)\}")
"""A placeholder, or a name in doubled braces, which stands for itself in single ones."""

REPLY_TOKENS: Final = 60
"""Of a FEN alone, roughly."""

_NUMBER: Final = re.compile(r"\b\d+\.+\s*")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A way to ask about an episode.

    In its turns ``{moves}`` stands for the actions so far, in the prompt's notation, ``{initial}``
    for the state before them, ``{plies}`` for how many they are, and ``{side}``, in chess, for the
    side to move then, White or Black.

    Attributes:
        name: What it is called on the command line.
        version: At least 1.
        notation: How the actions are written.
        turns: The user's messages in order; each after the first follows the model's reply.
        reply_tokens: About how many tokens all replies to one question have, for the estimate of
            cost; the truth depends on the model, and is larger for one that reasons.
        system: The system prompt, or None.
    """

    name: str
    version: int
    notation: Notation
    turns: tuple[str, ...]
    reply_tokens: int
    system: str | None = None

    @classmethod
    def from_description(cls, described: Mapping[str, Any]) -> "Prompt":
        """Return the prompt that `described` describes, which has no estimate of reply tokens."""
        return cls(
            name=described["name"],
            version=described["version"],
            notation=described["notation"],
            turns=tuple(described["turns"]),
            reply_tokens=described.get("reply_tokens", REPLY_TOKENS),
            system=described.get("system"),
        )

    @property
    def sha256(self) -> str:
        """The hash of all that a model is shown but the episodes themselves, in hexadecimal."""
        system = [] if self.system is None else [{"system": self.system}]
        text = json.dumps([self.notation, *self.turns, *system], ensure_ascii=False)
        return text_hash(text)

    @property
    def of_chess_alone(self) -> bool:
        """Whether it needs moves in a notation of chess, or their side to move."""
        names = {found["name"] for turn in self.turns for found in PLACEHOLDER.finditer(turn)}
        return self.notation != "shown" or "side" in names

    def questions(
        self, movetext: str | None, moves: str | None, where: str, initial: str = "", plies: int = 0
    ) -> tuple[str, ...]:
        """Return the user's messages for one position.

        Args:
            movetext: The actions so far as a model is shown them; in chess PGN movetext.
            moves: In chess the same in UCI, separated by spaces.
            where: The position, for the message if the actions are missing.
            initial: The text of the state before the actions.
            plies: How many actions there are; in a notation of chess they are counted.

        Raises:
            TableError: If the notation that the prompt needs is missing.
        """
        chosen = moves if self.notation == "uci" else movetext
        if not isinstance(chosen, str):
            column = "moves" if self.notation == "uci" else "movetext"
            raise TableError(
                f"position {where!r}: prompt {self.name!r} needs the column {column!r}, "
                f"got {chosen!r}; use a prompt in another notation or make the positions again"
            )
        if self.notation == "shown":
            chosen = chosen.strip()
        else:
            unnumbered = _NUMBER.sub("", chosen)
            plies = len(unnumbered.split())
            chosen = " ".join((unnumbered if self.notation == "san" else chosen).split())
        values = {
            "moves": chosen,
            "initial": initial,
            "plies": str(plies),
            "side": "Black" if plies % 2 else "White",
        }

        def filled(found: re.Match[str]) -> str:
            if found["literal"]:
                return f"{{{found['literal']}}}"
            return values.get(found["name"], found[0])

        return tuple(PLACEHOLDER.sub(filled, turn) for turn in self.turns)

    def described(self) -> dict[str, Any]:
        """Return what goes with every run: the whole text and its hash."""
        described = {
            "name": self.name,
            "version": self.version,
            "notation": self.notation,
            "turns": list(self.turns),
            "sha256": self.sha256,
        }
        return described if self.system is None else {**described, "system": self.system}

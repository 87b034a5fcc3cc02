"""Prompts: their form, the published ones about chess, those made of a task's own wording, and those of TOML files."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args

from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError, TableError
from workbench.tables.provenance import text_hash
from workbench.tasks import task_named
from workbench.tasks.task import (
    START_HEADING,
    actions_heading,
    new_actions_heading,
    own_action_label,
)

Notation = Literal["pgn", "san", "uci", "shown"]
"""``pgn``: movetext with numbers; ``san``: the same without; ``uci``: from square, to square;
``shown``: as the environment shows actions to a model, in chess as PGN."""

Dialogue = Literal["", "turns", "corrected", "play"]
"""How the messages go on: ``turns``: an action a message, and a reply after each; ``corrected``: the same, with
the true state in the place of each earlier reply; ``play``: the reply names the action that is played next.
Empty: the same messages whatever the position."""

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
        stop: Texts at which a reply ends, such as a newline for a model that completes texts; the
            provider decides whether the text itself is part of the reply.
        dialogue: How the messages go on; where they do, the last of ``turns`` is repeated, with ``{actions}`` for
            what happened since the reply before, and ``reply_tokens`` are of one reply.
    """

    name: str
    version: int
    notation: Notation
    turns: tuple[str, ...]
    reply_tokens: int
    system: str | None = None
    stop: tuple[str, ...] = ()
    dialogue: Dialogue = ""

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> "Prompt":
        """Return the prompt that `description` describes, which has no estimate of reply tokens."""
        names = [field.name for field in fields(cls) if field.name in description]
        values: dict[str, Any] = {
            "reply_tokens": REPLY_TOKENS,
            **{name: description[name] for name in names},
        }
        values |= {name: tuple(values[name]) for name in ("turns", "stop") if name in values}
        return cls(**values)

    @property
    def sha256(self) -> str:
        """The hash of the text that a model gets besides the episodes, in hexadecimal."""
        others = {"system": self.system, "stop": list(self.stop), "dialogue": self.dialogue}
        used = [{name: value} for name, value in others.items() if value]
        text = json.dumps([self.notation, *self.turns, *used], ensure_ascii=False)
        return text_hash(text)

    @property
    def of_chess_alone(self) -> bool:
        """Whether it needs moves in a notation of chess, or their side to move."""
        names = {match["name"] for turn in self.turns for match in PLACEHOLDER.finditer(turn)}
        return self.notation != "shown" or "side" in names

    def questions(
        self, movetext: str | None, moves: str | None, where: str, initial: str = "", plies: int = 0
    ) -> tuple[str, ...]:
        """Return the user's messages for one position."""
        actions = moves if self.notation == "uci" else movetext
        if not isinstance(actions, str):
            column = "moves" if self.notation == "uci" else "movetext"
            raise TableError(
                f"position {where!r}: prompt {self.name!r} needs the column {column!r}, "
                f"got {actions!r}; use a prompt in another notation or make the positions again"
            )
        if self.notation == "shown":
            actions = actions.strip()
        else:
            unnumbered = _NUMBER.sub("", actions)
            plies = len(unnumbered.split())
            actions = " ".join((unnumbered if self.notation == "san" else actions).split())
        values = {
            "moves": actions,
            "initial": initial,
            "plies": str(plies),
            "side": "Black" if plies % 2 else "White",
        }

        def filled(match: re.Match[str]) -> str:
            if match["literal"]:
                return f"{{{match['literal']}}}"
            return values.get(match["name"], match[0])

        return tuple(PLACEHOLDER.sub(filled, turn) for turn in self.turns)

    def description(self) -> dict[str, Any]:
        """Return the description that every run stores: the whole text and its hash."""
        values = {**asdict(self), "turns": list(self.turns), "sha256": self.sha256}
        unused = {name for name in ("system", "stop", "dialogue") if not values[name]}
        left_out = {"reply_tokens"} | unused
        return {name: value for name, value in values.items() if name not in left_out}


ENVIRONMENT: Final = "chess"
TASK: Final = "state"

MOVES_HEADING: Final = "Moves:"
"""The line before the moves."""

ANSWER_HEADING: Final = "FEN:"
"""The line before the answer in an example, and the last one of a text to be completed."""

_FEN: Final = """\
A FEN has six fields, separated by single spaces:
1. The pieces: the ranks from 8 down to 1, separated by "/", each from file a to file h. White's \
pieces are P N B R Q K, Black's p n b r q k; a digit from 1 to 8 stands for that many empty squares.
2. The side to move: w or b.
3. The castling rights that are left, in the order KQkq, or "-" if none is. A right is lost when the \
king or that rook moves, or that rook is captured, and not because castling is impossible just now.
4. The en passant square: the square that a pawn has just passed over by a double step, and only if \
an enemy pawn can legally capture it there on the next move; otherwise "-".
5. The number of half-moves since the last capture or pawn move.
6. The number of the full move: 1 at the start, and one more after each move by Black."""

_FIRST: Final = "A game of chess began from the usual first position."
_ONLY: Final = "Reply with the FEN alone, on one line."
_BLOCK: Final = f"{MOVES_HEADING}\n{{moves}}"


def _direct(notation: str) -> str:
    return (
        f"{_FIRST} {notation} Write the position after the last move as a FEN.\n\n{_FEN}\n\n"
        f"{_ONLY}\n\n{_BLOCK}"
    )


_AS_PGN: Final = "Its moves so far are given in PGN."
_PROMPT_PGN_DIRECT: Final = _direct(_AS_PGN)

# As often with White as with Black to move, and games that nobody plays: those of version 1 are
# openings, so that with odd plies one could be the very position that is asked about.
_EXAMPLES: Final = (
    f"{MOVES_HEADING}\n1. h4 a5 2. h5 g5\n"
    "FEN:\nrnbqkbnr/1ppppp1p/8/p5pP/8/8/PPPPPPP1/RNBQKBNR w KQkq g6 0 3\n\n"
    f"{MOVES_HEADING}\n1. Nh3 b6 2. g3 Ba6 3. Bg2 Bb7 4. O-O\n"
    "FEN:\nrn1qkbnr/pbpppppp/1p6/8/8/6PN/PPPPPPBP/RNBQ1RK1 b kq - 4 4\n\n"
    f"{MOVES_HEADING}\n1. a4 h5 2. a5 Rh6 3. a6 bxa6 4. Rxa6\n"
    "FEN:\nrnbqkbn1/p1ppppp1/R6r/7p/8/8/1PPPPPPP/1NBQKBNR b Kq - 0 4\n\n"
    f"{MOVES_HEADING}\n1. f3 Nc6 2. Kf2 Nb8\n"
    "FEN:\nrnbqkbnr/pppppppp/8/8/8/5P2/PPPPPKPP/RNBQ1BNR w kq - 3 3\n\n"
)

_PUBLISHED: Final[tuple[tuple[Any, ...], ...]] = (
    (("pgn-direct", 1, "pgn", 60), _PROMPT_PGN_DIRECT),
    (
        ("uci-direct", 1, "uci", 60),
        _direct(
            "Its moves so far are given in UCI: each names the square that the piece leaves "
            "and the one it goes to, then the piece that a pawn becomes; castling is written "
            "as the king's move."
        ),
    ),
    (
        ("san-unnumbered", 1, "san", 60),
        _direct(
            "Its moves so far are given in standard algebraic notation without move numbers, "
            "White's and Black's in turn."
        ),
    ),
    (
        ("few-shot", 1, "pgn", 60),
        f"{_FIRST} {_AS_PGN} Write the position after the last move as a FEN.\n\n{_FEN}\n\n"
        f"{_ONLY} Three examples:\n\n"
        f"{MOVES_HEADING}\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6\n"
        "FEN:\nr1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4\n\n"
        f"{MOVES_HEADING}\n1. e4 Nf6 2. e5 d5\n"
        "FEN:\nrnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3\n\n"
        f"{MOVES_HEADING}\n1. d4 d5 2. c4 dxc4 3. Nf3 Nf6 4. e3 e6 5. Bxc4 c5 6. O-O\n"
        "FEN:\nrnbqkb1r/pp3ppp/4pn2/2p5/2BP4/4PN2/PP3PPP/RNBQ1RK1 b kq - 1 6\n\n"
        f"Now the game:\n\n{_BLOCK}",
    ),
    (
        ("few-shot", 2, "pgn", 60),
        f"{_FIRST} {_AS_PGN} Write the position after the last move as a FEN.\n\n{_FEN}\n\n"
        f"{_ONLY} Four examples:\n\n{_EXAMPLES}Now the game:\n\n{_BLOCK}",
    ),
    # For models that complete texts: they write on after the last line, until the end of a line.
    (
        ("completion", 1, "pgn", 60, "\n"),
        f"Games of chess, each in PGN and with the FEN of the position after its last move.\n\n"
        f"{_EXAMPLES}{_BLOCK}\n{ANSWER_HEADING}",
    ),
    (
        ("step-by-step", 1, "pgn", 2000),
        f"{_FIRST} {_AS_PGN} Find the position after the last move.\n\n"
        "Go through the game move by move and say after each what stands where that was not "
        "there before, what was captured, and which castling rights were lost. Then write the "
        f'position as a FEN on a line of its own that begins with "Final FEN:".\n\n{_FEN}\n\n'
        f"{_BLOCK}",
    ),
    (
        ("board-first", 1, "pgn", 260),
        f"{_FIRST} {_AS_PGN} Find the position after the last move.\n\n"
        "First draw the board: eight lines, rank 8 at the top and rank 1 at the bottom, each "
        "with eight signs from file a to file h, separated by spaces, with the letters of the "
        'FEN for the pieces and "." for an empty square. Then write the same position as a FEN '
        f'on a line of its own that begins with "Final FEN:".\n\n{_FEN}\n\n{_BLOCK}',
    ),
    (
        ("self-check", 1, "pgn", 900),
        _PROMPT_PGN_DIRECT,
        "Check your answer: play the game through once more, compare every rank, the side to "
        "move, the castling rights, the en passant square and both numbers, and correct what is "
        'wrong. End with the FEN, corrected or not, on a line of its own that begins with "Final '
        'FEN:".',
    ),
)
"""Name, version, notation, tokens of a reply and the texts that end it, then the turns."""

PROMPTS: Final = tuple(
    Prompt(name, version, notation, tuple(turns), tokens, stop=tuple(stop))
    for (name, version, notation, tokens, *stop), *turns in _PUBLISHED
)
"""Every prompt in every version."""


DIRECT: Final = "direct"
"""The prompt that a task makes of its own wording and that of the environment."""

_DIRECT_VERSION: Final = 1
_ACTION_TOKENS: Final = 8

GAME_TURNS: Final = 10
"""Replies of a game that is played, if it does not end before."""


def task_prompt(
    environment: str = ENVIRONMENT, task: str = TASK, depth: int | None = None
) -> Prompt:
    """Return the prompt ``direct``, in the words of the task and of the environment."""
    definition = task_named(task)
    turns = definition.turns(environment_named(environment), definition.depth_or_default(depth))
    return Prompt(DIRECT, _DIRECT_VERSION, "shown", turns, definition.reply_tokens)


def dialogue_prompts(
    environment: str = ENVIRONMENT, task: str = TASK, depth: int | None = None
) -> tuple[Prompt, ...]:
    """Return the prompts whose messages go on: ``turns``, and for states ``corrected`` and ``play``.

    Their words are those of ``direct``, and a sentence on how it goes on: their replies to a prefix compare with
    those to ``direct`` about the same prefix.
    """
    definition, world = task_named(task), environment_named(environment)
    noun, state = world.action_noun, world.state_noun
    request = definition.request(world, definition.depth_or_default(depth))
    heading, later = new_actions_heading(world), f"{new_actions_heading(world)}\n{{actions}}"
    start = f"\n\n{START_HEADING}\n{{initial}}" if world.shows_start else ""
    introduction = f'\n\nThe first {state} is given under "{START_HEADING}".' if start else ""
    one_by_one = (
        f'{world.rules}{introduction} You are told one {noun} at a time, under "{heading}". Reply after each one, '
        f"about the {state} after it.\n\n{request}{start}\n\n{later}"
    )
    prompts = [("turns", (one_by_one, later), definition.reply_tokens)]
    if definition.gives_state:
        label, article = own_action_label(world), "an" if noun[0] in "aeiou" else "a"
        opponent = " Your opponent replies to each of yours." if world.sides == 2 else ""
        play = (
            f"{world.rules}{introduction} You choose the next {noun}, and go on for {GAME_TURNS} of yours.{opponent} After "
            f'each of your replies you are told under "{heading}" what was played; if yours is not permitted, another '
            f"one is drawn in its place.\n\nFind the {state} after the last {noun}, and choose {article} {noun} that is "
            f"permitted there. {world.state_format} {world.action_format}\n\nReply with the {state}, and then with a "
            f'line that begins with "{label}" and names your {noun}; with nothing else.{start}\n\n'
            f"{actions_heading(world)}\n{{moves}}"
        )
        prompts += [
            ("corrected", (one_by_one, later), definition.reply_tokens),
            ("play", (play, f"{{notice}}\n\n{later}"), definition.reply_tokens + _ACTION_TOKENS),
        ]
    return tuple(
        Prompt(name, 1, "shown", turns, tokens, dialogue=name)  # type: ignore[arg-type]
        for name, turns, tokens in prompts
    )


def prompts_of(
    environment: str = ENVIRONMENT, task: str = TASK, depth: int | None = None
) -> tuple[Prompt, ...]:
    """Return every prompt, in every version, that asks about an environment and task."""
    published = PROMPTS if (environment, task) == (ENVIRONMENT, TASK) else ()
    dialogues = dialogue_prompts(environment, task, depth)
    return (*published, task_prompt(environment, task, depth), *dialogues)


def prompt_named(
    name: str | None = None,
    environment: str = ENVIRONMENT,
    task: str = TASK,
    depth: int | None = None,
) -> Prompt:
    """Return a prompt by its name, or by name and version as in ``pgn-direct@1``."""
    prompts = prompts_of(environment, task, depth)
    if name is None:
        return prompts[0]
    label, at, version = name.partition("@")
    matches = [
        prompt
        for prompt in prompts
        if prompt.name == label and (not at or str(prompt.version) == version)
    ]
    if not matches:
        names = ", ".join(f"{prompt.name}@{prompt.version}" for prompt in prompts)
        raise InvalidArgumentError(
            f"prompt: expected one of {names} for {environment} and the task {task}, got {name!r}"
        )
    return max(matches, key=lambda prompt: prompt.version)


_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FIELDS: Final = ("name", "version", "notation", "turns", "system", "reply_tokens", "stop")


def read_prompt(path: Path) -> Prompt:
    """Return the prompt that a file holds."""
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except OSError as error:
        raise InvalidArgumentError(f"{path}: expected a readable prompt file: {error}") from error
    except ValueError as error:
        raise InvalidArgumentError(f"{path}: expected TOML in UTF-8, got: {error}") from error
    return _PromptFile(path, text, values).prompt()


def prompt_or_file(
    name: str | None, environment: str = ENVIRONMENT, task: str = TASK, depth: int | None = None
) -> Prompt:
    """Return a prompt by its name, or that of a file whose name ends in ``.toml``."""
    if name is not None and name.endswith(".toml"):
        return read_prompt(Path(name))
    return prompt_named(name, environment, task, depth)


class _PromptFile:
    def __init__(self, path: Path, text: str, values: dict[str, Any]) -> None:
        self._path = path
        self._lines = text.splitlines()
        self._fields = values

    def prompt(self) -> Prompt:
        for name in self._fields:
            self._require(name in _FIELDS, f"one of {', '.join(_FIELDS)}", name, name)
        name = self._field("name", str, "a name")
        signs = "a name of letters, digits, dots, hyphens and underscores"
        self._require(_NAME.fullmatch(name), signs, name, "name")
        is_built_in = name in {DIRECT, *get_args(Dialogue), *(prompt.name for prompt in PROMPTS)}
        self._require(not is_built_in, "a name that no built-in prompt has", name, "name")
        version = self._field("version", int, "a version of at least 1")
        notation, known = self._field("notation", str, "a notation", "pgn"), get_args(Notation)
        self._require(notation in known, f"one of {', '.join(known)}", notation, "notation")
        tokens = self._field("reply_tokens", int, "a number of tokens, at least 1", REPLY_TOKENS)
        for number, field in ((version, "version"), (tokens, "reply_tokens")):
            self._require(number >= 1, "at least 1", number, field)
        system = self._field("system", str, "a text", "")
        for match in PLACEHOLDER.finditer(system):
            self._require(False, "a system prompt without placeholders", match[0], match[0])
        stop = self._field("stop", list, "a list of texts", [])
        is_texts = all(isinstance(text, str) and text for text in stop)
        self._require(is_texts, "texts that are not empty", stop, "stop")
        return Prompt(name, version, notation, self._turns(), tokens, system or None, tuple(stop))

    def _turns(self) -> tuple[str, ...]:
        turns = self._field("turns", list, "a list of texts")
        self._require(turns, "at least one turn", turns, "turns")
        placeholders = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        for turn in turns:
            is_text = isinstance(turn, str) and turn.strip()
            self._require(is_text, "turns that are texts and not empty", turn, "turns")
            for match in PLACEHOLDER.finditer(turn):
                expected = (
                    f"a placeholder of {placeholders}, or {{{match[0]}}} for {match[0]} itself"
                )
                is_known = match["name"] in (None, *PLACEHOLDERS)
                self._require(is_known, expected, match[0], match[0])
        has_moves = any(match["name"] == "moves" for match in PLACEHOLDER.finditer(turns[0]))
        self._require(has_moves, "the placeholder {moves} in the first turn", turns[0], "turns")
        return tuple(turns)

    def _field(self, name: str, kind: type, expected: str, default: object = None) -> Any:
        value = self._fields.get(name, default)
        if value is None:
            raise InvalidArgumentError(f"{self._path}: expected {expected} as {name}, got none")
        self._require(
            isinstance(value, kind) and not isinstance(value, bool), expected, value, name
        )
        return value

    def _require(self, fulfilled: object, expected: str, got: object, target: str) -> None:
        """Name the line that has a placeholder, or in which a field begins, if a condition fails."""
        if fulfilled:
            return
        is_placeholder = target.startswith("{")
        pattern = re.escape(target) if is_placeholder else rf"\s*[\"']?{re.escape(target)}\b"
        search = re.search if is_placeholder else re.match
        numbers = (n for n, line in enumerate(self._lines, start=1) if search(pattern, line))
        number = next(numbers, None)
        where = self._path if number is None else f"{self._path}, line {number}"
        raise InvalidArgumentError(f"{where}: expected {expected}, got {got!r:.80}")

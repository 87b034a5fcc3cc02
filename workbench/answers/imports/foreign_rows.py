"""Conversion of one imported row to a row of predictions: missing values are derived or refused."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias

from workbench.answers.imports.eval_logs import CALL_FAILED
from workbench.answers.imports.imported import Refused, RefusedRowError, Remark
from workbench.answers.imports.row_values import (
    amount,
    integer,
    optional_text,
    present,
    shown,
    storable,
)
from workbench.answers.imports.true_states import (
    PlayedLine,
    TrueState,
    agree,
    band_of,
    given_line,
    identity_of,
    initial_text,
    parsed_true,
    true_state,
)
from workbench.environments.registry import (
    DEFAULT,
    AnyEnvironment,
    environment_in_table,
    environment_named,
)
from workbench.errors import InvalidArgumentError
from workbench.prediction import ACTION_SEPARATOR, Prediction, ReplyClass
from workbench.tables.earlier_versions import RENAMED
from workbench.tables.parquet_tables import PREDICTIONS
from workbench.tables.provenance import text_hash
from workbench.tasks import Task, task_named

OWN_COLUMNS: Final = tuple(name for name in PREDICTIONS.names if name != "status")
"""The columns of a table of predictions that a foreign file can fill; ``status`` is worked out."""

_COUNTS: Final = ("input_tokens", "output_tokens", "reasoning_tokens")
_AMOUNTS: Final = ("dollars", "seconds")
_HASH_DIGITS: Final = 8

Reader: TypeAlias = Callable[[AnyEnvironment, Task], Prediction]


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """A row of a file of others, under our names.

    Attributes:
        file: Name of the file, as given.
        line: Line number, from 1.
        source: The ``source`` of a row that names none.
        values: By the names in `OWN_COLUMNS`. A name that the file does not have is missing; one
            that is empty in this row is None or blank.
        reader: What gives the answer, if the file contains more than the reply.
        played: The moves, if they are not in the row itself.
        stem: How the position's name begins, which a hash of folder and board ends; empty where
            the row has a ``position_id``, or where the name is to be made of the moves or board.
        folder: The folder of the stem.
        names: What else may name the variant that was played.
        content: The same for rows that say the same; empty if that need not be noticed.
        provider: Who serves the model; told where two serve one of the same name.
        called: The file's names for our columns, where they differ.
    """

    file: str
    line: int
    source: str
    values: Mapping[str, Any]
    reader: Reader | None = None
    played: PlayedLine | None = None
    stem: str = ""
    folder: str = ""
    names: tuple[object, ...] = ()
    content: str = ""
    provider: str = ""
    called: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unsaid:
    """What a row has where it says nothing of its own.

    Attributes:
        environment: Its name; empty for that of the first row that names one, or chess.
        task: What was asked.
        model: The model's name; None if each row must have one.
    """

    environment: str = ""
    task: str = "state"
    model: str | None = None

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            InvalidArgumentError: If there is no such environment or task.
        """
        environment_named(self.environment or DEFAULT)
        task_named(self.task)


def own_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return a mapping from our columns to a file's, with the present names of ours.

    Args:
        columns: Our column to the file's; ours may have the name of an earlier schema version, such
            as ``true_fen``.

    Raises:
        InvalidArgumentError: If a name is none of ours, or one is named twice.
    """
    named: dict[str, str] = {}
    for name, theirs in (columns or {}).items():
        ours = RENAMED.get(name, name)
        if ours not in OWN_COLUMNS:
            raise InvalidArgumentError(f"columns: expected names of {OWN_COLUMNS}, got {name!r}")
        if ours in named:
            raise InvalidArgumentError(f"columns: expected {ours!r} once, got it again as {name!r}")
        named[ours] = theirs
    return named


@lru_cache(maxsize=1 << 16)
def classified_state(environment: AnyEnvironment, text: str) -> Prediction:
    """Return the answer of a state; cached, because many models give the same right ones."""
    return environment.classify_state(text)


def made_row(
    row: ForeignRow, known: Mapping[str, dict[str, Any]] | None, unsaid: Unsaid
) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    """Return the row of predictions that a foreign row makes, and what is odd about it.

    Args:
        row: The foreign row.
        known: Rows of positions by their ``position_id``, whose values go before the row's; None
            if positions need not be known.
        unsaid: What the row has where it says nothing.

    Returns:
        Values by the names of PREDICTIONS, ``sample`` None where the row has none.

    Raises:
        RefusedRowError: If something is missing, out of range or contradictory.
    """
    values = present(row.values)
    values.setdefault("model", unsaid.model)
    position = None if known is None else _position(values, known)
    environment = _environment({**values, **(position or {})}, unsaid)
    task = _task(values, unsaid)
    line = row.played
    if position is not None:
        values, line = _joined(environment, values, position)
    elif line is None:
        line = given_line(environment, values)
    true = true_state(
        environment, optional_text(values, "true_state"), line, integer(values, "ply")
    )
    moves = line.moves if line else None
    position_id = _position_id(environment, row, values, true)
    source = optional_text(values, "source") or row.source
    names = (*row.names, row.source, source, position_id)
    if reason := environment.refusal(true.parsed, moves, names):
        raise RefusedRowError(Refused.CHESS960, "", reason)
    group = integer(values, "group")
    prediction = (
        row.reader(environment, task)
        if row.reader
        else _prediction(environment, task, row.values, values)
    )
    made = {
        "position_id": position_id,
        "environment": environment.name,
        "game_id": optional_text(values, "game_id") or (line.game_id if line else None),
        "source": source,
        "group": band_of(environment, true.ply) if group is None else group,
        "ply": true.ply,
        "game_plies": integer(values, "game_plies"),
        "initial_state": line.initial if line else _initial(environment, values),
        "movetext": _movetext(values, line),
        "moves": moves,
        "true_state": true.parsed.text,
        "set": optional_text(values, "set") or "",
        "task": task.name,
        "model": _model(values),
        "setting": optional_text(values, "setting") or "",
        "sample": integer(values, "sample"),
        "reply": _reply(row.values, prediction),
        **prediction.columns(),
        "earlier_turns": _turns(values),
        "stop_reason": optional_text(values, "stop_reason"),
        **{name: integer(values, name, limit=2**63) for name in _COUNTS},
        **{name: amount(values, name) for name in _AMOUNTS},
    }
    return made, true.remarks


def _environment(values: Mapping[str, Any], unsaid: Unsaid) -> AnyEnvironment:
    name = optional_text(values, "environment") or unsaid.environment or DEFAULT
    try:
        named = environment_in_table(name)
    except InvalidArgumentError as error:
        raise RefusedRowError(Refused.BAD_VALUE, "environment", str(error)) from error
    if unsaid.environment not in ("", name, named.name):
        raise RefusedRowError(
            Refused.OTHER_ENVIRONMENT,
            "environment",
            f"expected {unsaid.environment!r}, as of the table, got {name!r:.80}",
        )
    return named


def _task(values: Mapping[str, Any], unsaid: Unsaid) -> Task:
    try:
        return task_named(optional_text(values, "task") or unsaid.task)
    except InvalidArgumentError as error:
        raise RefusedRowError(Refused.BAD_VALUE, "", str(error)) from error


def _initial(environment: AnyEnvironment, values: Mapping[str, Any]) -> str:
    given = values.get("initial_state") is not None
    return initial_text(environment, values) if given else ""


def _position(values: Mapping[str, Any], known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    position_id = _given_id(values)
    if position_id not in known:
        raise RefusedRowError(
            Refused.UNKNOWN_POSITION,
            "position_id",
            f"{position_id!r:.80} is not among the positions given",
        )
    return known[position_id]


def _joined(
    environment: AnyEnvironment, values: dict[str, Any], position: dict[str, Any]
) -> tuple[dict[str, Any], PlayedLine | None]:
    """Return a row's values with those of its position, whose moves are believed."""
    given = optional_text(values, "true_state")
    if given is not None:
        fault = parsed_true(environment, given).fault
        if fault or not agree(environment, given, position["true_state"]):
            raise RefusedRowError(
                Refused.CONTRADICTION,
                "true_state",
                f"{given!r:.100}, but position {position['position_id']!r} has "
                f"{position['true_state']!r}",
            )
    joined = {**values, **position}
    if position.get("moves") is None:
        return joined, None
    return joined, PlayedLine(
        initial=position.get("initial_state", ""),
        moves=position["moves"],
        movetext=position.get("movetext", ""),
        game_id=position.get("game_id", ""),
        ply=len(environment.split_moves(position["moves"])),
        reached=position["true_state"],
    )


def _position_id(
    environment: AnyEnvironment, row: ForeignRow, values: Mapping[str, Any], true: TrueState
) -> str:
    identity = identity_of(environment, true.parsed.text)
    if row.stem:
        folder_and_state = text_hash("\n".join((row.folder, identity)))
        return f"{row.stem}-{folder_and_state[:_HASH_DIGITS]}"
    if "position_id" in row.values:
        return _given_id(values)
    if true.line is not None:
        return f"{true.line.game_id}-{true.line.ply:03d}"
    return text_hash(identity)[:16]


def _given_id(values: Mapping[str, Any]) -> str:
    value = values.get("position_id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise RefusedRowError(
            Refused.NO_POSITION, "position_id", f"expected a text, got {shown(value)}"
        )
    return value


def _model(values: Mapping[str, Any]) -> str:
    value = values.get("model")
    if not isinstance(value, str):
        raise RefusedRowError(Refused.NO_MODEL, "model", f"expected a text, got {shown(value)}")
    return value


def _movetext(values: Mapping[str, Any], line: PlayedLine | None) -> str | None:
    given = optional_text(values, "movetext")
    if given is not None and (line is None or not given.lstrip().startswith("[")):
        return given
    return line.movetext if line else given


def _prediction(
    environment: AnyEnvironment, task: Task, given: Mapping[str, Any], values: Mapping[str, Any]
) -> Prediction:
    """Return the answer of the reply; an empty reply and a null are the same."""
    own = "predicted_state" if task.gives_state else "predicted_actions"
    if own in values and task.gives_state:
        return classified_state(environment, str(values[own]))
    if own in values:
        return environment.classify_listed(_items(environment, values[own]))
    said, reason = str(values.get("reply_class", "")), str(values.get("reason", ""))
    if said == ReplyClass.FAILED or reason.startswith(CALL_FAILED):
        return Prediction(ReplyClass.FAILED, None, reason=reason or f"{CALL_FAILED}unknown")
    if said == ReplyClass.ABSENT:
        noun = environment.text_noun if task.gives_state else f"{environment.action_noun}s"
        return Prediction(ReplyClass.ABSENT, None, reason=reason or f"no {noun} given")
    reply = values.get("reply")
    if isinstance(reply, str):
        return task.classify(environment, reply)
    if reply is not None:
        raise RefusedRowError(Refused.NO_REPLY, "reply", f"expected a text, got {shown(reply)}")
    if "reply" in given or own in given:
        return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
    raise RefusedRowError(Refused.NO_REPLY, "reply", f"expected a text, or a {own}, got neither")


def _items(environment: AnyEnvironment, given: Any) -> list[str]:
    """Return the actions of a cell: one a line, or in one line separated as in a reply."""
    if isinstance(given, str):
        whole = ACTION_SEPARATOR in given
        parts = given.split(ACTION_SEPARATOR) if whole else environment.splits_items.split(given)
        return [storable(part).strip() for part in parts if part.strip()]
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        return [storable(each).strip() for each in given]
    raise RefusedRowError(
        Refused.NO_REPLY, "predicted_actions", f"expected a text or texts, got {shown(given)}"
    )


def _reply(given: Mapping[str, Any], prediction: Prediction) -> str | None:
    reply = given.get("reply")
    answered = prediction.predicted_state is not None or prediction.predicted_actions is not None
    if isinstance(reply, str) and (reply.strip() or not answered):
        return None if prediction.reply_class is ReplyClass.FAILED else storable(reply)
    empty = prediction.reply_class is ReplyClass.ABSENT and "reply" in given
    return "" if empty else None


def _turns(values: Mapping[str, Any]) -> str | None:
    turns = values.get("earlier_turns")
    return json.dumps(turns) if isinstance(turns, list) else optional_text(values, "earlier_turns")

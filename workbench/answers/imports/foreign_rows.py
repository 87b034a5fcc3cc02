"""Imported rows as one table of predictions: missing values are derived or refused, each reply is kept once."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, Final, TypeAlias

import pandas as pd
import pyarrow as pa

from workbench.answers.imports.import_result import (
    CALL_FAILED,
    ImportedReplies,
    Refusal,
    RefusedRowError,
    Remark,
    RemarkReason,
    RowNote,
    amount,
    in_message,
    integer,
    optional_text,
    present,
    refused_as,
    required_text,
    storable,
)
from workbench.answers.imports.true_states import (
    PlayedLine,
    TrueState,
    agree,
    band_of,
    identity_of,
    initial_text,
    parse_true,
    row_line,
    true_state,
)
from workbench.environments.registry import (
    DEFAULT,
    AnyEnvironment,
    environment_in_table,
    environment_named,
)
from workbench.errors import InvalidArgumentError, TableError
from workbench.prediction import ACTION_SEPARATOR, Prediction, ReplyClass
from workbench.tables.earlier_versions import RENAMED
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, REPLY_KEY
from workbench.tables.provenance import text_hash
from workbench.tasks import Task, task_named

OWN_COLUMNS: Final = tuple(name for name in PREDICTIONS.names if name != "status")
"""The columns of a table of predictions that a foreign file can fill; ``status`` is worked out."""

COUNTS: Final = ("input_tokens", "output_tokens", "reasoning_tokens")
AMOUNTS: Final = ("dollars", "seconds")
_HASH_DIGITS: Final = 8

Reader: TypeAlias = Callable[[AnyEnvironment, Task], Prediction]


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """A row of a foreign file, under our column names.

    Attributes:
        source: The ``source`` of a row that names none.
        values: By the names in `OWN_COLUMNS`. A name that the file does not have is missing; one
            that is empty in this row is None or blank.
        reader: What gives the answer, if the file contains more than the reply.
        played: The moves, if they are not in the row itself.
        stem: Prefix of the position's id, whose suffix is a hash of ``folder`` and board; or empty.
        names: What else may name the variant that was played.
        content: Hash of the row, by which repeated rows are recognised; empty to accept them.
        provider: Who serves the model; put before its name where two providers share the name.
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

    @property
    def place(self) -> str:
        """The file and the line, for a message."""
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class RowDefaults:
    """Values of a row that names none of its own.

    Attributes:
        environment: Its name; empty for that of the first row that names one, or chess.
        task: What was asked.
        model: The model's name; None if each row must have one.
    """

    environment: str = ""
    task: str = "state"
    model: str | None = None

    def __post_init__(self) -> None:
        environment_named(self.environment or DEFAULT)
        task_named(self.task)


def own_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return a mapping from our columns to a file's, with the present names of ours."""
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


def _prediction_row(
    row: ForeignRow, records: Mapping[str, dict[str, Any]] | None, defaults: RowDefaults
) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    """Return the row of predictions that a foreign row makes, and what is odd about it."""
    values = present(row.values)
    values.setdefault("model", defaults.model)
    position = None
    if records is not None:
        position = records.get(own_id := _own_id(values))
        if position is None:
            sentence = f"{own_id!r:.80} is not among the positions given"
            raise RefusedRowError(Refusal.UNKNOWN_POSITION, "position_id", sentence)
    environment = _environment({**values, **(position or {})}, defaults)
    with refused_as(Refusal.BAD_VALUE, "", InvalidArgumentError):
        task = task_named(optional_text(values, "task") or defaults.task)
    line = row.played
    if position is not None:
        values, line = _with_position(environment, values, position)
    elif line is None:
        line = row_line(environment, values)
    true = true_state(
        environment, optional_text(values, "true_state"), line, integer(values, "ply")
    )
    moves = line.moves if line else None
    position_id = _position_id(environment, row, values, true)
    source = optional_text(values, "source") or row.source
    names = (*row.names, row.source, source, position_id)
    if reason := environment.variant_fault(true.parsed, moves, names):
        raise RefusedRowError(Refusal.CHESS960, "", reason)
    group = integer(values, "group")
    if row.reader:
        prediction = row.reader(environment, task)
    else:
        prediction = _prediction(environment, task, row.values, values)
    initial = line.initial if line else ""
    if line is None and values.get("initial_state") is not None:
        initial = initial_text(environment, values)
    turns = values.get("earlier_turns")
    if isinstance(turns, list):
        values["earlier_turns"] = json.dumps(turns)
    return {
        "position_id": position_id,
        "environment": environment.name,
        "game_id": optional_text(values, "game_id") or (line.game_id if line else None),
        "source": source,
        "group": band_of(environment, true.ply) if group is None else group,
        "ply": true.ply,
        "game_plies": integer(values, "game_plies"),
        "initial_state": initial,
        "movetext": _movetext(values, line),
        "moves": moves,
        "true_state": true.parsed.text,
        "set": optional_text(values, "set") or "",
        "task": task.name,
        "model": required_text(values, "model", Refusal.NO_MODEL),
        "setting": optional_text(values, "setting") or "",
        "sample": integer(values, "sample"),
        "reply": _reply(row.values, prediction),
        **prediction.columns(),
        "earlier_turns": optional_text(values, "earlier_turns"),
        "stop_reason": optional_text(values, "stop_reason"),
        **{name: integer(values, name, limit=2**63) for name in COUNTS},
        **{name: amount(values, name) for name in AMOUNTS},
    }, true.remarks


def _environment(values: Mapping[str, Any], defaults: RowDefaults) -> AnyEnvironment:
    name = optional_text(values, "environment") or defaults.environment or DEFAULT
    with refused_as(Refusal.BAD_VALUE, "environment", InvalidArgumentError):
        named = environment_in_table(name)
    if defaults.environment not in ("", name, named.name):
        raise RefusedRowError(
            Refusal.OTHER_ENVIRONMENT,
            "environment",
            f"expected {defaults.environment!r}, as of the table, got {name!r:.80}",
        )
    return named


def _with_position(
    environment: AnyEnvironment, values: dict[str, Any], position: dict[str, Any]
) -> tuple[dict[str, Any], PlayedLine | None]:
    """Return a row's values with those of its position, whose moves are believed."""
    text = optional_text(values, "true_state")
    if text is not None:
        fault = parse_true(environment, text).fault
        if fault or not agree(environment, text, position["true_state"]):
            raise RefusedRowError(
                Refusal.CONTRADICTION,
                "true_state",
                f"{text!r:.100}, but position {position['position_id']!r} has "
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
        return _own_id(values)
    if true.line is not None:
        return f"{true.line.game_id}-{true.line.ply:03d}"
    return text_hash(identity)[:16]


def _own_id(values: Mapping[str, Any]) -> str:
    value = values.get("position_id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return required_text({"position_id": value}, "position_id", Refusal.NO_POSITION)


def _movetext(values: Mapping[str, Any], line: PlayedLine | None) -> str | None:
    text = optional_text(values, "movetext")
    if text is not None and (line is None or not text.lstrip().startswith("[")):
        return text
    return line.movetext if line else text


def _prediction(
    environment: AnyEnvironment, task: Task, row: Mapping[str, Any], values: Mapping[str, Any]
) -> Prediction:
    """Return the answer of the reply; an empty reply and a null are the same."""
    own = "predicted_state" if task.gives_state else "predicted_actions"
    if own in values and task.gives_state:
        return classified_state(environment, str(values[own]))
    if own in values:
        return environment.classify_items(_items(environment, values[own]))
    class_name, reason = str(values.get("reply_class", "")), str(values.get("reason", ""))
    if class_name == ReplyClass.FAILED or reason.startswith(CALL_FAILED):
        return Prediction(ReplyClass.FAILED, None, reason=reason or f"{CALL_FAILED}unknown")
    if class_name == ReplyClass.ABSENT:
        noun = environment.text_noun if task.gives_state else f"{environment.action_noun}s"
        return Prediction(ReplyClass.ABSENT, None, reason=reason or f"no {noun} given")
    reply = values.get("reply")
    if isinstance(reply, str):
        return task.classify(environment, reply)
    if reply is not None:
        sentence = f"expected a text, got {in_message(reply)}"
        raise RefusedRowError(Refusal.NO_REPLY, "reply", sentence)
    if "reply" in row or own in row:
        return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
    raise RefusedRowError(Refusal.NO_REPLY, "reply", f"expected a text, or a {own}, got neither")


def _items(environment: AnyEnvironment, cell: Any) -> list[str]:
    """Return the actions of a cell: one a line, or in one line separated as in a reply."""
    if isinstance(cell, str):
        whole = ACTION_SEPARATOR in cell
        parts = cell.split(ACTION_SEPARATOR) if whole else environment.item_separator.split(cell)
        return [storable(part).strip() for part in parts if part.strip()]
    if isinstance(cell, list) and all(isinstance(each, str) for each in cell):
        return [storable(each).strip() for each in cell]
    raise RefusedRowError(
        Refusal.NO_REPLY, "predicted_actions", f"expected a text or texts, got {in_message(cell)}"
    )


def _reply(row: Mapping[str, Any], prediction: Prediction) -> str | None:
    reply = row.get("reply")
    answered = prediction.predicted_state is not None or prediction.predicted_actions is not None
    if isinstance(reply, str) and (reply.strip() or not answered):
        return None if prediction.reply_class is ReplyClass.FAILED else storable(reply)
    empty = prediction.reply_class is ReplyClass.ABSENT and "reply" in row
    return "" if empty else None


def rows_of_files(
    paths: Iterable[Path],
    entries: Callable[[Path], Iterable[tuple[int, Any]]],
    rows: Callable[[Path, int, Any], Iterable[ForeignRow]],
) -> Iterator[ForeignRow | RowNote]:
    """Yield the rows of files.

    ``entries`` gives what a file holds, each with its line; a text says why one cannot be read.
    ``rows`` makes the rows of an entry, or refuses it.
    """
    for path in map(Path, paths):
        for number, entry in entries(path):
            try:
                if isinstance(entry, str):
                    raise RefusedRowError(Refusal.UNREADABLE, "", entry)
                yield from rows(path, number, entry)
            except RefusedRowError as error:
                yield error.remark.at(str(path), number, {})


def imported_rows(
    rows: Iterable[ForeignRow | RowNote],
    *,
    positions: pd.DataFrame | None = None,
    defaults: RowDefaults | None = None,
) -> ImportedReplies:
    """Return foreign rows as predictions; each row is in the table or among the refusals.

    A row needs a model, a reply, a predicted_state or predicted_actions, and the true state: as
    true_state, as moves, as movetext, or by its position_id in ``positions``. All rows are of one
    environment: that of the first which became a prediction, unless it is given.

    A reply counts once. A row whose sample was named before is refused; so is one that says in
    everything the same as a row before, in the same file, or in another of which one holds all
    rows of the other. Other files that share some rows are two runs that gave the same replies.
    """
    records = None if positions is None else _records(positions)
    defaults = defaults or RowDefaults()
    table = _Table()
    for row in rows:
        if isinstance(row, RowNote):
            table.refusals.append(row)
            continue
        try:
            if first := table.contents[row.content].get(row.file):
                raise RefusedRowError(Refusal.REPEATED, "", f"it repeats {first.place}")
            values, remarks = _prediction_row(row, records, defaults)
        except RefusedRowError as error:
            table.refusals.append(error.remark.at(row.file, row.line, row.called))
            continue
        table.add(row, values, remarks)
        defaults = replace(defaults, environment=values["environment"])
    return table.imported()


@dataclass(slots=True)
class _Row:
    foreign: ForeignRow
    values: dict[str, Any]

    def note(self, reason: Refusal | RemarkReason, detail: str) -> RowNote:
        return RowNote(self.foreign.file, self.foreign.line, reason, detail)


class _Table:
    """The predictions of an import in order, and the notes on rows."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        # By content, the first row of each file that has it, in the order of reading.
        self.contents: dict[str, dict[str, ForeignRow]] = defaultdict(dict)
        self.refusals: list[RowNote] = []
        self.remarks: list[RowNote] = []

    def add(self, row: ForeignRow, values: dict[str, Any], remarks: Iterable[Remark]) -> None:
        self.rows.append(_Row(row, values))
        if row.content:
            self.contents[row.content][row.file] = row
        self.remarks += [remark.at(row.file, row.line, row.called) for remark in remarks]

    def imported(self) -> ImportedReplies:
        self.refuse_repeated_files()
        self.tell_models_apart()
        self.tell_boards_apart()
        self.refuse_repeated_samples()
        self.number_samples()
        frame = pd.DataFrame([row.values for row in self.rows], columns=PREDICTIONS.names)
        for column in PREDICTIONS:
            if pa.types.is_integer(column.type):
                frame[column.name] = frame[column.name].astype(f"Int{column.type.bit_width}")
            elif pa.types.is_floating(column.type):
                frame[column.name] = frame[column.name].astype(float)
        lines = {(row.foreign.file, row.foreign.line) for row in self.rows}
        remarks = (note for note in self.remarks if (note.file, note.line) in lines)
        return ImportedReplies(frame, tuple(self.refusals), tuple(remarks))

    def keep(self, reason_against: Callable[[_Row], str]) -> None:
        """Refuse the rows that repeat a reply, which the function explains; keep the others."""
        rows = []
        for row in self.rows:
            if detail := reason_against(row):
                self.refusals.append(row.note(Refusal.REPEATED, detail))
            else:
                rows.append(row)
        self.rows = rows

    def refuse_repeated_files(self) -> None:
        """Refuse what a file repeats of another, where one holds all rows of the other."""
        sizes: Counter[str] = Counter()
        shared: Counter[tuple[str, str]] = Counter()
        for files in self.contents.values():
            sizes.update(files.keys())
            shared.update(permutations(files, 2))
        same = {
            pair for pair, count in shared.items() if count == min(sizes[name] for name in pair)
        }

        def repeats(row: _Row) -> str:
            own = row.foreign.file
            for file, first in self.contents.get(row.foreign.content, {}).items():
                if file == own:
                    break
                if (file, own) in same:
                    return f"it repeats {first.place}"
            return ""

        self.keep(repeats)

    def refuse_repeated_samples(self) -> None:
        """Refuse a row whose sample of the same model and position was named before."""
        first_rows: dict[tuple[Any, ...], ForeignRow] = {}

        def repeats(row: _Row) -> str:
            values, key = row.values, tuple(row.values[name] for name in REPLY_KEY)
            first = first_rows.setdefault(key, row.foreign)
            if values["sample"] is None or first is row.foreign:
                return ""
            return (
                f"sample {values['sample']} of {values['model']!r:.80} for "
                f"{values['position_id']!r:.80} stands in {first.place}"
            )

        self.keep(repeats)

    def tell_models_apart(self) -> None:
        """Put the provider before a model's name where two providers use it."""
        providers: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            providers[row.values["model"]].add(row.foreign.provider)
        for row in self.rows:
            model = row.values["model"]
            if len(providers[model]) > 1 and row.foreign.provider:
                row.values["model"] = f"{row.foreign.provider}/{model}"

    def tell_boards_apart(self) -> None:
        """Append a hash to an id with several boards, or several lines of moves."""
        boards: dict[str, set[str]] = defaultdict(set)
        lines: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            boards[row.values["position_id"]].add(_identity(row))
            if row.values["moves"] is not None:
                lines[row.values["position_id"]].add(row.values["moves"])
        several = {name for name in boards if len(boards[name]) > 1 or len(lines[name]) > 1}
        for row in self.rows:
            name, moves = row.values["position_id"], row.values["moves"]
            if name in several:
                hashed = text_hash(_identity(row) if moves is None else moves)[:_HASH_DIGITS]
                row.values["position_id"] = f"{name}-{hashed}"
                detail = f"position_id: {name!r:.80} is now {row.values['position_id']!r:.100}"
                self.remarks.append(row.note(RemarkReason.SEVERAL_BOARDS, detail))

    def number_samples(self) -> None:
        """Give each row without a sample the least number that is free for its model and position."""
        keys = {tuple(row.values[name] for name in REPLY_KEY) for row in self.rows}
        following: Counter[tuple[str, ...]] = Counter()
        for row in self.rows:
            if row.values["sample"] is None:
                question = tuple(row.values[name] for name in REPLY_KEY[:-1])
                while (*question, following[question]) in keys:
                    following[question] += 1
                row.values["sample"] = following[question]
                following[question] += 1


def _identity(row: _Row) -> str:
    named = environment_in_table(row.values["environment"])
    return identity_of(named, row.values["true_state"])


def _records(positions: pd.DataFrame) -> dict[str, dict[str, Any]]:
    twice = positions["position_id"][positions["position_id"].duplicated()]
    if len(twice):
        raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r}")
    records = positions[POSITIONS.names].to_dict("records")
    return {str(record["position_id"]): present(dict(record)) for record in records}

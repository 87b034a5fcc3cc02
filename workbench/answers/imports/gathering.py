"""Imported rows as one table: each reply once, each position with a unique id."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import pandas as pd
import pyarrow as pa

from workbench.answers.imports.foreign_rows import ForeignRow, Unsaid, made_row
from workbench.answers.imports.imported import (
    ImportedReplies,
    Noticed,
    Refused,
    RefusedRowError,
    Remark,
    RowNote,
)
from workbench.answers.imports.row_values import present
from workbench.answers.imports.true_states import identity_of
from workbench.environments.registry import environment_in_table
from workbench.errors import TableError
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS
from workbench.tables.provenance import text_hash
from workbench.tables.reply_identity import REPLY_KEY

_HASH_DIGITS = 8


def imported_rows(
    rows: Iterable[ForeignRow | RowNote],
    *,
    positions: pd.DataFrame | None = None,
    unsaid: Unsaid | None = None,
) -> ImportedReplies:
    """Return foreign rows as predictions; each row is in the table or among the refusals.

    A row needs a model, a reply, a predicted_state or predicted_actions, and the true state: as
    true_state, as moves, as movetext, or by its position_id in ``positions``. Without a position_id
    the position is named after its moves or state. All rows are of one environment: that of the
    first which became a prediction, unless it is given. An id with several boards gets a hash of the board, in
    every row. Replies of one model to one position without a sample are numbered 0, 1, ... as they
    come.

    A reply counts once. A row whose sample was named before is refused; so is one that says in
    everything the same as a row before, in the same file, or in another of which one holds all
    rows of the other. Other files that share some rows are two runs that gave the same replies.

    Args:
        rows: In the order of the table.
        positions: Rows of the POSITIONS schema, to be found by ``position_id``; their values go
            before those of the files.
        unsaid: What a row has where it says nothing of its own.

    Raises:
        TableError: If an id is repeated in ``positions``.
    """
    known = None if positions is None else _known(positions)
    unsaid = unsaid or Unsaid()
    gathered = _Gathered()
    for row in rows:
        if isinstance(row, RowNote):
            gathered.refusals.append(row)
            continue
        try:
            if first := gathered.contents[row.content].get(row.file):
                raise RefusedRowError(Refused.REPEATED, "", f"it repeats {first}")
            made, remarks = made_row(row, known, unsaid)
        except RefusedRowError as error:
            gathered.refusals.append(error.remark.at(row.file, row.line, row.called))
            continue
        gathered.add(row, made, remarks)
        unsaid = replace(unsaid, environment=made["environment"])
    return gathered.imported()


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"

    def note(self, reason: Refused | Noticed, detail: str) -> RowNote:
        return RowNote(self.file, self.line, reason, detail)


@dataclass(slots=True)
class _Made:
    place: _Place
    values: dict[str, Any]
    content: str
    provider: str


class _Gathered:
    """Rows made, in order, and what is to be said of rows."""

    def __init__(self) -> None:
        self.rows: list[_Made] = []
        self.contents: dict[str, dict[str, _Place]] = defaultdict(dict)
        self.refusals: list[RowNote] = []
        self.remarks: list[RowNote] = []

    def add(self, row: ForeignRow, values: dict[str, Any], remarks: Iterable[Remark]) -> None:
        """Keep a row."""
        place = _Place(row.file, row.line)
        self.rows.append(_Made(place, values, row.content, row.provider))
        if row.content:
            self.contents[row.content][row.file] = place
        self.remarks += [remark.at(row.file, row.line, row.called) for remark in remarks]

    def imported(self) -> ImportedReplies:
        """Return all rows once, with distinct models and positions, and numbered samples."""
        self.refuse_repeated_files()
        self.tell_models_apart()
        self.tell_boards_apart()
        self.refuse_repeated_samples()
        self.number_samples()
        values = [row.values for row in self.rows]
        frame = pd.DataFrame(values, columns=PREDICTIONS.names)
        for field in PREDICTIONS:
            if pa.types.is_integer(field.type):
                frame[field.name] = frame[field.name].astype(f"Int{field.type.bit_width}")
            elif pa.types.is_floating(field.type):
                frame[field.name] = frame[field.name].astype(float)
        places = {(row.place.file, row.place.line) for row in self.rows}
        remarks = (note for note in self.remarks if (note.file, note.line) in places)
        return ImportedReplies(frame, tuple(self.refusals), tuple(remarks))

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
        kept = []
        for row in self.rows:
            first = self.first_of(row, same)
            if first is None:
                kept.append(row)
            else:
                self.refuse(row, f"it repeats {first}")
        self.rows = kept

    def first_of(self, row: _Made, same: set[tuple[str, str]]) -> _Place | None:
        """Return where a row stood before, in a file of which its own is a part or a whole."""
        # The files of a content stand in the order in which they were read.
        for file, place in self.contents.get(row.content, {}).items():
            if file == row.place.file:
                return None
            if (file, row.place.file) in same:
                return place
        return None

    def refuse_repeated_samples(self) -> None:
        """Refuse a row whose sample of the same model and position was named before."""
        taken: dict[tuple[Any, ...], _Place] = {}
        kept = []
        for row in self.rows:
            key = tuple(row.values[name] for name in REPLY_KEY)
            if row.values["sample"] is not None and key in taken:
                said = (
                    f"sample {row.values['sample']} of {row.values['model']!r:.80} for "
                    f"{row.values['position_id']!r:.80} stands in {taken[key]}"
                )
                self.refuse(row, said)
            else:
                taken[key] = row.place
                kept.append(row)
        self.rows = kept

    def refuse(self, row: _Made, detail: str) -> None:
        """Name a reply that was read before."""
        self.refusals.append(row.place.note(Refused.REPEATED, detail))

    def tell_models_apart(self) -> None:
        """Put the provider before a model's name where two providers use it."""
        providers: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            providers[row.values["model"]].add(row.provider)
        for row in self.rows:
            model = row.values["model"]
            if len(providers[model]) > 1 and row.provider:
                row.values["model"] = f"{row.provider}/{model}"

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
                what = _identity(row) if moves is None else moves
                row.values["position_id"] = f"{name}-{text_hash(what)[:_HASH_DIGITS]}"
                said = f"position_id: {name!r:.80} is now {row.values['position_id']!r:.100}"
                self.remarks.append(row.place.note(Noticed.SEVERAL_BOARDS, said))

    def number_samples(self) -> None:
        """Give each row without a sample the least number that is free for its model and position."""
        taken = {tuple(row.values[name] for name in REPLY_KEY) for row in self.rows}
        following: Counter[tuple[str, ...]] = Counter()
        for row in self.rows:
            if row.values["sample"] is None:
                question = tuple(row.values[name] for name in REPLY_KEY[:-1])
                while (*question, following[question]) in taken:
                    following[question] += 1
                row.values["sample"] = following[question]
                following[question] += 1


def _identity(row: _Made) -> str:
    named = environment_in_table(row.values["environment"])
    return identity_of(named, row.values["true_state"])


def _known(positions: pd.DataFrame) -> dict[str, dict[str, Any]]:
    twice = positions["position_id"][positions["position_id"].duplicated()]
    if len(twice):
        raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r}")
    records = positions[POSITIONS.names].to_dict("records")
    return {str(record["position_id"]): present(dict(record)) for record in records}

"""Anomalies in the rows of each kind of table, and the report of a check."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from workbench.answers.imports.true_states import PLIES_A_GROUP
from workbench.depth_summaries import Values
from workbench.environments.registry import AnyEnvironment
from workbench.errors import TableError, WorkbenchError
from workbench.games.game_tables import decode_moves
from workbench.metrics import column_values, find_metric
from workbench.prediction import CLASSES, ReplyClass
from workbench.scoring.parameters import MEASURES
from workbench.tables.parquet_tables import REPLY_KEY
from workbench.tasks import task_named, task_names

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Oddity:
    """An anomaly, or a fact that the user should know.

    Attributes:
        what: In words.
        count: Rows that have it; 0 for what concerns the table as such.
        examples: The first of them: row number from 0, and its content.
    """

    what: str
    count: int = 0
    examples: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return it as lines of text."""
        head = f"{self.count:,} rows: {self.what}" if self.count else self.what
        return "\n".join([head, *(f"    {example}" for example in self.examples)])


@dataclass(slots=True)
class TableReport:
    """Validation of a table: its type, its integrity, its anomalies.

    Attributes:
        path: As it was given.
        kind: ``positions``, ``predictions``, ``scores``, ``games`` or ``unknown``.
        whole: Whether every page could be read and its checksum, if it has one, is right.
        rows: As the file says.
        schema_version: As the file says, or None.
        provenance: What the file says it was made from and how.
        packages: The versions of the packages that made it.
        facts: Counts by name, such as rows by class.
        oddities: In the order in which they were looked for.
    """

    path: str
    kind: str = "unknown"
    whole: bool = False
    rows: int = 0
    schema_version: str | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    facts: dict[str, dict[str, int]] = field(default_factory=dict)
    oddities: list[Oddity] = field(default_factory=list)

    def add(self, what: str, count: int = 0, examples: Sequence[str] = ()) -> None:
        """Add an anomaly; see `Oddity`."""
        self.oddities.append(Oddity(what, count, tuple(examples)))

    @property
    def sound(self) -> bool:
        """Whether it is whole, and nothing is odd."""
        return self.whole and not self.oddities

    def describe(self) -> str:
        """Return the report as lines of text."""
        whole = "whole" if self.whole else "NOT WHOLE"
        lines = [f"{self.path}: {self.kind}, {self.rows:,} rows, {whole}"]
        lines.append(f"schema version: {self.schema_version or 'none'}")
        lines += [f"made: {name} = {value}" for name, value in sorted(self.provenance.items())]
        packages = ", ".join(f"{name} {version}" for name, version in self.packages.items())
        lines.append(f"made with: {packages or 'unknown'}")
        for name, counts in self.facts.items():
            numbers = ", ".join(f"{value} {number:,}" for value, number in counts.items())
            lines.append(f"{name}: {numbers or 'none'}")
        if self.whole and not self.oddities:
            lines.append("nothing odd")
        lines += [f"odd: {oddity.describe()}" for oddity in self.oddities]
        return "\n".join(lines)


class Findings:
    """Counts anomalies, chunk by chunk.

    Attributes:
        start: The number of the first row of the current chunk.
    """

    def __init__(self) -> None:
        self.start = 0
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def add(self, what: str, wrong: "pd.Series[bool]", example: Callable[[int], object]) -> None:
        """Count the rows of the chunk for which ``wrong`` holds; ``example`` describes one of them."""
        for place in np.flatnonzero(wrong.to_numpy(dtype=bool)).tolist():
            has_room = len(self._examples.get(what, ())) < EXAMPLES
            self.add_row(what, place, example(place) if has_room else None)

    def add_row(self, what: str, place: int, example: object) -> None:
        """Count one row of the chunk, by its place from 0, with an example to show."""
        self._counts[what] = self._counts.get(what, 0) + 1
        examples = self._examples.setdefault(what, [])
        if len(examples) < EXAMPLES:
            examples.append(f"row {self.start + place}: {example}")

    def oddities(self) -> list[Oddity]:
        """Return what was found, in the order in which it was first found."""
        return [
            Oddity(what, count, tuple(self._examples[what])) for what, count in self._counts.items()
        ]


REQUIRED = {
    "positions": ("position_id", "group", "true_state"),
    "predictions": tuple(
        "environment set task model setting sample reply_class status reason".split()
    ),
    "scores": ("terminal", "ill_formed_policy", "method", "unscored"),
    "games": ("number", "result", "termination", "moves"),
}
TOLERANCE = 1e-9


def check_nulls(chunk: pd.DataFrame, names: tuple[str, ...], findings: Findings) -> None:
    """Find nulls in columns that must have none."""
    for name in names:
        if name in chunk:
            findings.add(f"{name} is null", chunk[name].isna(), _named(chunk))


def check_true_states(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check that the true states parse, are of the environment, and follow from the actions.

    The name of a row indicates another environment only where its actions could contradict it.
    """
    named = _named(chunk)
    none = [None] * len(chunk)
    moves, starts = chunk.get("moves", none), chunk.get("initial_state", none)
    names = chunk[["position_id", "source"] if "moves" in chunk else []].itertuples(index=False)
    for place, (text, actions, start, ply, names_of_row) in enumerate(
        zip(chunk["true_state"], moves, starts, chunk["ply"], names, strict=True)
    ):
        if not isinstance(text, str):
            continue
        true = environment.parse_true(text)
        if true.fault:
            findings.add_row("true_state does not parse", place, f"{named(place)}: {text!r}")
        elif reason := environment.variant_fault(true, actions, names_of_row):
            what = "true_state or its episode is of another environment, which is not scored"
            findings.add_row(what, place, f"{named(place)}: {reason}")
        elif isinstance(actions, str):
            start = start if isinstance(start, str) else ""
            count = int(ply) if pd.notna(ply) else -1
            fault = _fault_of_moves(environment, start, actions, true.text, count)
            if fault:
                findings.add_row(fault, place, named(place))


def check_groups(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check the groups: the length at the cut, or the upper limit of a band of lengths."""
    last = environment.actions_per_group * chunk["group"]
    wrong = (chunk["ply"] > last) | (chunk["ply"] <= last - PLIES_A_GROUP)
    named = _named(chunk)

    def example(place: int) -> str:
        group, ply = (chunk[name].iloc[place] for name in ("group", "ply"))
        return f"{named(place)}: group {group}, ply {ply}"

    findings.add("ply lies outside the group", wrong & chunk["ply"].gt(0), example)


def check_classes(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check that the class of each predicted state is that which the environment gives it."""
    named = _named(chunk)
    for place, (text, reply_class, task) in enumerate(
        zip(chunk["predicted_state"], chunk["reply_class"], chunk["task"], strict=True)
    ):
        valid = {"reply_class": (reply_class, CLASSES), "task": (task, task_names())}
        unknown = [name for name, (value, values) in valid.items() if value not in values]
        if unknown:
            value, values = valid[unknown[0]]
            what = f"{unknown[0]} is not one of {', '.join(values)}"
            findings.add_row(what, place, f"{named(place)}: {value!r}")
            continue
        if not task_named(task).gives_state:
            continue
        expected = class_of(environment, text if isinstance(text, str) else None)
        if reply_class == ReplyClass.FAILED and expected == ReplyClass.ABSENT:
            if "reply" in chunk and isinstance(chunk["reply"].iloc[place], str):
                what = "reply_class is failed though there is a reply"
                findings.add_row(what, place, named(place))
            continue
        if (
            reply_class == ReplyClass.UNPARSEABLE
            and isinstance(text, str)
            and len(text.split()) == 1
        ):
            # A placement without a side to move in the reply.
            continue
        if expected != reply_class:
            what = "reply_class contradicts the reading of predicted_state"
            findings.add_row(
                what, place, f"{named(place)}: {reply_class} for {text!r}, which is {expected}"
            )


def check_moves(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check that the moves of complete games can be decoded."""
    del environment
    for place, (number, codes) in enumerate(zip(chunk["number"], chunk["moves"], strict=True)):
        if codes is None:
            continue
        try:
            decode_moves(codes)
        except TableError as error:
            findings.add_row("moves contains an invalid move", place, f"game {number}: {error}")


def check_metrics(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check that metrics are in range, follow from their columns, and are null only for a reason.

    A task that does not ask for a state leaves some metrics undefined.
    """
    named = _named(chunk)
    all_scored = chunk["unscored"] == ""
    scored = all_scored & chunk["task"].isin(
        [name for name in task_names() if task_named(name).gives_state]
    )
    findings.add("not scored", ~all_scored & chunk["unscored"].notna(), _with(chunk, "unscored"))
    columns: dict[str, Values] = {}
    for name in map(str, chunk):
        metric = find_metric(name, environment)
        if metric is None:
            continue
        with_value = _with(chunk, name)
        values = chunk[name].astype(float)
        columns[name] = np.asarray(values, dtype=np.float64)
        if metric.defined:
            findings.add(f"{name} is null in a scored row", scored & values.isna(), named)
        unasked = ~all_scored & values.notna()
        findings.add(f"{name} is defined in a row that was not scored", unasked, with_value)
        low, high = metric.range
        outside = (values < low - TOLERANCE) | (values > high + TOLERANCE)
        findings.add(f"{name} lies outside its range", outside, with_value)
        if metric.needs == "columns":
            computed = column_values(metric, columns)
            wrong = ~np.isclose(computed, columns[name], rtol=0, atol=TOLERANCE, equal_nan=True)
            findings.add(f"{name} does not follow from its columns", pd.Series(wrong), with_value)
    if "wrong_squares" in chunk:
        name = environment.accuracy_column
        contradiction = (64 * (1 - chunk[name]) - chunk["wrong_squares"]).abs()
        findings.add(f"wrong_squares contradicts {name}", contradiction > TOLERANCE, named)
    _check_sinks(chunk, scored, findings)


def _check_sinks(chunk: pd.DataFrame, scored: "pd.Series[bool]", findings: Findings) -> None:
    sink = ~chunk["reply_class"].isin(["valid", "ill_formed"])
    sink |= (chunk["reply_class"] == "ill_formed") & (chunk["ill_formed_policy"] == "sink")
    for measure in MEASURES:
        metrics = filter(None, map(find_metric, map(str, chunk)))
        columns = [each.column for each in metrics if each.name == measure]
        for column in columns:
            what = f"{column} is not 0 though the reply is no state"
            findings.add(what, scored & sink & (chunk[column] != 0), _with(chunk, column))
        for shorter, longer in pairwise(columns):
            rises = chunk[longer] > chunk[shorter] + TOLERANCE
            findings.add(f"{longer} is larger than {shorter}", rises, _named(chunk))


def _named(chunk: pd.DataFrame) -> Callable[[int], str]:
    """Return a function that names a row by its place; most rows are never named."""
    rows = chunk[[name for name in REPLY_KEY if name in chunk]]
    return lambda place: ", ".join(filter(None, map(str, rows.iloc[place])))


def _with(chunk: pd.DataFrame, column: str) -> Callable[[int], str]:
    named, values = _named(chunk), chunk[column]
    return lambda place: f"{named(place)}: {values.iloc[place]!r}"


@lru_cache(maxsize=1 << 14)
def class_of(environment: AnyEnvironment, text: str | None) -> str:
    """Return which class of reply a text of a state is, None being none."""
    return str(environment.classify_state(text).reply_class)


@lru_cache(maxsize=1 << 14)
def _fault_of_moves(
    environment: AnyEnvironment, start: str, moves: str, true: str, ply: int
) -> str:
    if len(environment.split_moves(moves)) != ply:
        return "ply is not the number of moves"
    try:
        state = environment.replay(start, moves)
    except WorkbenchError:
        return "moves contains an illegal move"
    if environment.plain_moves(moves) != moves:
        return "moves has another spelling of castling"
    expected = environment.parse(true)
    reached = environment.parse(environment.state_text(state))
    if environment.same_state(reached, expected):
        return ""
    return "true_state does not follow from the moves"

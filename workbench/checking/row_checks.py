"""Anomalies in the rows of each kind of table."""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd

from workbench.answers.imports.true_states import PLIES_A_GROUP
from workbench.checking.findings import Findings
from workbench.depth_summaries import Values
from workbench.environments.registry import AnyEnvironment
from workbench.errors import TableError, WorkbenchError
from workbench.games.move_codes import decode_moves
from workbench.metrics import column_values, find_metric
from workbench.prediction import CLASSES, ReplyClass
from workbench.scoring.parameters import MEASURES
from workbench.tables.reply_identity import REPLY_KEY
from workbench.tasks import task_named, task_names

REQUIRED = {
    "positions": ("position_id", "group", "true_state"),
    "predictions": (
        "environment",
        "set",
        "task",
        "model",
        "setting",
        "sample",
        "reply_class",
        "status",
        "reason",
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

    What a row is called tells of another environment only where its actions could contradict the
    name.
    """
    named = _named(chunk)
    none = [None] * len(chunk)
    moves, starts = chunk.get("moves", none), chunk.get("initial_state", none)
    names = chunk[["position_id", "source"] if "moves" in chunk else []].itertuples(index=False)
    for place, (text, played, start, ply, called) in enumerate(
        zip(chunk["true_state"], moves, starts, chunk["ply"], names, strict=True)
    ):
        if not isinstance(text, str):
            continue
        true = environment.parsed_true(text)
        if true.fault:
            findings.add_row("true_state does not parse", place, f"{named[place]}: {text!r}")
        elif reason := environment.refusal(true, played, called):
            what = "true_state or its episode is of another environment, which is not scored"
            findings.add_row(what, place, f"{named[place]}: {reason}")
        elif isinstance(played, str):
            start = start if isinstance(start, str) else ""
            count = int(ply) if pd.notna(ply) else -1
            fault = _fault_of_moves(environment, start, played, true.text, count)
            if fault:
                findings.add_row(fault, place, named[place])


def check_groups(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check the groups: the length at the cut, or the upper limit of a band of lengths."""
    last = environment.actions_a_group * chunk["group"]
    wrong = (chunk["ply"] > last) | (chunk["ply"] <= last - PLIES_A_GROUP)
    shown = [
        f"{name}: group {group}, ply {ply}"
        for name, group, ply in zip(_named(chunk), chunk["group"], chunk["ply"], strict=True)
    ]
    findings.add("ply lies outside the group", wrong & chunk["ply"].gt(0), shown)


def check_classes(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check that the class of each predicted state is that which the environment gives it."""
    named = _named(chunk)
    for place, (text, given, task) in enumerate(
        zip(chunk["predicted_state"], chunk["reply_class"], chunk["task"], strict=True)
    ):
        if given not in CLASSES:
            what = f"reply_class is not one of {', '.join(CLASSES)}"
            findings.add_row(what, place, f"{named[place]}: {given!r}")
            continue
        if task not in task_names():
            what = f"task is not one of {', '.join(task_names())}"
            findings.add_row(what, place, f"{named[place]}: {task!r}")
            continue
        if not task_named(task).gives_state:
            continue
        found = class_of(environment, text if isinstance(text, str) else None)
        if given == ReplyClass.FAILED and found == ReplyClass.ABSENT:
            if "reply" in chunk and isinstance(chunk["reply"].iloc[place], str):
                what = "reply_class is failed though there is a reply"
                findings.add_row(what, place, named[place])
            continue
        if given == ReplyClass.UNPARSEABLE and isinstance(text, str) and len(text.split()) == 1:
            # A placement without a side to move in the reply.
            continue
        if found != given:
            what = "reply_class contradicts the reading of predicted_state"
            findings.add_row(what, place, f"{named[place]}: {given} for {text!r}, which is {found}")


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
    scored = all_scored & chunk["task"].isin(_state_tasks())
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
        columns = [
            each.column
            for each in filter(None, map(find_metric, map(str, chunk)))
            if each.name == measure
        ]
        for column in columns:
            what = f"{column} is not 0 though the reply is no state"
            findings.add(what, scored & sink & (chunk[column] != 0), _with(chunk, column))
        for shorter, longer in pairwise(columns):
            rises = chunk[longer] > chunk[shorter] + TOLERANCE
            findings.add(f"{longer} is larger than {shorter}", rises, _named(chunk))


def _named(chunk: pd.DataFrame) -> list[str]:
    names = [name for name in REPLY_KEY if name in chunk]
    rows = chunk[names].itertuples(index=False)
    return [", ".join(filter(None, map(str, row))) for row in rows]


def _with(chunk: pd.DataFrame, column: str) -> list[str]:
    return [f"{name}: {value!r}" for name, value in zip(_named(chunk), chunk[column], strict=True)]


@lru_cache(maxsize=1 << 14)
def class_of(environment: AnyEnvironment, text: str | None) -> str:
    """Return which class of reply a text of a state is, None being none."""
    return str(environment.classify_state(text).reply_class)


def _state_tasks() -> list[str]:
    return [name for name in task_names() if task_named(name).gives_state]


@lru_cache(maxsize=1 << 14)
def _fault_of_moves(
    environment: AnyEnvironment, start: str, moves: str, true: str, ply: int
) -> str:
    """Return what is wrong with actions that should lead to a state, or nothing."""
    if len(environment.split_moves(moves)) != ply:
        return "ply is not the number of moves"
    try:
        state = environment.replay(start, moves)
    except WorkbenchError:
        return "moves contains an illegal move"
    if environment.plain_moves(moves) != moves:
        return "moves has another spelling of castling"
    given = environment.parsed(true)
    reached = environment.parsed(environment.state_text(state))
    return (
        ""
        if environment.same_state(reached, given)
        else "true_state does not follow from the moves"
    )

"""Anomalies in the rows of each kind of table."""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd

from workbench.answers.imports.true_states import PLIES_A_GROUP
from workbench.checking.findings import Findings
from workbench.environments.registry import AnyEnvironment
from workbench.errors import TableError, WorkbenchError
from workbench.games.move_codes import decode_moves
from workbench.prediction import CLASSES, ReplyClass
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


def check_measures(chunk: pd.DataFrame, findings: Findings, environment: AnyEnvironment) -> None:
    """Check that measures are in range, and undefined only where the row gives a reason.

    A task that does not ask for a state leaves some measures undefined.
    """
    named = _named(chunk)
    all_scored = chunk["unscored"] == ""
    scored = all_scored & chunk["task"].isin(_state_tasks())
    findings.add("not scored", ~all_scored & chunk["unscored"].notna(), _with(chunk, "unscored"))
    for name in [name for name in chunk if _is_measure(str(name))]:
        values = chunk[name]
        shown = _with(chunk, str(name))
        findings.add(f"{name} is null in a scored row", scored & values.isna(), named)
        findings.add(
            f"{name} is defined in a row that was not scored", ~all_scored & ~values.isna(), shown
        )
        high = np.inf if str(name).endswith("_standard_error") else 1 + TOLERANCE
        findings.add(f"{name} lies outside its range", (values < 0) | (values > high), shown)
    for name in sorted({"board_accuracy", "element_accuracy"} & set(chunk)):
        share = chunk[name]
        findings.add(f"{name} lies outside [0, 1]", (share < 0) | (share > 1), named)
    if {"board_accuracy", "wrong_squares"} <= set(chunk):
        contradiction = (64 * (1 - chunk["board_accuracy"]) - chunk["wrong_squares"]).abs()
        findings.add("wrong_squares contradicts board_accuracy", contradiction > TOLERANCE, named)
    for name in [each for each, _ in environment.measure_fields if each.startswith("levenshtein")]:
        if chunk[name].dtype == bool or name.endswith("_to_empty"):
            continue
        findings.add(f"{name} is null in a scored row", scored & chunk[name].isna(), named)
        findings.add(f"{name} is negative", chunk[name] < 0, _with(chunk, name))
    _check_sinks(chunk, scored, findings)


def _check_sinks(chunk: pd.DataFrame, scored: "pd.Series[bool]", findings: Findings) -> None:
    sink = ~chunk["reply_class"].isin(["valid", "ill_formed"])
    sink |= (chunk["reply_class"] == "ill_formed") & (chunk["ill_formed_policy"] == "sink")
    for measure in ("precision", "recall"):
        depths = sorted(
            int(str(name).rsplit("_", 1)[-1])
            for name in chunk
            if _is_measure(str(name)) and str(name).startswith(f"{measure}_")
            if not str(name).endswith("_standard_error")
        )
        columns = [f"{measure}_{depth}" for depth in depths]
        for column in columns:
            what = f"{column} is not 0 though the reply is no state"
            findings.add(what, scored & sink & (chunk[column] != 0), _with(chunk, column))
        for shorter, longer in pairwise(columns):
            rises = chunk[longer] > chunk[shorter] + TOLERANCE
            findings.add(f"{longer} is larger than {shorter}", rises, _named(chunk))


def _is_measure(name: str) -> bool:
    measure, _, rest = name.partition("_")
    return measure in ("precision", "recall") and rest.removesuffix("_standard_error").isdigit()


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

"""The table of predictions of a run, from its journal, and the renewed extraction of its answers."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa

from workbench.answers.imports.inspect_logs import LoggedReply, logged_reply, prediction_of
from workbench.asking.conversations import answered, conversations_of, turn_positions
from workbench.asking.costs import Price, implausible_usage
from workbench.asking.journal import FILE_NAME, Record, journal_record
from workbench.asking.run_folder import RUN_FILE, RunFolder
from workbench.asking.settings import Question
from workbench.environments.registry import environment_of
from workbench.errors import TableError
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    REPLY_KEY,
    as_frame,
    read_provenance,
    read_table,
    write_table,
)
from workbench.tables.provenance import file_hash
from workbench.tasks import task_named

MEASURES: Final = ("input_tokens", "output_tokens", "reasoning_tokens", "dollars", "seconds")
_INPUT: Final = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")


def question_usage(
    record: Record, question: tuple[str, int], turns: Iterable[int]
) -> dict[str, Any]:
    """Return the `MEASURES` of the calls that answered turns of a question, summed over these turns.

    Tokens of the input count whether the provider had them cached or not; those of the output
    hold the reasoning. A measure that is not known of every turn is None.
    """
    keys = [(*question, turn) for turn in turns if (*question, turn) in record.answers]
    calls = [_call(record.answers[key], record.costs.get(key)) for key in keys]
    values = {name: [call[name] for call in calls] for name in MEASURES}
    return {name: None if not each or None in each else sum(each) for name, each in values.items()}


def _call(output: Mapping[str, Any], dollars: float | None) -> dict[str, Any]:
    usage = output.get("usage") or {}
    counts = {} if implausible_usage(usage) else usage
    return {
        "input_tokens": sum(counts.get(name) or 0 for name in _INPUT) if counts else None,
        "output_tokens": counts.get("output_tokens"),
        "reasoning_tokens": counts.get("reasoning_tokens"),
        "dollars": dollars,
        "seconds": output.get("time"),
    }


def run_predictions(folder: RunFolder, price: Price | None = None) -> pd.DataFrame:
    """Return the predictions of a run: positions in their order, samples within each.

    A failed call is a row of class ``failed``, whose reason begins with
    `workbench.answers.imports.import_result.CALL_FAILED`. A question that was not asked yet has no row.
    Of a conversation with a state for each turn, each answered or failed turn is a row.
    """
    positions = read_table(folder.positions, POSITIONS)
    question = Question.from_description(folder.description()["question"])
    record = journal_record(folder.path, price)
    order = {name: place for place, name in enumerate(positions["position_id"])}
    conversations = conversations_of(positions, question.full_prompt)
    questions = answered(record, conversations) | record.failures.keys()
    if question.full_prompt.dialogue:
        questions |= {(name, sample) for name, sample, _ in record.answers}
    keys = sorted(
        (key for key in questions if key[0] in order), key=lambda key: (order[key[0]], key[1])
    )
    rows: list[dict[Any, Any]] = []
    for key in keys:
        position: dict[Any, Any] = positions.iloc[order[key[0]]].to_dict()
        replies = record.replies(key)
        turns = conversations[key[0]].turns(replies)
        if turns is None:
            rows.append({**position, **_answer(record, question, key)})
            continue
        count = len(replies) + (key in record.failures)
        parts = turn_positions(position, turns[:count], question.asked_environment)
        rows += [
            {**part, **_turn_answer(record, question, key, turn)} for turn, part in enumerate(parts)
        ]
    frame = pd.DataFrame(rows, columns=PREDICTIONS.names, dtype=object)
    # The same types as when the table is read.
    return as_frame(pa.Table.from_pandas(frame, schema=PREDICTIONS, preserve_index=False))


def _turn_answer(
    record: Record, question: Question, key: tuple[str, int], turn: int
) -> dict[str, Any]:
    """Return the columns of one turn of a question that the positions do not have."""
    entry = {"id": key[0], "epoch": key[1] + 1}
    output = record.answers.get((*key, turn))
    if output is None:
        entry["error"] = {"message": record.failures[key].reason}
    else:
        entry["output"] = output
    reply = logged_reply(entry, question.model)
    return _columns(question, key[1], reply, question_usage(record, key, [turn]))


def _columns(
    question: Question, sample: int, reply: LoggedReply, usage: dict[str, Any]
) -> dict[str, Any]:
    return {
        "set": "",
        "task": question.task,
        "model": question.model,
        "setting": "",
        "sample": sample,
        "reply": reply.reply,
        **reply.prediction(question.asked_environment, question.asked_task).columns(),
        "earlier_turns": None,
        "stop_reason": reply.stop_reason or None,
        **usage,
    }


def _answer(record: Record, question: Question, key: tuple[str, int]) -> dict[str, Any]:
    """Return the columns of a question that the positions do not have."""
    name, sample = key
    turns = len(question.full_prompt.turns)
    replies = [
        logged_reply({"id": name, "epoch": sample + 1, "output": output}, question.model)
        for output in (record.answers.get((name, sample, turn)) for turn in range(turns))
        if output is not None
    ]
    last = replies.pop() if len(replies) == turns else None
    if last is None:
        failed = {"error": {"message": record.failures[key].reason}}
        last = logged_reply({"id": name, "epoch": sample + 1, **failed}, question.model)
    earlier = json.dumps([reply.reply for reply in replies], ensure_ascii=False)
    columns = _columns(question, sample, last, question_usage(record, key, range(turns)))
    return {**columns, "earlier_turns": earlier if turns > 1 else None}


def write_run_predictions(folder: RunFolder, price: Price | None = None) -> pd.DataFrame:
    """Write the table of a run into its folder, and return it.

    The prompt, the model's options and the hashes go into the file's provenance.
    """
    frame = run_predictions(folder, price)
    write_table(frame, folder.predictions, PREDICTIONS, run_provenance(folder))
    return frame


def run_provenance(folder: RunFolder) -> dict[str, Any]:
    """Return what a run's table was made from: prompt, options, hashes and the extractor."""
    description = folder.description()
    question = Question.from_description(description["question"])
    return {
        "stage": "predictions",
        "positions_sha256": description["positions_sha256"],
        "asked": description["question"],
        "asked_sha256": question.sha256,
        "versions": description["versions"],
        "extractor_version": question.asked_environment.reader_version,
    }


VERSION: Final = "extractor_version"
"""The name of the extractor's version in the provenance of a predictions table."""

_ANSWERS: Final = ["predicted_state", "predicted_actions"]
_EXTRACTED: Final = [*_ANSWERS, "reply_class", "status", "reason"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """A predictions table with answers extracted again, and the files that it was made from.

    Rows without a reply, such as failed calls, stay. ``new_rows`` are in a run's journal and were
    not yet in its table; ``damaged_lines`` of the journal are left out.
    """

    predictions: pd.DataFrame
    provenance: dict[str, Any]
    inputs: tuple[Path, ...]
    without_reply: int
    new_rows: int
    changed_answers: int
    changed_classes: dict[tuple[str, str], int]
    damaged_lines: tuple[int, ...] = ()


def extract_again(path: Path) -> Extraction:
    """Extract the answers from the replies of a predictions table or a run's journal again."""
    return _of_run(RunFolder(path)) if path.is_dir() else _of_table(path)


def _of_table(path: Path) -> Extraction:
    before = read_table(path, PREDICTIONS)
    predictions = before.copy()
    environment = environment_of(before, path)
    has_reply = _has_reply(before)
    read = before.loc[has_reply, ["reply", "stop_reason", "task"]]
    columns = [
        prediction_of(
            reply, stop if isinstance(stop, str) else "", environment, task_named(task)
        ).columns()
        for reply, stop, task in zip(*(read[name] for name in read.columns), strict=True)
    ]
    predictions.loc[has_reply, _EXTRACTED] = pd.DataFrame(
        columns, columns=_EXTRACTED, index=read.index, dtype=object
    )
    origin = read_provenance(path)
    provenance = {
        **origin,
        # The table may have held what a log cut out; now it holds what is in the whole replies.
        **({"text": "raw"} if "text" in origin else {}),
        VERSION: environment.reader_version,
        "read_again": {"table_sha256": file_hash(path), VERSION: origin.get(VERSION)},
    }
    return _compared(predictions, before, provenance, (path,))


def _of_run(folder: RunFolder) -> Extraction:
    if not folder.description():
        raise TableError(
            f"{folder.path}: expected a predictions table or the folder of a run, got a folder "
            f"without {RUN_FILE}; name the table in it"
        )
    predictions = run_predictions(folder)
    keys = _keys(predictions)
    before = predictions.iloc[:0]
    if folder.predictions.exists():
        table = read_table(folder.predictions, PREDICTIONS)
        before = table.set_index(_keys(table))
        lost = before.index.difference(keys, sort=False)
        if len(lost):
            raise TableError(
                f"{folder.path}: expected every row of {folder.predictions.name} in the journal, "
                f"got {len(lost)} that are not there, such as {lost[0]!r}; name the table instead"
            )
    in_table = keys.isin(before.index)
    aligned = before.reindex(keys[in_table]).set_index(predictions.index[in_table])
    inputs = (folder.predictions, folder.positions, folder.path / RUN_FILE, folder.path / FILE_NAME)
    damaged = tuple(journal_record(folder.path).damaged)
    return replace(
        _compared(predictions, aligned, run_provenance(folder), inputs), damaged_lines=damaged
    )


def _keys(frame: pd.DataFrame) -> "pd.Index[Any]":
    rows = frame[list(REPLY_KEY)].itertuples(index=False, name=None)
    return pd.Index(list(rows), dtype=object, tupleize_cols=False)


def _compared(
    predictions: pd.DataFrame,
    before: pd.DataFrame,
    provenance: dict[str, Any],
    inputs: tuple[Path, ...],
) -> Extraction:
    """Return what was found, with how it differs from the rows of ``before`` by their index."""
    now = predictions.loc[before.index]
    classes = Counter(zip(before["reply_class"], now["reply_class"], strict=True))
    return Extraction(
        predictions=predictions,
        provenance=provenance,
        inputs=inputs,
        without_reply=int((~_has_reply(predictions)).sum()),
        new_rows=len(predictions) - len(before),
        changed_answers=int(
            (before[_ANSWERS].fillna("") != now[_ANSWERS].fillna("")).any(axis=1).sum()
        ),
        changed_classes={pair: rows for pair, rows in classes.most_common() if pair[0] != pair[1]},
    )


def _has_reply(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["reply"].map(lambda reply: isinstance(reply, str)).astype(bool)

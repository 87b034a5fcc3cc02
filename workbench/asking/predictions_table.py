"""The table of predictions of a run, from its journal."""

import json
from typing import Any

import pandas as pd
import pyarrow as pa

from workbench.answers.imports.eval_logs import logged_reply
from workbench.asking.costs.prices import Price
from workbench.asking.journal import Record, journal_record
from workbench.asking.run_folder import RunFolder
from workbench.asking.settings import Question
from workbench.asking.usage import question_usage
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    as_frame,
    read_table,
    write_table,
)


def run_predictions(folder: RunFolder, price: Price | None = None) -> pd.DataFrame:
    """Return the predictions of a run: positions in their order, samples within each.

    A failed call is a row of class ``failed``, whose reason begins with
    `workbench.answers.imports.eval_logs.CALL_FAILED`. A question that was not asked yet has no row.

    Args:
        folder: Folder of the run.
        price: Price of the model, for answers that were given before a price was known.

    Raises:
        TableError: If the copied positions cannot be read.
    """
    positions = read_table(folder.positions, POSITIONS)
    question = Question.from_description(folder.description()["question"])
    record = journal_record(folder.path, price)
    order = {name: place for place, name in enumerate(positions["position_id"])}
    asked = record.answered(len(question.prompted.turns) - 1) | record.failures.keys()
    keys = sorted(
        (key for key in asked if key[0] in order), key=lambda key: (order[key[0]], key[1])
    )
    answers = [_answer(record, question, key) for key in keys]
    rows = positions.iloc[[order[name] for name, _ in keys]].reset_index(drop=True)
    columns = PREDICTIONS.names[len(POSITIONS.names) :]
    frame = pd.concat([rows, pd.DataFrame(answers, columns=columns, dtype=object)], axis=1)
    # The same types as when the table is read.
    return as_frame(pa.Table.from_pandas(frame, schema=PREDICTIONS, preserve_index=False))


def _answer(record: Record, question: Question, key: tuple[str, int]) -> dict[str, Any]:
    """Return the columns of a question that the positions do not have."""
    name, sample = key
    turns = len(question.prompted.turns)
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
    return {
        "set": "",
        "task": question.task,
        "model": question.model,
        "setting": "",
        "sample": sample,
        "reply": last.reply,
        **last.prediction(question.asked_environment, question.asked_task).columns(),
        "earlier_turns": earlier if turns > 1 else None,
        "stop_reason": last.stop_reason or None,
        **question_usage(record, key, turns),
    }


def write_run_predictions(folder: RunFolder, price: Price | None = None) -> pd.DataFrame:
    """Write the table of a run into its folder, and return it.

    The prompt, the model's options and the hashes go into the file's provenance.

    Args:
        folder: Folder of the run.
        price: As of `run_predictions`.
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

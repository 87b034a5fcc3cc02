"""Renewed extraction of answers from replies; everything else in the table stays."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.answers.imports.eval_logs import prediction_of
from workbench.asking.journal import FILE_NAME, journal_record
from workbench.asking.predictions_table import run_predictions, run_provenance
from workbench.asking.run_folder import RUN_FILE, RunFolder
from workbench.environments.registry import environment_of
from workbench.errors import TableError
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, read_table
from workbench.tables.provenance import file_hash
from workbench.tables.reply_identity import REPLY_KEY
from workbench.tasks import task_named

VERSION: Final = "extractor_version"
"""The provenance of a predictions table says under this name which extractor read its replies."""

_ANSWERS: Final = ["predicted_state", "predicted_actions"]
_EXTRACTED: Final = [*_ANSWERS, "reply_class", "status", "reason"]


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """A predictions table whose replies were read again.

    Attributes:
        predictions: One row per reply, with the columns of
            `workbench.tables.parquet_tables.PREDICTIONS`.
        provenance: That of the table that was read, with the extractor's version.
        inputs: The files that were read.
        without_reply: Rows that hold no reply, such as failed calls: they are kept as they are.
        new_rows: Rows of a run's journal that its table did not have yet.
        changed_answers: Rows in which another text is taken for the state, or for the actions.
        changed_classes: How many rows went from one class to another, by both.
        damaged_lines: Lines of a run's journal that cannot be read, from 1; what they hold is left
            out.
    """

    predictions: pd.DataFrame
    provenance: dict[str, Any]
    inputs: tuple[Path, ...]
    without_reply: int
    new_rows: int
    changed_answers: int
    changed_classes: dict[tuple[str, str], int]
    damaged_lines: tuple[int, ...] = ()


def read_again(path: Path) -> ReadAgain:
    """Read the replies of a predictions table, or of a run's journal, again.

    Args:
        path: A predictions table, or the folder of a run of ``workbench ask``.

    Raises:
        TableError: If it is neither.
        JournalError: If the journal cannot be read.
    """
    return _of_run(RunFolder(path)) if path.is_dir() else _of_table(path)


def _of_table(path: Path) -> ReadAgain:
    before = read_table(path, PREDICTIONS)
    found = before.copy()
    environment = environment_of(before, path)
    has_reply = _has_reply(before)
    read = before.loc[has_reply, ["reply", "stop_reason", "task"]]
    columns = [
        prediction_of(
            reply, stop if isinstance(stop, str) else "", environment, task_named(task)
        ).columns()
        for reply, stop, task in zip(*(read[name] for name in read.columns), strict=True)
    ]
    found.loc[has_reply, _EXTRACTED] = pd.DataFrame(
        columns, columns=_EXTRACTED, index=read.index, dtype=object
    )
    known = read_provenance(path)
    provenance = {
        **known,
        # The table may have held what a log cut out; now it holds what is in the whole replies.
        **({"text": "raw"} if "text" in known else {}),
        VERSION: environment.reader_version,
        "read_again": {"table_sha256": file_hash(path), VERSION: known.get(VERSION)},
    }
    return _compared(found, before, provenance, (path,))


def _of_run(folder: RunFolder) -> ReadAgain:
    if not folder.description():
        raise TableError(
            f"{folder.path}: expected a predictions table or the folder of a run, got a folder "
            f"without {RUN_FILE}; name the table in it"
        )
    found = run_predictions(folder)
    keys = found[list(REPLY_KEY)].apply(tuple, axis=1) if len(found) else pd.Series(dtype=object)
    before = found.iloc[:0]
    if folder.predictions.exists():
        table = read_table(folder.predictions, PREDICTIONS)
        before = table.set_index(
            pd.Index(table[list(REPLY_KEY)].apply(tuple, axis=1), tupleize_cols=False)
        )
        lost = before.index.difference(pd.Index(keys, tupleize_cols=False), sort=False)
        if len(lost):
            raise TableError(
                f"{folder.path}: expected every row of {folder.predictions.name} in the journal, "
                f"got {len(lost)} that are not there, such as {lost[0]!r}; name the table instead"
            )
    known = keys.isin(before.index)
    aligned = before.reindex(keys[known]).set_index(found.index[known])
    inputs = (folder.predictions, folder.positions, folder.path / RUN_FILE, folder.path / FILE_NAME)
    damaged = tuple(journal_record(folder.path).damaged)
    return replace(_compared(found, aligned, run_provenance(folder), inputs), damaged_lines=damaged)


def _compared(
    found: pd.DataFrame, before: pd.DataFrame, provenance: dict[str, Any], inputs: tuple[Path, ...]
) -> ReadAgain:
    """Return what was found, with how it differs from the rows of ``before`` by their index."""
    now = found.loc[before.index]
    classes = Counter(zip(before["reply_class"], now["reply_class"], strict=True))
    return ReadAgain(
        predictions=found,
        provenance=provenance,
        inputs=inputs,
        without_reply=int((~_has_reply(found)).sum()),
        new_rows=len(found) - len(before),
        changed_answers=int(
            (before[_ANSWERS].fillna("") != now[_ANSWERS].fillna("")).any(axis=1).sum()
        ),
        changed_classes={pair: rows for pair, rows in classes.most_common() if pair[0] != pair[1]},
    )


def _has_reply(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["reply"].map(lambda reply: isinstance(reply, str)).astype(bool)

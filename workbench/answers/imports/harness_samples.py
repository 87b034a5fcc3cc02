"""Samples that lm-evaluation-harness logs (``--log_samples``) as predictions.

A file ``samples_TASK_TIME.jsonl`` has one object per document and filter: ``doc_id``, ``doc``,
``target``, ``resps`` (one list per request, of its repeated responses), ``filtered_resps``,
``filter``. The ``results_TIME.json`` beside it names the model.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.answers.imports.file_reading import FilesRead
from workbench.answers.imports.foreign_rows import (
    OWN_COLUMNS,
    ForeignRow,
    Unsaid,
    imported_rows,
    own_columns,
)
from workbench.answers.imports.import_result import (
    ImportedReplies,
    Refused,
    RefusedRowError,
    RowNote,
)
from workbench.answers.imports.named_columns import VARIANT_KEYS, inside, json_rows
from workbench.tables.provenance import json_hash

SAMPLES_NAME: Final = re.compile(
    r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl"
)
"""What the harness calls a file of samples."""

_MODEL_ARGUMENT: Final = re.compile(r"(?:^|,)(?:pretrained|model|path|engine)=([^,]+)")


def import_harness_samples(
    paths: Iterable[Path],
    *,
    columns: Mapping[str, str] | None = None,
    positions: pd.DataFrame | None = None,
    unsaid: Unsaid | None = None,
    encoding: str | None = None,
    files: FilesRead | None = None,
) -> ImportedReplies:
    """Read samples of lm-evaluation-harness whose task generates one board.

    ``position_id`` is the task's name and ``doc_id``, ``true_state`` the ``target``, and each of the
    responses in ``resps`` a row with its own ``sample``. The filters of the harness are not used:
    a document's rows of further filters hold the same responses, and are counted in ``folded``.

    Args:
        paths: Files of samples.
        columns: Our column to the object's member, dotted where it reaches into objects, such as
            ``true_state`` to ``doc.fen``.
        positions: Rows of the POSITIONS schema, to be found by ``position_id``.
        unsaid: What a row has where it says nothing of its own; a file of results tells its model.
        encoding: Encoding of all files, if not UTF-8.
        files: What opens them and follows the reading.

    Raises:
        InvalidArgumentError: If a column of ours is unknown.
        ReplyFileError: If a file cannot be read.
    """
    names = {"true_state": "target", **own_columns(columns)}
    reader = _Reader(names, encoding, files or FilesRead())
    rows = (row for path in paths for row in reader.rows(Path(path)))
    imported = imported_rows(rows, positions=positions, unsaid=unsaid)
    return replace(imported, folded=reader.folded)


class _Reader:
    """Rows of files, and how many objects held the responses of another filter's once more."""

    def __init__(self, columns: Mapping[str, str], encoding: str | None, files: FilesRead) -> None:
        self.columns = columns
        self.encoding = encoding
        self.files = files
        self.folded = 0

    def rows(self, path: Path) -> Iterator[ForeignRow | RowNote]:
        """Yield the rows of one file."""
        named = SAMPLES_NAME.fullmatch(path.name)
        task = named["task"] if named else path.stem
        model = _model_of(path, named["time"] if named else None)
        filters: dict[str, object] = {}
        for number, entry in json_rows(path, self.encoding, self.files):
            try:
                if isinstance(entry, str):
                    raise RefusedRowError(Refused.UNREADABLE, "", entry)
                replies = _replies(entry)
                key = json_hash({"doc": entry.get("doc_id"), "replies": replies})
                if filters.setdefault(key, entry.get("filter")) != entry.get("filter"):
                    self.folded += 1
                    continue
                for sample, reply in enumerate(replies):
                    yield self.row(path, number, entry, task, model, sample, reply)
            except RefusedRowError as error:
                yield error.remark.at(str(path), number, {})

    def row(
        self,
        path: Path,
        number: int,
        entry: dict[str, Any],
        task: str,
        model: str | None,
        sample: int,
        reply: str,
    ) -> ForeignRow:
        """Return the row of one response."""
        values = {"model": model, "sample": sample, "reply": reply}
        if "doc_id" in entry and "position_id" not in self.columns:
            values["position_id"] = f"{task}-{entry['doc_id']}"
        for name in OWN_COLUMNS:
            found, value = inside(entry, self.columns.get(name, ""))
            if found:
                values[name] = value
        doc = entry.get("doc")
        kept = doc if isinstance(doc, dict) else {}
        return ForeignRow(
            str(path),
            number,
            path.name,
            values,
            names=(task, *(kept.get(key) for key in VARIANT_KEYS)),
            called=self.columns,
        )


def _replies(entry: Mapping[str, Any]) -> list[str]:
    responses = entry.get("resps", entry.get("filtered_resps"))
    if isinstance(responses, list) and len(responses) == 1 and isinstance(responses[0], list):
        responses = responses[0]
    texts = responses if isinstance(responses, list) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise RefusedRowError(
            Refused.NO_REPLY,
            "resps",
            "expected generated texts, as of a task with output_type generate_until, got "
            f"{responses!r:.80}",
        )
    return texts


def _model_of(path: Path, time: str | None) -> str | None:
    """Return the model that the results beside a file of samples name, or None."""
    if time is None:
        return None
    for results in path.parent.glob(f"*_{time}.json"):
        try:
            found = json.loads(results.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if isinstance(found, dict):
            arguments = (found.get("config") or {}).get("model_args")
            inferred = _MODEL_ARGUMENT.search(arguments) if isinstance(arguments, str) else None
            name = found.get("model_name") or (inferred[1] if inferred else None)
            return str(name) if name else None
    return None

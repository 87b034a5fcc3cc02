"""Samples that lm-evaluation-harness logs (``--log_samples``) as predictions.

A file ``samples_TASK_TIME.jsonl`` has one object per document and filter: ``doc_id``, ``doc``,
``target``, ``resps`` (one list per request, of its repeated responses), ``filtered_resps``,
``filter``. The ``results_TIME.json`` beside it names the model.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.answers.imports.file_reading import SourceFiles
from workbench.answers.imports.foreign_rows import (
    OWN_COLUMNS,
    ForeignRow,
    RowDefaults,
    imported_rows,
    own_columns,
    rows_of_files,
)
from workbench.answers.imports.import_result import ImportedReplies, Refusal, RefusedRowError
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
    defaults: RowDefaults | None = None,
    encoding: str | None = None,
    files: SourceFiles | None = None,
) -> ImportedReplies:
    """Read samples of lm-evaluation-harness whose task generates one board.

    ``position_id`` is the task's name and ``doc_id``, ``true_state`` the ``target``, and each of the
    responses in ``resps`` a row with its own ``sample``. The filters of the harness are not used:
    a document's rows of further filters hold the same responses, and are counted in ``folded``.
    A file of results beside the samples names their model. Arguments and errors are as of
    `import_named_columns`; ``columns`` names members, such as ``doc.fen`` for ``true_state``.
    """
    names, files = {"true_state": "target", **own_columns(columns)}, files or SourceFiles()
    # By file, the filter under which responses to a document were read first.
    filters: dict[tuple[Path, str], object] = {}
    folded = 0
    described = cache(_task_and_model)

    def rows_of(path: Path, number: int, entry: dict[str, Any]) -> Iterator[ForeignRow]:
        nonlocal folded
        replies = _replies(entry)
        key = path, json_hash({"doc": entry.get("doc_id"), "replies": replies})
        if filters.setdefault(key, entry.get("filter")) != entry.get("filter"):
            folded += 1
            return
        task, model = described(path)
        values: dict[str, Any] = {"model": model}
        if "doc_id" in entry and "position_id" not in names:
            values["position_id"] = f"{task}-{entry['doc_id']}"
        members = {name: inside(entry, names.get(name, "")) for name in OWN_COLUMNS}
        mapped = {name: value for name, (is_there, value) in members.items() if is_there}
        doc = entry.get("doc")
        variants = [doc.get(key) if isinstance(doc, dict) else None for key in VARIANT_KEYS]
        for sample, reply in enumerate(replies):
            yield ForeignRow(
                str(path),
                number,
                path.name,
                {**values, "sample": sample, "reply": reply, **mapped},
                names=(task, *variants),
                called=names,
            )

    rows = rows_of_files(paths, lambda path: json_rows(path, encoding, files), rows_of)
    imported = imported_rows(rows, positions=positions, defaults=defaults)
    return replace(imported, folded=folded)


def _replies(entry: Mapping[str, Any]) -> list[str]:
    responses = entry.get("resps", entry.get("filtered_resps"))
    if isinstance(responses, list) and len(responses) == 1 and isinstance(responses[0], list):
        responses = responses[0]
    texts = responses if isinstance(responses, list) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise RefusedRowError(
            Refusal.NO_REPLY,
            "resps",
            "expected generated texts, as of a task with output_type generate_until, got "
            f"{responses!r:.80}",
        )
    return texts


def _task_and_model(path: Path) -> tuple[str, str | None]:
    """Return the task that a file of samples is named after, and the model of the results beside it."""
    named = SAMPLES_NAME.fullmatch(path.name)
    if named is None or named["time"] is None:
        return named["task"] if named else path.stem, None
    for results in path.parent.glob(f"*_{named['time']}.json"):
        try:
            contents = json.loads(results.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            break
        if isinstance(contents, dict):
            arguments = (contents.get("config") or {}).get("model_args")
            inferred = _MODEL_ARGUMENT.search(arguments) if isinstance(arguments, str) else None
            name = contents.get("model_name") or (inferred[1] if inferred else None)
            return named["task"], str(name) if name else None
    return named["task"], None

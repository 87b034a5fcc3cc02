"""Import of recorded replies as tables of predictions: benchmark logs and named columns; the format is detected."""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from workbench.answers.imports.file_reading import SourceFiles
from workbench.answers.imports.foreign_rows import RowDefaults
from workbench.answers.imports.harness_samples import SAMPLES_NAME, import_harness_samples
from workbench.answers.imports.import_result import ImportedReplies, Refusal, RemarkReason, RowNote
from workbench.answers.imports.inspect_logs import import_inspect_logs
from workbench.answers.imports.named_columns import DELIMITED, import_named_columns, json_rows
from workbench.answers.imports.pgn2fen import import_pgn2fen
from workbench.errors import ReplyFileError

__all__ = [
    "IMPORTERS",
    "ImportedReplies",
    "Refusal",
    "RemarkReason",
    "RowDefaults",
    "RowNote",
    "SourceFiles",
    "format_of",
    "import_harness_samples",
    "import_inspect_logs",
    "import_named_columns",
    "import_pgn2fen",
]


IMPORTERS: Final[Mapping[str, Callable[..., ImportedReplies]]] = {
    "pgn2fen": import_pgn2fen,
    "inspect": import_inspect_logs,
    "lm-eval": import_harness_samples,
    "columns": import_named_columns,
}
"""The reader of each format; `format_of` detects it."""


def format_of(path: Path, encoding: str | None = None) -> str:
    """Return which format a file has.

    ``.eval`` and ``.json`` are logs of Inspect, ``.csv``, ``.tsv``, ``.tab`` and ``.txt`` tables
    with named columns. Of JSON Lines the first object tells, and without one the file's name.
    """
    suffix = path.suffix.lower()
    if suffix in (".eval", ".json"):
        return "inspect"
    if suffix in DELIMITED:
        return "columns"
    if not path.is_file():
        raise ReplyFileError(
            f"{path}: expected a file, found none, or a folder or pipe; check the name, or name the "
            "format of a pipe"
        )
    with closing(json_rows(path, encoding, SourceFiles())) as rows:
        _, entry = next(rows, (0, None))
    if isinstance(entry, dict):
        if "game_info" in entry or "llm_info" in entry:
            return "pgn2fen"
        if "doc_id" in entry and {"resps", "filtered_resps"} & set(entry):
            return "lm-eval"
        return "columns"
    return "lm-eval" if SAMPLES_NAME.fullmatch(path.name) else "pgn2fen"

"""Replies recorded by others as tables of predictions: logs of benchmarks, and named columns."""

from workbench.replies.imports.formats import format_of
from workbench.replies.imports.harness_samples import import_harness_samples
from workbench.replies.imports.imported import ImportedReplies, Noticed, Refused, RowNote
from workbench.replies.imports.inspect_logs import import_inspect_logs
from workbench.replies.imports.named_columns import import_named_columns
from workbench.replies.imports.pgn2fen import import_pgn2fen
from workbench.replies.imports.reading import FilesRead

__all__ = [
    "FilesRead",
    "ImportedReplies",
    "Noticed",
    "Refused",
    "RowNote",
    "format_of",
    "import_harness_samples",
    "import_inspect_logs",
    "import_named_columns",
    "import_pgn2fen",
]

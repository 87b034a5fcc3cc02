"""Import of recorded replies as tables of predictions: benchmark logs, and named columns."""

from workbench.answers.imports.file_reading import FilesRead
from workbench.answers.imports.foreign_rows import Unsaid
from workbench.answers.imports.formats import format_of
from workbench.answers.imports.harness_samples import import_harness_samples
from workbench.answers.imports.imported import ImportedReplies, Noticed, Refused, RowNote
from workbench.answers.imports.inspect_logs import import_inspect_logs
from workbench.answers.imports.named_columns import import_named_columns
from workbench.answers.imports.pgn2fen import import_pgn2fen

__all__ = [
    "FilesRead",
    "ImportedReplies",
    "Noticed",
    "Refused",
    "RowNote",
    "Unsaid",
    "format_of",
    "import_harness_samples",
    "import_inspect_logs",
    "import_named_columns",
    "import_pgn2fen",
]

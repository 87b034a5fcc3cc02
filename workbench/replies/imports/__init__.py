"""Replies recorded by others as tables of predictions: Inspect's logs, CSV and JSON Lines.

The logs of the PGN2FEN benchmark have a reader of their own, `workbench.replies.recorded`.
"""

from workbench.replies.imports.inspect_logs import import_inspect_logs
from workbench.replies.imports.named_columns import import_named_columns

__all__ = ["import_inspect_logs", "import_named_columns"]

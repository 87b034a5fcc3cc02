"""What the columns of tables are, in the words of data/README.md."""

import re
from functools import cache
from typing import Final

from workbench.resources import RESOURCES
from workbench.tables.earlier_versions import RENAMED

_ROW: Final = re.compile(r"\| (?P<names>`[^|]+) \| (?P<type>[^|]+) \| (?P<content>.+) \|")
_NAME: Final = re.compile(r"`([^`]+)`")
_DEPTH: Final = re.compile(r"(?<=^precision_)\d+|(?<=^recall_)\d+")


def column_description(name: str) -> str:
    """Return what a column of a table is; empty if data/README.md does not describe it.

    Args:
        name: Of a column, such as ``reply_class`` or ``precision_4``, or as it was called in an
            earlier version of its table.
    """
    return _descriptions().get(_DEPTH.sub("m", RENAMED.get(name, name)), "")


@cache
def _descriptions() -> dict[str, str]:
    text = (RESOURCES / "data" / "README.md").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for row in _ROW.finditer(text):
        for name in _NAME.findall(row["names"]):
            found.setdefault(name, row["content"].replace("`", ""))
    return found

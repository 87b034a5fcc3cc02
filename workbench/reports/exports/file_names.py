"""Names of files and folders made of names that anybody may have given."""

import re
from typing import Final

LONGEST: Final = 80
_OTHER: Final = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED: Final = frozenset(
    {"aux", "con", "data", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)  # fmt: skip
"""Devices of Windows, and the folder that Every Eval Ever keeps for itself."""


def file_name(name: str) -> str:
    """Return a name as every system takes it for a file or folder.

    Args:
        name: Any text. Signs that are no ASCII letter, digit, dot, hyphen or underscore become
            hyphens.

    Returns:
        At most `LONGEST` signs, at least one.
    """
    plain = _OTHER.sub("-", name[:1000])[:LONGEST].strip("-.") or "unnamed"
    return f"{plain}-" if plain.partition(".")[0].lower() in _RESERVED else plain

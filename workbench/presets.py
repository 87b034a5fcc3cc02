"""Sizes of a run of the notebooks: ``quick`` for a first look, ``paper`` as the paper has it.

A notebook takes of these the parameters it has; its own ``parameters`` cell holds the quick ones.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from workbench.errors import InvalidArgumentError

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "quick": {},
        "paper": {
            "per_group": 2000,
            "runs": 100,
            "pairs": 1000,
            "lost_piece_positions": 400,
        },
    }
)


def preset(name: str) -> dict[str, Any]:
    """Return the parameters of a preset.

    Raises:
        InvalidArgumentError: If there is no preset of this name.
    """
    if name not in PRESETS:
        raise InvalidArgumentError(f"expected a preset of {list(PRESETS)}, got {name!r}")
    return dict(PRESETS[name])

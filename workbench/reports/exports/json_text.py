"""JSON that every reader accepts: ASCII alone, no NaN, no lone surrogate, no raw line break."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from workbench.answers.imports.row_values import storable


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON.

    Args:
        value: Of mappings, lists, texts, numbers (numpy's too) and None. Floats are written so that
            they read back exactly; what is missing, NaN or infinite becomes null.
        indent: Spaces of each level; None for one line.
    """
    return json.dumps(json_value(value), indent=indent, ensure_ascii=True, allow_nan=False)


def json_value(value: Any) -> Any:
    """Return a value as `json_text` writes it: with Python's own types and None for NaN."""
    if isinstance(value, str):
        return value if value.isascii() else storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def named_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as texts, for schemas whose further details are texts alone.

    Args:
        values: Anything that `json_text` takes. Texts stay as they are, other values are written as
            JSON; a value that is missing, or an empty text, is left out.
    """
    found = {name: json_value(value) for name, value in values.items()}
    return {
        name: value if isinstance(value, str) else json_text(value)
        for name, value in found.items()
        if value not in (None, "", {}, [])
    }

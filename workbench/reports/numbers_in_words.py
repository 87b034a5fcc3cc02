"""Numbers as the report writes them: as many digits as their size needs, and undefined in words."""

import math
from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from workbench.metrics import find_metric

UNDEFINED: Final = "undefined"


def number(value: float) -> str:
    """Return a value with three decimals, with one from 10 on and with none from 1,000 on."""
    if math.isnan(value):
        return UNDEFINED
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:,.1f}"
    if size >= 0.001:
        return f"{value:.3f}"
    return f"{value:.1e}"


def with_interval(value: float, low: float, high: float) -> str:
    """Return a value with its 95% interval, where there is one."""
    if math.isnan(value) or math.isnan(low):
        return number(value)
    return f"{number(value)} [{number(low)}, {number(high)}]"


def counted(count: int, one: str, several: str = "") -> str:
    """Return how many there are, with the noun in the right number."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def quantity_name(column: str) -> str:
    """Return what the report calls a column of a scores table, such as ``p_4`` or ``edit distance``."""
    metric = find_metric(column)
    return column.replace("_", " ") if metric is None else metric.heading


def prompt_words(prompt: Mapping[str, Any]) -> str:
    """Return which prompt a description is of; what it does not say is unknown."""
    name, version, digest = (prompt.get(part, "unknown") for part in ("name", "version", "sha256"))
    return f"{name}@{version}, SHA-256 {digest}"


def shown_value(value: object) -> str:
    """Return a value of a description as text; none in words."""
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return "not given"
    return str(value)

"""What a pair on a page shows of a row of a table of predictions or scores."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from workbench.drawing.reply_words import class_words
from workbench.errors import TableError
from workbench.long_texts import cut, quoted


def row_values(row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
    """Return the cells of a row by the names of their columns.

    Raises:
        TableError: If the column of the true or the predicted state is missing, or there is no
            true state.
    """
    values = {str(name): value for name, value in row.items()}
    missing = [name for name in ("true_state", "predicted_state") if name not in values]
    if missing or not cell_text(values.get("true_state")):
        raise TableError(
            "expected a row with a true_state and a predicted_state, got "
            f"{quoted(str(values), 400)}; take a row of a "
            "table of predictions or scores, such as scores.iloc[0]"
        )
    return values


def aside_traits(values: Mapping[str, Any], problem: str, without: str) -> dict[str, Any]:
    """Return what is shown beside the two states, and how the row was scored.

    Args:
        values: See `row_values`; ``reply``, ``movetext`` or ``moves``, ``position_id``, ``model``,
            ``group``, ``reply_class``, ``reason``, ``terminal``, ``ill_formed_policy`` and
            ``precision_1`` and so on are used where they are there.
        problem: Why the predicted text cannot be read, as a sentence; empty if it can.
        without: What a reply of the class ``absent`` is, in words.
    """
    traits: dict[str, Any] = {
        "reply": cell_text(values.get("reply")),
        "moves": cell_text(values.get("movetext")) or cell_text(values.get("moves")),
        "caption": _caption(values, problem, without),
    }
    depths = [
        int(name.rpartition("_")[2])
        for name, value in values.items()
        if name.startswith("precision_") and name.rpartition("_")[2].isdecimal() and pd.notna(value)
    ]
    if depths:
        traits["depth"] = max(depths)
    for column, trait in (("terminal", "terminal"), ("ill_formed_policy", "ill_formed")):
        if cell_text(values.get(column)):
            traits[trait] = cell_text(values[column])
    return traits


def _caption(values: Mapping[str, Any], problem: str, without: str) -> str:
    parts = [cut(cell_text(values.get(name))) for name in ("position_id", "model")]
    if cell_text(values.get("group")):
        parts.append(f"group {cell_text(values['group'])}")
    reply_class = cell_text(values.get("reply_class"))
    parts.append(without if reply_class == "absent" else class_words(reply_class))
    said = ", ".join(part for part in parts if part)
    if problem:
        said += f". {problem}"
    elif not cell_text(values["predicted_state"]) and cell_text(values.get("reason")):
        said += f". {cut(cell_text(values['reason']), 400)}"
    return said.removeprefix(". ")


def cell_text(value: Any) -> str:
    """Return a cell as text; a missing one is empty."""
    return "" if value is None or (not isinstance(value, str) and pd.isna(value)) else str(value)

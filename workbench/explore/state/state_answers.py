"""The answers of StatePair to its page, and its values from a table row: plain functions."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from workbench.environment import Environment
from workbench.environments.registry import DEFAULT, environment_in_table
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_rows import aside_traits, cell_text, row_values
from workbench.explore.pair.pair_widget import pair_arguments
from workbench.explore.state.explored_environment import ExploredEnvironment
from workbench.explore.state.state_view import state_losses, state_view
from workbench.long_texts import quoted


def state_answer(
    place: ExploredEnvironment,
    true: str,
    predicted: str,
    line: list[str],
    settings: ExplorerSettings,
) -> dict[str, Any]:
    """Compare two states after a line of shared actions, or explain which text is no state.

    Args:
        place: Their environment.
        true: The text of the true state before the line.
        predicted: The predicted one; blank for no predicted state.
        line: Shared actions, as the environment writes them.
        settings: How to measure.

    Returns:
        Either ``problems``, a text for ``true`` or ``predicted`` or both; or ``view`` (see
        `state_view`, of the states after the line), ``line_words`` and ``code``.

    Raises:
        InvalidArgumentError: If an action of the line is not permitted in both.
    """
    problems = place.problems(true, predicted)
    if problems:
        return {"problems": problems}
    pair = place.after(place.read(true, "true"), place.read(predicted, "predicted"), line)
    return {
        "view": state_view(place, *pair, settings),
        "line_words": line,
        "code": state_code(place.environment, true, predicted, line, settings),
    }


def losses_answer(
    place: ExploredEnvironment,
    true: str,
    predicted: str,
    line: list[str],
    settings: ExplorerSettings,
) -> dict[str, Any]:
    """Return where lines die after a line of shared actions; see `state_answer`."""
    pair = place.after(place.read(true, "true"), place.read(predicted, "predicted"), line)
    return state_losses(place, *pair, settings)


def state_code(
    environment: Environment[Any, Any],
    true: str,
    predicted: str,
    line: list[str],
    settings: ExplorerSettings,
) -> str:
    """Return one line of Python that recreates a pair; defaults are left out."""
    said = pair_arguments([environment.name, true, predicted], line, settings)
    return f"from workbench.explore import StatePair; StatePair({said})"


def state_row_traits(row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
    """Return what StatePair shows of a row of a table of predictions or scores.

    Args:
        row: At least ``true_state`` and ``predicted_state``; ``environment`` is chess where it is
            missing. For what else is used see `workbench.explore.pair.pair_rows.aside_traits`.

    Returns:
        ``environment``, an `Environment`, and arguments of StatePair. A predicted text that is no
        state gives no predicted state, and the caption says what is wrong with it.

    Raises:
        TableError: If there is no true state, or the column of the predicted one is missing.
        InvalidArgumentError: If there is no such environment.
        WorkbenchError: If the true state cannot be read.
    """
    values = row_values(row)
    environment = environment_in_table(cell_text(values.get("environment")) or DEFAULT)
    place = ExploredEnvironment(environment)
    predicted = cell_text(values["predicted_state"])
    fault, noun = place.fault(predicted, "predicted"), environment.state_noun
    problem = f"The {noun} in the reply cannot be read: {fault} (it is {quoted(predicted)})"
    return {
        "environment": environment,
        "true_state": place.checked(cell_text(values["true_state"]), "true"),
        "predicted_state": "" if fault else predicted,
        **aside_traits(values, problem if fault else "", f"without a {noun}"),
    }

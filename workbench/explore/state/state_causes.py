"""The main cause of what two states' precision and recall lose: the one element that is wrong."""

from dataclasses import replace
from typing import Any, Final

from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.loss_words import MEASURES
from workbench.explore.losses.main_cause import Difference, Values, causes_in_words, main_cause
from workbench.explore.state.explored_environment import ExploredEnvironment

MOST_DIFFERENCES: Final = 12
"""Of states that differ in more than this no difference is looked at alone."""


def state_differences(
    place: ExploredEnvironment, true: Any, predicted: Any
) -> list[Difference[Any]]:
    """Return what a predicted state has wrong, each with the state in which it alone is mended.

    Args:
        place: The environment of both.
        true: The true state.
        predicted: The predicted state.

    Returns:
        One for each element that differs and that the environment can mend, those that are mended
        together once; nothing if there are more than `MOST_DIFFERENCES`.
    """
    environment = place.environment
    right, said = environment.elements(true), environment.elements(predicted)
    found: dict[Any, str] = {}
    for name in dict.fromkeys([*right, *said]):
        if right.get(name) == said.get(name):
            continue
        mended = environment.mended(predicted, true, name)
        if mended is not None and mended != predicted:
            found.setdefault(mended, _in_words(name, right.get(name), said.get(name)))
    if len(found) > MOST_DIFFERENCES:
        return []
    return [Difference(words, mended) for mended, words in found.items()]


def state_causes(
    place: ExploredEnvironment,
    true: Any,
    predicted: Any,
    values: Values,
    settings: ExplorerSettings,
) -> dict[str, Any]:
    """Return the main causes of the losses of two states in words.

    Args:
        place: The environment of both.
        true: The true state.
        predicted: The predicted state.
        values: Their precision and recall at the depth of the settings.
        settings: How to measure. No cause is named where walking the states with a difference
            mended would take longer than their budget, all of them together.
    """
    differences = state_differences(place, true, predicted)
    each = max(settings.exact_budget // max(len(differences), 1), 1)
    limited = replace(settings, exact_budget=each)
    explored, mended = place.explored, []
    for difference in differences:
        if exact_depth(explored, true, difference.mended, limited).depth < settings.depth:
            return causes_in_words(settings.depth, values, (None, None))
        precision, recall = explored.exact_values(
            true, difference.mended, settings.depth, settings.terminal
        )
        mended.append((difference.words, (precision[-1], recall[-1])))
    causes = [main_cause(measure, values, mended) for measure in MEASURES]
    return causes_in_words(settings.depth, values, causes)


def _in_words(name: str, true: str | None, predicted: str | None) -> str:
    absent = "false" if "true" in (true, predicted) else "nothing"
    return f"in the prediction {name} is {predicted or absent}, in truth {true or absent}"

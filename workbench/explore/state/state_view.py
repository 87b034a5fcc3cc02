"""All values that StatePair shows for a pair of states."""

import math
from dataclasses import replace
from time import perf_counter
from typing import Any

from workbench.explore.depth_profile import depth_profile
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.loss_trees import Shown, all_lost, loss_trees
from workbench.explore.state.explored_environment import ExploredEnvironment, ReadState, is_sink
from workbench.explore.state.state_causes import state_causes
from workbench.metrics import pair_values
from workbench.parsed_state import element_accuracy
from workbench.prediction import ReplyClass


def state_view(
    place: ExploredEnvironment, true: ReadState, predicted: ReadState, settings: ExplorerSettings
) -> dict[str, Any]:
    """Compare two states.

    Args:
        place: Their environment.
        true: The true state, taken as it is, well-formed or not.
        predicted: The predicted state, or none.
        settings: How to measure.

    Returns:
        Values as JSON can hold them, undefined ones None: ``true`` and ``predicted`` (``state``, the
        text; ``class``, ``conditions`` and both in ``words``; ``elements``, pairs of name and value;
        ``picture``, SVG or None), ``different`` (names of elements), ``moves`` (``only_true``,
        ``only_predicted``, ``shared``: lists of ``action`` and ``words``), ``text`` (exact match,
        Levenshtein distance, whether that is the distance to no text, elements right, all, and
        their share), ``profile`` (see `workbench.explore.depth_profile.depth_profile`) and
        ``seconds``.
    """
    began = perf_counter()
    environment, words = place.environment, place.words
    state = predicted.state(settings.ill_formed)
    profile = depth_profile(place.explored, true.known, state, settings)
    if is_sink(state):
        stated = predicted.known is not None
        profile["reason"] = f"{words.no_state(stated=stated)}: p and r are 0"
    permitted = [environment.automaton.actions(each) for each in (true.known, state)]
    over = [
        f"{words.within} the {look} {words.state}"
        for look, actions, known in zip(
            ("true", "predicted"), permitted, (true.known, predicted.known), strict=True
        )
        if known is not None and not actions and not is_sink(known)
    ]
    if over and not is_sink(state):
        where = words.in_both if len(over) == 2 else over[0]
        profile["reason"] = f"the {words.episode} is over {where}; {profile['reason']}"
    elements = [
        {} if each.known is None else dict(environment.elements(each.known))
        for each in (true, predicted)
    ]
    different = [
        name
        for name in dict.fromkeys([*elements[0], *elements[1]])
        if elements[0].get(name) != elements[1].get(name)
    ]
    if predicted.known is None:
        different = []
    return {
        "true": _side(place, true, elements[0], different),
        "predicted": _side(place, predicted, elements[1], different),
        "different": different,
        "moves": _moves(place, *permitted),
        "text": _text(place, true, predicted, elements),
        "profile": profile,
        "seconds": perf_counter() - began,
    }


def state_losses(
    place: ExploredEnvironment, true: ReadState, predicted: ReadState, settings: ExplorerSettings
) -> dict[str, Any]:
    """Return where lines die, as `workbench.explore.losses.loss_trees.loss_trees` does, and why.

    Args:
        place: Their environment.
        true: The true state.
        predicted: The predicted state, or none.
        settings: How to measure.
    """
    state = predicted.state(settings.ill_formed)
    if is_sink(state):
        stated = predicted.known is not None
        return all_lost(place.words.no_state(stated=stated), settings.depth)
    found, values = loss_trees(place.explored, place.rules, true.known, state, settings, Shown())
    limited = replace(settings, depth=found["depth"])
    return {**found, "why": state_causes(place, true.known, state, values, limited)}


def class_in_words(place: ExploredEnvironment, read: ReadState) -> str:
    """Return the class of a state, and the conditions that it does not meet, as a sentence."""
    noun = place.words.state
    if read.reply_class is ReplyClass.ABSENT:
        return f"No predicted {noun}."
    if read.reply_class is ReplyClass.VALID:
        return f"Valid {noun}."
    return f"Ill-formed {noun}: {', '.join(map(condition_in_words, read.conditions))}."


def condition_in_words(name: str) -> str:
    """Return the name of a condition as words."""
    return name.replace("_", " ").lower()


def _side(
    place: ExploredEnvironment, read: ReadState, elements: dict[str, str], different: list[str]
) -> dict[str, Any]:
    known = read.known
    drawn = None if known is None else place.environment.picture(known, frozenset(different))
    return {
        "state": read.parsed.text,
        "class": str(read.reply_class),
        "conditions": list(read.conditions),
        "words": class_in_words(place, read),
        "elements": [list(each) for each in elements.items()],
        "picture": drawn,
    }


def _moves(place: ExploredEnvironment, of_true: Any, of_predicted: Any) -> dict[str, Any]:
    in_true, in_predicted = frozenset(of_true), frozenset(of_predicted)
    lists = {
        "only_true": [each for each in of_true if each not in in_predicted],
        "only_predicted": [each for each in of_predicted if each not in in_true],
        "shared": [each for each in of_true if each in in_predicted],
    }
    text = place.environment.action_text
    return {
        name: [{"action": text(each), "words": text(each)} for each in actions]
        for name, actions in lists.items()
    }


def _text(
    place: ExploredEnvironment,
    true: ReadState,
    predicted: ReadState,
    elements: list[dict[str, str]],
) -> dict[str, Any]:
    measures = pair_values(place.environment, true.parsed, predicted.parsed)
    one, other = elements
    names = one.keys() | other.keys()
    share = element_accuracy(one, other) if predicted.known is not None else math.nan
    return {
        **{name: measures[name] for name in ("exact_match", "levenshtein", "levenshtein_to_empty")},
        "elements": len(names),
        "right": sum(one.get(name) == other.get(name) for name in names),
        "element_accuracy": None if math.isnan(share) else share,
    }

"""All values that StatePair shows for a pair of states of any environment."""

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

from workbench.automaton import SINK, Sink
from workbench.environment import Environment
from workbench.errors import InvalidArgumentError, InvalidBoardError
from workbench.explore.depth_profile import depth_profile, exact_depth
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings, PairWords
from workbench.explore.losses.joint_tree import MEASURES, AutomatonRules
from workbench.explore.losses.loss_trees import TreeLimits, all_lost, loss_trees
from workbench.explore.losses.main_cause import Difference, Values, causes_in_words, main_cause
from workbench.long_texts import cut, quoted
from workbench.metrics import pair_values
from workbench.prediction import ParsedState, ReplyClass, element_accuracy
from workbench.scoring.parameters import IllFormedPolicy
from workbench.scoring.score_rows import is_state

LOOKS: Final = ("true", "predicted")
_LONGEST_FAULT: Final = 400


@dataclass(frozen=True, slots=True)
class ReadState:
    """One of the two states, or the absence of one.

    Attributes:
        parsed: The text as it was given, and the state that it describes.
        reply_class: ``valid``, ``ill_formed`` or ``absent``.
        conditions: Names of the conditions that an ill-formed state does not meet.
    """

    parsed: ParsedState
    reply_class: ReplyClass
    conditions: tuple[str, ...] = ()

    @property
    def known(self) -> Any:
        """The state, well-formed or not; None if there is none."""
        return None if self.reply_class is ReplyClass.ABSENT else self.parsed.state

    def state(self, policy: IllFormedPolicy) -> Any:
        """Return the state, or the sink."""
        return self.known if is_state(str(self.reply_class), policy) else SINK


class ExploredEnvironment:
    """An environment with what the panels of a pair need.

    Attributes:
        environment: The environment.
        words: What its states and actions are called.
        explored: Its automaton as the explorer measures it.
        rules: Its rules in the joint tree.
    """

    def __init__(self, environment: Environment[Any, Any]) -> None:
        self.environment: Final = environment
        self.words: Final = PairWords(
            environment.state_noun, environment.action_noun, environment.episode_noun
        )
        self.explored: Final = ExploredAutomaton[Any, Any](environment.automaton, self.words)
        self.rules: Final = AutomatonRules(self.explored, environment.action_text)

    def fault(self, text: str, look: str) -> str:
        """Return why a text is no state, in words; empty if it is one."""
        if not text.strip():
            noun = self.words.state
            return f"expected a {noun}, got an empty text" if look == "true" else ""
        return cut(self.environment.parsed(text).fault, _LONGEST_FAULT)

    def problems(self, true: str, predicted: str) -> dict[str, str]:
        """Return what is wrong with each text that is no state, by the state's name."""
        found = {
            look: self.fault(text, look)
            for look, text in zip(LOOKS, (true, predicted), strict=True)
        }
        return {look: words for look, words in found.items() if words}

    def checked(self, text: str, look: str) -> str:
        """Return a text that is a state, or blank for no predicted one."""
        fault = self.fault(text, look)
        if fault:
            noun = self.words.state
            raise InvalidBoardError(f"the {look} {noun} {quoted(text)} cannot be read: {fault}")
        return text

    def read(self, text: str, look: str) -> ReadState:
        """Return what a text describes; see `checked`."""
        parsed = self.environment.parsed(self.checked(text, look))
        if not text.strip():
            return ReadState(parsed, ReplyClass.ABSENT)
        return self._classed(parsed)

    def _classed(self, parsed: ParsedState) -> ReadState:
        broken = self.environment.conditions(parsed.state)
        return ReadState(parsed, ReplyClass.ILL_FORMED if broken else ReplyClass.VALID, broken)

    def after(
        self, true: ReadState, predicted: ReadState, line: list[str]
    ) -> tuple[ReadState, ReadState]:
        """Return both states after a line of actions that both permit."""
        if not line:
            return true, predicted
        pair = [true.known, predicted.known]
        for number, text in enumerate(line, start=1):
            actions = [
                None if state is None else self.environment.action_named(state, text)
                for state in pair
            ]
            if None in actions:
                refusing = [look for look, one in zip(LOOKS, actions, strict=True) if one is None]
                raise InvalidArgumentError(
                    f"{self.words.action} {number} of the line: expected one that both "
                    f"{self.words.state}s permit, got {quoted(text)}, which the "
                    f"{' and the '.join(refusing)} {self.words.state} refuses"
                )
            pair = [
                self.environment.automaton.successor(*each)
                for each in zip(pair, actions, strict=True)
            ]
        true, predicted = (
            self._classed(self.environment.parsed(self.environment.state_text(state)))
            for state in pair
        )
        return true, predicted


def is_sink(state: Any) -> bool:
    """Return whether a state is the sink."""
    return isinstance(state, Sink)


MOST_DIFFERENCES: Final = 12
"""Of states that differ in more than this no difference is looked at alone."""


def state_differences(
    place: ExploredEnvironment, true: Any, predicted: Any
) -> list[Difference[Any]]:
    """Return what a predicted state has wrong, each with the state in which it alone is mended.

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
    """Return the main causes of the losses of two states in words."""
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


def state_view(
    place: ExploredEnvironment, true: ReadState, predicted: ReadState, settings: ExplorerSettings
) -> dict[str, Any]:
    """Compare two states.

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
    """Return where lines die, as `workbench.explore.losses.loss_trees.loss_trees` does, and why."""
    state = predicted.state(settings.ill_formed)
    if is_sink(state):
        stated = predicted.known is not None
        return all_lost(place.words.no_state(stated=stated), settings.depth)
    found, values = loss_trees(
        place.explored, place.rules, true.known, state, settings, TreeLimits()
    )
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

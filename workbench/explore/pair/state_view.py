"""All values that StatePair shows for a pair of states of any environment."""

import math
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any, Final

from workbench.automaton import SINK, Sink
from workbench.environment import Environment
from workbench.environments.registry import environment_in_table
from workbench.errors import InvalidArgumentError, InvalidBoardError
from workbench.explore.depth_profile import depth_profile
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings, PairWords
from workbench.explore.losses.joint_tree import AutomatonRules, action_sets
from workbench.explore.losses.loss_trees import all_lost, loss_trees
from workbench.explore.losses.main_cause import MOST_DIFFERENCES, Difference, no_causes, pair_causes
from workbench.long_texts import cut, quoted
from workbench.metrics import pair_values
from workbench.prediction import ParsedState, ReplyClass, element_accuracy
from workbench.scoring.parameters import IllFormedPolicy
from workbench.scoring.score_rows import is_state

SIDES: Final = ("true", "predicted")
_LONGEST_FAULT: Final = 400
_LONGEST_LABEL: Final = 80
_FRAME: Final = re.compile(r'viewBox="((?:-?[\d.]+ ){3}[\d.]+)"')


@dataclass(frozen=True, slots=True)
class ReadState:
    """One of the two states, with the conditions that it does not meet, or the absence of one."""

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

    def words(self, noun: str) -> str:
        """Return the class, and the conditions that the state does not meet, as a sentence."""
        if self.reply_class is ReplyClass.ABSENT:
            return f"No predicted {noun}."
        if self.reply_class is ReplyClass.VALID:
            return f"Valid {noun}."
        conditions = ", ".join(name.replace("_", " ").lower() for name in self.conditions)
        return f"Ill-formed {noun}: {conditions}."


class StateReader:
    """Reads the states of an environment, and holds its words, its automaton and its rules."""

    def __init__(self, environment: Environment[Any, Any]) -> None:
        self.environment: Final = environment
        self.words: Final = PairWords(
            environment.state_noun, environment.action_noun, environment.episode_noun
        )
        self.explored: Final = ExploredAutomaton[Any, Any](environment.automaton, self.words)
        self.rules: Final = AutomatonRules(self.explored, environment.action_text)

    def fault(self, text: str, side: str) -> str:
        """Return why a text is no state, in words; empty if it is one."""
        if not text.strip():
            return f"expected a {self.words.state}, got an empty text" if side == "true" else ""
        return cut(self.environment.parse(text).fault, _LONGEST_FAULT)

    def problems(self, true: str, predicted: str) -> dict[str, str]:
        """Return what is wrong with each text that is no state, by the state's name."""
        texts = zip(SIDES, (true, predicted), strict=True)
        return {side: fault for side, text in texts if (fault := self.fault(text, side))}

    def checked(self, text: str, side: str) -> str:
        """Return a text that is a state, or blank for no predicted one."""
        if fault := self.fault(text, side):
            noun = self.words.state
            raise InvalidBoardError(f"the {side} {noun} {quoted(text)} cannot be read: {fault}")
        return text

    def read(self, text: str, side: str) -> ReadState:
        """Return what a text describes; see `checked`."""
        parsed = self.environment.parse(self.checked(text, side))
        if not text.strip():
            return ReadState(parsed, ReplyClass.ABSENT)
        broken = self.environment.conditions(parsed.state)
        return ReadState(parsed, ReplyClass.ILL_FORMED if broken else ReplyClass.VALID, broken)

    def read_pair(self, true: str, predicted: str, line: list[str]) -> tuple[ReadState, ReadState]:
        """Return both states after a line of actions that both permit."""
        pair = self.read(true, "true"), self.read(predicted, "predicted")
        if not line:
            return pair
        environment, noun = self.environment, self.words.state
        states = [each.known for each in pair]
        for number, text in enumerate(line, start=1):
            actions = [
                None if state is None else environment.action_named(state, text) for state in states
            ]
            if None in actions:
                refusing = [side for side, one in zip(SIDES, actions, strict=True) if one is None]
                raise InvalidArgumentError(
                    f"{self.words.action} {number} of the line: expected one that both "
                    f"{noun}s permit, got {quoted(text)}, which the "
                    f"{' and the '.join(refusing)} {noun} refuses"
                )
            states = list(map(environment.automaton.successor, states, actions))
        after = [environment.state_text(state) for state in states]
        return self.read(after[0], "true"), self.read(after[1], "predicted")

    def no_state(self, predicted: ReadState) -> str:
        """Return why a prediction is no state."""
        return self.words.no_state(stated=predicted.known is not None)


@lru_cache(maxsize=8)
def reader_in_table(name: str) -> StateReader:
    """Return the reader of the states of an environment that a table names."""
    return StateReader(environment_in_table(name))


def different_elements(reader: StateReader, true: ReadState, predicted: ReadState) -> list[str]:
    """Return the names of the elements in which two states differ; none where one is absent."""
    if true.known is None or predicted.known is None:
        return []
    return _different(*(reader.environment.elements(each.known) for each in (true, predicted)))


def state_differences(
    environment: Environment[Any, Any], true: Any, predicted: Any
) -> list[Difference[Any]]:
    """Return what a predicted state has wrong, each with the state in which it alone is corrected.

    Returns:
        One for each element that differs and that the environment can correct, those that are
        corrected together once; nothing if there are more than `MOST_DIFFERENCES`.
    """
    in_truth, in_prediction = environment.elements(true), environment.elements(predicted)
    differences: dict[Any, tuple[str, str]] = {}
    for name in _different(in_truth, in_prediction):
        corrected = environment.mended(predicted, true, name)
        if corrected is not None and corrected != predicted:
            of_true, of_predicted = in_truth.get(name), in_prediction.get(name)
            absent = "false" if "true" in (of_true, of_predicted) else "nothing"
            words = f"in the prediction {name} is {of_predicted or absent}, in truth {of_true or absent}"
            label = f"{name} {of_true or absent}, not {of_predicted or absent}"
            differences.setdefault(corrected, (words, cut(label, _LONGEST_LABEL)))
    if len(differences) > MOST_DIFFERENCES:
        return []
    return [
        Difference(words, corrected, label, environment.state_text(corrected))
        for corrected, (words, label) in differences.items()
    ]


def _different(one: Any, other: Any) -> list[str]:
    """Return the names of the elements that are not the same."""
    return [name for name in dict.fromkeys([*one, *other]) if one.get(name) != other.get(name)]


def state_causes(
    reader: StateReader, true: ReadState, predicted: ReadState, settings: ExplorerSettings
) -> dict[str, Any]:
    """Return what each difference of two states costs; see `pair_causes`."""
    state = predicted.state(settings.ill_formed)
    if isinstance(state, Sink):
        return no_causes(settings.depth)
    differences = state_differences(reader.environment, true.known, state)
    return pair_causes(reader.explored, true.known, state, settings, differences)


def state_view(
    reader: StateReader, true: ReadState, predicted: ReadState, settings: ExplorerSettings
) -> dict[str, Any]:
    """Compare two states.

    Returns:
        Values as JSON can hold them, undefined ones None: ``true`` and ``predicted`` (``state``, the
        text; ``class``, ``conditions`` and both in ``words``; ``elements``, pairs of name and value;
        ``picture``, SVG or None; ``frame``, its left, top, width and height, ``places``, where it can be
        edited, and ``points`` of the permitted actions by their words), ``different`` (names of elements), ``moves`` (``only_true``,
        ``only_predicted``, ``shared``: lists of ``action`` and ``words``), ``text`` (exact match,
        Levenshtein distance, whether that is the distance to no text, elements right, all, and
        their share), ``profile`` (see `workbench.explore.depth_profile.depth_profile`) and
        ``seconds``.
    """
    start = perf_counter()
    environment, words = reader.environment, reader.words
    state = predicted.state(settings.ill_formed)
    profile = depth_profile(reader.explored, true.known, state, settings)
    permitted = [environment.automaton.actions(each) for each in (true.known, state)]
    if isinstance(state, Sink):
        profile["reason"] = f"{reader.no_state(predicted)}: p and r are 0"
    else:
        over = [
            f"{words.within} the {side} {words.state}"
            for side, actions in zip(SIDES, permitted, strict=True)
            if not actions
        ]
        if over:
            where = words.in_both if len(over) == 2 else over[0]
            profile["reason"] = f"the {words.episode} is over {where}; {profile['reason']}"
    elements = [
        {} if each.known is None else dict(environment.elements(each.known))
        for each in (true, predicted)
    ]
    different = [] if predicted.known is None else _different(*elements)
    text = environment.action_text
    return {
        "true": _side(reader, true, elements[0], different, permitted[0]),
        "predicted": _side(reader, predicted, elements[1], different, permitted[1]),
        "different": different,
        "moves": {
            name: [{"action": text(action), "words": text(action)} for action in actions]
            for name, actions in action_sets(*permitted)._asdict().items()
        },
        "text": _text(reader, true, predicted, elements),
        "profile": profile,
        "seconds": perf_counter() - start,
    }


def state_losses(
    reader: StateReader, true: ReadState, predicted: ReadState, settings: ExplorerSettings
) -> dict[str, Any]:
    """Return where lines die, as `workbench.explore.losses.loss_trees.loss_trees` does."""
    state = predicted.state(settings.ill_formed)
    if isinstance(state, Sink):
        return all_lost(reader.no_state(predicted), settings.depth)
    return loss_trees(reader.explored, reader.rules, true.known, state, settings)


def _side(
    reader: StateReader,
    read: ReadState,
    elements: dict[str, str],
    different: list[str],
    actions: Iterable[Any],
) -> dict[str, Any]:
    environment = reader.environment
    picture = None if read.known is None else environment.picture(read.known, frozenset(different))
    frame = _FRAME.search(picture or "")
    points = {}
    if frame is not None:
        # What is permitted in the sink, or in a state that counts as one, is nothing.
        marks = [(each, environment.action_points(read.known, each)) for each in actions]
        points = {environment.action_text(action): each for action, each in marks if each}
    return {
        "state": read.parsed.text,
        "class": str(read.reply_class),
        "conditions": list(read.conditions),
        "words": read.words(reader.words.state),
        "elements": [list(each) for each in elements.items()],
        "picture": picture,
        "frame": None if frame is None else [float(each) for each in frame[1].split()],
        "places": [] if frame is None else list(map(asdict, environment.places(read.known))),
        "points": points,
    }


def _text(
    reader: StateReader, true: ReadState, predicted: ReadState, elements: list[dict[str, str]]
) -> dict[str, Any]:
    measures = pair_values(reader.environment, true.parsed, predicted.parsed)
    one, other = elements
    names = one.keys() | other.keys()
    share = element_accuracy(one, other) if predicted.known is not None else math.nan
    return {
        **{name: measures[name] for name in ("exact_match", "levenshtein", "levenshtein_to_empty")},
        "elements": len(names),
        "right": sum(one.get(name) == other.get(name) for name in names),
        "element_accuracy": None if math.isnan(share) else share,
    }

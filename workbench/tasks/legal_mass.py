"""The task ``legal_mass``: name one permitted action; of a model that gives probabilities, those of all actions.

p_1 is the probability that the model names a permitted action. A reply that is one action is a draw from
it; a model that gives probabilities replies with lines of action, probability and number of tokens,
between tabs, and its p_1 is exact. Source: arXiv 2508.19851, section 3: p_1 with the model's own choice
in the place of uniform branching.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from workbench.automaton import Terminal
from workbench.environment import AnyEnvironment
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.prediction import Prediction, ReplyClass
from workbench.tasks.task import Task, Values

MOST_CANDIDATES: Final = 100
"""Texts that a text model is asked to weigh, unless more actions are permitted."""

NONE: Final = "none"
_TAB: Final = "\t"
_ROUNDING: Final = 1e-3
_NUMBERS: Final = re.compile(
    rf"(?P<probability>\d{{1,9}}(?:\.\d{{1,20}})?(?:e-?\d{{1,3}})?)(?:{_TAB}(?P<tokens>[1-9]\d{{0,5}}))?",
    re.ASCII,
)


class Mass(NamedTuple):
    """The probability of a text, and the tokens in which the model writes it."""

    probability: float
    tokens: int = 1

    @property
    def by_token(self) -> float:
        """The geometric mean of the tokens' probabilities, which is no probability of the text."""
        return float(self.probability ** (1 / self.tokens))


def mass_lines(masses: Mapping[str, Mass]) -> str:
    """Return a reply with a line for each text: the text, its probability and its tokens."""
    return "\n".join(f"{text}{_TAB}{mass.probability:.6g}{_TAB}{mass.tokens}" for text, mass in masses.items())  # fmt: skip


def masses_of(actions: Sequence[str]) -> dict[str, Mass]:
    """Return the probability of each action of an answer; one that is alone has 1.

    Raises:
        InvalidArgumentError: If a line has a number that is no probability, or all together exceed 1.
    """
    masses: dict[str, Mass] = {}
    for line in actions:
        text, _, numbers = line.partition(_TAB)
        match = _NUMBERS.fullmatch(numbers or "1")
        mass = Mass(float(match["probability"]), int(match["tokens"] or 1)) if match else None
        if mass is None or not 0 <= mass.probability <= 1 or text in masses:
            raise InvalidArgumentError(
                f"expected each action once, with a probability and tokens, got {line!r:.80}"
            )
        masses[text] = mass
    total = sum(mass.probability for mass in masses.values())
    if total > 1 + _ROUNDING:
        raise InvalidArgumentError(
            f"expected probabilities with a sum of at most 1, got {total:.6g}"
        )
    return masses


def candidate_texts(
    environment: AnyEnvironment,
    initial: str,
    actions: Sequence[str],
    notation: str = "",
    most: int = MOST_CANDIDATES,
) -> list[str]:
    """Return the texts to weigh: the permitted actions, then those that earlier states permitted.

    Earlier states are those along the episode, the latest first; an action that is no longer permitted
    is well-formed, and what a model would name that lost track.

    Args:
        environment: Of the episode.
        initial: The text of the initial state; empty for the shared start.
        actions: Of the episode, as the environment writes them.
        notation: As of `Environment.spellings`.
        most: Texts, unless the last state permits more.

    Returns:
        Different texts, in every spelling.

    Raises:
        IllegalMoveError: If an action of the episode is not permitted where it stands.
    """
    automaton = environment.automaton
    states = [environment.read_state(initial) if initial else automaton.initial]
    for text in actions:
        action = environment.action_named(states[-1], text)
        if action is None:
            raise IllegalMoveError(
                f"{environment.name}, {environment.action_noun} {len(states)}: expected one that is "
                f"permitted there, got {text!r:.80}"
            )
        states.append(automaton.successor(states[-1], action))

    def spelled(state: Any) -> Iterator[str]:
        for action in automaton.permitted(state):
            yield from environment.spellings(state, action, notation)

    texts = dict.fromkeys(spelled(states[-1]))
    for state in reversed(states[:-1]):
        for text in spelled(state):
            if len(texts) >= most:
                return list(texts)
            texts.setdefault(text)
    return list(texts)


@dataclass(frozen=True, slots=True)
class LegalMass:
    """What probabilities of next actions say about a state.

    Attributes:
        legal: The probability of the permitted actions together; NaN where none is permitted.
        relative: Its share of the probability of all texts that were weighed; NaN where that is 0.
        relative_by_token: The same share of `Mass.by_token`, which favours no short text.
        likeliest: The likeliest action, as it was written; the first of several, empty if there is none.
        likeliest_mass: Its probability.
        likeliest_legal: Whether it is permitted, 1 or 0; of several that are equally likely, the share
            that is. NaN where no action is permitted.
        permitted: Actions that the state permits.
        candidates: Actions that were weighed: spellings of one permitted action count once.
        wrong: The probability of each text that names no permitted action, the likeliest first.
    """

    legal: float
    relative: float
    relative_by_token: float
    likeliest: str
    likeliest_mass: float
    likeliest_legal: float
    permitted: int
    candidates: int
    wrong: dict[str, float]


def legal_mass(environment: AnyEnvironment, true: Any, masses: Mapping[str, Mass]) -> LegalMass:
    """Measure the probabilities of next actions against the true state."""
    permitted = environment.automaton.permitted(true)
    by_action: dict[Any, float] = {}
    by_token: dict[Any, float] = {}
    names: dict[Any, str] = {}
    wrong: dict[str, float] = {}
    for text, mass in masses.items():
        action = environment.action_named(true, text)
        key = text if action is None else action
        if action is None:
            wrong[text] = mass.probability
        by_action[key] = by_action.get(key, 0.0) + mass.probability
        by_token[key] = max(by_token.get(key, 0.0), mass.by_token)
        names.setdefault(key, text)
    most = max(by_action.values(), default=math.nan)
    likeliest = [key for key, mass in by_action.items() if mass == most]
    right = [key not in wrong for key in likeliest] or [False]
    legal, total = _legal_and_all(by_action, wrong)
    legal_by_token, all_by_token = _legal_and_all(by_token, wrong)
    return LegalMass(
        legal=min(legal, 1.0) if permitted else math.nan,
        relative=legal / total if permitted and total else math.nan,
        relative_by_token=legal_by_token / all_by_token if permitted and total else math.nan,
        likeliest=names[likeliest[0]] if likeliest else "",
        likeliest_mass=most,
        likeliest_legal=sum(right) / len(right) if permitted else math.nan,
        permitted=len(permitted),
        candidates=len(by_action),
        wrong=dict(sorted(wrong.items(), key=lambda item: -item[1])),
    )


def _legal_and_all(values: Mapping[Any, float], wrong: Mapping[str, float]) -> tuple[float, float]:
    legal = sum(value for key, value in values.items() if key not in wrong)
    return legal, legal + sum(values[text] for text in wrong)


class LegalMassTask(Task):
    """Name one action that is permitted after the actions so far."""

    name: ClassVar[str] = "legal_mass"
    reply_tokens: ClassVar[int] = 10

    def request(self, environment: AnyEnvironment, depth: int) -> str:
        """Return what the model is to do."""
        noun = environment.action_noun
        return (
            f"Name one {noun} that is permitted after the last {noun}. "
            f"{environment.action_format}\n\n"
            f'Reply with the {noun} alone; if none is permitted, reply with "{NONE}".'
        )

    def classify(self, environment: AnyEnvironment, reply: str) -> Prediction:
        """Find the first action in a reply, or the probabilities of all, and classify it."""
        lines = [line for line in reply.strip().split("\n") if line.strip()]
        if not lines or not all(_TAB in line for line in lines):
            prediction = environment.classify_actions(reply)
            first = (prediction.predicted_actions or ())[:1]
            return prediction if prediction.predicted_actions is None else replace(prediction, predicted_actions=first)  # fmt: skip
        try:
            masses = masses_of(lines)
        except InvalidArgumentError as error:
            return Prediction(ReplyClass.UNPARSEABLE, None, reason=f"{error}")
        prediction = environment.classify_items(list(masses))
        if prediction.predicted_actions is None:
            return prediction
        return replace(prediction, predicted_actions=tuple(lines))

    def simulated_reply(
        self, environment: AnyEnvironment, believed: str, depth: int, generator: np.random.Generator
    ) -> str:
        """Return an action drawn uniformly from those that the believed state permits."""
        permitted = environment.automaton.permitted(environment.read_state(believed))
        if not permitted:
            return NONE
        return environment.action_text(permitted[int(generator.integers(len(permitted)))])

    def measures(
        self,
        environment: AnyEnvironment,
        true: Any,
        actions: Sequence[str] | None,
        depth: int,
        terminal: Terminal,
    ) -> Values:
        """Return the legal mass as p_1; NaN where no action is permitted, and for all else.

        Whether a reply is right where nothing is permitted does not depend on probabilities of actions,
        so that ``terminal`` makes no difference.
        """
        undefined = [math.nan] * depth
        measured = legal_mass(environment, true, masses_of(actions or ()))
        return [measured.legal, *undefined[1:]], undefined


TASK: Final = LegalMassTask()

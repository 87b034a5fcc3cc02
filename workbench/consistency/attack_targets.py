"""Models under attack: what they answer after sequences of actions, how certain they are, and whether it is wrong.

A bundled model also gives its certainty, from its own probabilities; of other models only the answer
is known, and their certainty is NaN.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from workbench.asking.own_models import PROVIDER, SIMULATED
from workbench.environment import check_tracker
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import LanguageModel, is_model, load_model
from workbench.language_model.vocabulary import MOST_PLIES, read_moves
from workbench.language_model.written_replies import refuse_task
from workbench.seeds import derived_seed

Error = Literal["state", "action"]
"""``state``: the written state is not the true one, or no state at all. ``action``: the action that the
model names as the next one is not permitted."""


@dataclass(frozen=True, slots=True)
class Line:
    """Actions from a start, each permitted where it stands.

    Attributes:
        initial: The text of the start; empty for the one that every episode shares.
        actions: As the environment writes them.
        state: The true state after them.
        before: The true state before the last of them.
    """

    initial: str
    actions: tuple[str, ...]
    state: Any
    before: Any = None

    @property
    def key(self) -> "Key":
        """What a model is asked about; the true state follows from it."""
        return self.initial, self.actions


Key: TypeAlias = tuple[str, tuple[str, ...]]


class Answer(NamedTuple):
    """What a model answered; None is a failed call, which says nothing about the model."""

    text: str | None
    certainty: float = math.nan


StateWriter: TypeAlias = Callable[[Sequence[Line]], Sequence[str | None]]
"""Returns the state that a model writes after each line's actions, None where the call failed."""


class Target(ABC):
    """A model and the kind of error that is looked for.

    Class attributes:
        longest: Actions that it reads at most.
        certain: Whether its answers have a certainty.
    """

    longest: ClassVar[int] = 10**9
    certain: ClassVar[bool] = False

    def __init__(self, name: str, environment: AnyEnvironment, error: Error = "state") -> None:
        """Take the model's name in tables."""
        self.name: Final = name
        self.environment: Final = environment
        self.error: Final = error

    @abstractmethod
    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        """Return the answers to lines; each depends on its own line alone."""

    def is_wrong(self, line: Line, text: str) -> bool:
        """Return whether an answer is an error."""
        if self.error == "action":
            return self.environment.action_named(line.state, text) is None
        written = self.environment.parse(text)
        if written.fault:
            return True
        true = self.environment.parse_true(self.environment.state_text(line.state))
        return not self.environment.same_state(true, written)


class _FunctionTarget(Target):
    def __init__(self, function: StateWriter, environment: AnyEnvironment) -> None:
        super().__init__(getattr(function, "__name__", "function"), environment)
        self._function = function

    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        texts = list(self._function(lines))
        if len(texts) != len(lines):
            raise InvalidArgumentError(
                f"model: expected a function that returns a text for each of {len(lines)} lines, "
                f"got {len(texts)}: {texts!r:.80}"
            )
        return [Answer(text) for text in texts]


class _TrackerTarget(Target):
    def __init__(self, environment: AnyEnvironment, rate: float = 0.03, seed: int = 0) -> None:
        super().__init__(f"{SIMULATED} rate={rate:g}", environment)
        check_tracker(rate, seed)
        self._rate, self._seed = rate, seed

    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        return [
            Answer(
                self.environment.track(
                    line.initial,
                    line.actions,
                    rate=self._rate,
                    seed=derived_seed(self._seed, line.initial, *line.actions),
                )
            )
            for line in lines
        ]


class _BundledTarget(Target):
    longest = MOST_PLIES
    certain = True

    def __init__(self, model: LanguageModel, environment: AnyEnvironment, error: Error) -> None:
        super().__init__(f"{PROVIDER}/{model.name}", environment, error)
        if environment.name != DEFAULT:
            raise InvalidArgumentError(
                f"environment: expected {DEFAULT}, whose games {self.name} reads, got "
                f"{environment.name!r:.80}; attack {PROVIDER}/{SIMULATED}, or a function of your own"
            )
        if error == "action":
            refuse_task(model, "actions")
        self._model = model

    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        if self.error == "state":
            games = [line.actions for line in lines]
            return [Answer(*each) for each in self._model.write_certain_states(games)]
        return [self._next_action(line) for line in lines]

    def _next_action(self, line: Line) -> Answer:
        """Return the likeliest next move, and the probability of all that are permitted."""
        named = self._model.next_line(line.actions, 1)[0]
        permitted = self.environment.automaton.permitted(line.state)
        moves = read_moves([self.environment.action_text(each) for each in permitted])[1:]
        distribution = self._model.move_distribution(line.actions)
        return Answer(named, float(distribution[tuple(moves.T.astype(np.intp))].sum()))


def attack_target(
    model: str | StateWriter | Target,
    environment: str = DEFAULT,
    error: Error = "state",
    **model_args: Any,
) -> Target:
    """Return a model to attack.

    Args:
        model: ``workbench/`` and the name of a bundled model, or ``workbench/simulated``; or a function
            as `StateWriter`.
        environment: Its name.
        error: ``state``, or ``action`` for a bundled model that names moves.
        **model_args: ``rate`` and ``seed`` of the simulated tracker.

    Raises:
        InvalidArgumentError: If the model cannot be attacked in this way; hosted models cannot by name.
    """
    if isinstance(model, Target):
        return model
    if error not in get_args(Error):
        raise InvalidArgumentError(f"error: expected one of {get_args(Error)}, got {error!r:.80}")
    rules = environment_named(environment)
    provider, _, name = model.partition("/") if isinstance(model, str) else ("", "", "")
    bundled = provider == PROVIDER and is_model(name)
    if error == "action" and not bundled:
        raise InvalidArgumentError(
            f"error: expected 'state', got 'action' for {model!r:.80}; only bundled models can be asked "
            "for a next action here"
        )
    if model_args and (provider, name) != (PROVIDER, SIMULATED):
        raise InvalidArgumentError(
            f"expected arguments of a model for {PROVIDER}/{SIMULATED} alone, got "
            f"{sorted(model_args)} for {model!r:.80}"
        )
    if not isinstance(model, str):
        return _FunctionTarget(model, rules)
    if (provider, name) == (PROVIDER, SIMULATED):
        return _TrackerTarget(rules, **model_args)
    if bundled:
        return _BundledTarget(load_model(name), rules, error)
    raise InvalidArgumentError(
        f"model: expected {PROVIDER}/ and the name of a bundled model, {PROVIDER}/{SIMULATED}, or a "
        f"function from lines to written states, got {model!r:.80}; a hosted model is attacked within a "
        "budget of dollars, by workbench.consistency.asked_target.AskedTarget"
    )

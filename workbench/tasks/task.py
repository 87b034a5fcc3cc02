"""The interface of a task: what is asked, how a reply is read, and what is measured."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np

from workbench.automaton import Terminal
from workbench.environment import AnyEnvironment
from workbench.errors import InvalidArgumentError
from workbench.prediction import Prediction

START_HEADING: Final = "Start:"
"""The line before the initial state, where a question shows it."""

_MARKS: Final = " .*`"
_NUMBER: Final = re.compile(r"^\d+\.+\s*")

DEFAULT_DEPTH: Final = 4
"""m where a question does not set it."""

Values: TypeAlias = tuple[list[float], list[float]]
"""p_1 .. p_m and r_1 .. r_m; NaN where a task does not define them."""


def actions_heading(environment: AnyEnvironment) -> str:
    """Return the line before the actions so far: ``Moves:``, ``Actions:``, ..."""
    return f"{environment.action_noun.capitalize()}s:"


def new_actions_heading(environment: AnyEnvironment) -> str:
    """Return the line before the actions since the last reply: ``New moves:``, ``New actions:``, ..."""
    return f"New {environment.action_noun}s:"


def own_action_label(environment: AnyEnvironment) -> str:
    """Return how the line of a reply begins that names the model's own action: ``Move:``, ``Action:``, ..."""
    return f"{environment.action_noun.capitalize()}:"


def split_own_action(environment: AnyEnvironment, reply: str) -> tuple[str, str]:
    """Return a reply without its last line, and the action in it, where that line is ``Move:`` and an action.

    Returns:
        The reply and an empty text where there is no such line: the rest is then the state.
    """
    before, _, last = reply.rstrip().rpartition("\n")
    label = own_action_label(environment)
    text = last.strip(_MARKS)
    action = _NUMBER.sub("", text[len(label) :].strip(_MARKS))
    is_own = text.lower().startswith(label.lower()) and before.strip()
    return (before, action) if is_own and environment.plain_action(action) else (reply, "")


class Task(ABC):
    """What a model is asked about the episodes of any environment.

    Class attributes:
        name: In tables and on the command line.
        gives_state: Whether the reply is a state, which is compared by exact p_m and r_m or an
            estimator, and by its text; other tasks measure actions by `measures`.
        reply_tokens: About how many tokens a reply has, for the estimate of cost.
        takes_depth: Whether the request is for m actions.
    """

    name: ClassVar[str]
    gives_state: ClassVar[bool] = False
    reply_tokens: ClassVar[int]
    takes_depth: ClassVar[bool] = False

    def depth_or_default(self, depth: int | None) -> int:
        """Return m, `DEFAULT_DEPTH` where none is given.

        Raises:
            InvalidArgumentError: If it is less than 1, or the task takes none.
        """
        if depth is not None and not self.takes_depth:
            raise InvalidArgumentError(f"depth: the task {self.name} takes none, got {depth!r}")
        if depth is not None and depth < 1:
            raise InvalidArgumentError(f"depth: expected at least 1, got {depth!r}")
        return DEFAULT_DEPTH if depth is None else depth

    @abstractmethod
    def request(self, environment: AnyEnvironment, depth: int) -> str:
        """Return what the model is to do, and in which form to reply.

        Args:
            environment: Of the episodes.
            depth: m, for tasks that ask for so many actions.
        """

    def turns(self, environment: AnyEnvironment, depth: int) -> tuple[str, ...]:
        """Return the user's messages, with ``{initial}`` and ``{moves}`` to be filled in.

        Args:
            environment: Of the episodes.
            depth: As of `request`.
        """
        heading = actions_heading(environment)
        blocks = f"{heading}\n{{moves}}"
        if environment.shows_start:
            blocks = (
                f'The first {environment.state_noun} is given under "{START_HEADING}", and the '
                f'{environment.action_noun}s so far, in order, under "{heading}".\n\n'
                f"{START_HEADING}\n{{initial}}\n\n{blocks}"
            )
        return (f"{environment.rules}\n\n{self.request(environment, depth)}\n\n{blocks}",)

    def classify(self, environment: AnyEnvironment, reply: str) -> Prediction:
        """Find the answer in a reply, and classify it: by default, the actions."""
        return environment.classify_actions(reply)

    @abstractmethod
    def simulated_reply(
        self, environment: AnyEnvironment, believed: str, depth: int, generator: np.random.Generator
    ) -> str:
        """Return the reply of a simulated tracker.

        Args:
            environment: Of the episode.
            believed: The text of the state that the tracker believes.
            depth: As of `request`.
            generator: For what the tracker draws.
        """

    def measures(
        self,
        environment: AnyEnvironment,
        true: Any,
        actions: Sequence[str] | None,
        depth: int,
        terminal: Terminal,
    ) -> Values:
        """Return p_1 .. p_m and r_1 .. r_m of the actions in a reply.

        Args:
            environment: Of the episode.
            true: The true state.
            actions: As the reply names them; None where the reply gives none, with p = r = 0.
            depth: m, at least 1.
            terminal: How episodes that are finished before m actions count.
        """
        return [math.nan] * depth, [math.nan] * depth

"""Precision and recall of two states given as text: `workbench.affordance`, with names and texts.

The functions of `workbench.affordance` take states and an automaton. Here the same functions take
FENs, or what else an environment reads, and the name of the environment.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from workbench import affordance
from workbench.automaton import Automaton, Sink
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.scoring.single_pair import parsed_argument
from workbench.written_automaton import WrittenAutomaton

Result = TypeVar("Result")

_AUTOMATON: Final = "automaton: The automaton of both states.\n"
_ENVIRONMENT: Final = """environment: Of both states: a name such as ``chess`` or ``planning:gripper``, an
            environment, or an automaton of one's own. The states of an environment may be given as
            text, for chess as FENs. ``workbench.SINK`` stands for no state.
"""


def automaton_and_states(
    environment: str | AnyEnvironment | Automaton[Any, Any], **states: Any
) -> tuple[Automaton[Any, Any], list[Any]]:
    """Return the automaton of an environment, and states that may be given as text.

    Args:
        environment: A name, an environment, or an automaton, which reads no text.
        states: Each a text, a state or the sink, by the name that messages give it.
    """
    if isinstance(environment, str):
        environment = environment_named(environment)
    if isinstance(environment, Automaton):
        return environment, list(states.values())
    if not isinstance(environment, WrittenAutomaton):
        raise InvalidArgumentError(
            f"environment: expected a name, an environment or an automaton, got {environment!r:.80}"
        )
    return environment.automaton, [
        _state(environment, name, value) for name, value in states.items()
    ]


def _state(environment: AnyEnvironment, name: str, value: Any) -> Any:
    kind = type(environment.automaton.initial)
    if isinstance(value, str):
        return parsed_argument(environment, value, name).state
    if isinstance(value, Sink | kind):
        return value
    raise InvalidArgumentError(
        f"{name}: expected a {environment.state_noun} of {environment.title} as text, a "
        f"{kind.__name__}, or workbench.SINK for none, got {type(value).__name__}: {value!r:.80}"
    )


def takes_text(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function of two states and their automaton as one of texts and an environment."""

    @wraps(function)
    def of_texts(
        true: Any, predicted: Any, depth: int, *, environment: Any = DEFAULT, **options: Any
    ) -> Result:
        automaton, states = automaton_and_states(environment, true=true, predicted=predicted)
        return function(*states, depth, automaton=automaton, **options)

    signature = inspect.signature(function)
    either = inspect.signature(of_texts, follow_wrapped=False).parameters["environment"]
    parameters = [
        either if name == "automaton" else each for name, each in signature.parameters.items()
    ]
    of_texts.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    of_texts.__doc__ = (function.__doc__ or "").replace(_AUTOMATON, _ENVIRONMENT)
    of_texts.__module__ = __name__
    return of_texts


estimate = takes_text(affordance.estimate)
exact_profile = takes_text(affordance.exact_profile)
exact_set_overlap = takes_text(affordance.exact_set_overlap)
measure = takes_text(affordance.measure)
survival_curve = takes_text(affordance.survival_curve)

"""The choice of the engine: the readable reference or the compiled twin."""

import os
from typing import Final, Literal, get_args

from workbench.automaton import Action, Automaton, CompiledTwin, State
from workbench.errors import InvalidArgumentError

Engine = Literal["reference", "compiled"]
VARIABLE: Final = "WORKBENCH_ENGINE"


def chosen_engine(engine: Engine | None = None) -> Engine:
    """Return the requested engine, or that of the environment variable, or ``compiled``.

    Args:
        engine: ``reference``, ``compiled``, or None for what ``WORKBENCH_ENGINE`` says.

    Raises:
        InvalidArgumentError: If it is something else.
    """
    name = engine or os.environ.get(VARIABLE) or "compiled"
    for known in get_args(Engine):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise InvalidArgumentError(
        f"expected an engine of {get_args(Engine)}, got {name!r} "
        f"({'the argument' if engine else VARIABLE})"
    )


def twin_for(
    automaton: Automaton[State, Action], engine: Engine | None, *states: State
) -> CompiledTwin[State] | None:
    """Return the automaton's twin if it is to be used for these states, else None.

    An automaton without a twin, and states that the twin does not take, go to the reference.

    Args:
        automaton: Any automaton.
        engine: As in `chosen_engine`.
        states: What the work is to be done on.
    """
    if chosen_engine(engine) == "reference":
        return None
    twin = automaton.compiled_twin()
    return twin if twin is not None and twin.supports(*states) else None

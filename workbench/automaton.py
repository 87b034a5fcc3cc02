"""The automaton (S*, Sigma, delta, S0), its compiled twin, the choice between the two, and the treatment of finished lines."""

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from enum import Enum
from typing import Any, Final, Generic, Literal, Protocol, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError

Terminal = Literal["absorb", "drop"]
"""``absorb``: a finished line is complete, and accepted iff the other state accepts it and is
finished too, so that p_m(S, S) = 1. ``drop``: the line vanishes with its mass, as Algorithm 2 is
printed."""


def check_walk(depth: int, terminal: Terminal) -> None:
    """Check the arguments common to every walk.

    Args:
        depth: The number of actions m, at least 1.
        terminal: ``absorb`` or ``drop``.

    Raises:
        InvalidArgumentError: If either is something else.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InvalidArgumentError(f"expected a depth m of at least 1, got {depth!r}")
    if terminal not in get_args(Terminal):
        raise InvalidArgumentError(
            f"expected terminal to be one of {get_args(Terminal)}, got {terminal!r}"
        )


State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)
StateOfTwin = TypeVar("StateOfTwin", bound=Hashable, contravariant=True)


class Sink(Enum):
    """The type of the state in which no action is permitted; its only member is ``SINK``."""

    SINK = 0

    def __repr__(self) -> str:
        return "SINK"


SINK: Final = Sink.SINK


class CompiledTwin(Protocol[StateOfTwin]):
    """A faster implementation of the same numbers, which an automaton may offer.

    It works on states in its own form, one row each, and in ``workers`` threads, None for all cores;
    the results do not depend on them.

    Attributes:
        methods: Names of the estimators that it runs.
    """

    @property
    def methods(self) -> frozenset[str]: ...  # noqa: D102

    def packed(self, states: Sequence[StateOfTwin]) -> NDArray[Any]:
        """Return states in the twin's own form."""
        ...

    def supported(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return for each row whether the twin supports it; the reference handles all others."""
        ...

    def profiles(
        self,
        true: NDArray[Any],
        predicted: NDArray[Any],
        depth: int,
        terminal: Terminal,
        *,
        workers: int | None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return p_1..p_m and r_1..r_m of n pairs, each of shape (n, m), and the joint nodes visited."""
        ...

    def estimates(
        self,
        true: NDArray[Any],
        predicted: NDArray[Any],
        depth: int,
        *,
        method: str,
        samples: int,
        seeds: Sequence[int],
        terminal: Terminal,
        workers: int | None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return value and node count of one run of an estimator of p_m for each of n pairs."""
        ...

    def expected_joint_nodes(
        self, true: StateOfTwin, predicted: StateOfTwin, depth: int, probes: int, seed: int
    ) -> float:
        """Return an estimate of the joint nodes above the last ply."""
        ...


class Automaton(ABC, Generic[State, Action]):
    """A deterministic automaton: the actions permitted in a state, and their successors.

    An environment writes ``initial``, ``permitted`` and ``successor``; the total transition
    function, acceptance and the sink follow from them. States and actions are immutable and
    hashable. Both methods are pure: the same state gives the same actions in the same order.

    Example:
        A counter that may go up twice:

        >>> import workbench
        >>> class Counter(workbench.Automaton[int, str]):
        ...     initial = 0
        ...     def permitted(self, state): return ("up",) if state < 2 else ()
        ...     def successor(self, state, action): return state + 1
        >>> workbench.exact_profile(0, 1, 2, environment=Counter()).recall
        (1.0, 0.0)
    """

    @property
    @abstractmethod
    def initial(self) -> State:
        """The state S0 in which every run starts."""

    @abstractmethod
    def permitted(self, state: State) -> tuple[Action, ...]:
        """Return the distinct actions that ``state`` permits, in a fixed order.

        An empty tuple means that the state is finished: no action is possible.
        """

    @abstractmethod
    def successor(self, state: State, action: Action) -> State:
        """Return the successor after ``action``, which must be one of ``permitted(state)``."""

    def compiled_twin(self) -> CompiledTwin[State] | None:
        """Return the automaton's compiled twin, or None if it has none."""
        return None

    def actions(self, state: State | Sink) -> tuple[Action, ...]:
        """Return Sigma of ``state``: the permitted actions, none in the sink."""
        if isinstance(state, Sink):
            return ()
        return self.permitted(state)

    def step(self, state: State | Sink, action: Action) -> State | Sink:
        """Return delta(state, action): the successor, or the sink if ``action`` is not permitted."""
        if isinstance(state, Sink) or action not in self.permitted(state):
            return SINK
        return self.successor(state, action)

    def run(self, state: State | Sink, sequence: Iterable[Action]) -> State | Sink:
        """Return the state, or the sink, in which ``sequence`` ends when it starts in ``state``."""
        for action in sequence:
            state = self.step(state, action)
        return state

    def accepts(self, state: State | Sink, sequence: Iterable[Action]) -> bool:
        """Return whether ``sequence``, started in ``state``, does not end in the sink."""
        return not isinstance(self.run(state, sequence), Sink)


Engine = Literal["reference", "compiled"]
ENGINE_VARIABLE: Final = "WORKBENCH_ENGINE"


def engine_in_use(engine: Engine | None = None) -> Engine:
    """Return the requested engine, or that of the environment variable, or ``compiled``.

    Args:
        engine: ``reference``, ``compiled``, or None for the value of ``WORKBENCH_ENGINE``.

    Raises:
        InvalidArgumentError: If it is something else.
    """
    name = engine or os.environ.get(ENGINE_VARIABLE) or "compiled"
    if name not in get_args(Engine):
        raise InvalidArgumentError(
            f"expected an engine of {get_args(Engine)}, got {name!r} "
            f"({'the argument' if engine else ENGINE_VARIABLE})"
        )
    return cast("Engine", name)


def twin_for(
    automaton: Automaton[State, Action], engine: Engine | None, *states: State
) -> CompiledTwin[State] | None:
    """Return the automaton's twin if it is to be used for these states, else None.

    An automaton without a twin, and states that the twin does not take, go to the reference.

    Args:
        automaton: Any automaton.
        engine: As in `engine_in_use`.
        states: What the work is to be done on.
    """
    if engine_in_use(engine) == "reference":
        return None
    twin = automaton.compiled_twin()
    return twin if twin is not None and twin.supported(twin.packed(states)).all() else None

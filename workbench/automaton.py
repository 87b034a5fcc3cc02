"""The automaton (S*, Sigma, delta, S0), the interface of every environment of the workbench.

Source: arXiv 2508.19851, section 3. S* is the set of states plus one sink. An action that a state
does not permit leads to the sink, and so does every action in the sink: delta is total.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from enum import Enum
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.terminal import Terminal

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)
StateOfTwin = TypeVar("StateOfTwin", bound=Hashable, contravariant=True)


class Sink(Enum):
    """The type of the state in which no action is permitted; its only member is ``SINK``."""

    SINK = 0

    def __repr__(self) -> str:
        """Return ``SINK``."""
        return "SINK"


SINK: Final = Sink.SINK


class CompiledTwin(Protocol[StateOfTwin]):
    """A faster implementation of the same numbers, which an automaton may offer.

    Attributes:
        methods: Names of the estimators that it runs.
    """

    @property
    def methods(self) -> frozenset[str]: ...  # noqa: D102

    def supports(self, *states: StateOfTwin) -> bool:
        """Return whether the twin supports these states; the reference handles all others."""
        ...

    def packed(self, states: Sequence[StateOfTwin]) -> NDArray[Any]:
        """Return states in the twin's own form, one row each."""
        ...

    def supported(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return for each row of `packed` whether the twin supports it."""
        ...

    def joint_walks(
        self,
        true: NDArray[Any],
        predicted: NDArray[Any],
        depth: int,
        terminal: Terminal,
        workers: int | None = 1,
    ) -> NDArray[np.float64]:
        """Return p_1..p_m and then r_1..r_m of each of n pairs of rows, shape (n, 2m).

        ``workers`` are threads, None for all cores; the result does not depend on them.
        """
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
    ) -> NDArray[np.float64]:
        """Return the value of one run of an estimator of p_m for each of n pairs, shape (n,)."""
        ...

    def joint_walk(
        self, true: StateOfTwin, predicted: StateOfTwin, depth: int, terminal: Terminal
    ) -> tuple[tuple[float, ...], tuple[float, ...], int]:
        """Return p_1..p_m, r_1..r_m and the joint nodes visited."""
        ...

    def expected_joint_nodes(
        self, true: StateOfTwin, predicted: StateOfTwin, depth: int, probes: int, seed: int
    ) -> float:
        """Return an estimate of the joint nodes above the last ply."""
        ...

    def estimator_runs(
        self,
        true: StateOfTwin,
        predicted: StateOfTwin,
        depth: int,
        *,
        method: str,
        samples: int,
        seeds: Sequence[int],
        terminal: Terminal,
        workers: int | None = 1,
    ) -> list[tuple[float, int]]:
        """Return value and node count of one run of an estimator of p_m for each seed."""
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

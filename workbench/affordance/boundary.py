"""The Myhill-Nerode boundary of two states, and how far a model that lists next actions compresses and distinguishes.

Sequences of actions that lead to the same state permit the same continuations; those that lead to
different states differ in some. A model of next actions that has the state does likewise. Its lists
can be nearly all permitted and still depend on the order of the actions rather than on the state.

Source: Vafa, Chen, Rambachan, Kleinberg and Mullainathan, "Evaluating the World Model Implicit in a
Generative Model" (arXiv 2406.03689), section 2.3.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

from workbench.automaton import Action, Automaton, Sink, State, check_walk
from workbench.errors import InvalidArgumentError

Lister = Callable[[tuple[Action, ...]], Collection[Action]]
"""Of the actions so far, the next actions that a model takes to be permitted."""


class ListedAutomaton(Automaton[tuple[Action, ...], Action]):
    """The automaton that a model's lists of next actions imply: its states are sequences of actions.

    Args:
        lister: Of the actions so far, the next ones; called once for each sequence.
    """

    def __init__(self, lister: Lister[Action]) -> None:
        self._lister = lister
        self._lists: dict[tuple[Action, ...], tuple[Action, ...]] = {}

    @property
    def initial(self) -> tuple[Action, ...]:
        """No action."""
        return ()

    def permitted(self, state: tuple[Action, ...]) -> tuple[Action, ...]:
        """Return the model's list after the actions of ``state``, each action once."""
        if state not in self._lists:
            self._lists[state] = tuple(dict.fromkeys(self._lister(state)))
        return self._lists[state]

    def successor(self, state: tuple[Action, ...], action: Action) -> tuple[Action, ...]:
        """Return the actions with one more."""
        return (*state, action)


def boundary(
    automaton: Automaton[State, Action],
    accepting: State | Sink,
    refusing: State | Sink,
    depth: int = 1,
) -> tuple[tuple[Action, ...], ...]:
    """Return the shortest sequences that one state accepts and another does not.

    They are the sequences of at most ``depth`` actions whose last action alone the other state
    refuses: both accept what comes before it.

    Args:
        automaton: Of both states.
        accepting: The state that accepts them.
        refusing: The state that does not.
        depth: The longest sequence, in actions, at least 1.

    Returns:
        The sequences, the shorter ones first; none where the depth shows no difference.
    """
    check_walk(depth, "absorb")
    sequences: list[tuple[Action, ...]] = []
    both: list[tuple[tuple[Action, ...], State | Sink, State | Sink]] = [((), accepting, refusing)]
    for _ in range(depth):
        deeper = []
        for sequence, one, other in both:
            permitted = frozenset(automaton.actions(other))
            for action in automaton.actions(one):
                if action in permitted:
                    following = automaton.step(one, action), automaton.step(other, action)
                    deeper.append(((*sequence, action), *following))
                else:
                    sequences.append((*sequence, action))
        both = deeper
    return tuple(sequences)


@dataclass(frozen=True, slots=True)
class Compression:
    """How alike a model's continuations are after two sequences that lead to one state.

    Attributes:
        equal: Whether the boundary of the model is empty in both directions.
        agreement: Continuations that the model lists after both, as a share of those that it lists
            after either; 1 where it lists none. They are the shared sequences of the full depth and
            the boundaries.
    """

    equal: bool
    agreement: float


@dataclass(frozen=True, slots=True)
class Distinction:
    """How far a model tells two sequences apart that lead to different states.

    Attributes:
        recall: The share of the true boundary that the model, too, accepts after the first sequence
            and not after the second; NaN if the depth shows no true difference.
        precision: The share of the model's boundary that the first true state accepts and the second
            does not; NaN if the model makes no difference.
        true_count: Sequences in the true boundary.
        model_count: Sequences in the model's boundary.
    """

    recall: float
    precision: float
    true_count: int
    model_count: int


class BoundaryMeasure(Generic[State, Action]):
    """Compares the continuations that a model lists with those that the true states permit.

    Args:
        automaton: The true one.
        lister: The model: of the actions so far, the next ones.
        initial: The state in which the sequences begin; the automaton's own if None.
        depth: The longest continuation, in actions, at least 1; the model is asked for a list after
            each of the shorter ones.

    Raises:
        InvalidArgumentError: If a method gets a sequence that is not permitted, or a pair that does
            not lead to one state, or to two.
    """

    def __init__(
        self,
        automaton: Automaton[State, Action],
        lister: Lister[Action],
        initial: State | None = None,
        depth: int = 1,
    ) -> None:
        check_walk(depth, "absorb")
        self._automaton, self._depth = automaton, depth
        self._initial = automaton.initial if initial is None else initial
        self._listed = ListedAutomaton(lister)

    def compression(self, one: Sequence[Action], other: Sequence[Action]) -> Compression:
        """Compare the model after two sequences of actions that lead to the same state."""
        if self._state(one) != self._state(other):
            raise InvalidArgumentError(
                f"expected sequences that lead to one state, got {one!r:.80} and {other!r:.80}, which "
                "lead to two; `distinction` compares these"
            )
        here, there = tuple(one), tuple(other)
        only = [
            boundary(self._listed, first, second, self._depth)
            for first, second in ((here, there), (there, here))
        ]
        shared = self._shared(here, there)
        different = sum(map(len, only))
        total = shared + different
        return Compression(different == 0, shared / total if total else 1.0)

    def distinction(self, one: Sequence[Action], other: Sequence[Action]) -> Distinction:
        """Compare the boundary of the model after two sequences with that of their states."""
        first, second = self._state(one), self._state(other)
        if first == second:
            raise InvalidArgumentError(
                f"expected sequences that lead to two states, got {one!r:.80} and {other!r:.80}, which "
                "lead to one; `compression` compares these"
            )
        here, there = tuple(one), tuple(other)
        true = boundary(self._automaton, first, second, self._depth)
        listed = boundary(self._listed, here, there, self._depth)
        recovered = _accepted_by_first(self._listed, here, there, true)
        confirmed = _accepted_by_first(self._automaton, first, second, listed)
        return Distinction(
            recovered / len(true) if true else float("nan"),
            confirmed / len(listed) if listed else float("nan"),
            len(true),
            len(listed),
        )

    def _state(self, sequence: Sequence[Action]) -> State:
        state = self._automaton.run(self._initial, sequence)
        if isinstance(state, Sink):
            raise InvalidArgumentError(
                f"expected a sequence of permitted actions, got {sequence!r:.80}"
            )
        return state

    def _shared(self, one: tuple[Action, ...], other: tuple[Action, ...]) -> int:
        pairs = [(one, other)]
        for _ in range(self._depth):
            pairs = [
                ((*here, action), (*there, action))
                for here, there in pairs
                for action in set(self._listed.permitted(here)) & set(self._listed.permitted(there))
            ]
        return len(pairs)


def _accepted_by_first(
    automaton: Automaton[State, Action],
    first: State | Sink,
    second: State | Sink,
    sequences: Sequence[tuple[Action, ...]],
) -> int:
    """Count the sequences that the first state accepts and the second does not."""
    return sum(
        automaton.accepts(first, each) and not automaton.accepts(second, each) for each in sequences
    )


def other_orders(
    automaton: Automaton[State, Action], initial: State, actions: Sequence[Action]
) -> Iterator[tuple[Action, ...]]:
    """Yield other orders of a sequence of actions that lead to the same state, the latest change first.

    Two actions change places, those closest to each other first; the rest stays.

    Args:
        automaton: Of the actions.
        initial: Where they begin.
        actions: A permitted sequence.

    Yields:
        Each with the same actions, permitted one after the other; nothing if there is no such order.

    Raises:
        InvalidArgumentError: If an action is not permitted.
    """
    states: list[State] = [initial]
    for action in actions:
        state = automaton.step(states[-1], action)
        if isinstance(state, Sink):
            raise InvalidArgumentError(
                f"expected a sequence of permitted actions, got {tuple(actions)!r:.80}"
            )
        states.append(state)
    for distance in range(1, len(actions)):
        for place in range(len(actions) - distance - 1, -1, -1):
            first, second = actions[place], actions[place + distance]
            if first == second:
                continue
            rest = (second, *actions[place + 1 : place + distance], first)
            end = place + distance + 1
            reached = automaton.run(states[place], rest)
            for index in range(end, len(actions)):
                if reached == states[index]:
                    reached = states[-1]
                    break
                reached = automaton.step(reached, actions[index])
            if reached == states[-1]:
                yield (*actions[:place], *rest, *actions[end:])

"""Actions, successors and values of the states of a joint tree, by an automaton alone."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol

from workbench.automaton import Action, State
from workbench.explore.explored_automaton import ExploredAutomaton
from workbench.explore.pair_words import PairWords
from workbench.terminal import Terminal


class NodeRules(Protocol):
    """What a joint tree is grown and told by. States and actions may have a form of their own.

    Attributes:
        words: What the pair's states and actions are called.
    """

    words: PairWords

    def packed(self, states: Sequence[Any]) -> Any:
        """Return states in the form of these rules, one item each."""
        ...

    def permitted(self, state: Any) -> list[Any]:
        """Return the actions that a state permits."""
        ...

    def successors(self, states: Sequence[Any], actions: Sequence[Any]) -> Any:
        """Return the state after each action, one item each."""
        ...

    def values(
        self, true: Any, predicted: Any, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        """Return p_m and r_m of each pair."""
        ...

    def action_text(self, action: Any) -> str:
        """Return an action as a page names it when it asks for a step."""
        ...

    def named(self, state: Any, action: Any) -> str:
        """Return an action in words, as a state that permits it names it."""
        ...


class AutomatonRules(Generic[State, Action]):
    """The rules of any automaton.

    Args:
        explored: The automaton.
        action_text: Writes an action.
        order: The order of a state's actions, as a key; None leaves that of the automaton.
    """

    def __init__(
        self,
        explored: ExploredAutomaton[State, Action],
        action_text: Callable[[Action], str],
        order: Callable[[Action], int] | None = None,
    ) -> None:
        self.words = explored.words
        self._explored = explored
        self._action_text = action_text
        self._order = order

    def packed(self, states: Sequence[State]) -> Sequence[State]:
        """Return the states themselves."""
        return states

    def permitted(self, state: State) -> list[Action]:
        """Return the actions that a state permits."""
        found = list(self._explored.automaton.permitted(state))
        if self._order is not None:
            found.sort(key=self._order)
        return found

    def successors(self, states: Sequence[State], actions: Sequence[Action]) -> list[State]:
        """Return the state after each action."""
        automaton = self._explored.automaton
        return [automaton.successor(*each) for each in zip(states, actions, strict=True)]

    def values(
        self, true: Sequence[State], predicted: Sequence[State], depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        """Return p_m and r_m of each pair."""
        found = []
        for pair in zip(true, predicted, strict=True):
            precision, recall = self._explored.exact_values(*pair, depth, terminal)
            found.append((precision[-1], recall[-1]))
        return found

    def action_text(self, action: Action) -> str:
        """Return an action as text."""
        return self._action_text(action)

    def named(self, state: State, action: Action) -> str:
        """Return an action as a part of a sentence, which is the same in every state."""
        del state
        return self._action_text(action).removesuffix(".")

"""The top of the joint tree of two states: actions, successors, the loss below each node, and its words."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, Protocol

from workbench.automaton import Action, State, Terminal
from workbench.explore.explorer_settings import ExploredAutomaton, PairWords


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
    """The rules of any automaton."""

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


ROUNDING: Final = 1e-12
"""Losses up to this value are rounding errors."""


@dataclass(frozen=True, slots=True)
class NodeActions:
    """The actions of a node, each list in the order of its rules."""

    only_true: list[Any]
    only_predicted: list[Any]
    shared: list[Any]


@dataclass(slots=True)
class JointNode:
    """A line that both states accept, in the form of some `NodeRules`.

    Attributes:
        line: Its actions.
        true: The true state after it.
        predicted: The predicted state after it.
        weights: The probability of the line in uniform branching from the predicted state, which
            counts for precision, and from the true state, which counts for recall.
        values: Precision and recall of the two states over the actions that remain.
        actions: The actions of both states; None until they are asked for.
        grown: Whether the children were made.
        children: A node for each shared action; empty until then.
    """

    line: tuple[Any, ...]
    true: Any
    predicted: Any
    weights: tuple[float, float]
    values: tuple[float, float]
    actions: NodeActions | None = None
    grown: bool = False
    children: "list[JointNode]" = field(default_factory=list)

    def lost(self, measure: int) -> float:
        """Return the mass lost below, for precision (0) or recall (1)."""
        loss = 1.0 - self.values[measure]
        return self.weights[measure] * loss if loss > ROUNDING else 0.0

    def most_lost(self) -> float:
        """Return the greater of the two masses."""
        return max(self.lost(0), self.lost(1))

    def permitted(self) -> tuple[int, int]:
        """Return how many actions the predicted and the true state permit."""
        assert self.actions is not None
        shared = len(self.actions.shared)
        return shared + len(self.actions.only_predicted), shared + len(self.actions.only_true)


class JointTree:
    """The joint tree of a pair, grown node by node from its root.

    Attributes:
        root: The empty line.
    """

    def __init__(self, rules: NodeRules, root: JointNode, depth: int, terminal: Terminal) -> None:
        """Make a tree of its root alone.

        Args:
            rules: Actions, successors and values of both states.
            root: The empty line, its states in the form of the rules.
            depth: The number of actions m, at least 1.
            terminal: How an episode that finishes earlier counts.
        """
        self._rules: Final = rules
        self._depth = depth
        self._terminal: Terminal = terminal
        self.root = root

    def find_actions(self, nodes: Sequence[JointNode]) -> None:
        """Give nodes the actions of both states."""
        for node in nodes:
            of_true, of_predicted = (
                self._rules.permitted(node.true),
                self._rules.permitted(node.predicted),
            )
            in_true, in_predicted = frozenset(of_true), frozenset(of_predicted)
            node.actions = NodeActions(
                [action for action in of_true if action not in in_predicted],
                [action for action in of_predicted if action not in in_true],
                [action for action in of_true if action in in_predicted],
            )

    def grow(self, nodes: Sequence[JointNode]) -> None:
        """Give nodes of one level, whose actions were found, a child for each shared action."""
        shared = [(node, action) for node in nodes for action in (node.actions or _NONE).shared]
        for node in nodes:
            node.grown = True
        if not shared:
            return
        remaining = self._depth - len(shared[0][0].line) - 1
        actions = [action for _, action in shared]
        true = self._rules.successors([node.true for node, _ in shared], actions)
        predicted = self._rules.successors([node.predicted for node, _ in shared], actions)
        values = [(1.0, 1.0)] * len(shared)  # p_0 = r_0 = 1
        if remaining > 0:
            values = self._rules.values(true, predicted, remaining, self._terminal)
        for index, (node, action) in enumerate(shared):
            of_predicted, of_true = node.permitted()
            weights = node.weights[0] / of_predicted, node.weights[1] / of_true
            line = (*node.line, action)
            child = JointNode(line, true[index], predicted[index], weights, values[index])
            node.children.append(child)


_NONE: Final = NodeActions([], [], [])


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the two measures: from which state its lines are drawn.

    Attributes:
        name: ``precision`` or ``recall``.
        symbol: As in formulas.
        index: Where a `JointNode` has its weight and value of this measure.
    """

    name: Literal["precision", "recall"]
    symbol: Literal["p", "r"]
    index: Literal[0, 1]

    def state(self, node: JointNode) -> Any:
        """Return a node's state from which lines are drawn."""
        return node.true if self.index else node.predicted

    def dying(self, actions: NodeActions) -> list[Any]:
        """Return the actions that are drawn and refused."""
        return actions.only_true if self.index else actions.only_predicted

    def drawn(self, words: PairWords) -> str:
        """Return the state from which lines are drawn, in words."""
        return words.in_truth if self.index else "in the prediction"

    def other(self, words: PairWords) -> str:
        """Return the state in which they are tried, in words."""
        return "in the prediction" if self.index else words.in_truth

    def each(self, node: JointNode) -> float:
        """Return the mass of each action of a node with actions found; NaN if there is none."""
        permitted = node.permitted()[self.index]
        return node.weights[self.index] / permitted if permitted else math.nan


MEASURES: Final = (Measure("precision", "p", 0), Measure("recall", "r", 1))


def percent(share: float) -> str:
    """Return a share in percent: one decimal, or two digits where it is under 1%."""
    if 0 < share < 0.00001:
        return "under 0.001%"
    return f"{100 * share:.2g}%" if 0 < share < 0.01 else f"{100 * share:.1f}%"


def finished_words(node: JointNode, measure: Measure, words: PairWords) -> str | None:
    """Say that no line continues from a node with actions found because an episode is over, or None.

    Lines drawn from a finished state are lost where the other continues, and with it under the
    convention ``drop``. Where the other alone is over, each action that is drawn is refused.
    """
    assert node.actions is not None
    if node.actions.shared or measure.dying(node.actions):
        return None
    over = f"the {words.episode} is over"
    if node.permitted()[1 - measure.index]:
        return f"{over} {measure.drawn(words)} but not {measure.other(words)}"
    return f"{over} {words.in_both}, and such lines are dropped"

"""The top of the joint tree of two states: actions, successors, the loss below each node, and its words."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, NamedTuple

from workbench.automaton import Action, State, Terminal
from workbench.explore.explorer_settings import ExploredAutomaton, PairWords


class ActionSets(NamedTuple):
    """The actions of a true and a predicted state; shared ones in the order of the true state."""

    only_true: list[Any]
    only_predicted: list[Any]
    shared: list[Any]


def action_sets(of_true: Sequence[Any], of_predicted: Sequence[Any]) -> ActionSets:
    """Compare the actions that two states permit."""
    in_true, in_predicted = frozenset(of_true), frozenset(of_predicted)
    return ActionSets(
        [action for action in of_true if action not in in_predicted],
        [action for action in of_predicted if action not in in_true],
        [action for action in of_true if action in in_predicted],
    )


class AutomatonRules(Generic[State, Action]):
    """By what a joint tree grows, for any automaton; a subclass may give states another form."""

    def __init__(
        self,
        explored: ExploredAutomaton[State, Action],
        action_text: Callable[[Action], str],
        order: Callable[[Action], int] | None = None,
    ) -> None:
        self.words: Final = explored.words
        self._explored = explored
        self._order = order
        self.action_text = action_text

    def packed(self, states: Sequence[State]) -> Any:
        """Return states in the form of these rules, one item each."""
        return states

    def permitted(self, state: Any) -> list[Any]:
        """Return the actions that a state permits."""
        actions = list(self._explored.automaton.permitted(state))
        return actions if self._order is None else sorted(actions, key=self._order)

    def successors(self, states: Sequence[Any], actions: Sequence[Any]) -> Any:
        """Return the state after each action, one item each."""
        return list(map(self._explored.automaton.successor, states, actions))

    def values(
        self, true: Any, predicted: Any, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        """Return p_m and r_m of each pair."""
        profiles = [
            self._explored.exact_values(*pair, depth, terminal)
            for pair in zip(true, predicted, strict=True)
        ]
        return [(precision[-1], recall[-1]) for precision, recall in profiles]

    def named(self, state: Any, action: Any) -> str:
        """Return an action in words, as a state that permits it names it."""
        del state
        return self.action_text(action).removesuffix(".")


ROUNDING: Final = 1e-12
"""Losses up to this value are rounding errors."""


@dataclass(slots=True)
class JointNode:
    """A line that both states accept, its states in the form of the rules.

    Its weights are its probability in uniform branching from the predicted state, which counts for
    precision, and from the true state, which counts for recall; its values precision and recall over
    the actions that remain. Actions are None until they are asked for.
    """

    line: tuple[Any, ...]
    true: Any
    predicted: Any
    weights: tuple[float, float]
    values: tuple[float, float]
    actions: ActionSets | None = None
    grown: bool = False
    children: "list[JointNode]" = field(default_factory=list)

    def lost(self, measure: int) -> float:
        """Return the mass lost below, for precision (0) or recall (1)."""
        loss = 1.0 - self.values[measure]
        return self.weights[measure] * loss if loss > ROUNDING else 0.0

    def largest_loss(self) -> float:
        """Return the greater of the two masses."""
        return max(self.lost(0), self.lost(1))

    def permitted(self) -> tuple[int, int]:
        """Return how many actions the predicted and the true state permit."""
        assert self.actions is not None
        shared = len(self.actions.shared)
        return shared + len(self.actions.only_predicted), shared + len(self.actions.only_true)


def add_children(
    rules: AutomatonRules[Any, Any], nodes: Sequence[JointNode], depth: int, terminal: Terminal
) -> None:
    """Give nodes of one level, whose actions are known, a child for each shared action."""
    pairs = [(node, action) for node in nodes if node.actions for action in node.actions.shared]
    for node in nodes:
        node.grown = True
    if not pairs:
        return
    remaining = depth - len(pairs[0][0].line) - 1
    actions = [action for _, action in pairs]
    true = rules.successors([node.true for node, _ in pairs], actions)
    predicted = rules.successors([node.predicted for node, _ in pairs], actions)
    values = [(1.0, 1.0)] * len(pairs)  # p_0 = r_0 = 1
    if remaining > 0:
        values = rules.values(true, predicted, remaining, terminal)
    for index, (node, action) in enumerate(pairs):
        of_predicted, of_true = node.permitted()
        weights = node.weights[0] / of_predicted, node.weights[1] / of_true
        line = (*node.line, action)
        node.children.append(JointNode(line, true[index], predicted[index], weights, values[index]))


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the two measures; its index is that of weights and values in a `JointNode`."""

    name: Literal["precision", "recall"]
    symbol: Literal["p", "r"]
    index: Literal[0, 1]

    def state(self, node: JointNode) -> Any:
        """Return a node's state from which lines are drawn."""
        return node.true if self.index else node.predicted

    def refused(self, actions: ActionSets) -> list[Any]:
        """Return the actions that are drawn and refused."""
        return actions.only_true if self.index else actions.only_predicted

    def source(self, words: PairWords) -> str:
        """Return the state from which lines are drawn, in words."""
        return words.in_truth if self.index else "in the prediction"

    def mass(self, node: JointNode) -> float:
        """Return the mass of each action of a node with known actions; NaN if there is none."""
        permitted = node.permitted()[self.index]
        return node.weights[self.index] / permitted if permitted else math.nan


MEASURES: Final = (Measure("precision", "p", 0), Measure("recall", "r", 1))


def percent(share: float) -> str:
    """Return a share in percent: one decimal, or two digits where it is under 1%."""
    if 0 < share < 0.00001:
        return "under 0.001%"
    return f"{100 * share:.2g}%" if 0 < share < 0.01 else f"{100 * share:.1f}%"


def finished_words(node: JointNode, measure: Measure, words: PairWords) -> str:
    """Return that no line continues from a node because an episode is over; else nothing.

    Lines drawn from a finished state are lost where the other continues, and with it under the
    convention ``drop``. Where the other alone is over, each action that is drawn is refused.
    """
    if node.actions is None or node.actions.shared or measure.refused(node.actions):
        return ""
    over = f"the {words.episode} is over"
    if node.permitted()[1 - measure.index]:
        other = MEASURES[1 - measure.index].source(words)
        return f"{over} {measure.source(words)} but not {other}"
    return f"{over} {words.in_both}, and such lines are dropped"

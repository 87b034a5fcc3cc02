"""The top of the joint tree of two states: the actions of each node, and the loss below it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.explore.losses.node_rules import NodeRules
from workbench.terminal import Terminal

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

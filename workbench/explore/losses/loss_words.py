"""Losses of precision and recall in words: the cost of an action or a branch, and the reason."""

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from workbench.explore.losses.joint_tree import JointNode, NodeActions
from workbench.explore.pair_words import PairWords


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

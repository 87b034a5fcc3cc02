"""The actions that cost most precision or recall, summed over all lines that lead to them."""

from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Final

from workbench.explore.losses.joint_tree import JointNode
from workbench.explore.losses.loss_words import Measure, finished_words, percent
from workbench.explore.losses.node_rules import NodeRules

_MOST: Final = 5
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@dataclass(slots=True)
class _Cost:
    """The cost of an action as the n-th of a line, and the node at which it costs most."""

    mass: float
    heaviest: float
    node: JointNode


def costliest_actions(
    rules: NodeRules, tree: JointNode, measure: Measure, complete: int
) -> list[dict[str, Any]]:
    """List the actions at which most of a measure is lost.

    An action represents all lines that die at it as their n-th, so that a few actions are named
    where thousands of lines are lost. It dies where the other state does not permit it, or where
    it ends the episode in one state alone.

    Args:
        rules: Those of the tree.
        tree: An expanded joint tree.
        measure: Precision or recall.
        complete: The plies, counted from 1, at which every losing line has been looked at; deeper
            ones have "at least" before their share.

    Returns:
        At most five, the costliest first: ``line`` (the heaviest of the lines), ``words``,
        ``share`` (of p, or r: the mass lost) and ``share_of_lost``.
    """
    costs: dict[tuple[int, Any, str], _Cost] = {}
    _collect(rules, tree, measure, costs)
    total = tree.lost(measure.index)
    found = []
    for (ply, action, why), cost in nlargest(_MOST, costs.items(), key=lambda item: item[1].mass):
        words = rules.named(measure.state(cost.node), action)
        if ply > 1:
            place = _ORDINALS[ply - 1] if ply <= len(_ORDINALS) else f"{ply}th"
            words += f" as the {place} {rules.words.action}, for example after "
            words += _before(rules, tree, cost.node, measure)
        least = "at least " if ply > complete else ""
        found.append(
            {
                "line": [rules.action_text(each) for each in (*cost.node.line, action)],
                "words": f"{words}: {why}, {least}{percent(cost.mass)} of {measure.symbol} lost",
                "share": cost.mass,
                "share_of_lost": cost.mass / total,
            }
        )
    return found


def _collect(
    rules: NodeRules,
    node: JointNode,
    measure: Measure,
    costs: dict[tuple[int, Any, str], _Cost],
) -> None:
    if node.actions is None or not node.lost(measure.index):
        return
    ply, each = len(node.line) + 1, measure.each(node)
    refused = f"{rules.words.permitted} only {measure.drawn(rules.words)}"
    for action in measure.dying(node.actions):
        _add(costs, (ply, action, refused), each, node)
    for child in node.children:
        why = finished_words(child, measure, rules.words) if child.actions is not None else None
        if why is None:
            _collect(rules, child, measure, costs)
        elif child.lost(measure.index):
            _add(costs, (ply, child.line[-1], f"after it {why}"), child.lost(measure.index), node)


def _add(
    costs: dict[tuple[int, Any, str], _Cost],
    key: tuple[int, Any, str],
    mass: float,
    node: JointNode,
) -> None:
    cost = costs.get(key)
    if cost is None:
        costs[key] = _Cost(mass, mass, node)
        return
    cost.mass += mass
    if mass > cost.heaviest:
        cost.heaviest, cost.node = mass, node


def _before(rules: NodeRules, tree: JointNode, node: JointNode, measure: Measure) -> str:
    """Return the actions that lead to a node, as the states from which lines are drawn name them."""
    words, here = [], tree
    for action in node.line:
        words.append(rules.named(measure.state(here), action))
        here = next(child for child in here.children if child.line[-1] == action)
    return (", " if any(" " in each for each in words) else " ").join(words)

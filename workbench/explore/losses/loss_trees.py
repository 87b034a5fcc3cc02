"""The losses of p_m and r_m over the joint tree, and the most expensive actions."""

import math
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Final

from workbench.automaton import Action, State
from workbench.errors import InvalidArgumentError
from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings
from workbench.explore.losses.joint_tree import (
    MEASURES,
    JointNode,
    JointTree,
    Measure,
    NodeRules,
    finished_words,
    percent,
)
from workbench.explore.losses.main_cause import Values, causes_in_words

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


_MOST_NODES: Final = 2000
"""Nodes of a level whose actions are found at most."""


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How much of a tree is shown.

    Attributes:
        levels: Actions of a line that are distinguished, at least 1.
        smallest_share: Branches with less than this share of all that is lost are merged; in [0, 1).
    """

    levels: int = 3
    smallest_share: float = 0.01

    def __post_init__(self) -> None:
        if self.levels < 1 or not 0 <= self.smallest_share < 1:
            raise InvalidArgumentError(
                "expected levels of at least 1 and smallest_share in [0, 1), got "
                f"{self.levels!r}, {self.smallest_share!r}"
            )


def loss_trees(
    explored: ExploredAutomaton[State, Action],
    rules: NodeRules,
    true: State,
    predicted: State,
    settings: ExplorerSettings,
    shown: TreeLimits,
) -> tuple[dict[str, Any], Values]:
    """Spread the lost probability mass of two states over the lines on which it is lost.

    Returns:
        First ``depth`` and ``reason``; ``precision`` and ``recall``, the root nodes of two trees; and
        ``costliest`` with five actions at most for each, see `costliest_actions`. A node has
        ``line``, ``words``, ``kind`` (root, shared, lost, merged), ``lost`` (mass), ``share`` (of all
        that is lost; None where nothing is) and ``children``, which add up to it. A node without
        children loses its mass in itself, or further down than is shown. Then p and r at that
        depth.
    """
    limit = exact_depth(explored, true, predicted, settings)
    precision, recall = explored.exact_values(true, predicted, limit.depth, settings.terminal)
    values = precision[-1], recall[-1]
    of_true, of_predicted = rules.packed([true, predicted])
    root = JointNode((), of_true, of_predicted, (1.0, 1.0), values)
    tree = JointTree(rules, root, limit.depth, settings.terminal)
    complete = _grow(tree, min(shown.levels, limit.depth), shown.smallest_share)
    found: dict[str, Any] = {
        "depth": limit.depth,
        "reason": limit.reason,
        **{
            measure.name: _root(rules, root, measure, limit.depth, shown.smallest_share)
            for measure in MEASURES
        },
        "costliest": {
            measure.name: costliest_actions(rules, root, measure, complete) for measure in MEASURES
        },
    }
    return found, values


def all_lost(why_no_state: str, depth: int) -> dict[str, Any]:
    """Return what `loss_trees` does, and no cause, where there is no predicted state."""
    words = f"{why_no_state}: everything is lost"
    root = {"line": [], "words": words, "kind": "root", "lost": 1.0, "share": 1.0}
    return {
        "depth": depth,
        "reason": words,
        **{measure.name: {**root, "children": []} for measure in MEASURES},
        "costliest": {measure.name: [] for measure in MEASURES},
        "why": causes_in_words(depth, (0.0, 0.0), (None, None)),
    }


def _grow(tree: JointTree, levels: int, smallest_share: float) -> int:
    """Find what is to be shown, and what the costliest moves are to be found in.

    Actions are found for all nodes that lose something, the heaviest of them where they are very
    many. Children are made where they are shown, and of all first actions.
    """
    complete, everything = 0, True
    nodes = [tree.root]
    for level in range(levels):
        tree.find_actions(nodes)
        complete += everything
        if level > 1:
            large = [node for node in nodes if _large(node, tree.root, smallest_share)]
            everything = everything and len(large) == len(nodes)
            nodes = large
        tree.grow(nodes)
        losing = [child for node in nodes for child in node.children if child.most_lost()]
        nodes = nlargest(_MOST_NODES, losing, key=JointNode.most_lost)
        everything = everything and len(nodes) == len(losing)
    return complete


def _large(node: JointNode, root: JointNode, smallest_share: float) -> bool:
    return any(
        0 < node.lost(measure.index) >= smallest_share * root.lost(measure.index)
        for measure in MEASURES
    )


def _root(
    rules: NodeRules, tree: JointNode, measure: Measure, depth: int, smallest_share: float
) -> dict[str, Any]:
    value = tree.values[measure.index]
    lost = max(1.0 - value, 0.0)
    total = tree.lost(measure.index)
    words = f"{measure.symbol}_{depth} = {value:.4g}: "
    if total:
        over = finished_words(tree, measure, rules.words)
        words += f"{over}, " if over else ""
        words += f"{percent(lost)} of {measure.symbol} lost"
    else:
        words += "nothing is lost"
    return {
        "line": [],
        "words": words,
        "kind": "root",
        "lost": lost,
        "share": 1.0 if total else None,
        "children": _branches(rules, tree, measure, total, smallest_share),
    }


def _branches(
    rules: NodeRules, node: JointNode, measure: Measure, total: float, smallest_share: float
) -> list[dict[str, Any]]:
    """Return the branches of a node that lose something, the greatest first, the small ones merged."""
    if node.actions is None or not node.grown or not node.lost(measure.index):
        return []
    state, line = measure.state(node), [rules.action_text(each) for each in node.line]
    large: list[tuple[float, JointNode | None, Any]] = []
    small: list[float] = []
    each = measure.each(node)
    losses: list[tuple[float, JointNode | None, Any]] = [
        (each, None, action) for action in measure.dying(node.actions)
    ]
    losses += [(child.lost(measure.index), child, child.line[-1]) for child in node.children]
    for loss, child, action in losses:
        if loss >= smallest_share * total:
            if loss > 0:
                large.append((loss, child, action))
        else:
            small.append(loss)
    branches = []
    for loss, child, action in sorted(large, key=lambda branch: -branch[0]):
        branches.append(
            {
                "line": [*line, rules.action_text(action)],
                "words": f"{rules.named(state, action)}: {_why(rules, child, loss, measure)}",
                "kind": "shared" if child else "lost",
                "lost": loss,
                "share": loss / total,
                "children": (
                    _branches(rules, child, measure, total, smallest_share) if child else []
                ),
            }
        )
    small = [loss for loss in small if loss > 0]
    if small:
        merged = math.fsum(small)
        noun = "smaller branch" if len(small) == 1 else "smaller branches"
        branches.append(
            {
                "line": line,
                "words": f"{len(small)} {noun}: {percent(merged)} of {measure.symbol} lost",
                "kind": "merged",
                "lost": merged,
                "share": merged / total,
                "children": [],
            }
        )
    return branches


def _why(rules: NodeRules, child: JointNode | None, loss: float, measure: Measure) -> str:
    lost, words = f"{percent(loss)} of {measure.symbol} lost", rules.words
    if child is None:
        return f"{words.permitted} only {measure.drawn(words)}, {lost}"
    over = finished_words(child, measure, words) if child.actions is not None else None
    return (
        f"after it {over}, {lost}"
        if over
        else f"{words.permitted} {words.in_both}, {lost} after it"
    )

"""The losses of p_m and r_m over the joint tree, and the most expensive actions."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from heapq import nlargest
from typing import Any, Final

from workbench.automaton import Action, State
from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings
from workbench.explore.losses.joint_tree import (
    MEASURES,
    AutomatonRules,
    JointNode,
    Measure,
    action_sets,
    add_children,
    finished_words,
    percent,
)

_MOST: Final = 5
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
LEVELS: Final = 3
"""Actions of a line that are distinguished."""
SMALLEST_SHARE: Final = 0.01
"""Branches with less than this share of all that is lost are merged."""
_MOST_NODES: Final = 2000
"""Nodes of a level whose actions are found at most."""

Rules = AutomatonRules[Any, Any]


def loss_trees(
    explored: ExploredAutomaton[State, Action],
    rules: Rules,
    true: State,
    predicted: State,
    settings: ExplorerSettings,
    smallest_share: float = SMALLEST_SHARE,
) -> dict[str, Any]:
    """Spread the lost probability mass of two states over the lines on which it is lost.

    Returns:
        ``depth`` and ``reason``; ``precision`` and ``recall``, the root nodes of two trees; and
        ``costliest`` with five actions at most for each, see `costliest_actions`. A node has ``line``, ``words``,
        ``kind`` (root, shared, lost, merged), ``lost`` (mass), ``share`` (of all that is lost; None
        where nothing is) and ``children``, which add up to it. A node without children loses its
        mass in itself, or further down than is shown.
    """
    limit = exact_depth(explored, true, predicted, settings)
    limited = replace(settings, depth=limit.depth)
    precision, recall = explored.exact_values(true, predicted, limit.depth, settings.terminal)
    values = precision[-1], recall[-1]
    of_true, of_predicted = rules.packed([true, predicted])
    root = JointNode((), of_true, of_predicted, (1.0, 1.0), values)
    complete = _grow(rules, root, limited, smallest_share)
    return {
        "depth": limit.depth,
        "reason": limit.reason,
        **{each.name: _root(rules, root, each, limit.depth, smallest_share) for each in MEASURES},
        "costliest": {
            each.name: costliest_actions(rules, root, each, complete) for each in MEASURES
        },
    }


def all_lost(reason: str, depth: int) -> dict[str, Any]:
    """Return what `loss_trees` does where there is no predicted state."""
    words = f"{reason}: everything is lost"
    root = {"line": [], "words": words, "kind": "root", "lost": 1.0, "share": 1.0}
    return {
        "depth": depth,
        "reason": words,
        **{measure.name: {**root, "children": []} for measure in MEASURES},
        "costliest": {measure.name: [] for measure in MEASURES},
    }


def _grow(rules: Rules, root: JointNode, settings: ExplorerSettings, smallest_share: float) -> int:
    """Grow the tree from its root, and return the plies at which every losing line is in it.

    Actions are found for all nodes that lose something, the heaviest of them where they are very
    many. Children are made where they are shown, and of all first actions.
    """
    complete, everything = 0, True
    nodes = [root]
    for level in range(min(LEVELS, settings.depth)):
        for node in nodes:
            node.actions = action_sets(rules.permitted(node.true), rules.permitted(node.predicted))
        complete += everything
        if level > 1:
            large = [
                node
                for node in nodes
                if any(0 < node.lost(i) >= smallest_share * root.lost(i) for i in (0, 1))
            ]
            everything = everything and len(large) == len(nodes)
            nodes = large
        add_children(rules, nodes, settings.depth, settings.terminal)
        losing = [child for node in nodes for child in node.children if child.largest_loss()]
        nodes = nlargest(_MOST_NODES, losing, key=JointNode.largest_loss)
        everything = everything and len(nodes) == len(losing)
    return complete


def costliest_actions(
    rules: Rules, tree: JointNode, measure: Measure, complete: int
) -> list[dict[str, Any]]:
    """List the actions at which most of a measure is lost.

    An action represents all lines that die at it as their n-th, so that a few actions are named
    where thousands of lines are lost. It dies where the other state does not permit it, or where
    it ends the episode in one state alone. ``complete`` is the number of plies at which every
    losing line has been looked at; deeper actions have "at least" before their share.

    Returns:
        At most five, the costliest first: ``line`` (the heaviest of the lines), ``words``,
        ``share`` (of p, or r: the mass lost) and ``share_of_lost``.
    """
    deaths: dict[tuple[int, Any, str], list[tuple[float, JointNode]]] = defaultdict(list)
    for key, mass, node in _deaths(rules, tree, measure):
        deaths[key].append((mass, node))
    costs = [(sum(mass for mass, _ in each), key) for key, each in deaths.items()]
    rows = []
    for cost, key in nlargest(_MOST, costs, key=_first):
        (ply, action, why), (_, node) = key, max(deaths[key], key=_first)
        words = rules.named(measure.state(node), action)
        if ply > 1:
            ordinal = _ORDINALS[ply - 1] if ply <= len(_ORDINALS) else f"{ply}th"
            words += f" as the {ordinal} {rules.words.action}, for example after "
            words += _before(rules, tree, node, measure)
        least = "at least " if ply > complete else ""
        rows.append(
            {
                "line": [rules.action_text(each) for each in (*node.line, action)],
                "words": f"{words}: {why}, {least}{percent(cost)} of {measure.symbol} lost",
                "share": cost,
                "share_of_lost": cost / tree.lost(measure.index),
            }
        )
    return rows


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]


def _deaths(
    rules: Rules, node: JointNode, measure: Measure
) -> Iterator[tuple[tuple[int, Any, str], float, JointNode]]:
    """Yield the ply, the action and the reason of each loss below a node, its mass, and where."""
    if node.actions is None or not node.lost(measure.index):
        return
    ply, mass = len(node.line) + 1, measure.mass(node)
    refused = f"{rules.words.permitted} only {measure.source(rules.words)}"
    for action in measure.refused(node.actions):
        yield (ply, action, refused), mass, node
    for child in node.children:
        over = finished_words(child, measure, rules.words)
        if not over:
            yield from _deaths(rules, child, measure)
        elif child.lost(measure.index):
            yield (ply, child.line[-1], f"after it {over}"), child.lost(measure.index), node


def _before(rules: Rules, tree: JointNode, node: JointNode, measure: Measure) -> str:
    """Return the actions that lead to a node, as the states from which lines are drawn name them."""
    words, here = [], tree
    for action in node.line:
        words.append(rules.named(measure.state(here), action))
        here = next(child for child in here.children if child.line[-1] == action)
    return (", " if any(" " in each for each in words) else " ").join(words)


def _root(
    rules: Rules, tree: JointNode, measure: Measure, depth: int, smallest_share: float
) -> dict[str, Any]:
    value, total = tree.values[measure.index], tree.lost(measure.index)
    lost = max(1.0 - value, 0.0)
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
    rules: Rules, node: JointNode, measure: Measure, total: float, smallest_share: float
) -> list[dict[str, Any]]:
    """Return the branches of a node that lose something, the greatest first, the small ones merged."""
    if node.actions is None or not node.grown or not node.lost(measure.index):
        return []
    mass, symbol = measure.mass(node), measure.symbol
    losses: list[tuple[float, JointNode | None, Any]] = [
        *((mass, None, action) for action in measure.refused(node.actions)),
        *((child.lost(measure.index), child, child.line[-1]) for child in node.children),
    ]
    losses = [each for each in losses if each[0] > 0]
    line = [rules.action_text(each) for each in node.line]
    branches = []
    for loss, child, action in sorted(losses, key=lambda branch: -branch[0]):
        if loss < smallest_share * total:
            continue
        why = f"{rules.words.permitted} only {measure.source(rules.words)}"
        if child:
            over = finished_words(child, measure, rules.words)
            why = f"after it {over}" if over else f"{rules.words.permitted} {rules.words.in_both}"
        after = " after it" if child and not why.startswith("after it ") else ""
        branches.append(
            {
                "line": [*line, rules.action_text(action)],
                "words": f"{rules.named(measure.state(node), action)}: {why}, "
                f"{percent(loss)} of {symbol} lost{after}",
                "kind": "shared" if child else "lost",
                "lost": loss,
                "share": loss / total,
                "children": (
                    _branches(rules, child, measure, total, smallest_share) if child else []
                ),
            }
        )
    small = [loss for loss, *_ in losses if loss < smallest_share * total]
    if small:
        merged = math.fsum(small)
        noun = "smaller branch" if len(small) == 1 else "smaller branches"
        branches.append(
            {
                "line": line,
                "words": f"{len(small)} {noun}: {percent(merged)} of {symbol} lost",
                "kind": "merged",
                "lost": merged,
                "share": merged / total,
                "children": [],
            }
        )
    return branches

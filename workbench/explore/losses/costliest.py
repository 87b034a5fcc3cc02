"""The moves that cost most precision or recall, summed over all lines that lead to them."""

from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Final

from workbench.explore.losses.joint_tree import JointNode, move_of
from workbench.explore.losses.loss_words import Measure, finished_words, named, percent

_MOST: Final = 5
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@dataclass(slots=True)
class _Cost:
    """The cost of a move as the n-th of a line, and the node at which it costs most."""

    mass: float
    heaviest: float
    node: JointNode


def costliest_moves(tree: JointNode, measure: Measure, complete: int) -> list[dict[str, Any]]:
    """List the moves at which most of a measure is lost.

    A move represents all lines that die at it as their n-th move, so that a
    few moves are named where thousands of lines are lost. It dies where the other board
    does not permit it, or where it ends the game on one board alone.

    Args:
        tree: An expanded joint tree.
        measure: Precision or recall.
        complete: The plies, counted from 1, at which every losing line has been looked at; deeper
            ones have "at least" before their share.

    Returns:
        At most five, the costliest first: ``line`` (UCI, the heaviest of the lines), ``words``,
        ``share`` (of p, or r: the mass lost) and ``share_of_lost``.
    """
    costs: dict[tuple[int, int, str], _Cost] = {}
    _collect(tree, measure, costs)
    total = tree.lost(measure.index)
    found = []
    for (ply, code, why), cost in nlargest(_MOST, costs.items(), key=lambda item: item[1].mass):
        words = named(measure.board(cost.node), code)
        if ply > 1:
            place = _ORDINALS[ply - 1] if ply <= len(_ORDINALS) else f"{ply}th"
            words += f" as the {place} move, for example after {_before(tree, cost.node, measure)}"
        least = "at least " if ply > complete else ""
        found.append(
            {
                "line": [move_of(each).uci() for each in (*cost.node.line, code)],
                "words": f"{words}: {why}, {least}{percent(cost.mass)} of {measure.symbol} lost",
                "share": cost.mass,
                "share_of_lost": cost.mass / total,
            }
        )
    return found


def _collect(node: JointNode, measure: Measure, costs: dict[tuple[int, int, str], _Cost]) -> None:
    if node.codes is None or not node.lost(measure.index):
        return
    ply, each, refused = len(node.line) + 1, measure.each(node), f"legal only {measure.drawn}"
    for code in measure.dying(node.codes):
        _add(costs, (ply, code, refused), each, node)
    for child in node.children:
        why = finished_words(child, measure) if child.codes is not None else None
        if why is None:
            _collect(child, measure, costs)
        elif child.lost(measure.index):
            _add(costs, (ply, child.line[-1], f"after it {why}"), child.lost(measure.index), node)


def _add(
    costs: dict[tuple[int, int, str], _Cost],
    key: tuple[int, int, str],
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


def _before(tree: JointNode, node: JointNode, measure: Measure) -> str:
    """Return the moves that lead to a node, each as the board from which lines are drawn names it."""
    words, here = [], tree
    for code in node.line:
        words.append(named(measure.board(here), code))
        here = next(child for child in here.children if child.line[-1] == code)
    return " ".join(words)

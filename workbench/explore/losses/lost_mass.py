"""Where lines die: the losses of p_m and r_m over the joint tree, and the most expensive moves.

Of the probability 1 - p_m that a line drawn from the predicted board is refused by the true one,
each first move has its part, of that each second move, and so on; likewise for 1 - r_m.
"""

import math
from dataclasses import replace
from heapq import nlargest
from typing import Any, Final

from workbench.automaton import Sink
from workbench.errors import InvalidArgumentError
from workbench.explore.board.reading import ReadBoard, no_state_words, read_board, state_of_true
from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_causes import board_causes
from workbench.explore.losses.costliest import costliest_moves
from workbench.explore.losses.joint_tree import JointNode, JointTree, move_of
from workbench.explore.losses.loss_words import MEASURES, Measure, finished_words, named, percent
from workbench.explore.losses.main_cause import causes_in_words

_DEFAULTS: Final = ExplorerSettings()

_MOST_NODES: Final = 2000
"""Nodes of a level whose moves are found at most."""


def lost_mass(
    true_fen: str,
    predicted_fen: str | None,
    settings: ExplorerSettings = _DEFAULTS,
    levels: int = 3,
    smallest_share: float = 0.01,
) -> dict[str, Any]:
    """Spread the lost probability mass over the lines on which it is lost.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another; None or a blank text is no state, with all mass lost at the root.
        settings: How to measure. Where depth m is not interactive by exact walks, the deepest
            depth that is takes its place.
        levels: Moves of a line that are distinguished, at least 1.
        smallest_share: Branches with less than this share of all that is lost are merged.

    Returns:
        ``depth`` and ``reason``; ``precision`` and ``recall``, the root nodes of two trees; and
        ``costliest`` with five moves at most for each, see `costliest_moves`; ``why``, the main
        causes in words, see `workbench.explore.losses.board_causes`. A node has ``line``,
        ``words``, ``kind`` (root, shared, lost, merged), ``lost`` (mass), ``share`` (of all that
        is lost; None where nothing is) and ``children``, which add up to it. A node without
        children loses its mass in itself, or further down than ``levels``.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If ``levels`` or ``smallest_share`` is out of range.
    """
    if levels < 1 or not 0 <= smallest_share < 1:
        raise InvalidArgumentError(
            "expected levels of at least 1 and smallest_share in [0, 1), got "
            f"{levels!r}, {smallest_share!r}"
        )
    true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    state, true_state = predicted.state(settings.ill_formed), state_of_true(true)
    if isinstance(state, Sink) or predicted.board is None or true.board is None:
        return _without_state(predicted, settings)
    limit = exact_depth(true_state, state, settings)
    tree = JointTree(true_state, state, limit.depth, settings.terminal)
    complete = _grow(tree, min(levels, limit.depth), smallest_share)
    root = tree.root
    return {
        "depth": limit.depth,
        "reason": limit.reason,
        **{measure.name: _root(root, measure, limit.depth, smallest_share) for measure in MEASURES},
        "costliest": {
            measure.name: costliest_moves(root, measure, complete) for measure in MEASURES
        },
        "why": board_causes(true_state, state, root.values, replace(settings, depth=limit.depth)),
    }


def _without_state(predicted: ReadBoard, settings: ExplorerSettings) -> dict[str, Any]:
    words = f"{no_state_words(predicted)}: everything is lost"
    root = {"line": [], "words": words, "kind": "root", "lost": 1.0, "share": 1.0}
    return {
        "depth": settings.depth,
        "reason": words,
        **{measure.name: {**root, "children": []} for measure in MEASURES},
        "costliest": {measure.name: [] for measure in MEASURES},
        "why": causes_in_words(settings.depth, (0.0, 0.0), (None, None)),
    }


def _grow(tree: JointTree, levels: int, smallest_share: float) -> int:
    """Find what is to be shown, and what the costliest moves are to be found in.

    Moves are found for all nodes that lose something, the heaviest of them where they are very
    many. Children are made where they are shown, and of all first moves.

    Returns:
        The first plies, how many of them, at which every losing line has been looked at.
    """
    complete, everything = 0, True
    nodes = [tree.root]
    for level in range(levels):
        tree.find_moves(nodes)
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


def _root(tree: JointNode, measure: Measure, depth: int, smallest_share: float) -> dict[str, Any]:
    value = tree.values[measure.index]
    lost = max(1.0 - value, 0.0)
    total = tree.lost(measure.index)
    words = f"{measure.symbol}_{depth} = {value:.4g}: "
    if total:
        over = finished_words(tree, measure)
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
        "children": _branches(tree, measure, total, smallest_share),
    }


def _branches(
    node: JointNode, measure: Measure, total: float, smallest_share: float
) -> list[dict[str, Any]]:
    """Return the branches of a node that lose something, the greatest first, the small ones merged."""
    if node.codes is None or not node.grown or not node.lost(measure.index):
        return []
    board, line = measure.board(node), [move_of(code).uci() for code in node.line]
    large: list[tuple[float, JointNode | None, int]] = []
    small: list[float] = []
    each = measure.each(node)
    losses: list[tuple[float, JointNode | None, int]] = [
        (each, None, code) for code in measure.dying(node.codes)
    ]
    losses += [(child.lost(measure.index), child, child.line[-1]) for child in node.children]
    for loss, child, code in losses:
        if loss >= smallest_share * total:
            if loss > 0:
                large.append((loss, child, code))
        else:
            small.append(loss)
    branches = []
    for loss, child, code in sorted(large, key=lambda branch: -branch[0]):
        branches.append(
            {
                "line": [*line, move_of(code).uci()],
                "words": f"{named(board, code)}: {_why(child, loss, measure)}",
                "kind": "shared" if child else "lost",
                "lost": loss,
                "share": loss / total,
                "children": _branches(child, measure, total, smallest_share) if child else [],
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


def _why(child: JointNode | None, loss: float, measure: Measure) -> str:
    lost = f"{percent(loss)} of {measure.symbol} lost"
    if child is None:
        return f"legal only {measure.drawn}, {lost}"
    over = finished_words(child, measure) if child.codes is not None else None
    return f"after it {over}, {lost}" if over else f"legal on both boards, {lost} after it"

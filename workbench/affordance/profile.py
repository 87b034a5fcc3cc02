"""Exact state precision and recall at every depth, from one walk of the joint tree.

The joint tree holds the action sequences that both states accept. A node carries the probability of
its sequence under uniform branching from either state: prod 1/|Sigma_T| and prod 1/|Sigma_S|.
Source: arXiv 2508.19851, section 3 (p_m, r_m) and its appendix (uniform over sequences).
"""

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from workbench.affordance.engine import Engine, twin_for
from workbench.automaton import Action, Automaton, Sink, State
from workbench.depth_summaries import harmonic_mean
from workbench.terminal import Terminal, check_walk

_Walked: TypeAlias = tuple[tuple[float, ...], tuple[float, ...], int]

_MERGED_FROM: Final = 2
"""Depth below a joint node from which looking it up takes less time than walking it again."""
_MOST_KNOWN: Final = 1 << 16
"""Joint nodes kept in one call: tens of megabytes. Further ones are walked, and not kept."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Exact p_1..p_m and r_1..r_m of a true and a predicted state.

    Attributes:
        precision: p_1 .. p_m, each in [0, 1].
        recall: r_1 .. r_m, each in [0, 1].
        terminal: How finished games were counted.
        node_count: Nodes of the joint tree down to depth m, the root not counted: all of them by the
            reference, those it visited by the compiled twin.
    """

    precision: tuple[float, ...]
    recall: tuple[float, ...]
    terminal: Terminal
    node_count: int

    @property
    def depth(self) -> int:
        """The depth m."""
        return len(self.precision)

    @property
    def step_precision(self) -> tuple[float, ...]:
        """v_i = p_i / p_(i-1), whose product is p_m; NaN from where p_(i-1) is 0."""
        return _ratios(self.precision)

    @property
    def step_recall(self) -> tuple[float, ...]:
        """The same ratios of the recall."""
        return _ratios(self.recall)

    @property
    def f_score(self) -> tuple[float, ...]:
        """F_1 .. F_m, the harmonic means of p and r; 0 where both are 0, their limit."""
        return tuple(harmonic_mean(np.array(self.precision), np.array(self.recall)).tolist())


@dataclass(frozen=True, slots=True)
class SetOverlap:
    """How many sequences of m actions each state accepts, and how many both accept.

    Under ``absorb`` a line that is finished sooner counts as one sequence.
    """

    shared: int
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        """|A_S and A_T| / |A_T|; NaN where the predicted state accepts no sequence."""
        return self.shared / self.predicted if self.predicted else math.nan

    @property
    def recall(self) -> float:
        """|A_S and A_T| / |A_S|; NaN where the true state accepts no sequence."""
        return self.shared / self.true if self.true else math.nan


def exact_profile(
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    terminal: Terminal = "absorb",
    engine: Engine | None = None,
) -> Profile:
    """Return p_1..p_m and r_1..r_m by walking the whole joint tree.

    The cost grows with the number of different pairs of states that joint sequences lead to, for two
    like chess boards about 30^(m-1). The compiled twin leaves out what is known without walking; its values are the same to rounding.

    Args:
        true: The true state S; the sink is allowed.
        predicted: The predicted state T; the sink gives p = r = 0.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        terminal: How a game that finishes earlier counts.
        engine: ``reference`` or ``compiled``; by default what ``WORKBENCH_ENGINE`` says, else
            compiled where the automaton has a twin that takes these states.

    Raises:
        InvalidArgumentError: If ``depth``, ``terminal`` or ``engine`` is out of range.

    Example:
        Without the knight on b1 two of White's 20 moves are missing.

        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> profile = workbench.exact_profile(true, true.replace("/RN", "/R1"), 2)
        >>> profile.recall[0]
        0.9
    """
    check_walk(depth, terminal)
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        return Profile((0.0,) * depth, (0.0,) * depth, terminal, 0)
    twin = twin_for(automaton, engine, true, predicted)
    if twin is not None:
        precision, recall, nodes = twin.joint_walk(true, predicted, depth, terminal)
    else:
        precision, recall, nodes = _walk(automaton, true, predicted, depth, terminal, {})
    return Profile(precision, recall, terminal, nodes)


def _walk(
    automaton: Automaton[State, Action],
    true: State,
    predicted: State,
    depth: int,
    terminal: Terminal,
    known: dict[tuple[State, State, int], _Walked],
) -> _Walked:
    """Return p_1..p_m, r_1..r_m and the nodes below a joint node, from ``known`` if they are there.

    Sequences that lead to the same two states are walked once; each still counts with its nodes.
    """
    if depth < _MERGED_FROM:
        return _walk_below(automaton, true, predicted, depth, terminal, known)
    here = true, predicted, depth
    walked = known.get(here)
    if walked is None:
        walked = _walk_below(automaton, true, predicted, depth, terminal, known)
        if len(known) < _MOST_KNOWN:
            known[here] = walked
    return walked


def _walk_below(
    automaton: Automaton[State, Action],
    true: State,
    predicted: State,
    depth: int,
    terminal: Terminal,
    known: dict[tuple[State, State, int], _Walked],
) -> _Walked:
    of_true = automaton.permitted(true)
    of_predicted = automaton.permitted(predicted)
    if not of_true and not of_predicted:
        value = 1.0 if terminal == "absorb" else 0.0
        return (value,) * depth, (value,) * depth, 0
    allowed = frozenset(of_true)
    shared = [action for action in of_predicted if action in allowed]
    if not shared:
        return (0.0,) * depth, (0.0,) * depth, 0
    precision = [len(shared) / len(of_predicted)]
    recall = [len(shared) / len(of_true)]
    nodes = len(shared)
    if depth > 1:
        below = [
            _walk(
                automaton,
                automaton.successor(true, action),
                automaton.successor(predicted, action),
                depth - 1,
                terminal,
                known,
            )
            for action in shared
        ]
        for level in range(depth - 1):
            precision.append(math.fsum(child[0][level] for child in below) / len(of_predicted))
            recall.append(math.fsum(child[1][level] for child in below) / len(of_true))
        nodes += sum(child[2] for child in below)
    return tuple(precision), tuple(recall), nodes


def exact_set_overlap(
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    *,
    automaton: Automaton[State, Action],
    terminal: Terminal = "absorb",
) -> SetOverlap:
    """Count the sequences of m actions that each state, and both, accept.

    This walks each state's whole tree, not the joint one alone: keep m small.

    Args:
        true: The true state S; the sink accepts nothing.
        predicted: The predicted state T.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        terminal: Whether a line finished sooner counts as one sequence or as none.

    Raises:
        InvalidArgumentError: If ``depth`` or ``terminal`` is out of range.

    Example:
        >>> import workbench
        >>> true = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> workbench.exact_set_overlap(true, true.replace("/RN", "/R1"), 1)
        SetOverlap(shared=18, predicted=19, true=20)
    """
    check_walk(depth, terminal)
    return SetOverlap(
        _count_shared(automaton, true, predicted, depth, terminal),
        _count_accepted(automaton, predicted, depth, terminal),
        _count_accepted(automaton, true, depth, terminal),
    )


def _count_accepted(
    automaton: Automaton[State, Action], state: State | Sink, depth: int, terminal: Terminal
) -> int:
    if isinstance(state, Sink):
        return 0
    actions = automaton.permitted(state)
    if not actions:
        return int(terminal == "absorb")
    if depth == 1:
        return len(actions)
    return sum(
        _count_accepted(automaton, automaton.successor(state, action), depth - 1, terminal)
        for action in actions
    )


def _count_shared(
    automaton: Automaton[State, Action],
    true: State | Sink,
    predicted: State | Sink,
    depth: int,
    terminal: Terminal,
) -> int:
    if isinstance(true, Sink) or isinstance(predicted, Sink):
        return 0
    of_true = automaton.permitted(true)
    of_predicted = automaton.permitted(predicted)
    if not of_true and not of_predicted:
        return int(terminal == "absorb")
    allowed = frozenset(of_true)
    shared = [action for action in of_predicted if action in allowed]
    if depth == 1:
        return len(shared)
    return sum(
        _count_shared(
            automaton,
            automaton.successor(true, action),
            automaton.successor(predicted, action),
            depth - 1,
            terminal,
        )
        for action in shared
    )


def _ratios(values: tuple[float, ...]) -> tuple[float, ...]:
    before = (1.0, *values[:-1])
    return tuple(
        value / previous if previous > 0 else math.nan
        for previous, value in zip(before, values, strict=True)
    )

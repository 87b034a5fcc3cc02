"""Guided sampling: unbiased for uniform branching under any policy that leaves nothing out."""

import chess
import numpy as np
import pytest

from workbench.affordance import exact_profile
from workbench.affordance.estimators.contract import Pair
from workbench.affordance.estimators.guided import Guided
from workbench.environments import HomogeneousTree, TableAutomaton
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.chess_automaton import material_greedy
from workbench.errors import InvalidArgumentError

TREE = HomogeneousTree(shared=3, predicted_only=2)
FINISHING = TableAutomaton(
    {
        "T": {"a": "T", "b": "end", "c": "T"},
        "S": {"a": "S", "b": "end", "d": "S"},
        "end": {},
    },
    initial="S",
)
POLICIES = {
    "uniform": lambda state, actions: [1.0] * len(actions),
    "last first": lambda state, actions: [1.0 + 3.0 * index for index in range(len(actions))],
    "first first": lambda state, actions: [5.0, *[0.5] * (len(actions) - 1)],
}


def runs(policy, automaton, true, predicted, depth, terminal="absorb", samples=40, repeats=200):
    pair = Pair(true, predicted, depth, automaton, terminal == "absorb")
    return [
        Guided(policy).run(pair, samples, np.random.default_rng(seed)).value
        for seed in range(repeats)
    ]


def within_four_errors(values, exact):
    return abs(np.mean(values) - exact) < 4 * np.std(values, ddof=1) / len(values) ** 0.5


@pytest.mark.parametrize("terminal", ["absorb", "drop"])
@pytest.mark.parametrize("policy", POLICIES)
def test_unbiased_under_every_policy(policy, terminal):
    for automaton, *pair in ((TREE, TREE.initial, TREE.predicted), (FINISHING, "S", "T")):
        exact = exact_profile(*pair, 3, automaton=automaton, terminal=terminal).precision
        values = runs(POLICIES[policy], automaton, *pair, 3, terminal)
        assert within_four_errors(values, exact[-1])


def test_material_greedy_is_unbiased_on_chess():
    true = ChessState.from_fen("rnbqkbnr/ppp2ppp/8/3pp3/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3")
    predicted = ChessState.from_fen("rnbqkbnr/ppp2ppp/8/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3")
    exact = exact_profile(true, predicted, 2, automaton=ChessAutomaton()).precision[-1]
    values = runs(material_greedy, ChessAutomaton(), true, predicted, 2, samples=60, repeats=40)
    assert within_four_errors(values, exact)


def test_material_greedy_weighs_captures_and_promotions():
    state = ChessState.from_fen("3q3k/4P3/8/8/8/8/8/K7 w - - 0 1")
    weights = {
        move.uci(): weight
        for moves in [ChessAutomaton().permitted(state)]
        for move, weight in zip(moves, material_greedy(state, moves), strict=True)
    }
    assert weights["e7d8q"] == 1 + 9 + 8
    assert weights["e7e8n"] == 1 + 2
    assert weights["a1a2"] == 1
    passing = ChessState.from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    moves = ChessAutomaton().permitted(passing)
    assert material_greedy(passing, moves)[moves.index(chess.Move.from_uci("e5d6"))] == 2


def test_a_policy_that_looks_where_it_matters_varies_less():
    """Uniform weights of five actions, three shared: looking at those more often lowers the spread."""
    even = np.std(runs(POLICIES["uniform"], TREE, TREE.initial, TREE.predicted, 4))
    wise = np.std(
        runs(lambda s, a: [4.0, 4.0, 4.0, 1.0, 1.0], TREE, TREE.initial, TREE.predicted, 4)
    )
    assert wise < 0.7 * even


@pytest.mark.parametrize("weights", [[1.0, 0.0, 1.0, 1.0, 1.0], [1.0], [1.0] * 6])
def test_a_policy_that_leaves_an_action_out_is_refused(weights):
    with pytest.raises(InvalidArgumentError, match="5 weights above 0"):
        runs(lambda state, actions: weights, TREE, TREE.initial, TREE.predicted, 1, repeats=1)

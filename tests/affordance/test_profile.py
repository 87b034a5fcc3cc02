"""Exact p_m and r_m against exhaustive enumeration, closed forms and hand-worked boards."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.affordance import exact_profile, exact_set_overlap
from workbench.automaton import SINK
from workbench.environments import HomogeneousTree, SokobanAutomaton, TableAutomaton
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError

CHESS = ChessAutomaton()
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")
FOOLS_MATE_NEAR = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@st.composite
def table_automata(draw):
    """Up to five states over three actions; some states finished."""
    count = draw(st.integers(1, 5))
    states = list(range(count))
    row = st.dictionaries(st.sampled_from("abc"), st.sampled_from(states))
    return TableAutomaton({state: draw(row) for state in states}, initial=0), states


def enumerated(automaton, true, predicted, depth, terminal):
    """p_m from its definition: all words over the alphabet, each with its exact probability."""
    total = Fraction(0)
    for length in range(depth + 1):
        for word in itertools.product("abc", repeat=length):
            probability, state = Fraction(1), predicted
            for action in word:
                actions = automaton.actions(state)
                if action not in actions:
                    break
                probability /= len(actions)
                state = automaton.step(state, action)
            else:
                finished = not automaton.actions(state)
                other = automaton.run(true, word)
                if length == depth:
                    total += probability * (other is not SINK)
                elif finished and terminal == "absorb":
                    total += probability * (other is not SINK and not automaton.actions(other))
    return total


@settings(max_examples=60, deadline=None)
@given(table_automata(), st.data(), st.sampled_from(["absorb", "drop"]))
def test_equals_enumeration_of_the_definition(drawn, data, terminal):
    automaton, states = drawn
    true, predicted = (data.draw(st.sampled_from(states)) for _ in range(2))
    depth = data.draw(st.integers(1, 4))
    profile = exact_profile(true, predicted, depth, automaton=automaton, terminal=terminal)
    for m in range(1, depth + 1):
        p = enumerated(automaton, true, predicted, m, terminal)
        r = enumerated(automaton, predicted, true, m, terminal)
        assert profile.precision[m - 1] == pytest.approx(float(p), abs=1e-12)
        assert profile.recall[m - 1] == pytest.approx(float(r), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(table_automata(), st.data(), st.sampled_from(["absorb", "drop"]))
def test_set_overlap_equals_enumeration(drawn, data, terminal):
    automaton, states = drawn
    true, predicted = (data.draw(st.sampled_from(states)) for _ in range(2))
    depth = data.draw(st.integers(1, 4))

    def language(state):
        words = set()
        for length in range(depth + 1):
            for word in itertools.product("abc", repeat=length):
                end = automaton.run(state, word)
                if end is SINK:
                    continue
                if length == depth or (terminal == "absorb" and not automaton.actions(end)):
                    words.add(word)
        return words

    overlap = exact_set_overlap(true, predicted, depth, automaton=automaton, terminal=terminal)
    of_true, of_predicted = language(true), language(predicted)
    assert (overlap.true, overlap.predicted) == (len(of_true), len(of_predicted))
    assert overlap.shared == len(of_true & of_predicted)


@given(st.integers(1, 4), st.integers(0, 4), st.integers(0, 4))
@settings(max_examples=30, deadline=None)
def test_equals_the_closed_form_on_the_homogeneous_tree(shared, predicted_only, true_only):
    tree = HomogeneousTree(shared, predicted_only, true_only)
    profile = exact_profile(tree.initial, tree.predicted, 5, automaton=tree)
    p, r = shared / (shared + predicted_only), shared / (shared + true_only)
    assert profile.precision == pytest.approx([p**m for m in range(1, 6)], abs=1e-12)
    assert profile.recall == pytest.approx([r**m for m in range(1, 6)], abs=1e-12)
    assert profile.step_precision == pytest.approx([p] * 5)
    assert profile.node_count == sum(shared**m for m in range(1, 6))
    assert tree.precision(3) == pytest.approx(p**3)
    assert tree.recall(3) == pytest.approx(r**3)


@settings(max_examples=60, deadline=None)
@given(table_automata(), st.data())
def test_precision_is_bounded_where_step_acceptance_is(drawn, data):
    """The paper's bound: if no joint state accepts more than a share M of steps, p_m <= M^m."""
    automaton, states = drawn
    true, predicted = (data.draw(st.sampled_from(states)) for _ in range(2))
    seen, waiting, bound = set(), [(true, predicted)], 0.0
    while waiting:
        one, other = waiting.pop()
        if (one, other) in seen:
            continue
        seen.add((one, other))
        steps = automaton.permitted(other)
        shared = [action for action in steps if action in automaton.permitted(one)]
        if steps:
            bound = max(bound, len(shared) / len(steps))
        waiting += [(automaton.successor(one, a), automaton.successor(other, a)) for a in shared]
    profile = exact_profile(true, predicted, 5, automaton=automaton, terminal="drop")
    for m, value in enumerate(profile.precision, start=1):
        assert value <= bound**m + 1e-12


def test_set_and_branch_precision_part_on_an_asymmetric_tree():
    """Root actions a, b; after a four children, all shared; after b one, not shared."""
    automaton = TableAutomaton(
        {
            "T": {"a": "wide", "b": "narrow"},
            "S": {"a": "wide", "b": "other"},
            "wide": {"1": "end", "2": "end", "3": "end", "4": "end"},
            "narrow": {"5": "end"},
            "other": {"6": "end"},
            "end": {},
        },
        initial="S",
    )
    profile = exact_profile("S", "T", 2, automaton=automaton)
    overlap = exact_set_overlap("S", "T", 2, automaton=automaton)
    assert profile.precision == (1.0, 0.5)
    assert overlap.precision == 4 / 5
    assert overlap.recall == 4 / 5


@pytest.mark.parametrize("fen", [START, FOOLS_MATE_NEAR, MATED, STALEMATE, KINGLESS])
def test_a_state_has_precision_one_with_itself_under_absorb(fen):
    state = ChessState.from_fen(fen)
    profile = exact_profile(state, state, 3, automaton=CHESS)
    assert profile.precision == pytest.approx([1.0] * 3, abs=1e-12)
    assert profile.recall == pytest.approx([1.0] * 3, abs=1e-12)


def test_drop_loses_the_mass_of_the_mating_move():
    """Black has 30 moves before fool's mate, one of which mates: 1/30 of the mass vanishes."""
    state = ChessState.from_fen(FOOLS_MATE_NEAR)
    moves = len(CHESS.permitted(state))
    assert exact_profile(
        state, state, 2, automaton=CHESS, terminal="drop"
    ).precision == pytest.approx([1.0, 1 - 1 / moves])


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
def test_a_finished_root_is_one_under_absorb_and_nought_under_drop(fen):
    state, other = ChessState.from_fen(fen), CHESS.initial
    assert exact_profile(state, state, 2, automaton=CHESS, terminal="absorb").precision == (
        1.0,
        1.0,
    )
    assert exact_profile(state, state, 2, automaton=CHESS, terminal="drop").precision == (0.0, 0.0)
    assert exact_profile(other, state, 2, automaton=CHESS, terminal="absorb").precision == (
        0.0,
        0.0,
    )
    assert exact_profile(state, other, 2, automaton=CHESS, terminal="absorb").recall == (0.0, 0.0)
    assert math.isnan(
        exact_set_overlap(state, state, 2, automaton=CHESS, terminal="drop").precision
    )


def test_the_start_position_without_its_king_worked_by_hand():
    """The 20 first moves need no king; on the emptied e1 the queen gains d1-e1: p_1 = 20/21."""
    true, predicted = ChessState.from_fen(START), ChessState.from_fen(KINGLESS)
    assert exact_profile(true, predicted, 1, automaton=CHESS).precision == (20 / 21,)
    assert exact_profile(true, predicted, 1, automaton=CHESS).recall == (1.0,)


def test_set_counts_of_a_state_with_itself_are_perft():
    state = CHESS.initial
    assert exact_set_overlap(state, state, 3, automaton=CHESS).shared == 8902


def test_the_sink_is_worth_nothing():
    assert exact_profile(CHESS.initial, SINK, 3, automaton=CHESS).precision == (0.0, 0.0, 0.0)
    assert exact_profile(SINK, CHESS.initial, 2, automaton=CHESS).recall == (0.0, 0.0)
    assert exact_set_overlap(CHESS.initial, SINK, 1, automaton=CHESS).recall == 0.0
    assert math.isnan(exact_set_overlap(CHESS.initial, SINK, 1, automaton=CHESS).precision)


def test_the_f_score_is_the_harmonic_mean():
    tree = HomogeneousTree(1, 1, 3)
    profile = exact_profile(tree.initial, tree.predicted, 1, automaton=tree)
    assert profile.f_score == pytest.approx([2 * 0.5 * 0.25 / 0.75])
    assert exact_profile(CHESS.initial, SINK, 1, automaton=CHESS).f_score == (0.0,)


class Counted(SokobanAutomaton):
    """A room that counts how often it is asked what is permitted."""

    asked = 0

    def permitted(self, state):
        self.asked += 1
        return super().permitted(state)


def test_states_that_many_sequences_lead_to_are_walked_once(monkeypatch):
    """Values and node counts are those of the whole tree, walked or counted without merging."""
    room = Counted("#######\n#  .  #\n# $ $ #\n#. @ .#\n#  $  #\n#######")
    true = room.initial
    predicted = room.state("#######\n#  .  #\n# $ $ #\n#. @ .#\n# $   #\n#######")
    profile = exact_profile(true, predicted, 8, automaton=room)
    assert room.asked < profile.node_count / 10
    shared = [
        exact_set_overlap(true, predicted, m, automaton=room, terminal="drop").shared
        for m in range(1, 9)
    ]
    assert profile.node_count == sum(shared)
    for most in (0, 7):
        monkeypatch.setattr("workbench.affordance.profile._MOST_KNOWN", most)
        assert exact_profile(true, predicted, 8, automaton=room) == profile


@pytest.mark.parametrize("depth", [0, -1, 1.5, True])
def test_a_depth_out_of_range_is_named(depth):
    with pytest.raises(InvalidArgumentError, match="depth"):
        exact_profile(CHESS.initial, CHESS.initial, depth, automaton=CHESS)


def test_an_unknown_terminal_is_named():
    with pytest.raises(InvalidArgumentError, match="'stop'"):
        exact_profile(CHESS.initial, CHESS.initial, 1, automaton=CHESS, terminal="stop")

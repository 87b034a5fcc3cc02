"""One contract for every automaton: a total transition function, a sink, pure methods."""

import chess
import pytest

from workbench.automaton import SINK
from workbench.environments import (
    HomogeneousTree,
    OthelloAutomaton,
    OthelloState,
    SokobanAutomaton,
    TableAutomaton,
)
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.registry import environment_named
from workbench.environments.synthetic_automata import RandomTree
from workbench.errors import InvalidArgumentError

ILL_FORMED = "4P3/8/8/3kK3/8/2K5/8/p7 w KQ - 0 1"

CASES = {
    "table": (TableAutomaton({0: {"a": 1, "b": 0}, 1: {}}, initial=0), None),
    "tree": (HomogeneousTree(3, 2, 1), None),
    "random tree": (RandomTree(children=3, chance=0.7, seed=1), None),
    "chess": (ChessAutomaton(), None),
    "ill-formed chess": (ChessAutomaton(), ChessState.from_fen(ILL_FORMED)),
    "othello": (OthelloAutomaton(), None),
    "othello, a pass": (OthelloAutomaton(), OthelloState.from_text("XO" + "-" * 62 + " O")),
    "sokoban": (SokobanAutomaton("######\n#@ $.#\n######"), None),
    "planning": (environment_named("planning").automaton, None),
    "planning, ill-formed": (
        environment_named("planning").automaton,
        frozenset({"(clear a)", "(holding a)"}),
    ),
}
FOREIGN = "no action of any automaton"


@pytest.fixture(params=CASES)
def case(request):
    automaton, state = CASES[request.param]
    return automaton, automaton.initial if state is None else state


def test_actions_are_distinct_and_always_the_same(case):
    automaton, state = case
    actions = automaton.actions(state)
    assert len(actions) == len(set(actions)) > 0
    assert automaton.actions(state) == actions


def test_every_permitted_action_leads_to_a_hashable_state(case):
    automaton, state = case
    for action in automaton.actions(state):
        once, again = automaton.step(state, action), automaton.successor(state, action)
        assert once == again
        assert hash(once) == hash(again)
        assert once is not SINK


def test_what_is_not_permitted_leads_to_the_sink_and_stays_there(case):
    automaton, state = case
    permitted = automaton.actions(state)[0]
    assert automaton.step(state, FOREIGN) is SINK
    assert automaton.step(SINK, permitted) is SINK
    assert automaton.actions(SINK) == ()
    assert automaton.run(state, [FOREIGN, permitted]) is SINK
    assert not automaton.accepts(state, [FOREIGN])
    assert automaton.accepts(state, [permitted])
    assert automaton.accepts(state, [])
    assert not automaton.accepts(SINK, [])


def test_a_table_names_the_states_it_lacks():
    with pytest.raises(InvalidArgumentError, match="'lost'"):
        TableAutomaton({"here": {"go": "lost"}}, initial="here")


@pytest.mark.parametrize("counts", [(0, 0, 0), (-1, 2, 2), (0, 3, 0)])
def test_a_tree_without_actions_is_refused(counts):
    with pytest.raises(InvalidArgumentError, match="at least one action"):
        HomogeneousTree(*counts)


def test_the_start_position_has_the_published_move_counts():
    automaton = ChessAutomaton()
    level = [automaton.initial]
    for expected in (20, 400, 8902):
        level = [automaton.successor(s, a) for s in level for a in automaton.permitted(s)]
        assert len(level) == expected


def test_a_chess_state_leaves_out_the_clocks_and_keeps_the_rest():
    fen = "r3k2r/8/8/8/4Pp2/8/8/R3K2R b Kq e3"
    state = ChessState.from_fen(f"{fen} 0 1")
    assert state == ChessState.from_fen(f"{fen} 37 90")
    assert state.fen() == fen
    assert state != ChessState.from_fen(fen.replace("e3", "-"))
    assert state != ChessState.from_fen(fen.replace(" b ", " w "))


def test_an_alias_of_castling_is_no_action():
    state = ChessState.from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    alias = chess.Move.from_uci("e1h1")
    assert alias in state.board().legal_moves
    assert not ChessAutomaton().accepts(state, [alias])
    assert ChessAutomaton().accepts(state, [chess.Move.from_uci("e1g1")])


def test_a_promoted_king_is_told_from_a_king():
    assert ChessState.from_fen("k7/8/8/8/8/8/8/K~7 w - - 0 1").promoted
    assert ChessState.from_fen("k7/8/8/8/8/8/8/K~7 w - - 0 1") != ChessState.from_fen(
        "k7/8/8/8/8/8/8/K7 w - - 0 1"
    )


@pytest.mark.parametrize(
    "fen", ["3Q~k3/8/8/8/8/8/8/K~6K b - -", "r3k2r/8/8/8/4Pp2/8/8/R3K2R b Kq e3"]
)
def test_a_state_comes_back_from_its_fen(fen):
    state = ChessState.from_fen(fen)
    assert ChessState.from_fen(state.fen()) == state


def test_stepping_equals_python_chess_along_a_game():
    automaton = ChessAutomaton()
    board, state = chess.Board(), automaton.initial
    for san in "e4 a6 e5 d5 exd6 Nf6 Nf3 e5 Be2 Bd7 O-O Bxd6 c4 O-O".split():
        move = board.parse_san(san)
        state = automaton.step(state, move)
        board.push(move)
        assert state == ChessState.from_board(board)

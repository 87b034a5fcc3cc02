"""Sokoban on maps small enough to be worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.affordance import exact_profile
from workbench.environments import SokobanAutomaton, SokobanState
from workbench.errors import InvalidBoardError

# Open room of three by three, box in the middle, goal in a corner.
ROOM = """
#####
#@ .#
# $ #
#   #
#####
"""
CORRIDOR = "#######\n#@ $ .#\n#######"


def reachable(automaton):
    found, frontier = {automaton.initial}, [automaton.initial]
    while frontier:
        state = frontier.pop()
        for action in automaton.permitted(state):
            after = automaton.successor(state, action)
            if after not in found:
                found.add(after)
                frontier.append(after)
    return found


@pytest.mark.parametrize(
    ("text", "permitted"),
    [
        ("#####\n#@$.#\n#####", "R"),  # the box has room; walls on the other three sides
        ("#####\n#.@$#\n#####", "L"),  # the box stands against the wall
        ("#######\n#@$$..#\n#######", ""),  # two boxes in a row cannot be pushed
        ("#####\n#@ *#\n#####", ""),  # every goal holds a box: finished
        ("###\n#.#\n#$#\n#@#\n# #\n###", "UD"),
        ("@$.", "R"),  # what lies outside the map is wall
        ("####\n#  \n#@ $.#\n####", "UR"),  # rows of unequal length
    ],
)
def test_what_is_permitted(text, permitted):
    automaton = SokobanAutomaton(text)
    assert automaton.permitted(automaton.initial) == tuple(permitted)


def test_a_push_moves_player_and_box_and_the_last_goal_finishes():
    automaton = SokobanAutomaton("#####\n#@$.#\n#####")
    end = automaton.step(automaton.initial, "R")
    assert end == SokobanState((1, 2), frozenset({(1, 3)}))
    assert automaton.text(end) == "#####\n# @*#\n#####"
    assert automaton.permitted(end) == ()


def test_a_box_is_never_pulled():
    automaton = SokobanAutomaton(CORRIDOR)
    end = automaton.run(automaton.initial, "RRL")
    assert automaton.text(end) == "#######\n# @ $.#\n#######"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("#####\n#.@$#\n#####", 2),
        # Box on the third cell: the player on one of two; on the fourth: on one of three; on the
        # goal: the puzzle is finished with the player on the fourth.
        (CORRIDOR, 2 + 3 + 1),
        # The box can come to any of the nine cells, and the player walks round it to any of the
        # other eight; but on the goal all is over, the player standing on one of the two cells
        # from which it was pushed there.
        (ROOM, 8 * 8 + 2),
    ],
)
def test_the_reachable_states_counted_by_hand(text, count):
    assert len(reachable(SokobanAutomaton(text))) == count


def test_every_reachable_state_is_read_back_from_its_map():
    automaton = SokobanAutomaton(ROOM)
    for state in reachable(automaton):
        assert automaton.state(automaton.text(state)) == state


@given(st.text("UDLR", max_size=30))
def test_walls_are_never_entered_and_boxes_never_lost(steps):
    automaton = SokobanAutomaton(ROOM)
    state = automaton.initial
    for step in steps:
        if step in automaton.permitted(state):
            state = automaton.successor(state, step)
            assert len(state.boxes) == 1
            assert state.boxes | {state.player} <= automaton.floor
            assert state.player not in state.boxes


def test_two_texts_from_which_the_same_can_be_done():
    """A box one cell nearer to the player in a corridor: by the time it is reached all is one."""
    automaton = SokobanAutomaton(CORRIDOR)
    nearer = automaton.state("#######\n#@$  .#\n#######")
    profile = exact_profile(automaton.initial, nearer, 8, automaton=automaton)
    assert profile.precision == profile.recall == (1.0,) * 8


def test_precision_and_recall_by_hand():
    """The box stands against the wall, and two boards that were read otherwise.

    Read without the box: after L only R is left in both, after R the player may go L or R on, of
    which the true room permits L alone. So p_2 = 1/2 + 1/4 and r_2 = 1.
    Read on the goal: the puzzle is finished and permits nothing, so that p_1 = r_1 = 0.
    """
    automaton = SokobanAutomaton("######\n#.@ $#\n######")
    without = automaton.state("######\n#.@  #\n######")
    profile = exact_profile(automaton.initial, without, 2, automaton=automaton)
    assert profile.precision == (1.0, 0.75)
    assert profile.recall == (1.0, 1.0)
    finished = automaton.state("######\n#*@  #\n######")
    profile = exact_profile(automaton.initial, finished, 1, automaton=automaton)
    assert profile.precision == profile.recall == (0.0,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#@$.#X", "'X' at row 0, column 5"),
        ("#$.#", "got none"),
        ("#@$.+#", "got 2 at"),
        ("#@#", "0 goals and 0 boxes"),
        ("#@$..#", "2 goals and 1 boxes"),
        ("", "got none"),
    ],
)
def test_a_bad_map_is_refused_with_what_is_wrong(text, said):
    with pytest.raises(InvalidBoardError, match=said):
        SokobanAutomaton(text)


@pytest.mark.parametrize(
    ("text", "permitted"),
    [
        ("#######\n#@ $. #\n#######", "R"),  # the goal elsewhere
        ("#######\n#@$#.##\n#######", ""),  # a wall behind the box
        ("#######\n#  $ .#\n#######", ""),  # no player
        ("#####\n# @*#\n# ###\n#####", ""),  # every goal it shows holds a box
        ("#####\n# @*.#\n# ###", "LR"),  # a row less, which is wall
    ],
)
def test_a_map_of_another_room_permits_what_it_shows(text, permitted):
    automaton = SokobanAutomaton(CORRIDOR)
    state = automaton.state(text)
    assert automaton.permitted(state) == tuple(permitted)
    assert automaton.state(automaton.text(state)) == state
    for action in permitted:
        assert automaton.room(automaton.successor(state, action)) == automaton.room(state)


def test_indentation_and_spaces_at_the_ends_of_rows_do_not_matter():
    automaton = SokobanAutomaton("####\n#  \n#@ $.#\n####")
    for text in ("  ####  \n  #\n  #@ $.#\n  ####\n", "####\n#     \n#@ $.#\n####"):
        assert automaton.state(text) == automaton.initial


def test_a_map_with_two_players_is_none():
    with pytest.raises(InvalidBoardError, match=r"got 2 at \[\(1, 1\), \(1, 2\)\]"):
        SokobanAutomaton(CORRIDOR).state("#######\n#@@$ .#\n#######")

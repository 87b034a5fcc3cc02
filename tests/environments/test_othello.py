"""Othello against published counts and games, and against the rules written out square by square."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.affordance import exact_profile
from workbench.environments import OthelloAutomaton, OthelloState
from workbench.environments.othello import PASS, square_name
from workbench.errors import InvalidBoardError

OTHELLO = OthelloAutomaton()
START = "---------------------------OX------XO--------------------------- X"


def perft(state, depth):
    actions = OTHELLO.permitted(state)
    if depth == 1:
        return len(actions)
    return sum(perft(OTHELLO.successor(state, action), depth - 1) for action in actions)


def play(names):
    squares = [8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]) for name in names.split()]
    return OTHELLO.run(OTHELLO.initial, squares)


def board(rows, side):
    """Return the state of the rows given, the other rows being empty."""
    return OthelloState.from_text("".join(rows).ljust(64, "-") + " " + side)


def enclosed(squares, side, index):
    """Return what a disc on ``index`` turns over, by walking away from it square by square."""
    found = []
    for down, right in [(d, r) for d in (-1, 0, 1) for r in (-1, 0, 1) if (d, r) != (0, 0)]:
        row, column, line = index // 8 + down, index % 8 + right, []
        while 0 <= row < 8 and 0 <= column < 8 and squares[8 * row + column] not in (side, "-"):
            line.append(8 * row + column)
            row, column = row + down, column + right
        if 0 <= row < 8 and 0 <= column < 8 and squares[8 * row + column] == side:
            found += line
    return found


def slow_actions(text):
    squares, side = text.split()
    other = "O" if side == "X" else "X"
    places = {
        player: [i for i in range(64) if squares[i] == "-" and enclosed(squares, player, i)]
        for player in (side, other)
    }
    if places[side]:
        return tuple(places[side])
    return (PASS,) if places[other] else ()


def slow_successor(text, action):
    squares, side = text.split()
    other = "O" if side == "X" else "X"
    if action == PASS:
        return f"{squares} {other}"
    turned = {action, *enclosed(squares, side, action)}
    return "".join(side if i in turned else squares[i] for i in range(64)) + f" {other}"


@pytest.mark.parametrize(
    ("depth", "count"),
    list(enumerate((4, 12, 56, 244, 1396, 8200, 55092, 390216), start=1)),
)
def test_the_published_counts_from_the_start(depth, count):
    assert perft(OTHELLO.initial, depth) == count


def test_the_start_as_text_and_its_four_moves():
    assert OTHELLO.initial.text() == START
    assert [square_name(action) for action in OTHELLO.permitted(OTHELLO.initial)] == [
        "d3",
        "c4",
        "f5",
        "e6",
    ]


def test_the_shortest_game_ends_after_nine_moves_with_thirteen_black_discs():
    """The published nine-move wipe-out."""
    end = play("e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert (end.black.bit_count(), end.white) == (13, 0)
    assert OTHELLO.permitted(end) == ()


def test_a_side_that_can_place_nothing_passes_and_only_then():
    """White on b1 is enclosed from c1 by Black on a1; White can enclose nothing."""
    passing = board(["XO------"], "O")
    assert OTHELLO.permitted(passing) == (PASS,)
    assert square_name(PASS) == "pass"
    black = OTHELLO.successor(passing, PASS)
    assert black == board(["XO------"], "X")
    assert OTHELLO.permitted(black) == (2,)
    end = OTHELLO.successor(black, 2)
    assert end == board(["XXX-----"], "O")
    assert OTHELLO.permitted(end) == ()


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("squares", ["-" * 64, "X" * 64, "XO" * 32, "X" + "-" * 62 + "O"])
def test_a_game_in_which_neither_side_can_move_is_finished(squares, side):
    assert OTHELLO.permitted(OthelloState.from_text(f"{squares} {side}")) == ()


def test_a_row_does_not_run_on_into_the_next():
    """Black h1, White a2: neighbours as bits, not on the board; nor are h1, a3 on a diagonal."""
    assert OTHELLO.permitted(board(["-------X", "O-------"], "X")) == ()
    assert OTHELLO.permitted(board(["-------X", "--------", "O-------"], "X")) == ()


def test_the_longest_line_is_turned_whole():
    state = board(["XOOOOOO-"], "X")
    assert OTHELLO.permitted(state) == (7,)
    assert OTHELLO.successor(state, 7) == board(["XXXXXXXX"], "O")


@given(st.text("XO-", min_size=64, max_size=64), st.sampled_from("XO"))
def test_any_board_by_the_rules_square_by_square(squares, side):
    text = f"{squares} {side}"
    state = OthelloState.from_text(text)
    assert state.text() == text
    actions = OTHELLO.permitted(state)
    assert actions == slow_actions(text)
    for action in actions:
        assert OTHELLO.successor(state, action).text() == slow_successor(text, action)


@pytest.mark.slow
def test_whole_games_by_the_rules_square_by_square():
    """Sixty random games to their end; among them there are passes, and they are permitted alone."""
    passes = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        state = OTHELLO.initial
        while actions := OTHELLO.permitted(state):
            assert actions == slow_actions(state.text())
            passes += actions == (PASS,)
            action = actions[int(generator.integers(len(actions)))]
            following = OTHELLO.successor(state, action)
            assert following.text() == slow_successor(state.text(), action)
            state = following
        assert slow_actions(state.text()) == ()
    assert passes > 0


def test_precision_and_recall_by_hand():
    """Two rows XO, one of them read without its white disc, Black to move.

    The true board permits c1 and c4, the predicted one c1: p_1 = 1, r_1 = 1/2. After c1 the true
    board has White pass, for Black still has c4; the predicted board holds no white disc and is
    finished, so that no line is shared to the end: p_2 = r_2 = 0.
    """
    empty = "-" * 8
    true = board(["XO------", empty, empty, "XO------"], "X")
    predicted = board(["XO------", empty, empty, "X-------"], "X")
    profile = exact_profile(true, predicted, 2, automaton=OTHELLO)
    assert profile.precision == (1.0, 0.0)
    assert profile.recall == (0.5, 0.0)
    assert exact_profile(true, true, 6, automaton=OTHELLO).precision == (1.0,) * 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "64 characters"),
        (START[:-2], "side to move"),
        (START[1:], "63"),
        (START.replace(" X", " B"), "side to move"),
        (START.replace(" ", "  "), "side to move"),
        (START + "\n", "side to move"),
        (START.replace("O", "o"), "'o' on d4 "),
        ("." + START[1:], "'.' on a1 "),
    ],
)
def test_a_bad_text_is_refused_with_what_is_wrong(text, said):
    with pytest.raises(InvalidBoardError, match=said) as refused:
        OthelloState.from_text(text)
    assert repr(text) in str(refused.value)
    assert isinstance(refused.value, ValueError)

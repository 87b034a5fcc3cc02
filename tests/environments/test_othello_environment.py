"""Othello boards as models write them, and which of them can arise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.environments.othello import PASS, OthelloState
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError, InvalidBoardError

OTHELLO = environment_named("othello")
ROWS = [
    "- - - - - - - -",
    "- - - - - - - -",
    "- - - X - - - -",
    "- - - X X - - -",
    "- - - X O - - -",
    "- - - - - - - -",
    "- - - - - - - -",
    "- - - - - - - -",
]
BOARD = "\n".join([*ROWS, "O to move"])
STATE = OthelloState.from_text(
    BOARD.replace(" to move", "").replace("\n", "").replace(" ", "")[:-1] + " O"
)
NUMBERED = [f"{number} {row}" for number, row in enumerate(ROWS, start=1)]


def test_a_state_is_written_as_eight_rows_and_the_side():
    after = OTHELLO.replay(None, "d3")
    assert after == STATE
    assert OTHELLO.state_text(after) == BOARD


@pytest.mark.parametrize(
    "text",
    [
        BOARD,
        STATE.text(),
        STATE.text().lower().replace("-", "."),
        BOARD.lower().replace("-", "."),
        BOARD.replace(" to move", ""),
        BOARD.replace("O to move", "White to move."),
        BOARD.replace("O to move", "**Side to move:** O (White)"),
        BOARD.replace("O to move", "To move: white"),
        BOARD.replace("O to move", "White's turn"),
        "O to move\n\n" + "\n".join(ROWS),
        "\n".join(ROWS).replace(" ", "") + "\nO",
        "\n".join(["  a b c d e f g h", *NUMBERED, "O to move"]),
        "\n".join(
            [*(f"{row} {n}" for n, row in enumerate(ROWS, 1)), "  A B C D E F G H", "o to play"]
        ),
        "\n".join([*reversed(NUMBERED), "O to move"]),
        "\n".join(
            [*(f"| {n} | {row.replace(' ', ' | ')} |" for n, row in enumerate(ROWS, 1)), "O"]
        ),
        "\n".join(f"+---+---+\n|{row}|" for row in ROWS) + "\n+---+---+\n\nO to move",
        "/".join(ROWS).replace(" ", "") + " O to move",
        BOARD.replace("\n", "\r\n"),
    ],
)
def test_one_board_in_many_ways(text):
    assert OTHELLO.read_state(text) == STATE
    assert OTHELLO.classify(text).reply_class == "valid"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n".join(ROWS), "side to move"),
        (STATE.text()[:-2], "side to move"),
        ("\n".join(ROWS[1:]) + "\nO to move", "7 such rows"),
        (BOARD.replace("X X", "X"), "7 such rows"),
        (BOARD.replace("O to move", "O (black) to move"), "side to move"),
        (BOARD + "\nX to move", "2 other lines"),
        ("\n".join([*NUMBERED[:7], ROWS[7], "O to move"]), "'1234567'"),
        # Each of these only looks like a letter or a sign of a board, or could be one of two.
        (BOARD.replace("O", "О"), "such rows"),
        (BOARD.replace("O", "0"), "such rows"),
        (BOARD.replace("X", "Ｘ"), "such rows"),
        (BOARD.replace("X", "●"), "such rows"),
        (BOARD.replace("-", "－"), "such rows"),
        (BOARD.replace("X", "B").replace("O", "W"), "such rows"),
    ],
)
def test_what_is_no_board_is_unparseable_and_never_guessed(text, said):
    with pytest.raises(InvalidBoardError, match=said):
        OTHELLO.read_state(text)
    found = OTHELLO.classify(f"The board:\n\n{text}")
    assert found.reply_class == "unparseable"
    assert found.parsed.fault


@given(st.text("XO-", min_size=64, max_size=64), st.sampled_from("XO"))
def test_any_board_comes_back(squares, side):
    state = OthelloState.from_text(f"{squares} {side}")
    assert OTHELLO.read_state(OTHELLO.state_text(state)) == state
    assert OTHELLO.read_state(state.text()) == state


def changed(**squares):
    """The board after d3 with other discs on some squares; ``side`` is to move."""
    side = squares.pop("side", "O")
    rows = [row.split() for row in ROWS]
    for name, disc in squares.items():
        rows[int(name[1]) - 1]["abcdefgh".index(name[0])] = disc
    return OTHELLO.read_state("\n".join([*map(" ".join, rows), side]))


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (changed(), ()),
        (changed(e5="-"), ("centre_square_empty",)),
        (changed(d3="-"), ("other_start",)),
        (changed(side="X"), ("wrong_side", "no_last_move")),
        (changed(e5="X"), ()),
        (changed(a8="O", side="X"), ("discs_apart", "no_last_move")),
        # d3 cannot have turned anything: below it stands a white disc, and d4 was never passed over.
        (changed(d4="O"), ("no_last_move",)),
        # c3 in White's colour was placed by nobody; d3 was, but left c3 and e5 as they are.
        (changed(c4="O", side="X"), ("no_last_move",)),
    ],
)
def test_conditions_by_hand(state, names):
    assert OTHELLO.conditions(state) == names


@pytest.mark.slow
def test_every_board_of_the_first_six_moves_meets_the_conditions_and_nobody_passes():
    level = {OTHELLO.automaton.initial}
    for count in (4, 12, 54, 236, 1288, 7092):
        level = {
            OTHELLO.automaton.successor(state, action)
            for state in level
            for action in OTHELLO.automaton.permitted(state)
        }
        assert len(level) == count
        assert {OTHELLO.conditions(state) for state in level} == {()}


def test_every_board_of_random_games_meets_the_conditions():
    """To their ends, passes included; and most boards with a slip break one of them early on."""
    passes = 0
    for seed in range(60):
        generator, state = np.random.default_rng(seed), OTHELLO.automaton.initial
        while actions := OTHELLO.automaton.permitted(state):
            assert OTHELLO.conditions(state) == ()
            passes += actions == (64,)
            state = OTHELLO.automaton.successor(
                state, actions[int(generator.integers(len(actions)))]
            )
        assert OTHELLO.conditions(state) == ()
    assert passes > 0


def test_a_slip_changes_one_disc_or_moves_it_by_one():
    state = OTHELLO.replay(None, "f5 f4 f3 g4 g3 e2 h3 f6")
    true, kinds = OTHELLO.elements(state), set()
    for seed in range(200):
        found = OTHELLO.elements(OTHELLO.slip(state, np.random.default_rng(seed)))
        gone, new = true.keys() - found.keys(), found.keys() - true.keys()
        turned = [name for name in true.keys() & found.keys() if true[name] != found[name]]
        if turned:
            assert (len(turned), gone, new) == (1, set(), set())
            # White moved last: the disc stood between two white ones.
            assert true[turned[0]] == "white"
        else:
            (one,), (other,) = gone, new
            assert max(abs(ord(a) - ord(b)) for a, b in zip(one, other, strict=True)) == 1
            assert true[one] == found[other]
        kinds.add(bool(turned))
    assert kinds == {True, False}


def test_the_picture_marks_what_is_named():
    state = OTHELLO.replay(None, "d3")
    plain, marked = (
        OTHELLO.picture(state),
        OTHELLO.picture(state, frozenset({"d3", "side to move"})),
    )
    assert plain.count("<circle") == 5
    assert plain.count('fill="none"') == 0
    assert marked.count('class="different"') == 1
    assert "White to move (marked); 1 squares marked" in marked


def test_othello_takes_no_argument():
    with pytest.raises(InvalidArgumentError, match="othello:big"):
        environment_named("othello:big")


def test_a_disc_on_the_picture_is_set_turned_moved_and_taken_away():
    state = OTHELLO.read_state(BOARD)
    look = OTHELLO.elements
    black = OTHELLO.edited(state, "a1", "a1")
    white = OTHELLO.edited(black, "a1", "a1")
    assert look(black) == {**look(state), "a1": "black"}
    assert look(white) == {**look(state), "a1": "white"}
    assert OTHELLO.edited(white, "a1", "a1") == state
    moved = OTHELLO.edited(white, "a1", "h8")
    assert look(moved) == {**look(state), "h8": "white"}
    assert OTHELLO.edited(state, "d3", "d4") is None
    assert OTHELLO.edited(state, "a1", "a2") is None
    assert OTHELLO.edited(state, "side to move", "a1") is None
    other = OTHELLO.edited(state, "side to move", "side to move")
    assert other.black_to_move is not state.black_to_move
    assert OTHELLO.edited(other, "side to move", "side to move") == state


def test_a_move_is_a_dot_on_its_square():
    state = OTHELLO.read_state(BOARD)
    move = OTHELLO.automaton.permitted(state)[0]
    (point,) = OTHELLO.action_points(state, move)
    square = next(each for each in OTHELLO.places(state) if each.name == OTHELLO.action_text(move))
    assert point == (square.left + 20, square.top + 20)
    assert OTHELLO.action_points(state, PASS) == []

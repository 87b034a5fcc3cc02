"""Text comparison, each value worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.environments.chess import state
from workbench.environments.chess.state import Fen
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.metrics.texts import EditKernel

CHESS = environment_named("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
AFTER_E4_SQUARE = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
LEGAL_SQUARE = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"


def same(one, other, fields="full"):
    texts = CHESS.compared_texts(Fen(one), Fen(other))
    return texts[fields][0] == texts[fields][1]


def test_an_idle_en_passant_square_counts_in_full_and_not_in_position():
    assert state.levenshtein(AFTER_E4, AFTER_E4_SQUARE) == 2
    assert not same(AFTER_E4, AFTER_E4_SQUARE)
    assert state.levenshtein(AFTER_E4, AFTER_E4_SQUARE, "position") == 0
    assert same(AFTER_E4, AFTER_E4_SQUARE, "position")


def test_a_legal_en_passant_square_counts_in_position():
    without = LEGAL_SQUARE.replace("f6", "-")
    assert state.levenshtein(LEGAL_SQUARE, without, "position") == 2


def test_the_clocks_count_in_full_alone():
    other = START.replace("0 1", "3 27")
    assert state.levenshtein(START, other) == 1 + 2
    assert same(START, other, "position")
    assert same(START, other, "placement")


def test_a_lost_king_is_one_character_away():
    kingless = START.replace("RNBQKBNR", "RNBQ1BNR")
    assert state.levenshtein(START, kingless) == 1
    assert state.board_accuracy(Fen(START), Fen(kingless)) == 63 / 64


def test_the_distance_to_nothing_is_the_length():
    assert state.levenshtein(START, "") == len(START) == 56


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_distance_is_a_metric(one, other):
    distance = state.levenshtein(one, other)
    assert distance == state.levenshtein(other, one)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))


def test_an_unreadable_placement_has_no_board_accuracy():
    assert math.isnan(state.board_accuracy(Fen(START), Fen("9/8 w")))
    assert math.isnan(state.board_accuracy(Fen(START), Fen("")))
    with pytest.raises(InvalidFenError, match="'nonsense'"):
        state.board_accuracy(Fen("nonsense"), Fen(START))


def test_an_unreadable_fen_keeps_its_square_in_position():
    assert state.compared_text(Fen("9/8 w KQkq e3 0 1"), "position") == "9/8 w KQkq e3"


def test_each_field_is_right_or_wrong():
    predicted = AFTER_E4_SQUARE.replace("KQkq", "KQ").rsplit(" ", 1)[0]
    assert CHESS.correct_fields(Fen(AFTER_E4), Fen(predicted)) == {
        "placement": True,
        "side_to_move": True,
        "castling": False,
        "en_passant": False,
        "halfmove_clock": True,
        "fullmove_number": False,
    }


def test_the_edit_kernel():
    columns = {"levenshtein": np.array([0.0, 4.0, np.nan])}
    kernel = EditKernel(rate=0.5).values(columns)
    assert kernel[:2] == pytest.approx([1.0, math.exp(-2)])
    assert math.isnan(kernel[2])
    with pytest.raises(InvalidArgumentError, match="above 0"):
        EditKernel(rate=0.0)


def test_an_unknown_choice_of_fields_is_named():
    with pytest.raises(InvalidArgumentError, match="'board'"):
        state.levenshtein(START, START, "board")

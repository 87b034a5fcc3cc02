"""Why a FEN cannot be read, in words: every fault a person makes, and any text at all."""

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.environments.chess.classification import classify_fen
from workbench.errors import InvalidFenError
from workbench.explore.board_reading import (
    board_problem,
    describe,
    explain,
    read_board,
    status_words,
)
from workbench.explore.pair.board_pair import BoardPair
from workbench.prediction import ReplyClass
from workbench.scoring import ScoringParameters
from workbench.scoring.single_pair import compare

START = chess.STARTING_FEN

FAULTS = {
    "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "there are 7 ranks; a board has 8",
    "rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "there are 9 ranks",
    "8 w - - 0 1": "there is 1 rank;",
    "rnbqkbnr/pppppppp/8/ppppppppp/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (
        "rank 5 has 9 squares: 'ppppppppp'; a rank has 8"
    ),
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1": "rank 1 has 7 squares: 'RNBQKBN'",
    "rnbqkbnr/pppppppp/8/8/8/p/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 3 has 1 square: 'p'",
    "rnbqkbnr/pppppppp/8//8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 5 is empty",
    "rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 7 has 'x': 'ppppxppp'",
    "rnbqkbnr/ppppSppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "rank 6 has '9'",
    # A Cyrillic letter that looks like a pawn's.
    START.replace("PPPPPPPP", "PPPP\u0420PPP"): "rank 2 has '\u0420' (U+0420): ",
    START.replace("PPPPPPPP", "PPPP\ue000PPP"): r"rank 2 has '\ue000': ",
    "rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "two digits one after the other",
    "rnbqkbnr/pppppppp/~8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "follows no piece: '~8'",
    START.replace(" w ", " x "): "the side to move is 'x'; it is w or b",
    START.replace(" w ", " W "): "the side to move is 'W'",
    START.replace(" w ", " white "): "the side to move is 'white'",
    START.replace(" KQkq ", " kqKQ "): "the castling field is 'kqKQ'",
    START.replace(" KQkq ", " KQkqx "): "the castling field is 'KQkqx'",
    START.replace(" KQkq - ", " KQkq e9 "): "the en-passant square is 'e9'",
    START.replace(" KQkq - ", " KQkq E3 "): "the en-passant square is 'E3'",
    START.replace(" 0 1", " -1 1"): "the half-move clock is '-1'; it cannot be negative",
    START.replace(" 0 1", " x 1"): "the half-move clock is 'x'; it is a whole number",
    START.replace(" 0 1", " 1.5 1"): "the half-move clock is '1.5'",
    START.replace(" 0 1", " 0 -3"): "the move number is '-3'; it cannot be negative",
    START.replace(" 0 1", " 0 " + "9" * 5000): "(5,000 characters) is too long to read",
    START + " 7": "there are 7 fields; a FEN has 6",
    START.replace(" KQkq", ""): "there are 5 of the 6 fields",
    "": "there is no text",
    "  \n ": "there is no text",
}


@pytest.mark.parametrize("text", FAULTS)
def test_each_fault_is_named_in_words(text):
    assert FAULTS[text] in explain(text)


def test_several_faults_are_told_and_many_counted():
    two = explain("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1")
    assert "rank 6 has '9'" in two
    assert "the side to move is 'x'" in two
    many = explain("9/9/9/9/9/9/9/9 x y z -1 -1")
    assert many.count("Also: ") == 2
    # Eight ranks with an unknown sign and five fields: 13 problems, three of them told.
    assert many.endswith("And 10 more")


def test_with_another_number_of_ranks_none_is_called_by_its_number_on_the_board():
    words = explain("rnbqkbnr/ppppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    assert "rank number 2 in the text has 9 squares" in words
    assert "rank 7" not in words


@pytest.mark.parametrize(
    "text",
    [
        START,
        "8/8/8/8/8/8/8/8",
        START.replace("-", "–"),
        START.replace(" 0 1", " 0 " + "9" * 30),
        "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 0 1",
    ],
)
def test_what_python_chess_reads_has_no_problem(text):
    assert explain(text) is None


FEN_SIGNS = st.text(alphabet="pnbrqkPNBRQK12345678/~ wb-KQkqe3x90", max_size=70)
MUTATED = st.builds(
    lambda place, cut, new: START[:place] + new + START[place + cut :],
    st.integers(0, len(START)),
    st.integers(0, 3),
    st.text(alphabet="pK18/ -wq~x", max_size=3),
)


@given(st.one_of(FEN_SIGNS, MUTATED, st.text(max_size=40)))
def test_there_are_words_exactly_where_python_chess_refuses_and_they_are_our_own(text):
    found = classify_fen(text)
    words = explain(text)
    refused = found.reply_class in (ReplyClass.UNPARSEABLE, ReplyClass.ABSENT)
    assert (words is not None) == refused
    if found.reply_class is ReplyClass.UNPARSEABLE:
        with pytest.raises(ValueError, match=r"fen|clock|number"):
            chess.Board(found.predicted_state)
        assert words != found.reason


def test_every_status_flag_of_standard_chess_has_words():
    for flag in chess.Status:
        if not str(flag.name).startswith("RACE_"):
            assert status_words(flag.name) != flag.name


def test_an_ill_formed_board_is_described_by_what_its_flags_mean():
    found = classify_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1")
    assert describe(found.reply_class, found.status) == "Ill-formed board: White has no king."
    assert describe(ReplyClass.VALID, ()) == "Valid board."


@pytest.mark.parametrize(
    "text",
    [
        f"The FEN is {START}.",
        f"'{START}'",
        f"{START}, as I see it",
        START.replace(" w ", " White "),
        f"https://lichess.org/analysis/standard/{START.replace(' ', '_')}",
    ],
)
def test_a_box_and_compare_read_the_same_texts(text):
    assert board_problem(text) is None
    assert read_board(text, "true").text == START
    pair = BoardPair(text, text)
    assert (pair.true_fen, pair.predicted_fen) == (START, START)
    assert compare(text, text, ScoringParameters(depth=1))["exact_match"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "1. e4 c5 2. Nf3 *",
            "this looks like moves: '1. e4 c5 2. Nf3 *'; after them the FEN is "
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        ),
        ("e2e4 e7e5 ", "this looks like moves: 'e2e4 e7e5'; after them the FEN is"),
        ("Nf6 Nf6", "this looks like moves: 'Nf6 Nf6'"),
        (f"It is {START} or {START.replace('KQkq', '-')}", "two boards joined by or"),
        (f"I see {START.replace('PPPPPPPP', 'PPPPPPP')}", "rank 2 has 7 squares: 'PPPPPPP'"),
        (f"{START} 7", "there are 7 fields"),
        (START.replace(" 0 1", " 1.5 1"), "the half-move clock is '1.5'"),
        (f"The pieces: {START.split()[0]}", "no side to move"),
    ],
)
def test_what_holds_no_board_is_told_in_words(text, words):
    assert words in board_problem(text)
    for which in ("true", "predicted"):
        with pytest.raises(InvalidFenError) as error:
            read_board(text, which)
        assert words in str(error.value)

"""What the page without Python is answered: the same as BoardPair, in values and in words."""

import random

import chess
import pytest
from twin_process import WORDS, ask, page_question

# isort: split
from kernel_boards import boards, change_fen
from twin_fuzz import recorded_pairs

from workbench.affordance import exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_causes, lost_mass
from workbench.explore.page.widget_base import as_plain
from workbench.explore.pair.board_pair import compare_answer
from workbench.explore.pair.pair_view import replay

START = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
QUEENS = "QQQQQQQQ/QQQQQQQQ/8/8/8/8/qqqqqqqq/qqqqqqqq w - - 0 1"
ONE_LESS = "QQQQQQQQ/QQQQQQQQ/8/8/8/8/qqqqqqqq/qqqqqqq1 w - - 0 1"
TEXTS = [
    ("", "x"),
    ("8/8/8/8/8/8/8/8 w - - 0 1", ""),
    ("8/8/8/8/8/8/8/7 x KQkqx z -1 1.5 7", "8/8 w"),
    (START.replace("KQkq", "HAha"), "<script>alert('1')</script>"),
    (AFTER_E4, AFTER_E4.replace("KQkq", "HAha").replace("0 1", "+1_0 1")),
    (START.replace("/", "∕").replace("- 0", " – 0"), "q" * 1000),
    ("é/8~/~8/44/9/p1p2/ppppppppp/ w", "8/8/8/8/8/8/8/8 W KQkqK e9 -0 --1"),
    ("8" * 200 + "\"\n\x00\U0001f600'", "/" * 300),
]


def differences(expected, found, where=""):
    """Return where two answers differ; numbers may by rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            line
            for name in sorted({*expected, *found} - {"seconds", "kind", "serial"})
            for line in differences(expected.get(name), found.get(name), f"{where}.{name}")
        ]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [
            line
            for index, pair in enumerate(zip(expected, found, strict=True))
            for line in differences(*pair, f"{where}[{index}]")
        ]
    if isinstance(expected, float) and isinstance(found, float | int):
        return (
            [] if found == pytest.approx(expected, abs=1e-9) else [f"{where}: {expected} {found}"]
        )
    return [] if expected == found else [f"{where}: {expected!r}, not {found!r}"]


def asked_and_expected(pairs, rng):
    """Return questions about pairs, some after a shared move, and BoardPair's answers."""
    questions, expected = [], []
    for true, predicted in pairs:
        settings = ExplorerSettings(
            rng.choice((1, 2, 3)), rng.choice(("absorb", "drop")), rng.choice(("as_is", "sink"))
        )
        line: list[str] = []
        answer = compare_answer(true, predicted, line, settings)
        if "view" in answer and answer["view"]["moves"]["shared"] and rng.random() < 0.5:
            line = [rng.choice(answer["view"]["moves"]["shared"])["uci"]]
            answer = compare_answer(true, predicted, line, settings)
        questions.append(page_question("compare", true, predicted, settings, line))
        expected.append(answer)
        if "view" in answer:
            questions.append(page_question("lost_mass", true, predicted, settings, line))
            expected.append(lost_mass(*replay(true, predicted, line), settings))
            questions.append(page_question("causes", true, predicted, settings, line))
            expected.append(board_causes(*replay(true, predicted, line), settings))
    return questions, as_plain(expected)


@pytest.mark.slow
def test_answers_are_those_of_board_pair():
    rng = random.Random(3)
    ill_formed = [(fen, change_fen(rng, chess.Board(fen), 2)) for fen in boards(8, 5)]
    questions, expected = asked_and_expected([*recorded_pairs(6, seed=1), *ill_formed, *TEXTS], rng)
    answers = ask(questions)
    found = [
        f"{question['message']}: {line}"
        for question, wanted, answer in zip(questions, expected, answers, strict=True)
        for line in differences(wanted, answer)
    ]
    assert found == []
    assert sum("problems" in answer for answer in answers) >= 5
    assert sum("view" in answer for answer in answers) >= 14


def test_a_walk_that_is_too_long_ends_at_a_smaller_depth():
    question = page_question("compare", QUEENS, ONE_LESS, ExplorerSettings(4))
    (answer,) = ask([{**question, "words": {**WORDS, "exact_budget": 500}}])
    profile = answer["view"]["profile"]
    assert not profile["exact"]
    assert profile["reason"] == (
        "exact up to depth 2: depth 3 has more than 500 joint nodes; "
        "deeper values are not computed on this page"
    )
    values = [entry["value"] for entry in profile["precision"]]
    assert values[2:] == [None, None]
    exact = exact_profile(
        *map(ChessState.from_fen, (QUEENS, ONE_LESS)), 2, automaton=ChessAutomaton()
    )
    assert values[:2] == pytest.approx(exact.precision)


def test_what_cannot_be_answered_is_a_failed_message():
    illegal = page_question("compare", START, START, ExplorerSettings(1), ["e2e5"])
    unknown = page_question("no_such_kind", START, START, ExplorerSettings(1))
    unread = page_question("lost_mass", START, "no FEN", ExplorerSettings(1))
    one, other, third = ask([illegal, unknown, unread])
    assert (one["kind"], one["asked"], one["serial"]) == ("failed", "compare", "a")
    assert "expected a move that both boards permit, got 'e2e5'" in one["message"]
    assert other["asked"] == "no_such_kind"
    assert third["message"].startswith("the predicted FEN cannot be read: there is 1 rank; ")

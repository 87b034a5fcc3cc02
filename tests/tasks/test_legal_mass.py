"""The probability on legal actions: distributions by hand, in positions with few legal moves and none."""

import math

import numpy as np
import pytest

from workbench.environments.registry import environment_named, environment_names
from workbench.episodes import EpisodeSample
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.tasks import task_named
from workbench.tasks.legal_mass import Mass, candidate_texts, legal_mass, mass_lines, masses_of

TASK = task_named("legal_mass")
CHESS = environment_named("chess")

CORNER = "7k/8/8/8/8/8/1r6/K7 w - - 0 1"
"""The king on a1 can take on b2, and nothing else: Ka2 and Kb1 are next to the rook's lines."""
MATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


def measured(fen, masses):
    state = CHESS.parse_true(fen).state
    return legal_mass(CHESS, state, {text: Mass(mass) for text, mass in masses.items()})


def test_masses_by_hand():
    masses = measured(CORNER, {"a1a2": 0.25, "a1b2": 0.125, "a1b1": 0.0625})
    assert masses.legal == 0.125
    assert masses.relative == pytest.approx(0.125 / 0.4375)
    assert (masses.likeliest, masses.likeliest_mass, masses.likeliest_legal) == ("a1a2", 0.25, 0)
    assert (masses.permitted, masses.candidates) == (1, 3)
    assert list(masses.wrong.items()) == [("a1a2", 0.25), ("a1b1", 0.0625)]


def test_spellings_of_one_move_are_one_candidate():
    masses = measured(CORNER, {"Kxb2": 0.125, "Kb2": 0.0625, "a1b2": 0.03125, "Ka2": 0.2})
    assert masses.legal == 0.125 + 0.0625 + 0.03125
    assert (masses.candidates, masses.likeliest, masses.likeliest_legal) == (2, "Kxb2", 1)


def test_all_on_legal_moves_is_one_and_uniform_is_the_share_of_legal_candidates():
    start = CHESS.automaton.initial
    legal = [move.uci() for move in CHESS.automaton.permitted(start)]
    fen = CHESS.state_text(start)
    assert measured(fen, dict.fromkeys(legal, 1 / 20)).legal == pytest.approx(1)
    candidates = [*legal, *(f"a1{square}" for square in ("a3", "a4", "b1", "h8", "b2"))]
    uniform = measured(fen, dict.fromkeys(candidates, 1 / 25))
    values = (uniform.legal, uniform.relative, uniform.relative_by_token, uniform.likeliest_legal)
    assert values == pytest.approx([20 / 25] * 4)


def test_lengths_in_tokens_change_the_share_and_not_the_probability():
    state = CHESS.parse_true(CORNER).state
    masses = legal_mass(CHESS, state, {"a1b2": Mass(1 / 16, 4), "a1a2": Mass(1 / 8, 1)})
    assert masses.legal == 1 / 16
    assert masses.relative == pytest.approx(1 / 3)
    # 1/2 a token against 1/8 a token.
    assert masses.relative_by_token == pytest.approx(4 / 5)


def test_where_nothing_is_legal_nothing_is_defined():
    masses = measured(MATE, {"e1f2": 0.5})
    assert masses.permitted == 0
    undefined = (masses.legal, masses.relative, masses.relative_by_token, masses.likeliest_legal)
    assert all(map(math.isnan, undefined))
    state = CHESS.parse_true(MATE).state
    for terminal in ("absorb", "drop"):
        for actions in (["e1f2\t0.5\t1"], [], None):
            precision, recall = TASK.measures(CHESS, state, actions, 2, terminal)
            assert np.isnan([*precision, *recall]).all()
    nothing = measured(CORNER, {})
    assert (nothing.legal, nothing.likeliest, nothing.likeliest_legal) == (0, "", 0)
    assert math.isnan(nothing.relative)


@pytest.mark.parametrize(
    ("reply", "kind", "mass"),
    [
        ("Kxb2", "valid", 1),
        ("I would play a1b2.", "absent", 0),
        ("a1b2\na1a2", "valid", 1),
        ("a1a2\na1b2", "valid", 0),
        ("none", "valid", 0),
        ("a1b2\t0.25\t3\na1a2\t0.5", "valid", 0.25),
        ("a1b2\t0.25\t3\nthe king\t0.5\t1", "ill_formed", 0.25),
        ("a1b2\t1e-05\t3", "valid", 1e-5),
        ("a1b2\t0.25\t3\na1b2\t0.5\t1", "unparseable", 0),
        ("a1b2\t0.75\t3\na1a2\t0.5\t1", "unparseable", 0),
        ("a1b2\tnan\t3", "unparseable", 0),
        ("a1b2\t-0.5\t3", "unparseable", 0),
        ("a1b2\t0.5\t0", "unparseable", 0),
        ("king\t0.5\t1", "unparseable", 0),
    ],
)
def test_replies(reply, kind, mass):
    prediction = TASK.classify(CHESS, reply)
    assert prediction.reply_class == kind
    state = CHESS.parse_true(CORNER).state
    precision, recall = TASK.measures(CHESS, state, prediction.predicted_actions, 2, "absorb")
    assert precision[0] == mass
    assert np.isnan([precision[1], *recall]).all()


def test_probabilities_keep_six_digits_in_a_reply():
    masses = {"e2e4": Mass(1 / 3, 2), "O-O": Mass(1.23456789e-7)}
    lines = mass_lines(masses).split("\n")
    assert lines == ["e2e4\t0.333333\t2", "O-O\t1.23457e-07\t1"]
    assert masses_of(lines)["e2e4"].tokens == 2
    with pytest.raises(InvalidArgumentError, match="sum of at most 1"):
        masses_of(["a\t0.6", "b\t0.6"])


@pytest.mark.parametrize("name", [*environment_names(), "planning:gripper"])
def test_candidates_are_the_permitted_actions_then_those_of_before(name):
    environment = environment_named(name)
    (row,) = EpisodeSample(name, (4,), 1).positions.to_dict("records")
    actions = environment.split_moves(row["moves"])
    texts = candidate_texts(environment, row["initial_state"] or "", actions)
    permitted = environment.automaton.permitted(
        environment.replay(row["initial_state"], row["moves"])
    )
    legal = [environment.action_text(action) for action in permitted]
    assert texts[: len(legal)] == legal
    assert len(set(texts)) == len(texts) <= max(100, len(legal))
    fewest = candidate_texts(environment, row["initial_state"] or "", actions, most=1)
    assert fewest == legal


def test_candidates_in_san_have_a_check_with_and_without_its_mark():
    texts = candidate_texts(CHESS, "", "e2e4 f7f6 d2d4 g7g5".split(), "san")
    # Qh5 is mate; the moves of before, such as Black's, follow the legal ones.
    assert {"Qh5#", "Qh5", "Nf3", "c5"} <= set(texts)
    assert texts.index("Qh5") == texts.index("Qh5#") + 1 < texts.index("c5")
    state = CHESS.replay("", "e2e4 f7f6 d2d4 g7g5")
    read = {CHESS.action_named(state, text) for text in ("Qh5#", "Qh5", "d1h5")}
    assert len(read) == 1
    with pytest.raises(InvalidArgumentError, match="expected uci or san, got 'long'"):
        candidate_texts(CHESS, "", [], "long")
    with pytest.raises(InvalidArgumentError, match="notation: expected none for othello"):
        candidate_texts(environment_named("othello"), "", [], "san")
    with pytest.raises(IllegalMoveError, match="move 2: expected one that is permitted"):
        candidate_texts(CHESS, "", ["e2e4", "e4e5"])

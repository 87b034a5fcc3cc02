"""The network in JavaScript writes what numpy writes."""

import base64
import os
import shutil

import numpy as np
import pytest

from benchmarks.network_twin import TIE, Node, compare, held_out_games
from workbench.explore.reader.model_content import model_content
from workbench.language_model.language_model import LEAST_PROBABILITY, load_model
from workbench.language_model.vocabulary import write_move

LARGEST = 1e-3
"""Of the differences between logits, whose spread is some 10."""


@pytest.fixture(autouse=True)
def _node():
    if shutil.which("node") is None and os.environ.get("WORKBENCH_REQUIRE_BROWSER") != "1":
        pytest.skip("node is not installed: the JavaScript is not tested")


def expect_equal(result):
    assert result.difference < LARGEST
    assert [tie for tie in result.ties if abs(tie[3]) > TIE] == []


def test_a_short_game_is_read_alike():
    result = compare("tiny", held_out_games(1, most=40))
    assert result.boards > 5
    expect_equal(result)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiny", "small"])
def test_boards_after_every_ply_are_written_alike(name):
    result = compare(name, held_out_games(40))
    assert result.boards > 1_000
    expect_equal(result)


def test_a_game_with_a_hand_inside_is_read_alike():
    result = compare("tiny", held_out_games(2, most=60), hands=True)
    assert result.boards > 50
    expect_equal(result)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiny", "small"])
def test_boards_with_hands_inside_are_written_alike(name):
    result = compare(name, held_out_games(40), hands=True)
    assert result.boards > 1_000
    expect_equal(result)


def test_a_hand_that_changes_nothing_leaves_every_bit_and_one_that_is_away_too():
    model = load_model("tiny")
    (moves,) = held_out_games(1, most=60)
    plies = [*range(len(moves) + 1)]
    nothing = {"ply": 3, "square": "e4", "to": "e4", "former": "N", "other": "N"}
    with Node(model) as node:
        before = node.ask("boards", moves, plies)
        same = node.ask("boards", moves, plies, hand=nothing)
        hand = node.ask("boards", moves, plies, hand={**nothing, "other": "Q"})
        away = node.ask("boards", moves, plies)
    assert before["logits"] == same["logits"] == away["logits"] != hand["logits"]
    # Earlier plies do not see the hand.
    logits = [
        np.frombuffer(base64.b64decode(each["logits"]), "<f4").reshape(len(plies), -1)
        for each in (before, hand)
    ]
    changed = (logits[0] != logits[1]).any(axis=1)
    assert not changed[:3].any()
    assert changed[3:].all()


def test_another_game_after_one_is_read_as_if_first():
    model = load_model("tiny")
    one, other = held_out_games(2, most=60)
    mixed = [*one[:4], *other[4:8]]
    with Node(model) as node:
        node.ask("boards", one, [len(one)])
        after = node.ask("boards", mixed, [8, 3])
    with Node(model) as node:
        first = node.ask("boards", mixed, [8, 3])
    assert after["logits"] == first["logits"]


def test_next_moves_have_the_same_probabilities():
    model = load_model("tiny")
    (moves,) = held_out_games(1, most=60)
    for ply in (0, 7):
        with Node(model) as node:
            answer = node.ask("next_moves", moves[:ply], [ply], least=LEAST_PROBABILITY)
        shown = {write_move(*each["move"]): each["probability"] for each in answer}
        expected = model.next_moves(moves[:ply])
        assert set(shown) == set(expected)
        assert [shown[move] for move in expected] == pytest.approx(
            list(expected.values()), abs=1e-5
        )


def test_a_page_holds_the_weights_as_they_are_stored():
    model = load_model("tiny")
    stored = {name: value.astype(np.float16) for name, value in model.weights.items()}
    assert all((value == model.weights[name]).all() for name, value in stored.items())
    content = model_content(model)
    assert len(content["weights"]) == 4 * -(-2 * model.parameters // 3)
    assert sum(int(np.prod(size)) for size in content["sizes"].values()) == model.parameters

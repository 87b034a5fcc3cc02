"""Hands: those beside the bundled models belong to their weights, and are measured as the code measures."""

import json

import numpy as np
import pytest

from workbench.games.game_tables import bundled_games
from workbench.language_model.hand_sites import hand_sites
from workbench.language_model.hands import (
    HANDS_PATH,
    PIECE,
    PIECES,
    SQUARE,
    Hand,
    hands_of,
    weights_hash,
)
from workbench.language_model.language_model import PLAYER_GAMES, LanguageModel, load_model
from workbench.language_model.vocabulary import MOST_PLIES
from workbench.studies.language_models import hand_trials

NAMES = sorted(json.loads(HANDS_PATH.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_hands_belong_to_the_weights_that_are_bundled(name):
    entry = json.loads(HANDS_PATH.read_text(encoding="utf-8"))[name]
    assert entry["weights"] == weights_hash(name)
    model = load_model(name)
    hands = hands_of(model)
    assert {kind: hand.as_json() for kind, hand in hands.items()} == {
        kind: entry[kind] for kind in (PIECE, SQUARE)
    }
    for kind, rows in ((PIECE, len(PIECES)), (SQUARE, 64)):
        assert hands[kind].means.shape == (rows, model.shape.width)
        assert np.isfinite(hands[kind].means).all()
        assert 0 <= hands[kind].layer <= model.shape.layers
        trials = hands[kind].trials
        assert 0 < trials["done"] <= trials["sites"] == hand_trials.TRIAL_GAMES
        assert trials["clean"] <= trials["intended"]
        if trials["intended"]:
            assert trials["low"] < trials["intended"] < trials["high"]
        else:
            assert trials["low"] is trials["high"] is None


def test_the_document_has_the_numbers_of_the_file():
    text = HANDS_PATH.parents[1].joinpath("MODELS.md").read_text(encoding="utf-8")
    section = text.partition("\n## Hands\n")[2].partition("\n## ")[0]
    kinds = {"replaced": PIECE, "moved": SQUARE}
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    seen = set()
    for name, kind, layer, strength, done, intended, clean, *others, later in rows[2:]:
        hand = hands_of(load_model(name))[kinds[kind]]
        trials = hand.trials
        assert (int(layer), float(strength)) == (hand.layer, hand.strength)
        assert int(done) == trials["done"]
        shares = [trials[each] for each in ("intended", "low", "high")]
        assert intended == "{:.3f} ({:.3f}–{:.3f})".format(*shares)
        assert clean == f"{trials['clean']:.3f}"
        numbers = [trials[each] for each in ("other_squares", "wrong_ply", "random_direction")]
        assert list(map(float, others)) == pytest.approx(numbers, abs=0.005)
        assert later == f"{trials['later']:.3f} ({trials['later_sites']})"
        seen.add(name)
    assert seen >= {"tiny", "small", "player"}


def test_vectors_are_differences_of_means():
    hand = Hand(1, 2.0, np.array([[1, 0], [0, 3]], np.float16), {})
    assert hand.vectors([0, 1], [1, 1]).tolist() == [[-2, 6], [0, 0]]


def test_a_model_of_ones_own_has_no_hand():
    tiny = load_model("tiny")
    assert set(hands_of(tiny)) == {PIECE, SQUARE}
    assert hands_of(LanguageModel("mine", tiny.weights, tiny.description)) == {}


def expect_near(trials, expected):
    """Sums are rounded otherwise on another processor, which turns a few boards at most."""
    assert set(trials) == set(expected)
    for name, value in expected.items():
        assert trials[name] == pytest.approx(value, abs=0.02 if isinstance(value, float) else 9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PIECE, SQUARE])
def test_the_hand_of_tiny_is_what_the_code_measures(kind):
    model = load_model("tiny")
    measured, bundled = hand_trials.measured_hand(model, kind), hands_of(model)[kind]
    assert (measured.layer, measured.strength) == (bundled.layer, bundled.strength)
    assert measured.means.astype(float) == pytest.approx(bundled.means.astype(float), abs=0.01)
    expect_near(measured.trials, bundled.trials)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PIECE, SQUARE])
def test_trials_of_small_are_those_that_a_page_shows(kind):
    model = load_model("small")
    hand = hands_of(model)[kind]
    first = PLAYER_GAMES + hand_trials.MEAN_GAMES + hand_trials.CHOICE_GAMES
    games = [
        game.moves[:MOST_PLIES] for game in bundled_games()[first : first + hand_trials.TRIAL_GAMES]
    ]
    sites = hand_sites(games)
    rows = hand_trials.trials(model, kind, sites, [hand], hand_trials.PATCHES, follow=True)
    expect_near(hand_trials.summary(rows), hand.trials)

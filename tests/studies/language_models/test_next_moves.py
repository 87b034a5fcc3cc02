"""Compression and distinction in chess, on positions worked by hand and on the controls."""

import numpy as np
import pandas as pd
import pytest

from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import load_model
from workbench.studies.language_models import next_moves
from workbench.studies.language_models.next_moves import BY_PLY, LEGAL

# 1. e4 e5 2. Nf3 Nc6 is reached by 1. Nf3 e5 2. e4 Nc6 as well; 1. d4 d5 2. Nf3 Nc6 is another board.
LINES = ("e2e4 e7e5 g1f3 b8c6", "d2d4 d7d5 g1f3 b8c6")

LEGAL_MOVES = 27
"""After 1. e4 e5 2. Nf3 Nc6: 5 and 2 of the knights, 5 of the bishop, 12 of pawns, Rg1, Ke2, Qe2."""


@pytest.fixture(scope="module")
def positions():
    return pd.DataFrame(
        {
            "position_id": ["a", "b"],
            "game_id": ["one", "two"],
            "group": [2, 2],
            "moves": LINES,
            "environment": "chess",
        }
    )


def means(table, model):
    return table[(table["model"] == model) & (table["length"] == "all")].set_index("measure")[
        "mean"
    ]


def test_the_controls_score_what_they_must(positions):
    table = next_moves.compute(next_moves.controls(positions), positions)
    perfect = means(table, LEGAL)
    assert np.allclose(perfect[list(next_moves.QUANTITIES)], 1)
    blind = means(table, BY_PLY)
    # One list whatever the moves: it compresses all that it should, and tells nothing apart.
    assert blind[["equal", "agreement", "boundary_recall"]].tolist() == [1, 1, 0]
    assert np.isnan(blind["boundary_precision"])


def test_a_model_that_knows_one_order_alone(positions):
    legal = next_moves.controls(positions)[LEGAL]

    def forgetful(moves):
        return {"e8e7": 1.0} if tuple(moves[:3]) == ("g1f3", "e7e5", "e2e4") else legal(moves)

    table = next_moves.compute({"m": forgetful}, positions.head(1))
    values = means(table, "m")
    assert values["likeliest_legal"] == 1
    # After the other order it lists one move, which is not legal there: none is in both lists.
    assert (values["equal"], values["agreement"]) == (0, 0)
    count = table[(table["length"] == "all")].set_index("measure")["count"]
    # A position alone has no other board to be told from.
    assert (count["legal_mass"], count["boundary_recall"]) == (1, 0)


def test_mass_and_lists_by_hand(positions):
    def three(moves):
        return {"f1b5": 0.5, "e1d2": 0.3, "b1c3": 0.003}

    table = next_moves.compute({"m": three}, positions.head(1), least_probability=0.005)
    values = means(table, "m")
    assert values["legal_mass"] == pytest.approx(0.503)
    assert values["likeliest_legal"] == 1
    assert values["listed_legal"] == 0.5
    assert values["legal_listed"] == pytest.approx(1 / LEGAL_MOVES)


def test_a_bundled_model_gives_its_distribution():
    model = load_model("tiny")
    moves = "e2e4 e7e5".split()
    distribution = model.move_distribution(moves)
    assert distribution.shape == (64, 64, 5)
    assert distribution.sum() == pytest.approx(1, abs=1e-5)
    likely = next_moves.next_moves_of(model)(moves)
    assert sum(likely.values()) == pytest.approx(1, abs=1e-3)
    assert next(iter(likely.values())) == pytest.approx(distribution.max())


def test_nothing_to_compare_is_refused(positions):
    with pytest.raises(InvalidArgumentError, match="at least one model and one position"):
        next_moves.compute({}, positions)


def test_the_figure_names_each_model(positions):
    table = next_moves.compute(next_moves.controls(positions), positions)
    figure = next_moves.draw(table, "two positions")
    labels = {axes.get_ylabel().split("\n")[0] for axes in figure.get_axes()}
    assert "control:" in labels


def test_another_environment():
    environment = environment_named("othello")
    positions = sample_positions(environment, [6], 4, seed=1)
    table = next_moves.compute(next_moves.controls(positions), positions)
    perfect = means(table, LEGAL)
    assert perfect[["legal_mass", "agreement", "equal", "boundary_recall"]].dropna().eq(1).all()
    assert perfect["boundary_recall"] == 1


def test_episodes_that_begin_in_different_states_are_refused():
    positions = sample_positions(environment_named("boxes"), [3], 2, seed=0)
    with pytest.raises(InvalidArgumentError, match="begin in one state"):
        next_moves.compute({"m": lambda moves: {"x": 1.0}}, positions)

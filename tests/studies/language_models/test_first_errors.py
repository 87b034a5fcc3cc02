"""Lengths until the first error in attacks and games: medians of known lengths, and a small model's."""

import math

import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.studies.language_models import first_errors
from workbench.studies.language_models.first_errors import ATTACK, RANDOM, REAL, UNGUIDED


def rows_of(model, kind, plies, wrong):
    sequences = [[f"{kind} {length}"] * length for length in plies]
    return pd.DataFrame(
        {
            "model": model, "error": "state", "kind": kind, "number": range(len(plies)), "plies": plies,
            "shortest_plies": plies, "wrong": wrong, "questions": 10, "shortest": sequences,
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def tiny():
    return first_errors.lengths(["tiny"], searches=4, budget=200, games=6, longest=40)


def test_medians_of_known_lengths():
    rows = pd.concat(
        [
            rows_of("m", ATTACK, [3, 3, 4, 9], [True, True, True, False]),
            rows_of("m", REAL, [20, 30, 40], [False, False, True]),
        ]
    )
    table = first_errors.compute(rows).set_index("kind")
    assert table.loc[ATTACK, ["median", "least", "count", "errors", "questions"]].tolist() == [
        3, 3, 4, 3, 40,
    ]  # fmt: skip
    # Only one of three errs, at the end: those who left before it say nothing against it.
    assert table.loc[REAL, "median"] == 40
    none = first_errors.compute(rows_of("m", REAL, [5, 5], [False, False])).iloc[0]
    assert (none["median"], none["errors"]) == (math.inf, 0)
    assert math.isnan(none["least"])


def test_an_attack_is_sooner_than_games(tiny):
    assert tiny.groupby("kind")["number"].count().to_dict() == {
        ATTACK: 4, UNGUIDED: 4, RANDOM: 6, REAL: 6,
    }  # fmt: skip
    median = first_errors.compute(tiny).set_index("kind")["median"]
    assert median[ATTACK] < median[RANDOM]
    assert median[ATTACK] < median[REAL]
    assert (tiny[tiny["kind"] == ATTACK]["questions"] <= 50).all()


def test_the_shortest_attack_of_each_model_comes_first():
    rows = pd.concat(
        [
            rows_of("one", ATTACK, [2, 1, 1, 5], [True, True, True, False]),
            rows_of("other", ATTACK, [4, 6], [True, True]),
            rows_of("other", REAL, [1], [True]),
        ],
        ignore_index=True,
    )
    shortest = first_errors.shortest_attacks(rows, 4)
    # The two of one action are the same; a censored one and games are none.
    assert shortest[["model", "plies"]].to_numpy().tolist() == [
        ["one", 1], ["other", 4], ["one", 2], ["other", 6],
    ]  # fmt: skip


def test_the_figures_say_what_they_show(tiny):
    curves = first_errors.draw(tiny, "a note")
    assert curves.get_suptitle() == "Moves until the first wrong board"
    assert (
        "4 attacks, 4 searches by lot, 6 random games, 6 real games"
        in curves.get_supxlabel().replace("\n", " ")
    )
    assert curves.get_supxlabel().startswith("a note\n")
    (axes,) = curves.subfigs[0].axes
    heights = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert set(heights) == {ATTACK, UNGUIDED, RANDOM, REAL}
    assert heights[ATTACK][0] == 1
    assert heights[ATTACK][-1] == 0
    boards = first_errors.draw_boards(tiny, 2)
    titles = [axes.get_title() for axes in boards.axes]
    assert titles[0].startswith("tiny: 1. ")
    assert titles[0].endswith("true board")
    assert titles[2:] == ["written board"] * 2
    empty = first_errors.draw_boards(tiny[tiny["kind"] == REAL])
    assert "no attack met a wrong board" in [text.get_text() for text in empty.axes[0].texts]


def test_a_model_without_an_error_is_a_line_at_one():
    figure = first_errors.draw(rows_of("m", ATTACK, [5, 7], [False, False]))
    (line,) = figure.subfigs[0].axes[0].lines
    assert set(line.get_ydata()) == {1}
    assert max(line.get_xdata()) == 7


def test_no_model_is_refused():
    with pytest.raises(InvalidArgumentError, match="expected names of bundled models, got none"):
        first_errors.lengths([])

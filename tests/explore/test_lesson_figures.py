"""The figures of the third lesson: what is drawn is the mean at each length, on a linear axis."""

import numpy as np
import pandas as pd
import pytest

from workbench.answers.recorded_replies import BASELINE, RANDOM_GAMES, WORLD_CUP
from workbench.explore.lesson.lesson_figures import draw_curves, draw_two_sets
from workbench.studies.panels import ALL_LENGTHS


def lines_of(axes):
    return [line.get_ydata().tolist() for line in axes.lines if len(line.get_xdata())]


def test_curves_are_means_by_length_the_best_model_first():
    rows = [
        (BASELINE, 20, 0.5, 0.0),
        (BASELINE, 40, 0.1, 0.0),
        ("model", 20, 1.0, 0.5),
        ("model", 20, 0.5, 0.25),
        ("model", 40, 0.5, 0.125),
    ]
    scores = pd.DataFrame(rows, columns=["model", "length", "precision_1", "precision_4"])
    figure = draw_curves(scores)
    best, other, unused = figure.axes
    assert (best.get_title(), other.get_title()) == ("model", BASELINE)
    assert lines_of(best) == [[0.75, 0.5], [0.375, 0.125]]
    assert lines_of(other) == [[0.5, 0.1], [0.0, 0.0]]
    assert best.get_yscale() == "linear"
    assert not unused.axison


def test_two_sets_and_their_difference_with_its_interval():
    common = {"model": "model", "measure": "precision", "depth": 4, "difference": np.nan}
    rows = [
        {**common, "length": "20", WORLD_CUP: 0.5, RANDOM_GAMES: 0.25},
        {**common, "length": "40", WORLD_CUP: 0.25, RANDOM_GAMES: 0.125},
        {**common, "length": ALL_LENGTHS, WORLD_CUP: 0.375, RANDOM_GAMES: 0.1875,
         "difference": 0.1875, "difference_low": 0.125, "difference_high": 0.375},
    ]  # fmt: skip
    other_measure = [{**row, "measure": "exact_match", "difference": 9.0} for row in rows]
    curves, differences = draw_two_sets(pd.DataFrame(rows + other_measure)).axes
    assert lines_of(curves) == [[0.5, 0.25], [0.25, 0.125]]
    assert curves.get_yscale() == "linear"
    drawn = differences.containers[0]
    assert drawn.lines[0].get_xdata().tolist() == [0.1875]
    (interval,) = drawn.lines[2][0].get_segments()
    assert interval[:, 0].tolist() == pytest.approx([0.125, 0.375])

"""The probe against closed forms, and on vectors that hold their labels linearly."""

import math

import numpy as np
import pytest

from workbench.errors import InvalidArgumentError
from workbench.language_model.board_probe import control_labels, fit_probe

LABELS, VALUES = 5, 4


def one_hot(labels):
    return np.eye(VALUES, dtype=np.float32)[labels].reshape(len(labels), -1)


def test_labels_that_the_vectors_hold_linearly_are_found_on_other_rows():
    generator = np.random.default_rng(0)
    labels = generator.integers(VALUES, size=(600, LABELS))
    mixing = generator.normal(size=(LABELS * VALUES, 24)).astype(np.float32)
    vectors = one_hot(labels) @ mixing + 3
    probe = fit_probe(vectors[:400], labels[:400], VALUES, iterations=60)
    assert (probe.answers(vectors[400:]) == labels[400:]).all()


def test_it_is_logistic_regression():
    """One binary feature saturates the model: its odds are those of the four counts."""
    vectors = np.repeat(np.array([[0.0], [0.0], [1.0], [1.0]], np.float32), [30, 10, 5, 15], axis=0)
    labels = np.repeat([0, 1, 0, 1], [30, 10, 5, 15])[:, None]
    probe = fit_probe(vectors, labels, 2, penalty=1e-9, iterations=200)
    slope = probe.weights[0, 0, 1] - probe.weights[0, 0, 0]
    intercept = probe.intercepts[0, 1] - probe.intercepts[0, 0]
    assert intercept == pytest.approx(math.log(10 / 30), abs=1e-3)
    assert intercept + slope == pytest.approx(math.log(15 / 5), abs=1e-3)


def test_vectors_that_say_nothing_give_the_most_frequent_value():
    vectors = np.ones((50, 3), np.float32)
    labels = np.repeat([[2, 0], [1, 3]], [30, 20], axis=0)
    probe = fit_probe(vectors, labels, VALUES)
    assert probe.answers(np.zeros((2, 3), np.float32)).tolist() == [[2, 0], [2, 0]]


def test_a_direction_given_twice_changes_no_answer():
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(200, 6)).astype(np.float32)
    labels = (vectors[:, :2] > 0.3).astype(np.int64)
    twice = np.concatenate([vectors, vectors[:, :1]], axis=1)
    one = fit_probe(vectors, labels, 2, iterations=100).answers(vectors)
    other = fit_probe(twice, labels, 2, iterations=100).answers(twice)
    assert (one == other).mean() > 0.99


@pytest.mark.parametrize(
    ("vectors", "labels", "given"),
    [
        (np.ones((3, 2)), np.zeros((4, 1), int), {}),
        (np.ones((3, 2)), np.full((3, 1), 2), {}),
        (np.ones((3, 2)), np.zeros((3, 1), int), {"penalty": 0.0}),
        (np.ones((3, 2)), np.zeros((3, 1), int), {"iterations": 0}),
    ],
)
def test_arguments_out_of_range_are_refused(vectors, labels, given):
    with pytest.raises(InvalidArgumentError, match="expected"):
        fit_probe(vectors.astype(np.float32), labels, 2, **given)


def test_selectivity_of_planted_states():
    """States that are the task, the control task, and nothing: selectivity of 1, -1 and 0, but for chance."""
    generator = np.random.default_rng(2)
    rows, values = 3000, 13
    task = generator.integers(1, values, rows)
    labels = control_labels(task, seed=3)
    assert (labels == control_labels(task, seed=3)).all()
    assert (labels != control_labels(task, seed=4)).mean() > 0.5
    assert set(labels.ravel().tolist()) == set(range(1, values))
    control = labels[tuple(generator.integers(64, size=(2, rows)))]
    fit, rest = slice(2000), slice(2000, None)

    def share(vectors, answers):
        probe = fit_probe(vectors[fit], answers[fit, None], values, iterations=40)
        return (probe.answers(vectors[rest])[:, 0] == answers[rest]).mean()

    known = np.eye(values, dtype=np.float32)
    for states, expected in ((known[task], 1), (known[control], -1), (np.ones((rows, 2), "f"), 0)):
        chance = 1 / (values - 1)
        selectivity = share(states, task) - share(states, control)
        assert abs(selectivity - expected * (1 - chance)) < 0.04

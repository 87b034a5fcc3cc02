"""One model in several environments: means worked by hand, runs of the user's own, what is refused."""

import math

import pandas as pd
import pytest
from drawn import faults
from scipy.special import expit
from scipy.stats import t as student

from workbench.answers.model_replies import simulate
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score_file
from workbench.studies.environments import errors_by_length
from workbench.studies.environments.precision_by_environment import (
    SIX,
    conventions,
    own_runs,
    simulated_runs,
)
from workbench.tables.parquet_tables import PREDICTIONS, write_table

PARAMETERS = ScoringParameters(depth=2)


def predictions(name, groups, seed=0, model="simulated-one", task="state"):
    environment = environment_named(name)
    positions = sample_positions(environment, groups, 3, seed)
    return simulate(positions, rate=0.3, seed=seed, model_name=model, task=task)


@pytest.fixture(scope="module")
def runs():
    return simulated_runs(PARAMETERS, lengths=(2, 6), per_length=4, rate=0.2)


def test_means_worked_by_hand():
    """Four replies, one of a call that failed; two of them are of one episode."""
    scores = pd.DataFrame(
        {
            "model": "m",
            "task": "state",
            "length": [8, 8, 8, 8],
            "game": ["a", "a", "b", "c"],
            "group": [8, 8, 8, 8],
            "precision_2": [1.0, 0.5, 0.0, float("nan")],
            "recall_2": [1.0, 0.25, 0.0, float("nan")],
            "exact_match": [True, False, False, None],
            "levenshtein": [0, 2, 10, None],
            "true_state": ["1234567890", "12345", "12345", "12345"],
            "reply_class": ["valid", "ill_formed", "absent", "failed"],
            "unscored": ["", "", "", "the call failed"],
        }
    )
    table = errors_by_length.compute({"othello": scores}, depth=2)
    means = table.set_index("measure")["mean"]
    assert means.to_dict() == pytest.approx(
        {
            "precision": 0.5,
            "recall": 1.25 / 3,
            "exact_match": 1 / 3,
            "edit_distance": 4.0,
            "edit_share": (0 + 40 + 200) / 3,
        }
    )
    row = table.iloc[0]
    assert (row["title"], row["length"], row["count"], row["games"]) == ("Othello", 8, 3, 2)
    assert row[["valid", "ill_formed", "unparseable", "absent"]].tolist() == [1, 1, 0, 1]
    assert (row["failed"], row["unscored"]) == (1, 0)
    # The deviations of the games sum to 1/2 and -1/2, their squares are divided by 1/3 and 2/3, and
    # the logit's derivative at 1/2 is 4; 9/5 effective games.
    half = 4 * student.ppf(0.975, 0.8) * math.sqrt(9 / 8) / 3
    assert row["effective"] == pytest.approx(9 / 5)
    assert (row["low"], row["high"]) == pytest.approx(tuple(expit([-half, half])))
    with pytest.raises(InvalidArgumentError, match="'precision_3'"):
        errors_by_length.compute({"othello": scores}, depth=3)


def test_six_environments_at_the_same_lengths_in_actions(runs):
    assert tuple(runs.variants) == SIX
    table = errors_by_length.compute(runs.variants, depth=2)
    lengths = table.groupby("environment")["length"].unique().map(list).to_dict()
    assert lengths == {name: [2, 6] for name in SIX}
    assert (table["count"] == 4).all()
    counted = table[["valid", "ill_formed", "unparseable", "absent"]].sum(axis=1)
    assert (counted == table["count"]).all()
    for scores in runs.variants.values():
        assert (scores["ply"] == scores["length"]).all()
    assert "simulated" in runs.subject


def test_the_figure_says_that_it_is_simulated_and_nothing_is_cut_off(runs):
    table = errors_by_length.compute(runs.variants, depth=2)
    figure = errors_by_length.draw(table, runs.subject, conventions(PARAMETERS))
    assert "simulated tracker" in figure._suptitle.get_text()
    assert "ill-formed states: as they are" in figure._supxlabel.get_text().replace("\n", " ")
    titles = [axes.get_title().split(" (")[0].lower() for axes in figure.axes[:6]]
    assert titles == list(SIX)
    assert faults(figure) == []


def test_runs_of_the_users_own_are_scored_or_were(tmp_path):
    paths = []
    for name in ("othello", "planning"):
        paths.append(tmp_path / f"{name}.parquet")
        write_table(predictions(name, (3, 5)), paths[-1], PREDICTIONS)
    scored = tmp_path / "scored.parquet"
    score_file(paths[1], scored, PARAMETERS)
    found = own_runs(paths, PARAMETERS)
    again = own_runs([paths[0], scored], PARAMETERS)
    assert list(found.variants) == ["othello", "planning"]
    assert found.subject == "simulated-one"
    assert found.inputs == tuple(paths)
    for name in found.variants:
        kept = ["position_id", "precision_2", "levenshtein", "length"]
        pd.testing.assert_frame_equal(found.variants[name][kept], again.variants[name][kept])
    assert set(found.variants["planning"]["length"]) == {3, 5}


@pytest.mark.parametrize(
    ("task", "measures", "depth"),
    [("actions", ["precision", "recall"], 1), ("continuation", ["precision"], 2)],
)
def test_other_tasks_have_what_they_define(tmp_path, task, measures, depth):
    path = tmp_path / "listed.parquet"
    write_table(predictions("othello", (3, 5), task=task), path, PREDICTIONS)
    found = own_runs([path], PARAMETERS)
    table = errors_by_length.compute(found.variants, depth=2)
    assert list(table["measure"].unique()) == measures
    assert set(table["depth"]) == {depth}
    for length, part in found.variants["othello"].groupby("length"):
        mean = table[(table["length"] == length) & (table["measure"] == "precision")]["mean"]
        assert mean.item() == pytest.approx(part[f"precision_{depth}"].mean())
    figure = errors_by_length.draw(table, found.subject)
    assert f"task {task}" in figure._suptitle.get_text()
    assert faults(figure) == []


def test_what_is_no_run_of_one_model_is_refused(tmp_path):
    one, other, listed = (tmp_path / f"{name}.parquet" for name in ("one", "other", "listed"))
    write_table(predictions("othello", (3,)), one, PREDICTIONS)
    write_table(predictions("planning", (3,), model="simulated-two"), other, PREDICTIONS)
    write_table(predictions("planning", (3,), task="actions"), listed, PREDICTIONS)
    with pytest.raises(InvalidArgumentError, match="a second one of 'othello'"):
        own_runs([one, one], PARAMETERS)
    with pytest.raises(InvalidArgumentError, match="runs of one model, got simulated-one, simu"):
        own_runs([one, other], PARAMETERS)
    with pytest.raises(InvalidArgumentError, match="planning: expected replies of simulated-one"):
        own_runs([one, other], PARAMETERS, model="simulated-one")
    with pytest.raises(InvalidArgumentError, match=r"one task, got tasks \['actions', 'state'\]"):
        own_runs([one, listed], PARAMETERS)
    with pytest.raises(InvalidArgumentError, match=r"multiples of 2 actions, got \[3\]"):
        simulated_runs(PARAMETERS, names=["chess"], lengths=(2, 3))
    with pytest.raises(InvalidArgumentError, match="names of environments"):
        simulated_runs(PARAMETERS, names=[])

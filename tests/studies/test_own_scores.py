"""Scores that were made before, drawn where they are what a study asks for, and else refused."""

import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError, RunMismatchError, TableError
from workbench.headless.figure_run import make_figures
from workbench.scoring import ScoringParameters, score_file
from workbench.scoring.score_tables import read_scores
from workbench.studies.data import Source, prepare
from workbench.studies.models.model_scores import Simulation, compare_models
from workbench.tables.parquet_tables import PREDICTIONS, write_table

DEPTH_2 = ScoringParameters(depth=2)


@pytest.fixture
def given(predictions, tmp_path):
    path = tmp_path / "predictions.parquet"
    write_table(predictions, path, PREDICTIONS)

    def scored(**parameters):
        out = tmp_path / f"{len(list(tmp_path.glob('*-scores.parquet')))}-scores.parquet"
        return score_file(path, out, ScoringParameters(**parameters)), out

    return path, scored


def test_scores_of_the_same_parameters_are_drawn_and_not_made_again(given, tmp_path):
    path, scored = given
    made, scores = scored(depth=2)
    source = Source(scores=str(scores), model="by hand")
    found = prepare(tmp_path / "tables", source, DEPTH_2)
    drawn = found.variants["groups of the predictions"]
    pd.testing.assert_frame_equal(drawn.drop(columns="game"), made)
    # Without the moves: as the scores name them, and the caption says so.
    assert list(drawn["game"]) == list(made["game_id"])
    assert "0-scores.parquet, which are told apart by their game_id" in found.describe()
    assert found.inputs == (scores,)
    arguments = (str(path), Simulation(), DEPTH_2)
    compared = compare_models(tmp_path / "tables", *arguments, scores=str(scores))
    assert not (tmp_path / "tables").exists()
    assert compared.inputs == (path, scores)
    assert compared.scores.equals(compare_models(tmp_path / "tables", *arguments).scores)


def test_deeper_scores_hold_what_is_drawn(given):
    _, scored = given
    shallow, _ = scored(depth=1)
    _, deep = scored(depth=3)
    pd.testing.assert_frame_equal(read_scores(deep, ScoringParameters(depth=1)), shallow)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"depth": 1}, r"depth: expected 2, got a table without 'precision_2'"),
        ({"terminal": "drop"}, "terminal: expected 'absorb', got 'drop'"),
        (
            {"ill_formed": "sink", "method": "stratified", "samples": 8, "batches": 2},
            "ill_formed: expected 'as_is', got 'sink'; method: expected 'exact', got 'stratified'",
        ),
    ],
)
def test_other_parameters_are_named(given, parameters, said):
    _, scored = given
    _, scores = scored(**{"depth": 2, **parameters})
    with pytest.raises(RunMismatchError, match=said):
        read_scores(scores, DEPTH_2)


def test_what_is_no_scores_table_is_named(given, tmp_path):
    path, scored = given
    with pytest.raises(TableError, match="got predictions, which are not scored"):
        read_scores(path, DEPTH_2)
    _, scores = scored(depth=2)
    empty = tmp_path / "empty.parquet"
    pd.read_parquet(scores).iloc[:0].to_parquet(empty)
    with pytest.raises(TableError, match=r"empty\.parquet: expected a scores table with rows"):
        read_scores(empty, DEPTH_2)


def test_models_are_compared_with_the_predictions_that_were_scored(given, predictions, tmp_path):
    _, scored = given
    _, scores = scored(depth=2)
    other = tmp_path / "other.parquet"
    write_table(predictions.iloc[:3], other, PREDICTIONS)
    with pytest.raises(InvalidArgumentError, match="the one predictions table that these scores"):
        compare_models(tmp_path, [str(other)] * 2, Simulation(), DEPTH_2, scores=str(scores))
    with pytest.raises(RunMismatchError, match=r"scores made from .*other\.parquet"):
        compare_models(tmp_path, str(other), Simulation(), DEPTH_2, scores=str(scores))


def test_models_are_compared_without_their_predictions(given, predictions, tmp_path):
    path, scored = given
    made, scores = scored(depth=2)
    alone = compare_models(tmp_path, [], Simulation(), DEPTH_2, scores=str(scores))
    assert list(alone.scores["game"]) == list(made["game_id"])
    assert "0-scores.parquet, whose games are told apart by their game_id" in alone.describe()
    assert alone.inputs == (scores,)
    both = compare_models(tmp_path, str(path), Simulation(), DEPTH_2, scores=str(scores))
    pd.testing.assert_frame_equal(
        alone.scores.drop(columns="game"), both.scores.drop(columns="game")
    )


def test_a_position_without_a_game_is_one_also_without_predictions(predictions, tmp_path):
    path, out = tmp_path / "predictions.parquet", tmp_path / "scores.parquet"
    write_table(predictions.assign(game_id=None), path, PREDICTIONS)
    made = score_file(path, out, DEPTH_2)
    alone = compare_models(tmp_path, [], Simulation(), DEPTH_2, scores=str(out))
    assert list(alone.scores["game"]) == list(made["position_id"])


@pytest.mark.slow
def test_figures_are_drawn_from_scores_and_others_refused_before_a_notebook_starts(
    given, predictions, tmp_path
):
    path, scored = given
    _, scores = scored(depth=2)
    out = tmp_path / "out"
    only = ["kendall_tau"]
    with pytest.raises(RunMismatchError, match="depth: expected 4"):
        make_figures(only=only, scores=scores, out=out)
    write_table(predictions.iloc[:3], tmp_path / "other.parquet", PREDICTIONS)
    with pytest.raises(RunMismatchError, match="expected scores made from"):
        make_figures(
            only=["explore_run"], scores=scores, predictions=tmp_path / "other.parquet", out=out
        )
    assert not out.exists()
    given = {"depth": 2}
    (run,) = make_figures(only=only, parameters=given, scores=scores, predictions=path, out=out)
    assert run.error == ""
    assert not (out / "tables").exists()
    assert '"0-scores.parquet"' in (out / "03_kendall_tau.json").read_text()


def test_a_reply_counts_once_or_the_study_refuses_the_table(predictions, tmp_path):
    path = tmp_path / "twice.parquet"
    write_table(pd.concat([predictions, predictions.iloc[1:3]]), path, PREDICTIONS)
    scores = tmp_path / "scores.parquet"
    score_file(path, scores, DEPTH_2)
    for source in (Source(predictions=str(path)), Source(scores=str(scores))):
        with pytest.raises(TableError, match=r"2 rows again, the first in row 6: .*'game001-002'"):
            prepare(tmp_path / "tables", source, DEPTH_2)


def test_positions_of_unknown_length_are_in_a_group_of_their_own(predictions, tmp_path):
    path = tmp_path / "predictions.parquet"
    write_table(predictions.assign(ply=[None, *predictions["ply"][1:]]), path, PREDICTIONS)
    found = prepare(tmp_path / "tables", Source(predictions=str(path)), DEPTH_2)
    bands = found.variants["bands of 5 full moves"]["group"]
    # Of plies 10 and 12.
    assert bands.tolist() == [0, 5, 5, 10, 10, 10]

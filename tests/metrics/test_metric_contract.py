"""Every metric alike: names, range, direction, undefined values, and rows computed as columns are."""

import math

import numpy as np
import pyarrow as pa
import pytest

from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.metrics import (
    column_values,
    find_metric,
    metric_of,
    metrics,
    pair_values,
    range_of,
    score_metrics,
)
from workbench.scoring import ScoringParameters, score_predictions, scores_schema
from workbench.scoring.single_pair import compare
from workbench.tables.parquet_tables import PREDICTIONS

DEPTH = 3
ENVIRONMENTS = ("chess", "othello", "boxes", "sokoban", "planning:gripper", "programs")
TEXTS = ("I do not know.", "", "8/8", "rnbqkbnr/pppppppp w")


def rows_of(environment):
    """Predictions of an environment: the true state, tracked ones, texts, a failed call, no truth."""
    rows = []
    episodes = zip(range(6), environment.episodes(6, seed=4), strict=False)
    for number, episode in episodes:
        tracked = environment.track(episode.initial, episode.actions, rate=0.4, seed=number)
        true = episode.true
        for reply in (true, tracked, TEXTS[number % len(TEXTS)]):
            found = environment.classify_state(reply)
            rows.append(row(environment, episode, len(rows), true, **found.columns()))
    failed = {"reply_class": "failed", "predicted_state": None, "reason": "call failed: no answer"}
    rows.append(row(environment, episode, len(rows), true, **failed))
    none = environment.classify_state(true).columns()
    rows.append(row(environment, episode, len(rows), "no state at all", **none))
    return pa.Table.from_pylist(rows, schema=PREDICTIONS).to_pandas()


def row(environment, episode, number, true, **found):
    return {
        "position_id": f"position {number}", "environment": environment.name, "game_id": "game",
        "source": "", "group": 6, "ply": 6, "set": "", "task": "state", "model": "model",
        "setting": "", "sample": 0, "initial_state": episode.initial, "true_state": true,
        "moves": environment.separator.join(episode.actions), "status": "", "reason": "", **found,
    }  # fmt: skip


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def environment(request):
    return environment_named(request.param)


@pytest.fixture(scope="module")
def scores(environment):
    return score_predictions(rows_of(environment), ScoringParameters(depth=DEPTH))


def floats(scores, name):
    return scores[name].astype(float).to_numpy(np.float64)


def columns_of(scores, environment):
    known = metrics(environment, DEPTH)
    return {name: floats(scores, name) for name in known if name in scores}


def test_every_metric_names_itself(environment):
    found = metrics(environment, DEPTH)
    for column, metric in found.items():
        assert metric.column == column
        assert metric.title == metric.title.strip() != ""
        assert metric.sentence.endswith(".")
        assert metric.sentence.count(".") >= 1
        assert metric.unit
        assert metric.direction in ("higher", "lower", "none")
        assert metric.range[0] < metric.range[1]
        assert metric.digits >= 0
        assert metric.heading
        assert metric.look.colour.startswith("#")
        assert find_metric(column, environment).label == metric.label
    titles = [metric.label for metric in found.values()]
    assert len(set(titles)) == len(titles)


def test_scores_have_the_columns_of_the_metrics(environment, scores):
    names = [each.column for each in score_metrics(environment, DEPTH)]
    schema = scores_schema(ScoringParameters(depth=DEPTH), environment)
    assert list(scores.columns) == schema.names
    assert [name for name in schema.names if name in names] == names
    assert [schema.field(each.column).type for each in score_metrics(environment, DEPTH)] == [
        each.type for each in score_metrics(environment, DEPTH)
    ]


def test_the_same_states_have_the_best_value(environment, scores):
    same = scores[(scores["exact_match"] == True) & (scores["unscored"] == "")]  # noqa: E712
    assert len(same) >= 6
    for metric in score_metrics(environment, DEPTH):
        best = {"higher": metric.range[1], "lower": metric.range[0]}.get(metric.direction)
        if best is not None:
            assert same[metric.column].astype(float).tolist() == [best] * len(same), metric.name


def test_values_are_in_range_and_undefined_only_where_that_is_said(environment, scores):
    scored = scores["unscored"] == ""
    assert (~scored).sum() == 2
    for metric in score_metrics(environment, DEPTH):
        values = floats(scores, metric.column)
        defined = values[~np.isnan(values)]
        assert ((defined >= metric.range[0]) & (defined <= metric.range[1])).all()
        assert range_of(metric.column) == metric.range
        assert np.isnan(values[~scored]).all()
        if metric.defined:
            assert not np.isnan(values[scored]).any()


def test_a_metric_of_columns_is_the_same_row_by_row_as_for_all_rows(environment, scores):
    columns = columns_of(scores, environment)
    of_columns = [each for each in metrics(environment, DEPTH).values() if each.needs == "columns"]
    assert len(of_columns) == DEPTH + 4
    for metric in of_columns:
        together = column_values(metric, columns)
        alone = [
            column_values(metric, {name: values[[place]] for name, values in columns.items()})[0]
            for place in range(len(scores))
        ]
        np.testing.assert_array_equal(together, alone)
        if metric.scored:
            np.testing.assert_array_equal(together, columns[metric.column])


def test_a_single_pair_has_the_values_of_its_row(environment, scores):
    """The table and `workbench compare` give every metric alike."""
    readable = scores[
        scores["unscored"].eq("") & scores["reply_class"].isin(["valid", "ill_formed"])
    ]
    assert len(readable) > 6
    for one in readable.iloc[:5].to_dict("records"):
        result = compare(
            one["true_state"], one["predicted_state"], ScoringParameters(depth=DEPTH),
            environment.name,
        )  # fmt: skip
        for metric in score_metrics(environment, DEPTH):
            value = (
                result[metric.name][metric.depth - 1] if metric.by_depth else result[metric.name]
            )
            expected = one[metric.column]
            assert (value is None and math.isnan(expected)) or value == pytest.approx(expected)


def test_an_element_that_is_mended_makes_no_metric_of_the_texts_worse():
    """A rook put back: every metric of the texts is at least as good."""
    chess = environment_named("chess")
    true = chess.parse_true("4k3/8/8/8/8/8/8/RN2K2R w KQ - 3 20")
    worse, better = (
        pair_values(chess, true, chess.parse(text))
        for text in ("4k3/8/8/8/8/8/8/1N2K3 w - - 3 20", "4k3/8/8/8/8/8/8/RN2K3 w Q - 3 20")
    )
    strictly = set()
    for name in worse:
        direction = {"higher": 1, "lower": -1, "none": 0}[metric_of(name).direction]
        assert direction * better[name] >= direction * worse[name]
        if direction * better[name] > direction * worse[name]:
            strictly.add(name)
    own = {"levenshtein", "levenshtein_position", "levenshtein_placement", "board_accuracy"}
    assert strictly >= own


def test_an_affordance_that_is_mended_makes_no_metric_worse():
    values = np.array([0.2, 0.5, 0.7, 1.0])
    for metric in metrics("chess", 2).values():
        if metric.needs == "columns" and metric.scored:
            columns = {
                f"{name}_{m}": np.full(4, 0.5) for name in ("precision", "recall") for m in (1, 2)
            }
            side = "recall" if metric.name == "recall_mean" else "precision"
            columns[f"{side}_{metric.depth}"] = values
            assert (np.diff(column_values(metric, columns)) > 0).all()


def test_an_estimator_gives_f_with_its_error_and_no_mean(environment):
    names = [each.column for each in score_metrics(environment, DEPTH, exact=False)]
    assert names[:6] == [
        f"{name}_{DEPTH}{end}" for name in ("precision", "recall", "f") for end in ("", "_standard_error")
    ]  # fmt: skip
    assert not [name for name in names if name.endswith("_mean")]
    assert metric_of(f"f_{DEPTH}_standard_error").range == (0.0, math.inf)


def test_metrics_by_column():
    assert list(metrics("othello", 2))[:9] == [
        "precision_1", "precision_2", "recall_1", "recall_2", "f_1", "f_2", "precision_mean",
        "recall_mean", "f_mean",
    ]  # fmt: skip
    assert metric_of("f_2").heading == "F_2"
    assert metric_of("precision_4").label == "state precision p_4"
    assert metric_of("levenshtein").heading == metric_of("levenshtein").label == "edit distance"
    assert {"board_accuracy", "element_accuracy", "correct_castling"} <= metrics().keys()
    assert "board_accuracy" not in metrics("boxes")
    assert range_of("levenshtein_readable") == (0.0, math.inf)
    assert range_of("share_of_anything") == (0.0, 1.0)


@pytest.mark.parametrize(
    "column", ["precise_4", "levenshtein_4", "group", "exact_match_standard_error"]
)
def test_a_column_of_no_metric_is_refused_by_name(column):
    with pytest.raises(InvalidArgumentError, match=f"'{column}'"):
        metric_of(column)

"""Figures of any scores: what is drawn is the summary, with names on every axis."""

import chess
import pytest
from matplotlib.figure import Figure

import workbench
from workbench.errors import InvalidArgumentError

START = chess.STARTING_FEN


@pytest.fixture(scope="module")
def scores():
    replies = workbench.recorded_replies(models=("o3-2025-04-16", "gpt-4.1-2025-04-14"))
    return workbench.score(replies[replies["position_id"].str.endswith(("0", "1"))], depth=2)


def lines(figure):
    """The marked points of each line with error bars, by label."""
    axes = figure.axes[0]
    return {box.get_label(): box.lines[0].get_ydata().tolist() for box in axes.containers}


def test_the_curve_is_the_summary_by_length(scores):
    table = workbench.summary(scores, by=["model", "group"])
    drawn = lines(workbench.plot(scores))
    assert len(drawn) == 2
    expected = [part["precision_2"].tolist() for _, part in table.groupby("model")]
    assert sorted(drawn.values()) == sorted(expected)


def test_one_model_has_precision_and_recall(scores):
    one = scores[scores["model"] == "o3-2025-04-16"]
    figure = workbench.plot(one)
    assert [label.split()[1] for label in lines(figure)] == ["precision", "recall"]
    assert figure.axes[0].get_xlabel().startswith("full moves played")


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["f_2", "levenshtein", "board_accuracy", "exact_match"])
def test_any_metric_can_be_drawn(scores, metric):
    drawn = lines(workbench.plot(scores, metric))
    table = workbench.summary(scores, by=["model", "group"], metrics=[metric])
    first = table[table["model"] == table["model"][0]][metric].tolist()
    assert first in list(drawn.values())


def test_a_column_of_ones_own_is_drawn_with_its_own_name(scores):
    own = scores.assign(seconds_spent=scores["ply"] * 1.5, prompt="a")
    figure = workbench.plot(own, "seconds_spent", by="prompt")
    assert "seconds spent" in figure.axes[0].get_ylabel()


def test_models_are_in_order_of_their_means(scores):
    figure = workbench.plot.models(scores)
    table = workbench.summary(scores).sort_values("precision_2")
    drawn = [box.lines[0].get_xdata()[0] for box in figure.axes[0].containers]
    assert drawn == table["precision_2"].tolist()
    lower = workbench.plot.models(scores, "levenshtein")
    drawn = [box.lines[0].get_xdata()[0] for box in lower.axes[0].containers]
    assert drawn == sorted(drawn, reverse=True)


def test_classes_are_shares_that_add_up(scores):
    axes = workbench.plot.classes(scores).axes[0]
    ends = {round(bar.get_x() + bar.get_width(), 9) for bar in axes.containers[-1]}
    assert ends == {1.0}


def test_tau_is_drawn_for_each_length(scores):
    figure = workbench.plot.tau(scores)
    assert isinstance(figure, Figure)
    assert any("tau" in axes.get_ylabel() or "τ" in axes.get_ylabel() for axes in figure.axes)


def test_rows_of_one_length_are_drawn_as_points():
    frame = [{"fen": START, "reply": START, "model": name, "game": name} for name in "abc"]
    figure = workbench.plot(workbench.score(frame, depth=1))
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["othello", "boxes"])
def test_other_environments_have_their_own_words(name):
    rows = workbench.positions(6, name).assign(reply=lambda table: table["true_state"])
    figure = workbench.plot(workbench.score(rows, depth=1))
    assert "full moves" not in figure.axes[0].get_xlabel()


@pytest.mark.parametrize(
    "call",
    [
        lambda s: workbench.plot(s, "presicion_2"),
        lambda s: workbench.plot(s, by="modle"),
        lambda s: workbench.plot.models(s, "x"),
        lambda s: workbench.plot.classes(s, by="x"),
        lambda s: workbench.plot([{"fen": START, "reply": START}]),
    ],
)
def test_wrong_calls_name_the_columns(call, scores):
    with pytest.raises(InvalidArgumentError, match="columns"):
        call(scores)


def test_a_notebook_shows_what_a_cell_returns(scores):
    picture = workbench.plot(scores)._repr_png_()
    assert picture.startswith(b"\x89PNG")

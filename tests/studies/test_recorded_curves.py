"""Agreement and means by length of recorded replies, against an independent computation."""

import pandas as pd
import pytest

from workbench.answers import recorded_replies as module
from workbench.answers.recorded_replies import BASELINE, WORLD_CUP, recorded_replies
from workbench.drawing.quantities import QUANTITIES
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score_file
from workbench.statistics.intervals import clustered_mean_interval
from workbench.studies.data import DEFAULT_MODEL, Source, prepare
from workbench.studies.paper import kendall_tau, mean_precision
from workbench.tables.parquet_tables import PREDICTIONS, write_table

GPT_4O = "gpt-4o-2024-08-06"
DEPTH_4 = ScoringParameters(depth=4)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The default of the studies, of three models alone: the others are of no interest here."""
    folder = tmp_path_factory.mktemp("recorded")
    few = folder / "replies.parquet"
    replies = recorded_replies((WORLD_CUP,), [DEFAULT_MODEL, BASELINE, GPT_4O])
    write_table(replies, few, PREDICTIONS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_REPLIES", few)
        yield prepare(folder / "tables", Source(), DEPTH_4)


@pytest.mark.slow
def test_the_default_model_stands_alone_and_those_with_enough_replies_are_compared(data):
    assert set(data.variants["bands of 10 full moves"]["model"]) == {DEFAULT_MODEL}
    assert data.models.groupby("model").size().to_dict() == {DEFAULT_MODEL: 1000, BASELINE: 1000}
    assert f"fewer than 1000 replies: {GPT_4O} (200)" in data.describe()
    assert "1000 positions of 20 games" in data.describe()
    assert data.subject == f"{DEFAULT_MODEL} on World Cup games"
    for name, width in (("bands of 10 full moves", 10), ("bands of 5 full moves", 5)):
        bands = data.variants[name].groupby("group")["ply"].agg(["min", "max"])
        assert list(bands["max"]) == [2 * edge for edge in bands.index]
        assert list(bands["min"]) == [2 * (edge - width) + 1 for edge in bands.index]


def test_tau_is_as_computed_elsewhere(data):
    table = kendall_tau.compute(data.variants["bands of 10 full moves"])
    assert table["group"].tolist() == ["10", "20", "30", "40", "50", "overall"]
    known = [0.5276, 0.5567, 0.4180, 0.3743, 0.2688, 0.5686]
    assert table["tau"].tolist() == pytest.approx(known, abs=5e-5)
    assert table["games"].iloc[-1] == 20
    assert (table["low"] < table["tau"]).all()
    assert (table["tau"] < table["high"]).all()


def test_means_are_as_computed_elsewhere(data):
    table = mean_precision.compute(data.variants)
    for _, bands in table.groupby("variant"):
        overall = bands.groupby("measure")["mean"].mean()
        # Every band has as many positions.
        assert overall.to_dict() == pytest.approx({"precision": 0.1352, "recall": 0.1397}, abs=5e-5)
    of_baseline = mean_precision.compute({"": data.models}, each_model=True)
    of_baseline = of_baseline[(of_baseline["model"] == BASELINE)]
    mean = of_baseline.groupby("measure")["mean"].mean()["precision"]
    assert mean == pytest.approx(0.017, abs=5e-4)


@pytest.mark.slow
def test_intervals_by_game_are_wider_than_by_row(data):
    scores = data.variants["bands of 10 full moves"]
    by_game = mean_precision.compute({"": scores}).iloc[0]
    short = scores[scores["group"] == 10]
    by_row = clustered_mean_interval(short["precision_4"], short["position_id"])
    assert by_game["high"] - by_game["low"] > 1.2 * (by_row.high - by_row.low)


@pytest.mark.slow
def test_both_figures_show_the_model_above_and_all_below(data):
    first, scores = next(iter(data.variants.items()))
    for study, one, models in (
        (kendall_tau, scores, data.models),
        (mean_precision, data.variants, {first: data.models}),
    ):
        tables = (
            study.compute(one),
            study.compute(models, each_model=True),
        )
        figure = study.draw(tables[0], data.describe(), data.subject, tables[1])
        title = " ".join(figure.get_suptitle().split())
        assert title.startswith(f"{DEFAULT_MODEL} on World Cup games: ")
        assert title.endswith("below, 1 model and the baseline")
        below = [text.get_text() for axes in figure.axes for text in axes.texts]
        below += [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
        assert {DEFAULT_MODEL, BASELINE} <= set(below)


def test_bands_are_named_by_their_upper_edge_and_no_bar_is_clipped(data):
    first = next(iter(data.variants))
    means = mean_precision.compute(data.variants)
    models = mean_precision.compute({first: data.models}, each_model=True)
    figure = mean_precision.draw(means, "", "", models)
    assert {axes.get_xlabel() for axes in figure.axes} == {
        "full moves played (upper edge of each band)"
    }
    ends = models["low"][(models["measure"] == "precision") & (models["low"] > 0)]
    assert figure.axes[-1].get_ylim()[0] < ends.min()
    cut = means.assign(in_bands=False)
    assert mean_precision.draw(cut).axes[0].get_xlabel() == "full moves played"
    taus = kendall_tau.draw(kendall_tau.compute(data.variants[first]))
    assert taus.axes[0].get_xlabel().startswith("full moves played (upper edge of each band)")


def test_precision_and_recall_look_alike_whoever_replied(data):
    """Before, p_4 was a solid circle for a recorded model and a dashed square for others."""
    means = mean_precision.compute(data.variants)
    looks = [
        [
            (line.get_marker(), line.get_linestyle(), line.get_color())
            for line in (container[0] for container in figure.axes[0].containers)
        ]
        for figure in (mean_precision.draw(means), mean_precision.draw(means.assign(model="mine")))
    ]
    wanted = [QUANTITIES[name].look for name in ("precision", "recall")]
    assert looks == [[(look.marker, look.line, look.colour) for look in wanted]] * 2


@pytest.mark.slow
def test_games_of_given_predictions_are_found_by_their_moves(data, tmp_path):
    path, scores = tmp_path / "given.parquet", tmp_path / "scores.parquet"
    replies = recorded_replies((WORLD_CUP,), [BASELINE]).assign(setting="quick")
    write_table(pd.concat([replies, replies.assign(setting="")]), path, PREDICTIONS)
    parameters = ScoringParameters(depth=1)
    score_file(path, scores, parameters)
    for source, games in (
        (Source(predictions=str(path)), 20),
        (Source(predictions=str(path), scores=str(scores)), 20),
        # Each names the moves so far.
        (Source(scores=str(scores)), replies["game_id"].nunique()),
    ):
        given = prepare(tmp_path / "tables", source, parameters)
        assert given.models["game"].nunique() == games
        assert set(given.models["model"]) == {BASELINE, f"{BASELINE}, quick"}


@pytest.mark.slow
def test_other_names_are_refused(data, tmp_path):
    with pytest.raises(
        InvalidArgumentError, match=r"'recorded', 'simulated', 'tiny'.*, got 'real'"
    ):
        Source(replies="real")
    with pytest.raises(InvalidArgumentError, match=r"replies\.parquet: expected rows of model 'x'"):
        prepare(tmp_path, Source(model="x"), ScoringParameters(depth=1))

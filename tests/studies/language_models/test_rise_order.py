"""When a measure has covered half of its way, by hand; and means along checkpoints."""

import numpy as np
import pandas as pd
import pytest

from workbench.answers.recorded_replies import BASELINE
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters
from workbench.studies.data import Source
from workbench.studies.language_models import emergence
from workbench.studies.language_models.checkpoint_scores import (
    course,
    scores_of_models,
    scores_of_trackers,
)
from workbench.studies.language_models.emergence import half_way

STEPS = np.array([100.0, 200.0, 400.0, 800.0])


@pytest.mark.parametrize(
    ("means", "start", "expected"),
    [
        # 0.5 is reached between 0.25 and 0.75, half of the way from 200 to 400 on a logarithmic axis.
        ([0.0, 0.25, 0.75, 1.0], 0.0, np.sqrt(200 * 400)),
        # An edit distance falls: from 40 to 0, and is 20 at 200.
        ([30.0, 20.0, 10.0, 0.0], 40.0, 200),
        # Beyond half from the first checkpoint on.
        ([0.9, 0.9, 0.9, 1.0], 0.0, 100),
        # Half of what it reaches in the end, which is 0.2.
        ([0.0, 0.0, 0.1, 0.2], 0.0, 400),
        # It went nowhere.
        ([0.3, 0.2, 0.1, 0.5], 0.5, np.nan),
    ],
)
def test_half_way(means, start, expected):
    found = half_way(STEPS, np.array([means]), np.array([start]))
    assert found == pytest.approx([expected], nan_ok=True)


def scores():
    """Two lengths, four games each; squares rise before exact boards do."""
    rows = []
    squares = {BASELINE: 0.5, "m@100": 0.9, "m@200": 0.95, "m@400": 1.0, "m": 1.0}
    exact = {BASELINE: 0.0, "m@100": 0.0, "m@200": 0.0, "m@400": 0.5, "m": 1.0}
    for model in squares:
        for game in range(8):
            right = float(game % 4 < 4 * exact[model])
            rows.append(
                {
                    "model": model,
                    "position_id": f"p{game}",
                    "game": f"g{game}",
                    "group": 5 if game < 4 else 50,
                    "squares": squares[model],
                    "exact_match_position": right,
                    "precision_2": right,
                    "recall_2": right,
                    "levenshtein": 40 * (1 - right),
                    "ill_formed": 0.0,
                    "unreadable": 0.0,
                }
            )
    return pd.DataFrame(rows)


RUN = {"m@100": 100, "m@200": 200, "m@400": 400, "m": 800}


def test_squares_rise_before_boards():
    table = emergence.compute_rises(scores(), RUN, depth=2, resamples=50)
    by = table.set_index(["length", "measure"])
    for length in (5, 50):
        assert by.loc[(length, "squares"), "step"] == 100
        assert by.loc[(length, "squares"), "earliest"]
        assert by.loc[(length, "exact_match_position"), "step"] == pytest.approx(400)
        assert not by.loc[(length, "exact_match_position"), "earliest"]
    assert set(table["count"]) == {4}
    assert emergence.draw_rises(table, "m") is not None


def trackers():
    """The replies of the run above, as if trackers of four slip rates had written them."""
    rates = {"m@100": 0.4, "m@200": 0.2, "m@400": 0.1, "m": 0.05}
    rows = scores()
    rows = rows[rows["model"] != BASELINE]
    rate = rows["model"].map(rates)
    return rows.assign(rate=rate, model=rate.map("simulated-tracker rate={}".format))


def test_the_control_is_measured_by_the_code_of_the_training():
    """Rates that halve lie like steps that double: half-ways are at the same places, in plies a slip."""
    everything = scores()
    baseline = everything[everything["model"] == BASELINE]
    table = emergence.compute_rises(everything, RUN, depth=2, resamples=50)
    control = emergence.compute_rises_of_trackers(trackers(), baseline, depth=2, resamples=50)
    same = ["length", "measure", "later", "later_low", "later_high", "start", "end", "earliest"]
    pd.testing.assert_frame_equal(control[same], table[same])
    # 100 steps are 2.5 plies a slip.
    assert control["step"].tolist() == pytest.approx((table["step"] / 40).tolist())
    # Squares are halfway at the first checkpoint, and the edit distance at the third.
    distance = table[table["measure"] == "levenshtein"]
    assert distance["later"].tolist() == pytest.approx([4, 4])
    assert table[table["measure"] == "squares"]["later"].isna().all()


def test_the_control_has_a_panel_of_its_own_that_says_simulated():
    everything = scores()
    baseline = everything[everything["model"] == BASELINE]
    table = emergence.compute_rises(everything, RUN, depth=2, resamples=20)
    control = emergence.compute_rises_of_trackers(trackers(), baseline, depth=2, resamples=20)
    figure = emergence.draw_rises(table, "m", control=control)
    training, simulated = figure.axes
    assert ["simulated" in axes.get_title() for axes in (training, simulated)] == [False, True]
    label = simulated.xaxis.get_major_formatter()
    assert [label(plies, 0) for plies in (2, 10)] == ["0.5", "0.1"]
    marks = [line.get_xdata() for line in simulated.lines if line.get_marker() in MARKERS]
    assert np.concatenate(marks).tolist() == pytest.approx(
        control.sort_values(["measure", "length"], key=_in_order)["step"].tolist()
    )


MARKERS = {look.marker for _, look in emergence.MEASURES.values()}


def _in_order(column):
    return column.map(list(emergence.MEASURES).index) if column.name == "measure" else column


def test_simulated_trackers_answer_the_positions_of_the_model(tmp_path):
    source, parameters = Source(per_group=2, replies="tiny"), ScoringParameters(depth=1)
    of_model = scores_of_models(tmp_path, ["tiny"], source, parameters)
    found = scores_of_trackers(tmp_path, [1.0, 0.001], source, parameters)
    assert found["model"].unique().tolist() == [
        "simulated-tracker rate=1",
        "simulated-tracker rate=0.001",
    ]
    for _, tracker in found.groupby("rate"):
        assert set(tracker["position_id"]) == set(of_model["position_id"])
    assert found.groupby("rate")["squares"].mean().is_monotonic_decreasing
    # Where every ply is a slip, no board is exact; where hardly any is, hardly one is wrong.
    exact = found.groupby("rate")["exact_match_position"].mean()
    assert exact[1.0] == 0
    assert exact[0.001] > 0.8


def test_boards_with_losses_lack_pieces_and_nothing_else(tmp_path):
    source, parameters = Source(per_group=2, replies="tiny"), ScoringParameters(depth=1)
    found = scores_of_trackers(tmp_path, [1.0, 0.3, 0.0], source, parameters, losses=True)
    assert found["model"].str.startswith("simulated").all()
    rows = found.groupby("rate")
    # At 1 only the kings are left; at 0 the boards are right.
    for row in rows.get_group(1.0).itertuples():
        assert row.missing_pieces == sum(map(str.isalpha, row.true_state.split()[0])) - 2
    assert rows.get_group(0.0)["exact_match_position"].all()
    assert (rows.get_group(0.0)["missing_pieces"] == 0).all()
    some = rows.get_group(0.3)
    assert (some["missing_pieces"] > 0).all()
    assert (some["squares"] == 1 - some["missing_pieces"] / 64).all()
    assert some["precision_1"].mean() > some["recall_1"].mean()


def test_checkpoints_must_have_answered_the_same_positions():
    other = scores().replace({"position_id": {"p1": "p9"}}).iloc[:16]
    rest = scores().iloc[16:]
    with pytest.raises(InvalidArgumentError, match="same 4 positions"):
        emergence.compute_rises(pd.concat([other, rest]), RUN, depth=2, resamples=5)


def test_means_along_the_checkpoints():
    table = emergence.compute(scores(), RUN, depth=2)
    exact = table[(table["measure"] == "exact_match_position") & (table["length"] == "all")]
    assert exact.set_index("step")["mean"].to_dict() == {0: 0, 100: 0, 200: 0, 400: 0.5, 800: 1}
    half = exact[exact["step"] == 400].iloc[0]
    assert half["low"] < 0.5 < half["high"]
    assert set(table[table["length"] == "5"]["count"]) == {4}


def test_steps_are_shaded_until_games_of_every_length_have_been_read():
    table = emergence.compute(scores(), RUN, depth=2)
    figure = emergence.draw(table, course(["small"]), "m")
    shaded = [span for axes in figure.axes for span in axes.patches]
    # The 470th step is the first that reads games to 200 plies.
    assert [span.get_x() + span.get_width() for span in shaded] == pytest.approx([469] * 6)


def test_the_caption_counts_resamples_without_a_step():
    table = emergence.compute_rises(scores(), RUN, depth=2, resamples=50)
    said = emergence.draw_rises(table.assign(undefined=0), "m")._supxlabel.get_text()
    assert "have no step" not in said
    table.loc[0, "undefined"] = 2
    assert "up to 2 resamples" in emergence.draw_rises(table, "m")._supxlabel.get_text()

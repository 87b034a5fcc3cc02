"""Figures as they come out: nothing cut off, nothing on top of another, every name told apart."""

import pandas as pd
import pytest
from drawn import drawn_texts, faults
from matplotlib.colors import to_rgb

from workbench.affordance import ESTIMATORS
from workbench.drawing.appearance import style
from workbench.drawing.labels import LONGEST, labels, some_of
from workbench.drawing.score_description import describe_scores
from workbench.explore.pictures import run_figure
from workbench.explore.run.run_table import run_table
from workbench.long_texts import shortened
from workbench.studies.data import StudyData
from workbench.studies.environments import precision_by_environment
from workbench.studies.estimators import bias_and_variance
from workbench.studies.estimators.comparison_pairs import ComparisonPair
from workbench.studies.models import answer_spread, model_ranks, model_summary, setting_effects
from workbench.studies.paper import (
    fixed_pair,
    kendall_tau,
    lost_piece,
    mean_precision,
    random_baseline,
)

pytestmark = pytest.mark.filterwarnings("error::UserWarning")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
WRONG_SIDE = START.replace(" w ", " b ")
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")
ODD = (
    "_hidden", "cost $5 and $10", "50%_off", "<script>alert(1)</script>", "模型一", "模型二", "Модель",
    "two\nlines", "$x^2$", r"\frac{1}", "عربي", "🙂", "", "^_{}", r"\$a", " a ", "#",
)  # fmt: skip
LONG_FILE = "predictions-of-a-run-with-a-very-long-name-" * 3 + ".parquet"


def names_of(kind, count):
    if kind == "short":
        return [f"m{number:04d}" for number in range(count)]
    if kind == "long":
        return [
            ("a-model-of-an-organisation/checkpoint-" * 4)[:112] + f"-{n:07d}" for n in range(count)
        ]
    return [ODD[n] if n < len(ODD) else f"{ODD[n % len(ODD)]} {n}" for n in range(count)]


def scores_of(names, groups=(5, 16, 27, 38, 50), prompt=""):
    """Two replies of every model to each length; the first model is the best."""
    rows = []
    for number, name in enumerate(names):
        slip = (number + 1) / (len(names) + 1)
        for group in groups:
            for reply in range(2):
                wrong = reply == 1
                rows.append(
                    {
                        "position_id": f"p{group}-{reply}",
                        "game": f"g{group}-{reply}",
                        "group": group,
                        "ply": 2 * group,
                        "model": name,
                        "prompt": prompt,
                        "sample": 0,
                        "true_state": START,
                        "predicted_state": KINGLESS if wrong else START,
                        "reply_class": "ill_formed" if wrong else "valid",
                        "status": "NO_WHITE_KING OPPOSITE_CHECK" if wrong else "",
                        "unscored": "",
                        "exact_match": not wrong,
                        "levenshtein": round(10 * slip) * reply,
                        "levenshtein_to_empty": False,
                        "precision_1": 1 - slip * reply * group / 51,
                        "recall_1": 1 - slip * reply * group / 60,
                        "ill_formed_policy": "as_is",
                        "terminal": "absorb",
                    }
                )
    return pd.DataFrame(rows)


def note_of(scores, files=40):
    named = some_of([f"{number}-{LONG_FILE}" for number in range(files)], "tables")
    return f"games of {named}, groups of the predictions; {describe_scores(scores)}"


def sound(figure):
    assert faults(figure) == []
    return figure


def figure_of_models(scores, note):
    return model_summary.draw(model_summary.compute(scores, depth=1), note)


def figure_of_ranks(scores, note):
    return model_ranks.draw(model_ranks.compute(scores, depth=1, resamples=2), note)


def figure_of_flags(scores, note):
    return model_summary.draw_flags(model_summary.compute_flags(scores), note)


def figure_of_prompts(scores, note):
    prompted = pd.concat([scores.assign(prompt="direct@1"), scores.assign(prompt="p" * 120)])
    found = setting_effects.compute_prompts(prompted, depth=1)
    return setting_effects.draw_prompts(found, note)


def figure_of_spread(scores, note):
    again = pd.concat([scores, scores.assign(sample=1)])
    return answer_spread.draw(answer_spread.compute(again, depth=1), note)


def figure_of_tau(scores, note):
    one = kendall_tau.compute(scores[scores["model"] == scores["model"].iloc[0]], depth=1)
    every = kendall_tau.compute(scores, depth=1, each_model=True)
    return kendall_tau.draw(one, note, "one model", every)


def figure_of_means(scores, note):
    one = scores[scores["model"] == scores["model"].iloc[0]]
    means = mean_precision.compute({"groups": one, "bands": one}, depth=1)
    every = mean_precision.compute({"groups": scores}, depth=1, each_model=True)
    return mean_precision.draw(means, note, "one model", every)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("long", 1), ("odd", 17), ("long", 40)], ids=str)
@pytest.mark.parametrize(
    ("figure", "longest", "most"),
    [
        (figure_of_models, 40, 40),
        (figure_of_ranks, 40, 40),
        (figure_of_flags, 40, 40),
        (figure_of_prompts, 28, 9),
        (figure_of_spread, 24, 7),
        (figure_of_tau, 40, 40),
        (figure_of_means, 40, 40),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_any_number_of_models_with_any_names_can_be_read(figure, longest, most, kind, count):
    """``longest``: characters of a name in this figure; ``most``: models, to keep the test short."""
    count = min(count, most)
    names = names_of(kind, count)
    scores = scores_of(names, groups=(5, 16))
    said = "\n".join(
        text.get_text() for text in drawn_texts(sound(figure(scores, note_of(scores))))
    )
    # The spread has six panels at most, and says how many there would be.
    of_figure = names[:6] if figure is figure_of_spread else names
    shown = labels(names, longest if count > 1 else 40)
    assert [name for name in of_figure if shown[name] not in said] == []


def test_a_line_is_told_from_every_other_and_each_model_has_one():
    scores = scores_of(names_of("odd", 40), groups=(5,))
    figure = figure_of_models(scores, "")
    seen = []
    for axes in figure.axes:
        entries = axes.get_legend().get_texts()
        assert 0 < len(entries) <= 10
        seen += [entry.get_text() for entry in entries]
        lines = [container.lines[0] for container in axes.containers]
        looks = {
            (line.get_marker(), line.get_linestyle(), line.get_mfc() == "white") for line in lines
        }
        assert len(looks) == len(entries)
    assert len(set(seen)) == len(seen) == 40


def test_models_of_equal_rank_do_not_stand_on_each_other():
    scores = scores_of(["one", "two", "three", "four"])
    scores = scores.assign(levenshtein=3, precision_1=0.5)
    figure = sound(figure_of_ranks(scores, ""))
    ranks = [text.get_text() for text in figure.axes[0].texts]
    assert ranks.count("2.5") == 8


def test_a_model_has_one_colour_whether_others_are_ranked_or_not():
    ranks = model_ranks.compute(scores_of(["b", "c"]), depth=1, resamples=2)
    figure = model_ranks.draw(ranks, models=["a", "b", "c"])
    assert [line.get_color() for line in figure.axes[0].lines] == [style(1).colour, style(2).colour]


@pytest.mark.parametrize("kind", ["long", "odd"])
def test_examples_name_both_models(kind):
    one, other = names_of(kind, 2)
    wrong = scores_of([one]).assign(predicted_state=WRONG_SIDE, levenshtein=1, precision_1=0.0)
    near = scores_of([other]).assign(
        predicted_state=KINGLESS, levenshtein=2, status="NO_WHITE_KING TOO_MANY_BLACK_PAWNS " * 3
    )
    scores = pd.concat([wrong, near]).assign(reply_class="valid")
    ranks = model_ranks.compute(scores, depth=1, resamples=2)
    table = model_ranks.find_examples(scores, ranks, depth=1, count=1)
    assert len(table) == 1
    figure = sound(model_ranks.draw_examples(table, note_of(scores), 1))
    said = "\n".join(text.get_text() for text in drawn_texts(figure))
    assert all(name in said for name in labels([one, other], 36).values())


@pytest.mark.parametrize("groups", [(5,), (5, 16, 27, 38, 50), range(5, 301, 5)])
def test_any_number_of_groups_can_be_read(groups):
    one = scores_of(names_of("odd", 3), groups=(5,))
    note = note_of(one, files=2)
    tau = kendall_tau.compute(one, depth=1)
    of_groups = [tau.iloc[:1].assign(group=str(group)) for group in groups]
    sound(kendall_tau.draw(pd.concat([*of_groups, tau.iloc[1:]], ignore_index=True), note))
    variants = {"groups of the predictions": one, "bands of 5 full moves": one}
    means = mean_precision.compute(variants, depth=1)
    sound(mean_precision.draw(pd.concat([means.assign(group=group) for group in groups]), note))
    summary = model_summary.compute(one, depth=1)
    by_length = summary[summary["length"] != "all"]
    lengths = [by_length.assign(length=str(group)) for group in groups]
    sound(model_summary.draw(pd.concat([*lengths, summary[summary["length"] == "all"]]), note))


@pytest.mark.slow
def test_the_legend_of_a_run_lies_beside_its_points():
    scores = scores_of(["one"], groups=range(1, 41))
    columns = {"source": "by hand", "game_id": scores["game"], "reason": "", "recall_1": 1.0}
    columns |= {"set": "", "setting": ""}
    figure = run_figure(run_table(scores.assign(**columns)))
    assert faults(figure) == []


class TestEveryEstimator:
    """All that are registered, drawn by each figure that draws estimators."""

    METHODS = tuple(ESTIMATORS)

    def test_has_a_name_and_a_look_of_its_own(self):
        assert len({each.label for each in ESTIMATORS.values()}) == len(ESTIMATORS)
        assert len({each.look for each in ESTIMATORS.values()}) == len(ESTIMATORS)

    @pytest.mark.parametrize("by", ["depth", "samples"])
    def test_in_boxes(self, by):
        pair = {"true_fen": START, "predicted_fen": KINGLESS, "runs": 3, "methods": self.METHODS}
        if by == "depth":
            table = fixed_pair.compute_by_depth(depths=2, samples=4, exact_depth=2, **pair)
            figure = sound(fixed_pair.draw_by_depth(table))
        else:
            table = fixed_pair.compute_by_samples(depth=2, samples=(2, 4, 8), **pair)
            figure = sound(fixed_pair.draw_by_samples(table))
        legend = figure.axes[-1].get_legend()
        named = [text.get_text() for text in legend.get_texts()]
        assert named[:-1] == [ESTIMATORS[method].label for method in self.METHODS]
        looks = {(to_rgb(key.get_edgecolor()), key.get_hatch()) for key in legend.get_patches()}
        assert len(looks) == len({hatch for _, hatch in looks}) == len(ESTIMATORS)
        for axes in figure.axes:
            boxes = {(to_rgb(box.get_edgecolor()), box.get_hatch()) for box in axes.patches}
            assert boxes == looks

    def test_against_the_exact_value_at_many_depths(self):
        pair = ComparisonPair("near", "a king", 1, START, KINGLESS)
        table = bias_and_variance.compute(
            [pair], depths=(1, 2), samples=4, repeats=2, reference_repeats=2
        )
        deeper = [table.assign(depth=table["depth"] + 2 * more) for more in range(6)]
        figure = sound(bias_and_variance.draw(pd.concat(deeper)))
        drawn = [text.get_text() for text in figure.axes[0].get_xticklabels()]
        assert len(drawn) == len(ESTIMATORS)

    def test_in_environments(self):
        table = pd.DataFrame(
            [
                {
                    "environment": "chess", "title": "chess", "pair": 0, "method": method, "depth": depth,
                    "value": 0.5, "standard_error": 0.0, "samples": 4, "batches": 2, "node_count": 1,
                }
                for method in self.METHODS
                for depth in (1, 2)
            ]
        )  # fmt: skip
        figure = sound(precision_by_environment.draw(table))
        (legend,) = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == [
            ESTIMATORS[method].label for method in self.METHODS
        ]


def test_the_baseline_takes_any_number_of_depths():
    table = random_baseline.compute(pairs=2, moves=1, depths=(1,))
    table = table[table["reading"].isin(table["reading"].unique()[:3]) & (table["depth"] == 1)]
    deeper = pd.concat([table.assign(depth=m, precision=0.5**m) for m in range(1, 15)])
    figure = sound(random_baseline.draw(deeper))
    (axes,) = figure.axes
    places = [x for each in axes.containers for x in each.lines[0].get_xdata()]
    # Those of one reading stay nearer to its label than to the next.
    assert max(abs(x - round(x)) for x in places) < 0.5
    assert len(places) == 14 * 3


def test_a_lost_piece_is_taken_off_the_positions_that_were_asked_about(predictions):
    """Three replies to two positions, one of them without a board to take a piece from."""
    scores = scores_of(["one", "two"], groups=(5,))
    scores.loc[scores["position_id"] == "p5-1", "true_state"] = "no board"
    data = StudyData(
        {"groups of the predictions": scores}, f"games of {shortened(LONG_FILE, LONGEST)}"
    )
    positions = data.positions()
    assert positions["position_id"].tolist() == ["p5-0", "p5-1"]
    bare = lost_piece.predictions_without(positions, count=5, seed=0)
    assert set(bare["position_id"]) == {"p5-0"}
    measures = {"precision_1": 0.5, "recall_1": 0.5}
    table = lost_piece.compute({"as_is": bare.assign(**measures)}, depth=1)
    figure = sound(lost_piece.draw(table, data.games))
    assert data.games in "".join(text.get_text() for text in drawn_texts(figure))

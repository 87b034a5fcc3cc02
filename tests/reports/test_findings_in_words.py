"""What a report says and shows of a chapter, against numbers worked by hand."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from prediction_rows import prediction_row
from scipy.special import expit, logit
from scipy.stats import sem
from scipy.stats import t as student

from workbench.environments.registry import environment_named
from workbench.episodes import EpisodeSample
from workbench.reports.cause_section import cause_sample, cause_section
from workbench.reports.chapters import ReportedRun, chapters_of
from workbench.reports.evidence import classes_section
from workbench.reports.findings import findings
from workbench.reports.model_comparison import compare, comparison_section
from workbench.reports.notable_replies import boards_section, notable_replies, opening_line
from workbench.reports.result_sections import (
    consistency_section,
    curves_section,
    format_section,
    parts_of_means,
    summary_of,
)
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.tables.parquet_tables import PREDICTIONS

KNIGHT_OUT = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"


@pytest.fixture
def scores(predictions):
    """Four positions of four games at p_1 of 1, 0, 20/21 and 0 (the sink), after 5 and 6 moves."""
    of_state = predictions[predictions["reply_class"].isin(["valid", "ill_formed", "absent"])]
    return score(of_state[of_state["true_state"] != "no board"], ScoringParameters(depth=1))


def chapter_of(scores):
    (chapter,) = chapters_of([ReportedRun("run", scores.assign(game=scores["game_id"]))])
    return chapter


def conclusions(chapter):
    return findings(
        chapter,
        summary_of(chapter),
        compare(chapter),
        parts_of_means(chapter),
        cause_sample(chapter) if chapter.measures_text else None,
    )


def said(chapter):
    return " ".join(each.words for each in conclusions(chapter))


def opened_by(chapter, identity="c"):
    """The identities of the parts that conclusions may open."""
    compared, parts, summary = compare(chapter), parts_of_means(chapter), summary_of(chapter)
    page = "".join(
        [
            classes_section(chapter, identity),
            cause_section(chapter, cause_sample(chapter), identity),
            comparison_section(chapter, compared, identity, resamples=5),
            format_section(chapter, parts, identity),
            curves_section(chapter, summary, identity),
        ]
    )
    return {*re.findall(r'id="([^"]*)"', page), f"{identity}-numbers"}


def test_the_words_are_made_from_the_numbers(scores):
    words = said(chapter_of(scores))
    mean = (1 + 0 + 20 / 21 + 0) / 4
    # Each game is a position: the standard error is the usual one, on the logit scale.
    half = student.ppf(0.975, 3) * sem([1, 0, 20 / 21, 0]) / (mean * (1 - mean))
    low, high = expit(logit(mean) + half * np.array([-1, 1]))
    assert f"by hand has a mean p_1: {mean:.2f} [{low:.2f}, {high:.2f}], with r_1" in words
    assert "over 4 replies" in words
    # After 5 moves 1, 0 and 20/21, after 6 the sink.
    assert "goes from 0.651 at 5 to 0 at 6 full moves" in words
    assert "over readable replies, 100% and 0% of all, from 0.651 to undefined." in words
    assert "3 of 4 replies can be read; over these mean p_1 is 0.651." in words
    # 1. e4 and no FEN are wrong, and the missing king.
    assert (
        "Of 3 wrong replies in a sample of 4: 67% have one main cause, 33% have no readable board."
        in words
    )


def test_one_model_is_compared_with_those_beside_it(scores):
    chapter = chapter_of(scores)
    base = scores.assign(
        model="starting_board", asked="starting_board", run="", prompt="", game=scores["game_id"],
        precision_1=[0.0, 0.0, 20 / 21, 0.0],
    )  # fmt: skip
    words = said(replace(chapter, references=base))
    # The difference is 1 at one of four positions: a standard error of 1/4, with three degrees.
    half = student.ppf(0.975, 3) / 4 / (1 - 1 / 16)
    low, high = np.tanh(np.arctanh(1 / 4) + half * np.array([-1, 1]))
    assert (
        f"by hand differs from starting_board by 0.25 [{low:.2f}, {high:.2f}] on 4 common positions of "
        "4 games, and the sign test does not separate them." in words
    )
    chapter = replace(chapter, references=base)
    page = comparison_section(chapter, compare(chapter), "c", resamples=5)
    page = page.replace("&#x27;", "'")
    assert "0 of 1 pair of a run's model and one beside are separated" in page
    assert "With 4 games no p-value is below 0.125: the test cannot separate any pair of" in page


def test_of_several_models_the_best_is_compared_with_the_next_and_the_baseline(scores):
    right, wrong = scores.assign(precision_1=1.0, model="a"), scores.assign(precision_1=0.0)
    base = wrong.assign(model="starting_board")
    chapter = chapter_of(
        pd.concat([right, scores.assign(model="b"), wrong.assign(model="c"), base])
    )
    words = said(chapter)
    assert words.startswith(
        "a has the highest mean p_1 of the 3 models asked about the same positions: 1.000; "
        "starting_board, which knows no move of the game, has 0."
    )
    mean = (1 + 0 + 20 / 21 + 0) / 4
    assert f"The next is b: the difference is {1 - mean:.2f} [" in words
    assert "] on 4 common positions of 4 games, and the sign test does not separate them." in words
    assert "In 3 of 3 models less than 95% of the replies can be read; " in words
    assert "not the same for each model, a too has the highest mean: 1.000." in words
    assert "the test cannot separate any pair of the runs' models." in words
    # The king and 1. e4 against the reply without a FEN; of a, whose p_1 is 1, r_1 is lost by 1. e4 alone.
    assert words.endswith("in samples of 3 models: one main cause in 2.")
    assert len(conclusions(chapter)) <= 5
    assert {f"c-{each.part}" for each in conclusions(chapter)} <= opened_by(chapter)


def test_the_model_that_is_best_over_readable_replies_is_named(scores):
    """The first by all replies has one more that can be read; the other is right where it can be."""
    often = scores.assign(model="often", precision_1=[0.7, 0.7, 0.7, 0.7], reply_class="valid")
    often = often.assign(predicted_state=KNIGHT_OUT)
    seldom = scores.assign(model="seldom", precision_1=[1.0, 1.0, 0.0, 0.0])
    seldom["reply_class"] = ["valid", "valid", "absent", "absent"]
    words = said(chapter_of(pd.concat([often, seldom])))
    assert "often has the highest mean p_1 of the 2 models" in words
    assert "In 1 of 2 models less than 95%" in words
    assert "seldom has the highest mean: 1.000." in words


def test_pairs_with_the_baseline_are_not_counted_as_pairs_of_models(scores):
    """Twelve games of one sign: 2 of 4,096 changes, six pairs with the baseline, three without."""
    games = pd.concat(
        [
            scores.assign(
                position_id=f"{place} " + scores["position_id"],
                game_id=f"g{place}",
                precision_1=0.0,
            )
            for place in range(12)
        ]
    )
    models = [
        games.assign(model=name, precision_1=value)
        for name, value in (("a", 0.9), ("b", 0.6), ("c", 0.3), ("starting_board", 0.0))
    ]
    assert "3 of 3 pairs of these models are separated by the sign test" in said(
        chapter_of(pd.concat(models))
    )


def test_rows_of_other_positions_are_not_ranked_with_the_rest(scores):
    many = [
        scores.assign(model=f"model {n}", precision_1=n / 10, game=scores["game_id"])
        for n in range(1, 4)
    ]
    easy = scores.head(1).assign(model="easy", precision_1=1.0, game=scores["game_id"].head(1))
    runs = [ReportedRun("mine", many[0]), ReportedRun("theirs", pd.concat([*many[1:], easy]))]
    (chapter,) = chapters_of(runs)
    words = said(chapter)
    assert words.startswith(
        "model 3 has the highest mean p_1 of the 3 models asked about the same positions"
    )
    assert "easy" not in words


def test_runs_without_common_positions_say_so(scores):
    other = scores.assign(model="other", position_id="elsewhere " + scores["position_id"])
    chapter = chapter_of(pd.concat([scores, other]))
    page = comparison_section(chapter, compare(chapter), "c")
    assert "No two models have answered the same positions" in page
    assert "The next" not in said(chapter)
    alone = chapter_of(scores)
    assert "nothing to compare it with" in comparison_section(alone, compare(alone), "c")


def test_answers_without_a_length_have_no_curves(scores):
    chapter = chapter_of(scores.assign(group=0))
    assert "no curves" in curves_section(chapter, summary_of(chapter), "c")


def test_repeated_answers_are_described(scores):
    again = scores.assign(sample=1, predicted_state=KNIGHT_OUT, exact_match=False, precision_1=0.0)
    page = consistency_section(chapter_of(pd.concat([scores, again])), "c")
    # Of four positions one was right once; no two answers to a position are the same.
    assert "<td>4</td><td>0%</td><td>0%</td><td>25%</td><td>75%</td>" in page
    assert "asked once" in consistency_section(chapter_of(scores), "c")


def test_the_worst_and_the_misjudged_boards(scores):
    chapter = chapter_of(scores)
    worst, misjudged = notable_replies(chapter)
    # 1. e4 has no move of the first position's side; without the king 20 of 21 are right.
    assert list(worst["precision"]) == pytest.approx([0.0, 20 / 21])
    assert list(worst["position_id"]) == ["game001-002", "game002-002"]
    # By edits the missing king (1, without the castling rights' text 2) is nearer than 1. e4.
    assert set(misjudged["position_id"]) <= set(worst["position_id"])
    page = boards_section(chapter, "c")
    assert page.count("<svg") == 2 * (len(worst) + len(misjudged))
    assert "#true=rnbqkbnr%2Fpppppppp" in page
    nothing = boards_section(chapter_of(scores.iloc[[0]]), "c")
    assert "There is none" in nothing


def test_the_baseline_is_no_worst_model(scores):
    base = scores.assign(model="starting_board")
    worst, _ = notable_replies(chapter_of(pd.concat([scores, base])))
    assert set(worst["model"]) == {"by hand"}


def test_states_of_other_environments_are_drawn_and_open_in_python():
    positions = EpisodeSample("boxes", (3,), 3, 0).positions
    answers = positions["true_state"].to_numpy()
    replies = positions.assign(
        task="state", set="", model="<b>mine</b>", setting="", sample=0, reply=answers[::-1],
        predicted_state=answers[::-1], predicted_actions=None, reply_class="valid", status="",
        reason="",
    )  # fmt: skip
    chapter = chapter_of(score(replies, ScoringParameters(depth=2)))
    page = boards_section(chapter, "c")
    assert "&lt;b&gt;mine&lt;/b&gt;" in page
    assert "StatePair(&#x27;boxes&#x27;, " in page
    assert "<a " not in page
    true, other = answers[0], answers[2]
    opened = {}
    exec(opening_line(chapter, true, other).replace("StatePair(", "pair = StatePair("), opened)
    assert opened["pair"].true_state == true
    assert opened["pair"].predicted_state == other
    assert environment_named("boxes").name == opened["pair"].environment


@pytest.mark.slow
def test_a_run_a_third_unreadable_and_a_third_in_lower_case_is_taken_apart():
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    lower = start.replace("PPPPPPPP/RNBQKBNR", "pppppppp/rnbqkbnr")
    replies = [start, lower, "I lost track of the pieces."] * 20
    rows = [
        prediction_row(place, start, reply, group=10 + 10 * (place % 2))
        for place, reply in enumerate(replies)
    ]
    predictions = pd.DataFrame(rows).reindex(columns=PREDICTIONS.names)
    chapter = chapter_of(score(predictions, ScoringParameters(depth=2)))
    words = said(chapter)
    assert (
        "40 of 60 replies can be read; over these mean p_2 is 0.500; 20 differ from the true"
        in words
    )
    assert "in the right case mean p_2 over all replies is 0.667." in words
    page = format_section(chapter, parts_of_means(chapter), "chapter-1")
    assert "A difference between models that is not there over the readable replies" in page
    for cell in ("66.7%", "33.3%", "0.667", ">20<"):
        assert cell in page
    assert "track" not in words

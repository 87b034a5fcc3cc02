"""What a report shows of answers that are actions, against numbers worked by hand."""

import re

import pandas as pd
import pytest

from workbench.environments.registry import environment_named
from workbench.episodes import EpisodeSample
from workbench.reports.chapters import ReportedRun, chapters_of
from workbench.reports.every_eval_ever import read_results
from workbench.reports.exports import write_exports
from workbench.reports.model_comparison import compare, comparison_section
from workbench.reports.notable_replies import answers_section, measuring_lines, worst_answers
from workbench.reports.page_parts import with_interval
from workbench.reports.report_page import report_html
from workbench.reports.result_sections import accepted_section, consistency_section
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.models.answer_spread import answer_keys, right_answers
from workbench.studies.study_scores import with_games

TWENTY = "\n".join(
    [f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"] + "b1a3 b1c3 g1f3 g1h3".split()
)
"""The moves of the first position."""


@pytest.fixture
def run_of(predictions):
    """A function that makes a run of a task: an answer a position, all at the first position."""

    def made(task, answers, model="by hand", depth=3, **columns):
        rows = pd.concat([predictions.iloc[[0]]] * len(answers), ignore_index=True).assign(
            position_id=[f"game{place}-002" for place in range(len(answers))],
            game_id=[f"game{place}" for place in range(len(answers))],
            moves=[f"{first}2{first}4" for first in "abcdefgh"[: len(answers)]],
            task=task, model=model, predicted_state=None, predicted_actions=answers,
        ).assign(**columns)  # fmt: skip
        scores = score(rows, ScoringParameters(depth=depth))
        return ReportedRun("run", with_games(scores, rows), rows)

    return made


def chapter_of(*runs):
    (chapter,) = chapters_of(runs)
    return chapter


def words(page):
    page = re.sub("[₀-₉]", lambda match: f"_{'₀₁₂₃₄₅₆₇₈₉'.index(match[0])}", page)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


def test_right_and_equal_answers_of_each_task(run_of):
    half = "\n".join(TWENTY.split("\n")[:10])
    lists = run_of(
        "actions", [TWENTY, half, "\n".join([TWENTY, "e2e5"]), "g1f3\ne2e4", "e2e4\ng1f3"]
    )
    assert list(right_answers(lists.scores, 3)) == [True, False, False, False, False]
    said = answer_keys(lists.scores)
    assert said[3] == said[4] != said[1]
    lines = run_of("continuation", ["e2e4\ne7e5\ng1f3", "e2e4\ne7e5\ng1g3", "e7e5\ne2e4\ng1f3"])
    assert list(right_answers(lines.scores, 3)) == [True, False, False]
    assert list(right_answers(lines.scores, 2)) == [True, True, False]
    assert answer_keys(lines.scores).nunique() == 3


def test_lists_are_ranked_by_p_1_and_r_1(run_of):
    exact = run_of("actions", [TWENTY, TWENTY], "full")
    # One of two listed moves is permitted, of twenty.
    poor = run_of("actions", ["e2e4\ne2e5", "e2e4\ne2e5"], "poor")
    chapter = chapter_of(exact, poor)
    text = words(comparison_section(chapter, compare(chapter), "c"))
    assert (
        "Ranks of 2 models asked about the same 2 positions: 2 positions answered by all, of 2 games"
        in text
    )
    assert "model p_1 rank group p_1 mean r_1 rank r_1 mean" in text
    assert "full 1 [1, 1] a 1.000 1 [1, 1] 1.000" in text
    assert "poor 2 [2, 2] a 0.500 2 [2, 2] 0.050" in text
    assert "full – poor 2 2 1.000 0.500 0.500" in text


def test_lines_are_ranked_by_p_m_alone_and_shown_by_depth(run_of):
    good = run_of("continuation", ["e2e4\ne7e5\ng1f3", "e2e4\ne7e5\ng1g3"], "good")
    bad = run_of("continuation", ["e2e4\ne2e4", "e7e5"], "bad")
    chapter = chapter_of(good, bad)
    text = words(comparison_section(chapter, compare(chapter), "c"))
    assert "model p_3 rank group p_3 mean" in text
    assert "edit distance" not in text
    assert "r_3" not in text
    accepted = words(accepted_section(chapter, "c"))
    assert "first i moves the true board accepts" in accepted
    means = r"good 1\.000 1\.000 0\.50 \[[^]]*\] bad 0\.50 \[[^]]*\] 0 0"
    assert re.search(means, accepted)
    assert accepted_section(chapter_of(run_of("actions", [TWENTY])), "c") == ""


def test_repeated_lists_are_alike_whatever_their_order(run_of):
    first = run_of("actions", [TWENTY, "e2e4\ng1f3", "e2e4"])
    again = run_of(
        "actions", ["\n".join(reversed(TWENTY.split("\n"))), "g1f3\ne2e4", "d2d4"], sample=1
    )
    chapter = chapter_of(first, again)
    assert chapter.models == ["by hand (run (1))", "by hand (run (2))"]
    both = ReportedRun("run", pd.concat([first.scores, again.scores]))
    page = consistency_section(chapter_of(both), "c")
    assert "same list of moves in all" in page
    assert "<td>3</td><td>67%</td><td>33%</td><td>0%</td><td>67%</td>" in page


def test_the_worst_lists_are_told_move_by_move(run_of):
    run = run_of("actions", [TWENTY, "e2e4\ne2e4\n<b>e9</b>", "a7a6", "e2e4"])
    chapter = chapter_of(run)
    worst = worst_answers(chapter)
    assert list(worst["position_id"]) == ["game2-002", "game1-002", "game3-002"]
    text = words(answers_section(chapter, "c"))
    assert "p_1 0.500, r_1 0.050" in text
    assert "Listed, permitted (1) e2e4 Listed, not permitted (1) &lt;b&gt;e9&lt;/b&gt; Permitted, not listed (19)" in text  # fmt: skip
    assert answers_section(chapter, "c").count("<svg") == 3
    found = {}
    again = measuring_lines(chapter, run.scores["true_state"].iloc[0], ["e2e4", "e2e5"])
    exec(again.replace("task_named(", "found = task_named("), found)
    assert found["found"] == ([0.5], [1 / 20])


def test_the_worst_lines_say_where_they_break(run_of):
    chapter = chapter_of(run_of("continuation", ["e2e4\ne2e4\nd2d4", "e7e5", "e2e4\ne7e5"]))
    assert list(worst_answers(chapter)["position_id"]) == ["game1-002", "game0-002", "game2-002"]
    text = words(answers_section(chapter, "c"))
    assert "1. e2e4: accepted 2. e2e4: not permitted 3. d2d4: not reached" in text
    assert "1. e7e5: not permitted" in text
    assert "3. nothing: the board is not finished" in text
    right = chapter_of(run_of("continuation", ["e2e4\ne7e5\ng1f3"]))
    assert "There is none: every reply with a line of moves is right" in answers_section(right, "c")


def test_states_without_a_picture_and_hostile_actions_stay_texts():
    positions = EpisodeSample("programs", (3,), 2, 0).positions
    replies = positions.assign(
        task="actions", set="", model="mine", setting="", sample=0, reply="", predicted_state=None,
        predicted_actions="<script>alert(1)</script>", reply_class="ill_formed", status="",
        reason="",
    )  # fmt: skip
    scores = score(replies, ScoringParameters(depth=2))
    page = answers_section(chapter_of(ReportedRun("run", with_games(scores, replies))), "c")
    programs = environment_named("programs")
    assert programs.picture(programs.read_state(positions["true_state"].iloc[0])) is None
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img" not in page


@pytest.mark.slow
@pytest.mark.parametrize("task", ["state", "actions", "continuation"])
def test_results_read_back_are_the_numbers_of_the_page(run_of, tmp_path, predictions, task):
    if task == "state":
        scores = score(predictions, ScoringParameters(depth=2))
        run = ReportedRun("run", with_games(scores, predictions), predictions)
    else:
        run = run_of(task, ["e2e4\ne7e5\ng1f3", "e2e4\ne2e5\ng1g3", TWENTY])
    write_exports([run], tmp_path)
    read = read_results(tmp_path)
    page = words(report_html([run], resamples=50))
    rows = read[["mean", "lower", "upper"]].itertuples(index=False, name=None)
    cells = [with_interval(*row) for row in rows]
    assert len(cells) == {"state": 5, "actions": 2, "continuation": 1}[task]
    counts = [str(read[name].iloc[0]) for name in ("n", "games")]
    assert f"n games by hand {' '.join([*cells, *counts])} " in page

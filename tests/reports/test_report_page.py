"""The page of a report: what is in the file, and what bad input makes of it."""

import base64
import hashlib
import re
import resource

import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.errors import InvalidArgumentError, OutputError, RunMismatchError
from workbench.reports import report_page
from workbench.reports.chapters import ReportedRun, read_run
from workbench.reports.report_page import write_report
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score, score_file
from workbench.studies.study_scores import with_games
from workbench.tables.parquet_tables import PREDICTIONS, write_table

HOSTILE = '</title><script>alert(1)</script><img src=x onerror="alert(1)"> $x_1$ & "quoted"'


def run_of(predictions, name="a run", **parameters):
    scores = score(predictions, ScoringParameters(**{"depth": 2, **parameters}))
    return ReportedRun(name, with_games(scores, predictions), predictions)


def report_html(runs, **options):
    return report_page.report_html(runs, resamples=20, **options)


def words(page):
    """What a reader sees, in one line, with subscripts as they are written elsewhere."""
    page = re.sub("[₀-₉]", lambda match: f"_{'₀₁₂₃₄₅₆₇₈₉'.index(match[0])}", page)
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL))


@pytest.mark.slow
def test_the_page_shows_the_headline_numbers_and_every_class(predictions):
    page = report_html([run_of(predictions)])
    text = words(page)
    assert "state precision p_2" in text
    assert "6 positions of 6 games" in text
    # valid (3, of which one is not scored), ill-formed, unreadable, without a FEN; no failed call.
    assert re.search(r"by hand 3 1 1 1 0 1 6", text)
    assert "1 reply that could not be scored" in text


@pytest.mark.slow
def test_the_page_loads_nothing_and_runs_its_own_scripts_alone(predictions):
    page = report_html([run_of(predictions)])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "img-src data:;" in policy
    run = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run]
    assert re.search(r"script-src ([^;]*);", policy)[1] == " ".join(
        f"'sha256-{each}'" for each in hashes
    )
    before, _, _ = page.partition('<script type="application/json"')
    assert not re.search(r"""<[^<>]*\b(?:src|href)\s*=\s*["'](?!data:|#|%23)""", before)
    # Without boards of chess there is nothing to open.
    actions = report_html([run_of(predictions.assign(task="actions", predicted_actions="e2e4"))])
    assert 'id="pair-content"' not in actions
    assert actions.count("<dialog") == 0


@pytest.mark.slow
def test_names_with_html_stay_texts(predictions):
    run = run_of(predictions.assign(model=HOSTILE, setting=HOSTILE), HOSTILE)
    page, plain = report_html([run]), report_html([run_of(predictions)])
    assert "alert(1)" in page
    for tag in ("<script", "<img", "</title>", "<svg"):
        assert page.count(tag) == plain.count(tag)
    assert 'onerror="' not in page


@pytest.mark.slow
def test_runs_without_anything_to_report_give_a_page_that_says_so(predictions):
    empty = run_of(predictions.iloc[:0])
    assert "there is nothing to report" in report_html([empty])
    failed = run_of(predictions.assign(reply_class="failed", reply=None, reason="busy"))
    text = words(report_html([failed]))
    assert "6 failed calls" in text
    assert "undefined" in text
    one = words(report_html([run_of(predictions.iloc[[0]])]))
    assert "1 position of 1 game;" in one


def test_no_run_and_runs_scored_otherwise_are_refused(predictions):
    with pytest.raises(InvalidArgumentError, match="at least one run"):
        report_html([])
    other = run_of(predictions, "other", ill_formed="sink")
    with pytest.raises(RunMismatchError, match=r"ill_formed_policy: .*'sink' in other"):
        report_html([run_of(predictions), other])
    with pytest.raises(InvalidArgumentError, match="got 3; score again"):
        report_html([run_of(predictions)], depth=3)


@pytest.mark.slow
def test_runs_scored_to_different_depths_are_compared_at_the_depth_of_both(predictions):
    other = run_of(predictions.assign(model="other"), "other", depth=1)
    text = words(report_html([run_of(predictions), other]))
    assert "The next is other: the difference is 0 (no interval) on 5 common positions of " in text
    assert "p_2" not in text


@pytest.mark.slow
def test_continuations_have_no_recall_and_no_states(predictions):
    line = predictions.assign(task="continuation", predicted_actions="d2d4\nd7d5")
    text = words(report_html([run_of(line)]))
    assert "Chess, task continuation" in text
    assert "mean p_2" in text
    assert "Not shown: exact match, edit distance, Kendall&#x27;s tau and boards" in text
    for absent in ("mean r_2", "The worst boards", "Misjudged by", "tau-b", "are wrong"):
        assert absent not in text


@pytest.mark.slow
def test_runs_of_one_model_are_told_apart_by_their_names(predictions):
    page = report_html([run_of(predictions, "first"), run_of(predictions, "second")])
    assert "by hand (first)" in page
    assert "by hand (second)" in page


@pytest.mark.slow
def test_the_command_writes_the_page_of_a_folder(tmp_path, predictions):
    asked = {
        "model": "by hand",
        "prompt": {"name": "mine", "version": 2, "sha256": "ab12", "turns": ["<b>Moves</b>"]},
    }
    made = {"asked": asked}
    costly = predictions.assign(dollars=0.25)
    table = pd.DataFrame(costly, columns=PREDICTIONS.names)
    write_table(table, tmp_path / "predictions.parquet", PREDICTIONS, made)
    score_file(
        tmp_path / "predictions.parquet", tmp_path / "scores.parquet", ScoringParameters(depth=2)
    )
    done = CliRunner().invoke(main, ["report", str(tmp_path), "-o", str(tmp_path / "report")])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "mine@2" in text
    assert "&lt;b&gt;Moves&lt;/b&gt;" in text
    assert re.search(r"dollars 1\.500 6 of 6", words(text))


def test_a_page_is_not_written_over_a_table(tmp_path, predictions):
    path = tmp_path / "index.html"
    write_table(pd.DataFrame(predictions), path, PREDICTIONS)
    score_file(path, tmp_path / "scores.parquet", ScoringParameters(depth=1))
    with pytest.raises(OutputError, match="the input"):
        write_report([read_run(tmp_path / "scores.parquet", path)], tmp_path)


@pytest.mark.parametrize(
    "name",
    ["results.json", "table.tex", "report.pdf", "figures/forest.svg", "figures/curves-2.pdf"],
)
def test_files_of_others_are_refused_before_anything_is_computed(
    predictions, tmp_path, monkeypatch, name
):
    theirs = tmp_path / name
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("[1, 2]")
    monkeypatch.setattr(report_page, "_content", None)
    with pytest.raises(OutputError, match="expected no file, or one that"):
        write_report([run_of(predictions)], tmp_path)
    assert theirs.read_text() == "[1, 2]"


@pytest.mark.slow
def test_a_page_that_cannot_be_written_is_named(asked_run, tmp_path):
    run, out = asked_run(["right"]), tmp_path / "out"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        done = CliRunner().invoke(main, ["report", str(run), "-o", str(out), "--jobs", "1"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert done.exit_code == 1
    assert f"Error: {out / 'index.html'} cannot be written: File too large; raise" in done.stderr
    assert "the same command goes on" in done.stderr
    assert not list(out.glob("index*"))


@pytest.mark.slow
def test_a_folder_in_the_place_of_a_file_is_named(asked_run, tmp_path):
    run, out = asked_run(["right"]), tmp_path / "out"
    out.write_text("a file")
    done = CliRunner().invoke(main, ["report", str(run), "-o", str(out), "--jobs", "1"])
    assert done.exit_code == 1
    assert f"{out}" in done.stderr
    assert "the same command goes on" in done.stderr

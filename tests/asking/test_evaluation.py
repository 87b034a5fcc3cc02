"""An evaluation, killed and stopped on the way: no question is asked twice, no stage repeated."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pandas as pd
import pytest
from click.testing import CliRunner
from local_run import asking_process, needs_inspect, wait_until

from workbench import evaluation
from workbench.asking.journal import journal_record
from workbench.cli import main
from workbench.headless.notebook_runs import NotebookRun, assign_parameters, figure_notebooks
from workbench.reports.every_eval_ever import read_results
from workbench.reports.headline import headline
from workbench.scoring import ScoringParameters, score_predictions
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table

pytestmark = needs_inspect


class Drawing:
    """Takes the place of the notebooks of states, which take 20 s each; their parameters are checked."""

    def __init__(self):
        self.drawn = []
        self.interrupted = False
        self.error, self.refused = "", False

    def __call__(self, *, only, parameters, predictions, scores, out, report, **_):
        optional = {"predictions": str(predictions), "scores": str(scores), "out": str(out)}
        assigned = assign_parameters(figure_notebooks(only), optional, parameters)
        runs = []
        for path, values in assigned.items():
            if self.interrupted and self.drawn:
                raise KeyboardInterrupt
            self.drawn.append((path.stem, values))
            runs.append(NotebookRun(path.stem, out / path.name, 0.1, self.error, self.refused))
            report(runs[-1])
        return runs


@pytest.fixture
def drawing(monkeypatch):
    drawing = Drawing()
    monkeypatch.setattr(evaluation, "make_figures", drawing)
    return drawing


def evaluate(*arguments, code=0):
    done = CliRunner().invoke(main, ["evaluate", "--yes", "--jobs", "1", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def answers_in(out):
    journal = out / "answers.jsonl"
    return journal.read_bytes().count(b'"output"') if journal.exists() else 0


def files_in(folder):
    """The files of figures and report, with the time of their last change."""
    paths = [path for name in ("figures", "report") for path in (folder / name).rglob("*.*")]
    return {path: path.stat().st_mtime_ns for path in paths}


@contextmanager
def largest_file(size):
    """Files of this process cannot grow beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes")
def test_killed_and_stopped_it_goes_on_to_the_report(tmp_path, warm_process, drawing):
    out = tmp_path / "run"
    arguments = ["--environment", "boxes", "--model", "workbench/simulated", "--limit", "24",
                 "-M", "seconds=0.2", "--connections", "3", "-o", str(out)]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "evaluate", "--yes", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until(lambda: answers_in(out) >= 4)
    for victim in (process.pid, asking_process(process.pid)):
        os.kill(victim, signal.SIGKILL)
    process.wait()
    before = journal_record(out).answered(0)
    assert 4 <= len(before) < 24

    drawing.interrupted = True
    assert "the same command goes on" in evaluate(*arguments, code=3)
    assert [name for name, _ in drawing.drawn] == ["03_kendall_tau"]
    scores = out / "scores.parquet"
    scored = scores.stat().st_mtime_ns
    assert answers_in(out) == len(journal_record(out).answered(0)) == 24
    assert before < journal_record(out).answered(0)
    assert not (out / "report").exists()

    drawing.interrupted = False
    page = out / "report" / "index.html"
    with largest_file(150_000):
        said = evaluate(*arguments, code=1)
    assert f"{page} cannot be written: File too large; raise the limit" in said
    assert "the same command goes on" in said
    assert [name for name, _ in drawing.drawn] == ["03_kendall_tau", "04_mean_precision"]
    assert "figures: 1 of 2 drawn before" in said
    results = page.with_name("results.json")
    ours = results.read_bytes()
    results.write_text("[1]")
    said = evaluate(*arguments, code=1)
    assert "results.json: expected no file, or one that" in said
    assert "answers:" not in said
    results.write_bytes(ours)

    said = evaluate(*arguments)
    assert "figures: 2 of 2 drawn before" in said
    written = page.read_bytes()
    said = evaluate(*arguments)
    assert "figures: 2 of 2 drawn before" in said
    assert "report: written before" in said
    assert (len(drawing.drawn), page.read_bytes()) == (2, written)
    assert (scores.stat().st_mtime_ns, answers_in(out)) == (scored, 24)

    # The numbers are those of the stages.
    predictions = read_table(out / "predictions.parquet", PREDICTIONS)
    expected = headline(score_predictions(predictions, ScoringParameters()))
    shown = expected.loc[expected["quantity"] == "precision_4", "mean"].item()
    assert 0 < shown < 1
    assert f"precision_4 {shown:.4f}" in said
    results = read_results(page.with_name("results.json")).set_index("quantity")
    assert results.loc["precision_4", "mean"] == shown
    assert predictions["group"].value_counts().to_dict() == {5: 8, 10: 8, 20: 8}

    for other, said in (
        (["--limit", "25"], "limit: found 24, requested 25"),
        (["--depth", "3"], "scoring depth: found 4, requested 3"),
        (["--temperature", "0.5"], "temperature: found None, requested 0.5"),
        (["--positions-seed", "1"], "seed: found 0, requested 1"),
        (["--environment", "othello"], "environment: found 'boxes', requested 'othello'"),
    ):
        assert said in evaluate(*arguments, *other, code=1)
    assert (page.read_bytes(), answers_in(out)) == (written, 24)

    # More samples are taken into the same run; what was made of fewer is made again.
    assert "scores: made again" in evaluate(*arguments, "--samples-per-position", "2")
    assert answers_in(out) == 48
    assert len(drawing.drawn) == 4
    assert page.read_bytes() != written


def test_failed_calls_are_reported_and_counted(
    positions_path, positions, tmp_path, warm_process, drawing
):
    few = tmp_path / "few.parquet"
    hostile = positions.head(6).assign(position_id=[f"<script>{k}</script>" for k in range(6)])
    write_table(hostile, few, POSITIONS)
    drawing.error, drawing.refused = "InvalidArgumentError: no row has scores", True
    arguments = ["--positions", few, "--model", "openai-api/local/<b>model</b>",
                 "--base-url", "http://127.0.0.1:9/v1", "--retries", "0", "-o", tmp_path / "run"]  # fmt: skip
    said = evaluate(*arguments, code=4)
    assert "0 answered, 6 failed, 0 not asked" in said
    assert "03_kendall_tau cannot be drawn: no row has scores" in said
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert scores["precision_4"].isna().all()
    assert (scores["unscored"] != "").all()
    page = (tmp_path / "run" / "report" / "index.html").read_text()
    assert "<b>model" not in page
    assert "<script>0" not in page


def test_actions_are_drawn_and_what_is_missing_is_made_again(tmp_path, warm_process, monkeypatch):
    out = tmp_path / "run"
    arguments = ["--environment", "boxes", "--task", "continuation", "--depth", "2",
                 "--model", "workbench/simulated", "--limit", "3", "-o", out]  # fmt: skip
    drawing = Drawing()
    drawing.error = "RuntimeError: Kernel died"
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "make_figures", drawing)
        said = evaluate(*arguments, code=1)
    assert "12_environments failed (RuntimeError: Kernel died)" in said
    assert "the same command goes on" in said
    assert (out / "report" / "index.html").exists()
    ((_, given),) = drawing.drawn
    assert (given["own_tables"], given["depth"]) == ([str(out / "scores.parquet")], 2)

    said = evaluate(*arguments)
    assert "figures: 0 of 1 drawn before" in said
    assert "report: written before" in said
    figure = out / "figures" / "12_environments.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    made = files_in(out)
    assert "figures: 1 of 1 drawn before" in evaluate(*arguments)
    assert files_in(out) == made

    for missing in ("report/results.json", "report/model_card.md"):
        (out / missing).unlink()
    said = evaluate(*arguments)
    assert "figures: 1 of 1 drawn before" in said
    assert "report: written before" not in said
    assert files_in(out).keys() == made.keys()
    shutil.rmtree(out / "figures")
    said = evaluate(*arguments)
    assert "figures: 0 of 1 drawn before" in said
    assert "report: written before" in said
    assert files_in(out).keys() == made.keys()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--model", "gpt-4o"], 1, "provider/name"),
        (["--limit", "0"], 2, "0 is not in the range"),
        (["--environment", "nowhere"], 1, "environment: expected one of"),
        (["--environment", "boxes"], 1, "expected chess, which the positions of"),
        (["--month", "2017-04"], 1, "a table of positions or a month"),
        (["--model", "openai/x", "--budget", "1"], 1, "expected a price"),
        (["--task", "rhyme"], 2, "'rhyme' is not one of"),
        (["--prompt", "nothing"], 1, "expected one of"),
    ],
)
def test_refusals_before_anything_is_asked(positions_path, tmp_path, options, code, said):
    out = tmp_path / "run"
    given = ["--positions", positions_path, "--model", "workbench/simulated", "-o", out]
    assert said in evaluate(*given, *options, code=code)
    assert not (out / "run.json").exists()

"""Checkpoints by their names, and the curves of their scores; no model is asked."""

from types import SimpleNamespace

import matplotlib.image
import pandas as pd
import pytest

from workbench import checkpoint_series
from workbench.answers.model_replies import simulate
from workbench.asking.questions import PositionChoice
from workbench.asking.settings import Operation, Question
from workbench.checkpoint_series import Checkpoint, checkpoints_of, evaluate_series, is_pattern
from workbench.errors import (
    AskingError,
    AskingStoppedError,
    InvalidArgumentError,
    RunMismatchError,
)
from workbench.games import cut_games, random_games
from workbench.reports.chapters import read_run
from workbench.scoring import ScoringParameters, score_table
from workbench.statistics.grouped import grouped_means
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for step in (200, 1000, 30, 0):
        (tmp_path / "RUN" / f"step{step}").mkdir(parents=True)
    (tmp_path / "RUN" / "final").mkdir()
    return tmp_path / "RUN"


def test_folders_are_in_the_order_of_their_numbers(run):
    found = checkpoints_of("hf/RUN/step*")
    assert [each.step for each in found] == [0, 30, 200, 1000]
    assert found[1] == Checkpoint(30, "hf/RUN/step30")
    assert [each.name for each in found] == ["step0", "step30", "step200", "step1000"]
    assert checkpoints_of(f"hf/{run}/step1*") == [Checkpoint(1000, f"hf/{run}/step1000")]


def test_bundled_models_have_the_step_of_their_files():
    found = checkpoints_of(["workbench/small", "workbench/small@*"])
    assert [each.step for each in found] == [142, 283, 567, 850, 1275, 1700, 2550, 3400]
    assert found[-1].model == "workbench/small"
    # A name twice is one checkpoint.
    assert checkpoints_of("workbench/small@142, workbench/small@1*")[0] == found[0]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("step100", 100), ("checkpoint-500", 500), ("global_step007", 7), ("pythia-70m@step3000", 3000),
        ("iter_0001000", 1000), ("gpt2-small-x21-checkpoint-400000", 400000), ("12", 12),
    ],
)  # fmt: skip
def test_names_with_a_step(name, step):
    assert checkpoints_of(f"hf/RUN/{name}") == [Checkpoint(step, f"hf/RUN/{name}")]


@pytest.mark.parametrize("name", ["final", "step100k", "step1.5", "a-1-2", "7b"])
def test_names_without_one_are_refused(name):
    with pytest.raises(InvalidArgumentError, match=rf"step100 or checkpoint-500, got '{name}'"):
        checkpoints_of(["hf/RUN/step1", f"hf/RUN/{name}"])


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ("hf/RUN/epoch*", "RUN has final, step0, step1000, step200, step30"),
        ("hf/elsewhere/epoch*", "there is no folder elsewhere"),
        ("workbench/big@*", "bundled are tiny, small, medium, player, small@142"),
        (["hf/RUN/step30", "hf/other/step30"], "hf/RUN/step30 and hf/other/step30 at step 30"),
        ([], "expected names or patterns"),
        ("hf/RUN/*", "RUN/final: expected a name with the step"),
    ],
)
def test_what_selects_no_series(run, models, words):
    with pytest.raises(InvalidArgumentError, match=words):
        checkpoints_of(models)


def test_what_is_a_pattern():
    assert [*map(is_pattern, ["workbench/small", "workbench/small@*", "a/b1,a/b2"])] == [
        False,
        True,
        True,
    ]


class Evaluation:
    """Takes the place of asking: a tracker whose slip rate is 1 / step answers, or an error comes."""

    def __init__(self):
        self.errors = {}
        self.evaluated = []

    def __call__(self, out, choice, question, operation, scoring, *, chosen, confirm=None, **_):
        self.evaluated.append((out.name, operation.budget))
        if question.model in self.errors:
            raise self.errors[question.model]
        if confirm is not None and not confirm("estimate"):
            raise AskingError("nothing was asked, because the estimate was not accepted")
        out.mkdir(exist_ok=True)
        (out / "answers.jsonl").touch()
        positions = read_table(chosen, POSITIONS)
        write_table(positions, out / "positions.parquet", POSITIONS)
        step = int(question.model.partition("step")[2])
        replies = simulate(positions, rate=min(1, 10 / max(step, 10)), seed=0)
        write_table(replies.assign(model=question.model), out / "predictions.parquet", PREDICTIONS)
        if not (out / "scores.parquet").exists():
            score_table(out / "predictions.parquet", out / "scores.parquet", scoring)
        return SimpleNamespace(asking=SimpleNamespace(notes=[], failed={}))


@pytest.fixture
def evaluation(monkeypatch):
    evaluation = Evaluation()
    monkeypatch.setattr(checkpoint_series, "evaluate", evaluation)
    return evaluation


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the table and the figures out."""
    monkeypatch.setattr(checkpoint_series._Curves, "result", lambda self, answers: answers)


@pytest.fixture(scope="module", autouse=True)
def positions(tmp_path_factory):
    games = random_games(30, 14, seed=3)
    table = cut_games(games, groups=(2, 5), per_group=10, seed=3).positions
    Choice.table = tmp_path_factory.mktemp("positions") / "positions.parquet"
    write_table(table, Choice.table, POSITIONS)


class Choice:
    """The table of positions that chess is asked about."""

    table = None


def series(out, *models, environment="chess", **options):
    table = Choice.table if environment == "chess" else None
    choice = PositionChoice(environment, table, limit=options.pop("limit", 10))
    question = Question("hf/RUN/step1", environment=environment, **options.pop("question", {}))
    operation = Operation(budget=options.pop("budget", None))
    scoring = ScoringParameters(options.pop("depth", 2))
    return evaluate_series(
        out, checkpoints_of(list(models)), choice, question, operation, scoring, **options
    )


STEPS = ("hf/RUN/step0", "hf/RUN/step20", "hf/RUN/step400")


@pytest.mark.slow
def test_the_table_has_the_numbers_of_single_evaluations(tmp_path, evaluation):
    out = tmp_path / "series"
    done = series(out, *STEPS)
    assert [name for name, _ in evaluation.evaluated] == ["step0", "step20", "step400"]
    tables = [read_run(out / name).scores for name in ("step0", "step20", "step400")]
    assert len({tuple(table["position_id"]) for table in tables}) == 1
    overall = done.table[done.table["length"] == "all"].set_index(["model", "measure"])
    for model, rows in zip(STEPS, tables, strict=True):
        single = grouped_means(rows, "precision_2", within=(0, 1)).iloc[0]
        row = overall.loc[(model, "precision")]
        assert row[["mean", "low", "high"]].tolist() == pytest.approx(
            single[["value", "low", "high"]].tolist(), nan_ok=True
        )
        assert (row["count"], row["failed"]) == (10, 0)
    assert done.headline["step"].tolist() == ["", "0", "20", "400"]
    assert "p_2" in repr(done)
    pd.testing.assert_frame_equal(pd.read_parquet(out / "series.parquet"), done.table)
    # Two steps above 0 have a way, and the control ends where the last checkpoint does.
    assert set(done.rises["of"]) == {"series", "simulated"}
    assert [path.name for path in done.figures] == ["series.png", "rise_order.png"]
    assert all(matplotlib.image.imread(path).shape[1] > 1000 for path in done.figures)
    # One more step joins.
    more = series(out, *STEPS, "hf/RUN/step800")
    assert len(more.headline) == 5


@pytest.mark.slow
def test_one_checkpoint_has_a_figure_and_no_order(tmp_path, evaluation):
    done = series(tmp_path / "series", "hf/RUN/step20")
    assert done.rises.empty
    assert [path.name for path in done.figures] == ["series.png"]
    assert "half of the way" not in repr(done)


@pytest.mark.slow
def test_what_does_not_rise_has_no_order(tmp_path, evaluation):
    """At step 10 and below the tracker slips at every ply; the baseline is no worse."""
    done = series(tmp_path / "series", "hf/RUN/step5", "hf/RUN/step10")
    steps = done.rises[done.rises["of"] == "series"].set_index("measure")
    falls = steps.index == "levenshtein"
    worse = (steps["end"] >= steps["start"]).where(falls, steps["end"] <= steps["start"])
    assert worse.any()
    assert steps["step"].isna().tolist() == worse.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["boxes", "othello"])
def test_other_environments(tmp_path, evaluation, environment):
    done = series(tmp_path / "series", *STEPS[1:], environment=environment, limit=6, depth=1)
    assert "exact" in done.headline
    assert "exact_match" in set(done.rises["measure"])


@pytest.mark.slow
def test_one_that_cannot_be_loaded_is_named_and_the_others_are_kept(tmp_path, evaluation):
    out = tmp_path / "series"
    evaluation.errors["hf/RUN/step20"] = InvalidArgumentError("no file named model.safetensors")
    with pytest.raises(AskingStoppedError) as raised:
        series(out, *STEPS)
    words = str(raised.value)
    assert "2 of 3 checkpoints are evaluated, and 1 could not be loaded" in words
    assert "hf/RUN/step20: no file named model.safetensors; mend it" in words
    assert set(pd.read_parquet(out / "series.parquet")["step"]) == {0, 400}
    evaluation.errors["hf/RUN/step0"] = evaluation.errors["hf/RUN/step400"] = InvalidArgumentError(
        "x"
    )
    with pytest.raises(InvalidArgumentError, match="x"):
        series(tmp_path / "other", *STEPS)


def test_a_stop_names_the_checkpoint(tmp_path, evaluation, undrawn):
    evaluation.errors["hf/RUN/step20"] = AskingStoppedError("asking stopped: killed")
    with pytest.raises(
        AskingStoppedError, match="step20, checkpoint 2 of 3: asking stopped: killed"
    ):
        series(tmp_path / "series", *STEPS)
    assert [name for name, _ in evaluation.evaluated] == ["step0", "step20"]


def test_the_estimate_is_confirmed_once(tmp_path, evaluation, undrawn):
    asked = []
    series(tmp_path / "series", *STEPS, confirm=lambda each: asked.append(each) or True)
    assert asked == ["estimate"]
    with pytest.raises(AskingError, match="not accepted"):
        series(tmp_path / "other", *STEPS, confirm=lambda each: False)
    assert len(evaluation.evaluated) == 4


def test_the_budget_is_of_the_series(tmp_path, evaluation, undrawn, monkeypatch):
    from workbench.asking.costs import Price

    out = tmp_path / "series"
    spent = {"step0": 0.5, "step20": 0.25, "step400": 0.0}
    monkeypatch.setattr(
        checkpoint_series,
        "journal_record",
        lambda folder, price: SimpleNamespace(dollars=spent[folder.name]),
    )
    series(out, *STEPS, budget=1.0, price=Price(1, 1))
    assert [budget for _, budget in evaluation.evaluated] == [1.0, 0.5, 0.25]
    # What is not in this call has its share too.
    series(out, *STEPS[1:], budget=1.0, price=Price(1, 1))
    assert [budget for _, budget in evaluation.evaluated[3:]] == [0.5, 0.25]
    with pytest.raises(
        AskingStoppedError, match=r"step400.*0.7500 dollars.*budget of 0.75 dollars"
    ):
        series(out, *STEPS, budget=0.75, price=Price(1, 1))


def test_other_settings_are_refused_before_anything_is_asked(tmp_path, evaluation, undrawn):
    out = tmp_path / "series"
    series(out, "hf/RUN/step20")
    before = len(evaluation.evaluated)
    for options, words in (
        ({"limit": 15}, "limit: found 10, requested 15"),
        ({"depth": 3}, "scoring depth: found 2, requested 3"),
        ({"question": {"temperature": 0.5}}, "question temperature: found None, requested 0.5"),
        ({"question": {"prompt": "few-shot"}}, "question prompt: found"),
    ):
        with pytest.raises(RunMismatchError, match=words):
            series(out, "hf/RUN/step10", **options)
    # A folder about other positions that was put there.
    positions, _ = PositionChoice("chess", Choice.table, limit=5).choose()
    (out / "step10").mkdir()
    write_table(positions[POSITIONS.names], out / "step10" / "positions.parquet", POSITIONS)
    with pytest.raises(RunMismatchError, match="expected the 10 positions of the series, got 5"):
        series(out, "hf/RUN/step10")
    with pytest.raises(InvalidArgumentError, match="all load 'RUN/step1'"):
        series(out, "hf/RUN/step20", question={"model_args": {"model_path": "RUN/step1"}})
    assert len(evaluation.evaluated) == before

"""An audit that asks: as many questions as it announces, none twice, and the rest after a stop."""

import pandas as pd
import pytest
from click.testing import CliRunner

import workbench as wb
from workbench.asking.journal import journal_record
from workbench.cli import main
from workbench.errors import InvalidArgumentError, RunMismatchError

pytest.importorskip("inspect_ai")

MODEL = "workbench/simulated"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(out):
    """How many questions the runs of an audit have answers to."""
    return sum(len(journal_record(path.parent).answered(0)) for path in out.glob("*/run.json"))


@pytest.mark.slow
def test_as_many_questions_are_asked_as_announced_and_none_twice(folder, capsys):
    arguments = {"limit": 6, "environment": "boxes", "depth": 1, "out": "audit"}
    first = wb.audit(MODEL, relations=["next_action", "repeat"], **arguments)
    assert first.announcement == (
        "18 questions in one prompt: 0 answered by other runs, 0 before, 18 to ask"
    )
    assert first.questions == 18 == asked(folder / "audit")
    assert first.announcement in capsys.readouterr().err
    again = wb.audit(MODEL, relations=["next_action", "repeat"], **arguments)
    assert again.announcement.endswith("18 before, 0 to ask")
    assert asked(folder / "audit") == 18
    assert again.pairs.equals(first.pairs)
    # More relations ask about what is new alone.
    more = wb.audit(MODEL, relations=["next_action", "transposition"], **arguments)
    assert f"12 answered by other runs, 0 before, {more.questions - 12} to ask" in more.announcement
    assert asked(folder / "audit") == 18 + more.questions - 12


@pytest.mark.slow
def test_answers_of_an_earlier_run_are_not_asked_for_again(folder):
    positions = wb.positions(6, "boxes")
    wb.ask(positions, MODEL, out="run")
    done = wb.audit(MODEL, positions, relations="next_action", depth=1, out="audit", reuse="run")
    assert done.announcement == (
        "12 questions in one prompt: 6 answered by other runs, 0 before, 6 to ask"
    )
    assert asked(folder / "audit") == 6
    assert not done.pairs["failed"].any()
    with pytest.raises(RunMismatchError, match="same question to workbench/tiny"):
        wb.audit("workbench/tiny", limit=3, relations="repeat", out="other", reuse="run")


@pytest.mark.slow
def test_a_model_without_slips_is_consistent_when_asked(folder):
    done = wb.audit(MODEL, limit=4, environment="othello", depth=1, model_args={"rate": 0})
    assert (done.pairs["consistency"] == 1).all()
    assert {"next_action", "transposition", "symmetry", "repeat"} == {*done.pairs["relation"]}
    assert "reads actions alone" in done.left_out["paraphrase"]
    assert "paraphrase left out: " in repr(done)
    assert "<table" in done._repr_html_()


def test_a_hosted_model_is_not_attacked_by_name(folder):
    arguments = ["audit", "--model", "openai/gpt-4o", "--attack", "50", "--yes"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "a hosted model is attacked within a budget" in done.output
    assert not (folder / "audit").exists()


def test_samples_and_two_sources_are_refused():
    with pytest.raises(InvalidArgumentError, match="repeat asks the same question once more"):
        wb.audit(MODEL, limit=2, samples_per_position=2)
    with pytest.raises(
        InvalidArgumentError, match="one that can be asked, got paraphrase: the model"
    ):
        wb.audit("workbench/tiny", limit=2, relations="paraphrase")


def test_the_command_compares_recorded_replies(folder):
    wb.recorded_replies(models="o3-2025-04-16").head(30).to_parquet("replies.parquet")
    done = CliRunner().invoke(main, ["audit", "--replies", "replies.parquet", "--depth", "1"])
    assert done.exit_code == 0, done.output
    assert "no questions" in done.output
    assert "next_action" in done.output
    assert len(pd.read_parquet("audit/pairs.parquet")) > 20
    for arguments in (["audit"], ["audit", "--replies", "replies.parquet", "--model", MODEL]):
        done = CliRunner().invoke(main, arguments)
        assert (done.exit_code, "expected --model to ask" in done.output) == (2, True)


@pytest.mark.slow
def test_the_command_asks_and_writes_contradictions(folder):
    arguments = [
        "audit",
        "--model",
        "workbench/tiny",
        "--limit",
        "4",
        "--depth",
        "1",
        "--contradictions",
        "1",
        "--attack",
        "40",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert (
        "16 questions in one prompt: 0 answered by other runs, 0 before, 16 to ask" in done.output
    )
    assert "colour_flip left out: " in done.output
    page = (folder / "audit" / "contradiction_1.html").read_text()
    assert "questions of at most 40, " in done.output
    assert "Two answers, of which the first stands as true." in page


def test_recorded_replies_take_no_positions():
    replies = wb.recorded_replies(models="o3-2025-04-16").head(20)
    with pytest.raises(InvalidArgumentError, match="expected none beside recorded replies"):
        wb.audit(replies, wb.positions(2))
    done = wb.audit(replies.head(5), depth=1)
    assert done.summary()["model"].tolist() == ["o3-2025-04-16"] * len(done.summary())
    assert done.model == "o3-2025-04-16"

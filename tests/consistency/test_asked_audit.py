"""An audit that asks: as many questions as it announces, none twice, and the rest after a stop."""

import pytest

import workbench as wb
from workbench.asking.journal import journal_record
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
        "18 questions in one prompt: 0 answered in other runs, 0 in this one, 18 to ask"
    )
    assert first.questions == 18 == asked(folder / "audit")
    assert first.announcement in capsys.readouterr().err
    again = wb.audit(MODEL, relations=["next_action", "repeat"], **arguments)
    assert again.announcement.endswith("18 in this one, 0 to ask")
    assert asked(folder / "audit") == 18
    assert again.pairs.equals(first.pairs)
    # More relations ask about what is new alone.
    more = wb.audit(MODEL, relations=["next_action", "transposition"], **arguments)
    assert (
        f"12 answered in other runs, 0 in this one, {more.questions - 12} to ask"
        in more.announcement
    )
    assert asked(folder / "audit") == 18 + more.questions - 12


@pytest.mark.slow
def test_answers_of_an_earlier_run_are_not_asked_for_again(folder):
    positions = wb.positions(6, "boxes")
    wb.ask(positions, MODEL, out="run")
    done = wb.audit(MODEL, positions, relations="next_action", depth=1, out="audit", reuse="run")
    assert done.announcement == (
        "12 questions in one prompt: 6 answered in other runs, 0 in this one, 6 to ask"
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


def test_recorded_replies_take_no_positions():
    replies = wb.recorded_replies(models="o3-2025-04-16").head(20)
    with pytest.raises(InvalidArgumentError, match="expected none beside recorded replies"):
        wb.audit(replies, wb.positions(2))
    done = wb.audit(replies.head(5), depth=1)
    assert done.summary()["model"].tolist() == ["o3-2025-04-16"] * len(done.summary())
    assert done.model == "o3-2025-04-16"

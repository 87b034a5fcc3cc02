"""The answers of a class, from ten saved copies: empty, right, wrong, hostile and broken ones."""

import json
import math
import re

import nbformat
import pytest
from click.testing import CliRunner

import workbench
from workbench.cli import main
from workbench.errors import OutputError
from workbench.explore.lesson.affordance_questions import affordance_lesson
from workbench.explore.lesson.saved_lesson import RECORD_TYPE
from workbench.front_door.class_answers import class_answers, class_page, csv_text, missed
from workbench.headless.class_lessons import write_lessons

NAME = "1_what_a_board_permits"
TASK, CHOICE, SHARE = "moves at the start", "a board without a king", "one pawn, first move"
HOSTILE = "=HYPERLINK(1)<script>alert(1)</script>\x1b[2J\ud800"


def save(path, student, lesson, rows=()):
    """Write a copy whose last cell holds the records of a lesson, or those given."""
    notebook = nbformat.from_dict(json.loads(student.read_text()))
    record = list(rows) or [lesson._row(name) for name in lesson.questions]
    notebook.cells[-1].outputs = [
        nbformat.v4.new_output("display_data", data={RECORD_TYPE: record})
    ]
    path.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    write_lessons(folder / "source")
    student = folder / "source" / f"{NAME}.ipynb"
    copies = folder / "copies"
    (copies / "late").mkdir(parents=True)
    (copies / "untouched.ipynb").write_bytes(student.read_bytes())
    lesson = affordance_lesson()
    save(copies / "run.ipynb", student, lesson)
    lesson.guess(CHOICE).make("a")
    lesson.guess(SHARE).make(0.25)
    lesson.check({TASK: 18})
    save(copies / "wrong answer (1).ipynb", student, lesson)
    lesson.check({TASK: 20})
    save(copies / "late" / "second try.ipynb", student, lesson)
    row = {"question": TASK, "kind": "task", "answer": HOSTILE, "result": HOSTILE, "at": 1}
    save(copies / "hostile.ipynb", student, lesson, [row, {"question": 3}])
    (copies / "half.ipynb").write_bytes(student.read_bytes()[:5000])
    (copies / "empty.ipynb").write_bytes(b"")
    (copies / "deep.ipynb").write_text("[" * 200_000)
    (copies / "another.ipynb").write_text(json.dumps({"cells": []}))
    (copies / "a folder.ipynb").mkdir()
    return copies


def test_every_copy_has_a_row_and_a_broken_one_its_reason(copies):
    # The front door takes the path as text too.
    answers, files = workbench.class_answers(str(copies))
    by_file = files.set_index("file")
    assert len(by_file) == 10
    reasons = by_file["reason"][by_file["reason"] != ""]
    assert set(reasons.index) == {
        "half.ipynb", "empty.ipynb", "deep.ipynb", "another.ipynb", "a folder.ipynb",
    }  # fmt: skip
    assert "expected whole JSON" in reasons["half.ipynb"]
    assert "expected a lesson" in reasons["another.ipynb"]
    shown = by_file[["sections", "right", "wrong", "open", "several tries", "guesses"]]
    assert shown.loc["untouched.ipynb"].tolist() == ["0 of 5", "0 of 15", "0", "15", "0", "0 of 6"]
    assert shown.loc["run.ipynb"].equals(shown.loc["untouched.ipynb"])
    assert shown.loc["wrong answer (1).ipynb"].tolist() == [
        "0 of 5", "0 of 15", "1", "14", "0", "2 of 6",
    ]  # fmt: skip
    assert shown.loc["late/second try.ipynb"].tolist() == [
        "1 of 5", "1 of 15", "0", "14", "1", "2 of 6",
    ]  # fmt: skip
    of_one = answers[answers["file"] == "wrong answer (1).ipynb"].set_index("question")
    assert of_one.loc[TASK, ["answer", "result", "wrong answers"]].tolist() == ["18", "wrong", "18"]
    value = affordance_lesson().questions[SHARE].value
    assert of_one.loc[SHARE, "error"] == abs(value - 0.25)
    assert math.isnan(of_one.loc[TASK, "error"])
    assert math.isnan(of_one.loc[CHOICE, "error"])
    first = missed(answers).iloc[0]
    assert (first["question"], first["copies"], first["missed"]) == (TASK, 5, 2)
    assert first["wrong answers"] == "18 (2)"


def test_the_page_says_who_is_where(copies):
    page = class_page(*class_answers(copies))
    rows = re.findall("<tr.*?>(.*?)</tr>", page, re.DOTALL)
    cells = [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in rows]
    sections = {name: words[:5] for name, *words in reversed(cells)}
    assert sections["file"] == [f"section {number}" for number in range(1, 6)]
    assert sections["untouched.ipynb"] == ["open"] * 5
    assert sections["wrong answer (1).ipynb"] == ["1 wrong", "open", "1 of 8", "open", "open"]
    assert sections["late/second try.ipynb"] == ["done", "open", "1 of 8", "open", "open"]
    # The folder of the teacher's machine is nobody's business.
    assert str(copies) not in page


def test_hostile_texts_are_text(copies):
    answers, files = class_answers(copies)
    page = class_page(answers, files)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    table = csv_text(answers, files)
    table.encode("utf-8")
    assert "\x1b" not in table
    assert ",=HYPERLINK" not in table
    assert "'=HYPERLINK" in table
    assert "half.ipynb" in table


@pytest.mark.parametrize("suffix", ["csv", "html"])
def test_the_command_prints_and_writes(copies, tmp_path, suffix):
    out = tmp_path / f"answers.{suffix}"
    done = CliRunner().invoke(main, ["class-answers", str(copies), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "Missed most" in done.output
    assert "empty.ipynb: " in done.output
    assert "late/second try.ipynb" in out.read_text()
    again = CliRunner().invoke(main, ["class-answers", str(copies), "-o", str(out)])
    assert again.exit_code == 2
    assert "expected a new file" in again.output


def test_a_folder_without_copies_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(OutputError, match="expected"):
            class_answers(folder)

"""What a lesson leaves behind: guesses that come back in a new kernel, and rows in saved outputs."""

import json
from pathlib import Path

import nbformat
import pytest

from workbench.errors import NotebookError
from workbench.explore.lesson.lesson_questions import ChoiceQuestion, NumberQuestion
from workbench.explore.lesson.lesson_record import Lesson
from workbench.explore.lesson.saved_lesson import (
    RECORD_TYPE,
    file_beside,
    notebook_path,
    read_cells,
    read_saved,
    saved_rows,
)

HOSTILE = "<img src=x onerror=alert(1)>"


def new_lesson():
    first = NumberQuestion("first", "How much?", 0.25)
    second = ChoiceQuestion("second", "Which?", ("one", "two"), "b")
    return Lesson([first, second], [NumberQuestion("task", "How much?", 0.75, hint="Add.")])


def notebook_of(path, *bundles):
    """Write a notebook, a cell for each bundle of data of an output."""
    outputs = [nbformat.v4.new_output("display_data", data=bundle) for bundle in bundles]
    cells = [nbformat.v4.new_code_cell("shown", outputs=[output]) for output in outputs]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """The path that Jupyter's server would name in the kernel's environment."""
    path = tmp_path / "my lesson.ipynb"
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    notebook_of(path)
    return path


def summary_of(lesson):
    return lesson.summary()["result"].to_dict()


def test_guesses_and_wrong_answers_come_back_in_a_new_kernel(notebook, capsys):
    lesson = new_lesson().continued(None)
    lesson.guess("first").make(0.3)
    lesson.guess("second").make("a")
    lesson.check({"task": 0.5})
    assert capsys.readouterr().out == ""
    again = new_lesson().continued(None)
    assert again.guess("first").outcome == lesson.guess("first").outcome
    assert summary_of(again) == {
        "first": "2 of 2 points",
        "second": "0 of 2 points",
        "task": "not answered",
    }
    assert again.check({"task": 0.75}).rows[0]["wrong"] == ["0.5"]
    said = capsys.readouterr().out
    assert "Guesses of an earlier session that are back: 2;" in said
    assert "lesson.start_over()" in said


def test_without_the_file_the_saved_outputs_have_the_guesses(notebook):
    lesson = new_lesson().continued(None)
    lesson.guess("first").make(0.9)
    checked = lesson.check({"task": 0.5})
    bundles = [lesson.guess("first")._still_bundle(), checked._repr_mimebundle_()]
    notebook_of(notebook, *bundles)
    file_beside(notebook).unlink()
    again = new_lesson().continued(None)
    assert again.guess("first").outcome["guess"] == 0.9
    assert not again.guess("second").made
    assert again.check({"task": 0.25}).rows[0]["wrong"] == ["0.5", "0.25"]


def test_starting_over_forgets_the_guesses_of_outputs_too(notebook, capsys):
    lesson = new_lesson().continued(None)
    lesson.guess("first").make(0.9)
    lesson.check({"task": 0.5})
    notebook_of(notebook, lesson.guess("first")._still_bundle())
    lesson.start_over()
    assert "Put ... back" in capsys.readouterr().out
    for fresh in (lesson, new_lesson().continued(None)):
        assert not fresh.guess("first").made
        assert fresh.guess("first").score["made"] == 0
    assert read_saved(notebook) == ({}, {})
    lesson.guess("first").make(0.25)
    assert new_lesson().continued(None).guess("first").outcome["points"] == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"guesses": 3, "wrong": {}}', "[" * 100_000])
def test_a_file_that_cannot_be_read_is_named_and_stays(notebook, content, capsys):
    file_beside(notebook).write_text(content)
    lesson = new_lesson().continued(None)
    said = capsys.readouterr().out
    assert f"No guesses of an earlier session: {file_beside(notebook)}: expected" in said
    assert "run lesson.start_over()" in said
    lesson.guess("first").make(0.3)
    assert file_beside(notebook).read_text() == content
    lesson.start_over()
    lesson.guess("first").make(0.4)
    assert read_saved(notebook).guesses == {"first": 0.4}


def test_a_guess_that_is_none_is_made_again(notebook, capsys):
    stored = {"first": HOSTILE, "second": ["a", {}], "unknown": 1}
    file_beside(notebook).write_text(json.dumps({"guesses": stored, "wrong": {"task": [1, "x"]}}))
    lesson = new_lesson().continued(None)
    assert not any(lesson.guess(name).made for name in ("first", "second"))
    assert "have to be made again: 2;" in capsys.readouterr().out
    assert lesson.check({"task": 0.5}).rows[0]["wrong"] == ["x", "0.5"]


def test_where_nothing_can_be_stored_the_answer_is_judged_all_the_same(notebook, capsys):
    lesson = new_lesson().continued(None)
    file_beside(notebook).mkdir()
    assert repr(lesson.check({"task": 0.5})) == "task: Not right. Add."
    assert "are lost when the kernel ends" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "console", "missing/lesson.ipynb"])
def test_without_a_notebook_nothing_is_stored(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", name)
    assert notebook_path() is None
    lesson = new_lesson().continued(None)
    lesson.guess("first").make(0.5)
    lesson.start_over()
    assert list(Path().iterdir()) == []


def test_a_saved_notebook_holds_no_value_before_the_guess():
    lesson = new_lesson()
    widget = lesson.guess("first")
    assert widget._still_bundle()[RECORD_TYPE] == [widget.row()]
    assert "value" not in widget.row()
    widget.make(0.3)
    made = widget.row()
    assert (made["guess"], made["value"], made["points"]) == (0.3, 0.25, 2)
    assert lesson.solution({"task": 0.75})._repr_mimebundle_()[RECORD_TYPE] == []


def test_the_last_row_of_a_question_counts_and_others_are_counted(tmp_path):
    row = {"question": "task", "kind": "task", "answer": "1", "result": "wrong", "at": 2}
    records = [
        [row, {**row, "at": 3, "result": "right"}],
        [{**row, "at": 1, "result": "not answered"}, {**row, "at": float("nan")}, 7],
        {**row, "question": "other"},
        "text",
    ]
    path = tmp_path / "copy.ipynb"
    path.write_text(
        json.dumps(
            {
                "cells": [
                    {"cell_type": "code", "outputs": [{"data": {RECORD_TYPE: record}}, None]}
                    for record in records
                ]
                + [{"cell_type": "markdown"}, 3, {"cell_type": "code", "outputs": 3}]
            }
        )
    )
    rows, unreadable = saved_rows(read_cells(path))
    assert {name: each["result"] for name, each in rows.items()} == {
        "task": "right",
        "other": "wrong",
    }
    assert unreadable == 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "expected whole JSON"),
        (b"\xff\xfe", "expected whole JSON"),
        (b"[" * 200_000, "lists in lists without end"),
        (b"[]", "a list of cells"),
        (b'{"cells": {}}', "a list of cells"),
        (b"1" * 10_000, "expected whole JSON"),
    ],
)
def test_a_broken_notebook_is_refused_with_its_reason(tmp_path, content, reason):
    path = tmp_path / "copy.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError, match=reason):
        read_cells(path)

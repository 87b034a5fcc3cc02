"""RunBrowser without Python: the sample, and the answers of its JavaScript against those of Python."""

import base64
import json
import shutil
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from workbench.answers.recorded_replies import recorded_replies
from workbench.explore.run.run_browser import RunBrowser
from workbench.explore.run.run_sample import sample_numbers
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score

TWIN = Path(__file__).parent / "javascript" / "run_answers_process.mjs"
SORTS = [
    "",
    "position_id",
    "model",
    "precision",
    "edit_distance",
    "reply_class",
    "group",
    "disagreement",
]


@pytest.fixture(scope="module")
def browser():
    replies = recorded_replies(settings=["", "thinking=0", "thinking=8192"])
    return RunBrowser(score(replies.sample(300, random_state=1), ScoringParameters(depth=2)))


def unpacked(state):
    return json.loads(zlib.decompress(base64.b64decode(state["packed"])))


def random_choices(table, count):
    """Choices as the page asks them: some filters, a range or a question, and a column to sort by."""
    generator = np.random.default_rng(5)
    offered = table.choices
    choices = []
    for number in range(count):
        choice = table.questions()["rows"]
        for name in generator.permutation(
            ["sets", "models", "settings", "groups", "classes", "wrong_fields", "flags"]
        )[: number % 3]:
            names = [name for name, *_ in offered[name]]
            if names:
                choice[name] = [
                    str(each) for each in generator.choice(names, 2 if name != "models" else 1)
                ]
        if number % 4 == 0:
            choice["precision_range"] = [float(generator.random() / 2), None]
        if number % 5 == 0:
            choice["distance_range"] = [None, float(generator.integers(1, 30))]
        if number % 7 == 0:
            choice["metric_ranges"] = {"recall": [0.1, 0.9]}
        if number % 6 == 0:
            choice["text"] = str(generator.integers(10))
        if number % 9 == 0:
            choice["lasso"] = generator.choice(300, 80, replace=False).tolist()
        choice["disagreement"] = ["", "", "", "near_far", "far_near"][number % 5]
        choice["sort_by"] = SORTS[generator.integers(len(SORTS))]
        choice["descending"] = bool(number % 2)
        choices.append(choice)
    return choices


def ask_page(state, questions, opened=()):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the JavaScript is not tested")
    content = {
        "sample": unpacked(state),
        "words": state["words"],
        "questions": questions,
        "opened": list(opened),
    }
    done = subprocess.run(
        [node, str(TWIN)],
        input=json.dumps(content),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout)


def ask_python(table, question):
    sent = []
    table.send = lambda content, buffers=None: sent.append(content)
    table.answer(table, question)
    return sent[-1]


def above_none(facets):
    return {
        name: {value: count for value, count in counts.items() if count}
        for name, counts in facets.items()
    }


def test_the_page_answers_as_python_does(browser):
    table = browser.table
    choices = random_choices(table, 200)
    questions = [
        {**choice, "kind": kind, "serial": "s"} for choice in choices for kind in ("rows", "models")
    ]
    answers = ask_page(table.page_state(), questions)["answers"]
    sizes = set()
    for question, answer in zip(questions, answers, strict=True):
        expected = ask_python(table, question)
        assert expected["kind"] == question["kind"]
        if question["kind"] == "rows":
            sizes.add(len(answer["order"]))
            # A value without rows may be listed or not.
            counts, others = (above_none(each.pop("facets")) for each in (answer, expected))
            assert counts == others
            assert answer == expected
            continue
        for row, other in zip(answer["rows"], expected["rows"], strict=True):
            if row["low"] is None:
                other = other | {"low": None, "high": None}
            # A filter may leave no row of a length that the run has.
            curve = dict(zip(expected["lengths"], other.pop("by_length"), strict=True))
            own = dict(zip(answer["lengths"], row.pop("by_length"), strict=True))
            assert {name: own[name] for name in curve} == pytest.approx(curve)
            means = ("mean", "readable")
            assert [row.pop(name) for name in means] == pytest.approx(
                [other.pop(name) for name in means]
            )
            assert row == other
    assert len(sizes) > 20


def test_an_open_row_has_the_boards_of_python(browser):
    table = browser.table
    rows = range(0, 300, 7)
    for row, page in zip(rows, ask_page(table.page_state(), [], rows)["opened"], strict=True):
        browser.open_row(row)
        expected = table.opened
        for name in ("title", "true_fen", "true_board", "depth"):
            assert page[name] == expected[name]
        assert page["facts"][0] == expected["facts"][0]
        for name in ("fen", "board"):
            assert page["reply"][name] == expected["reply"][name]
        for name in ("different", "fields"):
            assert sorted(page["reply"][name]) == sorted(expected["reply"][name])
    browser.table.opened = {}


def test_a_sample_has_each_model_and_the_open_row(browser):
    run = browser.table.run
    numbers = sample_numbers(run, 60, opened=123)
    assert len(set(numbers.tolist())) == 60
    assert 123 in numbers
    assert numbers.tolist() == sorted(numbers)
    names = run.rows["model_setting"]
    assert set(names.iloc[numbers]) == set(names)
    assert sample_numbers(run, 60, opened=123).tolist() == numbers.tolist()
    assert sample_numbers(run, 400).tolist() == list(range(300))


def test_a_backward_range_is_refused_on_the_page(browser):
    question = {
        **browser.table.questions()["rows"],
        "precision_range": [1, 0],
        "kind": "rows",
        "serial": "s",
    }
    (answer,) = ask_page(browser.table.page_state(), [question])["answers"]
    assert answer["kind"] == "failed"
    assert "low end is at most its high end, got 1 to 0" in answer["message"]

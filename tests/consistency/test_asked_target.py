"""A model under attack that is asked through Inspect: budget, failed calls, and what is asked again."""

from types import SimpleNamespace

import pandas as pd
import pytest

from workbench.asking.costs import Price
from workbench.asking.settings import Operation, Question
from workbench.consistency import asked_target
from workbench.consistency.asked_target import AskedTarget
from workbench.consistency.attack import attack
from workbench.errors import AskingStoppedError, InvalidArgumentError
from workbench.tables.parquet_tables import POSITIONS, read_table

HOSTED = Question("openai/gpt-4o", environment="othello")


@pytest.fixture
def asked(monkeypatch):
    """Calls of the run, answered with the true state; each position costs a cent."""
    calls = []

    def ask(source, out, question, operation, *, price):
        rows = read_table(source, POSITIONS)
        calls.append((out, operation.budget, rows))
        # The table of a run is in another order than the positions.
        replies = rows.iloc[::-1].assign(
            reply_class="valid", predicted_state=rows["true_state"].iloc[::-1]
        )
        return SimpleNamespace(predictions=replies, dollars=0.01 * len(rows))

    monkeypatch.setattr(asked_target, "ask", ask)
    return calls


def test_one_run_a_depth_within_what_is_left_of_the_budget(asked, tmp_path):
    target = AskedTarget(HOSTED, tmp_path, Operation(budget=1), Price(1, 1))
    met = attack(target, "othello", searches=2, budget=60)
    assert not any(each.wrong for each in met.searches)
    sizes = [len(rows) for _, _, rows in asked]
    assert sum(sizes) == met.questions <= 60
    assert target.dollars == pytest.approx(met.questions / 100)
    spent = [sum(sizes[:depth]) / 100 for depth in range(len(sizes))]
    assert [budget for _, budget, _ in asked] == pytest.approx([1 - each for each in spent])
    folders = [out for out, _, _ in asked]
    assert len(set(folders)) == len(folders)
    again = AskedTarget(HOSTED, tmp_path, Operation(budget=1), Price(1, 1))
    attack(again, searches=2, budget=60)
    # In the same folders, where the answers lie.
    assert [out for out, _, _ in asked] == folders * 2


def test_a_spent_budget_stops_the_search_and_says_where_the_answers_are(asked, tmp_path):
    target = AskedTarget(HOSTED, tmp_path, Operation(budget=0.05), Price(1, 1))
    with pytest.raises(AskingStoppedError, match="dollars is spent; all answers"):
        attack(target, "othello", searches=1, budget=500)


def test_a_reply_without_a_state_is_wrong_and_a_failed_call_is_none(asked, tmp_path, monkeypatch):
    answer = asked_target.ask

    def ask(*arguments, **options):
        result = answer(*arguments, **options)
        kinds = ["failed", "absent", "valid", "unparseable"] * len(result.predictions)
        table = result.predictions.assign(reply_class=kinds[: len(result.predictions)])
        table.loc[table["reply_class"].isin(["failed", "absent"]), "predicted_state"] = None
        return SimpleNamespace(predictions=table, dollars=None)

    target = AskedTarget(HOSTED, tmp_path, Operation(budget=1), Price(1, 1))
    environment = target.environment
    state = environment.automaton.initial
    lines = [asked_target.Line("", (), state)]
    for action in environment.automaton.permitted(state)[:3]:
        after = environment.automaton.successor(state, action)
        lines.append(asked_target.Line("", (environment.action_text(action),), after))
    monkeypatch.setattr(asked_target, "ask", ask)
    answers = target.answers(lines)[::-1]
    assert [answer.text is None for answer in answers] == [True, False, False, False]
    assert answers[1].text == ""
    assert target.is_wrong(lines[2], answers[1].text)
    assert not target.is_wrong(lines[1], answers[2].text)


@pytest.mark.parametrize(
    ("question", "operation", "words"),
    [
        (HOSTED, None, "expected a budget in dollars for openai/gpt-4o, got none"),
        (
            Question("openai/gpt-4o", task="actions"),
            Operation(budget=1),
            "expected the task 'state'",
        ),
        (Question("openai/gpt-4o", samples_per_position=2), Operation(budget=1), "one sample"),
    ],
)
def test_what_cannot_be_asked_is_refused(question, operation, words, tmp_path):
    with pytest.raises(InvalidArgumentError, match=words):
        AskedTarget(question, tmp_path, operation)


@pytest.mark.slow
def test_asked_through_inspect_a_bundled_model_is_attacked_as_directly(tmp_path):
    pytest.importorskip("inspect_ai")
    options = {"searches": 2, "budget": 40, "guide": "random"}
    target = AskedTarget(Question("workbench/tiny"), tmp_path)
    met = attack(target, **options)
    direct = attack("workbench/tiny", **options)
    pd.testing.assert_frame_equal(met.table(), direct.table())
    journals = {path: path.read_bytes() for path in tmp_path.rglob("answers.jsonl")}
    assert journals
    again = attack(AskedTarget(Question("workbench/tiny"), tmp_path), **options)
    pd.testing.assert_frame_equal(again.table(), met.table())
    assert {path: path.read_bytes() for path in tmp_path.rglob("answers.jsonl")} == journals

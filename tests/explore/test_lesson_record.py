"""A lesson in progress: guesses, answers, what waits for them, the summary, and a second Run All."""

import pytest

from workbench.errors import InvalidArgumentError
from workbench.explore.lesson import lesson_record
from workbench.explore.lesson.lesson_questions import ChoiceQuestion, NumberQuestion
from workbench.explore.lesson.lesson_record import Lesson


def small_lesson():
    first = NumberQuestion("first", "How much?", 0.25, because="It is a quarter.")
    second = ChoiceQuestion("second", "Which?", ("one", "two"), "b")
    return Lesson([first, second], [NumberQuestion("task", "How much?", 0.75, hint="Add.")])


def answer(widget, **message):
    sent = []
    widget.send = lambda content, buffers=None: sent.append(content)
    widget.answer(widget, {"kind": "guess", "serial": 1, **message})
    return sent[-1]


def test_the_first_guess_counts_and_the_score_is_on_all_widgets():
    lesson = small_lesson()
    first, second = lesson.guess("first"), lesson.guess("second")
    refused = answer(first, given="much")
    assert (refused["kind"], first.made) == ("failed", False)
    assert answer(second, given="ab")["kind"] == "failed"
    outcome = answer(first, given=0.3)["outcome"]
    assert outcome == first.outcome
    assert outcome["said"] == "You guessed: 0.3. The answer: 0.250. 2 of 2 points."
    assert answer(first, given=0.9)["outcome"] == outcome
    second.make("a")
    assert second.outcome["points"] == 0
    assert first.score == second.score == {"points": 2, "of": 4, "made": 2, "guesses": 2}
    assert lesson.guess("first") is first
    assert "It is a quarter." in first.still()


def test_what_waits_is_shown_after_guesses_and_answers():
    lesson = small_lesson()
    waiting = lesson.after("first", "second", "task", show="all of it")
    said = lesson._missing(["first", "second", "task"])
    assert said == "Shown here after 2 guesses and 1 answer above."
    lesson.guess("first").make(0)
    lesson.guess("second").make("b")
    assert not waiting.is_open
    assert repr(lesson.solution({"task": 0.75})) == "task: Right."
    assert not waiting.is_open, "a solution is nobody's answer"
    assert repr(lesson.check({"task": 0.5})) == "task: Not right. Add."
    assert waiting.is_open
    lesson.check({"task": ...})
    assert not waiting.is_open


def test_what_was_shown_once_stays_as_it_is(monkeypatch):
    shown = []
    monkeypatch.setattr(lesson_record, "display", lambda content, **to: shown.append((content, to)))
    lesson = small_lesson()
    lesson.after("task", show="all of it")._ipython_display_()
    lesson.guess("first").make(0.25)
    lesson.check({"task": 0.75})
    lesson.check({"task": 0.5})
    lesson.guess("second").make("b")
    assert [getattr(content, "data", content) for content, _ in shown] == [
        "*Shown here after 1 answer above.*", "*Shown here after 1 answer above.*", "all of it",
    ]  # fmt: skip
    assert len({to["display_id"] for _, to in shown}) == 1


def test_the_summary_has_no_value_that_was_not_found():
    lesson = small_lesson()
    lesson.guess("first").make(0.9)
    lesson.guess("second")
    lesson.check({"task": 0.1})
    summary = lesson.summary()
    assert summary["result"].tolist() == ["0 of 2 points", "not guessed", "wrong"]
    assert summary["your answer"].tolist() == ["0.9", "", "0.1"]
    assert "0.75" not in summary.to_string()


def test_the_summary_is_in_the_order_of_asking_and_renewed_in_its_place(monkeypatch):
    shown = []
    monkeypatch.setattr(lesson_record, "display", lambda content, **to: shown.append((content, to)))
    lesson = small_lesson()
    lesson.check({"task": ...})
    lesson.guess("second")
    lesson.guess("first")
    lesson.live_summary()._ipython_display_()
    tables = [content.table for content, _ in shown]
    assert tables[0].index.tolist() == ["task", "second", "first"]
    assert tables[0]["result"].tolist() == ["not answered", "not guessed", "not guessed"]
    lesson.guess("first").make(0.25)
    lesson.check({"task": 0.75})
    tables = [content.table for content, _ in shown]
    assert tables[1]["result"].tolist() == ["not answered", "not guessed", "2 of 2 points"]
    assert tables[2]["result"].tolist() == ["right", "not guessed", "2 of 2 points"]
    place = shown[0][1]["display_id"]
    assert [to for _, to in shown[1:]] == [{"display_id": place, "update": True}] * 2


def test_a_lesson_is_continued_only_with_the_same_questions():
    lesson = small_lesson()
    lesson.guess("first").make(0.3)
    lesson.check({"task": 0.75})
    lesson.after("second", show="")
    assert small_lesson().continued(lesson) is lesson
    assert lesson.guess("first").made
    assert lesson.summary()["result"].tolist() == ["2 of 2 points", "right", "not guessed"]
    assert lesson._outputs == [], "of cells that are run again"
    for other in (None, "lesson", Lesson([], []), Lesson([NumberQuestion("first", "?", 0.25)], [])):
        new = small_lesson()
        assert new.continued(other) is new


def test_unknown_and_repeated_names_are_refused():
    lesson = small_lesson()
    calls = (
        lambda: lesson.guess("third"),
        lambda: lesson.after("first", "third", show=""),
        lambda: lesson.check({"third": 1}),
        lambda: lesson.solution({"first": 0.25}),
    )
    for call in calls:
        with pytest.raises(InvalidArgumentError, match="expected a question of"):
            call()
    one = NumberQuestion("one", "?", 1)
    with pytest.raises(InvalidArgumentError, match="one question of each name"):
        Lesson([one], [one])

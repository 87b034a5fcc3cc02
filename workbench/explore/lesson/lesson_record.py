"""A lesson in progress: its questions, the guesses and answers so far, and what waits for them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench.errors import InvalidArgumentError
from workbench.explore.lesson.curtain import Curtain
from workbench.explore.lesson.guess import Guess
from workbench.explore.lesson.lesson_questions import (
    FULL,
    Question,
    Verdicts,
    as_listed,
    verdict,
)


class Lesson:
    """Asks a lesson's questions, as guesses or as tasks, and keeps the score.

    Args:
        guesses: Questions to guess before the value is shown.
        tasks: Questions to work out, whose answers are checked.

    Raises:
        InvalidArgumentError: If two questions have one name.
    """

    def __init__(self, guesses: Sequence[Question], tasks: Sequence[Question]) -> None:
        self.questions: dict[str, Question] = {each.name: each for each in [*guesses, *tasks]}
        if len(self.questions) < len(guesses) + len(tasks):
            names = [each.name for each in [*guesses, *tasks]]
            raise InvalidArgumentError(f"expected one question of each name, got {names}")
        self._guesses = {each.name: Guess(each, self._renew) for each in guesses}
        self._verdicts = {each.name: verdict(each, ...) for each in tasks}
        self._answers: dict[str, Any] = {}
        self._curtains: list[Curtain] = []
        self._renew()

    def guess(self, name: str) -> Guess:
        """Return the widget that asks a question; the same one each time.

        Raises:
            InvalidArgumentError: If the lesson has no guess of this name.
        """
        _check_name(name, self._guesses)
        return self._guesses[name]

    def check(self, answers: Mapping[str, Any]) -> Verdicts:
        """Return what tasks say of answers, and remember both.

        Args:
            answers: By the task's name a number, or letters; ``...`` is no answer yet.

        Raises:
            InvalidArgumentError: If the lesson has no task of one of the names.
        """
        found = self.solution(answers)
        self._verdicts.update(found.found)
        self._answers.update(answers)
        self._renew()
        return found

    def solution(self, answers: Mapping[str, Any]) -> Verdicts:
        """Return what tasks say of their solutions; these count as nobody's answers.

        Args:
            answers: As for `check`.

        Raises:
            InvalidArgumentError: If the lesson has no task of one of the names.
        """
        for name in answers:
            _check_name(name, self._verdicts)
        return Verdicts({name: verdict(self.questions[name], answers[name]) for name in answers})

    def after(self, *names: str, show: Any) -> Curtain:
        """Return an output that shows something only when these guesses and answers are made.

        Args:
            names: Guesses and tasks of this lesson. A task counts once it has an answer, also if
                that is wrong.
            show: A widget, a picture, a table, text.

        Raises:
            InvalidArgumentError: If the lesson has no question of one of the names.
        """
        for name in names:
            _check_name(name, self.questions)
        curtain = Curtain(show, lambda: self._missing(names))
        self._curtains.append(curtain)
        return curtain

    def summary(self) -> pd.DataFrame:
        """Return a row for each question: the kind, the answer given, and the points or verdict.

        No value of a question appears that is not answered.
        """
        rows = []
        for name, widget in self._guesses.items():
            points = (
                f"{widget.outcome['points']} of {FULL} points" if widget.made else "not guessed"
            )
            given = self._in_words(name, widget.outcome["guess"]) if widget.made else ""
            rows.append(("guess", name, given, points))
        for name, found in self._verdicts.items():
            said = {"unanswered": "not answered", "unreadable": "no answer"}
            given = "" if found.status == "unanswered" else as_listed(self._answers[name])
            rows.append(("task", name, given, said.get(found.status, found.status)))
        columns = ["kind", "question", "your answer", "result"]
        return pd.DataFrame(rows, columns=columns).set_index("question")

    def _in_words(self, name: str, given: Any) -> str:
        question: Any = self.questions[name]
        return str(question.given_in_words(given))

    def _missing(self, names: Sequence[str]) -> str:
        guesses = sum(name in self._guesses and not self._guesses[name].made for name in names)
        answers = sum(
            name in self._verdicts and self._verdicts[name].status in ("unanswered", "unreadable")
            for name in names
        )
        waiting = [
            f"{count} {word if count == 1 else plural}"
            for count, word, plural in (
                (guesses, "guess", "guesses"),
                (answers, "answer", "answers"),
            )
            if count
        ]
        return f"Shown here after {' and '.join(waiting)} above." if waiting else ""

    def _renew(self) -> None:
        """Have all guesses show the score, and open what waited for the last one."""
        made = [widget for widget in self._guesses.values() if widget.made]
        score = {
            "points": sum(widget.outcome["points"] for widget in made),
            "of": FULL * len(made),
            "made": len(made),
            "guesses": len(self._guesses),
        }
        for widget in self._guesses.values():
            widget.score = score
        for curtain in self._curtains:
            curtain.renew()


def _check_name(name: str, known: Any) -> None:
    if name not in known:
        raise InvalidArgumentError(f"expected a question of {sorted(known)}, got {name!r}")

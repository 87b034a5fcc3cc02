"""Guess: a question whose value is shown only once somebody has guessed it."""

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from workbench.errors import InvalidArgumentError
from workbench.explore.lesson.lesson_questions import FULL, ChoiceQuestion, Question
from workbench.explore.page.answering import Answering
from workbench.explore.page.assets import javascript, stylesheet
from workbench.explore.page.still_html import heading, paragraph


class Guess(Answering):
    """A question that records one guess, and shows the value, the reason and the points after it.

    The page does not have the value before: it asks for it with the guess.

    Attributes:
        prompt: The question.
        choices: What may be chosen; empty if a number is asked for.
        bounds: The least and the largest number, None for the largest of a count.
        outcome: Empty before the guess; then the fields of `outcome_of`.
        score: The lesson's points so far, and of how many; the guesses made, and of how many.
    """

    _esm = javascript("lesson/guess.js")
    _css = stylesheet("lesson/guess.css")

    prompt = traitlets.Unicode().tag(sync=True)
    choices = traitlets.List(traitlets.Unicode()).tag(sync=True)
    bounds = traitlets.List(traitlets.Float(allow_none=True)).tag(sync=True)
    outcome = traitlets.Dict().tag(sync=True)
    score = traitlets.Dict().tag(sync=True)

    def __init__(self, question: Question, guessed: Callable[[], object] | None = None) -> None:
        """Ask a question.

        Args:
            question: What is asked, with its value.
            guessed: Called once the guess is made.
        """
        if isinstance(question, ChoiceQuestion):
            asked: dict[str, Any] = {"choices": list(question.choices)}
        else:
            asked = {"bounds": [question.low, None if question.is_count else question.high]}
        super().__init__(prompt=question.prompt, **asked)
        self._question = question
        self._guessed = guessed
        self.register("guess", self._answer_guess)
        self.observe(self.renew_still, "outcome")

    @property
    def made(self) -> bool:
        """Whether the guess is made."""
        return bool(self.outcome)

    def make(self, given: Any) -> None:
        """Guess, as the page does; a guess that was made stays.

        Args:
            given: A number, or the letter of a choice.

        Raises:
            InvalidArgumentError: If it is neither.
        """
        if self.made:
            return
        guess: Any = self._question.read(given)
        if isinstance(self._question, ChoiceQuestion) and len(guess) != 1:
            raise InvalidArgumentError(f"expected one letter, got {given!r}")
        self.outcome = outcome_of(self._question, guess)
        if self._guessed is not None:
            self._guessed()

    def still(self) -> str:
        """Return the question as HTML, and its value if the guess is made."""
        said = [self.outcome[name] for name in ("said", "because")] if self.made else self.choices
        return heading(self.prompt) + "".join(map(paragraph, said))

    def _answer_guess(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        self.make(message.get("given"))
        return {"outcome": self.outcome}


def outcome_of(question: Question, guess: Any) -> dict[str, Any]:
    """Return what is shown of a guess.

    Args:
        question: What was asked.
        guess: As its ``read`` returns it.

    Returns:
        ``said``, in words; ``because``; ``points``, from 0 to `FULL`; and ``guess`` and ``value``,
        numbers or letters.
    """
    points = question.points(guess)
    given = question.given_in_words(guess)
    value: Any = question.value
    said = (
        f"You guessed: {given}. The answer: {question.in_words(value)}. {points} of {FULL} points."
    )
    return {
        "said": said,
        "because": question.because,
        "points": points,
        "guess": guess,
        "value": value,
    }

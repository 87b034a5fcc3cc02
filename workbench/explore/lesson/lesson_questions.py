"""The questions of a lesson, the verdict on a guess, and Guess, the widget that asks them."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from html import escape
from numbers import Real
from types import EllipsisType, MappingProxyType
from typing import Any, Final, NamedTuple

import traitlets

from workbench.errors import InvalidArgumentError
from workbench.explore.lesson.saved_lesson import RECORD_TYPE, Row
from workbench.explore.page.assets import javascript, stylesheet
from workbench.explore.page.still_html import heading, paragraph, with_subscripts
from workbench.explore.page.widget_base import WidgetBase
from workbench.long_texts import cut

FULL: Final = 2
"""Points of a guess that is near the value, or the right choice."""
_HALF_WITHIN: Final = 3
"""A guess that is at most so many times as far off has half the points."""
_NEAR: Final = 0.005
"""A share this near to a value or to a known mistake is taken for it, badly rounded."""
_NEAR_RATIO: Final = 0.1
"""And so near in relation to it: 0.003 is not 0.0004, rounded."""
_NEAR_COUNT: Final = 0.5
"""A number this near to a count is taken for it."""
_PERCENT: Final = (2, 100)
"""A share in this range is taken for a percentage."""
_SHOWN: Final = 40
_LARGEST: Final = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Following:
    """How the answer to a task follows from other answers, which may be wrong themselves.

    Attributes:
        names: Tasks whose answers are numbers.
        rule: Returns the answer that follows from theirs.
    """

    names: tuple[str, ...]
    rule: Callable[..., float]

    def about(self, answer: float, earlier: Mapping[str, Any]) -> str:
        """Return what to say of a wrong answer that follows from other answers; else nothing."""
        if not set(self.names) <= set(earlier):
            return ""
        if not _is_near(answer, self.rule(*(earlier[name] for name in self.names))):
            return ""
        names = [name.split(": ")[-1] for name in self.names]
        if len(names) == 1:
            return f"It follows from your {names[0]}, which is wrong: correct that first."
        return (
            f"It follows from your answers to {', '.join(names)}, but not all of them are right: "
            "correct those first."
        )


@dataclass(frozen=True, slots=True)
class NumberQuestion:
    """A question whose answer is a number.

    Attributes:
        name: By which the lesson's notebook asks it.
        prompt: The question.
        value: The answer.
        because: Why it is so; shown with the value.
        near: How far off a guess has all points: a difference, or, of counts, a factor above 1.
        within: The largest difference at which the answer to a task counts as right: of a share what
            rounding to three decimals changes.
        low: The least guess.
        high: The largest guess; infinity for counts of any size.
        digits: Decimals with which the value is shown.
        mistakes: What to say of particular wrong answers to a task.
        follows: How the answer follows from other answers.
        hint: What to say of all others.
    """

    name: str
    prompt: str
    value: float
    because: str = ""
    near: float = 0.05
    within: float = 0.0005
    low: float = 0.0
    high: float = 1.0
    digits: int = 3
    mistakes: Mapping[float, str] = field(default_factory=lambda: MappingProxyType({}))
    follows: Following | None = None
    hint: str = ""

    @property
    def is_count(self) -> bool:
        """Whether guesses are compared with the value by their ratio."""
        return math.isinf(self.high)

    def read(self, answer: Any) -> float:
        """Return a given answer as a number."""
        number: Any = answer if isinstance(answer, Real) and not isinstance(answer, bool) else None
        # What no float can hold is refused by its size, before it is made one.
        if number is not None and self.low <= number <= min(self.high, _LARGEST):
            return float(number)
        expected = (
            f"a whole number, {self.low:g} or more"
            if self.is_count
            else f"a number from {self.low:g} to {self.high:g}"
        )
        advice = "; ".join(filter(None, [expected_got(expected, answer), self._advice(answer)]))
        raise InvalidArgumentError(advice)

    def _advice(self, answer: Any) -> str:
        """Return how to write an answer that is not a number, or a share above 1; often nothing."""
        example = "12" if self.is_count else "3 / 4"
        if isinstance(answer, str) and any(map(str.isdigit, answer)):
            percent = " and without %" if "%" in answer else ""
            return f"write the number without quotes{percent}, as in {example}"
        if isinstance(answer, Sized) and not str(answer).strip("()[]{} "):
            return f"write a number, such as {example}, in place of the dots"
        # Python reads "0,95" as two numbers.
        if isinstance(answer, tuple):
            return (
                "write no comma, as in 12000"
                if self.is_count
                else "write a decimal point, as in 0.95"
            )
        number: Any = answer if isinstance(answer, Real) and self.high == 1 else 0
        if _PERCENT[0] <= number <= _PERCENT[1]:
            return f"if it is a percentage, write {answer_text(answer)} / 100"
        return ""

    def points(self, guess: float) -> int:
        """Return the points of a guess, 0 to `FULL`."""
        if self.is_count:
            distance = abs(math.log(max(guess, 0.5) / self.value)) / math.log(self.near)
        else:
            distance = abs(guess - self.value) / self.near
        # A guess on the edge counts, whatever rounding makes of it.
        return sum(distance <= limit * (1 + 1e-9) for limit in (1, _HALF_WITHIN))

    def is_right(self, answer: float) -> bool:
        """Return whether a number answers the task."""
        return abs(answer - self.value) <= self.within * (1 + 1e-9)

    def about(self, answer: float, earlier: Mapping[str, Any]) -> str:
        """Return what to say of a wrong answer: what it follows from, or what mistake it is, or the hint."""
        if self.follows and (words := self.follows.about(answer, earlier)):
            return words
        for wrong, words in self.mistakes.items():
            if abs(answer - wrong) <= _NEAR_COUNT if self.is_count else _is_near(answer, wrong):
                return words
        if self.is_count:
            whole = abs(answer - round(answer)) <= self.within
            return self.hint if whole else f"The answer is a whole number. {self.hint}"
        if _is_near(answer, self.value):
            return "It is near: give a fraction, or round to three decimals."
        return self.hint

    def in_words(self, number: float) -> str:
        """Return a number as the lesson writes it."""
        return f"{number:,.{self.digits}f}"

    def given_in_words(self, number: float) -> str:
        """Return a guess with the digits that were given."""
        return f"{number:,.10g}"


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with several answers to choose from.

    Attributes:
        name: By which the lesson's notebook asks it.
        prompt: The question.
        choices: The answers by their letters, ``a``, ``b`` and so on.
        right: The letters of the right ones; a guess chooses one.
        because: Why it is so; shown with the answer.
        wrong: What to say of each wrong letter.
    """

    name: str
    prompt: str
    choices: tuple[str, ...]
    right: str
    because: str = ""
    wrong: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def letters(self) -> str:
        """The letters of the choices."""
        return "abcdefghijklmnopqrstuvwxyz"[: len(self.choices)]

    def read(self, answer: Any) -> str:
        """Return the letters of an answer in their order, each once: ``"ca"`` and ``{"a", "c"}`` are ``"ac"``."""
        parts = answer if isinstance(answer, Iterable) else ()
        found = [each.strip(" ,.;()").lower() for each in parts if isinstance(each, str)]
        letters = {letter for letter in found if letter}
        if letters and len(found) == len(list(parts)) and letters <= set(self.letters):
            return "".join(sorted(letters))
        expected = "one letter in quotes," if len(self.right) == 1 else "letters in quotes, from"
        raise InvalidArgumentError(expected_got(f"{expected} a to {self.letters[-1]}", answer))

    def points(self, guess: str) -> int:
        """Return the points of a guess: all of them if it is right."""
        return FULL * self.is_right(guess)

    def is_right(self, answer: str) -> bool:
        """Return whether the letters are those of the right choices."""
        return answer == self.right

    def about(self, answer: str, earlier: Mapping[str, Any]) -> str:
        """Return what to say of a wrong letter; of several letters, which are missing and which too many."""
        del earlier
        if len(self.right) == 1:
            return self.wrong.get(answer, "") if len(answer) == 1 else "One letter is right."
        parts = (
            ("Missing", sorted(set(self.right) - set(answer))),
            ("Too many", sorted(set(answer) - set(self.right))),
        )
        reasons = (f"{letter}: {self.wrong[letter]}" for letter in answer if letter in self.wrong)
        lines = (f"{what}: {', '.join(letters)}." for what, letters in parts if letters)
        return " ".join([*lines, *reasons])

    def in_words(self, answer: str) -> str:
        """Return the choices of some letters."""
        return "; ".join(self.choices[self.letters.index(letter)] for letter in answer)

    given_in_words = in_words

    @property
    def value(self) -> str:
        """The letters of the right choices."""
        return self.right


Question = NumberQuestion | ChoiceQuestion


def count_question(name: str, prompt: str, value: int, **options: Any) -> NumberQuestion:
    """Return a question about a whole number; a guess within a factor of 1.5 is near."""
    counts = {"near": 1.5, "within": 0.0, "low": 1.0, "high": math.inf, "digits": 0}
    return NumberQuestion(name, prompt, value, **{**counts, **options})


def share_question(
    name: str,
    prompt: str,
    value: float,
    mistakes: Mapping[float, str],
    hint: str,
    follows: Following | None = None,
    because: str = "",
) -> NumberQuestion:
    """Return a task whose answer is a share."""
    return NumberQuestion(
        name, prompt, value, because=because, mistakes=mistakes, hint=hint, follows=follows
    )


class Verdict(NamedTuple):
    """What a task says of an answer.

    Attributes:
        status: ``unanswered``, ``right`` or ``wrong``; ``unreadable`` if it is no answer at all.
        said: In words.
        answer: As it was read: a number, or letters; None if there is none.
    """

    status: str
    said: str
    answer: Any = None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What several tasks say of their answers, a line each, as a notebook shows it.

    Attributes:
        found: By task.
        rows: What the saved notebook holds of them.
    """

    found: Mapping[str, Verdict]
    rows: Sequence[Row] = ()

    def __repr__(self) -> str:
        """Return a line for each task."""
        return "\n".join(f"{name}: {each.said}" for name, each in self.found.items())

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        html = f"<p>{with_subscripts(escape(repr(self))).replace(chr(10), '<br>')}</p>"
        return {"text/html": html, "text/plain": repr(self), RECORD_TYPE: list(self.rows)}


def verdict(
    question: Question, answer: Any, earlier: Mapping[str, Any] = MappingProxyType({})
) -> Verdict:
    """Return what a task says of an answer, given those to other tasks by name.

    The answer itself is in it only if it is right. An ellipsis is no answer yet.
    """
    if answer is None or isinstance(answer, EllipsisType):
        return Verdict("unanswered", "Not answered yet.")
    try:
        read: Any = question.read(answer)
    except InvalidArgumentError as error:
        return Verdict("unreadable", f"This is no answer: {error}.")
    if question.is_right(read):
        return Verdict("right", " ".join(filter(None, ["Right.", question.because])), read)
    words = " ".join(filter(None, ["Not right.", question.about(read, earlier)]))
    return Verdict("wrong", words, read)


def expected_got(expected: str, answer: Any) -> str:
    """Return the first words about an answer that is none."""
    return f"expected {expected}, got {answer_text(answer)}"


def _is_near(number: float, value: float) -> bool:
    """Return whether a share is another, badly rounded."""
    # 1e-9: 0.38 is 0.375 rounded, whatever floats make of the difference.
    return abs(number - value) <= min(_NEAR, _NEAR_RATIO * abs(value)) + 1e-9


def answer_text(answer: Any) -> str:
    """Return any answer as a message or a list shows it: a number to six digits, all else cut."""
    if isinstance(answer, float):
        return f"{answer:.6g}"
    if isinstance(answer, int) and abs(answer) >= _LARGEST:
        return "a whole number of more than 300 digits"
    return cut(repr(answer), _SHOWN)


class Guess(WidgetBase):
    """A question that records one guess, and shows the value, the reason and the points after it.

    The page does not have the value before: it asks for it with the guess.

    Attributes:
        prompt: The question.
        choices: What may be chosen; empty if a number is asked for.
        bounds: The least and the largest number, None for the largest of a count.
        outcome: Empty before the guess; then what is shown of it.
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
        """Ask a question."""
        if isinstance(question, ChoiceQuestion):
            limits: dict[str, Any] = {"choices": list(question.choices)}
        else:
            limits = {"bounds": [question.low, None if question.is_count else question.high]}
        super().__init__(prompt=question.prompt, **limits)
        self._question = question
        self._guessed = guessed
        self._made_at = 0.0
        self.register("guess", self._answer_guess)
        self.observe(self.renew_still, "outcome")

    @property
    def made(self) -> bool:
        """Whether the guess is made."""
        return bool(self.outcome)

    def make(self, answer: Any) -> None:
        """Guess, as the page does; a guess that was made stays."""
        if self.made:
            return
        guess: Any = self._question.read(answer)
        if isinstance(self._question, ChoiceQuestion) and len(guess) != 1:
            raise InvalidArgumentError(f"expected one letter, got {answer!r}")
        question: Any = self._question
        value, points = question.value, question.points(guess)
        self._made_at = time.time()
        self.outcome = {
            "said": f"You guessed: {question.given_in_words(guess)}. The answer: "
            f"{question.in_words(value)}. {points} of {FULL} points.",
            "because": question.because,
            "points": points,
            "guess": guess,
            "value": value,
        }
        if self._guessed is not None:
            self._guessed()

    def row(self) -> Row:
        """Return what the saved notebook holds of the question; nothing of its value before the guess."""
        row = {"question": self._question.name, "kind": "guess", "at": self._made_at}
        if not self.made:
            return {**row, "answer": "", "result": "not guessed"}
        question: Any = self._question
        points, guess, value = (self.outcome[name] for name in ("points", "guess", "value"))
        return {
            **row,
            "answer": question.given_in_words(guess),
            "result": f"{points} of {FULL} points",
            "guess": guess,
            "value": value,
            "points": points,
        }

    def _still_bundle(self) -> dict[str, Any]:
        return {**super()._still_bundle(), RECORD_TYPE: [self.row()]}

    def start_over(self) -> None:
        """Forget the guess; a page that shows it has to be displayed anew."""
        self._made_at = time.time()
        self.outcome = {}

    def still(self) -> str:
        """Return the question as HTML, and its value if the guess is made."""
        lines = [self.outcome[name] for name in ("said", "because")] if self.made else self.choices
        return heading(self.prompt) + "".join(map(paragraph, lines))

    def _answer_guess(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        self.make(message.get("given"))
        return {"outcome": self.outcome}

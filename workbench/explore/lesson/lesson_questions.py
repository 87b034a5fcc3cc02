"""A lesson's questions with their answers, and how near a guess comes."""

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import EllipsisType, MappingProxyType
from typing import Any, Final

from workbench.errors import InvalidArgumentError
from workbench.long_texts import cut

FULL: Final = 2
"""Points of a guess that is near the value, or the right choice."""
_HALF_WITHIN: Final = 3
"""A guess that is at most so many times as far off has half the points."""
_SHOWN: Final = 40
_LARGEST: Final = sys.float_info.max


@dataclass(frozen=True, slots=True)
class NumberQuestion:
    """A question whose answer is a number.

    Attributes:
        name: By which the lesson's notebook asks it.
        prompt: The question.
        value: The answer.
        because: Why it is so; shown with the value.
        near: How far off a guess has all points: a difference, or, of counts, a factor above 1.
        within: The largest difference at which the answer to a task counts as right.
        low: The least guess.
        high: The largest guess; infinity for counts of any size.
        digits: Decimals with which the value is shown.
        mistakes: What to say of particular wrong answers to a task.
        hint: What to say of all others.
    """

    name: str
    prompt: str
    value: float
    because: str = ""
    near: float = 0.05
    within: float = 0.005
    low: float = 0.0
    high: float = 1.0
    digits: int = 3
    mistakes: Mapping[float, str] = field(default_factory=lambda: MappingProxyType({}))
    hint: str = ""

    @property
    def is_count(self) -> bool:
        """Whether guesses are compared with the value by their ratio."""
        return math.isinf(self.high)

    def read(self, given: Any) -> float:
        """Return a given answer as a number.

        Raises:
            InvalidArgumentError: If it is none, or out of range.
        """
        number: Any = given if isinstance(given, Real) and not isinstance(given, bool) else None
        # What no float can hold is refused by its size, before it is made one.
        if number is not None and self.low <= number <= min(self.high, _LARGEST):
            return float(number)
        most = "" if self.is_count else f" to {self.high:g}"
        raise InvalidArgumentError(
            f"expected a number from {self.low:g}{most}, got {as_listed(given)}"
        )

    def points(self, guess: float) -> int:
        """Return the points of a guess, 0 to `FULL`."""
        if self.is_count:
            distance = abs(math.log(max(guess, 0.5) / self.value)) / math.log(self.near)
        else:
            distance = abs(guess - self.value) / self.near
        # A guess on the edge counts, whatever rounding makes of it.
        return sum(distance <= limit * (1 + 1e-9) for limit in (1, _HALF_WITHIN))

    def is_right(self, given: float) -> bool:
        """Return whether a number answers the task."""
        return abs(given - self.value) <= self.within * (1 + 1e-9)

    def about(self, given: float) -> str:
        """Return what to say of a wrong answer: of a known mistake what it is, else the hint."""
        known = (said for wrong, said in self.mistakes.items() if abs(given - wrong) <= self.within)
        return next(known, self.hint)

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
        hint: What to say of a wrong answer to a task.
    """

    name: str
    prompt: str
    choices: tuple[str, ...]
    right: str
    because: str = ""
    hint: str = ""

    @property
    def letters(self) -> str:
        """The letters of the choices."""
        return "abcdefghijklmnopqrstuvwxyz"[: len(self.choices)]

    def read(self, given: Any) -> str:
        """Return given letters in their order, each once: ``"ca"`` and ``{"a", "c"}`` are ``"ac"``.

        Raises:
            InvalidArgumentError: If they are not letters of choices, or none.
        """
        parts = given if isinstance(given, Iterable) else ()
        found = [each.strip(" ,").lower() for each in parts if isinstance(each, str)]
        letters = {letter for letter in found if letter}
        if letters and len(found) == len(list(parts)) and letters <= set(self.letters):
            return "".join(sorted(letters))
        raise InvalidArgumentError(
            f"expected letters of {', '.join(self.letters)}, got {as_listed(given)}"
        )

    def points(self, guess: str) -> int:
        """Return the points of a guess: all of them if it is right."""
        return FULL * self.is_right(guess)

    def is_right(self, given: str) -> bool:
        """Return whether the letters are those of the right choices."""
        return given == self.right

    def about(self, given: str) -> str:
        """Return what to say of a wrong answer."""
        del given
        return self.hint

    def in_words(self, given: str) -> str:
        """Return the choices of some letters."""
        return "; ".join(self.choices[self.letters.index(letter)] for letter in given)

    given_in_words = in_words

    @property
    def value(self) -> str:
        """The letters of the right choices."""
        return self.right


Question = NumberQuestion | ChoiceQuestion


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a task says of an answer.

    Attributes:
        status: ``unanswered``, ``right`` or ``wrong``; ``unreadable`` if it is no answer at all.
        said: In words.
    """

    status: str
    said: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What several tasks say of their answers, a line each, as a notebook shows it."""

    found: Mapping[str, Verdict]

    def __repr__(self) -> str:
        """Return a line for each task."""
        return "\n".join(f"{name}: {each.said}" for name, each in self.found.items())


def verdict(question: Question, given: Any) -> Verdict:
    """Return what a task says of an answer; the answer itself only if it is right.

    Args:
        question: What was asked.
        given: A number, or letters; the ellipsis of an open task is no answer yet.
    """
    if given is None or isinstance(given, EllipsisType):
        return Verdict("unanswered", "Not answered yet.")
    try:
        read: Any = question.read(given)
    except InvalidArgumentError as error:
        return Verdict("unreadable", f"This is no answer: {error}.")
    if question.is_right(read):
        return Verdict("right", " ".join(filter(None, ["Right.", question.because])))
    return Verdict("wrong", " ".join(filter(None, ["Not right.", question.about(read)])))


def as_listed(given: Any) -> str:
    """Return any answer as a message or a list shows it: a number to six digits, all else cut."""
    if isinstance(given, float):
        return f"{given:.6g}"
    if isinstance(given, int) and abs(given) >= _LARGEST:
        return "a whole number of more than 300 digits"
    return cut(repr(given), _SHOWN)

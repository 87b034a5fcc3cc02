"""The cost of asking: prices, the budget of a run, the estimate before it, and the forecast during it."""

import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.errors import InvalidArgumentError

MOST_TOKENS: Final = 10_000_000
"""More than any model reads or writes in one call."""

_MILLION: Final = 1_000_000
_INPUT: Final = ("input_tokens_cache_read", "input_tokens_cache_write")
_COUNTS: Final = ("input_tokens", "output_tokens", *_INPUT)
_PARTS: Final = ("reasoning_tokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars per million tokens.

    Attributes:
        input: Of the question.
        output: Of the reply, reasoning included.
        input_cache_read: Of tokens read from the provider's cache; as ``input`` if None.
        input_cache_write: Of tokens written to it; as ``input`` if None.
    """

    input: float
    output: float
    input_cache_read: float | None = None
    input_cache_write: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "input_cache_read", "input_cache_write"):
            value = getattr(self, name)
            if value is None and name.startswith("input_"):
                continue
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not math.isfinite(value) or value < 0:
                raise InvalidArgumentError(
                    f"price {name}: expected dollars per million tokens, at least 0, got {value!r}"
                )

    def cost(self, usage: Mapping[str, Any]) -> float:
        """Return the dollars of one call."""
        read = self.input if self.input_cache_read is None else self.input_cache_read
        write = self.input if self.input_cache_write is None else self.input_cache_write
        rates = zip(_COUNTS, (self.input, self.output, read, write), strict=True)
        return sum(float(usage.get(name) or 0) * rate for name, rate in rates) / _MILLION

    def most(self, input_tokens: float, output_tokens: float) -> float:
        """Return the maximum cost of a call with at most these numbers of tokens, in dollars."""
        highest = max(self.input, self.input_cache_read or 0.0, self.input_cache_write or 0.0)
        return (input_tokens * highest + output_tokens * self.output) / _MILLION


FREE: Final = Price(0.0, 0.0)


def implausible_usage(usage: Mapping[str, Any] | None) -> str:
    """Return what is implausible about the token counts of an answer, or an empty text."""
    if not usage:
        return "the reply came without readable token counts"
    counts = {name: usage.get(name) or 0 for name in _COUNTS}
    every = [*counts.values(), *(usage.get(name) or 0 for name in _PARTS)]
    if min(every) < 0:
        return "a token count below 0"
    if max(every) > MOST_TOKENS:
        return f"a token count above {MOST_TOKENS:,}"
    if not counts["output_tokens"] or sum(counts.values()) == counts["output_tokens"]:
        return "a token count of 0"
    return ""


def read_price(path: Path, model: str) -> Price | None:
    """Return the price of a model from a table of prices, or None if it is not in it."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(f"{path}: expected a JSON table of prices: {error}") from error
    if not isinstance(table, dict):
        raise InvalidArgumentError(f"{path}: expected a JSON object of models, got {table!r:.80}")
    if model not in table:
        return None
    try:
        return Price(**table[model])
    except TypeError as error:
        raise InvalidArgumentError(
            f"{path}: {model!r}: expected input, output and perhaps input_cache_read and "
            f"input_cache_write, got {table[model]!r:.200}"
        ) from error


ASSUMED_REPLY_TOKENS: Final = 8_192
"""The assumed longest reply, without a limit and with few known replies."""

KNOWN_REPLIES: Final = 10
"""From this many replies on, a reply is assumed to have up to twice the tokens of the longest; before,
`ASSUMED_REPLY_TOKENS` counts less with each reply."""

_MESSAGE_TOKENS: Final = 32
"""What a provider may put around a message."""


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of one call in the budget: its dollars, or a reserve and why the cost is unknown."""

    dollars: float | None
    reserve: float = 0.0
    reason: str = ""

    def unknown(self) -> dict[str, Any]:
        """Return the journal fields of a call of unknown cost."""
        return {"reserve": self.reserve, "unknown": self.reason} if self.reason else {}


class Budget:
    """Reserves the maximum cost of a call before it begins.

    A token of the question is at least one byte of it, and a reply has at most ``max_tokens``.
    Without such a limit a reply is assumed to have up to `ASSUMED_REPLY_TOKENS`, less with every
    known reply, but up to twice as many as the longest of them. Then at most one call more than
    there are known replies is in progress, so that the first calls cannot spend everything.
    """

    def __init__(
        self,
        price: Price | None,
        limit: float | None = None,
        max_tokens: int | None = None,
        spent: float = 0.0,
        answers: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.price = price
        self.limit = limit
        self.max_tokens = max_tokens
        self.spent = spent
        self.reserved = 0.0
        self._under_way = 0
        self._replies = 0
        self._longest = 0
        for output in answers:
            self._learn(output.get("usage"))

    @property
    def reply_tokens(self) -> int:
        """The assumed maximum number of tokens of a reply."""
        if self.max_tokens is not None:
            return max(self.max_tokens, self._longest)
        unknown = max(KNOWN_REPLIES - self._replies, 0)
        return max(2 * self._longest, ASSUMED_REPLY_TOKENS * unknown // KNOWN_REPLIES)

    def reserve_for(self, messages: Iterable[str]) -> float:
        """Return the most dollars that a call can cost; 0 without a price."""
        if self.price is None:
            return 0.0
        tokens = sum(len(text.encode("utf-8", "replace")) + _MESSAGE_TOKENS for text in messages)
        return self.price.most(tokens, self.reply_tokens)

    def begin(self, reserve: float) -> bool:
        """Reserve dollars for a call if the budget allows, and return whether it does."""
        if self.limit is not None:
            learning = self.max_tokens is None and self._under_way > self._replies
            if learning or self.spent + self.reserved + reserve > self.limit:
                return False
        self.reserved += reserve
        self._under_way += 1
        return True

    def answered(self, reserve: float, usage: Mapping[str, Any] | None) -> Charge:
        """Return the charge of an answered call."""
        reason = implausible_usage(usage)
        if not reason:
            self._learn(usage)
        if self.price is None:
            charge = Charge(None)
        elif usage is None or reason:
            charge = Charge(None, reserve, reason)
        else:
            charge = Charge(self.price.cost(usage))
        return self._ended(reserve, charge)

    def failed(self, reserve: float, unknown: str) -> Charge:
        """Return the charge of a failed call."""
        free = not unknown or self.price is None
        return self._ended(reserve, Charge(0.0) if free else Charge(None, reserve, unknown))

    def _ended(self, reserve: float, charge: Charge) -> Charge:
        self.reserved -= reserve
        self._under_way -= 1
        self.spent += charge.dollars or charge.reserve
        return charge

    def _learn(self, usage: Mapping[str, Any] | None) -> None:
        if usage is not None and not implausible_usage(usage):
            self._replies += 1
            self._longest = max(self._longest, usage["output_tokens"])


MEASURES: Final = ("dollars", "input_tokens", "output_tokens")
_NORMAL_QUANTILE: Final = 1.96


@dataclass(frozen=True, slots=True)
class Forecast:
    """Dollars and tokens of a whole run by the answers so far, and their standard errors."""

    questions: int
    answers: int
    totals: dict[str, float]
    errors: dict[str, float]

    def interval(self, measure: str) -> tuple[float, float]:
        """Return the 95% interval of a total."""
        reach = _NORMAL_QUANTILE * self.errors[measure]
        return max(0.0, self.totals[measure] - reach), self.totals[measure] + reach

    def describe(self) -> str:
        """Return the forecast as a line of text."""
        parts = []
        if "dollars" in self.totals:
            least, most = self.interval("dollars")
            between = f" (95%: {least:.2f} to {most:.2f})" if math.isfinite(most) else ""
            parts.append(f"{self.totals['dollars']:.2f} dollars{between}")
        for measure in ("input_tokens", "output_tokens"):
            if measure in self.totals:
                kind = measure.removesuffix("_tokens")
                parts.append(f"{self.totals[measure]:,.0f} tokens of {kind}")
        costs = ", ".join(parts) or "no counts from the provider"
        return (
            f"forecast for all {self.questions:,} questions, by {self.answers:,} answers: {costs}"
        )


def forecast(
    groups: Mapping[str, int],
    samples: int,
    costs: Mapping[tuple[str, int], Mapping[str, float | None]],
) -> Forecast | None:
    """Return what the whole run costs; None without an answer.

    The estimate is stratified by group, because long games cost more than short ones. A group
    without answers gets the mean cost of all answers.
    """
    answered = pd.DataFrame(
        [
            {"group": groups[name], **{measure: cost.get(measure) for measure in MEASURES}}
            for (name, sample), cost in costs.items()
            if name in groups and sample < samples
        ],
        columns=["group", *MEASURES],
    ).astype(dict.fromkeys(MEASURES, "float64"))
    if answered.empty:
        return None
    sizes = pd.Series(groups).value_counts() * samples
    totals, errors = {}, {}
    for measure in MEASURES:
        rows = answered[["group", measure]].dropna()
        if len(rows):
            totals[measure], errors[measure] = _total(rows["group"], rows[measure], sizes)
    return Forecast(int(sizes.sum()), len(answered), totals, errors)


def _total(
    groups: "pd.Series[int]", values: "pd.Series[float]", sizes: "pd.Series[int]"
) -> tuple[float, float]:
    """Return the stratified estimate of a total, and its standard error."""
    by_group = values.groupby(groups)
    counts = by_group.count().reindex(sizes.index, fill_value=0)
    means = by_group.mean().reindex(sizes.index).fillna(values.mean())
    within = values - by_group.transform("mean")
    freedom = len(values) - by_group.ngroups
    # With one answer a group nothing is known of the spread within groups; that of all is larger.
    variance = float((within**2).sum() / freedom) if freedom else float(values.var(ddof=1))
    squared: float = (sizes * (sizes - counts) / np.maximum(counts, 1)).sum()
    error = math.inf if math.isnan(variance) else math.sqrt(float(squared) * variance)
    return float((sizes * means).sum()), error


CHARACTERS_A_TOKEN: Final = 3.0
"""Of prompts with chess moves, roughly: moves split into more tokens than prose does."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The remaining work of a run, before it starts.

    Attributes:
        questions: Positions times samples, all of them.
        answered: Those whose answers the run folder already has.
        permanent_failures: Those that failed permanently and are not asked again.
        calls: Calls of the model for the others; a failed one comes on top.
        input_tokens: Of all these calls, roughly.
        output_tokens: The same; much larger for a model that reasons.
        dollars: By the price, or None without one.
        reserve: What the budget sets aside before each call, in words; empty without one.
        forecast: What the whole run costs, or None before the first answer.
    """

    questions: int
    answered: int
    permanent_failures: int
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float | None
    reserve: str = ""
    forecast: Forecast | None = None

    def describe(self) -> str:
        """Return the estimate in lines of text."""
        cost = "no price is known" if self.dollars is None else f"about {self.dollars:.2f} dollars"
        number = self.permanent_failures
        failures = f", {number} failed permanently" if number else ""
        lines = [
            f"{self.questions} questions, {self.answered} of them answered{failures}",
            f"{self.calls} calls to make, not counting repeats",
            f"about {self.input_tokens:,} tokens of input and {self.output_tokens:,} of output "
            "(more if the model reasons)",
            f"cost: {cost}",
        ]
        if self.reserve:
            lines.append(self.reserve)
        if self.forecast is not None:
            lines.append(self.forecast.describe())
        return os.linesep.join(lines)


def estimate_cost(
    prompt: Prompt,
    questions: Mapping[str, tuple[str, ...]],
    answered: Iterable[tuple[str, int]],
    samples: int,
    price: Price | None,
    *,
    permanent_failures: Iterable[tuple[str, int]] = (),
    budget: Budget | None = None,
    system: str = "",
    forecast: Forecast | None = None,
) -> CostEstimate:
    """Return the calls, tokens and dollars that a run still needs."""
    every = {(name, sample) for name in questions for sample in range(samples)}
    left_out = (every & set(permanent_failures)) - set(answered)
    waiting = Counter(name for name, _ in every - left_out - set(answered))
    # The conversation so far goes with every further turn: the questions before and the replies.
    characters = calls = repeated = output_tokens = 0
    for name, messages in questions.items():
        number, turns = waiting[name], len(messages)
        length = sum(len(text) * (turns - turn) for turn, text in enumerate(messages))
        characters += number * (length + len(system) * turns)
        replies = prompt.reply_tokens * (turns if prompt.dialogue else 1)
        repeated += number * (replies * (turns - 1) // 2)
        output_tokens += number * replies
        calls += number * turns
    input_tokens = int(characters / CHARACTERS_A_TOKEN) + repeated
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    return CostEstimate(
        questions=len(every),
        answered=len(every) - waiting.total() - len(left_out),
        permanent_failures=len(left_out),
        calls=calls,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        dollars=None if price is None else price.cost(usage),
        reserve="" if budget is None else _reserve(budget, prompt, questions, system),
        forecast=forecast,
    )


def _reserve(
    budget: Budget, prompt: Prompt, questions: Mapping[str, tuple[str, ...]], system: str
) -> str:
    if budget.limit is None:
        return ""
    reply = "x" * int(prompt.reply_tokens * CHARACTERS_A_TOKEN) if prompt.dialogue else ""
    dollars = max(
        budget.reserve_for((system, *messages, *[reply] * (len(messages) - 1)))
        for messages in questions.values()
    )
    assumed = (
        " (assumed, because max_tokens is not set; less with every known reply, twice the "
        f"longest from {KNOWN_REPLIES} replies on)"
        if budget.max_tokens is None
        else ""
    )
    return (
        f"budget: {budget.limit:.2f} dollars, {budget.spent:.4f} of them spent; a call begins only "
        f"if its maximum cost is left, up to {dollars:.4f} dollars with a reply of "
        f"{budget.reply_tokens:,} tokens{assumed}; a call of unknown cost counts at its maximum"
    )

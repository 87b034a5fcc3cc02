"""The estimate of a run: calls, tokens and dollars."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from workbench.asking.costs.budget import KNOWN_REPLIES, Budget
from workbench.asking.costs.forecast import Forecast
from workbench.asking.costs.prices import Price
from workbench.asking.prompts import Prompt

CHARACTERS_A_TOKEN: Final = 3.0
"""Of prompts with chess moves, roughly: moves split into more tokens than prose does."""


@dataclass(frozen=True, slots=True)
class Reserve:
    """The reserve of a budget before each call.

    Attributes:
        limit: Dollars that the run folder may cost in all.
        spent: Dollars that it has cost.
        dollars: The most that a call can cost.
        reply_tokens: The longest reply that this counts on.
        assumed: Whether that is an assumption, because no limit is asked for.
    """

    limit: float
    spent: float
    dollars: float
    reply_tokens: int
    assumed: bool

    def describe(self) -> str:
        """Return it as a line of text."""
        assumed = (
            " (assumed, because max_tokens is not set; less with every known reply, twice the "
            f"longest from {KNOWN_REPLIES} replies on)"
            if self.assumed
            else ""
        )
        return (
            f"budget: {self.limit:.2f} dollars, {self.spent:.4f} of them spent; a call begins only "
            f"if its maximum cost is left, up to {self.dollars:.4f} dollars with a reply of "
            f"{self.reply_tokens:,} tokens{assumed}; a call of unknown cost counts at its maximum"
        )


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The remaining work of a run, before it starts.

    Attributes:
        questions: Positions times samples, all of them.
        answered: Those that the run folder already holds the answers of.
        refused: Those that failed permanently and are not asked again.
        calls: Calls of the model for the others; a failed one comes on top.
        input_tokens: Of all these calls, roughly.
        output_tokens: The same; much larger for a model that reasons.
        dollars: By the price, or None without one.
        reserve: What the budget sets aside, or None without one.
        forecast: What the whole run costs, or None before the first answer.
    """

    questions: int
    answered: int
    refused: int
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float | None
    reserve: Reserve | None = None
    forecast: Forecast | None = None

    def describe(self) -> str:
        """Return the estimate in lines of text."""
        cost = "no price is known" if self.dollars is None else f"about {self.dollars:.2f} dollars"
        refused = f", {self.refused} failed permanently" if self.refused else ""
        lines = [
            f"{self.questions} questions, {self.answered} of them answered{refused}",
            f"{self.calls} calls to make, not counting repeats",
            f"about {self.input_tokens:,} tokens of input and {self.output_tokens:,} of output "
            "(more if the model reasons)",
            f"cost: {cost}",
        ]
        if self.reserve is not None:
            lines.append(self.reserve.describe())
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
    refused: Iterable[tuple[str, int]] = (),
    budget: Budget | None = None,
    system: str = "",
    forecast: Forecast | None = None,
) -> CostEstimate:
    """Return what a run will take.

    Args:
        prompt: What the questions were made from.
        questions: The user's messages of each position, by ``position_id``.
        answered: Position and sample of each question that has its answer.
        samples: Samples per position, at least 1.
        price: Price of the model, if known.
        refused: Position and sample of each question that failed permanently.
        budget: What calls may cost, if that is limited.
        system: The system prompt, which goes with every call.
        forecast: By the answers so far, if there are any.
    """
    done = set(answered)
    given_up = set(refused) - done
    waiting: dict[str, int] = {}
    for name in questions:
        waiting[name] = sum((name, sample) not in done | given_up for sample in range(samples))
    calls = sum(waiting.values())
    # The conversation so far goes with every further turn: the first question and the replies.
    turns = len(prompt.turns)
    characters = 0
    for name, messages in questions.items():
        shown = sum(len(text) * (turns - turn) for turn, text in enumerate(messages))
        characters += waiting[name] * (shown + len(system) * turns)
    repeated = prompt.reply_tokens * (turns - 1) // 2
    input_tokens = int(characters / CHARACTERS_A_TOKEN) + calls * repeated
    output_tokens = calls * prompt.reply_tokens
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    total = len(questions) * samples
    left_out = sum((name, sample) in given_up for name in questions for sample in range(samples))
    return CostEstimate(
        questions=total,
        answered=total - calls - left_out,
        refused=left_out,
        calls=calls * turns,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        dollars=None if price is None else price.cost(usage),
        reserve=None if budget is None else _reserve(budget, questions, system),
        forecast=forecast,
    )


def _reserve(
    budget: Budget, questions: Mapping[str, tuple[str, ...]], system: str
) -> Reserve | None:
    if budget.limit is None:
        return None
    return Reserve(
        limit=budget.limit,
        spent=budget.spent,
        dollars=max(budget.reserve_for((system, *messages)) for messages in questions.values()),
        reply_tokens=budget.reply_tokens,
        assumed=budget.assuming,
    )

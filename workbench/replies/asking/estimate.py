"""How many calls a run will take, and about how many tokens and dollars."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from workbench.replies.asking.prices import Price
from workbench.replies.prompts import Prompt

CHARACTERS_A_TOKEN: Final = 3.0
"""Of prompts with chess moves, roughly: moves split into more tokens than prose does."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is still to be asked, before it is.

    Attributes:
        questions: Positions times samples, all of them.
        answered: Those that the run folder already holds the answers of.
        calls: Calls of the model for the others; a failed one comes on top.
        input_tokens: Of all these calls, roughly.
        output_tokens: The same; much larger for a model that reasons.
        dollars: By the price, or None without one.
    """

    questions: int
    answered: int
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float | None

    def describe(self) -> str:
        """Return the estimate in lines of text."""
        cost = "no price is known" if self.dollars is None else f"about {self.dollars:.2f} dollars"
        return os.linesep.join(
            [
                f"{self.questions} questions, {self.answered} of them answered",
                f"{self.calls} calls to make, failed ones come on top",
                f"about {self.input_tokens:,} tokens of input and {self.output_tokens:,} of output "
                "(more if the model reasons)",
                f"cost: {cost}",
            ]
        )


def estimate(
    prompt: Prompt,
    questions: Mapping[str, tuple[str, ...]],
    answered: Iterable[tuple[str, int]],
    samples: int,
    price: Price | None,
) -> Estimate:
    """Return what a run will take.

    Args:
        prompt: What the questions were made from.
        questions: The user's messages of each position, by ``position_id``.
        answered: Position and sample of each question that has its answer.
        samples: Samples a position, at least 1.
        price: Of the model, if known.
    """
    done = set(answered)
    waiting: dict[str, int] = {}
    for name in questions:
        waiting[name] = sum((name, sample) not in done for sample in range(samples))
    calls = sum(waiting.values())
    # The conversation so far goes with every further turn: the first question and the replies.
    turns = len(prompt.turns)
    characters = 0
    for name, messages in questions.items():
        shown = sum(len(text) * (turns - turn) for turn, text in enumerate(messages))
        characters += waiting[name] * shown
    repeated = prompt.reply_tokens * (turns - 1) // 2
    input_tokens = int(characters / CHARACTERS_A_TOKEN) + calls * repeated
    output_tokens = calls * prompt.reply_tokens
    usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
    total = len(questions) * samples
    return Estimate(
        questions=total,
        answered=total - calls,
        calls=calls * turns,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        dollars=None if price is None else price.cost(usage),
    )

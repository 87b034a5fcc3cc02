"""Prices of models, and the cost of calls."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workbench.errors import InvalidArgumentError

MOST_TOKENS: Final = 10_000_000
"""More than any model reads or writes in one call."""

_MILLION: Final = 1_000_000
_COUNTS: Final = (
    "input_tokens",
    "output_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
)
_PARTS: Final = ("reasoning_tokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars per million tokens.

    Attributes:
        input: Of the question.
        output: Of the reply, reasoning included.
        input_cache_read: Of what the provider has kept; as ``input`` if None.
        input_cache_write: Of what the provider keeps; as ``input`` if None.
    """

    input: float
    output: float
    input_cache_read: float | None = None
    input_cache_write: float | None = None

    def __post_init__(self) -> None:
        """Check the prices.

        Raises:
            InvalidArgumentError: If one is negative or no finite number.
        """
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
        """Return the dollars of one call.

        Args:
            usage: Token counts as Inspect names them; ``input_tokens`` is without cached ones.
        """

        def tokens(name: str) -> float:
            return float(usage.get(name) or 0)

        read = self.input if self.input_cache_read is None else self.input_cache_read
        write = self.input if self.input_cache_write is None else self.input_cache_write
        return (
            tokens("input_tokens") * self.input
            + tokens("output_tokens") * self.output
            + tokens("input_tokens_cache_read") * read
            + tokens("input_tokens_cache_write") * write
        ) / _MILLION

    def most(self, input_tokens: float, output_tokens: float) -> float:
        """Return the most dollars that a call with at most so many tokens can cost."""
        highest = max(self.input, self.input_cache_read or 0.0, self.input_cache_write or 0.0)
        return (input_tokens * highest + output_tokens * self.output) / _MILLION


FREE: Final = Price(0.0, 0.0)


def implausible_usage(usage: Mapping[str, Any] | None) -> str:
    """Return why the token counts of an answer cannot be true, or an empty text if they can.

    Args:
        usage: As in `Price.cost`; None if the server sent none.
    """
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
    """Return the price of a model from a table of prices, or None if it is not in it.

    Args:
        path: A JSON object of models, each an object with ``input`` and ``output`` and perhaps
            ``input_cache_read`` and ``input_cache_write``: the form of Inspect's own
            ``model_cost_config``.
        model: Name in Inspect's form.

    Raises:
        InvalidArgumentError: If the file cannot be read or has another form.
    """
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(f"{path}: expected a JSON table of prices: {error}") from error
    if not isinstance(table, dict):
        raise InvalidArgumentError(f"{path}: expected a JSON object of models, got {table!r:.80}")
    if model not in table:
        return None
    entry = table[model]
    names = {"input", "output", "input_cache_read", "input_cache_write"}
    if not isinstance(entry, dict) or not {"input", "output"} <= entry.keys() <= names:
        raise InvalidArgumentError(
            f"{path}: {model!r}: expected input, output and perhaps input_cache_read and "
            f"input_cache_write, got {entry!r:.200}"
        )
    return Price(**entry)

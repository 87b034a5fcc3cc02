"""The budget: reserved costs of calls before they begin, and actual costs when they end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from workbench.asking.costs.prices import Price, implausible_usage

ASSUMED_REPLY_TOKENS: Final = 8_192
"""The assumed longest reply, without a limit and with few known replies."""

KNOWN_REPLIES: Final = 10
"""From so many replies on, twice the longest of them is assumed to be the longest; up to then the
first assumption counts less with each."""

_MESSAGE_TOKENS: Final = 32
"""What a provider may put around a message."""


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of one call in the budget.

    Attributes:
        dollars: Its cost; None if unknown.
        reserve: What counts in its place, in dollars.
        reason: Why the cost is unknown; empty if ``dollars`` is given.
    """

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
    reply that is known, but up to twice as many as the longest of them; and no more calls are under
    way at a time than replies are known, and one, so that the first do not spend everything.

    Attributes:
        limit: Dollars that the run folder may cost in all, or None.
        spent: Dollars so far, with what counts for calls whose cost is unknown.
        reserved: Dollars for the calls in progress.
    """

    def __init__(
        self,
        price: Price | None,
        limit: float | None = None,
        max_tokens: int | None = None,
        spent: float = 0.0,
        answers: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Begin.

        Args:
            price: Price of the model, if known.
            limit: Limit in dollars, or None.
            max_tokens: The longest reply that is asked for, or None.
            spent: Dollars that the run folder has cost.
            answers: Inspect's outputs so far; what is assumed is learned from them.
        """
        self._price = price
        self.limit = limit
        self._max_tokens = max_tokens
        self.spent = spent
        self.reserved = 0.0
        self._under_way = 0
        self._replies = 0
        self._longest = 0
        for output in answers:
            self._learn(output.get("usage"))

    @property
    def priced(self) -> bool:
        """Whether a price is known."""
        return self._price is not None

    @property
    def assuming(self) -> bool:
        """Whether the longest reply is an assumption."""
        return self._max_tokens is None

    @property
    def reply_tokens(self) -> int:
        """The most tokens that a reply is thought to have."""
        if self._max_tokens is not None:
            return max(self._max_tokens, self._longest)
        unknown = max(KNOWN_REPLIES - self._replies, 0)
        return max(2 * self._longest, ASSUMED_REPLY_TOKENS * unknown // KNOWN_REPLIES)

    def reserve_for(self, messages: Iterable[str]) -> float:
        """Return the most dollars that a call can cost; 0 without a price.

        Args:
            messages: The texts of the conversation.
        """
        if self._price is None:
            return 0.0
        tokens = sum(len(text.encode("utf-8", "replace")) + _MESSAGE_TOKENS for text in messages)
        return self._price.most(tokens, self.reply_tokens)

    def begin(self, reserve: float) -> bool:
        """Reserve dollars for a call if the budget allows, and tell whether it does."""
        if self.limit is not None:
            learning = self.assuming and self._under_way > self._replies
            if learning or self.spent + self.reserved + reserve > self.limit:
                return False
        self.reserved += reserve
        self._under_way += 1
        return True

    def answered(self, reserve: float, usage: Mapping[str, Any] | None) -> Charge:
        """Return what an answered call counts.

        Args:
            reserve: As it was reserved.
            usage: Token counts as Inspect names them; None if the server sent none.
        """
        reason = implausible_usage(usage)
        if not reason:
            self._learn(usage)
        if self._price is None:
            charge = Charge(None)
        elif usage is None or reason:
            charge = Charge(None, reserve, reason)
        else:
            charge = Charge(self._price.cost(usage))
        return self._ended(reserve, charge)

    def failed(self, reserve: float, unknown: str) -> Charge:
        """Return what a failed call counts.

        Args:
            reserve: As it was reserved.
            unknown: Why it may have cost something; empty if it has not.
        """
        known = not unknown or self._price is None
        return self._ended(reserve, Charge(0.0) if known else Charge(None, reserve, unknown))

    def _ended(self, reserve: float, charge: Charge) -> Charge:
        self.reserved -= reserve
        self._under_way -= 1
        self.spent += charge.dollars or charge.reserve
        return charge

    def _learn(self, usage: Mapping[str, Any] | None) -> None:
        if usage is not None and not implausible_usage(usage):
            self._replies += 1
            self._longest = max(self._longest, usage["output_tokens"])

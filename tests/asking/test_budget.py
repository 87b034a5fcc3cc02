"""No call begins that could pass the budget, and what nobody knows counts as the most it can be."""

import pandas as pd
import pytest
from local_run import needs_inspect
from local_server import LocalServer

from workbench.asking.costs import (
    ASSUMED_REPLY_TOKENS,
    KNOWN_REPLIES,
    MOST_TOKENS,
    Budget,
    Charge,
    Price,
    implausible_usage,
)
from workbench.errors import AskingStoppedError, InvalidArgumentError

PRICE = Price(1000.0, 2000.0)
"""A dollar for 1,000 tokens of input, two for 1,000 of output."""


def usage(tokens_in=400, tokens_out=50):
    return {"input_tokens": tokens_in, "output_tokens": tokens_out}


class TestReserves:
    def test_a_question_has_at_most_as_many_tokens_as_bytes(self):
        budget = Budget(PRICE, max_tokens=100)
        assert budget.reserve_for(["a" * 968]) == pytest.approx(1.0 + 0.2)
        assert budget.reserve_for(["é" * 484]) == pytest.approx(1.0 + 0.2)
        assert Budget(None).reserve_for(["a"]) == 0.0
        dear = Price(1000.0, 2000.0, input_cache_write=1250.0)
        assert Budget(dear, max_tokens=100).reserve_for(["a" * 968]) == pytest.approx(1.25 + 0.2)

    def test_calls_under_way_count(self):
        budget = Budget(PRICE, limit=3.0, max_tokens=100)
        assert [budget.begin(1.2) for _ in range(3)] == [True, True, False]
        assert budget.answered(1.2, usage()) == Charge(0.5)
        assert (budget.spent, budget.reserved) == (0.5, 1.2)
        assert [budget.begin(1.2) for _ in range(2)] == [True, False]

    def test_a_longer_reply_than_asked_for_is_counted_on_from_then(self):
        budget = Budget(PRICE, max_tokens=100)
        budget.begin(1.0)
        budget.answered(1.0, usage(tokens_out=300))
        assert budget.reply_tokens == 300

    def test_without_a_limit_of_replies_it_learns(self):
        budget = Budget(PRICE, limit=1000.0)
        assert budget.reply_tokens == ASSUMED_REPLY_TOKENS
        # No more calls at a time than replies are known, and one.
        assert [budget.begin(1.0) for _ in range(2)] == [True, False]
        budget.answered(1.0, usage())
        assert [budget.begin(1.0) for _ in range(3)] == [True, True, False]
        known = [{"usage": usage(tokens_out=200)}] * KNOWN_REPLIES
        assert Budget(PRICE, answers=known[:5]).reply_tokens == ASSUMED_REPLY_TOKENS / 2
        assert Budget(PRICE, answers=known).reply_tokens == 400
        long = [{"usage": usage(tokens_out=ASSUMED_REPLY_TOKENS)}]
        assert Budget(PRICE, answers=long).reply_tokens == 2 * ASSUMED_REPLY_TOKENS


class TestWhatNobodyKnows:
    @pytest.mark.parametrize(
        ("said", "reason"),
        [
            (None, "without readable token counts"),
            ({}, "without readable token counts"),
            (usage(tokens_out=-1), "below 0"),
            (usage(tokens_in=-600), "below 0"),
            (usage(tokens_in=MOST_TOKENS + 1), f"above {MOST_TOKENS:,}"),
            (usage(tokens_out=0), "of 0"),
            (usage(tokens_in=0), "of 0"),
        ],
    )
    def test_absurd_usage_counts_as_the_reserve(self, said, reason):
        budget = Budget(PRICE, limit=10.0)
        budget.begin(1.5)
        charge = budget.answered(1.5, said)
        assert (charge.dollars, charge.reserve, budget.spent) == (None, 1.5, 1.5)
        assert reason in charge.reason
        assert charge.unknown() == {"reserve": 1.5, "unknown": charge.reason}

    def test_plausible_usage(self):
        assert implausible_usage(usage()) == ""
        assert implausible_usage({**usage(0), "input_tokens_cache_read": 400}) == ""

    def test_a_failed_call_counts_only_if_it_may_have_cost_something(self):
        budget = Budget(PRICE, limit=10.0, max_tokens=1)
        for _ in range(2):
            budget.begin(1.5)
        assert budget.failed(1.5, "") == Charge(0.0)
        assert budget.failed(1.5, "timed out") == Charge(None, 1.5, "timed out")
        assert (budget.spent, budget.reserved) == (1.5, 0.0)


@needs_inspect
def test_the_budget_ends_a_run_and_a_larger_one_goes_on(ask_server, answers, tmp_path):
    # The server says 400 tokens in and 50 out, which cost 0.5; the questions have some 400 bytes.
    with LocalServer(answers, seconds=0.05) as server:
        with pytest.raises(InvalidArgumentError, match="budget: expected a price"):
            ask_server(server, {"budget": 5.0})
        with pytest.raises(
            AskingStoppedError,
            match=r"the budget of 6\.0 dollars leaves too little for the next call: \d",
        ):
            ask_server(server, {"budget": 6.0, "connections": 40}, price=PRICE, max_tokens=60)
        table = pd.read_parquet(tmp_path / "run" / "predictions.parquet")
        assert len(table) == sum(server.asked.values()) == sum(server.answered.values())
        paid = 0.5 * server.answered.total()
        assert 4.0 < paid <= 6.0
        run = ask_server(server, {"budget": 100.0}, price=PRICE, max_tokens=60)
        assert run.dollars == pytest.approx(40 * 0.5)
        assert run.notes == []
        assert set(server.asked.values()) == {1}


@needs_inspect
def test_long_replies_on_many_connections_keep_within_the_budget(ask_server, answers, asked_moves):
    # Every reply costs 16 dollars; nothing says so beforehand, and each kind of server's silence
    # counts as much.
    reasons = {
        "no_usage": "1 (the reply came without readable token counts)",
        "negative_usage": "1 (a token count below 0)",
        "absurd_usage": "1 (a token count above 10,000,000)",
    }
    faults = dict(zip(asked_moves[2:], reasons, strict=False))
    with LocalServer(answers, faults, seconds=0.05) as server:
        server.usage = {"prompt_tokens": 400, "completion_tokens": 8000, "total_tokens": 8400}
        with pytest.raises(AskingStoppedError, match=r"the budget of 130\.0 dollars") as stopped:
            ask_server(server, {"budget": 130.0, "connections": 40}, price=PRICE)
        assert server.answered.total() * 16.4 <= 130.0
        # On a busy machine the budget may end before all three are asked.
        came = {kind for moves, kind in faults.items() if server.answered[moves]}
        assert came
        (note,) = stopped.value.notes
        assert note.startswith(
            f"the cost of {len(came)} calls is unknown; they count at their maximum"
        )
        assert {kind for kind, reason in reasons.items() if reason in note} == came

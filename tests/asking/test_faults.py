"""What each fault of a server becomes: a row with a class and a reason, or one clear message."""

import pandas as pd
import pytest
from local_run import KEY, needs_inspect
from local_server import LocalServer, moves_of

from workbench.answers.imports.import_result import CALL_FAILED
from workbench.asking.call_errors import fault_of
from workbench.asking.costs import Price
from workbench.errors import AskingStoppedError, InvalidArgumentError

# The class of the row, what its reason holds, the requests with one retry, and whether the same
# command asks again.
TABLE = {
    "rate_limit_once": ("valid", "", 2, False),
    "rate_limit": ("failed", "call failed: RateLimitError: Error code: 429", 2, True),
    "server_error": ("failed", "call failed: InternalServerError: Error code: 500", 2, True),
    "reset": ("failed", "call failed: APIConnectionError: Connection error.", 2, True),
    "truncated_json": ("failed", "call failed: JSONDecodeError", 2, True),
    "empty_choices": (
        "failed",
        "call failed: NoAnswerError: the response holds no choice",
        2,
        True,
    ),
    "error_with_200": (
        "failed",
        "call failed: NoAnswerError: the response is an error: The model is overloaded "
        "(server_error)",
        2,
        True,
    ),
    "html": ("failed", "call failed: OpenAIResponseError", 2, True),
    "bad_request": ("failed", "call failed: BadRequestError: Error code: 400", 1, False),
    "forbidden": ("failed", "call failed: PermissionDeniedError: Error code: 403", 1, False),
    "context_length": ("failed", "call failed: the context is too long for the model", 1, False),
    "refusal": ("absent", "no piece placement found", 1, False),
    "megabyte": ("valid", "", 1, False),
    "invalid_utf8": ("failed", "call failed: UnicodeDecodeError", 2, True),
    "gzip": ("valid", "", 1, False),
    "gzip_bomb": ("failed", "call failed: LargeResponseError: the response is larger", 2, True),
    "endless": ("failed", "call failed: LargeResponseError: the response is larger", 2, True),
    "zstd": ("failed", "call failed: LargeResponseError: expected a response", 2, True),
    "cut_off": ("absent", "no piece placement found; the reply was cut off", 1, False),
}


@needs_inspect
def test_every_fault_ends_as_a_row_and_the_run_goes_on(ask_server, answers):
    moves = dict(zip(TABLE, answers, strict=False))
    faults = {text: fault for fault, text in moves.items()}
    failed = [fault for fault, (reply_class, *_) in TABLE.items() if reply_class == "failed"]
    with LocalServer(answers, faults) as server:
        run = ask_server(server, {"attempt_timeout": 120, "retries": 1})
        table = run.predictions.set_index("movetext")
        assert len(table) == len(answers)
        assert not table.index.duplicated().any()
        for fault, (reply_class, reason, requests, _) in TABLE.items():
            row = table.loc[moves[fault]]
            assert (fault, row["reply_class"]) == (fault, reply_class)
            assert row["reason"].startswith(reason)
            assert len(row["reason"]) < 400
            assert isinstance(row["reply"], str) != row["reason"].startswith(CALL_FAILED)
            assert (fault, server.asked[moves[fault]]) == (fault, requests)
        others = table.drop(index=list(faults))
        assert (others["predicted_state"] == others["true_state"]).all()
        assert len(table.loc[moves["megabyte"], "reply"]) > 1_000_000
        assert table.loc[moves["refusal"], "reply"] == "I cannot help with that."
        assert run.failed.total() == len(failed)
        assert run.describe() == f"{40 - len(failed)} answered, {len(failed)} failed, 0 not asked"
        # The server recovers. What failed for a reason that may pass is asked again.
        before = dict(server.asked)
        server.faults = {}
        run = ask_server(server)
        again = {text for text in answers if server.asked[text] > before[text]}
        assert again == {moves[fault] for fault, (_, _, _, asked) in TABLE.items() if asked}
        assert len(run.predictions) == len(answers)
        assert run.failed.total() == 3
        # And what it had refused only where that is wanted.
        run = ask_server(server, {"retry_failed": True})
        assert run.describe() == "40 answered, 0 failed, 0 not asked"
        assert set(server.answered.values()) == {1}


@needs_inspect
def test_a_call_that_hangs_ends_as_a_row_and_the_run_goes_on(ask_server, answers, asked_moves):
    hanging, *others = asked_moves[:5]
    with LocalServer(answers, {hanging: "hang"}) as server:
        limits = {"attempt_timeout": 3, "retries": 1, "connections": 1, "limit": 5}
        run = ask_server(server, limits)
        table = run.predictions.set_index("movetext")
        assert set(table.index) == {hanging, *others}
        assert table.loc[hanging, "reply_class"] == "failed"
        assert table.loc[hanging, "reason"].startswith("call failed: AttemptTimeoutError")
        assert pd.isna(table.loc[hanging, "reply"])
        assert server.asked[hanging] == 2
        rows = table.loc[others]
        assert (rows["predicted_state"] == rows["true_state"]).all()
        assert run.describe() == "4 answered, 1 failed, 0 not asked"
        server.faults = {}
        run = ask_server(server)
        assert run.describe() == "40 answered, 0 failed, 0 not asked"
        assert server.asked[hanging] == 3
        assert set(server.answered.values()) == {1}


@pytest.mark.slow
@needs_inspect
@pytest.mark.parametrize("price", [None, Price(10, 40)])
def test_an_absurd_usage_is_an_unknown_one(ask_server, answers, price):
    kinds = ["huge_usage", "huge_total", "huge_reasoning", "infinite_usage", "usage_as_text",
             "usage_of_nulls", "usage_of_words"]  # fmt: skip
    faults = dict(zip(list(answers)[3:], kinds, strict=False))
    with LocalServer(answers, faults) as server:
        run = ask_server(server, {"connections": 4}, price=price)
        table = run.predictions.set_index("movetext")
        assert run.describe() == "40 answered, 0 failed, 0 not asked"
        assert (table["predicted_state"] == table["true_state"]).all()
        unknown = table["input_tokens"].isna() & table["output_tokens"].isna()
        assert set(table.index[unknown]) == set(faults)
        assert table["reasoning_tokens"].isna().all()
        assert server.asked.total() == 40
        if price is not None:
            assert set(table.index[table["dollars"].isna()]) == set(faults)
            (note,) = run.notes
            assert note.startswith("the cost of 7 calls is unknown; they count at their maximum")


@needs_inspect
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("unauthorized", r"the provider refused the key \(401\)"),
        ("quota", r"the provider's quota is used up"),
    ],
)
def test_a_fault_of_every_call_ends_the_run_with_one_message(ask_server, answers, fault, said):
    with LocalServer(answers, dict.fromkeys(answers, fault), key=KEY) as server:
        with pytest.raises(AskingStoppedError, match=f"asking stopped: {said}") as stopped:
            ask_server(server, {"connections": 4, "retries": 3})
        # Only those under way were sent, and once.
        assert len(server.asked) <= 4
        assert set(server.asked.values()) == {1}
        failed = len(server.asked)
        assert f"0 answered, {failed} failed, {40 - failed} not asked" in str(stopped.value)
        assert KEY not in str(stopped.value)


@needs_inspect
def test_failures_keep_no_other_question_from_being_asked(ask_server, answers):
    bad = list(answers)[:25]
    with LocalServer(answers, dict.fromkeys(answers, "server_error")) as server:
        with pytest.raises(
            AskingStoppedError, match=r"6 questions failed in a row.*500"
        ) as stopped:
            ask_server(server, {"max_failures": 6, "connections": 1})
        assert "0 answered, 6 failed, 34 not asked" in str(stopped.value)
        # 25 questions always fail: neighbours in the table, more than may fail in a row.
        first = set(server.asked)
        server.faults = dict.fromkeys(bad, "server_error")
        server.requests.clear()
        run = ask_server(server, {"max_failures": 20, "connections": 1})
        assert run.describe() == "15 answered, 25 failed, 0 not asked"
        assert set(run.predictions["reply_class"]) == {"valid", "failed"}
        asked = [moves_of(body) for body in server.requests]
        assert len(asked) == 40
        assert set(asked[-6:]) == first


@needs_inspect
def test_a_missing_key_is_one_message(ask_server, answers, monkeypatch, tmp_path):
    monkeypatch.delenv("LOCAL_API_KEY")
    with (
        LocalServer(answers) as server,
        pytest.raises(InvalidArgumentError, match=r"LOCAL_API_KEY.*nothing was asked or written"),
    ):
        ask_server(server)
    assert not (tmp_path / "run").exists()


@needs_inspect
def test_a_key_that_is_missing_later_keeps_the_run(ask_server, answers, monkeypatch):
    with LocalServer(answers) as server:
        ask_server(server, {"limit": 2})
        monkeypatch.delenv("LOCAL_API_KEY")
        with pytest.raises(
            AskingStoppedError, match=r"LOCAL_API_KEY.*2 answered, 0 failed, 38 not asked"
        ):
            ask_server(server)


class TestFaultsOfExceptions:
    def test_the_error_is_named_with_its_first_cause(self):
        try:
            try:
                raise ConnectionError("reset by peer")
            except ConnectionError as cause:
                raise RuntimeError("request failed") from cause
        except RuntimeError as error:
            found = fault_of(error)
        assert found.reason == "RuntimeError: request failed (ConnectionError: reset by peer)"
        assert not found.ends_run

    @pytest.mark.parametrize(
        ("status", "ends"), [(401, True), (402, True), (404, True), (403, False), (500, False)]
    )
    def test_which_statuses_end_a_run(self, status, ends):
        error = RuntimeError("no\n  more")
        error.status_code = status
        found = fault_of(error)
        assert found.ends_run is ends
        assert found.reason.endswith("RuntimeError: no more")

    def test_a_long_message_is_cut(self):
        assert len(fault_of(ValueError("x" * 5000)).reason) == 300

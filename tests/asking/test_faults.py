"""What each fault of a server becomes: a row with a class and a reason, or one clear message."""

import pytest
from local_run import KEY, needs_inspect
from local_server import LocalServer

from workbench.errors import AskingError
from workbench.replies.asking.faults import fault_of
from workbench.replies.eval_logs import CALL_FAILED

# The class of the row, what its reason holds, and whether the question is asked again.
TABLE = {
    "rate_limit_once": ("valid", "", False),
    "rate_limit": ("failed", "call failed: RateLimitError: Error code: 429", True),
    "server_error": ("failed", "call failed: InternalServerError: Error code: 500", True),
    "reset": ("failed", "call failed: APIConnectionError: Connection error.", True),
    "hang": ("failed", "call failed: AttemptTimeoutError", True),
    "truncated_json": ("failed", "call failed: JSONDecodeError", True),
    "empty_choices": ("failed", "call failed: IndexError: list index out of range", True),
    "html": ("failed", "call failed: OpenAIResponseError", True),
    "context_length": ("failed", "call failed: the context is too long for the model", False),
    "refusal": ("absent", "no piece placement found", False),
    "megabyte": ("valid", "", False),
    "invalid_utf8": ("failed", "call failed: UnicodeDecodeError", True),
    "cut_off": ("absent", "no piece placement found; the reply was cut off", False),
}


@needs_inspect
def test_every_fault_ends_as_a_row_and_the_run_goes_on(ask_server, answers):
    moves = dict(zip(TABLE, answers, strict=False))
    faults = {text: fault for fault, text in moves.items()}
    with LocalServer(answers, faults) as server:
        run = ask_server(server, {"attempt_timeout": 8})
        table = run.predictions.set_index("movetext")
        assert len(table) == len(answers)
        assert not table.index.duplicated().any()
        for fault, (reply_class, reason, _) in TABLE.items():
            row = table.loc[moves[fault]]
            assert (fault, row["reply_class"]) == (fault, reply_class)
            assert row["reason"].startswith(reason)
            assert len(row["reason"]) < 400
            assert isinstance(row["reply"], str) != row["reason"].startswith(CALL_FAILED)
        others = table.drop(index=list(faults))
        assert (others["predicted_fen"] == others["true_fen"]).all()
        assert len(table.loc[moves["megabyte"], "reply"]) > 1_000_000
        assert table.loc[moves["refusal"], "reply"] == "I cannot help with that."
        assert sum(run.failed.values()) == sum(
            reason.startswith(CALL_FAILED) for _, reason, _ in TABLE.values()
        )
        # The server recovers. What failed is asked again, and nothing else.
        before = dict(server.asked)
        server.faults = {}
        run = ask_server(server)
        again = {text for text in answers if server.asked[text] > before[text]}
        assert again == {moves[fault] for fault, (_, _, failed) in TABLE.items() if failed}
        assert len(run.predictions) == len(answers)
        assert sum(run.failed.values()) == 1
        assert set(server.answered.values()) == {1}


@needs_inspect
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("unauthorized", r"the provider refused the key \(401\)"),
        ("quota", r"the provider's quota is used up"),
    ],
)
def test_a_fault_of_every_call_ends_the_run_with_one_message(ask_server, answers, fault, said):
    with LocalServer(answers, dict.fromkeys(list(answers)[10:], fault), key=KEY) as server:
        with pytest.raises(AskingError, match=f"asking stopped: {said}") as stopped:
            ask_server(server, {"connections": 4})
        # Ten answers came before; of the others only those under way were sent.
        assert len(set(server.asked)) <= 14
        assert "10 of 40 questions are answered" in str(stopped.value)
        assert KEY not in str(stopped.value)


@needs_inspect
def test_a_server_that_only_fails_is_not_asked_to_the_end(ask_server, answers):
    with LocalServer(answers, dict.fromkeys(answers, "server_error")) as server:
        with pytest.raises(AskingError, match=r"6 questions failed one after the other.*500"):
            ask_server(server, {"failures_in_a_row": 6, "connections": 2})
        assert len(server.asked) <= 8


@needs_inspect
def test_a_missing_key_is_one_message(ask_server, answers, monkeypatch):
    monkeypatch.delenv("LOCAL_API_KEY")
    with (
        LocalServer(answers) as server,
        pytest.raises(AskingError, match=r"LOCAL_API_KEY.*0 of 40 questions are answered"),
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

"""Questions of the page and Python's answers to them, without a page."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from workbench.environments.chess.kernel.cache import compiling
from workbench.errors import InvalidArgumentError
from workbench.explore.page.widget_base import WidgetBase, as_plain, in_words


class Echo(WidgetBase):
    _esm = "export default { render() {} };"

    def __init__(self):
        super().__init__()
        self.register("echo", lambda message: {"said": message["text"]})
        self.register("later", lambda _message: None)
        self.register("broken", lambda message: {"quotient": 1 / message["zero"]})
        self.register("numbers", lambda _message: {"values": np.array([0.5, math.nan])})


@pytest.fixture
def echo(monkeypatch):
    widget = Echo()
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    return SimpleNamespace(widget=widget, sent=sent, ask=lambda **m: widget.answer(widget, m, []))


def test_an_answer_has_the_kind_and_serial_of_its_question(echo):
    echo.ask(kind="echo", serial="a-1", text="<b>")
    assert echo.sent == [{"kind": "echo", "serial": "a-1", "said": "<b>"}]
    assert echo.widget.last_error is None


def test_a_failure_is_sent_in_words_and_kept(echo):
    echo.ask(kind="broken", serial=7, zero=0)
    assert echo.sent == [
        {
            "kind": "failed",
            "asked": "broken",
            "serial": 7,
            "message": "ZeroDivisionError: division by zero",
        }
    ]
    assert isinstance(echo.widget.last_error, ZeroDivisionError)


@pytest.mark.parametrize("content", [{"kind": "nonsense"}, {}, "text", None, [1]])
def test_what_is_no_question_is_answered_with_what_was_expected(echo, content):
    echo.widget.answer(echo.widget, content)
    (answer,) = echo.sent
    assert answer["kind"] == "failed"
    assert "expected a message of a kind among ['broken', 'echo', 'later', 'numbers']" in str(
        answer["message"]
    )
    assert isinstance(echo.widget.last_error, InvalidArgumentError)


def test_a_handler_may_answer_later(echo):
    echo.ask(kind="later", serial=1)
    assert echo.sent == []
    echo.widget.attempt("later", 1, lambda: {"done": True})
    assert echo.sent == [{"kind": "later", "serial": 1, "done": True}]


def test_undefined_numbers_are_sent_as_null(echo):
    echo.ask(kind="numbers", serial=1)
    assert echo.sent[0]["values"] == [0.5, None]


def test_a_kind_has_one_handler(echo):
    with pytest.raises(InvalidArgumentError, match="'echo'"):
        echo.widget.register("echo", lambda _message: {})


def test_a_message_of_jupyter_reaches_the_handler(echo):
    echo.widget._handle_msg(
        {
            "content": {
                "data": {"method": "custom", "content": {"kind": "echo", "serial": 2, "text": "x"}}
            },
            "buffers": [],
        }
    )
    assert echo.sent == [{"kind": "echo", "serial": 2, "said": "x"}]


def test_values_become_plain():
    value = {"a": (np.int64(3), np.float64("inf")), 1: [np.bool_(True), None, "text"]}
    plain = as_plain(value)
    assert plain == {"a": [3, None], "1": [True, None, "text"]}
    assert [type(item) for item in plain["1"]] == [bool, type(None), str]


def test_errors_of_ours_speak_for_themselves():
    assert in_words(InvalidArgumentError("expected a, got b")) == "expected a, got b"
    assert in_words(KeyError("x")) == "KeyError: 'x'"


def test_compilation_during_an_answer_is_reported_before_it(echo, tmp_path):
    def compile_first(_message):
        with compiling("joint_walk", tmp_path):
            return {"done": True}

    echo.widget.register("compile", compile_first)
    echo.ask(kind="compile", serial=3)
    *progress, answer = echo.sent
    assert [message["kind"] for message in progress] == ["progress", "progress"]
    assert "joint_walk." in progress[0]["words"]
    assert answer == {"kind": "compile", "serial": 3, "done": True}

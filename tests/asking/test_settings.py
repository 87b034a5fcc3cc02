import dataclasses
import json

import pytest

from workbench.asking.costs import Price, estimate_cost, read_price
from workbench.asking.prompts import Prompt, prompt_named
from workbench.asking.questions import questions_of
from workbench.asking.settings import (
    Operation,
    Question,
    refuse_credentials_in_environment,
)
from workbench.errors import InvalidArgumentError, TableError


class TestQuestion:
    @pytest.mark.parametrize("model", ["", "gpt-4o", "/gpt-4o", "openai/", "a/b,c/d", "a/b c"])
    def test_a_model_needs_a_provider(self, model):
        with pytest.raises(InvalidArgumentError, match="provider/name"):
            Question(model)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("samples_per_position", 0),
            ("temperature", -0.1),
            ("temperature", float("nan")),
            ("max_tokens", 0),
            ("prompt", "unknown"),
            ("top_p", 0.0),
            ("top_p", 1.1),
            ("seed", -1),
            ("reasoning_tokens", -1),
            ("reasoning_effort", "very"),
            ("system_prompt", " "),
            ("extra_body", {"user_token": "abc"}),
            ("extra_body", {"hook": "http://user:word@host"}),
        ],
    )
    def test_arguments_out_of_range(self, name, value):
        with pytest.raises(InvalidArgumentError, match=name):
            Question("openai/gpt-4o", **{name: value})

    def test_a_key_is_no_model_argument(self):
        with pytest.raises(InvalidArgumentError, match="written to the logs") as refused:
            Question("openai/gpt-4o", model_args={"api_key": "sk-secret"})
        assert "sk-secret" not in str(refused.value)

    def test_addresses_among_the_model_arguments(self):
        with pytest.raises(InvalidArgumentError, match="as base_url"):
            Question("openai/gpt-4o", model_args={"base_url": "http://host/v1"})

    @pytest.mark.parametrize(
        "value",
        [
            "http://user:word@host/v1",
            "user:word@proxy:8080",
            {"proxies": ["http://proxy", "https://host/v1#word"]},
        ],
    )
    def test_credentials_in_urls_among_the_model_arguments(self, value):
        with pytest.raises(
            InvalidArgumentError, match=r"model_args client.*credentials"
        ) as refused:
            Question("openai/gpt-4o", model_args={"client": value})
        assert "word" not in str(refused.value).replace("password", "")

    def test_secrets_among_the_model_arguments_are_not_described(self):
        def asked(**arguments):
            return Question("openai/gpt-4o", model_args=arguments).description()

        shown = asked(default_headers={"X-Token": "one"}, token="two", rate=3)
        assert shown["model_args"] == {
            "default_headers": {"X-Token": "[key removed]"}, "token": "[key removed]", "rate": 3,
        }  # fmt: skip
        # Another key is no other question, another argument is.
        assert shown == asked(default_headers={"X-Token": "three"}, token="four", rate=3)
        assert shown != asked(default_headers={"X-Token": "one"}, token="two", rate=4)

    def test_a_key_of_the_environment_among_the_arguments_is_refused(self):
        question = Question("openai/gpt-4o", model_args={"extra": {"body": "x sk-secret-key y"}})
        refuse_credentials_in_environment(question, {"OTHER_API_KEY": "another-key"})
        with pytest.raises(InvalidArgumentError, match="model_args extra") as refused:
            refuse_credentials_in_environment(question, {"OTHER_API_KEY": "sk-secret-key"})
        assert "sk-secret" not in str(refused.value)

    def test_a_question_of_before_is_the_same_question(self):
        # What an earlier version wrote, with its order and its options.
        written = {
            "model": "openai/gpt-4o",
            "prompt": prompt_named("pgn-direct@1").description(),
            "samples_per_position": 2,
            "temperature": 0.5,
            "max_tokens": None,
            "model_args": {"organization": "us"},
        }
        question = Question("openai/gpt-4o", "pgn-direct", 2, 0.5, None, {"organization": "us"})
        assert question.description() == written
        assert Question.from_description(written).description() == written

    def test_an_option_that_is_used_makes_another_question(self):
        options = {
            "top_p": 0.9,
            "seed": 0,
            "reasoning_effort": "high",
            "reasoning_tokens": 0,
            "system_prompt": "You know chess.",
            "extra_body": {"chat_template_kwargs": {"enable_thinking": False}},
        }
        plain = Question("openai/gpt-4o")
        hashes = {plain.sha256}
        for name, value in options.items():
            question = Question("openai/gpt-4o", **{name: value})
            assert question.description() == {**plain.description(), name: value}
            hashes.add(question.sha256)
        assert len(hashes) == len(options) + 1
        assert Question("openai/gpt-4o", samples_per_position=5).sha256 == plain.sha256

    def test_a_prompt_of_ones_own_goes_into_the_description_and_back(self):
        prompt = Prompt("mine", 2, "san", ("From {moves}", "Sure?"), 500, "You know chess.")
        question = Question("openai/gpt-4o", prompt, model_args={"token": "abc"}, seed=3)
        assert question.description()["prompt"] == prompt.description()
        assert Question.from_description(json.loads(json.dumps(question.request()))) == question
        again = Question.from_description(question.description())
        assert again.full_prompt == dataclasses.replace(prompt, reply_tokens=60)
        assert again.system == "You know chess."
        with pytest.raises(InvalidArgumentError, match="which has its own"):
            Question("openai/gpt-4o", prompt, system_prompt="Another.")


class TestOperation:
    @pytest.mark.parametrize(
        "url",
        [
            "http://user:word@host/v1",
            "http://token@host/v1",
            "https://host/v1?key=word",
            "user:word@host/v1",
            "user:word@host:8000",
            "//user:word@host/v1",
            "http:\\\\user:word@host",
            "http://user:word%40host/v1",
            "https://host/v1#word",
            "host:8000/v1#key=word",
            "host/v1?word",
        ],
    )
    def test_credentials_in_a_base_url_are_refused_and_not_repeated(self, url):
        with pytest.raises(InvalidArgumentError, match="without credentials") as refused:
            Operation(base_url=url)
        assert "word" not in str(refused.value).replace("password", "")

    @pytest.mark.parametrize(
        "url",
        [None, "", "https://host:8000/v1", "api.x.ai", "localhost:11434/v1", "http://[::1]/v1"],
    )
    def test_a_base_url_without_credentials(self, url):
        assert Operation(base_url=url).base_url == url

    def test_credentials_in_the_environment_are_refused_for_the_provider_that_is_used(self):
        variables = {"LOCAL_BASE_URL": "http://user:word@host/v1", "PATH": "/bin"}
        with pytest.raises(InvalidArgumentError, match="LOCAL_BASE_URL"):
            refuse_credentials_in_environment(Question("openai-api/local/model"), variables)
        refuse_credentials_in_environment(Question("openai/gpt-4o"), variables)

    def test_a_kill_can_cost_at_most_one_question_in_a_hundred(self):
        for questions in (1000, 2000, 4999, 10_000, 1_000_000):
            assert Operation().connections_for(questions) <= questions / 100
        assert Operation().connections_for(3) == 10
        assert Operation(connections=7).connections_for(10_000) == 7
        assert Operation(batch=True).connections_for(10_000) is None

    @pytest.mark.parametrize(
        ("name", "value"),
        [("budget", 0.0), ("retries", -1), ("connections", 0), ("attempt_timeout", 0)],
    )
    def test_arguments_out_of_range(self, name, value):
        with pytest.raises(InvalidArgumentError, match=name):
            Operation(**{name: value})


class TestPrices:
    def test_cost_by_hand(self):
        price = Price(2.5, 10.0, input_cache_read=1.25)
        usage = {"input_tokens": 1_000_000, "output_tokens": 100_000,
                 "input_tokens_cache_read": 400_000, "input_tokens_cache_write": 200_000}  # fmt: skip
        assert price.cost(usage) == pytest.approx(2.5 + 1.0 + 0.5 + 0.5)
        assert price.cost({"input_tokens": 10, "output_tokens": None}) == pytest.approx(25e-6)

    def test_a_table_of_prices(self, tmp_path):
        path = tmp_path / "prices.json"
        path.write_text(json.dumps({"a/b": {"input": 1, "output": 2}}))
        assert read_price(path, "a/b") == Price(1, 2)
        assert read_price(path, "a/c") is None

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            '{"a/b": 3}',
            '{"a/b": {"input": 1}}',
            '{"a/b": {"input": -1, "output": 2}}',
            '{"a/b": {"input": "1", "output": 2}}',
            '{"a/b": {"input": 1, "output": NaN}}',
            '{"a/b": {"input": 1, "output": 2, "inptu": 3}}',
        ],
    )
    def test_tables_that_are_none(self, text, tmp_path):
        path = tmp_path / "prices.json"
        path.write_text(text)
        with pytest.raises(InvalidArgumentError):
            read_price(path, "a/b")


class TestEstimate:
    def test_counts_by_hand(self):
        prompt = prompt_named("pgn-direct")
        questions = {"a": ("x" * 300,), "b": ("x" * 600,)}
        found = estimate_cost(prompt, questions, [("a", 0), ("b", 1)], 2, Price(1.0, 2.0))
        assert (found.questions, found.answered, found.calls) == (4, 2, 2)
        assert found.input_tokens == 300
        assert found.output_tokens == 2 * prompt.reply_tokens
        assert found.dollars == pytest.approx((300 + 2 * 120) / 1e6)
        assert "4 questions, 2 of them answered" in found.describe()

    def test_every_turn_is_a_call_that_carries_the_conversation(self):
        prompt = prompt_named("self-check")
        found = estimate_cost(prompt, {"a": ("x" * 300, "y" * 30)}, [], 1, None)
        assert found.calls == 2
        assert found.input_tokens == (2 * 300 + 30) // 3 + prompt.reply_tokens // 2
        assert found.dollars is None
        assert "no price" in found.describe()


class TestQuestions:
    def test_tables_that_cannot_be_asked_about(self, positions):
        prompt = prompt_named("pgn-direct")
        with pytest.raises(TableError, match="at least one row"):
            questions_of(positions.iloc[:0], prompt)
        with pytest.raises(TableError, match=r"missing: \['moves'\]"):
            questions_of(positions.drop(columns="moves"), prompt)
        with pytest.raises(TableError, match="again"):
            questions_of(positions.iloc[[0, 0]], prompt)
        with pytest.raises(TableError, match=r"row 1: expected a position_id"):
            questions_of(positions.head(3).assign(position_id=["a", " ", "b"]), prompt)
        nameless = positions.head(2).assign(movetext=[None, "1. e4"])
        with pytest.raises(TableError, match="needs the column 'movetext'"):
            questions_of(nameless, prompt)

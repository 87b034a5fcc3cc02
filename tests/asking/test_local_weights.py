"""Weights in a folder, asked through Inspect's provider hf: a random transformer of a few thousand parameters."""

import importlib.util

import pandas as pd
import pytest
from local_run import needs_inspect

from workbench.asking.resumable_run import ask
from workbench.asking.settings import Operation, Question
from workbench.errors import InvalidArgumentError
from workbench.tables.parquet_tables import POSITIONS, write_table

needs_torch = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("torch", "transformers", "accelerate")),
    reason="needs torch and transformers: `make test-local` installs them",
)

pytestmark = [needs_inspect, needs_torch, pytest.mark.slow]

RAW = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
"""A template that adds nothing to the text but the end of its line."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Return a folder of random weights and a tokenizer of bytes, without a chat template."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("weights")
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {sign: number for number, sign in enumerate([*signs, "<end>"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>").save_pretrained(folder)
    torch.manual_seed(0)
    end = vocabulary["<end>"]
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=8, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=4096,
        eos_token_id=end, pad_token_id=end, bos_token_id=None,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    assert model.num_parameters() < 10_000
    with torch.no_grad():
        # A newline is likely, so that lines end.
        model.lm_head.weight[vocabulary["Ċ"]] *= 4
    model.save_pretrained(folder)
    return folder


@pytest.fixture
def table(tmp_path, positions):
    path = tmp_path / "positions.parquet"
    write_table(positions.head(3), path, POSITIONS, {"stage": "positions"})
    return path


def asked(table, out, weights, prompt=None, **model_args):
    arguments = {"model_path": str(weights), "do_sample": False, **model_args}
    question = Question("hf/local", prompt, max_tokens=40, model_args=arguments)
    # One at a time: the provider counts the signs that fill up a batch as input.
    return ask(table, out, question, Operation(connections=1))


def test_a_folder_of_weights_is_asked_and_resumed(tmp_path, table, weights):
    out = tmp_path / "run"
    first = asked(table, out, weights, use_chat_template=False)
    assert first.answered == 3
    assert not first.failed
    frame = first.predictions
    assert set(frame["model"]) == {"hf/local"}
    assert set(frame["output_tokens"]) <= set(range(1, 41))
    # A token of this tokenizer is a byte, and the provider puts the role before the text.
    question = Question("hf/local").full_prompt
    for prompt, tokens in zip(frame["movetext"], frame["input_tokens"], strict=True):
        (text,) = question.questions(prompt, None, "here")
        assert tokens == len(f"user: {text}\n".encode())
    journal = (out / "answers.jsonl").read_bytes()
    again = asked(table, out, weights, use_chat_template=False)
    assert (out / "answers.jsonl").read_bytes().startswith(journal)
    pd.testing.assert_frame_equal(again.predictions, frame)


def test_a_base_model_completes_a_line(tmp_path, table, weights):
    run = asked(table, tmp_path / "run", weights, "completion", chat_template=RAW)
    frame = run.predictions
    prompt = Question("hf/local", "completion").full_prompt
    for movetext, tokens in zip(frame["movetext"], frame["input_tokens"], strict=True):
        (text,) = prompt.questions(movetext, None, "here")
        assert text.endswith("FEN:")
        assert tokens == len(f"{text}\n".encode())
    assert not frame["reply"].str.rstrip("\n").str.contains("\n").any()


def test_a_folder_that_holds_no_weights_is_refused_before_anything_is_written(tmp_path, table):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InvalidArgumentError, match="expected one that Inspect can make here"):
        asked(table, tmp_path / "run", empty)
    assert not (tmp_path / "run").exists()

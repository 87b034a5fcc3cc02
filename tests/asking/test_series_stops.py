"""A series of checkpoints, killed in the middle: no finished question is asked twice."""

import importlib.util
import os
import re
import signal
import string
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from local_run import asking_process, needs_inspect, wait_until

from workbench.asking.journal import journal_record
from workbench.cli import main
from workbench.tables.parquet_tables import POSITIONS, read_table
from workbench.tables.provenance import file_hash

pytestmark = [needs_inspect, pytest.mark.slow]


def evaluate(*arguments, code=0):
    done = CliRunner().invoke(main, ["evaluate", "--yes", "--jobs", "1", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def calls_in(folder):
    """How many answers a journal holds, those of repeated calls too."""
    journal = folder / "answers.jsonl"
    return journal.read_bytes().count(b'"output"') if journal.exists() else 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes")
def test_killed_in_the_second_checkpoint_it_asks_what_is_left(tmp_path, warm_process):
    out = tmp_path / "series"
    arguments = ["--models", "workbench/small@142,workbench/small@283,workbench/small@567",
                 "--limit", "40", "--connections", "1", "-o", str(out)]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "evaluate", "--yes", "--jobs", "1", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    second = out / "small@283"
    wait_until(lambda: calls_in(second) >= 2)
    for victim in (process.pid, asking_process(process.pid)):
        os.kill(victim, signal.SIGKILL)
    process.wait()
    before = len(journal_record(second).answered(0))
    assert 2 <= before < 40
    first = (out / "small@142" / "answers.jsonl").read_bytes()
    assert not (out / "small@567").exists()

    said = evaluate(*arguments)
    assert f"40 questions, {before} of them answered" in said
    assert (out / "small@142" / "answers.jsonl").read_bytes() == first
    # The kill loses the one call in progress at most.
    assert [calls_in(out / name) for name in ("small@142", "small@283", "small@567")] == [40] * 3
    hashes = {file_hash(out / f"small@{step}" / "positions.parquet") for step in (142, 283, 567)}
    assert hashes == {file_hash(out / "positions.parquet")}
    assert len(read_table(out / "positions.parquet", POSITIONS)) == 40

    # Nothing is left to ask; the numbers are the same.
    table = pd.read_parquet(out / "series.parquet")
    evaluate(*arguments)
    pd.testing.assert_frame_equal(pd.read_parquet(out / "series.parquet"), table)
    assert calls_in(second) == 40
    assert "answers to another question" in evaluate(
        "--model", "workbench/small@850", "--limit", "40", "-o", second, code=1
    )
    for wrong in ([], ["--model", "workbench/small", "--models", "workbench/small@*"]):
        assert "expected --model, or --models" in evaluate(*wrong, "-o", tmp_path / "x", code=2)


def write_weights(folder, seed):
    """Write a transformer of some thousand random weights, whose tokens are characters."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    signs = ["<end>", *string.printable[:95], "\n"]
    words = models.WordLevel({sign: number for number, sign in enumerate(signs)}, unk_token="<end>")
    tokens = Tokenizer(words)
    tokens.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokens.decoder = decoders.Fuse()
    torch.manual_seed(seed)
    sizes = {"n_positions": 2048, "n_embd": 8, "n_layer": 1, "n_head": 1}
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    GPT2LMHeadModel(GPT2Config(vocab_size=len(signs), **sizes, **ends)).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokens, eos_token="<end>", pad_token="<end>"
    ).save_pretrained(folder)


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")),
    reason="torch and transformers are not installed",
)
def test_folders_of_weights(tmp_path):
    for step in (200, 1000):
        write_weights(tmp_path / "RUN" / f"step{step}", step)
    broken = tmp_path / "RUN" / "step300"
    broken.mkdir()
    out = tmp_path / "series"
    arguments = ["--models", f"hf/{tmp_path}/RUN/step*", "-M", "use_chat_template=false",
                 "--max-tokens", "8", "--limit", "5", "-o", str(out)]  # fmt: skip
    said = evaluate(*arguments, code=3)
    assert "2 of 3 checkpoints are evaluated, and 1 could not be loaded" in said
    assert f"hf/{broken}: model: expected one that Inspect can make here" in said
    assert set(pd.read_parquet(out / "series.parquet")["step"]) == {0, 200, 1000}
    # Mended, it alone is asked.
    write_weights(broken, 300)
    before = (out / "step200" / "answers.jsonl").read_bytes()
    assert re.search(r"^ *300 +step300 ", evaluate(*arguments), re.MULTILINE)
    assert (out / "step200" / "answers.jsonl").read_bytes() == before
    assert [calls_in(out / f"step{step}") for step in (200, 300, 1000)] == [5, 5, 5]

"""Commands whose output is no longer read: they end without a message, as other tools do."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from workbench.cli.group import Commands


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["prompts", "few-shot"], ["games", "cut", "--help"]])
def test_a_command_whose_reader_is_gone_ends_without_a_message(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "workbench", *arguments], stdout=writing, stderr=subprocess.PIPE
        )
    finally:
        os.close(writing)
    assert ended.stderr == b""
    assert ended.returncode == 141


@pytest.mark.slow
def test_head_gets_its_line_and_nothing_else_is_printed():
    command = f"{sys.executable} -m workbench prompts few-shot | head -n 1"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("--- turn 1\n", "")


def test_a_pipe_that_breaks_elsewhere_is_an_error():
    group = Commands("group")

    @group.command()
    def breaks() -> None:
        raise BrokenPipeError("the engine's input is closed")

    ended = CliRunner().invoke(group, ["breaks"])
    assert ended.exit_code == 1
    assert "the engine's input is closed" in ended.output

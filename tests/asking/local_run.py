"""What the tests of asking share beside their fixtures."""

import importlib.util
import sys
import time

import psutil
import pytest
from click.testing import CliRunner

from workbench.cli import main

KEY = "sk-local-0123456789-never-to-be-written"
QUICK = {"retries": 0, "retry_wait": 0.05, "attempt_timeout": 30}

needs_inspect = pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is None,
    reason="the extra 'ask' (inspect-ai, openai) is not installed",
)


def wait_until(condition):
    """Wait for a condition, five minutes at most: the machine may be busy."""
    for _ in range(30_000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def asking_process(parent):
    """Return the number of the process that a command started to ask."""
    (asking,) = [
        process.pid
        for process in psutil.Process(parent).children()
        if "workbench.asking.inspect_process" in process.cmdline()
    ]
    return asking


# A shell may have started the tests with interrupts ignored.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from workbench.cli import main
main(prog_name="workbench")
"""


def arguments_to_ask(positions, out, server):
    """Return the arguments of the command that asks a local server."""
    return ["ask", str(positions), "-o", str(out), "--yes", "--model", "openai-api/local/model",
            "--base-url", server.url, "--connections", "4"]  # fmt: skip


def shell_command(*asked):
    """Return the command that asks a local server, as a shell runs it."""
    return [sys.executable, "-c", COMMAND, *arguments_to_ask(*asked)]


def run_here(arguments):
    """Run a command in this process; return its exit code and all that it said."""
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output

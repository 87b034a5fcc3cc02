"""What the tests of asking share beside their fixtures."""

import importlib.util
import subprocess
import sys
import time

import pytest

KEY = "sk-local-0123456789-never-to-be-written"
QUICK = {"retries": 0, "retry_wait": 0.05, "attempt_timeout": 30}

needs_inspect = pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is None,
    reason="the extra 'ask' (inspect-ai, openai) is not installed",
)


def wait_until(condition):
    """Wait for a condition, a minute at most."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def asking_process(parent):
    """Return the number of the process that a command started to ask."""
    listing = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(parent)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (line,) = [line for line in listing.splitlines() if "asking.inspect_process" in line]
    return int(line.split()[0])


# A shell may have started the tests with interrupts ignored.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from workbench.cli import main
main(prog_name="workbench")
"""


def shell_command(positions, out, server):
    """Return the command that asks a local server, as a shell runs it."""
    return [sys.executable, "-c", COMMAND, "ask", str(positions), "-o", str(out), "--yes",
            "--model", "openai-api/local/model", "--base-url", server.url, "--connections",
            "4"]  # fmt: skip

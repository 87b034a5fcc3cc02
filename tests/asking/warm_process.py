"""The processes that ask and that make a model, forked from one that has imported Inspect, which takes 3 s each time.

It has its own session, folder, environment and standard streams like the one that `ask` starts.
The tests of commands from the shell, and of what the process writes where, start the real one.
"""

import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
from multiprocessing.connection import wait

CONTEXT = multiprocessing.get_context("forkserver")
# Also what Inspect imports with the first call.
CONTEXT.set_forkserver_preload(
    ["workbench.asking.inspect_process", "workbench.asking.inspect_registry", "acp", "openai",
     "inspect_ai.model._openai_responses", "inspect_ai.model._providers.openai_compatible"]
)  # fmt: skip

# Starting a process polls all others of this one, and the server's answer can be read only once:
# a thread that polls while another waits would take an exit code for a lost server (255).
POLLING = threading.Lock()


def _run(module, arguments, request, said, log, variables, directory):
    os.setsid()
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(variables)
    with open(log, "ab") as file:
        for number, place in enumerate((request, said, file)):
            os.dup2(place.fileno(), number)
            place.close()
    sys.stdin = sys.__stdin__ = os.fdopen(0, closefd=False)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", buffering=1, closefd=False)
    process = importlib.import_module(module)
    sys.argv = [process.__file__, *arguments]
    sys.exit(process.main())


class WarmPopen:
    """What `ask` uses of ``subprocess.Popen``."""

    def __init__(self, command, *, stdin, stdout, stderr, start_new_session):
        assert command[:2] == [sys.executable, "-m"]
        assert (stdin, stdout, start_new_session) == (subprocess.PIPE, subprocess.PIPE, True)
        request, ours = CONTEXT.Pipe(duplex=False)
        theirs, said = CONTEXT.Pipe(duplex=False)
        arguments = (
            command[2], command[3:], request, said, stderr.name, dict(os.environ), os.getcwd()
        )  # fmt: skip
        self._process = CONTEXT.Process(target=_run, args=arguments, daemon=True)
        with POLLING:
            self._process.start()
        self.stdin = os.fdopen(os.dup(ours.fileno()), "wb")
        self.stdout = os.fdopen(os.dup(theirs.fileno()), "rb")
        for end in (request, ours, theirs, said):
            end.close()

    def wait(self, timeout=None):
        if not wait([self._process.sentinel], timeout):
            raise subprocess.TimeoutExpired("ask", timeout)
        with POLLING:
            return self._process.exitcode

    def kill(self):
        self._process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stdin.close()
        self.stdout.close()
        self.wait()


def warm_run(command, *, input, capture_output, check):  # noqa: A002
    """What the check of a model uses of ``subprocess.run``."""
    assert (capture_output, check) == (True, False)
    with tempfile.NamedTemporaryFile() as log:
        process = WarmPopen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        with process:
            process.stdin.write(input)
            process.stdin.flush()
            said = process.stdout.read()
            code = process.wait()
        return subprocess.CompletedProcess(command, code, said, log.read())

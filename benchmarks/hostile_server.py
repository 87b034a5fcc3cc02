"""Stop `workbench ask` in every way and let its server do its worst; print what it cost.

Run from the repository as root on Linux: ``python -m benchmarks.hostile_server``, some 20 minutes,
or with ``--only WORD ...`` the cases whose name holds one of the words; a case starts four
processes, so on a busy machine a row can take minutes. Each case runs the command once and then,
with the hindrance gone, again; all traffic is local. Needs the extra ``ask``.
"""

import argparse
import contextlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pandas as pd
import psutil

from benchmarks.asking import LocalServer, positions_table
from benchmarks.hostile_cases import (
    FULL_DISK,
    SMALL_DISK,
    Attempt,
    Case,
    cases,
    environment,
    small_disk,
)
from workbench.asking.journal import FILE_NAME

RAW: Final = frozenset(chr(code) for code in {*range(32), *range(127, 160), 0x202E} - {9, 10, 13})
"""Control characters that a terminal would obey, but those that end a line or begin a bar."""


def run(case: Case, folder: Path) -> dict[str, Any]:
    """Run a case, and return its row of the table."""
    path, out = folder / "positions.parquet", folder / "disk" / "run"
    frame = positions_table(case.questions, path)
    answers = dict(zip(frame["movetext"], frame["true_state"], strict=True))
    faults = {
        moves: case.faults.get(place, case.faults.get(-1, ""))
        for place, moves in enumerate(answers)
    }
    variables = environment()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(
            LocalServer(
                answers,
                {moves: fault for moves, fault in faults.items() if fault},
                seconds=case.seconds,
            )
        )
        server.usage = case.usage or server.usage
        command = [
            sys.executable, "-m", "workbench", "ask", str(path), "-o", str(out), "--yes",
            "--model", "openai-api/local/model", "--base-url", server.url, "--connections", "8",
            "--retries", "1", "--attempt-timeout", "4", *case.options,
        ]  # fmt: skip
        if case.disk:
            stack.enter_context(small_disk(out.parent, case.disk))
        hindrance = contextlib.ExitStack()
        if case.before is not None:
            entered = case.before(out, command)
            if entered is not None:
                hindrance.enter_context(entered)
        process = subprocess.Popen(
            command, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=_limited(case.limit),
        )  # fmt: skip
        watcher = threading.Thread(target=case.stop, args=(Attempt(server, out, process),))
        watcher.start()
        memory = Memory(process.pid)
        memory.start()
        said, errors = process.communicate()
        watcher.join()
        memory.join()
        first = {
            "case": case.name,
            "exit": process.returncode,
            "requests": len(server.requests),
            "billed": server.answered.total(),
            "rows": _rows(out),
            "MB": memory.most >> 20,
            "raw": sum(character in RAW for character in said + errors),
            "message": _message(errors),
        }
        # The hindrance is gone.
        hindrance.close()
        (out.parent / "filler").unlink(missing_ok=True)
        if (out / FILE_NAME).is_symlink():
            (out / FILE_NAME).unlink()
            (out.parent / "journal").rename(out / FILE_NAME)
        if case.disk == FULL_DISK:
            subprocess.run(["mount", "-o", f"remount,size={SMALL_DISK}", out.parent], check=True)
        server.faults = {}
        options = ("--retry-failed", "--budget", "1000000") if "--budget" in command else (
            "--retry-failed",)  # fmt: skip
        done = subprocess.run(
            [*command, *options], env=variables, text=True, capture_output=True, check=False
        )
        table = pd.read_parquet(out / "predictions.parquet")
        return {
            **first,
            "exit 2": done.returncode,
            "rows 2": len(table),
            "right": int((table["predicted_state"] == table["true_state"]).sum()),
            "billed 2": server.answered.total(),
            "answered twice": sum(number > case.turns for number in server.answered.values()),
        }


class Memory(threading.Thread):
    """The most memory that the processes which a command starts have used, in bytes."""

    def __init__(self, parent: int) -> None:
        super().__init__()
        self.parent = parent
        self.most = 0

    def run(self) -> None:
        """Look until the command ends."""
        with contextlib.suppress(psutil.NoSuchProcess):
            command = psutil.Process(self.parent)
            while command.status() != psutil.STATUS_ZOMBIE:
                for process in command.children():
                    with contextlib.suppress(psutil.NoSuchProcess):
                        self.most = max(self.most, process.memory_info().rss)
                time.sleep(0.02)


def _limited(size: int | None) -> Callable[[], None] | None:
    if size is None:
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _rows(out: Path) -> str:
    path = out / "predictions.parquet"
    if not path.exists():
        return "-"
    classes = pd.read_parquet(path)["reply_class"]
    failed = int((classes == "failed").sum())
    return f"{len(classes) - failed}" + (f" + {failed} failed" if failed else "")


def _message(said: str) -> str:
    lines = [line for line in said.splitlines() if line.startswith(("Warning: ", "Error: "))]
    return " / ".join(lines) or said.strip().splitlines()[-1][-100:]


def main() -> None:
    """Run the cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], help="words of the names of the cases")
    arguments = parser.parse_args()
    # A shell starts what it runs in the background with these ignored, and so would the command.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    columns = ["case", "exit", "requests", "billed", "rows", "exit 2", "rows 2", "right", "billed 2",
               "answered twice", "MB", "raw", "message"]  # fmt: skip
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns), flush=True)
    for case in cases():
        if any(word in case.name for word in arguments.only):
            print(f"{time.strftime('%H:%M:%S')} {case.name}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as name:
                row = run(case, Path(name))
                short = {name: str(value).replace(str(name), "") for name, value in row.items()}
                print("| " + " | ".join(short[name] for name in columns) + " |", flush=True)


if __name__ == "__main__":
    main()

"""Measure asking at full size: kill and resume, time and memory a position, keys, the viewer.

Run from the repository: ``python -m benchmarks.asking``, some ten minutes; the tests do the same
with fewer positions. Needs the extra ``ask``.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.answers.imports.inspect_logs import log_entries
from workbench.asking.predictions_table import run_predictions
from workbench.asking.resumable_run import ask
from workbench.asking.run_folder import RunFolder
from workbench.asking.settings import Operation, Question
from workbench.games import cut_games, random_games
from workbench.tables.parquet_tables import POSITIONS, write_table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "asking"))

from local_server import LocalServer

KEY = "sk-benchmark-0123456789abcdef"
GROUPS = (5, 16, 27, 38, 50)


def positions_table(number: int, path: Path) -> pd.DataFrame:
    """Cut positions from games of random legal moves and write them."""
    games = random_games(number, 101, seed=1)
    frame = cut_games(games, groups=GROUPS, per_group=number // len(GROUPS), seed=1).positions
    write_table(frame, path, POSITIONS)
    return frame


def command(positions: Path, out: Path, *options: str) -> list[str]:
    """Return the command that asks."""
    return [sys.executable, "-m", "workbench", "ask", str(positions), "-o", str(out), "--yes",
            *options]  # fmt: skip


def kill_and_resume(number: int, latency: float, folder: Path) -> dict[str, Any]:
    """Ask a local server, kill every process of the run in the middle, and ask again."""
    path, out = folder / "positions.parquet", folder / "killed"
    frame = positions_table(number, path)
    environment = {**os.environ, "LOCAL_API_KEY": KEY}
    with LocalServer(
        dict(zip(frame["movetext"], frame["true_state"], strict=True)), seconds=latency
    ) as server:
        arguments = command(
            path, out, "--model", "openai-api/local/model", "--base-url", server.url
        )
        process = subprocess.Popen(arguments, env=environment, stderr=subprocess.DEVNULL)
        while sum(server.answered.values()) < number // 2:
            time.sleep(0.01)
        for victim in (process.pid, asking_process(process.pid)):
            os.kill(victim, signal.SIGKILL)
        process.wait()
        before = sum(server.asked.values())
        began = time.perf_counter()
        subprocess.run(arguments, env=environment, check=True, stderr=subprocess.DEVNULL)
        resumed = time.perf_counter() - began
        table = pd.read_parquet(out / "predictions.parquet")
        return {
            "positions": number,
            "seconds a reply": latency,
            "asked when killed": before,
            "rows": len(table),
            "positions in the table once": int((~table["position_id"].duplicated(False)).sum()),
            "right answers": int((table["predicted_state"] == table["true_state"]).sum()),
            "asked twice": sum(count > 1 for count in server.asked.values()),
            "seconds of the second run": round(resumed, 1),
        }


def asking_process(parent: int) -> int:
    """Return the process that a command started to ask."""
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in found.stdout.splitlines() if "asking.inspect_process" in line]
    return int(line.split()[0])


def time_and_memory(number: int, folder: Path) -> dict[str, Any]:
    """Ask the simulated model, and read the table from the log again."""
    path, out = folder / "many.parquet", folder / "simulated"
    positions_table(number, path)
    began = time.perf_counter()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    ask(path, out, Question("workbench/simulated"), Operation())
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - usage.ru_utime - usage.ru_stime
    began, processor_began = time.perf_counter(), time.process_time()
    frame = run_predictions(RunFolder(out))
    reading, reading_processor = time.perf_counter() - began, time.process_time() - processor_began
    return {
        "positions": number,
        "rows": len(frame),
        "wall ms a position, all included": round(1000 * wall / number, 2),
        "processor ms a position, of the asking process": round(1000 * processor / number, 2),
        "log to table, s": round(reading, 2),
        "of these processor time, s": round(reading_processor, 2),
        "peak MB of the asking process": round(after.ru_maxrss / 1024),
        "peak MB of the caller": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "log MB": round(sum(log.stat().st_size for log in out.rglob("*.eval")) / 2**20, 1),
    }


def keys(folder: Path) -> dict[str, Any]:
    """Look for the key in all that the runs above have written."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = [path.name for path in files if KEY.encode() in path.read_bytes()]
    entries = 0
    for path in folder.rglob("*.eval"):
        for name, text in log_entries(path):
            entries += 1
            if KEY.encode() in text:
                found.append(name)
    return {"files": len(files), "entries of logs": entries, "with the key": found}


def viewer(folder: Path) -> dict[str, Any]:
    """Open the logs in ``inspect view`` and ask it for one."""
    port = 7599
    logs = folder / "simulated" / "logs"
    process = subprocess.Popen(
        ["inspect", "view", "--log-dir", str(logs), "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return {"logs shown": until_answered(f"http://127.0.0.1:{port}/api/logs")}
    finally:
        process.terminate()
        process.wait()


def until_answered(address: str) -> Any:
    """Return the JSON at an address as soon as somebody serves it."""
    for _ in range(120):
        try:
            with urllib.request.urlopen(address, timeout=5) as response:
                listing = json.load(response)
                return [Path(entry["name"]).name for entry in listing.get("files", listing)]
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(f"nothing answered at {address}")


def shell() -> dict[str, Any]:
    """Run the task as Inspect's users do."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["inspect", "eval", "workbench/state_reconstruction", "--model",
                     "workbench/simulated", "--limit", "20", "--display", "none",
                     "--log-dir", folder]  # fmt: skip
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        return {"exit code": done.returncode, "logs": len(list(Path(folder).glob("*.eval")))}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--killed", type=int, default=2_000)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds a reply")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "kill -9 and again": lambda: kill_and_resume(
                arguments.killed, arguments.latency, folder
            ),
            "time and memory": lambda: time_and_memory(arguments.many, folder),
            "keys": lambda: keys(folder),
            "inspect view": lambda: viewer(folder),
            "inspect eval": shell,
        }
        for title, part in parts.items():
            print(title, json.dumps(part(), indent=2), flush=True)


if __name__ == "__main__":
    main()

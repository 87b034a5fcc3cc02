"""Ask about every environment and task, kill each run with SIGKILL in the middle, resume, score, draw.

Run from the repository: ``python -m benchmarks.every_environment``, some five minutes; it prints the
seconds of each step. The figure of each task is drawn from the scores of all environments. Needs the
extra ``ask``.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from benchmarks.asking import asking_process
from workbench.environments.registry import environment_names
from workbench.tasks import task_names


def workbench(*arguments: object) -> float:
    """Run a command, and return the seconds it took."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "workbench", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def answers(folder: Path) -> int:
    """Return how many answers the journal of a run has."""
    journal = folder / "answers.jsonl"
    return journal.read_bytes().count(b'"output"') if journal.exists() else 0


def killed(arguments: tuple[object, ...], folder: Path, number: int) -> float:
    """Ask until there are some answers, kill command and asking process, and return the seconds."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while answers(folder) < number:
        time.sleep(0.02)
    for victim in (process.pid, asking_process(process.pid)):
        os.kill(victim, signal.SIGKILL)
    process.wait()
    return time.perf_counter() - began


def row(environment: str, task: str, number: int, folder: Path) -> dict[str, object]:
    """Return the steps of one environment and task."""
    out, scores = folder / "run", folder / "scores.parquet"
    ask = ("ask", "--environment", environment, "--task", task, "--model", "workbench/simulated",
           "-M", "seconds=0.2", "--limit", number, "--yes", "-o", out)  # fmt: skip
    first = killed(ask, out, number // 3)
    kept = answers(out)
    resumed = workbench(*ask)
    scored = workbench("score", out / "predictions.parquet", "-o", scores, "--jobs", 1)
    checked = workbench("check", out / "predictions.parquet", scores)
    frame = pd.read_parquet(scores)
    if len(frame) != number or frame["position_id"].duplicated().any() or answers(out) != number:
        raise SystemExit(f"{environment}, {task}: expected {number} rows, each answered once")
    return {
        "environment": environment,
        "task": task,
        "asked until killed, s": round(first, 1),
        "answers kept": kept,
        "resumed, s": round(resumed, 1),
        "scored, s": round(scored, 1),
        "checked, s": round(checked, 1),
        "rows": len(frame),
        "mean p_1": round(frame["precision_1"].mean(), 3),
        "mean r_1": round(frame["recall_1"].mean(), 3),
        "mean p_4": round(frame["precision_4"].mean(), 3),
    }


def main() -> None:
    """Run everything, and print a line for each environment and task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="positions of each, at least 30")
    parser.add_argument("--figures", type=Path, required=True, help="folder for the figures")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for task in task_names():
            tables = []
            for environment in environment_names():
                folder = Path(name) / f"{environment}-{task}"
                folder.mkdir()
                found = row(environment, task, arguments.number, folder)
                print(*(f"{key}: {value}" for key, value in found.items()), sep="; ", flush=True)
                tables.append(str(folder / "scores.parquet"))
            own = f"own_tables={json.dumps(tables)}"
            figures = arguments.figures / task
            seconds = workbench(
                "figures", "--only", "environments", "--parameter", own, "--out", figures
            )
            print(f"{task}: figures of {len(tables)} environments in {figures}: {seconds:.1f} s")


if __name__ == "__main__":
    main()

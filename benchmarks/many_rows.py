"""Measure the pipeline on many simulated rows: simulate, score with a kill in the middle, check, summarize, report.

Run from the repository: ``python -m benchmarks.many_rows POSITIONS --out FOLDER``. A million rows of 10,000
positions take about an hour on two cores. A run that was stopped goes on with the stages that are left. The
numbers are in docs/scale.md.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path
from typing import Any, Final

from workbench.answers.model_replies import simulate
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    as_arrow,
    read_table,
    table_writer,
)

RATES: Final = tuple(0.002 * (1 + place) for place in range(20))
"""Slips per action: trackers from near perfect to poor, so that boards are near and far."""
KILL_AFTER: Final = 0.4
"""Share of the chunks after which scoring is killed."""
CHUNK_ROWS: Final = 512
_SUMMARY: Final = """
import sys, workbench as wb
print(wb.summary(sys.argv[1]).to_string())
"""


def write_replies(positions: Path, out: Path, rows: int) -> None:
    """Write the replies of simulated trackers: each rate once, then each again with another seed."""
    frame = read_table(positions, POSITIONS)
    trackers = product(range(-(-rows // (len(frame) * len(RATES)))), RATES)
    with table_writer(out, PREDICTIONS, {"stage": "many simulated rows", "rows": rows}) as writer:
        for sample, rate in islice(trackers, -(-rows // len(frame))):
            replies = simulate(frame, rate=rate, seed=sample).assign(sample=sample)
            writer.write(as_arrow(replies, PREDICTIONS))


def measured(command: list[str], until: Callable[[], bool] | None = None) -> dict[str, Any]:
    """Run a command, killed once ``until`` holds; return its seconds, processor seconds and peak memory."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    if until is not None:
        while process.poll() is None and not until():
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    if until is None and status:
        raise SystemExit(f"{' '.join(command)}: exit status {status}")
    return {
        "seconds": round(time.perf_counter() - begin, 1),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_mb": round(used.ru_maxrss / 1024),
    }


def main() -> None:
    """Measure each stage that has no numbers yet, and print them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("positions", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    predictions, scores = (options.out / f"{name}.parquet" for name in ("predictions", "scores"))
    record = options.out / "measured.json"
    stages: dict[str, Any] = json.loads(record.read_text()) if record.exists() else {}

    def stage(name: str, run: Callable[[], dict[str, Any]], file: Path | None = None) -> None:
        if name not in stages:
            stages[name] = run()
            if file is not None and file.exists():
                stages[name]["bytes"] = file.stat().st_size
            record.write_text(json.dumps(stages, indent=1))
        print(name, stages[name], flush=True)

    def simulated() -> dict[str, Any]:
        write_replies(options.positions, predictions, options.rows)
        return {"processor_seconds": round(time.process_time(), 1)}

    workbench = [sys.executable, "-m", "workbench"]
    score = [*workbench, "score", str(predictions), "-o", str(scores), f"--chunk-rows={CHUNK_ROWS}"]
    chunks = KILL_AFTER * options.rows / CHUNK_ROWS
    parts = options.out / "scores.parquet.parts"

    def chunks_done() -> bool:
        return len(list(parts.glob("*.parquet"))) >= chunks

    stage("simulate", simulated, predictions)
    stage("score, killed", lambda: measured(score, chunks_done))
    stage("score, resumed", lambda: measured(score), scores)
    stage("check", lambda: measured([*workbench, "check", str(scores)]))
    stage("summary", lambda: measured([sys.executable, "-c", _SUMMARY, str(scores)]))
    report = [*workbench, "report", str(scores), "-o", str(options.out / "report")]
    stage("report", lambda: measured(report), options.out / "report" / "index.html")


if __name__ == "__main__":
    main()

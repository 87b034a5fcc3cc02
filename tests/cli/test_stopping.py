"""Ctrl-C, SIGTERM and SIGKILL end notebooks with everything they started."""

import json
import signal
import subprocess
import sys
import time

import nbformat
import psutil
import pytest

KEPT = "what is drawn is whole"

PATIENCE = 300
"""Seconds that a busy machine may take for anything."""

# A kernel with a worker like those of scoring; both would run on for ever.
ENDLESS = """
import json, os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from workbench.worker_processes import end_with_parent

pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=end_with_parent)
numbers = [os.getpid(), pool.submit(os.getpid).result()]
Path(place + ".part").write_text(json.dumps(numbers))
os.replace(place + ".part", place)
time.sleep(3600)
"""

COMMAND = f"""
import sys
from pathlib import Path
import click
from workbench.cli.group import stoppable
from workbench.headless.notebook_runs import run_notebooks

@click.command()
@stoppable({KEPT!r})
def draw():
    notebook, place = map(Path, sys.argv[1:])
    run_notebooks({{notebook: {{"place": str(place)}}}}, place.parent / "executed")

draw([])
"""


def gone(process):
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, f"stopped by SIGINT: {KEPT}\n"),
        # Python's tracker of semaphores may have a word to say, after the kill.
        (signal.SIGKILL, -signal.SIGKILL, None),
    ],
)
def test_a_signal_ends_kernels_and_their_workers(number, code, said, tmp_path):
    cells = [nbformat.v4.new_code_cell('place = ""'), nbformat.v4.new_code_cell(ENDLESS)]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, tmp_path / "01_endless.ipynb")
    place = tmp_path / "numbers.json"
    command = [sys.executable, "-c", COMMAND, tmp_path / "01_endless.ipynb", place]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        until = time.monotonic() + PATIENCE
        while not place.exists() and running.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        started = [psutil.Process(each) for each in json.loads(place.read_text())]
        running.send_signal(number)
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == code
    assert said in (errors, None)
    until = time.monotonic() + PATIENCE
    while not all(map(gone, started)) and time.monotonic() < until:
        time.sleep(0.05)
    assert [process for process in started if not gone(process)] == []


def test_sigterm_ends_a_command_with_a_line_and_its_exit_code():
    code = f"""
import os, signal, click
from workbench.cli.group import stoppable

@click.command()
@stoppable({KEPT!r})
def wait():
    os.kill(os.getpid(), signal.SIGTERM)

wait([])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 143
    assert ended.stderr == f"stopped by SIGTERM: {KEPT}\n"


# The command that gets the signal in the middle of its work, as a terminal sends it.
INTERRUPTED = """
import importlib, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
number, place, *arguments = sys.argv[1:]
module, _, name = place.rpartition(".")
def work(*_, **__):
    os.kill(os.getpid(), int(number))
    time.sleep(60)
setattr(importlib.import_module(module), name, work)
from workbench.cli import main
main(arguments, prog_name="workbench")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "arguments"),
    [
        ("workbench.scoring.score_tables.score_table", ["score", "x"]),
        ("workbench.checking.check_table", ["check", "x"]),
        ("workbench.reports.chapters.read_run", ["report", "x"]),
        ("workbench.headless.class_lessons.write_lessons", ["lessons", "-o", "x"]),
        ("workbench.games.game_files.GameFiles", ["games", "cut", "x"]),
        ("workbench.answers.imports.format_of", ["replies", "import", "x"]),
    ],
)
def test_every_command_ends_with_the_exit_code_of_the_signal(place, arguments, tmp_path):
    for number in (signal.SIGINT, signal.SIGTERM) if arguments[0] == "check" else (signal.SIGINT,):
        command = [sys.executable, "-c", INTERRUPTED, str(number.value), place, *arguments]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert (ended.returncode, ended.stderr) == (128 + number, "\nAborted!\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("OSError('a worker is gone')", "Error: a worker is gone\n"),
        ("RuntimeError('a worker is gone')", "Error: RuntimeError('a worker is gone')\n"),
    ],
)
def test_an_error_that_a_signal_caused_has_the_exit_code_of_the_signal(error, said, tmp_path):
    code = INTERRUPTED.replace(
        "    os.kill(os.getpid(), int(number))\n    time.sleep(60)\n",
        "    try:\n        os.kill(os.getpid(), int(number))\n        time.sleep(60)\n"
        f"    except KeyboardInterrupt:\n        raise {error}\n",
    )
    command = [sys.executable, "-c", code, "2", "workbench.checking.check_table", "check", "x"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (130, said)

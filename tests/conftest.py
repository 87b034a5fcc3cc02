"""Tables that several tests start from, and how tests are given to several workers."""

import faulthandler
import os
import sys
import time
from pathlib import Path, PurePosixPath

# numpy reads it when it is imported. The tests run in as many processes as there are cores: second
# threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The user's own settings and list of fonts are not under test: a stale list makes matplotlib warn.
os.environ["MPLCONFIGDIR"] = str(Path(__file__).parents[1] / ".pytest_cache" / "matplotlib")

import pandas as pd
import pytest
from hypothesis import settings
from prediction_rows import prediction_row
from recorded_logs import write_logs

from workbench.tables.parquet_tables import PREDICTIONS

# A deadline would be a timed test, and fail on a busy machine.
settings.register_profile("untimed", deadline=None, derandomize=True)
settings.load_profile("untimed")

TOGETHER = ("asking", "headless")
"""Folders of which one worker runs all tests, so that it starts once what they share; the longest
first. Of the others a worker runs whole files."""

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


BEGINNING = time.monotonic()


def pytest_addoption(parser):
    parser.addoption(
        "--seconds", type=float, help="begin no test after so many seconds: a quick loop"
    )


def pytest_configure(config):
    """A test that hangs ends the quick loop with its traceback."""
    seconds = config.getoption("seconds")
    if seconds is not None and hasattr(config, "workerinput"):
        faulthandler.dump_traceback_later(1.4 * seconds, exit=True, file=sys.__stderr__)


def pytest_runtest_setup(item):
    """Skip what the quick loop has no time for, and say so."""
    seconds = item.config.getoption("seconds")
    if seconds is not None and time.monotonic() - BEGINNING > seconds:
        pytest.skip(f"not begun: the {seconds:g} s of --seconds are over")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give the tests of a folder of `TOGETHER`, and those of a file, to one worker."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFolderOrFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = PurePosixPath(nodeid.partition("::")[0])
            return path.parent.name if path.parent.name in TOGETHER else str(path)

    config.option.loadscopereorder = False
    return ByFolderOrFile(config, log)


def pytest_collection_modifyitems(config, items):
    """Let several workers begin with `TOGETHER`."""
    if hasattr(config, "workerinput"):
        first = {name: place for place, name in enumerate(TOGETHER)}
        items.sort(key=lambda item: first.get(item.path.parent.name, len(first)))


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """A folder with the PGNs and logs of `recorded_logs`, to be read only."""
    folder = tmp_path_factory.mktemp("recorded")
    write_logs(folder)
    return folder


@pytest.fixture
def predictions():
    """One row of each class, a right one, and one whose true FEN cannot be read."""
    kingless = START.replace("RNBQKBNR", "RNBQ1BNR")
    replies = [
        (START, START),
        (START, AFTER_E4),
        (START, kingless),
        (START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1"),
        (START, "I cannot say."),
        ("no board", START),
    ]
    rows = [
        prediction_row(index, true, reply, group=5 + index // 3)
        for index, (true, reply) in enumerate(replies)
    ]
    return pd.DataFrame(rows, columns=PREDICTIONS.names)

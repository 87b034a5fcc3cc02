"""Positions to ask about, and the question put to the local server."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from local_run import KEY, QUICK
from local_server import LocalServer

from workbench.asking import model_check, resumable_run
from workbench.asking.questions import in_asking_order
from workbench.asking.resumable_run import ask
from workbench.asking.settings import Operation, Question
from workbench.games import cut_games, random_games
from workbench.tables.parquet_tables import POSITIONS, write_table


@pytest.fixture(scope="session")
def positions():
    games = random_games(60, 14, seed=3)
    return cut_games(games, groups=(2, 5), per_group=20, seed=3).positions


@pytest.fixture
def positions_path(positions, tmp_path):
    path = tmp_path / "positions.parquet"
    write_table(positions, path, POSITIONS)
    return path


@pytest.fixture
def answers(positions):
    """The true FEN by the moves, as the server is asked for them."""
    return dict(zip(positions["movetext"], positions["true_state"], strict=True))


@pytest.fixture
def asked_moves(positions):
    """The moves of all positions in the order in which they are asked about."""
    return in_asking_order(positions)["movetext"].tolist()


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """No key and no address of the person who runs the tests."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")) or name.startswith("INSPECT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LOCAL_API_KEY", KEY)


@pytest.fixture
def warm_process(monkeypatch):
    """Let `ask` fork its processes from one that has imported Inspect, where a process can fork."""
    if sys.platform == "linux":
        from warm_process import WarmPopen, warm_run

        started = SimpleNamespace(
            Popen=WarmPopen, PIPE=subprocess.PIPE, TimeoutExpired=subprocess.TimeoutExpired
        )
        monkeypatch.setattr(resumable_run, "subprocess", started)
        monkeypatch.setattr(model_check, "subprocess", SimpleNamespace(run=warm_run))


@pytest.fixture
def ask_server(positions_path, tmp_path, warm_process):
    """Ask a local server about all positions, into the folder ``run``."""

    def asking(server: LocalServer, operation=None, **changes):
        others = {name: changes.pop(name) for name in ("price", "confirm") if name in changes}
        question = Question(**{"model": "openai-api/local/model", **changes})
        settings = {**QUICK, "base_url": server.url, **(operation or {})}
        return ask(positions_path, tmp_path / "run", question, Operation(**settings), **others)

    return asking

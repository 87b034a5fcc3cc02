"""Scoring on a cluster of two worker processes, one of them killed: the table of one machine."""

import importlib.util
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.errors import ClusterError, MissingExtraError, RunMismatchError
from workbench.installation import install_hint
from workbench.scoring import ScoringParameters, score_table
from workbench.scoring.parameters import READ
from workbench.scoring.score_rows import score_chunk
from workbench.scoring.workers import ClusterWorkers, LocalWorkers, chunk_scores, own_rows
from workbench.tables.parquet_tables import PREDICTIONS, as_arrow, write_table

TWO = ScoringParameters(depth=2)
# Slow enough to be stopped in the middle.
SLOW = ScoringParameters(depth=3, engine="reference")

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="the extra 'cluster' (distributed) is not installed",
)


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as running:
        yield running


@pytest.fixture
def predictions_path(predictions, tmp_path):
    rows = pd.concat([predictions] * 8, ignore_index=True)
    rows["sample"] = rows.index
    path = tmp_path / "predictions.parquet"
    write_table(rows, path, PREDICTIONS)
    return path


def pids(cluster):
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False) as client:
        return sorted(client.run(os.getpid).values())


@needs_dask
class TestCluster:
    @pytest.mark.slow
    def test_the_bytes_are_those_of_one_machine(self, cluster, predictions_path, tmp_path):
        here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
        assert score_table(predictions_path, here, TWO) == 48
        address = cluster.scheduler_address
        assert score_table(predictions_path, there, TWO, scheduler=address, chunk_rows=5) == 48
        assert there.read_bytes() == here.read_bytes()
        assert not there.with_name("there.parquet.parts").exists()

    @pytest.mark.slow
    def test_a_killed_worker_costs_only_its_chunk(self, cluster, predictions_path, tmp_path):
        here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
        score_table(predictions_path, here, SLOW, chunk_rows=2)
        victim = pids(cluster)[0]
        parts = there.with_name("there.parquet.parts")
        killed = []

        def kill():
            while len(list(parts.glob("rows-*"))) < 2:
                time.sleep(0.002)
            os.kill(victim, signal.SIGKILL)
            killed.append(len(list(parts.glob("rows-*"))))

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        score_table(
            predictions_path, there, SLOW, scheduler=cluster.scheduler_address, chunk_rows=2
        )
        killer.join(1)
        assert killed
        assert killed[0] < 24, "scored before the worker was killed"
        assert there.read_bytes() == here.read_bytes()

    @pytest.mark.slow
    def test_stopped_here_it_goes_on_and_nothing_is_scored_twice(
        self, cluster, predictions_path, tmp_path
    ):
        here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
        score_table(predictions_path, here, SLOW, chunk_rows=2)
        command = [
            sys.executable, "-m", "workbench", "score", str(predictions_path), "-o", str(there),
            "--depth", "3", "--chunk-rows", "2", "--scheduler", cluster.scheduler_address,
        ]  # fmt: skip
        environment = {**os.environ, "WORKBENCH_ENGINE": "reference"}
        process = subprocess.Popen(
            command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment
        )
        parts = there.with_name("there.parquet.parts")
        while process.poll() is None and len(list(parts.glob("rows-*"))) < 2:
            time.sleep(0.002)
        process.kill()
        process.wait()
        kept = {path: path.stat().st_mtime_ns for path in parts.glob("rows-*")}
        assert 2 <= len(kept) < 24
        result = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment
        )
        assert "48 scores written" in result.stdout
        assert there.read_bytes() == here.read_bytes()

    def test_parts_of_one_machine_are_gone_on_with_on_a_cluster(
        self, cluster, predictions_path, tmp_path, monkeypatch
    ):
        here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
        score_table(predictions_path, here, TWO, chunk_rows=6)
        done = []

        def stop(chunk, parameters):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(chunk)
            return score_chunk(chunk, parameters)

        monkeypatch.setattr("workbench.scoring.workers.score_chunk", stop)
        with pytest.raises(KeyboardInterrupt):
            score_table(predictions_path, there, TWO, chunk_rows=6)
        monkeypatch.undo()
        parts = there.with_name("there.parquet.parts")
        before = {path: path.stat().st_mtime_ns for path in parts.glob("rows-*")}
        assert len(before) == 3
        with pytest.raises(RunMismatchError, match="chunk_rows"):
            score_table(
                predictions_path, there, TWO, scheduler=cluster.scheduler_address, chunk_rows=5
            )
        assert {path: path.stat().st_mtime_ns for path in before} == before
        score_table(predictions_path, there, TWO, scheduler=cluster.scheduler_address, chunk_rows=6)
        assert there.read_bytes() == here.read_bytes()

    def test_a_worker_with_other_packages_is_refused(self, cluster, predictions):
        workers = ClusterWorkers(TWO, cluster.scheduler_address)
        true = workers._versions
        workers._versions = lambda *arguments: {**true(*arguments), "chess": "0.1"}
        with pytest.raises(ClusterError, match=r"chess: found '1\.\d+.*requested '0\.1'"):
            list(chunk_scores([(0, as_arrow(predictions, READ))], workers))

    def test_no_scheduler_is_named(self, predictions_path, tmp_path):
        for address, said in (("tcp://127.0.0.1:9", "scheduler"), ("nonsense://x", "scheduler")):
            with pytest.raises(ClusterError, match=rf"{said}.*{address}"):
                ClusterWorkers(TWO, address, connect_seconds=0.5)

    @pytest.mark.parametrize(
        "address",
        ["host", "tcp://host", "host:port", "tcp://127.0.0.1:99999", "tcp://", ":::", "http://x:1"],
    )
    def test_what_is_no_address_is_refused_at_once(self, predictions_path, tmp_path, address):
        started = time.monotonic()
        with pytest.raises(ClusterError, match=rf"such as tcp://host:8786, got '{address}'"):
            score_table(predictions_path, tmp_path / "out.parquet", TWO, scheduler=address)
        # Connecting would be tried for 20 seconds.
        assert time.monotonic() - started < 10
        assert not list(tmp_path.glob("out*"))

    def test_no_workers_are_named(self):
        from distributed import LocalCluster

        with (
            LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
            pytest.raises(ClusterError, match="expected at least one worker"),
        ):
            ClusterWorkers(TWO, empty.scheduler_address, connect_seconds=0.5)

    def test_workers_that_do_not_come_back_are_an_error(self, predictions):
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as lost:
            workers = ClusterWorkers(SLOW, lost.scheduler_address, workerless_seconds=1.0)
            lost.scale(0)
            while lost.scheduler.workers:
                time.sleep(0.01)
            with pytest.raises(ClusterError, match=r"no worker for 1 s.*are kept"):
                list(chunk_scores([(0, as_arrow(predictions, READ))], workers))

    def test_a_scheduler_that_is_lost_is_an_error(self, predictions):
        import dask
        from distributed import LocalCluster

        with (
            dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
            LocalCluster(
                n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
            ) as lost,
        ):
            workers = ClusterWorkers(SLOW, lost.scheduler_address)
            rows = as_arrow(predictions, READ)
            found = chunk_scores([(index, rows) for index in range(50)], workers)
            next(found)
            lost.sync(lost.scheduler.close)
            with pytest.raises(ClusterError, match=r"cannot be reached.*are kept"):
                list(found)

    def test_the_command(self, cluster, predictions_path, tmp_path):
        out = tmp_path / "scores.parquet"
        arguments = ["score", predictions_path, "-o", out, "--depth", 1]
        arguments += ["--scheduler", cluster.scheduler_address]
        result = CliRunner().invoke(main, list(map(str, arguments)))
        assert result.exit_code == 0, result.output
        assert "48 scores written" in result.stdout
        assert "by hand" in result.stdout


def test_without_the_extra_it_says_what_to_install(monkeypatch, predictions_path, tmp_path):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "distributed" else found(name)
    )
    with pytest.raises(MissingExtraError, match=re.escape(install_hint("cluster"))):
        score_table(predictions_path, tmp_path / "out.parquet", TWO, scheduler="tcp://x:1")


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_chunks_are_read_than_there_is_room_for(predictions, jobs):
    workers = LocalWorkers(ScoringParameters(depth=1), jobs)
    read = []
    done = []

    def chunks():
        for index in range(40):
            read.append(index)
            assert len(read) - len(done) <= workers.room()
            yield index, as_arrow(predictions.head(1), READ)

    for index, found in chunk_scores(chunks(), workers):
        done.append(index)
        assert len(found) == 1
    assert sorted(done) == list(range(40))


def test_a_chunk_is_sent_without_the_table_that_it_is_cut_from():
    table = pa.table({"text": [f"{row:0100}" for row in range(1000)]})
    chunk = own_rows(table.slice(500, 3))
    assert chunk.equals(table.slice(500, 3))
    assert len(pickle.dumps(chunk)) < 2000 < 100_000 < len(pickle.dumps(table))

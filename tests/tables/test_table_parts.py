"""Scores in parts: what is trusted, what is made again, who may make them, what is kept."""

import errno
import fcntl
import json
import resource
import shutil

import pandas as pd
import pytest

from workbench.errors import OutputError, RunMismatchError, TableError
from workbench.scoring import ScoringParameters, score_table
from workbench.scoring.score_rows import score_chunk
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_provenance, write_table

ONE = ScoringParameters(depth=1)
TWO = ScoringParameters(depth=2)


def repeated(predictions, path, times=4):
    rows = pd.concat([predictions] * times, ignore_index=True)
    write_table(rows.assign(sample=rows.index.astype("int32")), path, PREDICTIONS)
    return path


@pytest.fixture
def table(predictions, tmp_path):
    return repeated(predictions, tmp_path / "predictions.parquet")


@pytest.fixture
def other(predictions, tmp_path):
    """Other predictions, of as many rows."""
    return repeated(predictions.iloc[::-1], tmp_path / "other.parquet")


@pytest.fixture
def whole(table, tmp_path):
    path = tmp_path / "whole" / "scores.parquet"
    score_table(table, path, TWO, chunk_rows=6)
    return path.read_bytes()


@pytest.fixture
def out(tmp_path):
    return tmp_path / "scores.parquet"


@pytest.fixture
def stopped(monkeypatch):
    """Score until so many chunks of six rows are done, as if it was killed then."""

    def stop_after(number, table, out, parameters=TWO, **options):
        done = []

        def stop_or_score(chunk, parameters):
            if len(done) == number:
                raise KeyboardInterrupt
            done.append(chunk)
            return score_chunk(chunk, parameters)

        with monkeypatch.context() as patch:
            patch.setattr("workbench.scoring.workers.score_chunk", stop_or_score)
            with pytest.raises(KeyboardInterrupt):
                score_table(table, out, parameters, chunk_rows=6, **options)

    return stop_after


def parts_of(out):
    return out.with_name(out.name + ".parts")


def resumed(table, out, parameters=TWO, **options):
    """Score on, and return what was said meanwhile."""
    said = []
    score_table(table, out, parameters, chunk_rows=6, report=said.append, **options)
    assert not parts_of(out).exists()
    return said


class TestTrust:
    def test_a_chunk_without_a_manifest_is_not_used(self, table, other, out, whole, stopped):
        stopped(3, other, out)
        (parts_of(out) / "manifest.json").unlink()
        (said,) = resumed(table, out)
        assert "3 parts without a manifest are removed" in said
        assert out.read_bytes() == whole

    def test_a_chunk_of_other_predictions_is_scored_again(
        self, table, other, out, whole, tmp_path, stopped
    ):
        stopped(2, table, out)
        stopped(2, other, tmp_path / "elsewhere.parquet")
        name = "rows-00000006-00000012.parquet"
        shutil.copy(parts_of(tmp_path / "elsewhere.parquet") / name, parts_of(out) / name)
        (said,) = resumed(table, out)
        assert name in said
        assert "made again" in said
        assert out.read_bytes() == whole

    def test_a_chunk_under_the_name_of_another_is_scored_again(self, table, out, whole, stopped):
        stopped(2, table, out)
        first, second = sorted(parts_of(out).glob("rows-*"))
        shutil.copy(first, second)
        (said,) = resumed(table, out)
        assert second.name in said
        assert out.read_bytes() == whole

    @pytest.mark.parametrize("damage", ["cut", "overwritten", "empty"])
    def test_a_broken_chunk_is_scored_again(self, table, out, whole, stopped, damage):
        stopped(2, table, out)
        path = max(parts_of(out).glob("rows-*"))
        content = bytearray(path.read_bytes())
        content[1000:1100] = bytes(100)
        path.write_bytes({"cut": content[:-50], "overwritten": content, "empty": b""}[damage])
        (said,) = resumed(table, out)
        assert path.name in said
        assert out.read_bytes() == whole

    def test_a_chunk_made_by_other_parameters_is_refused_and_kept(self, table, out, stopped):
        stopped(2, table, out)
        kept = sorted(parts_of(out).iterdir())
        with pytest.raises(
            RunMismatchError, match=r"2 parts.*depth: found 2, requested 1"
        ) as refused:
            score_table(table, out, ONE, chunk_rows=6)
        assert len(str(refused.value)) < 400
        assert sorted(parts_of(out).iterdir()) == kept
        resumed(table, out, ONE, restart=True)
        assert "precision_2" not in pd.read_parquet(out)

    def test_a_run_that_scored_nothing_blocks_no_other(self, table, out, whole, stopped):
        stopped(0, table, out, ONE)
        assert resumed(table, out) == []
        assert out.read_bytes() == whole

    def test_what_a_killed_process_left_unfinished_goes(self, table, out, whole, stopped):
        stopped(2, table, out)
        (parts_of(out) / ".rows-00000012-00000018-abcd1234.parquet").write_bytes(b"half")
        (parts_of(out) / "whole.parquet").write_bytes(b"half")
        assert resumed(table, out) == []
        assert out.read_bytes() == whole

    def test_files_of_others_are_not_touched(self, table, out):
        parts_of(out).mkdir()
        (parts_of(out) / "diary.txt").write_text("mine")
        with pytest.raises(OutputError, match=r"diary\.txt"):
            score_table(table, out, TWO)
        inside = shutil.move(table, parts_of(out) / "rows-0-9.parquet")
        (parts_of(out) / "diary.txt").unlink()
        with pytest.raises(OutputError, match=r"the input .* lies there"):
            score_table(inside, out, TWO)
        assert inside.exists()

    def test_predictions_that_change_meanwhile_are_an_error(
        self, table, other, out, whole, monkeypatch
    ):
        def stop_or_score(chunk, parameters):
            shutil.copy(other, table)
            return score_chunk(chunk, parameters)

        with monkeypatch.context() as patch:
            patch.setattr("workbench.scoring.workers.score_chunk", stop_or_score)
            with pytest.raises(TableError, match="changed while"):
                score_table(table, out, TWO, chunk_rows=6)
        assert not out.exists()
        assert not parts_of(out).exists()


class TestCode:
    @pytest.fixture
    def changed(self, monkeypatch):
        def change(**code):
            monkeypatch.setattr("workbench.scoring.score_tables.scoring_code", lambda *_: code)

        return change

    def test_the_table_says_which_code_made_it(self, table, out):
        score_table(table, out, TWO)
        code = read_provenance(out)["code"]
        assert set(code) == {"workbench", "chess", "numba", "numpy", "rapidfuzz"}
        assert len(code["workbench"]) == 64

    def test_code_changed_midway_is_refused_and_named(self, table, out, whole, stopped, changed):
        changed(workbench="before", chess="1.11.2")
        stopped(2, table, out)
        changed(workbench="after", chess="1.11.2")
        with pytest.raises(
            RunMismatchError, match="code workbench: found 'before', requested 'after'"
        ):
            score_table(table, out, TWO, chunk_rows=6)
        resumed(table, out, restart=True)
        assert read_provenance(out)["code"]["workbench"] == "after"

    def test_a_finished_table_of_other_code_is_not_passed_off(self, table, out, changed):
        score_table(table, out, TWO)
        before = out.read_bytes()
        changed(workbench="after")
        with pytest.raises(RunMismatchError, match=r"made differently \(code .*requested 'after'"):
            score_table(table, out, TWO)
        assert out.read_bytes() == before

    def test_what_determines_no_score_does_not_count(self, table, out, monkeypatch):
        score_table(table, out, TWO)
        monkeypatch.setattr(
            "workbench.tables.parquet_tables.package_versions",
            lambda: {"pandas": "another", "python": "4"},
        )
        assert score_table(table, out, TWO) == 24


class TestRestart:
    @pytest.fixture
    def old(self, table, out):
        score_table(table, out, ONE)
        return out.read_bytes()

    def test_the_old_table_stays_where_the_input_is_unusable(self, predictions, table, out, old):
        half, positions = table.with_name("half.parquet"), table.with_name("positions.parquet")
        content = bytearray(table.read_bytes())
        content[200] ^= 255
        half.write_bytes(content)
        write_table(predictions[POSITIONS.names], positions, POSITIONS)
        for path in (half, positions, table.with_name("nowhere.parquet")):
            with pytest.raises(TableError, match=path.name):
                score_table(path, out, TWO, restart=True)
            assert out.read_bytes() == old
            assert not parts_of(out).exists()

    def test_the_old_table_stays_until_the_new_one_is_whole(self, table, out, old, whole, stopped):
        stopped(2, table, out, restart=True)
        assert out.read_bytes() == old
        # A restart is gone on with by the command without it, and by that alone.
        kept = {path: path.stat().st_mtime_ns for path in parts_of(out).glob("rows-*")}
        assert len(kept) == 2
        stopped(1, table, out)
        assert {path: path.stat().st_mtime_ns for path in kept} == kept
        assert out.read_bytes() == old
        assert resumed(table, out) == []
        assert out.read_bytes() == whole

    def test_a_table_put_there_meanwhile_is_not_replaced(self, table, out, stopped, tmp_path):
        stopped(2, table, out)
        score_table(table, tmp_path / "precious.parquet", ONE)
        shutil.copy(tmp_path / "precious.parquet", out)
        with pytest.raises(RunMismatchError, match="depth: found 1, requested 2"):
            score_table(table, out, TWO, chunk_rows=6)
        assert out.read_bytes() == (tmp_path / "precious.parquet").read_bytes()

    def test_killed_after_the_new_table_is_there_only_the_parts_go(
        self, table, out, whole, stopped
    ):
        stopped(2, table, out)
        out.write_bytes(whole)
        assert resumed(table, out) == []
        assert out.read_bytes() == whole


class TestInUse:
    def test_a_second_process_is_refused(self, table, out, whole, stopped):
        stopped(1, table, out)
        with (parts_of(out) / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for restart in (False, True):
                with pytest.raises(OutputError, match="another process"):
                    score_table(table, out, TWO, chunk_rows=6, restart=restart)
        assert resumed(table, out) == []
        assert out.read_bytes() == whole

    @pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP])
    def test_without_locks_it_says_so_and_goes_on(self, table, out, whole, monkeypatch, code):
        def flock(*_):
            raise OSError(code, "no locks")

        monkeypatch.setattr("fcntl.flock", flock)
        (said,) = resumed(table, out)
        assert "supports no locks" in said
        assert out.read_bytes() == whole


class TestRoom:
    def test_a_full_disk_costs_nothing_that_was_scored(self, table, out, whole, stopped):
        """Files may not grow beyond the size of a chunk, which the table does."""
        stopped(2, table, out)
        largest = max(path.stat().st_size for path in parts_of(out).glob("rows-*"))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 1000, before[1]))
        try:
            with pytest.raises(OutputError, match=r"cannot be written: .*2 finished parts") as full:
                score_table(table, out, TWO, chunk_rows=6)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert str(full.value).count(str(out)) == 2
        assert "the same command resumes" in str(full.value)
        assert not out.exists()
        assert len(list(parts_of(out).glob("rows-*"))) == 2
        assert resumed(table, out) == []
        assert out.read_bytes() == whole

    def test_a_manifest_cut_short_is_none(self, table, out, whole, stopped):
        stopped(2, table, out)
        (parts_of(out) / "manifest.json").write_text(json.dumps(["not", "one"]))
        (said,) = resumed(table, out)
        assert "without a manifest" in said
        assert out.read_bytes() == whole

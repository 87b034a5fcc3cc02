"""Tables are written whole or not at all, held to their schema, and carry their provenance."""

import errno
import os
import random
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.checking.table_check import check_table
from workbench.errors import TableError
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import score_predictions
from workbench.scoring.score_tables import read_scores
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    REPLY_KEY,
    read_chunks,
    read_provenance,
    read_table,
    replacing,
    row_count,
    table_writer,
    write_table,
)


def test_a_table_comes_back_as_it_went_with_its_provenance(predictions, tmp_path):
    path = tmp_path / "deep" / "predictions.parquet"
    write_table(predictions, path, PREDICTIONS, {"seed": 3})
    back = read_table(path, PREDICTIONS)
    assert back.iloc[1].dropna().to_dict() == predictions.iloc[1].dropna().to_dict()
    assert back["predicted_state"].isna().sum() == 1
    assert read_provenance(path) == {"seed": 3}


def test_the_same_rows_give_the_same_bytes(predictions, tmp_path):
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    write_table(predictions, one, PREDICTIONS)
    write_table(predictions, other, PREDICTIONS)
    assert one.read_bytes() == other.read_bytes()


def test_a_column_too_many_or_too_few_is_refused(predictions, tmp_path):
    path = tmp_path / "predictions.parquet"
    with pytest.raises(TableError, match="extra"):
        write_table(predictions.assign(extra=1), path, PREDICTIONS)
    with pytest.raises(TableError, match="data/README"):
        write_table(predictions.drop(columns="reply"), path, PREDICTIONS)
    assert not path.exists()


def test_a_value_of_the_wrong_kind_is_refused(predictions, tmp_path):
    with pytest.raises(TableError, match="does not fit"):
        write_table(predictions.assign(ply="late"), tmp_path / "p.parquet", PREDICTIONS)


def test_a_table_without_a_column_is_refused_when_read(predictions, tmp_path):
    path = tmp_path / "positions.parquet"
    write_table(predictions[POSITIONS.names], path, POSITIONS)
    with pytest.raises(TableError, match="reply_class"):
        read_table(path, PREDICTIONS)


def test_a_table_of_another_schema_version_is_refused(predictions, tmp_path, monkeypatch):
    path = tmp_path / "predictions.parquet"
    monkeypatch.setattr("workbench.tables.parquet_tables.SCHEMA_VERSION", 99)
    write_table(predictions, path, PREDICTIONS)
    monkeypatch.undo()
    with pytest.raises(TableError, match="got '99'; a later workbench wrote it"):
        read_table(path, PREDICTIONS)


def test_a_table_made_elsewhere_with_the_columns_is_read(predictions, tmp_path):
    path = tmp_path / "elsewhere.parquet"
    predictions.to_parquet(path)
    assert len(read_table(path, PREDICTIONS)) == len(predictions)


def test_a_failed_write_leaves_the_old_file_and_nothing_beside(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")

    def fail():
        with replacing(path) as beside:
            beside.write_text("new")
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_of_the_system_names_the_file_that_was_to_be_made(tmp_path):
    path = tmp_path / "file.txt"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    other = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "/nowhere")
    for raised, name in ((full, str(path)), (other, "/nowhere")):
        with pytest.raises(OSError, match="No s") as caught, replacing(path):
            raise raised
        assert (caught.value.errno, caught.value.filename) == (raised.errno, name)
        assert type(caught.value) is type(raised)
    assert list(tmp_path.iterdir()) == []


def test_derived_seeds_differ_by_every_part_and_are_stable():
    seeds = {derived_seed(s, *names) for s in (0, 1) for names in ((), ("a",), ("a", 1), ("a1",))}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    # printf '7\x1frow' | sha256sum
    assert derived_seed(7, "row") == 0x0F9FAC3ACA5A03A1 >> 1
    assert derived_seed(7, "row", bits=128) == 0x0F9FAC3ACA5A03A19C0D2F3F9386615D


def test_an_empty_frame_keeps_its_columns(tmp_path):
    path = tmp_path / "empty.parquet"
    write_table(pd.DataFrame(columns=POSITIONS.names), path, POSITIONS)
    assert list(read_table(path, POSITIONS).columns) == POSITIONS.names


class TestInPieces:
    @pytest.fixture
    def rows(self, predictions):
        frame = pd.concat([predictions] * 7, ignore_index=True)
        return frame.assign(sample=frame.index)

    @pytest.mark.parametrize("piece", [1, 4, 10, 11, 42, 100])
    def test_the_bytes_do_not_depend_on_the_pieces(self, rows, tmp_path, monkeypatch, piece):
        monkeypatch.setattr("workbench.tables.parquet_tables.ROW_GROUP_ROWS", 10)
        one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
        write_table(rows, one, PREDICTIONS, {"seed": 1})
        with table_writer(other, PREDICTIONS, {"seed": 1}) as writer:
            for start in range(0, len(rows), piece):
                writer.write(rows.iloc[start : start + piece])
        assert other.read_bytes() == one.read_bytes()
        groups = pq.ParquetFile(one).metadata
        assert [groups.row_group(at).num_rows for at in range(groups.num_row_groups)] == [
            10, 10, 10, 10, 2,
        ]  # fmt: skip

    @pytest.mark.parametrize("size", [1, 7, 10, 41, 42, 43])
    def test_chunks_are_of_one_size_whatever_the_row_groups(
        self, rows, tmp_path, monkeypatch, size
    ):
        monkeypatch.setattr("workbench.tables.parquet_tables.ROW_GROUP_ROWS", 10)
        path = tmp_path / "rows.parquet"
        write_table(rows, path, PREDICTIONS)
        chunks = list(read_chunks(path, POSITIONS, size))
        assert [len(chunk) for chunk in chunks[:-1]] == [size] * (len(chunks) - 1)
        whole = read_table(path, POSITIONS)
        pd.testing.assert_frame_equal(pd.concat(chunks, ignore_index=True), whole)
        assert row_count(path) == len(whole) == 42

    @pytest.mark.slow
    def test_memory_is_that_of_a_chunk_and_a_row_group(self, rows, tmp_path, monkeypatch):
        monkeypatch.setattr("workbench.tables.parquet_tables.ROW_GROUP_ROWS", 42)
        path = tmp_path / "rows.parquet"
        draw = random.Random(0)
        with table_writer(path, PREDICTIONS) as writer:
            for _ in range(100):
                replies = [draw.randbytes(500).hex() for _ in range(42)]
                writer.write(rows.assign(reply=replies))
        assert row_count(path) == 4200
        before = pa.total_allocated_bytes()
        held = [pa.total_allocated_bytes() - before for _ in read_chunks(path, PREDICTIONS, 10)]
        # All replies are 4 MB, those of a row group 42 KB.
        assert max(held) < 2**20

    def test_a_writer_that_fails_leaves_the_old_file(self, rows, tmp_path):
        path = tmp_path / "rows.parquet"
        write_table(rows, path, PREDICTIONS)
        before = path.read_bytes()

        def fail():
            with table_writer(path, PREDICTIONS) as writer:
                writer.write(rows)
                writer.write(rows.assign(extra=1))

        with pytest.raises(TableError, match="extra"):
            fail()
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


class TestEarlierVersions:
    """Predictions of schema version 1 hold paid answers: they are upgraded as they are read."""

    @pytest.fixture
    def version_one(self, predictions, tmp_path):
        def writing(frame, name="old.parquet", schema=PREDICTIONS):
            added = schema.names.index("earlier_turns")
            old = pa.schema(
                [field for field in list(schema)[:added] if field.name not in ("set", "setting")]
            )
            path = tmp_path / name
            write_table(frame[old.names], path, old, {"seed": 3})
            whole = pq.read_table(path)
            metadata = {**whole.schema.metadata, b"workbench_schema_version": b"1"}
            pq.write_table(whole.replace_schema_metadata(metadata), path)
            return path

        return writing

    def test_replies_stay_and_failed_calls_get_their_class(self, predictions, version_one):
        rows = predictions.copy()
        rows.loc[4, "reason"] = "call failed: RateLimitError"
        back = read_table(version_one(rows), PREDICTIONS)
        assert list(back["reply"]) == list(rows["reply"])
        classes = ["valid", "valid", "ill_formed", "unparseable", "failed", "valid"]
        assert list(back["reply_class"]) == classes
        assert back[["earlier_turns", "dollars", "seconds", "stop_reason"]].isna().all().all()
        assert (back[["set", "setting"]] == "").all(axis=None)

    def test_some_columns_alone_are_upgraded_too(self, predictions, version_one):
        rows = predictions.copy()
        rows.loc[4, "reason"] = "call failed: RateLimitError"
        asked = pa.schema([PREDICTIONS.field(name) for name in ("model", "reply_class")])
        chunks = list(read_chunks(version_one(rows), asked, 2))
        assert [list(chunk["reply_class"]) for chunk in chunks][2] == ["failed", "valid"]
        assert list(chunks[0].columns) == ["model", "reply_class"]

    def test_version_two_gets_a_set_and_a_setting(self, predictions, tmp_path):
        path = tmp_path / "two.parquet"
        schema = pa.schema([field for field in PREDICTIONS if field.name not in ("set", "setting")])
        rows = predictions.assign(dollars=0.25)
        write_table(rows[schema.names], path, schema)
        whole = pq.read_table(path)
        metadata = {**whole.schema.metadata, b"workbench_schema_version": b"2"}
        pq.write_table(whole.replace_schema_metadata(metadata), path)
        back = read_table(path, PREDICTIONS)
        assert list(back["dollars"]) == [0.25] * len(rows)
        assert (back[["set", "setting"]] == "").all(axis=None)
        keys = pa.schema([PREDICTIONS.field(name) for name in REPLY_KEY])
        assert list(read_table(path, keys)["setting"]) == [""] * len(rows)

    def test_version_three_is_of_chess_and_its_boards_are_renamed(self, predictions, tmp_path):
        path = tmp_path / "three.parquet"
        added = ("environment", "initial_state", "task", "predicted_actions")
        schema = pa.schema([field for field in PREDICTIONS if field.name not in added])
        write_table(predictions[schema.names], path, schema)
        whole = pq.read_table(path)
        metadata = {**whole.schema.metadata, b"workbench_schema_version": b"3"}
        old = {"true_state": "true_fen", "predicted_state": "predicted_fen"}
        whole = whole.rename_columns([old.get(name, name) for name in whole.column_names])
        pq.write_table(whole.replace_schema_metadata(metadata), path)
        back = read_table(path, PREDICTIONS)
        assert list(back["true_state"]) == list(predictions["true_state"])
        assert list(back["predicted_state"]) == list(predictions["predicted_state"])
        assert set(back["environment"]) == {"chess"}
        assert set(back["task"]) == {"state"}
        assert set(back["initial_state"]) == {""}
        assert back["predicted_actions"].isna().all()

    def test_scores_are_made_again(self, predictions, version_one, tmp_path):
        path = version_one(predictions)
        old = pq.read_table(path)
        pq.write_table(old.append_column("unscored", pa.array([""] * len(old))), path)
        with pytest.raises(TableError, match="expected schema version 4, got '1'; make the table"):
            read_table(path, PREDICTIONS)

    def test_a_missing_column_is_still_named(self, predictions, version_one):
        path = version_one(predictions)
        pq.write_table(pq.read_table(path).drop_columns(["reply"]), path)
        with pytest.raises(TableError, match=r"\['reply'\] are missing"):
            read_table(path, PREDICTIONS)


class TestTablesOfTheFirstVersion:
    """What the first commits wrote, as 0.1.0: their own code made these files, of five games."""

    FOLDER = Path(__file__).parent / "version_1"

    def test_were_written_by_it(self):
        for path in self.FOLDER.glob("*.parquet"):
            metadata = pq.read_schema(path).metadata
            assert metadata[b"workbench_schema_version"] == b"1"
            assert b'"world-state-workbench": "0.1.0"' in metadata[b"workbench_packages"]

    @pytest.mark.parametrize(
        ("name", "schema"), [("positions", POSITIONS), ("predictions", PREDICTIONS)]
    )
    def test_open_with_the_columns_of_now_and_check_finds_nothing(self, name, schema):
        path = self.FOLDER / f"{name}.parquet"
        before = pq.read_table(path)
        table = read_table(path, schema)
        assert list(table.columns) == schema.names
        assert list(table["true_state"]) == before["true_fen"].to_pylist()
        assert set(table["environment"]) == {"chess"}
        found = check_table(path)
        assert found.kind == name
        assert found.oddities == []

    def test_predictions_have_the_scores_that_they_had(self):
        predictions = read_table(self.FOLDER / "predictions.parquet", PREDICTIONS)
        now = score_predictions(predictions, ScoringParameters(depth=4))
        before = pq.read_table(self.FOLDER / "scores.parquet").to_pandas()
        assert list(now["position_id"]) == list(before["position_id"])
        names = [name for name in before.select_dtypes(("number", "bool")) if name in now]
        assert {"precision_4", "recall_4", "levenshtein", "lost_ply"} <= set(names)
        pd.testing.assert_frame_equal(now[names], before[names], rtol=1e-12, check_dtype=False)

    def test_scores_are_refused_with_the_command_that_makes_them_again(self):
        path = self.FOLDER / "scores.parquet"
        with pytest.raises(TableError, match=r"got '1'; make the table .*`workbench score PRED"):
            read_scores(path)
        (version, *_) = check_table(path).oddities
        assert "`workbench score PREDICTIONS -o SCORES`" in version.what

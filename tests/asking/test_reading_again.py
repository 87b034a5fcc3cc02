"""Replies of a table or of a run's journal read again: only what is extracted changes."""

import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.asking.journal import Failure, Journal
from workbench.asking.predictions_table import extract_again, write_run_predictions
from workbench.asking.run_folder import open_run
from workbench.asking.settings import Question
from workbench.cli import main
from workbench.environments.chess.classification import EXTRACTOR_VERSION
from workbench.errors import TableError
from workbench.games import cut_games, random_games
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    read_provenance,
    read_table,
    write_table,
)

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
D4 = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"
EXTRACTED = ["predicted_state", "predicted_actions", "reply_class", "status", "reason"]


def run(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert not isinstance(result.exception, AssertionError), result.exception
    return result


@pytest.fixture
def table(predictions, tmp_path):
    """A table as an older extractor left it: it took a draft, and guessed a side to move."""
    frame = predictions.copy()
    frame["reply"] = [
        START,
        f"Final FEN: {E4}\nWait. Corrected FEN: {D4}",
        D4.split()[0],
        "I cannot say.",
        None,
        None,
    ]
    frame["predicted_state"] = [START, E4, D4.split()[0], None, D4, None]
    frame["reply_class"] = ["valid", "valid", "valid", "absent", "valid", "failed"]
    frame["status"] = ""
    frame["reason"] = ["", "", "", "no piece placement found", "", "call failed: reset"]
    frame["stop_reason"] = ["stop", "stop", "stop", "max_tokens", None, None]
    path = tmp_path / "old.parquet"
    write_table(frame, path, PREDICTIONS, {"stage": "predictions", "text": "llm_fen"})
    return path


def test_a_table_keeps_everything_but_what_is_extracted(table, tmp_path):
    bytes_before = table.read_bytes()
    said = run("replies", "extract", table, "-o", tmp_path / "new.parquet")
    assert (said.exit_code, said.stderr) == (0, "")
    before, after = (read_table(path, PREDICTIONS) for path in (table, tmp_path / "new.parquet"))
    kept = [name for name in PREDICTIONS.names if name not in EXTRACTED]
    pd.testing.assert_frame_equal(after[kept], before[kept])
    assert after["predicted_state"].fillna("").tolist() == [START, D4, D4.split()[0], "", D4, ""]
    assert after["reply_class"].tolist() == [
        "valid", "valid", "unparseable", "absent", "valid", "failed",
    ]  # fmt: skip
    assert after["reason"].tolist() == [
        "", "", "no side to move",
        "no piece placement found; the reply was cut off at its longest length",
        "", "call failed: reset",
    ]  # fmt: skip
    assert table.read_bytes() == bytes_before
    provenance = read_provenance(tmp_path / "new.parquet")
    assert provenance["extractor_version"] == EXTRACTOR_VERSION
    assert (provenance["stage"], provenance["text"]) == ("predictions", "raw")
    assert provenance["read_again"]["extractor_version"] is None
    assert said.stdout.splitlines()[:4] == [
        "1 rows with another answer",
        "1 rows of another class",
        "  1 valid -> unparseable",
        "2 rows without a reply, kept as they are",
    ]


def test_read_twice_nothing_changes(table, tmp_path):
    run("replies", "extract", table, "-o", tmp_path / "new.parquet")
    again = extract_again(tmp_path / "new.parquet")
    assert (again.changed_answers, again.changed_classes) == (0, {})
    found = read_table(tmp_path / "new.parquet", PREDICTIONS)
    pd.testing.assert_frame_equal(again.predictions, found)


def test_check_finds_nothing_odd_in_it(table, tmp_path):
    run("replies", "extract", table, "-o", tmp_path / "new.parquet")
    said = run("check", tmp_path / "new.parquet").output
    assert "reply_class is not" not in said


@pytest.mark.parametrize("alias", ["old.parquet", "./old.parquet", "link.parquet"])
def test_the_table_that_is_read_is_not_written_over(table, alias):
    (table.parent / "link.parquet").hardlink_to(table)
    bytes_before = table.read_bytes()
    said = run("replies", "extract", table, "-o", table.parent / alias)
    assert said.exit_code == 1
    assert "expected another file than the inputs" in said.stderr
    assert table.read_bytes() == bytes_before


class TestRun:
    @pytest.fixture
    def positions(self):
        return cut_games(random_games(8, 4, seed=3), groups=(1,), per_group=4, seed=3).positions

    @pytest.fixture
    def folder(self, positions, tmp_path):
        path = tmp_path / "positions.parquet"
        write_table(positions, path, POSITIONS)
        folder = open_run(tmp_path / "run", Question(model="openai/none"), positions, path)
        journal = Journal(folder.path)
        replies = [f"Final FEN: {E4}\nWait. Corrected FEN: {D4}", START]
        for name, text in zip(positions["position_id"], replies, strict=False):
            message = {"message": {"content": text}, "stop_reason": "stop"}
            journal.answered((name, 0, 0), {"choices": [message]}, 0.25)
        journal.failed((positions["position_id"][2], 0, 0), Failure("gone", permanent=True))
        journal.close()
        return folder

    def test_its_journal_is_read_again(self, folder, tmp_path):
        asked = write_run_predictions(folder)
        assert read_provenance(folder.predictions)["extractor_version"] == EXTRACTOR_VERSION
        # An older extractor took the draft, and the table lacks an answer.
        old = asked.iloc[[0, 2]].copy()
        old.loc[old.index[0], "predicted_state"] = E4
        write_table(old, folder.predictions, PREDICTIONS, {"stage": "predictions"})
        bytes_before = folder.predictions.read_bytes()
        said = run("replies", "extract", folder.path, "-o", tmp_path / "new.parquet")
        assert (said.exit_code, said.stderr) == (0, "")
        after = read_table(tmp_path / "new.parquet", PREDICTIONS)
        pd.testing.assert_frame_equal(after, asked)
        assert after["predicted_state"].fillna("").tolist() == [D4, START, ""]
        assert read_provenance(tmp_path / "new.parquet")["asked"]["model"] == "openai/none"
        assert said.stdout.splitlines()[:4] == [
            "1 rows with another answer",
            "0 rows of another class",
            "1 rows that the table of the run does not have",
            "1 rows without a reply, kept as they are",
        ]
        assert folder.predictions.read_bytes() == bytes_before

    def test_without_its_table_the_journal_is_enough(self, folder, tmp_path):
        assert extract_again(folder.path).new_rows == 3

    def test_none_of_its_files_is_written_over(self, folder):
        write_run_predictions(folder)
        for file in folder.path.iterdir():
            if file.is_file():
                bytes_before = file.read_bytes()
                said = run("replies", "extract", folder.path, "-o", file)
                assert said.exit_code == 1
                assert file.read_bytes() == bytes_before

    def test_rows_that_the_journal_lost_are_not_dropped(self, folder, positions):
        asked = write_run_predictions(folder)
        more = asked.iloc[[1]].assign(position_id=positions["position_id"][3])
        both = pd.concat([asked, more], ignore_index=True)
        write_table(both, folder.predictions, PREDICTIONS)
        with pytest.raises(TableError, match="name the table instead"):
            extract_again(folder.path)

    def test_another_folder_is_refused(self, tmp_path):
        with pytest.raises(TableError, match=r"without run\.json"):
            extract_again(tmp_path)

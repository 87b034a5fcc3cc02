"""Replies of any environment and task: what a table says comes back, and what contradicts is refused."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.answers.imports import Refusal, RowDefaults, import_named_columns
from workbench.answers.model_replies import simulate
from workbench.checking import check_table
from workbench.cli import main
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, read_table, write_table
from workbench.tasks import task_names

NAMES = ("chess", "othello", "sokoban", "planning", "boxes", "programs")
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def asked(name: str, task: str) -> pd.DataFrame:
    positions = sample_positions(environment_named(name), (3, 6), 3, seed=1)
    frame = simulate(positions, rate=0.4, seed=2, task=task).astype({"reply": object})
    frame.loc[0, ["reply", "predicted_state", "predicted_actions"]] = None
    frame.loc[0, ["reply_class", "status", "reason"]] = ["failed", "", "call failed: timeout"]
    return frame


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return path


def boxes_row(**changes: object) -> dict[str, object]:
    """Two boxes, of which the first is emptied: worked out by hand from what the environment says."""
    positions = sample_positions(environment_named("boxes"), (3,), 1, seed=1)
    row = positions.iloc[0][["initial_state", "moves", "true_state"]].to_dict()
    return {"environment": "boxes", "model": "m", "reply": row["true_state"], **row, **changes}


@pytest.mark.slow
@pytest.mark.parametrize("task", task_names())
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_table_written_as_text_comes_back_whole(
    tmp_path: Path, name: str, task: str, suffix: str
) -> None:
    path, out, own = (tmp_path / each for each in (f"a.{suffix}", "out.parquet", "own.parquet"))
    frame = asked(name, task)
    if suffix == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    found = import_named_columns([path])
    assert (found.refusals, found.remarks) == ((), ())
    write_table(found.predictions, out, PREDICTIONS, {"stage": "predictions"})
    write_table(frame, own, PREDICTIONS)
    pd.testing.assert_frame_equal(read_table(out, PREDICTIONS), read_table(own, PREDICTIONS))
    assert check_table(out).oddities == []


@pytest.mark.parametrize("name", NAMES)
def test_actions_alone_give_the_true_state_and_a_name(tmp_path: Path, name: str) -> None:
    frame = asked(name, "state").iloc[1:]
    given = frame[["environment", "initial_state", "moves", "model", "reply"]]
    path = tmp_path / "a.jsonl"
    given.to_json(path, orient="records", lines=True)
    found = import_named_columns([path])
    assert found.refusals == ()
    for column in ("true_state", "initial_state", "moves", "movetext", "ply", "predicted_state"):
        assert found.predictions[column].tolist() == frame[column].tolist()
    assert found.predictions["game_id"].tolist() == frame["game_id"].tolist()
    named = found.predictions["game_id"] + "-" + found.predictions["ply"].map("{:03d}".format)
    assert found.predictions["position_id"].tolist() == named.tolist()


class TestWhatIsRefused:
    def refused(self, tmp_path: Path, *rows: object, **unsaid: str) -> tuple[Refusal, str]:
        path = jsonl(tmp_path / "a.jsonl", boxes_row(), *rows)
        found = import_named_columns([path], defaults=RowDefaults(**unsaid))
        (note,) = found.refusals
        assert (note.file, note.line) == (str(path), 2)
        assert len(found.predictions) == 1
        return note.reason, note.detail

    def test_a_state_that_the_actions_do_not_lead_to(self, tmp_path: Path) -> None:
        row = boxes_row()
        row["true_state"] = row["initial_state"]
        reason, said = self.refused(tmp_path, row)
        assert reason is Refusal.CONTRADICTION
        assert said.startswith("true_state: ")
        assert "lead to" in said

    def test_actions_without_the_state_in_which_they_begin(self, tmp_path: Path) -> None:
        reason, said = self.refused(tmp_path, boxes_row(initial_state=None))
        assert reason is Refusal.NO_TRUE_BOARD
        assert said.startswith("initial_state: expected ")

    def test_an_action_that_is_not_permitted(self, tmp_path: Path) -> None:
        reason, said = self.refused(tmp_path, boxes_row(moves="__import__('os').abort()"))
        assert reason is Refusal.ILLEGAL_MOVES
        assert "__import__" in said

    def test_a_state_that_cannot_be_read(self, tmp_path: Path) -> None:
        reason, said = self.refused(tmp_path, boxes_row(true_state="[" * 100_000, moves=None))
        assert reason is Refusal.NO_TRUE_BOARD
        assert len(said) < 400

    def test_another_environment_or_none_that_is_known(self, tmp_path: Path) -> None:
        chess = {"environment": "chess", "model": "m", "reply": AFTER_E4, "moves": "e2e4"}
        assert self.refused(tmp_path, chess)[0] is Refusal.OTHER_ENVIRONMENT
        assert self.refused(tmp_path, chess, environment="boxes")[0] is Refusal.OTHER_ENVIRONMENT
        unknown = self.refused(tmp_path, boxes_row(environment="go"))
        assert unknown[0] is Refusal.BAD_VALUE
        assert "expected one of" in unknown[1]
        assert self.refused(tmp_path, boxes_row(task="poem"))[0] is Refusal.BAD_VALUE

    def test_a_reply_to_actions_without_any(self, tmp_path: Path) -> None:
        row = {name: value for name, value in boxes_row().items() if name != "reply"}
        reason, said = self.refused(tmp_path, {**row, "task": "actions", "predicted_state": "x"})
        assert reason is Refusal.NO_REPLY
        assert "predicted_actions" in said

    def test_names_that_do_not_exist(self) -> None:
        with pytest.raises(InvalidArgumentError, match="environment"):
            RowDefaults(environment="go")
        with pytest.raises(InvalidArgumentError, match="task"):
            RowDefaults(task="poem")


@pytest.mark.parametrize(
    ("given", "actions", "kind"),
    [
        ("e7e5\nd7d5", "e7e5\nd7d5", "valid"),
        ("e7e5, Nf6", "e7e5\nNf6", "valid"),
        (["e7e5", "the queen"], "e7e5\nthe queen", "ill_formed"),
        ([], "", "valid"),
        ("none of them", None, "unparseable"),
    ],
)
def test_actions_that_were_cut_out_of_a_reply(
    tmp_path: Path, given: object, actions: str | None, kind: str
) -> None:
    row = {"model": "m", "moves": "e2e4", "task": "actions", "predicted_actions": given}
    found = import_named_columns([jsonl(tmp_path / "a.jsonl", row)]).predictions.iloc[0]
    assert (found["predicted_actions"], found["reply_class"]) == (actions, kind)
    assert found["predicted_state"] is None


class TestEarlierNames:
    ROW = {"model": "m", "predicted_fen": AFTER_E4, "true_fen": AFTER_E4}  # noqa: RUF012

    def test_in_files(self, tmp_path: Path) -> None:
        table = tmp_path / "a.csv"
        pd.DataFrame([self.ROW]).to_csv(table, index=False, sep=";")
        for path in (table, jsonl(tmp_path / "a.jsonl", self.ROW)):
            row = import_named_columns([path]).predictions.iloc[0]
            assert (row["true_state"], row["predicted_state"]) == (AFTER_E4, AFTER_E4)

    def test_a_message_names_the_column_as_the_file_does(self, tmp_path: Path) -> None:
        (note,) = import_named_columns(
            [jsonl(tmp_path / "a.jsonl", {**self.ROW, "true_fen": "no board"})]
        ).refusals
        assert note.detail.startswith("true_fen: expected a FEN, got 'no board'")

    def test_in_mappings(self, tmp_path: Path) -> None:
        path = jsonl(tmp_path / "a.jsonl", {"model": "m", "said": AFTER_E4, "board": AFTER_E4})
        columns = {"true_fen": "board", "predicted_fen": "said"}
        row = import_named_columns([path], columns=columns).predictions.iloc[0]
        assert (row["true_state"], row["reply_class"]) == (AFTER_E4, "valid")
        with pytest.raises(InvalidArgumentError, match="once"):
            import_named_columns([path], columns={**columns, "true_state": "board"})


def test_a_start_that_no_game_has_is_refused(tmp_path: Path) -> None:
    row = {"model": "m", "reply": AFTER_E4, "moves": "e2e4"}
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    path = jsonl(
        tmp_path / "a.jsonl", {**row, "initial_state": start}, {**row, "initial_state": AFTER_E4}
    )
    found = import_named_columns([path])
    assert found.predictions["initial_state"].tolist() == [""]
    assert [(note.line, note.reason) for note in found.refusals] == [(2, Refusal.ILLEGAL_MOVES)]


def test_the_command_takes_environment_and_task(tmp_path: Path) -> None:
    frame = asked("othello", "actions")
    columns = ["initial_state", "moves", "model", "reply"]
    path, out = tmp_path / "a.csv", tmp_path / "out.parquet"
    frame.iloc[1:][columns].to_csv(path, index=False)
    given = ["--environment", "othello", "--task", "actions", "-o", str(out)]
    done = CliRunner().invoke(main, ["replies", "import", str(path), *given])
    assert done.exit_code == 0, done.output
    table = read_table(out, PREDICTIONS)
    assert set(table["environment"]) == {"othello"}
    assert table["predicted_actions"].tolist() == frame["predicted_actions"].tolist()[1:]
    assert read_provenance(out)["extractor_version"] == environment_named("othello").reader_version
    wrong = CliRunner().invoke(main, ["replies", "import", str(path), "--environment", "go"])
    assert wrong.exit_code != 0

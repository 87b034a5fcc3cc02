"""Replies recorded by others: Inspect's logs, CSV and JSON Lines, every row kept or named."""

import csv
import json
import zipfile

import chess
import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.answers.imports import (
    Refusal,
    RowDefaults,
    import_inspect_logs,
    import_named_columns,
    import_pgn2fen,
)
from workbench.cli import main
from workbench.errors import InvalidArgumentError, ReplyFileError, TableError
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table

START = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def table_csv(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def reply(**changes):
    return {"position_id": "p1", "model": "m", "reply": f"It is {AFTER_E4}",
            "true_state": AFTER_E4, **changes}  # fmt: skip


class TestNamedColumns:
    def test_the_least_that_a_row_needs(self, tmp_path):
        found = import_named_columns([jsonl(tmp_path / "a.jsonl", reply())])
        (row,) = found.predictions.to_dict("records")
        assert row["predicted_state"] == AFTER_E4
        assert row["reply_class"] == "valid"
        assert (row["sample"], row["group"], row["source"]) == (0, 10, "a.jsonl")
        # The move number of its true FEN tells the ply.
        assert row["ply"] == 1
        assert row["moves"] is None
        assert not found.refusals

    def test_csv_and_json_lines_say_the_same(self, tmp_path):
        rows = [reply(position_id=f"p{n}", reply=f'Line one,\n"{AFTER_E4}"') for n in range(5)]
        one = import_named_columns([table_csv(tmp_path / "a.csv", *rows)]).predictions
        two = import_named_columns([jsonl(tmp_path / "a.jsonl", *rows)]).predictions
        pd.testing.assert_frame_equal(
            one.drop(columns="source"), two.drop(columns="source"), check_dtype=False
        )

    def test_other_names_and_names_inside_objects(self, tmp_path):
        row = {"game": {"key": 7}, "answer": AFTER_E4, "who": "m", "pgn": "1. e4"}
        columns = {"position_id": "game.key", "reply": "answer", "model": "who", "movetext": "pgn"}
        found = import_named_columns([jsonl(tmp_path / "a.jsonl", row)], columns=columns)
        (made,) = found.predictions.to_dict("records")
        assert made["position_id"] == "7"
        assert made["true_state"] == AFTER_E4
        assert (made["moves"], made["movetext"], made["ply"]) == ("e2e4", "1. e4", 1)

    def test_moves_in_uci_give_all_that_follows_from_them(self, tmp_path):
        moves = "e2e4 e7e5 e1e2 e8e7"
        row = reply(moves=moves, true_state=None)
        (made,) = import_named_columns([jsonl(tmp_path / "a.jsonl", row)]).predictions.to_dict(
            "records"
        )
        assert made["true_state"] == "rnbq1bnr/ppppkppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR w - - 2 3"
        assert made["movetext"] == "1. e4 e5 2. Ke2 Ke7"
        assert made["ply"] == 4

    def test_positions_are_joined_by_their_id(self, tmp_path, positions):
        rows = [
            {"position_id": name, "reply": fen}
            for name, fen in zip(positions["position_id"], positions["true_state"], strict=True)
        ]
        rows.append({"position_id": "elsewhere", "reply": START})
        path = jsonl(tmp_path / "a.jsonl", *rows)
        found = import_named_columns([path], positions=positions, defaults=RowDefaults(model="m"))
        joined = found.predictions[POSITIONS.names]
        pd.testing.assert_frame_equal(
            joined, positions[POSITIONS.names].reset_index(drop=True), check_dtype=False
        )
        assert (found.predictions["predicted_state"] == positions["true_state"].to_numpy()).all()
        (refused,) = found.refusals
        assert (refused.file, refused.line) == (str(path), 41)
        assert refused.reason is Refusal.UNKNOWN_POSITION
        assert "'elsewhere' is not among the positions" in refused.detail
        twice = pd.concat([positions, positions.head(1)])
        with pytest.raises(TableError, match="once"):
            import_named_columns([path], positions=twice, defaults=RowDefaults(model="m"))

    def test_samples_are_numbered_as_they_come_or_as_they_say(self, tmp_path):
        rows = [reply(asked=1), reply(asked=2), reply(model="n"), reply(sample=2), reply(asked=3)]
        path = jsonl(tmp_path / "a.jsonl", *rows)
        assert list(import_named_columns([path]).predictions["sample"]) == [0, 1, 0, 2, 3]
        path = jsonl(
            tmp_path / "b.jsonl", reply(sample=4), reply(sample=2), reply(sample=4, reply="?")
        )
        found = import_named_columns([path])
        assert list(found.predictions["sample"]) == [4, 2]
        assert found.refusals[0].reason is Refusal.REPEATED
        assert f"stands in {path}, line 1" in found.refusals[0].detail

    def test_a_fen_that_others_cut_out_is_the_answer(self, tmp_path):
        row = reply(reply=f"Maybe {START}, no", predicted_state=AFTER_E4)
        without = {name: value for name, value in reply().items() if name != "reply"}
        path = jsonl(tmp_path / "a.jsonl", row, without)
        found = import_named_columns([path])
        assert list(found.predictions["predicted_state"]) == [AFTER_E4]
        assert found.refusals[0].reason is Refusal.NO_REPLY

    def test_an_empty_reply_a_blank_cell_and_a_null_are_the_same_row(self, tmp_path):
        empty = [reply(position_id=f"p{n}", reply=said) for n, said in enumerate(("", None, " "))]
        read = [jsonl(tmp_path / "a.jsonl", *empty), table_csv(tmp_path / "a.csv", *empty)]
        for path in read:
            found = import_named_columns([path]).predictions
            assert list(found["reply_class"]) == ["absent"] * 3
            assert list(found["reason"][:2]) == ["empty reply"] * 2
            assert list(found["reply"]) == ["", "", " "]

    @pytest.mark.parametrize(
        ("row", "reason", "detail"),
        [
            (
                reply(position_id=None),
                Refusal.NO_POSITION,
                "position_id: expected a text, got none",
            ),
            (reply(position_id=True), Refusal.NO_POSITION, "position_id"),
            (reply(model=" "), Refusal.NO_MODEL, "model: expected a text, got none"),
            (reply(reply=["x"]), Refusal.NO_REPLY, "reply: expected a text, got ['x']"),
            (
                reply(true_state="no board"),
                Refusal.NO_TRUE_BOARD,
                "true_state: expected a FEN, got",
            ),
            (reply(true_state=None), Refusal.NO_TRUE_BOARD, "true_state: expected a FEN, or moves"),
            (reply(moves="e2e5"), Refusal.ILLEGAL_MOVES, "moves: ply 1: expected a legal move"),
            (
                reply(moves="e2e4 0000"),
                Refusal.ILLEGAL_MOVES,
                "moves: ply 2: expected a legal move",
            ),
            (reply(movetext="1. Ke2"), Refusal.ILLEGAL_MOVES, "movetext: expected legal moves"),
            (reply(movetext="1. e4 }{"), Refusal.ILLEGAL_MOVES, "movetext: expected legal moves"),
            (
                reply(moves="d2d4"),
                Refusal.CONTRADICTION,
                f"true_state: '{AFTER_E4}', but its moves",
            ),
            (reply(moves="e2e4", movetext="1. d4"), Refusal.CONTRADICTION, "moves: 'e2e4', but"),
            (reply(true_state="4k3/8/8/8/8/8/8/R2K4 w Q - 0 1"), Refusal.CHESS960, "Chess960"),
            (reply(variant="Chess960"), Refusal.CHESS960, "Chess960"),
            (reply(source="fischer_random.pgn"), Refusal.CHESS960, "Chess960"),
            (reply(ply=-1), Refusal.BAD_VALUE, "ply: expected an integer"),
            (reply(ply="many"), Refusal.BAD_VALUE, "ply"),
            (reply(ply="1e999999999"), Refusal.BAD_VALUE, "ply"),
            (reply(sample=1.5), Refusal.BAD_VALUE, "sample"),
            (reply(sample=2**31), Refusal.BAD_VALUE, "sample"),
            (reply(group=True), Refusal.BAD_VALUE, "group"),
            (reply(dollars=float("inf")), Refusal.BAD_VALUE, "dollars"),
            (reply(seconds="soon"), Refusal.BAD_VALUE, "seconds"),
            (reply(game_id=[]), Refusal.BAD_VALUE, "game_id: expected a text, got []"),
            (reply(position_id="x"), Refusal.REPEATED, "it repeats"),
            ([1], Refusal.UNREADABLE, "expected a JSON object, got list"),
        ],
    )
    def test_a_row_that_cannot_be_used_is_named(self, tmp_path, row, reason, detail):
        found = import_named_columns([jsonl(tmp_path / "a.jsonl", reply(position_id="x"), row)])
        assert len(found.predictions) == 1
        (refused,) = found.refusals
        assert (refused.line, refused.reason) == (2, reason)
        assert refused.detail.startswith(detail)
        assert str(refused).startswith(f"{tmp_path / 'a.jsonl'}, line 2: {detail}")

    def test_lines_that_are_no_json_and_rows_of_another_length(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_bytes(b'\n{"position_id"\n\xff\xfe\n')
        assert [refused.line for refused in import_named_columns([path]).refusals] == [2, 3]
        path = tmp_path / "a.csv"
        path.write_text("position_id,model,reply,true_state\np1,m\np1,m,x,y,z\n")
        found = import_named_columns([path])
        assert [refused.line for refused in found.refusals] == [2, 3]

    def test_files_and_columns_that_are_wrong(self, tmp_path):
        with pytest.raises(ReplyFileError, match="No such file"):
            import_named_columns([tmp_path / "a.csv"])
        with pytest.raises(InvalidArgumentError, match="rply"):
            import_named_columns([], columns={"rply": "x"})
        path = table_csv(tmp_path / "a.csv", reply())
        with pytest.raises(ReplyFileError, match=r"with the columns \['answer'\]"):
            import_named_columns([path], columns={"reply": "answer"})
        path.write_bytes(b"position_id,reply\n\xff\xfe,x\n")
        (refused,) = import_named_columns([path]).refusals
        assert "the byte 0xff" in refused.detail
        assert "save the file as UTF-8, or name its encoding" in refused.detail

    def test_a_reply_of_a_megabyte_in_a_csv(self, tmp_path):
        path = table_csv(tmp_path / "a.csv", reply(reply="so " * 400_000 + AFTER_E4))
        found = import_named_columns([path])
        assert list(found.predictions["predicted_state"]) == [AFTER_E4]


class TestInspectLogs:
    @pytest.fixture
    def log(self, tmp_path):
        def sample(name, content, **changes):
            return {
                "id": name, "epoch": 1, "input": "?", "target": AFTER_E4,
                "metadata": {"fen": AFTER_E4, "pgn": "1. e4"},
                "output": {"choices": [{"message": {"content": content}, "stop_reason": "stop"}]},
                **changes,
            }  # fmt: skip

        path = tmp_path / "theirs.eval"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps({"eval": {"model": "they/model"}}))
            for name, content, changes in (
                ("a", AFTER_E4, {}),
                ("a", "no idea", {"epoch": 2}),
                ("b", "", {"error": {"message": "boom"}}),
                ("c", START, {"target": "no board"}),
            ):
                entry = sample(name, content, **changes)
                archive.writestr(f"samples/{name}_{entry['epoch']}.json", json.dumps(entry))
        return path

    def test_ids_epochs_targets_and_replies(self, log):
        found = import_inspect_logs([log])
        rows = found.predictions
        assert list(rows["position_id"]) == ["a", "a", "b"]
        assert list(rows["sample"]) == [0, 1, 0]
        assert list(rows["reply_class"]) == ["valid", "absent", "failed"]
        assert list(rows["reason"]) == ["", "no piece placement found", "call failed: boom"]
        assert set(rows["model"]) == {"they/model"}
        assert [refused.detail for refused in found.refusals] == [
            "target: expected a FEN, got 'no board': expected 'w' or 'b' for turn part of fen"
        ]

    def test_fields_of_the_metadata(self, log):
        columns = {"true_state": "metadata.fen", "movetext": "metadata.pgn"}
        found = import_inspect_logs([log], columns=columns)
        assert len(found.predictions) == 4
        assert set(found.predictions["true_state"]) == {AFTER_E4}
        assert set(found.predictions["moves"]) == {"e2e4"}
        with pytest.raises(InvalidArgumentError, match="'scores'"):
            import_inspect_logs([log], columns={"true_state": "scores"})

    def test_the_command(self, log, tmp_path):
        out = tmp_path / "predictions.parquet"
        done = CliRunner().invoke(main, ["replies", "import", str(log), "-o", str(out)])
        assert done.exit_code == 3, done.output
        assert "1 of 4 rows refused" in done.stderr
        assert f"{log}, line 4: target: expected a FEN" in done.stderr
        assert "3 predictions of 1 model on 2 positions written" in done.stdout
        assert len(read_table(out, PREDICTIONS)) == 3


class TestTheCommand:
    def run(self, *arguments, code=0):
        done = CliRunner().invoke(main, ["replies", "import", *map(str, arguments)])
        assert done.exit_code == code, done.output
        return done.output

    def test_columns_with_positions_and_a_model(self, tmp_path, positions):
        known = tmp_path / "positions.parquet"
        write_table(positions, known, POSITIONS)
        rows = [{"id": name, "said": START} for name in positions["position_id"]]
        path = jsonl(tmp_path / "a.jsonl", *rows)
        out = tmp_path / "predictions.parquet"
        said = self.run(
            path, "--format", "columns", "--column", "position_id=id", "--column", "reply=said",
            "--positions", known, "--model", "somebody", "-o", out,
        )  # fmt: skip
        assert "40 predictions of 1 model on 40 positions written" in said
        assert set(read_table(out, PREDICTIONS)["model"]) == {"somebody"}

    def test_formats_are_not_mixed_and_options_not_ignored(self, tmp_path):
        csv_file = table_csv(tmp_path / "a.csv", reply())
        log = jsonl(tmp_path / "a.jsonl", {"game_info": {}})
        assert "one format" in self.run(csv_file, log, code=2)
        assert "not for pgn2fen" in self.run(log, "--model", "m", code=2)
        assert "OURS=THEIRS" in self.run(csv_file, "--column", "reply", code=2)

    def test_nothing_imported_is_a_failure_and_writes_nothing(self, tmp_path):
        log = jsonl(tmp_path / "a.jsonl", {"game_info": {}})
        assert len(import_pgn2fen([log]).refusals) == 1
        out = tmp_path / "out.parquet"
        said = self.run(log, "-o", out, code=1)
        assert "1 of 1 rows refused" in said
        assert f"{log}, line 1: llm_info: expected an object, got None" in said
        assert "nothing imported" in said
        assert not out.exists()

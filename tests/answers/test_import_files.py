"""Files of others as they come: delimiters, encodings, broken rows, formats told by themselves."""

import csv
import io
import json
import os
import zipfile
from pathlib import Path
from threading import Thread

import chess
import pandas as pd
import pytest

from workbench.answers.imports import (
    IMPORTERS,
    Refusal,
    RowDefaults,
    SourceFiles,
    format_of,
    import_harness_samples,
    import_inspect_logs,
    import_named_columns,
)
from workbench.cli.reply_commands import replies_import
from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.tables.parquet_tables import PREDICTIONS, read_table, write_table

START = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
ROWS = [
    {"position_id": "p1", "model": "größer", "reply": f'Zug;\t"1|e4",\n{AFTER_E4}', "moves": "e2e4",
     "group": "5.0", "sample": "0"},
    {"position_id": "p2", "model": "m", "reply": f"→ {START}", "moves": "", "group": "",
     "sample": "", "true_state": START},
]  # fmt: skip


def delimited(mark: str, rows: list[dict[str, str]] = ROWS) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, names, restval="", delimiter=mark)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def identities(frame: pd.DataFrame) -> list[list[object]]:
    names = [
        "position_id",
        "model",
        "sample",
        "group",
        "ply",
        "reply",
        "predicted_state",
        "true_state",
    ]
    return frame[names].to_numpy().tolist()


EXPECTED = [
    ["p1", "größer", 0, 5, 1, ROWS[0]["reply"], AFTER_E4, AFTER_E4],
    ["p2", "m", 0, 10, 0, ROWS[1]["reply"], START, START],
]


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["a.csv", "a.TSV", "a.txt"])
def test_any_delimiter_in_any_unicode(tmp_path: Path, mark: str, encoding: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(delimited(mark).encode(encoding))
    assert identities(import_named_columns([path]).predictions) == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_json_lines_in_any_unicode(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "a.jsonl"
    text = "".join(json.dumps(row, ensure_ascii=False) + end for row in ROWS)
    path.write_bytes(text.encode(encoding))
    assert format_of(path) == "columns"
    assert identities(import_named_columns([path]).predictions) == EXPECTED


def test_other_encodings_are_read_when_named_and_else_refused_row_by_row(tmp_path: Path) -> None:
    rows = [{**row, "reply": row["reply"].replace("→", "-")} for row in ROWS]
    for path, text in (
        (tmp_path / "a.csv", delimited(",", rows)),
        (tmp_path / "a.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)),
    ):
        path.write_bytes(text.encode("latin-1"))
        found = import_named_columns([path])
        assert found.predictions["position_id"].tolist() == ["p2"]
        (refused,) = found.refusals
        assert refused.reason is Refusal.UNREADABLE
        assert "the byte 0xf6 after" in refused.detail
        assert "name its encoding, such as latin-1" in refused.detail
        read = import_named_columns([path], encoding="latin-1").predictions
        assert read["model"].tolist() == ["größer", "m"]
    with pytest.raises(InvalidArgumentError, match="klingon"):
        import_named_columns([tmp_path / "a.csv"], encoding="klingon")
    (tmp_path / "b.csv").write_bytes(delimited(",").encode("utf-16-le"))
    with pytest.raises(ReplyFileError, match="UTF-16 with a byte order mark"):
        import_named_columns([tmp_path / "b.csv"])
    found = import_named_columns([tmp_path / "b.csv"], encoding="utf-16-le").predictions
    assert identities(found) == EXPECTED


def test_a_broken_record_is_refused_at_its_first_line_and_the_next_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "\nposition_id, model,reply,true_state\r\n"
        f'p1,m,"two\nlines",{START}\r\n'
        f'p2,m,"three\n\nlines\r\n'
        f'",{START},beyond\r\n'
        "\r\n"
        f'p3,m,"closed" too early,{START}\r\n'
        f"p4,m\r\n"
        f"p5,m,x,{START}\r\n"
        f'p6,m,"never closed,{START}\r\n',
        newline="",
    )
    found = import_named_columns([path])
    assert found.predictions["position_id"].tolist() == ["p1", "p5"]
    assert found.predictions["reply"].tolist() == ["two\nlines", "x"]
    assert [note.line for note in found.refusals] == [5, 10, 11, 13]
    assert found.refusals[0].detail == "expected 4 fields, got 5"


def test_hostile_cells_are_kept_and_can_be_written(tmp_path: Path) -> None:
    rows = [
        {"position_id": "nul\x00", "model": "m", "reply": "\x00", "true_state": START},
        {"position_id": "long", "model": "m", "reply": "a" * (1 << 17), "true_state": START},
        {
            "position_id": "=1+1",
            "model": "m",
            "reply": "\u2028\x0b\x85",
            "true_state": f" {START}\t",
        },
    ]
    (tmp_path / "a.csv").write_text(delimited(",", rows), encoding="utf-8")
    rows.append({"position_id": "p", "model": "\ud800", "reply": "\udfff", "true_state": START})
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "a.jsonl").write_text(lines)
    for name, count in (("a.csv", 3), ("a.jsonl", 4)):
        found = import_named_columns([tmp_path / name])
        assert found.refusals == ()
        write_table(found.predictions, tmp_path / "out.parquet", PREDICTIONS)
        again = read_table(tmp_path / "out.parquet", PREDICTIONS)
        assert again["reply"].tolist()[:3] == [row["reply"] for row in rows[:3]]
        assert again["true_state"].tolist() == [START] * count
    assert again["model"].tolist() == ["m", "m", "m", "\ufffd"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "got: nothing"),
        (
            "a.csv",
            b"position,answer\n1,2\n",
            "got: position, answer; map the columns, as in reply=answer",
        ),
        ("a.csv", b"model,reply,reply\n", r"each column once, got \['reply'\] again"),
        ("a.csv", b"m\xf6del,reply\n", "line 1: expected text, got the byte 0xf6"),
        ("a.csv", b"PAR1....", "got a Parquet file"),
        ("a.jsonl", b"\x1f\x8b....", "got gzip data; unpack it"),
        ("a.csv", b"PK\x03\x04....", "got a zip file"),
        ("none.csv", None, "No such file"),
    ],
)
def test_files_that_are_something_else(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ReplyFileError, match=said):
        import_named_columns([tmp_path / name])


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.eval", "", "inspect"),
        ("a.JSON", "", "inspect"),
        ("a.tsv", "", "columns"),
        ("a.jsonl", '\n\n{"game_info": {}, "llm_info": {}}\n', "pgn2fen"),
        ("a.ndjson", '{"doc_id": 1, "resps": [["x"]]}', "lm-eval"),
        ("samples_fen_2025-01-01T00-00-00.0.jsonl", "", "lm-eval"),
        ("a.jsonl", '{"position_id": 1}', "columns"),
        ("a.jsonl", "{", "pgn2fen"),
    ],
)
def test_files_say_which_format_they_have(
    tmp_path: Path, name: str, content: str, expected: str
) -> None:
    (tmp_path / name).write_text(content)
    assert format_of(tmp_path / name) == expected


@pytest.mark.parametrize("name", IMPORTERS)
class TestEveryImporter:
    def test_the_command_offers_it(self, name: str) -> None:
        (option,) = (each for each in replies_import.params if each.name == "kind")
        assert list(option.type.choices) == list(IMPORTERS)

    @pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"{", b'{"a": NaN}\n[]\n\x00\n'])
    def test_what_is_no_reply_is_refused_and_never_a_row(
        self, name: str, content: bytes, tmp_path: Path
    ) -> None:
        path = tmp_path / f"file{'.eval' if name == 'inspect' else '.jsonl'}"
        path.write_bytes(content)
        try:
            imported = IMPORTERS[name]([path])
        except ReplyFileError as error:
            message = str(error)
        else:
            assert imported.predictions.empty
            message = " ".join(note.file for note in imported.refusals) or path.name
        assert path.name in message

    def test_a_missing_file_is_named(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(ReplyFileError, match="absent"):
            IMPORTERS[name]([tmp_path / "absent.eval"])


def test_the_wrong_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "!")
    for read in (format_of, lambda path, name: import_named_columns([path], encoding=name)):
        with pytest.raises(ReplyFileError, match=r"in one encoding, got: .*utf-16"):
            read(path, "utf-16-le")


def test_a_pipe_is_read_once_and_hashed_as_it_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ReplyFileError, match="a folder or pipe"):
        format_of(pipe)
    text = json.dumps(ROWS[0]) + "\n"
    writer = Thread(target=pipe.write_text, args=(text,))
    writer.start()
    with SourceFiles([pipe]) as files:
        assert len(import_named_columns([pipe], files=files).predictions) == 1
    writer.join()
    # printf 'the text' | sha256sum, by another program.
    (tmp_path / "text").write_text(text)
    said = os.popen(f"sha256sum {tmp_path / 'text'}").read().split()[0]
    assert files.hashes == [{"name": "pipe", "sha256": said}]


class TestHarness:
    NAME = "samples_pgn_to_fen_2025-06-01T10-11-12.345678.jsonl"

    @staticmethod
    def sample(doc_id: int, *replies: str, **changes: object) -> dict[str, object]:
        return {
            "doc_id": doc_id,
            "doc": {"pgn": "1. e4", "fen": AFTER_E4},
            "target": AFTER_E4,
            "arguments": {"gen_args_0": {"arg_0": "1. e4 *", "arg_1": {"until": ["\n\n"]}}},
            "resps": [list(replies)],
            "filtered_resps": list(replies),
            "filter": "none",
            "metrics": ["exact_match"],
            "exact_match": 0.0,
            "doc_hash": f"{doc_id:064x}",
            "prompt_hash": "0" * 64,
            "target_hash": "0" * 64,
            **changes,
        }

    @classmethod
    def write(cls, folder: Path, *samples: object) -> Path:
        path = folder / cls.NAME
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
        return path

    def test_each_response_is_a_sample_and_each_filter_the_same_responses(
        self, tmp_path: Path
    ) -> None:
        path = self.write(
            tmp_path,
            self.sample(0, AFTER_E4, f"It is {START}"),
            self.sample(1, "no idea"),
            self.sample(0, AFTER_E4, f"It is {START}", filter="strict", filtered_resps=["x"]),
            self.sample(1, "no idea", filter="strict"),
        )
        results = tmp_path / self.NAME.replace("samples_pgn_to_fen", "results").replace(
            "jsonl", "json"
        )
        results.write_text(json.dumps({"model_name": "EleutherAI/pythia-70m"}))
        assert format_of(path) == "lm-eval"
        found = import_harness_samples([path])
        assert found.predictions[
            ["position_id", "model", "sample", "reply_class", "predicted_state", "true_state"]
        ].fillna("").to_numpy().tolist() == [
            ["pgn_to_fen-0", "EleutherAI/pythia-70m", 0, "valid", AFTER_E4, AFTER_E4],
            ["pgn_to_fen-0", "EleutherAI/pythia-70m", 1, "valid", START, AFTER_E4],
            ["pgn_to_fen-1", "EleutherAI/pythia-70m", 0, "absent", "", AFTER_E4],
        ]
        assert (found.refusals, found.folded) == ((), 2)

    def test_members_by_name_and_the_model_of_older_results(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.sample(0, AFTER_E4, target="e4"))
        (refused,) = import_harness_samples([path], defaults=RowDefaults(model="m")).refusals
        assert refused.reason is Refusal.NO_TRUE_BOARD
        assert refused.detail.startswith("target: expected a FEN")
        columns = {"true_state": "doc.fen", "movetext": "doc.pgn", "position_id": "doc_hash"}
        (missing,) = import_harness_samples([path], columns=columns).refusals
        assert missing.reason is Refusal.NO_MODEL
        results = tmp_path / "results_2025-06-01T10-11-12.345678.json"
        results.write_text(json.dumps({"config": {"model_args": "dtype=auto,pretrained=x/y,a=b"}}))
        (row,) = import_harness_samples([path], columns=columns).predictions.to_dict("records")
        assert (row["position_id"], row["model"], row["moves"]) == ("0" * 64, "x/y", "e2e4")

    @pytest.mark.parametrize("resps", [[[["-1.5", "False"]], [["-2", "True"]]], [], None, [[]]])
    def test_tasks_that_generate_nothing_are_refused(self, tmp_path: Path, resps: object) -> None:
        path = self.write(tmp_path, self.sample(0, AFTER_E4, resps=resps))
        (refused,) = import_harness_samples([path], defaults=RowDefaults(model="m")).refusals
        assert (refused.line, refused.reason) == (1, Refusal.NO_REPLY)
        assert "generate_until" in refused.detail


class TestInspectJson:
    @staticmethod
    def sample(name: str, content: str, **changes: object) -> dict[str, object]:
        choice = {"message": {"role": "assistant", "content": content}, "stop_reason": "max_tokens"}
        return {
            "id": name, "epoch": 1, "input": "?", "target": AFTER_E4, "metadata": {"a": {"b": "x"}},
            "output": {
                "model": "they/model", "choices": [choice], "time": 1.5,
                "usage": {"input_tokens": 90, "output_tokens": 7, "input_tokens_cache_read": 10,
                          "reasoning_tokens": None, "total_cost": -1.0},
            }, **changes,
        }  # fmt: skip

    def test_json_and_eval_logs_say_the_same(self, tmp_path: Path) -> None:
        spec = {"task": "fen", "model": "they/model", "dataset": {"name": "games"}}
        samples = [self.sample("a", AFTER_E4), self.sample("b", "no", error={"message": "boom"})]
        whole = tmp_path / "log.json"
        whole.write_text(
            json.dumps({"version": 2, "eval": spec, "samples": samples, "nan": float("nan")})
        )
        packed = tmp_path / "log.eval"
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("header.json", json.dumps({"eval": spec}))
            for sample in samples:
                archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        columns = {"game_id": "metadata.a.b"}
        one, two = (import_inspect_logs([path], columns=columns) for path in (whole, packed))
        pd.testing.assert_frame_equal(
            one.predictions.drop(columns="source"), two.predictions.drop(columns="source")
        )
        assert one.predictions["reply_class"].tolist() == ["valid", "failed"]
        assert one.predictions["stop_reason"].fillna("").tolist() == ["max_tokens", ""]
        assert one.predictions["game_id"].tolist() == ["x", "x"]
        counted = ["input_tokens", "output_tokens", "seconds"]
        assert one.predictions[counted].to_numpy().tolist() == [[100, 7, 1.5]] * 2
        # No amount below 0 is one.
        assert one.predictions[["reasoning_tokens", "dollars"]].isna().all(axis=None)

    def test_tokens_of_all_turns_count(self, tmp_path: Path) -> None:
        usage = {"they/model": {"input_tokens": 300, "output_tokens": 30, "reasoning_tokens": 9,
                                "total_cost": 0.25}, "grader": {"input_tokens": 1}}  # fmt: skip
        path = tmp_path / "log.json"
        log = {
            "eval": {"model": "they/model"},
            "samples": [self.sample("a", "x", model_usage=usage)],
        }
        path.write_text(json.dumps(log))
        names = ["input_tokens", "output_tokens", "reasoning_tokens", "dollars"]
        found = import_inspect_logs([path]).predictions
        assert found[names].to_numpy().tolist() == [[300, 30, 9, 0.25]]

    def test_a_sample_that_is_none_is_refused_and_the_task_may_name_chess960(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "log.json"
        odd = self.sample("b", AFTER_E4, metadata="none")
        log = {"eval": {"model": "m"}, "samples": [{}, self.sample("a", AFTER_E4), 3, odd]}
        path.write_text(json.dumps(log))
        found = import_inspect_logs([path])
        assert len(found.predictions) == 1
        assert [(note.line, note.reason) for note in found.refusals] == [
            (1, Refusal.UNREADABLE), (3, Refusal.UNREADABLE), (4, Refusal.UNREADABLE),
        ]  # fmt: skip
        log["eval"] = {"model": "m", "task": "chess960_fen", "dataset": "games"}
        path.write_text(json.dumps(log))
        assert import_inspect_logs([path]).refusals[1].reason is Refusal.CHESS960

    @pytest.mark.parametrize("log", [[], {"eval": {"model": "m"}}, {"samples": []}, "x"])
    def test_json_that_is_no_log(self, tmp_path: Path, log: object) -> None:
        (tmp_path / "log.json").write_text(json.dumps(log))
        with pytest.raises(ReplyFileError, match="expected a log of Inspect"):
            import_inspect_logs([tmp_path / "log.json"])

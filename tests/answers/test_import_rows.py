"""Rows of others made a table: nothing lost on the way, each reply once, each board its own name."""

import itertools
import json
from pathlib import Path

import chess
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from workbench.answers.imports import Refusal, RemarkReason, import_named_columns
from workbench.answers.model_replies import simulate
from workbench.checking import check_table
from workbench.cli import main
from workbench.games.cut import cut_games
from workbench.games.synthetic_boards import random_games
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    read_provenance,
    read_table,
    write_table,
)

START = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
AFTER_D4 = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"
FISCHER = "1rkrbbqn/ppp2ppp/1n2p3/3p4/4PP2/6N1/PPPP2PP/NRKRBBQ1 w KQkq - 2 4"


def row(**changes: object) -> dict[str, object]:
    return {"position_id": "p", "model": "m", "reply": START, "true_state": AFTER_E4, **changes}


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


@pytest.fixture(scope="module")
def asked() -> pd.DataFrame:
    """A table of predictions as the workbench makes it, with a row of every kind."""
    games = list(random_games(8, 20, 5))
    positions = cut_games(games, groups=(2, 6), per_group=4, seed=0).positions
    frame = simulate(positions, rate=0.3, seed=1).astype({"reply": object})
    frame["input_tokens"] = pd.array([120] * 7 + [None], dtype="Int64")
    frame["output_tokens"] = pd.array([2**40] * 8, dtype="Int64")
    frame["dollars"] = [0.25, *[float("nan")] * 7]
    frame["seconds"] = 1.5
    frame["stop_reason"] = "stop"
    frame["earlier_turns"] = json.dumps(["first", 'se"cond'])
    answer = ["reply", "predicted_state", "reply_class", "status", "reason"]
    frame.loc[0, answer] = [None, None, "failed", "", "call failed: timeout, 3 times"]
    frame.loc[1, answer] = ["no, idea", None, "absent", "", "no piece placement found"]
    frame.loc[2, answer] = [f"maybe {START}", None, "absent", "", "llm_fen is None"]
    frame.loc[3, answer] = ["", None, "absent", "", "empty reply"]
    frame.loc[4, answer] = [
        "9/8 w",
        "9/8 w",
        "unparseable",
        "",
        "expected 8 rows in position part of fen",
    ]
    return frame


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_a_table_written_as_text_comes_back_whole(
    asked: pd.DataFrame, tmp_path: Path, suffix: str
) -> None:
    path, out = tmp_path / f"a.{suffix}", tmp_path / "out.parquet"
    if suffix == "jsonl":
        asked.to_json(path, orient="records", lines=True)
    else:
        asked.to_csv(path, index=False, sep="," if suffix == "csv" else "\t")
    found = import_named_columns([path])
    assert (found.refusals, found.remarks) == ((), ())
    write_table(found.predictions, out, PREDICTIONS)
    write_table(asked, tmp_path / "asked.parquet", PREDICTIONS)
    pd.testing.assert_frame_equal(
        read_table(out, PREDICTIONS), read_table(tmp_path / "asked.parquet", PREDICTIONS)
    )


@pytest.mark.parametrize("group", ["5.0", 5.0, "5", 5, " 5 "])
def test_whole_numbers_as_others_write_them(tmp_path: Path, group: object) -> None:
    found = import_named_columns([jsonl(tmp_path / "a.jsonl", row(group=group, position_id=7.0))])
    assert found.predictions[["group", "position_id"]].to_numpy().tolist() == [[5, "7"]]


@pytest.mark.parametrize(
    ("fen", "ply", "group"),
    [
        (AFTER_E4, 1, 10),
        ("8/8/4k3/8/8/4K3/8/8 b - - 3 41", 81, 50),
        ("8/8/4k3/8/8/4K3/8/8 b - - 3 9999999999", None, 0),
        ("8/8/4k3/8/8/4K3/8/8 b - -", None, 0),
        ("8/8/4k3/8/8/4K3/8/8", None, 0),
    ],
)
def test_a_true_fen_alone_gives_a_sound_table(
    tmp_path: Path, fen: str, ply: int | None, group: int
) -> None:
    without_id = {
        name: value for name, value in row(true_state=fen).items() if name != "position_id"
    }
    found = import_named_columns([jsonl(tmp_path / "a.jsonl", without_id)]).predictions
    assert found["group"].tolist() == [group]
    assert found["ply"].tolist() == ([pd.NA] if ply is None else [ply])
    assert len(found["position_id"][0]) == 16
    path = tmp_path / "out.parquet"
    write_table(found, path, PREDICTIONS, {"stage": "predictions"})
    assert check_table(path).oddities == []


def test_positions_without_a_name_are_named_by_moves_or_board(tmp_path: Path) -> None:
    said = {"model": "m", "reply": START}
    path = jsonl(
        tmp_path / "a.jsonl",
        {**said, "moves": "e2e4"},
        {**said, "movetext": "1.e4 {best by test} *"},
        {**said, "true_state": AFTER_E4},
        {**said, "true_state": AFTER_E4.replace("0 1", "0 9"), "model": "n"},
        {**said, "true_state": AFTER_D4},
    )
    found = import_named_columns([path]).predictions
    # printf e2e4 | sha256sum, and printf of the first four fields | sha256sum
    assert found["position_id"].tolist() == [
        "3e8db43daed3851a-001", "3e8db43daed3851a-001",
        "1d280bf6dbcdb786", "1d280bf6dbcdb786", "0781db79a8a749a2",
    ]  # fmt: skip
    assert found["sample"].tolist() == [0, 1, 0, 0, 0]


def test_an_id_of_several_boards_is_told_apart_whatever_comes_first(tmp_path: Path) -> None:
    one = jsonl(tmp_path / "one.jsonl", row(), row(position_id="q"))
    two = jsonl(tmp_path / "two.jsonl", row(true_state=AFTER_D4), row(position_id="q", reply="x"))
    names = []
    for paths in ([one, two], [two, one]):
        found = import_named_columns(paths)
        frame = found.predictions
        assert found.refusals == ()
        assert len(frame) == 4
        assert sorted(frame[frame["position_id"] == "q"]["sample"]) == [0, 1]
        assert [note.reason for note in found.remarks] == [RemarkReason.SEVERAL_BOARDS] * 2
        names.append(dict(zip(frame["true_state"], frame["position_id"], strict=True)))
    assert names[0][AFTER_D4] == names[1][AFTER_D4] != "p"
    # Transposed moves are two positions to ask about, though the board is one.
    ways = ("g1f3 g8f6 b1c3", "b1c3 g8f6 g1f3")
    moved = [row(moves=way, true_state=None, position_id="t") for way in ways]
    found = import_named_columns([jsonl(tmp_path / "t.jsonl", *moved)])
    assert found.predictions["position_id"].nunique() == 2


class TestRepeatedRows:
    def read(self, tmp_path: Path, *files: list[dict[str, object]]) -> tuple[int, list[str]]:
        paths = [jsonl(tmp_path / f"{n}.jsonl", *rows) for n, rows in enumerate(files)]
        found = import_named_columns(paths)
        assert all(note.reason is Refusal.REPEATED for note in found.refusals)
        assert not found.predictions.duplicated(["position_id", "model", "sample"]).any()
        return len(found.predictions), [f"{Path(n.file).stem}:{n.line}" for n in found.refusals]

    def test_a_file_within_itself_or_in_another_counts_once(self, tmp_path: Path) -> None:
        rows = [row(position_id=f"p{n}") for n in range(4)]
        assert self.read(tmp_path, rows + rows[:2]) == (4, ["0:5", "0:6"])
        assert self.read(tmp_path, rows, rows) == (4, ["1:1", "1:2", "1:3", "1:4"])
        assert self.read(tmp_path, rows[:2], rows) == (4, ["1:1", "1:2"])
        assert self.read(tmp_path, rows, rows[1:2]) == (4, ["1:1"])

    def test_two_runs_that_agree_here_and_there_are_samples(self, tmp_path: Path) -> None:
        one = [row(position_id=f"p{n}") for n in range(4)]
        two = [*one[:2], *(row(position_id=f"p{n}", reply="?") for n in (2, 3))]
        assert self.read(tmp_path, one, two) == (8, [])

    def test_a_sample_that_was_named_before(self, tmp_path: Path) -> None:
        files = [[row(sample=1)], [row(sample=1, reply="?"), row(reply="!")]]
        assert self.read(tmp_path, *files) == (2, ["1:1"])


def test_positions_that_a_file_contradicts_are_named(tmp_path: Path) -> None:
    games = list(random_games(2, 9, 5))
    positions = cut_games(games, groups=(2,), per_group=2, seed=0).positions
    one, two = positions["position_id"]
    path = jsonl(tmp_path / "a.jsonl", row(position_id=one, true_state=None), row(position_id=two))
    found = import_named_columns([path], positions=positions)
    pd.testing.assert_frame_equal(
        found.predictions[POSITIONS.names], positions.head(1)[POSITIONS.names], check_dtype=False
    )
    (refused,) = found.refusals
    assert refused.reason is Refusal.CONTRADICTION
    assert f"but position {two!r} has" in refused.detail


class TestTheCommand:
    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(main, ["replies", "import", *map(str, arguments)])

    def test_what_was_refused_is_counted_by_reason_and_named_row_by_row(
        self, tmp_path: Path
    ) -> None:
        rows = [row(position_id=f"p{n}") for n in range(9)]
        for line in (2, 3, 4, 6):
            rows[line - 1]["model"] = None
        rows[8]["true_state"] = FISCHER
        path, out = jsonl(tmp_path / "a.jsonl", *rows), tmp_path / "out.parquet"
        listed = tmp_path / "refused.csv"
        done = self.run(path, "-o", out, "--refused", listed)
        assert done.exit_code == 3
        assert "reading: 100%" in done.stderr
        said = done.stderr.splitlines()
        start = said.index("5 of 9 rows refused:")
        assert said[start + 1 : start + 5] == ["  4: no model", *(
            f"    {path}, line {line}: model: expected a text, got none" for line in (2, 3, 4)
        )]  # fmt: skip
        assert said[start + 5] == f"    all: {path} lines 2-4, 6"
        assert "--model NAME" in said[start + 6]
        assert said[start + 7] == "  1: Chess960"
        assert said[start + 8].startswith(f"    {path}, line 9: Chess960")
        assert done.stdout.splitlines()[-1] == (
            f"4 predictions of 1 model on 4 positions written to {out}"
        )
        assert read_provenance(out)["refused"] == {"no model": 4, "Chess960": 1}
        table = pd.read_csv(listed)
        assert table["line"].tolist() == [2, 3, 4, 6, 9]
        assert set(table["file"]) == {str(path)}

    def test_the_exit_code_tells_all_some_and_none(self, tmp_path: Path) -> None:
        out = tmp_path / "out.parquet"
        good, bad = jsonl(tmp_path / "a.jsonl", row()), jsonl(tmp_path / "b.jsonl", row(model=""))
        done = self.run(good, "-o", out)
        assert (done.exit_code, "refused" in done.output) == (0, False)
        before = out.read_bytes()
        done = self.run(bad, "-o", out)
        assert (done.exit_code, "nothing imported" in done.output) == (1, True)
        assert out.read_bytes() == before
        assert self.run(good, bad, "-o", out).exit_code == 3
        assert self.run(jsonl(tmp_path / "c.jsonl"), "-o", out).exit_code == 1

    def test_sets_with_the_same_names_lose_nothing(self, tmp_path: Path) -> None:
        def entry(folder: str, fen: str, name: str) -> dict[str, object]:
            return {
                "game_info": {"input_pgn_file": f"data/{folder}/{name}.pgn", "input_fen": fen,
                              "number_of_halfmoves": 1},
                "llm_info": {"provider": "p", "model": "m", "llm_raw_text": fen, "llm_fen": fen},
            }  # fmt: skip

        logs = [
            jsonl(tmp_path / f"{folder}.jsonl", *(entry(folder, fen, name) for name in "ab"))
            for folder, fen in (
                ("cup", AFTER_E4),
                ("randomised", AFTER_D4),
                ("FischerRandom", FISCHER),
            )
        ]
        tables = []
        for order, paths in enumerate(itertools.permutations(logs)):
            done = self.run(*paths, "-o", tmp_path / f"{order}.parquet")
            assert done.exit_code == 3
            assert "2 of 6 rows refused" in done.stderr
            assert "  2: Chess960" in done.stderr
            # Without the PGN files there are no moves, and the message says how to find them.
            assert "4: no moves, as the PGN file was not found" in done.stderr
            assert "--pgn-root FOLDER" in done.stderr
            frame = read_table(tmp_path / f"{order}.parquet", PREDICTIONS)
            assert frame["position_id"].nunique() == 4
            tables.append(frame.sort_values("position_id", ignore_index=True))
        for table in tables[1:]:
            pd.testing.assert_frame_equal(table, tables[0])

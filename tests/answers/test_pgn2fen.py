"""PGN2FEN logs: hand-made logs whose rows are known, bad lines, and whole logs."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import pandas as pd
import pytest

from workbench.answers.imports import Refusal, RemarkReason, import_pgn2fen
from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.prediction import ReplyClass
from workbench.tables.parquet_tables import PREDICTIONS, REPLY_KEY, read_table, write_table

AFTER_E4_C5 = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
FISCHER = "1rkrbbqn/ppp2ppp/1n2p3/3p4/4PP2/6N1/PPPP2PP/NRKRBBQ1 w KQkq - 2 4"
NO_KING = "rnbq1bnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w - - 0 2"


def entry(**changes: Any) -> dict[str, dict[str, Any]]:
    """A log's entry, with some members changed; ``...`` takes one away."""
    game = {
        "datetime": "2025-05-01 00:00:00.000000",
        "input_pgn_file": "data/Cup/halfmoves0002_001.pgn",
        "input_fen": AFTER_E4_C5,
        "number_of_halfmoves": 2,
    }
    reply = {
        "provider": "somebody",
        "model": "a-model",
        "llm_raw_text": f"FEN: {AFTER_E4_C5}",
        "llm_fen": AFTER_E4_C5,
    }
    for key, value in changes.items():
        part = game if key in game else reply
        if value is ...:
            del part[key]
        else:
            part[key] = value
    return {"game_info": game, "llm_info": reply}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    games = tmp_path / "data" / "Cup"
    games.mkdir(parents=True)
    (games / "halfmoves0002_001.pgn").write_text('[Result "*"]\n\n1. e4 c5 *\n')
    (games / "halfmoves0003_001.pgn").write_text('[Result "*"]\n\n1. e4 c5 2. Ke4 *\n')
    (games / "halfmoves0004_001.pgn").write_text("")
    (games / "halfmoves0006_001.pgn").write_text(f'[FEN "{ENDGAME}"]\n\n1. e4 *\n')
    (tmp_path / "data" / "960").mkdir()
    (tmp_path / "data" / "960" / "a.pgn").write_text('[Variant "Chess960"]\n\n1. e4 c5 *\n')
    (tmp_path / "model_logs").mkdir()
    return tmp_path


def write_log(folder: Path, *lines: object, name: str = "some.jsonl") -> Path:
    path = folder / "model_logs" / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts))
    return path


def test_a_row_holds_what_the_log_and_the_game_say(folder: Path) -> None:
    imported = import_pgn2fen([write_log(folder, entry())])
    (row,) = imported.predictions.to_dict("records")
    unknown = (
        "game_plies",
        "predicted_actions",
        *PREDICTIONS.names[PREDICTIONS.names.index("earlier_turns") :],
    )
    assert all(pd.isna(row.pop(name)) for name in unknown)
    assert row == {
        # printf 'Cup\n%s' 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -' | sha256sum
        "position_id": "halfmoves0002_001-f4d66e50",
        "environment": "chess",
        "task": "state",
        "initial_state": "",
        # printf 'e2e4 c7c5' | sha256sum | cut -c -16
        "game_id": "13763f491b377740",
        "source": "some.jsonl",
        "group": 10,
        "ply": 2,
        "movetext": "1. e4 c5",
        "moves": "e2e4 c7c5",
        "true_state": AFTER_E4_C5,
        "set": "",
        "model": "a-model",
        "setting": "",
        "sample": 0,
        "reply": f"FEN: {AFTER_E4_C5}",
        "predicted_state": AFTER_E4_C5,
        "reply_class": "valid",
        "status": "",
        "reason": "",
    }
    assert (imported.refusals, imported.remarks) == ((), ())


def test_the_text_to_classify_is_a_choice(folder: Path) -> None:
    log = write_log(folder, entry(llm_raw_text=f"`{NO_KING}`", llm_fen=AFTER_E4_C5))
    cut, raw = (import_pgn2fen([log], text=text).predictions for text in ("llm_fen", "raw"))
    assert cut["reply_class"].tolist() == ["valid"]
    assert raw[["reply_class", "status", "predicted_state"]].values.tolist() == [
        ["ill_formed", "NO_BLACK_KING", NO_KING]
    ]
    assert cut["reply"].tolist() == raw["reply"].tolist() == [f"`{NO_KING}`"]
    with pytest.raises(InvalidArgumentError, match="expected 'llm_fen' or 'raw', got 'fen'"):
        import_pgn2fen([log], text="fen")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ply", "group"),
    [(0, 10), (1, 10), (20, 10), (21, 20), (40, 20), (41, 30), (80, 40), (81, 50), (100, 50)],
)
def test_groups_are_the_upper_edges_of_bands_of_twenty_plies(
    folder: Path, ply: int, group: int
) -> None:
    log = write_log(folder, entry(number_of_halfmoves=ply, input_pgn_file="data/none.pgn"))
    assert import_pgn2fen([log]).predictions[["ply", "group"]].values.tolist() == [[ply, group]]


@pytest.mark.parametrize(
    ("changes", "text", "reason"),
    [
        ({"llm_fen": None}, "llm_fen", "llm_fen is None"),
        ({"llm_fen": ...}, "llm_fen", "llm_fen is missing"),
        ({"llm_fen": 7}, "llm_fen", "llm_fen is 7"),
        ({"llm_fen": " "}, "llm_fen", "no FEN given"),
        ({"llm_raw_text": None}, "raw", "llm_raw_text is None"),
        ({"llm_raw_text": ...}, "raw", "llm_raw_text is missing"),
        ({"llm_raw_text": ["x"]}, "raw", "llm_raw_text is ['x']"),
        ({"llm_raw_text": ""}, "raw", "empty reply"),
    ],
)
def test_a_missing_reply_is_an_absent_row(
    folder: Path, changes: dict[str, Any], text: Any, reason: str
) -> None:
    imported = import_pgn2fen([write_log(folder, entry(**changes))], text=text)
    (row,) = imported.predictions.to_dict("records")
    assert (row["reply_class"], row["reason"]) == (ReplyClass.ABSENT, reason)
    assert pd.isna(row["predicted_state"])
    assert row["true_state"] == AFTER_E4_C5
    assert not imported.refusals


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        ("{", Refusal.UNREADABLE, "expected a JSON object"),
        (json.dumps(entry())[:150], Refusal.UNREADABLE, "expected a JSON object"),
        ("[" * 100_000, Refusal.UNREADABLE, "expected a JSON object"),
        ("\udcff", Refusal.UNREADABLE, "expected text, got the byte 0xff"),
        ("[1]", Refusal.UNREADABLE, "expected a JSON object, got list"),
        ({"llm_info": {}}, Refusal.NO_POSITION, "game_info: expected an object, got None"),
        ({"game_info": 1}, Refusal.NO_POSITION, "game_info: expected an object, got 1"),
        ({"game_info": {}}, Refusal.NO_MODEL, "llm_info: expected an object"),
        (
            entry(input_pgn_file=...),
            Refusal.NO_POSITION,
            "input_pgn_file: expected a text, got None",
        ),
        (entry(input_pgn_file=3), Refusal.NO_POSITION, "input_pgn_file: expected a text, got 3"),
        (entry(model=...), Refusal.NO_MODEL, "model: expected a text, got None"),
        (
            entry(input_pgn_file="no.pgn", input_fen=None),
            Refusal.NO_TRUE_BOARD,
            "input_fen: expected",
        ),
        (entry(input_fen="x"), Refusal.NO_TRUE_BOARD, "input_fen: expected a FEN, got 'x'"),
        (
            entry(input_pgn_file="\x00.pgn", input_fen="x"),
            Refusal.NO_TRUE_BOARD,
            "input_fen: expected",
        ),
        (entry(input_fen=chess.STARTING_FEN), Refusal.CONTRADICTION, "input_fen: 'rnbqkbnr/pppp"),
        (entry(input_fen=AFTER_E4_C5.replace(" w", " b")), Refusal.CONTRADICTION, "input_fen: "),
        (entry(number_of_halfmoves="two"), Refusal.BAD_VALUE, "number_of_halfmoves: expected"),
        (entry(number_of_halfmoves=True), Refusal.BAD_VALUE, "number_of_halfmoves: expected"),
        (entry(number_of_halfmoves=-1), Refusal.BAD_VALUE, "number_of_halfmoves: expected"),
        (entry(input_pgn_file="data/960/a.pgn"), Refusal.CHESS960, "Chess960"),
        (entry(input_pgn_file="data/FischerRandom/b.pgn"), Refusal.CHESS960, "Chess960"),
        (entry(input_pgn_file="c.pgn", input_fen=FISCHER), Refusal.CHESS960, "Chess960"),
        (entry(), Refusal.REPEATED, "it repeats"),
    ],
)
def test_lines_that_become_no_row_are_named_with_the_true_reason(
    folder: Path, line: object, reason: Refusal, detail: str
) -> None:
    path = folder / "model_logs" / "some.jsonl"
    bad = line if isinstance(line, str) else json.dumps(line)
    text = f"{json.dumps(entry())}\n\n{bad}\n{json.dumps(entry(datetime='later'))}"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    imported = import_pgn2fen([path])
    assert imported.predictions["sample"].tolist() == [0, 1]
    (refusal,) = imported.refusals
    assert (refusal.file, refusal.line, refusal.reason) == (str(path), 3, reason)
    assert refusal.detail.startswith(detail)
    assert imported.remarks == ()


@pytest.mark.parametrize(
    ("stem", "reason", "detail"),
    [
        ("halfmoves0003_001", RemarkReason.UNUSABLE_PGN, "illegal move: ply 3"),
        ("halfmoves0004_001", RemarkReason.UNUSABLE_PGN, "expected one game, got 0"),
        ("halfmoves0005_001", RemarkReason.NO_PGN, "input_pgn_file: expected 'data/Cup/"),
        ("halfmoves0006_001", RemarkReason.UNUSABLE_PGN, "its game starts from another position"),
    ],
)
def test_a_game_that_cannot_be_used_leaves_its_row_without_moves(
    folder: Path, stem: str, reason: RemarkReason, detail: str
) -> None:
    log = write_log(folder, entry(input_pgn_file=f"data/Cup/{stem}.pgn"))
    imported = import_pgn2fen([log])
    (row,) = imported.predictions.to_dict("records")
    assert row["true_state"] == AFTER_E4_C5
    assert row["ply"] == 2
    assert all(pd.isna(row[name]) for name in ("moves", "movetext", "game_id"))
    (remark,) = imported.remarks
    assert (remark.file, remark.line, remark.reason) == (str(log), 1, reason)
    assert detail in remark.detail


@pytest.mark.parametrize(
    ("changes", "reasons", "true_state"),
    [
        ({"input_fen": None}, [], AFTER_E4_C5),
        ({"input_fen": AFTER_E4_C5[:-4]}, [], AFTER_E4_C5),
        ({"input_fen": AFTER_E4_C5.replace("-", "c6")}, [], AFTER_E4_C5.replace("-", "c6")),
        ({"number_of_halfmoves": "2"}, [], AFTER_E4_C5),
        ({"number_of_halfmoves": 3}, [RemarkReason.OTHER_PLY], AFTER_E4_C5),
        (
            {"input_fen": AFTER_E4_C5[:-1] + "9"},
            [RemarkReason.OTHER_CLOCKS],
            AFTER_E4_C5[:-1] + "9",
        ),
    ],
)
def test_what_may_differ_from_the_game_is_kept_and_named(
    folder: Path, changes: dict[str, Any], reasons: list[RemarkReason], true_state: str
) -> None:
    imported = import_pgn2fen([write_log(folder, entry(**changes))])
    assert imported.predictions["true_state"].tolist() == [true_state]
    assert imported.predictions["ply"].tolist() == [2]
    assert [remark.reason for remark in imported.remarks] == reasons


def test_files_that_two_sets_name_alike_are_two_positions_in_any_order(folder: Path) -> None:
    (folder / "data" / "Random").mkdir()
    (folder / "data" / "Random" / "halfmoves0002_001.pgn").write_text("1. f3 e5 *\n")
    after = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"
    cup = write_log(folder, entry(), name="cup.jsonl")
    other = entry(input_pgn_file="data/Random/halfmoves0002_001.pgn", input_fen=after)
    random = write_log(folder, other, name="random.jsonl")
    one = import_pgn2fen([cup, random])
    two = import_pgn2fen([random, cup])
    assert one.refusals == two.refusals == ()
    names = dict(zip(one.predictions["true_state"], one.predictions["position_id"], strict=True))
    assert len(set(names.values())) == 2
    for apart in (two, import_pgn2fen([cup]), import_pgn2fen([random])):
        found = apart.predictions
        assert [names[fen] for fen in found["true_state"]] == found["position_id"].tolist()
    # Where the PGN files lie, and whether they are there, is not what a position is.
    without = import_pgn2fen([cup], pgn_root=folder / "nowhere").predictions
    assert without["position_id"].tolist() == [names[AFTER_E4_C5]]
    windows = entry(input_pgn_file=r"C:\pgn\Cup\halfmoves0002_001.pgn")
    found = import_pgn2fen([write_log(folder, windows)]).predictions
    assert found["position_id"].tolist() == [names[AFTER_E4_C5]]


def test_pgn_files_are_found_from_their_folder_too(folder: Path) -> None:
    log = write_log(folder, entry())
    for root in (folder, folder / "data" / "Cup"):
        assert import_pgn2fen([log], pgn_root=root).predictions["moves"].tolist() == ["e2e4 c7c5"]
    beside = folder / "some.jsonl"
    log.rename(beside)
    assert import_pgn2fen([beside]).predictions["moves"].tolist() == ["e2e4 c7c5"]


def test_repeated_rows_are_samples_and_providers_are_told_apart_where_they_must_be(
    folder: Path,
) -> None:
    again = (entry(datetime=f"2025-05-0{day}") for day in range(2, 9))
    first = write_log(folder, entry(), next(again), entry(model="single"), name="first.jsonl")
    second = write_log(folder, entry(provider="other"), next(again), name="second.jsonl")
    found = import_pgn2fen([first, second]).predictions
    assert found[["model", "sample", "source"]].values.tolist() == [
        ["somebody/a-model", 0, "first.jsonl"],
        ["somebody/a-model", 1, "first.jsonl"],
        ["single", 0, "first.jsonl"],
        ["other/a-model", 0, "second.jsonl"],
        ["somebody/a-model", 2, "second.jsonl"],
    ]


def test_a_missing_log_says_so(folder: Path) -> None:
    with pytest.raises(ReplyFileError, match=r"none\.jsonl: expected a file of replies"):
        import_pgn2fen([folder / "none.jsonl"])


def test_an_empty_log_has_no_rows(folder: Path) -> None:
    found = import_pgn2fen([write_log(folder)]).predictions
    assert found.columns.tolist() == PREDICTIONS.names
    assert len(found) == 0


def test_any_reply_can_be_written_and_read_again(folder: Path, tmp_path: Path) -> None:
    hostile = "\x00 \ud800x \udc00\ud800 \ud83d\ude00 8/8/8/8/8/8/8/\ud800 \ufeff" + "p/" * 10_000
    log = write_log(folder, entry(llm_raw_text=hostile, llm_fen="\ud800"), entry(llm_fen=None))
    for text in ("llm_fen", "raw"):
        imported = import_pgn2fen([log], text=text)
        write_table(imported.predictions, tmp_path / "out.parquet", PREDICTIONS)
        again = read_table(tmp_path / "out.parquet", PREDICTIONS)
        assert again["reply"].tolist() == imported.predictions["reply"].tolist()
    assert again["reply"][0].startswith(
        "\x00 \ufffdx \ufffd\ufffd 😀 8/8/8/8/8/8/8/\ufffd \ufeffp/"
    )


def test_whole_logs_lose_nothing(recorded: Path) -> None:
    """Of both sets, and of one model at three settings that gave some replies alike."""
    logs = sorted((recorded / "model_logs").glob("*.jsonl"))
    imported = import_pgn2fen(logs)
    found = imported.predictions
    assert (imported.refusals, imported.remarks) == ((), ())
    assert found["source"].value_counts().to_dict() == {
        "baseline_starting_board_standard.jsonl": 18,
        "maker_talker.jsonl": 18,
        "maker_talker_randomised.jsonl": 8,
        "maker_talker_think0.jsonl": 6,
        "maker_talker_think256.jsonl": 6,
    }
    assert found["position_id"].nunique() == 18 + 8
    assert found["moves"].str.split().str.len().eq(found["ply"]).all()
    # The first six positions were asked at all three settings.
    kept = found.query("model == 'talker'").value_counts(["set", "setting", "sample"]).to_dict()
    assert kept == {
        ("", "", 0): 18,
        ("random_games", "", 0): 8,
        ("", "thinking=0", 0): 6,
        ("", "thinking=256", 0): 6,
    }
    # Counted by eye: the lines of `recorded_logs` in which nothing was cut out.
    absent = found[found["reply_class"] == "absent"]
    assert Counter(absent["source"]) == {
        "maker_talker.jsonl": 5,
        "maker_talker_randomised.jsonl": 1,
        "maker_talker_think0.jsonl": 1,
    }


def test_fens_alone_hold_no_prose_and_are_sorted(recorded: Path) -> None:
    logs = sorted((recorded / "model_logs").glob("*.jsonl"))
    whole = import_pgn2fen(logs).predictions
    compact = import_pgn2fen(logs, fens_only=True).predictions
    assert compact[["reply", "movetext"]].isna().all(axis=None)
    key = ["set", *REPLY_KEY]
    kept = ["moves", "true_state", "predicted_state", "reply_class", "status", "reason"]
    pd.testing.assert_frame_equal(
        whole.sort_values(key, ignore_index=True)[key + kept], compact[key + kept]
    )

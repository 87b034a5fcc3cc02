"""PGN2FEN logs: hand-made logs whose rows are known, bad lines, and the real logs."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import pandas as pd
import pytest

from workbench.errors import GameFileError, InvalidArgumentError
from workbench.replies import ReplyClass, import_pgn2fen
from workbench.tables import PREDICTIONS, read_table, write_table

SHARED = Path(__file__).parents[2].parent / "shared"
LOGS = SHARED / "data" / "pgn2fen" / "model_logs"

AFTER_E4_C5 = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
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
    unknown = ("game_plies", *PREDICTIONS.names[PREDICTIONS.names.index("earlier_turns") :])
    assert all(pd.isna(row.pop(name)) for name in unknown)
    assert row == {
        "position_id": "halfmoves0002_001",
        # printf 'e2e4 c7c5' | sha256sum | cut -c -16
        "game_id": "13763f491b377740",
        "source": "some.jsonl",
        "group": 10,
        "ply": 2,
        "movetext": "1. e4 c5",
        "moves": "e2e4 c7c5",
        "true_fen": AFTER_E4_C5,
        "model": "a-model",
        "sample": 0,
        "reply": f"FEN: {AFTER_E4_C5}",
        "predicted_fen": AFTER_E4_C5,
        "reply_class": "valid",
        "status": "",
        "reason": "",
    }
    assert (imported.refusals, imported.disagreements, imported.missing_games) == ((), (), {})


def test_the_text_to_classify_is_a_choice(folder: Path) -> None:
    log = write_log(folder, entry(llm_raw_text=f"`{NO_KING}`", llm_fen=AFTER_E4_C5))
    cut, raw = (import_pgn2fen([log], text=text).predictions for text in ("llm_fen", "raw"))
    assert cut["reply_class"].tolist() == ["valid"]
    assert raw[["reply_class", "status", "predicted_fen"]].values.tolist() == [
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
    assert pd.isna(row["predicted_fen"])
    assert row["true_fen"] == AFTER_E4_C5
    assert not imported.refusals


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "expected a JSON object"),
        (json.dumps(entry())[:150], "expected a JSON object"),
        ("[" * 100_000, "expected a JSON object"),
        ("\udcff", "expected a JSON object"),
        ("[1]", "expected a JSON object, got list"),
        ({"llm_info": {}}, "game_info: expected an object, got None"),
        ({"game_info": 1, "llm_info": {}}, "game_info: expected an object, got 1"),
        ({"game_info": {}}, "llm_info: expected an object"),
        (entry(input_pgn_file=...), "input_pgn_file: expected a text, got None"),
        (entry(input_pgn_file=3), "input_pgn_file: expected a text, got 3"),
        (entry(model=...), "model: expected a text, got None"),
        (entry(input_pgn_file="no.pgn", input_fen=None), "input_fen: expected a FEN"),
        (entry(input_pgn_file="no.pgn", input_fen="x"), "input_fen: expected a FEN"),
        (entry(input_pgn_file="\x00.pgn", input_fen="x"), "input_fen: expected a FEN"),
        (entry(input_pgn_file="no.pgn", number_of_halfmoves="2"), "number_of_halfmoves: expected"),
        (entry(input_pgn_file="no.pgn", number_of_halfmoves=True), "number_of_halfmoves: expected"),
        (entry(input_pgn_file="no.pgn", number_of_halfmoves=-1), "number_of_halfmoves: expected"),
        (entry(input_pgn_file="other/halfmoves0002_001.pgn"), "has the same stem"),
    ],
)
def test_lines_without_a_position_or_a_model_are_named(
    folder: Path, line: object, reason: str
) -> None:
    path = folder / "model_logs" / "some.jsonl"
    bad = line if isinstance(line, str) else json.dumps(line)
    text = f"{json.dumps(entry())}\n\n{bad}\n{json.dumps(entry())}"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    imported = import_pgn2fen([path])
    assert imported.predictions["sample"].tolist() == [0, 1]
    (refusal,) = imported.refusals
    assert (refusal.file, refusal.line) == ("some.jsonl", 3)
    assert reason in refusal.reason


@pytest.mark.parametrize("stem", ["halfmoves0003_001", "halfmoves0004_001", "halfmoves0005_001"])
def test_a_game_that_cannot_be_used_leaves_its_row_without_moves(folder: Path, stem: str) -> None:
    file = f"data/Cup/{stem}.pgn"
    imported = import_pgn2fen([write_log(folder, entry(input_pgn_file=file))])
    (row,) = imported.predictions.to_dict("records")
    assert row["true_fen"] == AFTER_E4_C5
    assert all(pd.isna(row[name]) for name in ("moves", "movetext", "game_id"))
    assert list(imported.missing_games) == [file]
    assert stem in imported.missing_games[file]


@pytest.mark.parametrize(
    ("changes", "field", "true_fen"),
    [
        ({"input_fen": chess.STARTING_FEN}, "input_fen", chess.STARTING_FEN),
        ({"input_fen": None}, "input_fen", AFTER_E4_C5),
        ({"input_fen": "\ud800"}, "input_fen", AFTER_E4_C5),
        ({"number_of_halfmoves": 3}, "number_of_halfmoves", AFTER_E4_C5),
        ({"number_of_halfmoves": "2"}, "number_of_halfmoves", AFTER_E4_C5),
    ],
)
def test_what_the_game_contradicts_is_kept_and_named(
    folder: Path, changes: dict[str, Any], field: str, true_fen: str
) -> None:
    imported = import_pgn2fen([write_log(folder, entry(**changes))])
    assert imported.predictions["true_fen"].tolist() == [true_fen]
    (found,) = imported.disagreements
    assert (found.position_id, found.field, found.line) == ("halfmoves0002_001", field, 1)
    expected_ply = 3 if changes.get("number_of_halfmoves") == 3 else 2
    assert imported.predictions["ply"].tolist() == [expected_ply]


def test_repeated_rows_are_samples_and_providers_are_told_apart_where_they_must_be(
    folder: Path,
) -> None:
    first = write_log(folder, entry(), entry(), entry(model="single"), name="first.jsonl")
    second = write_log(folder, entry(provider="other"), entry(), name="second.jsonl")
    found = import_pgn2fen([first, second]).predictions
    assert found[["model", "sample", "source"]].values.tolist() == [
        ["somebody/a-model", 0, "first.jsonl"],
        ["somebody/a-model", 1, "first.jsonl"],
        ["single", 0, "first.jsonl"],
        ["other/a-model", 0, "second.jsonl"],
        ["somebody/a-model", 2, "second.jsonl"],
    ]


def test_a_missing_log_says_so(folder: Path) -> None:
    with pytest.raises(GameFileError, match=r"none\.jsonl: expected a log"):
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


@pytest.mark.skipif(not LOGS.is_dir(), reason="shared/data/pgn2fen is not beside the repository")
def test_the_real_logs_lose_nothing() -> None:
    imported = import_pgn2fen(sorted(LOGS.glob("*.jsonl")))
    found = imported.predictions
    assert (imported.refusals, imported.disagreements, imported.missing_games) == ((), (), {})
    assert len(found) == 8200
    assert found["position_id"].nunique() == 1000
    assert not found.duplicated(["position_id", "model"]).any()
    assert found["moves"].str.split().str.len().eq(found["ply"]).all()
    # Counted from the files' own "llm_fen": null, with another program.
    absent = found[found["reply_class"] == "absent"]
    assert Counter(absent["model"]) == {
        "chessgpt-base-v1-q4_k_m.gguf": 395,
        "deepseek-chat": 2,
        "gemini-2.0-flash-001": 1,
        "gpt-4.1-2025-04-14": 82,
        "gpt-4.1-nano-2025-04-14": 22,
        "gpt-4o-mini-2024-07-18": 7,
        "o4-mini-2025-04-16": 56,
    }

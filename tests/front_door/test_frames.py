"""Any table becomes predictions: names of columns, kinds of tables, and errors that say what to pass."""

import json

import chess
import pandas as pd
import pyarrow as pa
import pytest

import workbench
from workbench.errors import InvalidArgumentError, TableError
from workbench.front_door.frames import NAMES, frame_of, predictions_of
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS

START = chess.STARTING_FEN
AFTER = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
ROWS = [
    {"moves": "e4 e5 Nf3", "answer": f"It is {AFTER}", "model": "a", "heat": 0.5, "game": 1},
    {"moves": "1. e4 e5 2. Nf3", "answer": "no idea", "model": "a", "heat": 0.7, "game": 2},
    {"moves": "e2e4 e7e5 g1f3", "answer": START, "model": "b", "heat": 0.5, "game": None},
]


class Arrow:
    """A table of another library, known by its Arrow stream alone."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def written(kind, folder):
    frame, path = pd.DataFrame(ROWS), folder / f"rows.{kind}"
    match kind:
        case "parquet":
            frame.to_parquet(path)
        case "csv":
            frame.to_csv(path, index=False)
        case "tsv":
            frame.to_csv(path, index=False, sep="\t")
        case "jsonl":
            frame.to_json(path, orient="records", lines=True)
    return path


@pytest.mark.parametrize(
    "kind", ["frame", "dictionaries", "arrow", "parquet", "csv", "tsv", "jsonl"]
)
def test_the_same_rows_as_any_kind_of_table_are_the_same_predictions(kind, tmp_path):
    given = {
        "frame": pd.DataFrame(ROWS),
        "dictionaries": ROWS,
        "arrow": Arrow(pa.Table.from_pylist(ROWS)),
    }
    table = predictions_of(given[kind] if kind in given else written(kind, tmp_path))
    assert set(PREDICTIONS.names) <= set(table.columns)
    assert table["true_state"].tolist() == [AFTER] * 3
    assert table["reply_class"].tolist() == ["valid", "absent", "valid"]
    assert table["predicted_state"].tolist()[::2] == [AFTER, START]
    assert table["model"].tolist() == ["a", "a", "b"]
    assert table["ply"].tolist() == [3] * 3
    assert table["sample"].tolist() == [0, 1, 0]
    # A column of one's own stays.
    assert table["heat"].astype(float).tolist() == [0.5, 0.7, 0.5]


@pytest.mark.slow
@pytest.mark.parametrize("true", NAMES["true_state"])
@pytest.mark.parametrize("answer", [*NAMES["reply"], *NAMES["predicted_state"]])
def test_columns_may_have_any_of_their_usual_names(true, answer):
    table = predictions_of([{true: AFTER, answer.upper(): START}])
    assert table[["true_state", "predicted_state"]].to_numpy().tolist() == [[AFTER, START]]
    assert (table["model"][0], table["set"][0]) == ("model", "")


@pytest.mark.parametrize(
    "rows",
    [
        {"fen": [START], "reply": [START]},
        pd.Series({"fen": START, "reply": START}),
        (row for row in [{"fen": START, "reply": START}]),
        pd.DataFrame({"fen": [START], "reply": [START]}, dtype="category"),
        pd.DataFrame({"fen": [START], "reply": [START]}).convert_dtypes(dtype_backend="pyarrow"),
    ],
)
def test_other_shapes_of_one_row_are_taken(rows):
    assert predictions_of(rows)["reply_class"].tolist() == ["valid"]


def test_a_lone_surrogate_is_no_fault_of_the_table():
    assert predictions_of([{"fen": START, "reply": "a\ud800b"}])["reply"][0] == "a\ufffdb"


def test_a_table_of_predictions_is_taken_as_it_is():
    replies = workbench.recorded_replies(models="o3-2025-04-16").head(5)
    assert predictions_of(replies) is replies


def test_the_order_and_the_index_of_a_frame_stay():
    frame = pd.DataFrame(ROWS, index=["x", "y", "z"]).iloc[[2, 0, 1]]
    assert predictions_of(frame).index.tolist() == ["z", "x", "y"]


def test_positions_need_no_answer():
    table = predictions_of([{"pgn": "1. e4 e5 2. Nf3"}], answered=False)
    assert set(POSITIONS.names) <= set(table.columns)
    assert table["true_state"][0] == AFTER
    assert table["moves"][0] == "e2e4 e7e5 g1f3"


def test_other_environments_are_named_or_have_their_column():
    boxes = workbench.positions(3, "boxes")
    rows = [{"true": text, "predicted": text} for text in boxes["true_state"]]
    assert predictions_of(rows, "boxes")["reply_class"].eq("valid").all()
    named = [{**row, "environment": "boxes"} for row in rows]
    assert predictions_of(named)["predicted_state"].tolist() == boxes["true_state"].tolist()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"x": 1, "y": 2}], ["true state", "true_fen", "columns x, y"]),
        ([{"fen": START, "colour": "w"}], ["reply or predicted state", "fen, colour"]),
        (
            [{"fen": START.replace("RNB", "RN"), "reply": ""}],
            ["row 0", "fen", "RNQKBNR", "mend or drop"],
        ),
        (
            [{"fen": START, "reply": START}] * 2 + [{"fen": START, "reply": 1.5}],
            ["1 of 3 rows", "row 2", "expected a text, got 1.5"],
        ),
        (
            [{"fen": AFTER, "moves": "e4 e5 Nc3", "reply": ""}],
            ["row 0", "its moves lead to", "2N5"],
        ),
        ([{"moves": "e4 e5 Ke3", "reply": ""}], ["row 0", "moves", "Ke3"]),
        (
            [{"fen": START, "reply": START, "group": "short"}],
            ["group", "got 'short'", "another name"],
        ),
        (7, ["data frame", "got 7"]),
        ([], ["data frame", "got []"]),
    ],
)
def test_an_error_says_what_there_is_and_what_to_pass(rows, words):
    with pytest.raises(InvalidArgumentError) as caught:
        predictions_of(rows)
    for each in words:
        assert each in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\x00\xff\x00", b"root:x:0:0\n", b""])
def test_a_path_that_is_no_table_is_refused_by_name(content, tmp_path):
    path = tmp_path / "rows.parquet"
    if content is not None:
        path.write_bytes(content)
    for each in (path, str(path)):
        with pytest.raises(TableError, match=r"rows\.parquet"):
            frame_of(each)
    other = tmp_path / "rows.dat"
    if content:
        other.write_bytes(content)
        with pytest.raises(TableError, match=r"rows\.dat"):
            frame_of(other)


def test_lines_of_json_with_nested_replies_are_no_answers(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"fen": START, "reply": {"text": "x"}}) + "\n")
    with pytest.raises(InvalidArgumentError, match="row 0: reply: expected a text"):
        predictions_of(path)


def test_a_run_folder_stands_for_its_table(tmp_path):
    with pytest.raises(TableError, match="neither"):
        frame_of(tmp_path)
    pd.DataFrame(ROWS).to_parquet(tmp_path / "predictions.parquet")
    assert frame_of(tmp_path)["model"].tolist() == ["a", "a", "b"]

"""Tables read back: sound ones pass, and each fault is found, counted and named."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from workbench.answers.model_replies import simulate
from workbench.checking import check_table
from workbench.cli import main
from workbench.errors import TableError
from workbench.games.cut import cut_games
from workbench.games.game_tables import GAMES, PlayedGame, games_frame
from workbench.games.synthetic_boards import random_games
from workbench.scoring import ScoringParameters, score_predictions, scores_schema
from workbench.scoring.score_tables import score_file
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, write_table

TWO = ScoringParameters(depth=2)
MADE = {"stage": "made for a test"}


@pytest.fixture(scope="module")
def positions():
    games = list(random_games(20, 20, 5))
    return cut_games(games, groups=(2, 6), per_group=6, seed=0).positions


@pytest.fixture(scope="module")
def predictions(positions):
    """Of every class, one absent and one broken."""
    frame = simulate(positions, rate=0.15, seed=1)
    frame.loc[0, ["predicted_state", "reply_class"]] = [None, "absent"]
    frame.loc[1, ["predicted_state", "reply_class"]] = ["9/8 w", "unparseable"]
    return frame


@pytest.fixture(scope="module")
def scores(predictions):
    return score_predictions(predictions, TWO)


def report(frame, schema, tmp_path, provenance=MADE):
    path = tmp_path / "table.parquet"
    write_table(frame, path, schema, provenance)
    return check_table(path)


def odd(found):
    return [oddity.what for oddity in found.oddities]


class TestSound:
    def test_positions(self, positions, tmp_path):
        found = report(positions, POSITIONS, tmp_path)
        assert (found.kind, found.rows, found.whole, found.oddities) == ("positions", 12, True, [])
        assert found.facts["group"] == {"2": 6, "6": 6}
        assert found.sound
        assert "nothing odd" in found.describe()

    def test_predictions(self, predictions, tmp_path):
        found = report(predictions, PREDICTIONS, tmp_path)
        assert (found.kind, found.oddities) == ("predictions", [])
        assert sum(found.facts["reply_class"].values()) == 12
        assert found.facts["reply_class"]["absent"] == 1

    @pytest.mark.parametrize(
        "changed", [{}, {"method": "stratified"}, {"ill_formed": "sink"}, {"terminal": "drop"}]
    )
    def test_scores_of_any_parameters(self, predictions, tmp_path, changed):
        source, out = tmp_path / "predictions.parquet", tmp_path / "scores.parquet"
        write_table(predictions, source, PREDICTIONS)
        score_file(source, out, ScoringParameters(depth=2, **changed))
        found = check_table(out)
        assert (found.kind, found.oddities) == ("scores", [])
        assert found.provenance["parameters"]["depth"] == 2
        assert len(found.provenance["predictions_sha256"]) == 64

    def test_games(self, tmp_path):
        game = PlayedGame(0, 1, 2, 3, "1-0", "checkmate", ("e2e4", "e7e5"))
        found = report(games_frame([game]), GAMES, tmp_path)
        assert (found.kind, found.rows, found.oddities) == ("games", 1, [])

    def test_no_rows(self, positions, tmp_path):
        found = report(positions.head(0), POSITIONS, tmp_path)
        assert (found.rows, found.oddities) == (0, [])

    def test_versions_of_the_packages_are_there(self, positions, tmp_path):
        found = report(positions, POSITIONS, tmp_path)
        assert found.packages["pandas"] == pd.__version__
        assert f"pandas {pd.__version__}" in found.describe()
        assert "stage = made for a test" in found.describe()


class TestRows:
    @pytest.mark.parametrize(
        ("column", "value", "said"),
        [
            ("true_state", "no board", "true_state does not parse"),
            (
                "true_state",
                "8/8/8/8/8/8/8/K1k5 w - - 0 1",
                "true_state does not follow from the moves",
            ),
            ("ply", 3, "ply is not the number of moves"),
            ("moves", "e2e5 e7e5 g1f3 b8c6", "moves contains an illegal move"),
            ("position_id", None, "position_id is null"),
            ("true_state", None, "true_state is null"),
        ],
    )
    def test_positions(self, positions, tmp_path, column, value, said):
        frame = positions.copy()
        frame.loc[3, column] = value
        found = report(frame, POSITIONS, tmp_path)
        assert odd(found) == [said]
        assert found.oddities[0].count == 1
        assert found.oddities[0].examples[0].startswith("row 3: ")
        assert not found.sound
        assert found.whole

    def test_castling_by_another_name(self, positions, tmp_path):
        frame = positions.copy()
        moves = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8g8"
        fen = "rnbq1rk1/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w - - 8 5"
        frame.loc[3, ["moves", "true_state", "ply", "group"]] = [moves, fen, 8, 4]
        assert odd(report(frame, POSITIONS, tmp_path)) == ["moves has another spelling of castling"]
        frame.loc[3, "moves"] = moves.replace("e1h1", "e1g1")
        assert odd(report(frame, POSITIONS, tmp_path)) == []

    @pytest.mark.parametrize(
        ("column", "value", "said"),
        [
            ("reply_class", "unparseable", "reply_class contradicts the reading"),
            ("reply_class", "fine", "reply_class is not one of valid"),
            ("predicted_state", None, "reply_class contradicts the reading"),
            ("predicted_state", "9/8", "reply_class contradicts the reading"),
            ("model", None, "model is null"),
        ],
    )
    def test_predictions(self, predictions, tmp_path, column, value, said):
        frame = predictions.copy()
        frame.loc[4, column] = value
        found = odd(report(frame, PREDICTIONS, tmp_path))
        assert len(found) == 1
        assert found[0].startswith(said)

    @pytest.mark.parametrize(
        ("row", "column", "value", "said"),
        [
            (4, "precision_1", 1.5, "precision_1 lies outside its range"),
            (4, "recall_2", -0.1, "recall_2 lies outside its range"),
            (4, "precision_2", np.nan, "precision_2 is null in a scored row"),
            (4, "board_accuracy", 1.1, "board_accuracy lies outside its range"),
            (0, "recall_2", 0.5, "recall_2 is not 0 though the reply is no state"),
            (4, "recall_1", 0.0, "recall_2 is larger than recall_1"),
            (4, "terminal", "drop", "terminal differs from row to row: absorb, drop"),
            (4, "unscored", "why not", "not scored"),
        ],
    )
    def test_scores(self, scores, tmp_path, row, column, value, said):
        frame = scores.copy()
        frame.loc[row, column] = value
        assert said in odd(report(frame, scores_schema(TWO), tmp_path))

    def test_parameters_that_disagree_with_the_rows(self, scores, tmp_path):
        made = {"parameters": {"depth": 2, "terminal": "drop"}}
        found = report(scores, scores_schema(TWO), tmp_path, made)
        assert odd(found) == ["terminal is 'absorb' in the rows, and 'drop' in the provenance"]
        made = {"parameters": {"depth": 3}}
        found = report(scores, scores_schema(TWO), tmp_path, made)
        assert odd(found) == [
            "columns are missing, so its rows were not checked: precision_3, recall_3"
        ]
        made = {"parameters": {"depth": 0}}
        found = report(scores, scores_schema(TWO), tmp_path, made)
        assert "its provenance holds no parameters of scores" in odd(found)[0]

    def test_keys_that_stand_twice(self, predictions, tmp_path):
        frame = pd.concat([predictions, predictions.iloc[[2, 5]]], ignore_index=True)
        found = report(frame, PREDICTIONS, tmp_path)
        assert odd(found) == ["position_id + task + model + setting + sample is repeated"]
        assert found.oddities[0].count == 2
        assert found.oddities[0].examples[0].startswith("row 12: ")
        frame.loc[12:, "sample"] = 1
        assert report(frame, PREDICTIONS, tmp_path).sound

    def test_moves_of_games_that_are_none(self, tmp_path):
        frame = games_frame([PlayedGame(0, 1, 2, 3, "1-0", "checkmate", ("e2e4",))])
        frame["moves"] = [b"\xff"]
        assert odd(report(frame, GAMES, tmp_path)) == ["moves contains an invalid move"]


class TestFiles:
    @pytest.fixture
    def path(self, positions, tmp_path):
        path = tmp_path / "positions.parquet"
        write_table(positions, path, POSITIONS, MADE)
        return path

    @pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
    def test_a_truncated_file_is_not_whole(self, path, share):
        data = path.read_bytes()
        path.write_bytes(data[: int(share * len(data))])
        found = check_table(path)
        assert not found.whole
        assert "truncated, damaged or not a Parquet file" in odd(found)[0]
        assert "NOT WHOLE" in found.describe()

    def test_one_bit_of_any_page_is_missed_nowhere(self, path):
        data = path.read_bytes()
        pages = pq.ParquetFile(path).metadata.row_group(0)
        for index in range(pages.num_columns):
            column = pages.column(index)
            changed = bytearray(data)
            changed[column.data_page_offset + column.total_compressed_size // 2] ^= 1
            path.write_bytes(bytes(changed))
            assert not check_table(path).sound, column.path_in_schema

    def test_no_file_is_an_error(self, tmp_path):
        with pytest.raises(TableError, match=r"nowhere\.parquet"):
            check_table(tmp_path / "nowhere.parquet")

    def test_a_schema_of_another_time(self, positions, tmp_path, monkeypatch):
        monkeypatch.setattr("workbench.tables.parquet_tables.SCHEMA_VERSION", 99)
        found = report(positions, POSITIONS, tmp_path)
        assert found.schema_version == "99"
        assert "schema version '99' of another time" in odd(found)[0]

    def test_an_earlier_schema_is_checked_as_it_is_read(self, predictions, tmp_path):
        path = tmp_path / "earlier.parquet"
        old = {"true_state": "true_fen", "predicted_state": "predicted_fen"}
        added = {"environment", "task", "initial_state", "predicted_actions"}
        whole = pa.Table.from_pandas(predictions, PREDICTIONS, preserve_index=False)
        whole = whole.select([name for name in PREDICTIONS.names if name not in added])
        whole = whole.rename_columns([old.get(name, name) for name in whole.column_names])
        version = {b"workbench_schema_version": b"3"}
        pq.write_table(whole.replace_schema_metadata(version), path)
        assert odd(check_table(path)) == [
            "it carries no provenance",
            "it carries no versions of packages",
        ]
        twice = pa.concat_tables([whole, whole.slice(0, 1)])
        pq.write_table(twice.replace_schema_metadata(version), path)
        assert "position_id + task + model + setting + sample is repeated" in odd(check_table(path))

    def test_a_table_made_elsewhere(self, positions, tmp_path):
        path = tmp_path / "elsewhere.parquet"
        positions.drop(columns="source").assign(mood="good").to_parquet(path)
        assert [what.partition(":")[0] for what in odd(check_table(path))] == [
            "it carries no schema version",
            "it carries no provenance",
            "it carries no versions of packages",
            "columns are missing, so its rows were not checked",
            "there are columns outside the schema",
            "columns have other types",
        ]

    def test_a_column_that_holds_something_else(self, positions, tmp_path):
        path = tmp_path / "elsewhere.parquet"
        positions.assign(ply="late").to_parquet(path)
        assert any("rows from 0 on were not checked" in what for what in odd(check_table(path)))

    def test_a_table_of_something_else(self, tmp_path):
        path = tmp_path / "else.parquet"
        pd.DataFrame({"price": [1.0]}).to_parquet(path)
        found = check_table(path)
        assert found.kind == "unknown"
        assert "no table of the workbench: price" in odd(found)[-1]


class TestCommand:
    def test_sound_and_odd(self, positions, tmp_path):
        good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
        write_table(positions, good, POSITIONS, MADE)
        write_table(pd.concat([positions] * 2), bad, POSITIONS, MADE)
        result = CliRunner().invoke(main, ["check", str(good)])
        assert result.exit_code == 0
        assert "positions, 12 rows, whole" in result.stdout
        result = CliRunner().invoke(main, ["check", str(good), str(bad), "--json"])
        assert result.exit_code == 1
        first, second = map(json.loads, result.stdout.splitlines())
        assert first["oddities"] == []
        assert second["oddities"][0]["count"] == 12

    def test_no_file(self, tmp_path):
        result = CliRunner().invoke(main, ["check", str(tmp_path / "nowhere.parquet")])
        assert result.exit_code == 1
        assert "expected a file" in result.output

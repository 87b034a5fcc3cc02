"""The commands as a user types them: what they print, what they refuse, no traceback."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.games.random_play import random_games
from workbench.tables import PREDICTIONS, read_provenance, write_table

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")
LOGS = Path(__file__).parents[2] / "shared" / "data" / "pgn2fen" / "model_logs"


def run(*arguments, code=0, only_stdout=False, **options):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], **options)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout if only_stdout else result.output


def as_pgn(game):
    import chess

    moves = [chess.Move.from_uci(move) for move in game.moves]
    return f'[Event "?"]\n\n{chess.Board().variation_san(moves)} *\n\n'


def compared(*arguments, **options):
    return json.loads(run("compare", *arguments, "--json", only_stdout=True, **options))


class TestCompare:
    def test_the_board_without_its_king(self):
        found = compared(START, KINGLESS, "--depth", 2)
        assert found["reply_class"] == "ill_formed"
        assert found["status"] == ["NO_WHITE_KING", "BAD_CASTLING_RIGHTS"]
        assert found["predicted_fen"] == KINGLESS
        assert found["precision"] == pytest.approx([20 / 21] * 2)
        assert found["recall"] == pytest.approx([1.0, 1.0])
        assert found["levenshtein"] == 1
        assert found["exact_match"] is False
        assert found["board_accuracy"] == 63 / 64
        sunk = compared(START, KINGLESS, "--depth", 2, "--ill-formed", "sink")
        assert sunk["precision"] == sunk["recall"] == [0.0, 0.0]

    def test_a_whole_answer(self):
        answer = f"Let me think.\n```fen\n{START}\n```\nThat is the board."
        found = compared(START, answer, "--depth", 1)
        assert (found["reply_class"], found["predicted_fen"]) == ("valid", START)
        assert found["exact_match"] is True
        assert found["precision"] == [1.0]

    def test_no_answer_is_undefined_where_it_is(self):
        found = compared(START, "", "--depth", 1)
        assert found["reply_class"] == "absent"
        assert found["predicted_fen"] is None
        assert found["board_accuracy"] is None
        assert found["levenshtein"] == len(START)
        assert found["levenshtein_to_empty"] is True
        assert found["precision"] == [0.0]

    @pytest.mark.parametrize("fen", ["/".join(["K" * 8] * 8) + " w - - 0 1"])
    def test_a_board_of_64_kings(self, fen):
        found = compared(START, fen, "--depth", 1)
        assert found["reply_class"] == "ill_formed"
        assert "TOO_MANY_KINGS" in found["status"]

    def test_an_answer_of_a_megabyte_from_input(self):
        found = compared(START, "-", "--depth", 1, input="p/" * 500_000)
        assert found["reply_class"] in ("absent", "unparseable")

    def test_an_estimator_and_terminal(self):
        mate_near = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
        dropped = compared(mate_near, mate_near, "--depth", 2, "--terminal", "drop")
        assert dropped["precision"] == pytest.approx([1.0, 29 / 30])
        estimated = compared(START, KINGLESS, "--depth", 2, "--method", "branch", "--samples", 50)
        assert len(estimated["precision"]) == 2

    def test_prints_lines_to_read(self):
        output = run("compare", START, KINGLESS, "--depth", 1)
        assert "reply_class              ill_formed" in output
        assert "0.952381" in output

    def test_a_true_board_that_cannot_be_read_is_named(self):
        output = run("compare", "no board", START, code=1)
        assert "Error: expected a FEN that python-chess reads, got 'no board'" in output


class TestTheWholeWay:
    def test_games_to_positions_to_predictions_to_scores(self, tmp_path):
        pgn = tmp_path / "games.pgn"
        pgn.write_text("".join(map(as_pgn, random_games(6, 12, seed=1))))
        positions, predictions, scores = (
            tmp_path / f"{stage}.parquet" for stage in ("positions", "predictions", "scores")
        )
        said = run("games", "cut", pgn, "--groups", "2,5", "--per-group", 3, "-o", positions)
        assert "6 games read" in said
        assert "group of 5 full moves: 3 taken of 6 long enough" in said
        assert "6 positions written" in said
        run("replies", "simulate", positions, "--rate", 0.2, "--seed", 4, "-o", predictions)
        assert read_provenance(predictions)["simulated"] == {"rate": 0.2, "seed": 4}
        arguments = ["score", predictions, "-o", scores, "--depth", 2, "--jobs", 1]
        assert "6 scores written" in run(*arguments)
        assert "6 scores written" in run(*arguments)
        table = pd.read_parquet(scores)
        assert set(table["position_id"]) == set(pd.read_parquet(positions)["position_id"])
        assert table["precision_2"].between(0, 1).all()
        assert table["model"].str.startswith("simulated").all()
        refused = run("score", predictions, "-o", scores, "--depth", 1, "--jobs", 1, code=1)
        assert "restart" in refused
        run("score", predictions, "-o", scores, "--depth", 1, "--jobs", 1, "--restart")

    def test_a_log_with_faults_loses_no_line(self, tmp_path):
        fine = {
            "game_info": {
                "input_pgn_file": "data/missing.pgn", "input_fen": START, "number_of_halfmoves": 0,
            },
            "llm_info": {
                "provider": "p", "model": "m", "llm_raw_text": START, "llm_fen": START,
            },
        }  # fmt: skip
        null = json.loads(json.dumps(fine))
        null["game_info"]["input_pgn_file"] = "data/other.pgn"
        null["llm_info"]["llm_fen"] = None
        log = tmp_path / "log.jsonl"
        log.write_text(f'{json.dumps(fine)}\n{json.dumps(null)}\nnot json\n{{"game_info"')
        out = tmp_path / "predictions.parquet"
        said = run("replies", "import", log, "-o", out, code=3)
        assert "2 of 4 rows refused" in said
        assert "2 predictions of 1 model on 2 positions written" in said
        table = pd.read_parquet(out)
        assert list(table["reply_class"]) == ["valid", "absent"]

    @pytest.mark.skipif(not LOGS.exists(), reason="the shared PGN2FEN logs are not here")
    def test_real_logs_are_imported_whole(self, tmp_path):
        out = tmp_path / "predictions.parquet"
        log = LOGS / "openai_gpt-4o-2024-08-06.jsonl"
        assert "200 predictions of 1 model" in run("replies", "import", log, "-o", out)


class TestRefusals:
    def test_missing_files_are_named(self, tmp_path):
        missing = tmp_path / "nowhere"
        for arguments in (
            ("games", "cut", missing),
            ("replies", "import", missing),
            ("replies", "simulate", missing),
            ("score", missing, "-o", tmp_path / "scores.parquet"),
        ):
            assert "nowhere" in run(*arguments, code=1)

    def test_a_file_of_another_kind_is_named(self, tmp_path):
        text = tmp_path / "text.parquet"
        text.write_text("no table")
        assert "expected a whole Parquet file" in run("replies", "simulate", text, code=1)

    def test_a_table_of_another_stage_is_named(self, predictions, tmp_path):
        path = tmp_path / "positions.parquet"
        write_table(predictions[["position_id"]], path, PREDICTIONS.empty_table()
                    .select(["position_id"]).schema)  # fmt: skip
        said = run("score", path, "-o", tmp_path / "scores.parquet", code=1)
        assert "missing" in said
        assert "data/README.md" in said

    def test_groups_that_are_no_numbers_are_a_usage_error(self, tmp_path):
        said = run("games", "cut", tmp_path / "x.pgn", "--groups", "5,many", code=2)
        assert "'5,many'" in said

    def test_a_group_that_cannot_be_filled(self, tmp_path):
        pgn = tmp_path / "games.pgn"
        pgn.write_text("".join(map(as_pgn, random_games(2, 12, seed=1))))
        out = tmp_path / "positions.parquet"
        said = run("games", "cut", pgn, "--groups", "2", "--per-group", 3, "-o", out, code=1)
        assert "expected 3 games for each group" in said
        assert not out.exists()

    def test_an_unknown_notebook_parameter(self, tmp_path):
        said = run("figures", "--parameter", "dpeth=3", "--out", tmp_path, code=1)
        assert "dpeth" in said
        assert "depth" in said

    def test_a_notebook_that_fails_makes_the_exit_code(self, tmp_path):
        arguments = ["--only", "precision_by_samples", "--parameter", "depth=0"]
        said = run("figures", *arguments, "--out", tmp_path, "--jobs", 1, code=1)
        assert "02_precision_by_samples cannot be drawn: expected a depth m of at least 1" in said
        assert (tmp_path / "notebooks" / "02_precision_by_samples.ipynb").exists()

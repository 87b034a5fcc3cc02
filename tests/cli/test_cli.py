"""The commands as a user types them: what they compute, print and refuse, and no traceback."""

import json
from fractions import Fraction

import chess
import pandas as pd
import pytest
from click.testing import CliRunner

import workbench as wb
from workbench.cli import main
from workbench.games.synthetic_boards import random_games
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, write_table

START = chess.STARTING_FEN
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")
COUNTED = "model valid ill_formed unparseable absent failed unscored count"


def run(*arguments, code=0, only_stdout=False, **options):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], **options)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout if only_stdout else result.output


def printed(*arguments, **options):
    """The words of each line that a command prints, without its progress."""
    return [line.split() for line in run(*arguments, only_stdout=True, **options).splitlines()]


def compared(*arguments, **options):
    return json.loads(run("compare", *arguments, "--json", only_stdout=True, **options))


def as_pgn(game):
    moves = [chess.Move.from_uci(move) for move in game.moves]
    return f'[Event "?"]\n\n{chess.Board().variation_san(moves)} *\n\n'


def accepted(tried, drawn, depth):
    """P that a board accepts a line drawn uniformly on another, by playing every line."""
    if depth == 0:
        return Fraction(1)
    moves, allowed = list(drawn.legal_moves), set(tried.generate_legal_moves())
    if not moves:
        return Fraction(not allowed)
    total = Fraction(0)
    for move in allowed.intersection(moves):
        after = [board.copy(stack=False) for board in (tried, drawn)]
        for board in after:
            board.push(move)
        total += accepted(*after, depth - 1)
    return total / len(moves)


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("".join(map(as_pgn, random_games(6, 12, seed=1))))
    return path


class TestCompare:
    def test_the_board_without_its_king(self):
        found = compared(START, KINGLESS, "--depth", 2)
        assert found["reply_class"] == "ill_formed"
        assert found["status"] == ["NO_WHITE_KING", "BAD_CASTLING_RIGHTS"]
        assert found["predicted_state"] == KINGLESS
        assert found["precision"] == pytest.approx([20 / 21] * 2)
        assert found["recall"] == pytest.approx([1.0, 1.0])
        assert found["levenshtein"] == 1
        assert found["exact_match"] is False
        assert found["board_accuracy"] == 63 / 64
        sunk = compared(START, KINGLESS, "--depth", 2, "--ill-formed", "sink")
        assert sunk["precision"] == sunk["recall"] == [0.0, 0.0]
        assert sunk["ill_formed_policy"] == "sink"

    def test_a_whole_answer(self):
        answer = f"Let me think.\n```fen\n{START}\n```\nThat is the board."
        found = compared(START, answer, "--depth", 1)
        assert (found["reply_class"], found["predicted_state"]) == ("valid", START)
        assert found["exact_match"] is True
        assert found["precision"] == found["recall"] == [1.0]

    def test_no_answer_is_undefined_where_it_is(self):
        found = compared(START, "", "--depth", 1)
        assert (found["reply_class"], found["reason"]) == ("absent", "empty reply")
        assert found["predicted_state"] is None
        assert found["board_accuracy"] is None
        assert found["levenshtein"] == len(START)
        assert found["levenshtein_to_empty"] is True
        assert found["precision"] == found["recall"] == [0.0]

    def test_a_board_of_64_kings(self):
        """None can move, so that the prediction is finished and the true board is not."""
        found = compared(START, "/".join(["K" * 8] * 8) + " w - - 0 1", "--depth", 1)
        assert found["reply_class"] == "ill_formed"
        assert found["status"] == ["NO_BLACK_KING", "TOO_MANY_KINGS", "TOO_MANY_WHITE_PIECES"]
        assert found["precision"] == found["recall"] == [0.0]
        assert found["board_accuracy"] == 1 / 64

    @pytest.mark.slow
    def test_an_answer_of_a_megabyte_from_input(self):
        found = compared(START, "-", "--depth", 1, input="p/" * 500_000)
        assert (found["reply_class"], found["reason"]) == ("absent", "no piece placement found")
        from_input = compared(START, "-", "--depth", 1, input=f"FEN: {KINGLESS}\n")
        assert from_input == compared(START, KINGLESS, "--depth", 1)

    def test_an_estimator_and_terminal(self):
        """One of Black's 30 moves mates; 1,600 lines are drawn against the kingless board."""
        mate_near = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
        dropped = compared(mate_near, mate_near, "--depth", 2, "--terminal", "drop")
        assert dropped["precision"] == pytest.approx([1.0, 29 / 30])
        assert dropped["depths"] == [1, 2]
        assert not [name for name in dropped if name.endswith("standard_error")]
        assert dropped["terminal"] == "drop"
        estimated = compared(START, KINGLESS, "--depth", 2, "--method", "branch", "--samples", 50)
        (value,), (error,) = estimated["precision"], estimated["precision_standard_error"]
        exact = 20 / 21
        assert error == pytest.approx((exact * (1 - exact) / 1600) ** 0.5, rel=0.5)
        assert 0 < abs(value - exact) < 4 * error
        assert estimated["recall"] == [1.0]
        assert estimated["recall_standard_error"] == [0.0]
        assert estimated["depths"] == [2]
        assert estimated["method"] == "branch"

    def test_prints_lines_to_read(self):
        lines = printed("compare", START, KINGLESS, "--depth", 1)
        details = lines.index([]) + 1
        assert [" ".join(words) for words in lines[: details - 1]] == [
            "p_1 = 0.9524, r_1 = 1.0000, F_1 = 0.9756",
            "ill-formed: White has no king, a castling right without king and rook in place",
            "The white king on e1 is missing: 4.8% of p_1 is lost through it.",
        ]
        assert lines[details:] == [
            ["reply_class", "ill_formed"],
            ["predicted_state", *KINGLESS.split()],
            ["status", "NO_WHITE_KING,", "BAD_CASTLING_RIGHTS"],
            ["reason"],
            ["depths", "1"],
            ["precision", "0.952381"],
            ["recall", "1"],
            ["f", "0.97561"],
            ["precision_mean", "0.952381"],
            ["recall_mean", "1"],
            ["f_mean", "0.97561"],
            ["exact_match", "False"],
            ["levenshtein", "1"],
            ["levenshtein_to_empty", "False"],
            ["exact_match_position", "False"],
            ["levenshtein_position", "1"],
            ["exact_match_placement", "False"],
            ["levenshtein_placement", "1"],
            ["board_accuracy", "0.984375"],
            ["correct_placement", "False"],
            ["correct_side_to_move", "True"],
            ["correct_castling", "True"],
            ["correct_en_passant", "True"],
            ["correct_halfmove_clock", "True"],
            ["correct_fullmove_number", "True"],
            ["depth", "1"],
            ["terminal", "absorb"],
            ["ill_formed_policy", "as_is"],
            ["method", "exact"],
        ]

    def test_a_list_of_moves(self):
        """Of the 20 moves two are listed, and one is not permitted."""
        found = compared(START, "e2e4, d2d4 and Ke3", "--task", "actions", "--depth", 2)
        assert found["predicted_actions"] == ["e2e4", "d2d4", "Ke3"]
        assert found["precision"] == [pytest.approx(2 / 3), None]
        assert found["recall"] == [pytest.approx(2 / 20), None]
        assert not {"predicted_state", "exact_match", "levenshtein"} & found.keys()

    def test_a_continuation(self):
        found = compared(START, "e4 e5 Nf3 Ke3", "--task", "continuation")
        assert (found["precision"], found["recall"]) == ([1.0, 1.0, 1.0, 0.0], [None] * 4)
        # A board in place of moves is no answer here.
        found = compared(START, START, "--task", "continuation", "--depth", 1)
        assert (found["reply_class"], found["predicted_actions"]) == ("absent", None)
        assert found["precision"] == [0.0]

    @pytest.mark.parametrize("task", ["state", "actions", "continuation"])
    def test_the_numbers_are_those_of_a_table(self, task, pgn, tmp_path):
        positions, replies, out = (tmp_path / f"{name}.parquet" for name in "prs")
        run("games", "cut", pgn, "--groups", 5, "--per-group", 4, "-o", positions)
        simulated = ("--rate", 0.2, "--task", task, "-o", replies)
        run("replies", "simulate", positions, *simulated)
        run("score", replies, "-o", out, "--depth", 3, "--jobs", 1)
        for row in pd.read_parquet(out).to_dict("records"):
            (reply,) = pd.read_parquet(replies).query("position_id == @row['position_id']")["reply"]
            found = compared(row["true_state"], reply, "--task", task, "--depth", 3)
            for measure in ("precision", "recall"):
                values = [row[f"{measure}_{m}"] for m in (1, 2, 3)]
                assert found[measure] == [None if pd.isna(each) else each for each in values]

    def test_a_table_in_place_of_a_state_is_refused(self, pgn):
        assert "workbench report RUN RUN" in run("compare", pgn, START, code=2)

    @pytest.mark.parametrize(
        ("reply", "answer"),
        [
            (f"- {START}", START),
            (f"-- {START}", START),
            (f"-{START}", f"-{START}"),
            ("- FEN: -h is no option here", None),
            ("-1", None),
        ],
    )
    def test_a_reply_that_begins_with_a_dash(self, reply, answer):
        for arguments in ((START, reply, "--depth", 1), ("--depth=1", START, reply)):
            assert compared(*arguments)["predicted_state"] == answer
        assert "No such option" in run("compare", START, START, "--dpeth", 1, code=2)
        assert "requires an argument" in run("compare", START, START, "--depth", code=2)

    def test_a_true_state_in_a_link_and_moves_in_its_place(self):
        link = f"https://lichess.org/analysis/standard/{START.replace(' ', '_')}"
        assert compared(link, START, "--depth", 1)["exact_match"] is True
        output = run("compare", "1. e4 e5", START, code=1)
        assert "expected a FEN, but this looks like moves: '1. e4 e5'; after them" in output

    def test_a_true_board_that_cannot_be_read_is_named(self):
        output = run("compare", "no board", START, code=1)
        assert "Error: true: expected a FEN that python-chess reads, got 'no board'" in output


class TestTheWholeWay:
    def test_games_to_positions(self, pgn, tmp_path):
        out = tmp_path / "positions.parquet"
        arguments = ("games", "cut", pgn, "--groups", "2,5", "--per-group", 3, "-o", out)
        assert run(*arguments, only_stdout=True).splitlines() == [
            "games.pgn: 6 games read",
            "6 games read, 0 too short for every group, 0 duplicates, 0 without a result",
            "group of 2 full moves: 3 taken of 6 long enough",
            "group of 5 full moves: 3 taken of 6 long enough",
            f"6 positions written to {out}",
        ]
        table = pd.read_parquet(out)
        assert table["group"].tolist() == [2, 2, 2, 5, 5, 5]
        played = {" ".join(game.moves) for game in random_games(6, 12, seed=1)}
        used = {line for moves in table["moves"] for line in played if line.startswith(moves)}
        assert used == played
        for row in table.itertuples():
            board = chess.Board()
            for move in row.moves.split():
                board.push_uci(move)
            assert (row.true_state, row.ply, row.game_plies) == (board.fen(), 2 * row.group, 12)

    def test_positions_to_predictions_to_scores(self, pgn, tmp_path):
        positions, predictions, scores = (
            tmp_path / f"{stage}.parquet" for stage in ("positions", "predictions", "scores")
        )
        run("games", "cut", pgn, "--groups", "2,5", "--per-group", 3, "-o", positions)
        simulate = ("replies", "simulate", positions, "--rate", 0.2, "--seed", 4)
        assert run(*simulate, "-o", predictions) == (
            f"6 simulated predictions written to {predictions}\n"
        )
        assert read_provenance(predictions)["simulated"] == {"rate": 0.2, "seed": 4}
        score = ("score", predictions, "-o", scores, "--jobs", 1)
        for _ in range(2):
            assert printed(*score, "--depth", 2) == [
                COUNTED.split(),
                "simulated-tracker rate=0.2 6 0 0 0 0 0 6".split(),
                ["6", "scores", "written", "to", str(scores)],
            ]
        table = pd.read_parquet(scores)
        assert table["position_id"].tolist() == pd.read_parquet(positions)["position_id"].tolist()
        assert 0 < (table["true_state"] == table["predicted_state"]).sum() < 6
        for row in table.itertuples():
            true, predicted = chess.Board(row.true_state), chess.Board(row.predicted_state)
            for depth in (1, 2):
                precision, recall = (
                    float(accepted(*boards, depth))
                    for boards in ((true, predicted), (predicted, true))
                )
                found = getattr(row, f"precision_{depth}"), getattr(row, f"recall_{depth}")
                assert found == pytest.approx((precision, recall), abs=1e-12)
        refused = run(*score, "--depth", 1, code=1)
        assert "was made differently (parameters depth: found 2, requested 1)" in refused
        assert "--restart" in refused
        assert "precision_2" in pd.read_parquet(scores)
        run(*score, "--depth", 1, "--restart")
        again = pd.read_parquet(scores)
        assert "precision_2" not in again
        assert again["precision_1"].equals(table["precision_1"])

    def test_a_tracker_without_slips_is_right(self, pgn, tmp_path):
        positions, predictions = tmp_path / "positions.parquet", tmp_path / "predictions.parquet"
        run("games", "cut", pgn, "--groups", 5, "--per-group", 6, "-o", positions)
        run("replies", "simulate", positions, "--rate", 0, "-o", predictions)
        table = pd.read_parquet(predictions)
        assert table["predicted_state"].tolist() == table["true_state"].tolist()

    def test_the_options_of_scoring_reach_the_scores(self, tmp_path, predictions):
        """One answer is right, one is the other side's turn, one lacks a king, two have no board."""
        path, out = tmp_path / "predictions.parquet", tmp_path / "scores.parquet"
        write_table(predictions, path, PREDICTIONS)
        options = ("--depth", 1, "--ill-formed", "sink", "--terminal", "drop", "--jobs", 1)
        assert printed("score", path, "-o", out, *options) == [
            COUNTED.split(),
            "by hand 3 1 1 1 0 1 6".split(),
            ["6", "scores", "written", "to", str(out)],
        ]
        table = pd.read_parquet(out)
        assert table["precision_1"].tolist()[:5] == [1, 0, 0, 0, 0]
        assert table["precision_1"].isna().tolist() == [False] * 5 + [True]
        assert (table["ill_formed_policy"] == "sink").all()
        assert (table["terminal"] == "drop").all()

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
        assert "2: the line or record cannot be read" in said
        for line in (3, 4):
            assert f"{log}, line {line}: expected a JSON object, got: " in said
        assert said.endswith(f"2 predictions of 1 model on 2 positions written to {out}\n")
        table = pd.read_parquet(out)
        assert list(table["reply_class"]) == ["valid", "absent"]

    def test_whole_logs_are_imported_and_scored(self, recorded, tmp_path):
        """Seven answers are right, two a half-move behind, and two each lack a queen or a king."""
        out, scores = tmp_path / "predictions.parquet", tmp_path / "scores.parquet"
        log = recorded / "model_logs" / "maker_talker.jsonl"
        said = run("replies", "import", log, "--text", "raw", "-o", out, only_stdout=True)
        assert said == f"18 predictions of 1 model on 18 positions written to {out}\n"
        assert printed("score", out, "-o", scores, "--depth", 2, "--jobs", 1) == [
            COUNTED.split(),
            "talker 11 2 2 3 0 0 18".split(),
            ["18", "scores", "written", "to", str(scores)],
        ]
        table = pd.read_parquet(scores)
        both = table[["precision_2", "recall_2"]].eq
        assert table.index[both(1).all(axis=1)].tolist() == [0, 1, 2, 4, 6, 7, 14]
        # Without a board, or where it is the other side's turn, nothing is shared.
        assert table.index[both(0).all(axis=1)].tolist() == [3, 8, 11, 12, 13, 15, 17]
        for row in table.iloc[[5, 9, 10, 16]].itertuples():
            true, predicted = chess.Board(row.true_state), chess.Board(row.predicted_state)
            expected = float(accepted(true, predicted, 2)), float(accepted(predicted, true, 2))
            assert (row.precision_2, row.recall_2) == pytest.approx(expected)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("games", "cut", "nowhere"), "nowhere: expected readable games, got: [Errno 2]"),
            (("replies", "import", "nowhere"), "nowhere: expected a file, found none"),
            (("replies", "simulate", "nowhere"), "nowhere: expected a whole Parquet file, got"),
            (("score", "nowhere"), "nowhere: expected a whole Parquet file, got: [Errno 2]"),
        ],
    )
    def test_missing_files_are_named(self, arguments, said, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert f"Error: {said}" in run(*arguments, "-o", "out.parquet", code=1)
        assert list(tmp_path.iterdir()) == []

    def test_a_file_of_another_kind_is_named(self, tmp_path):
        text, out = tmp_path / "text.parquet", tmp_path / "out.parquet"
        text.write_text("no table")
        said = run("replies", "simulate", text, "-o", out, code=1)
        assert f"Error: {text}: expected a whole Parquet file, got: " in said
        assert not out.exists()

    def test_a_table_of_another_stage_is_named(self, predictions, tmp_path):
        path, out = tmp_path / "positions.parquet", tmp_path / "scores.parquet"
        write_table(predictions[["position_id"]], path, PREDICTIONS.empty_table()
                    .select(["position_id"]).schema)  # fmt: skip
        said = run("score", path, "-o", out, code=1)
        assert f"Error: {path}: expected the columns ['position_id', 'environment', " in said
        assert "'reply_class', 'status', 'reason', 'initial_state', 'moves'] are missing" in said
        assert "see data/README.md" in said
        assert not out.exists()

    def test_groups_that_are_no_numbers_are_a_usage_error(self, tmp_path):
        said = run("games", "cut", tmp_path / "x.pgn", "--groups", "5,many", code=2)
        assert "--groups: expected whole numbers such as 5,16,27, got '5,many'" in said

    def test_a_group_that_cannot_be_filled(self, pgn, tmp_path):
        out = tmp_path / "positions.parquet"
        said = run("games", "cut", pgn, "--groups", "2", "--per-group", 7, "-o", out, code=1)
        assert "expected 7 games for each group, got for 2 full moves: 6; 6 games were read" in said
        assert "--per-group 6" in said
        assert not out.exists()

    def test_an_unknown_notebook_parameter(self, tmp_path):
        said = run("figures", "--parameter", "dpeth=3", "--out", tmp_path, code=1)
        assert "have (absent, batches, " in said
        assert "'dpeth'" in said
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.slow
    def test_a_notebook_that_fails_makes_the_exit_code(self, tmp_path):
        arguments = ["--only", "precision_by_samples", "--parameter", "depth=0"]
        said = run("figures", *arguments, "--out", tmp_path, "--jobs", 1, code=1)
        assert "02_precision_by_samples cannot be drawn: expected a depth m of at least 1" in said
        assert (tmp_path / "notebooks" / "02_precision_by_samples.ipynb").exists()
        assert not list(tmp_path.glob("02_*"))


def test_causes_counts_by_model_and_writes_the_same_numbers(tmp_path):
    scores, out = tmp_path / "scores.parquet", tmp_path / "causes.csv"
    black = START.replace(" w ", " b ")
    replies = [("one", START), ("one", black), ("one", black), ("other", "No.")]
    rows = [{"fen": START, "reply": reply, "model": model} for model, reply in replies]
    frame = wb.score(rows, depth=2)
    frame.to_parquet(scores)
    lines = printed("causes", scores, "-o", out)
    assert lines[1:] == [
        "one side to move 2 0.667 1.000 1.000 1.000".split(),
        "one nothing lost 1 0.333 - 0.000 0.000".split(),
        "other no board 1 1.000 1.000 1.000 1.000".split(),
    ]
    pd.testing.assert_frame_equal(pd.read_csv(out), wb.causes(frame), check_dtype=False)
    assert "new file in .csv" in run("causes", scores, "-o", out, code=2)
    assert "side to move" in run("causes", scores, "--by", "set", "--by", "reply_class")
    assert "expected a column of the scores" in run("causes", scores, "--by", "nope", code=1)

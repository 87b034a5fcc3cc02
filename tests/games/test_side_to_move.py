"""Positions with Black to move: after White's k-th move, alone or in half of each group."""

import chess
import pytest
from click.testing import CliRunner
from lichess_games import many_games

from workbench.answers.model_replies import simulate
from workbench.asking.prompts import ANSWER_HEADING, MOVES_HEADING, PROMPTS
from workbench.checking import check_table
from workbench.cli import main
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.games.cut import cut_games
from workbench.games.game_files import GameFiles
from workbench.games.lichess_games import cut_lichess
from workbench.games.pgn import Game
from workbench.games.synthetic_boards import random_games
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    read_provenance,
    read_table,
    write_table,
)

GAMES = list(random_games(60, 24, seed=8))


def test_a_position_after_a_move_of_white():
    game = Game(("e2e4", "e7e5", "g1f3", "b8c6", "f1b5"), "by hand")
    cut = cut_games([game], groups=(2,), per_group=1, seed=0, side_to_move="black")
    (row,) = cut.positions.to_dict("records")
    assert row == {
        "position_id": f"{game.game_id}-003",
        "game_id": game.game_id,
        "source": "by hand",
        "group": 2,
        "ply": 3,
        "game_plies": 5,
        "environment": "chess",
        "initial_state": "",
        "movetext": "1. e4 e5 2. Nf3",
        "moves": "e2e4 e7e5 g1f3",
        "true_state": "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    }
    assert "1 taken of 1 long enough, 1 with Black to move" in cut.summary.describe()


@pytest.mark.parametrize(("side", "plies"), [("white", 21), ("black", 20), ("both", 20)])
def test_a_game_must_be_longer_than_the_cut(side, plies):
    moves = GAMES[0].moves
    settings = {"groups": (10,), "per_group": 2, "seed": 0, "side_to_move": side}
    for count in (plies - 1, plies):
        cut = cut_games([Game(moves[:count], "")], allow_unfilled=True, **settings)
        assert cut.summary.eligible == {10: count - plies + 1}


def test_both_sides_have_half_of_each_group():
    settings = {"groups": (2, 6, 9), "per_group": 8, "seed": 3}
    cut = cut_games(GAMES, side_to_move="both", **settings)
    assert cut.summary.taken == {2: 8, 6: 8, 9: 8}
    rows = cut.positions
    assert rows.value_counts(["group", "ply"]).to_dict() == {
        (group, 2 * group - less): 4 for group in (2, 6, 9) for less in (0, 1)
    }
    assert rows["game_id"].is_unique
    assert rows["position_id"].is_unique
    for row in rows.itertuples():
        board = chess.Board()
        moves = [chess.Move.from_uci(move) for move in row.moves.split()]
        assert row.movetext == board.variation_san(moves)
        for move in moves:
            board.push(move)
        assert row.true_state == board.fen()
        assert board.turn == (row.ply % 2 == 0)
    with pytest.raises(InvalidArgumentError, match="even number"):
        cut_games(GAMES, side_to_move="both", **{**settings, "per_group": 7})
    with pytest.raises(InvalidArgumentError, match="side to move"):
        cut_games(GAMES, side_to_move="neither", **settings)


def test_white_alone_is_what_it_was():
    settings = {"groups": (2, 6), "per_group": 5, "seed": 1}
    rows = cut_games(GAMES, **settings).positions
    assert rows.equals(cut_games(GAMES, side_to_move="white", **settings).positions)
    assert (rows["ply"] == 2 * rows["group"]).all()


def test_a_stream_stops_once_both_halves_of_every_group_are_full(tmp_path):
    path = tmp_path / "games.pgn"
    texts = many_games(80, comment=0)
    path.write_text("".join(texts))
    settings = {"groups": (3, 6), "per_group": 6, "seed": 1, "side_to_move": "both"}
    found = cut_lichess([GameFiles([path])], **settings)
    assert found.stopped_early
    assert found.provenance["side_to_move"] == "both"
    read = found.cut.summary.read
    path.write_text("".join(texts[:read]))
    assert cut_games(path, **settings).positions.equals(found.cut.positions)
    path.write_text("".join(texts[: read - 1]))
    assert cut_games(path, allow_unfilled=True, **settings).summary.possible < 6


def test_the_tables_after_it_hold_black_to_move_for_right(tmp_path):
    pgn, positions, predictions = (
        tmp_path / name for name in ("games.pgn", "positions.parquet", "predictions.parquet")
    )
    pgn.write_text("".join(many_games(60, comment=0)))
    options = ["--groups", "2,5", "--side-to-move", "both", "--per-group", "max"]
    said = CliRunner().invoke(main, ["games", "cut", str(pgn), *options, "-o", str(positions)])
    assert said.exit_code == 0, said.output
    rows = read_table(positions, POSITIONS)
    made = read_provenance(positions)
    assert made["side_to_move"] == "both"
    assert made["per_group"] * 2 == len(rows) > 0
    assert set(rows["true_state"].str.split().str[1]) == {"w", "b"}
    # The bands in which studies group plies, and imports.
    assert set(rows["group"] - (rows["ply"] + 1) // 2) == {0}
    replies = simulate(rows, rate=0, seed=0)
    assert (replies["predicted_state"] == replies["true_state"]).all()
    write_table(replies, predictions, PREDICTIONS, {"stage": "predictions"})
    for path in (positions, predictions):
        assert check_table(path).oddities == []


def test_the_simulated_model_reads_every_prompt_with_black_to_move():
    game = environment_named("chess")
    settings = {"groups": (1, 7), "per_group": 3, "seed": 0, "side_to_move": "black"}
    for row in cut_games(GAMES, **settings).positions.itertuples():
        for prompt in PROMPTS:
            question, *_ = prompt.questions(row.movetext, row.moves, row.position_id)
            shown = question.rpartition(MOVES_HEADING)[2].removesuffix(ANSWER_HEADING)
            assert " ".join(game.movetext_actions(shown)) == row.moves

"""What the studies of many positions draw where no games and no predictions are given."""

import chess
import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError, UnfilledGroupError
from workbench.games.game_tables import bundled_games, bundled_games_path
from workbench.games.synthetic_boards import random_games
from workbench.language_model.language_model import TRAINING_GAMES, weights_path
from workbench.scoring import ScoringParameters
from workbench.studies.data import (
    FIVE_GROUPS,
    TEN_GROUPS,
    Source,
    StudyData,
    positions_of,
    prepare,
    true_boards,
)
from workbench.studies.models.model_scores import Simulation, compare_models
from workbench.studies.paper import random_baseline
from workbench.tables.parquet_tables import PREDICTIONS, write_table

DEPTH_1 = ScoringParameters(depth=1)
SIMULATED = Source(per_group=2, replies="simulated")


@pytest.fixture
def four_games(tmp_path):
    path = tmp_path / "four.pgn"
    boards = [chess.Board() for _ in range(4)]
    lines = [
        board.variation_san([chess.Move.from_uci(move) for move in game.moves])
        for board, game in zip(boards, random_games(4, 60, seed=1), strict=True)
    ]
    path.write_text("".join(f'[Event "?"]\n\n{line} *\n\n' for line in lines))
    return path


def test_the_bundled_games_are_answered_by_the_simulated_tracker_if_asked_for(tmp_path):
    data = prepare(tmp_path, SIMULATED, DEPTH_1)
    assert data.subject == "Simulated tracker"
    assert data.models is None
    assert data.games == "games of Stockfish self-play"
    assert data.inputs == (bundled_games_path(),)
    assert data.describe().startswith("games of Stockfish self-play, five groups; ")
    five, ten = data.variants.values()
    assert five["group"].value_counts().to_dict() == dict.fromkeys(FIVE_GROUPS, 2)
    assert ten["group"].value_counts().to_dict() == dict.fromkeys(TEN_GROUPS, 1)
    by_source = {game.source: game for game in bundled_games()}
    for row in five.itertuples():
        game = by_source[row.source]
        assert row.game_id == game.game_id
        assert game.plies > 2 * row.group


@pytest.mark.slow
def test_a_bundled_model_answers_games_that_it_was_not_trained_on(tmp_path):
    data = prepare(tmp_path, Source(per_group=2, replies="tiny"), DEPTH_1)
    assert data.subject == "workbench/tiny"
    assert data.games == "games of Stockfish self-play that it was not trained on"
    assert data.inputs == (bundled_games_path(), weights_path("tiny"))
    five, ten = data.variants.values()
    assert five["group"].value_counts().to_dict() == dict.fromkeys(FIVE_GROUPS, 2)
    assert set(five["model"]) == {"workbench/tiny"}
    trained_on = {game.game_id for game in bundled_games()[:TRAINING_GAMES]}
    assert trained_on.isdisjoint(five["game_id"])
    assert trained_on.isdisjoint(ten["game_id"])
    with pytest.raises(InvalidArgumentError, match=r"'small@.*', got 'smal'"):
        Source(replies="smal")


def test_true_boards_are_of_all_games_whoever_replies(tmp_path):
    expected = positions_of(SIMULATED, FIVE_GROUPS, tmp_path)
    source = Source(per_group=2, replies="tiny")
    found = true_boards(tmp_path, source, StudyData({"x": expected}, "games"))
    pd.testing.assert_frame_equal(found.positions, expected)
    assert found.games == "games of Stockfish self-play"


def test_positions_are_cut_once_a_folder_and_depend_on_the_seed(tmp_path):
    first = positions_of(Source(per_group=3, seed=1), FIVE_GROUPS, tmp_path)
    again = positions_of(Source(per_group=3, seed=1), FIVE_GROUPS, tmp_path)
    pd.testing.assert_frame_equal(first, again, check_dtype=False)
    assert len(list(tmp_path.glob("positions-*.parquet"))) == 1
    other = positions_of(Source(per_group=3, seed=2), FIVE_GROUPS, tmp_path)
    assert set(other["game_id"]) != set(first["game_id"])


def test_of_few_games_as_many_are_drawn_as_there_are_and_the_caption_says_so(four_games, tmp_path):
    source = Source(games=(str(four_games),), per_group=3, replies="simulated")
    data = prepare(tmp_path / "tables", source, DEPTH_1)
    counts = data.variants["five groups"]["group"].value_counts().to_dict()
    assert counts == {5: 1, 16: 1, 27: 2}
    few = "(1 to 2 positions a group, where 3 were asked for, none after 38, 50 full moves)"
    assert data.describe().startswith(f"games of four.pgn {few}, five groups; ")
    simulation = Simulation(rates=(0.1,), games=(str(four_games),), per_group=3)
    assert (
        few
        in compare_models(
            tmp_path / "tables", [], simulation, DEPTH_1, replies="simulated"
        ).describe()
    )
    played = random_baseline.played_boards([str(four_games)], 5, 60, seed=0)
    table = random_baseline.compute(pairs=6, depths=(1,), played=played)
    assert "4 to 6 pairs a reading" in random_baseline.draw(table)._supxlabel.get_text()


def test_games_that_are_all_too_short_are_named(tmp_path):
    path = tmp_path / "short.pgn"
    path.write_text("1. e4 e5 2. Nf3 Nc6 1-0\n")
    said = r"more than 5 full moves in .*short\.pgn, found none; 1 games read, 1 too short"
    source = Source(games=(str(path),), replies="simulated")
    with pytest.raises(UnfilledGroupError, match=said):
        prepare(tmp_path / "tables", source, DEPTH_1)
    with pytest.raises(UnfilledGroupError, match=said):
        random_baseline.played_boards([str(path)], 5, 60, seed=0)


def test_predictions_of_which_nothing_is_scored_are_refused(predictions, tmp_path):
    path = tmp_path / "failed.parquet"
    failed = predictions.iloc[:3].assign(reply_class="failed", reason="call failed: no answer")
    write_table(failed, path, PREDICTIONS)
    said = r"expected replies with scores, got none of 3 rows: .*3 failed calls left out"
    with pytest.raises(InvalidArgumentError, match=said):
        prepare(tmp_path / "tables", Source(predictions=str(path)), DEPTH_1)
    with pytest.raises(InvalidArgumentError, match=said):
        compare_models(tmp_path / "tables", str(path), Simulation(), DEPTH_1)

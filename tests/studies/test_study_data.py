"""What the studies of many positions draw where no games and no predictions are given."""

import pandas as pd

from workbench.games.bundled import bundled_games, bundled_games_path
from workbench.scoring import ScoringParameters
from workbench.studies.data import FIVE_GROUPS, TEN_GROUPS, Source, positions_of, prepare


def test_the_bundled_games_are_the_default_and_named(tmp_path):
    data = prepare(tmp_path, Source(per_group=2), ScoringParameters(depth=1))
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


def test_positions_are_cut_once_a_folder_and_depend_on_the_seed(tmp_path):
    first = positions_of(Source(per_group=3, seed=1), FIVE_GROUPS, tmp_path)
    again = positions_of(Source(per_group=3, seed=1), FIVE_GROUPS, tmp_path)
    pd.testing.assert_frame_equal(first, again, check_dtype=False)
    assert len(list(tmp_path.glob("positions-*.parquet"))) == 1
    other = positions_of(Source(per_group=3, seed=2), FIVE_GROUPS, tmp_path)
    assert set(other["game_id"]) != set(first["game_id"])

"""The positions of an evaluation: spread over the groups, chosen by a seed, of any source."""

from collections import Counter
from itertools import pairwise

import pytest
from lichess_games import frames, many_games
from month_server import MONTH, serving

from workbench.asking.questions import GAME_GROUPS, PositionChoice
from workbench.errors import InvalidArgumentError, TableError
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import TRAINING_GAMES
from workbench.tables.parquet_tables import POSITIONS, write_table
from workbench.tables.provenance import json_hash


def chosen(**options):
    return PositionChoice(**options).choose()[0]


@pytest.mark.slow
def test_bundled_games_are_those_that_models_of_boards_were_not_trained_on():
    frame = chosen(limit=12)
    assert sorted(Counter(frame["group"]).values()) == [2, 2, 2, 3, 3]
    assert set(frame["group"]) == set(GAME_GROUPS)
    games = bundled_games()
    trained = {game.game_id for game in games[:TRAINING_GAMES]}
    others = {game.game_id for game in games[TRAINING_GAMES:]}
    assert not trained & set(frame["game_id"])
    assert set(frame["game_id"]) <= others


def test_a_smaller_limit_chooses_among_those_of_a_larger_one_and_another_seed_others():
    one, five, other = (
        chosen(environment="boxes", limit=limit, seed=seed)
        for limit, seed in ((3, 0), (7, 0), (7, 1))
    )
    assert len(five) == 7
    assert set(one["position_id"]) < set(five["position_id"])
    assert sorted(Counter(five["group"]).values()) == [2, 2, 3]
    assert set(five["position_id"]).isdisjoint(other["position_id"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "limits"), [("chess", (40, 500, 501)), ("boxes", (299, 300, 301, 601))]
)
def test_those_of_a_smaller_limit_stay_beyond_what_the_default_takes(environment, limits):
    found = [set(chosen(environment=environment, limit=limit)["position_id"]) for limit in limits]
    assert [len(names) for names in found] == list(limits)
    for smaller, larger in pairwise(found):
        assert smaller < larger


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "limit", "expected"),
    [
        ("chess", None, "e1fd1f68e7620dd8"),
        ("chess", 40, "5aacede6a94b4d5a"),
        ("boxes", 40, "cd214f5aa0ecc57d"),
    ],
)
def test_the_choice_is_that_of_published_runs(environment, limit, expected):
    names = chosen(environment=environment, limit=limit)["position_id"]
    assert json_hash(list(names))[:16] == expected


def test_of_a_table_rows_keep_their_order(tmp_path):
    path = tmp_path / "positions.parquet"
    table = chosen(environment="boxes", limit=60)
    write_table(table, path, POSITIONS)
    part = PositionChoice("boxes", path, limit=9).choose()[0]
    assert Counter(part["group"]) == {5: 3, 10: 3, 20: 3}
    places = [table["position_id"].tolist().index(name) for name in part["position_id"]]
    assert places == sorted(places)
    assert places != sorted(range(60))[:9]
    again, other = (
        PositionChoice("boxes", path, limit=9, seed=seed).choose()[0] for seed in (0, 1)
    )
    assert list(again["position_id"]) == list(part["position_id"])
    assert list(other["position_id"]) != list(part["position_id"])
    assert len(PositionChoice("boxes", path).choose()[0]) == 60
    described = [PositionChoice("boxes", path, limit=9).description() for _ in range(2)]
    write_table(table.head(30), path, POSITIONS)
    assert described[0] == described[1] != PositionChoice("boxes", path, limit=9).description()
    with pytest.raises(InvalidArgumentError, match="expected boxes, which the positions of"):
        PositionChoice("chess", path)


@pytest.mark.slow
def test_of_a_month_no_more_is_taken_than_asked_for(tmp_path):
    with serving(frames(many_games(60, plies=130, comment=200))) as server:
        asked = PositionChoice(month=MONTH, limit=5, address=server.address, cache=tmp_path)
        frame, made_of = asked.choose()
    assert Counter(frame["group"]) == dict.fromkeys(GAME_GROUPS, 1)
    assert made_of["sources"]
    assert asked.description()["month"] == MONTH


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 0}, "limit: expected at least 1, got 0"),
        ({"seed": -1}, "seed: expected at least 0"),
        ({"table": "t.parquet", "month": MONTH}, "a table of positions or a month"),
        ({"environment": "boxes", "month": MONTH}, "leave the month out"),
    ],
)
def test_arguments_out_of_range(options, said):
    with pytest.raises(InvalidArgumentError, match=said):
        PositionChoice(**options)


def test_a_table_that_is_none(tmp_path):
    path = tmp_path / "<b>.parquet"
    path.write_text("no table")
    with pytest.raises(TableError, match="<b>"):
        PositionChoice(table=path)


def test_player_is_asked_about_games_that_it_was_not_trained_on():
    trained = {game.game_id for game in bundled_games()[:10_000]}
    of_player, _ = PositionChoice(limit=50, model="workbench/player").choose()
    assert not trained & set(of_player["game_id"])
    usual, others = (
        PositionChoice(limit=50, model=model).choose()[0] for model in ("", "workbench/small")
    )
    assert usual.equals(others)
    assert trained & set(usual["game_id"])

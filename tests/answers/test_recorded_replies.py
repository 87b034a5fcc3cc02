"""The recorded replies: what their data card says of them, and values computed independently."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from workbench.answers import recorded_replies as module
from workbench.answers.recorded_replies import (
    BASELINE,
    RANDOM_GAMES,
    SMOLLM2,
    WORLD_CUP,
    recorded_replies,
    recorded_replies_path,
)
from workbench.environments.chess import ChessState
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError, ReplyFileError
from workbench.prediction import CLASSES, ReplyClass
from workbench.scoring import ScoringParameters, score_predictions
from workbench.tables.parquet_tables import (
    PREDICTIONS,
    REPLY_KEY,
    SCHEMA_VERSION,
    VERSION_KEY,
    read_table,
)
from workbench.tables.provenance import file_hash
from workbench.tasks import task_named

CARD = Path(__file__).resolve().parents[2] / "data" / "REPLIES.md"


@pytest.fixture(scope="module")
def replies():
    return read_table(recorded_replies_path(), PREDICTIONS)


def test_the_file_is_small_and_holds_no_prose(replies):
    assert recorded_replies_path().stat().st_size <= 1_000_000
    assert replies[["reply", "movetext", "earlier_turns"]].isna().all(axis=None)
    # A FEN of 64 squares is shorter; a chessgpt writes long ones.
    assert replies["predicted_state"].str.len().max() < 200
    assert not replies.duplicated(list(REPLY_KEY)).any()


def test_the_file_is_of_the_present_schema():
    """So that ``pandas.read_parquet`` gives what every function takes."""
    schema = pq.read_schema(recorded_replies_path())
    assert schema.names == PREDICTIONS.names
    assert schema.metadata[VERSION_KEY.encode()] == str(SCHEMA_VERSION).encode()


def test_the_card_tells_of_this_file(replies):
    card = CARD.read_text(encoding="utf-8")
    assert file_hash(recorded_replies_path()) in card
    assert f"{recorded_replies_path().stat().st_size:,} bytes" in card
    assert "Copyright (c) 2025 Aidan Cooper" in card
    counted = 0
    for (which, model, setting), part in replies.groupby(["set", "model", "setting"]):
        classes = part["reply_class"].value_counts()
        counts = [classes.get(name, 0) for name in CLASSES if name != ReplyClass.FAILED]
        cells = " | ".join(map(str, (which, model, setting, len(part), *counts)))
        assert f"| {cells} |" in card
        counted += len(part)
    assert counted == len(replies) == 27_900


def test_positions_of_the_two_sets_are_distinct(replies):
    positions = replies.groupby("set")["position_id"].agg(set)
    assert [len(positions[name]) for name in (RANDOM_GAMES, WORLD_CUP)] == [1000, 1000]
    assert not positions[RANDOM_GAMES] & positions[WORLD_CUP]
    assert replies.groupby("position_id")["true_state"].nunique().eq(1).all()


def test_the_moves_lead_to_the_true_boards(replies):
    """Every 41st position of both sets; python-chess plays them."""
    for row in replies.drop_duplicates("position_id")[::41].to_dict("records"):
        board = ChessState.from_fen(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        ).board()
        for move in row["moves"].split():
            board.push_uci(move)
        assert board.fen(en_passant="fen").split()[:3] == row["true_state"].split()[:3]
        assert len(row["moves"].split()) == row["ply"]


def test_a_choice_of_sets_models_and_settings():
    assert len(recorded_replies(models=["gpt-4o-2024-08-06"])) == 200
    thinking = recorded_replies(settings=["thinking=0", "thinking=8192"])
    assert thinking.groupby("setting").size().to_dict() == {"thinking=0": 100, "thinking=8192": 100}
    assert set(recorded_replies((RANDOM_GAMES,), [BASELINE])["set"]) == {RANDOM_GAMES}
    for wrong in ({"sets": ["chess960"]}, {"models": ["gpt-5"]}, {"settings": ["thinking=1"]}):
        with pytest.raises(InvalidArgumentError, match="expected names of"):
            recorded_replies(**wrong)


# From a computation independent of this package.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "model", "mean"),
    [
        (WORLD_CUP, "gpt-4.1-2025-04-14", 0.135),
        (WORLD_CUP, "gpt-4o-2024-08-06", 0.379),
        (WORLD_CUP, BASELINE, 0.017),
        (RANDOM_GAMES, "o3-2025-04-16", 0.969),
        (RANDOM_GAMES, BASELINE, 0.018),
    ],
)
def test_mean_precision_is_as_computed_elsewhere(which, model, mean):
    scores = score_predictions(recorded_replies((which,), [model]), ScoringParameters(depth=4))
    assert scores["precision_4"].mean() == pytest.approx(mean, abs=0.0005)


def test_a_missing_file_is_an_error_that_says_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_REPLIES", tmp_path / "replies.parquet")
    with pytest.raises(ReplyFileError, match=r"replies\.parquet"):
        recorded_replies_path()


ENVIRONMENTS = ("boxes", "chess", "othello", "planning", "programs", "sokoban")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
class TestTheRepliesOfSmolLM2:
    def test_every_task_has_the_same_positions(self, environment):
        names = [
            set(recorded_replies((SMOLLM2,), environment=environment, task=task)["position_id"])
            for task in ("state", "actions", "continuation")
        ]
        fewest = min(names, key=len)
        assert len(fewest) >= 15
        assert all(fewest <= each for each in names)

    def test_they_are_read_as_they_are_today(self, environment):
        rows = read_table(recorded_replies_path(environment), PREDICTIONS)
        assert set(rows["environment"]) == {environment}
        assert set(rows["set"]) == {SMOLLM2}
        assert not rows.duplicated(list(REPLY_KEY)).any()
        for row in rows.to_dict("records"):
            task = task_named(row["task"])
            prediction = task.classify(environment_named(environment), row["reply"])
            assert prediction.reply_class == row["reply_class"]

    def test_the_card_tells_of_them(self, environment):
        card = CARD.read_text(encoding="utf-8")
        rows = read_table(recorded_replies_path(environment), PREDICTIONS)
        for (task, setting), part in rows.groupby(["task", "setting"]):
            classes = part["reply_class"].value_counts()
            counts = [classes.get(name, 0) for name in CLASSES if name != ReplyClass.FAILED]
            cells = " | ".join(map(str, (environment, task, setting, len(part), *counts)))
            assert f"| {cells} |" in card


def test_the_replies_of_smollm2_are_small_and_change_no_others():
    paths = [recorded_replies_path(name) for name in ENVIRONMENTS]
    assert sum(path.stat().st_size for path in paths) < 300_000
    assert len(recorded_replies()) == 17_200
    assert SMOLLM2 not in set(recorded_replies((), (), ())["set"])
    with pytest.raises(InvalidArgumentError, match="expected 'smollm2' alone"):
        recorded_replies((SMOLLM2, WORLD_CUP))
    with pytest.raises(InvalidArgumentError, match=r"expected one of \['boxes', .*, got 'go'"):
        recorded_replies((SMOLLM2,), environment="go")
    with pytest.raises(InvalidArgumentError, match=r"environment: expected names of \['chess'\]"):
        recorded_replies(environment="boxes")

"""The same models on World Cup games and on random ones: means, games that vary, the boards."""

import math

import chess
import pandas as pd
import pytest
from drawn import faults
from scipy.special import expit
from scipy.stats import t as student

from workbench.answers.recorded_replies import BASELINE, RANDOM_GAMES, WORLD_CUP, recorded_replies
from workbench.environments.chess.replay import play_moves
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters
from workbench.studies.models import track_or_recall
from workbench.studies.models.track_or_recall import scores_of_both_sets
from workbench.tables.parquet_tables import PREDICTIONS, write_table


def scores_of(values):
    """Scores of model, set, game and p_1."""
    rows = [
        {
            "model": model, "set": name, "game": game, "length": 20, "unscored": "",
            "reply_class": "valid",
            "precision_1": value, "exact_match": value == 1, "exact_match_position": value == 1,
            "levenshtein": 10 * (1 - value),
        }
        for model, name, game, value in values
    ]  # fmt: skip
    return pd.DataFrame(rows)


class TestDifferences:
    def test_they_are_of_means_and_models_come_by_kind_and_score(self):
        by_model = {"weak": (0.5, 0.25), "strong": (0.75, 0.25), "thinker": (0.5, 1.0)}
        by_model[BASELINE] = (1.0, 1.0)
        scores = scores_of(
            (model, name, f"{name}{game}", value)
            for model, values in by_model.items()
            for name, value in zip((WORLD_CUP, RANDOM_GAMES), values, strict=True)
            for game in range(3)
        )
        table = track_or_recall.compute(scores, depth=1, reasoning=["thinker"])
        assert table["model"].unique().tolist() == ["thinker", "strong", "weak", BASELINE]
        assert table["kind"].unique().tolist() == ["reasoning", "other", "baseline"]
        overall = table[table["length"] == "all"].set_index(["measure", "model"])["difference"]
        assert overall["precision"].tolist() == [-0.5, 0.5, 0.25, 0]
        assert overall["levenshtein"].tolist() == [5, -5, -2.5, 0]
        assert overall["exact_match"].tolist() == [-1, 0, 0, 0]
        # All games of a set are alike, and do not say how far others would differ.
        assert table["difference_low"].isna().all()
        assert table["difference_high"].isna().all()

    def test_a_difference_that_readable_replies_lack_is_one_of_format(self):
        """Every readable board is right; of the World Cup games half the replies cannot be read."""
        scores = scores_of(
            ("m", name, f"{name}{game}", float(name != WORLD_CUP or reply % 2))
            for name in (WORLD_CUP, RANDOM_GAMES)
            for game in range(4)
            for reply in range(2 + 2 * (game % 2))
        )
        scores.loc[scores["precision_1"] == 0, "reply_class"] = "absent"
        table = track_or_recall.compute(scores, depth=1)
        overall = table[table["length"] == "all"].set_index("measure")
        differences = overall["difference"].to_dict()
        assert (differences["precision"], differences["readable"]) == (-0.5, -0.5)
        assert (differences["levenshtein"], differences["levenshtein_readable"]) == (5, 0)
        assert differences["precision_readable"] == 0
        replies = [f"{WORLD_CUP}_replies", f"{RANDOM_GAMES}_replies"]
        assert overall.loc["precision", replies].tolist() == [12, 12]
        assert overall.loc["precision_readable", replies].tolist() == [6, 12]

    def test_games_of_each_set_vary_by_themselves(self):
        """Of two games of each set one is all right, one all wrong: standard errors of 1/2."""
        scores = scores_of(
            ("m", name, f"{name}{game}", float(game))
            for name in (WORLD_CUP, RANDOM_GAMES)
            for game in (0, 1)
            for _ in range(50)
        )
        table = track_or_recall.compute(scores, depth=1)
        row = table[table["measure"] == "precision"].iloc[-1]
        # Student's t with one degree; the logit's derivative at 1/2 is 4.
        high = expit(4 * student.ppf(0.975, 1) / 2)
        assert (row["world_cup_low"], row["world_cup_high"]) == pytest.approx((1 - high, high))
        # With two degrees, and Fisher's z of the difference.
        high = math.tanh(student.ppf(0.975, 2) / math.sqrt(2))
        assert (row["difference_low"], row["difference_high"]) == pytest.approx((-high, high))
        assert (row["world_cup_games"], row["random_games_replies"]) == (2, 100)

    @pytest.mark.slow
    def test_one_game_has_no_interval(self):
        scores = scores_of(("m", name, name, 0.5) for name in (WORLD_CUP, RANDOM_GAMES))
        table = track_or_recall.compute(scores, depth=1)
        assert table["difference_low"].isna().all()
        assert faults(track_or_recall.draw(table, "1 model")) == []


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baseline")
    path = folder / "replies.parquet"
    write_table(recorded_replies((), [BASELINE]), path, PREDICTIONS)
    return scores_of_both_sets(folder, ScoringParameters(depth=4), predictions=str(path))


class TestRecordedBaseline:
    @pytest.mark.slow
    def test_its_means_are_those_of_an_independent_computation(self, baseline):
        table = track_or_recall.compute(baseline.scores)
        overall = table[(table["length"] == "all") & (table["measure"] == "precision")]
        (row,) = overall.to_dict("records")
        assert round(row["world_cup"], 3) == 0.017
        assert round(row["random_games"], 3) == 0.018
        assert (row["world_cup_replies"], row["world_cup_games"]) == (1000, 20)
        assert table["length"].unique().tolist() == ["20", "40", "60", "80", "100", "all"]
        assert baseline.subject == "0 models and the baseline"

    @pytest.mark.slow
    def test_the_boards_are_those_of_the_moves(self, baseline):
        few = baseline.scores.groupby("set").head(8)
        table = track_or_recall.compute_boards(few, depth=2)
        means = table[table["length"] == "all"].set_index(["set", "measure"])["mean"]
        replies = recorded_replies((), [BASELINE]).groupby("set").head(8)
        for name, part in replies.groupby("set"):
            boards = [play_moves(moves.split()) for moves in part["moves"]]
            pieces = sum(chess.popcount(board.occupied) for board in boards) / 8
            legal = sum(len(list(board.legal_moves)) for board in boards) / 8
            assert means[name, "pieces"] == pieces
            assert means[name, "legal_moves"] == legal
            expected = few.loc[few["set"] == name, "precision_2"].mean()
            assert means[name, "initial_position"] == pytest.approx(expected)
            assert 0 < means[name, "one_piece_less"] < 1
        assert faults(track_or_recall.draw_boards(table, "World Cup games and random ones")) == []


@pytest.mark.slow
def test_a_model_of_one_set_alone_is_refused(tmp_path):
    path = tmp_path / "replies.parquet"
    write_table(recorded_replies((WORLD_CUP,), [BASELINE]), path, PREDICTIONS)
    with pytest.raises(InvalidArgumentError, match="replies to both sets"):
        scores_of_both_sets(tmp_path, ScoringParameters(depth=1), predictions=str(path))


def test_replies_are_recorded_or_simulated(tmp_path):
    with pytest.raises(InvalidArgumentError, match="'recorded' or 'simulated', got 'both'"):
        scores_of_both_sets(tmp_path, ScoringParameters(depth=1), replies="both")

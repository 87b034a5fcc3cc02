"""The comparison of estimators, against closed forms, scipy's intervals and exact values."""

import math
from dataclasses import replace

import chess
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from workbench.affordance import exact_profile
from workbench.affordance.estimate import BATCHES, binomial_interval, skewed_mean_interval
from workbench.affordance.profile import exact_set_overlap
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.chess_automaton import ChessTwin
from workbench.errors import InvalidArgumentError
from workbench.games.synthetic_boards import random_games
from workbench.studies.estimators import bias_and_variance
from workbench.studies.estimators.comparison_pairs import (
    FAR_MOVES,
    NEAR_MOVES,
    ComparisonPair,
    interval_covers,
    pairs,
    run_statistics,
)

START = chess.STARTING_FEN
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")
# 20 moves with the king at home, 21 without it: the rooks gain none, the queen one.
PAIR = ComparisonPair("near", "king removed", 0, START, KINGLESS)
MATE_NEAR = ComparisonPair(
    "near", "White's king b5 on c5", 0,
    "k7/2Q5/8/1K6/8/8/8/8 w - - 0 1", "k7/2Q5/8/2K5/8/8/8/8 w - - 0 1",
)  # fmt: skip


@pytest.fixture(scope="module")
def thirteen():
    return pairs(seed=0)


@pytest.fixture(scope="module")
def table(thirteen):
    return bias_and_variance.compute(
        thirteen, depths=(2, 4), samples=100, repeats=10 * BATCHES, workers=1, seed=0
    )


def as_pgn(game):
    moves = [chess.Move.from_uci(move) for move in game.moves]
    return f'[Event "?"]\n\n{chess.Board().variation_san(moves)} *\n\n'


def squares_that_differ(pair):
    one, other = (chess.Board(fen).piece_map() for fen in (pair.true_fen, pair.predicted_fen))
    return sum(one.get(square) != other.get(square) for square in chess.SQUARES)


class TestPairs:
    @pytest.mark.slow
    def test_eight_near_and_five_far_from_boards_that_can_arise(self, thirteen):
        near, far = thirteen[:8], thirteen[8:]
        assert {pair.kind for pair in near} == {"near"}
        assert {pair.kind for pair in far} == {"far"}
        assert tuple(pair.full_moves for pair in near) == NEAR_MOVES
        assert tuple(pair.full_moves for pair in far) == FAR_MOVES
        for pair in thirteen:
            for fen in (pair.true_fen, pair.predicted_fen):
                board = chess.Board(fen)
                assert board.is_valid()
                assert board.fullmove_number == pair.full_moves + 1

    def test_near_pairs_differ_in_one_thing_and_far_ones_in_many(self, thirteen):
        assert [squares_that_differ(pair) for pair in thirteen[:8]] == [1, 1, 2, 2, 1, 1, 1, 2]
        assert all(squares_that_differ(pair) > 10 for pair in thirteen[8:])

    def test_far_pairs_lie_above_the_floor(self, thirteen):
        for pair in thirteen[8:]:
            states = map(ChessState.from_fen, (pair.true_fen, pair.predicted_fen))
            assert 1e-5 < exact_profile(*states, 6, automaton=ChessAutomaton()).precision[-1] < 0.1

    def test_a_seed_decides_everything(self, tmp_path):
        path = tmp_path / "few.pgn"
        path.write_text("".join(map(as_pgn, random_games(8, 24, seed=1))))
        one, same, other = (pairs(games=[str(path)], far_depth=2, seed=s) for s in (3, 3, 4))
        assert one == same
        assert {pair.kind for pair in one} == {"near", "far"}
        assert not {pair.predicted_fen for pair in one} & {pair.predicted_fen for pair in other}

    def test_games_too_short_for_any_pair_are_named(self, tmp_path):
        path = tmp_path / "one.pgn"
        path.write_text("1. e4 e5 2. Nf3 Nc6 1-0\n")
        with pytest.raises(InvalidArgumentError, match="boards by full moves played: 5: 0, 11: 0,"):
            pairs(games=[str(path)])

    def test_of_few_games_those_pairs_are_made_that_can_be(self, tmp_path):
        path = tmp_path / "few.pgn"
        path.write_text("".join(map(as_pgn, random_games(4, 24, seed=1))))
        found = pairs(games=[str(path)], seed=0)
        # Each of the games serves for both lengths.
        assert [(pair.kind, pair.full_moves, pair.boards) for pair in found] == [
            ("near", 5, 4), ("near", 11, 4), ("far", 5, 4),
        ]  # fmt: skip
        table = bias_and_variance.compute(found, depths=(2,), samples=20, repeats=4, workers=1)
        note = bias_and_variance.draw(table)._supxlabel.get_text()
        assert "pairs found among 4 boards" in note
        assert "no near pair found after 18, 24, 31, 37, 44, 50 full moves" in note
        assert "no far pair found after 16, 27, 38, 50 full moves" in note

    def test_without_near_pairs_nothing_is_compared_deeper(self, thirteen):
        deep = bias_and_variance.compute_beyond_exact(thirteen[8:], depth=2, samples=10, repeats=2)
        assert bias_and_variance.summarise_beyond_exact(deep).empty

    def test_all_thirteen_pairs_need_no_note(self, table):
        assert "found" not in bias_and_variance.draw(table)._supxlabel.get_text()

    def test_a_floor_that_no_far_pair_has_is_refused(self):
        with pytest.raises(InvalidArgumentError, match=r"0\.5"):
            pairs(far_floor=0.5)


class TestIntervals:
    def test_each_interval_is_that_of_an_estimate(self):
        values = np.random.default_rng(3).gamma(2.0, 0.25, size=50 * BATCHES + 5)
        covers = interval_covers(values, 0.5, "stratified", 100)
        assert len(covers) == 50
        for batches, covered in zip(values[:-5].reshape(50, BATCHES), covers, strict=True):
            low, high = skewed_mean_interval(
                batches.mean(), stats.sem(batches), stats.skew(batches, bias=False), BATCHES
            )
            assert covered == (low <= 0.5 <= high)

    def test_shares_have_the_interval_of_their_count(self):
        shares = np.zeros((2, BATCHES))
        shares[0, 0] = 0.6
        low, high = binomial_interval(3, 5 * BATCHES)
        for exact in (0.9 * low, 1.1 * low, 0.9 * high, 1.1 * high):
            one, none = interval_covers(shares.ravel(), exact, "branch", 5)
            assert one == (low <= exact <= high)
            assert none == (exact <= 1 - 0.05 ** (1 / (5 * BATCHES)))

    def test_normal_batches_cover_as_often_as_they_say(self):
        values = np.random.default_rng(4).normal(0.5, 0.04, size=4000 * BATCHES)
        share = interval_covers(values, 0.5, "intermediate", 100).mean()
        assert abs(share - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 4000)


class TestCompared:
    def test_worked_by_hand(self):
        found = run_statistics(np.array([1.0, 3.0, 2.0, 4.0]), 2.0, "stratified", 10)
        spread = math.sqrt(5 / 3)
        assert found["bias"] == pytest.approx(0.25)
        assert found["deviation"] == pytest.approx(spread / 2)
        assert found["standard_error"] == pytest.approx(spread / 4)
        assert found["z"] == pytest.approx(1 / spread)
        assert found["largest"] == pytest.approx(1.6)
        assert (found["intervals"], found["covered"]) == (0, 0)

    def test_branching_has_the_binomial_error_even_if_no_walk_is_accepted(self):
        found = run_statistics(np.zeros(2 * BATCHES), 1e-4, "branch", 100)
        assert found["z"] == pytest.approx(-1e-4 / math.sqrt(1e-4 * (1 - 1e-4) / (200 * BATCHES)))
        assert math.isnan(found["largest"])
        assert found["covered"] == 2

    def test_without_spread_the_value_is_right_or_infinitely_wrong(self):
        right = run_statistics(np.full(2 * BATCHES, 0.5 + 1e-15), 0.5, "stratified", 10)
        assert math.isnan(right["z"])
        assert right["agrees"]
        assert right["covered"] == 2
        wrong = run_statistics(np.full(2 * BATCHES, 0.6), 0.5, "stratified", 10)
        assert wrong["z"] == math.inf
        assert not wrong["agrees"]
        assert wrong["covered"] == 0


class TestCompute:
    def test_the_first_step_is_known(self):
        found = bias_and_variance.compute([PAIR], depths=(1,), repeats=2 * BATCHES, workers=1)
        assert (found["exact"] == 20 / 21).all()
        sure = found[found["method"] != "branch"]
        assert (sure["deviation"] < 1e-12).all()
        assert sure["agrees"].all()
        assert (found["covered"] == 2).all()
        (branch,) = found[found["method"] == "branch"].to_dict("records")
        assert 0 < branch["deviation"] < 8 * math.sqrt(1 / 20 / 500)

    def test_unthinned_algorithm_1_is_the_set_precision(self):
        states = [ChessState.from_fen(fen) for fen in (MATE_NEAR.true_fen, MATE_NEAR.predicted_fen)]
        sets = exact_set_overlap(*states, 3, automaton=ChessAutomaton()).precision
        exact = exact_profile(*states, 3, automaton=ChessAutomaton()).precision[-1]
        assert abs(sets / exact - 1) > 0.01
        (row,) = bias_and_variance.compute(
            [MATE_NEAR], depths=(3,), methods=("naive",), samples=100_000, repeats=8, workers=1
        ).to_dict("records")
        assert row["mean"] == pytest.approx(sets)
        assert row["bias"] == pytest.approx(sets / exact - 1)
        assert not row["agrees"]
        assert not row["unbiased"]

    def test_what_claims_to_be_unbiased_is(self, table):
        """104 means of 320 runs, of which four-sigma misses have a chance of 0.7% in all."""
        claimed = table[table["unbiased"]]
        assert len(claimed) == 13 * 2 * 4
        assert bias_and_variance.misses(table).empty

    def test_numbers_depend_on_the_seed_alone(self, table, thirteen):
        again = bias_and_variance.compute(
            thirteen[3:4], depths=(4,), samples=100, repeats=70, workers=2, seed=5
        )
        alone = bias_and_variance.compute(
            thirteen[3:4], depths=(2, 4), samples=100, repeats=70, workers=1, seed=5
        )
        alone = alone[alone["depth"] == 4].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            again.drop(columns="milliseconds"), alone.drop(columns="milliseconds")
        )

    def test_what_is_not_compiled_is_run_by_the_reference_or_left_out(self, monkeypatch):
        monkeypatch.setattr(ChessTwin, "methods", frozenset({"branch"}))
        kept = {"depths": (1,), "methods": ("branch", "stratified"), "repeats": 4, "workers": 1}
        left_out = bias_and_variance.compute([PAIR], **kept)
        assert left_out["method"].tolist() == ["branch"]
        found = bias_and_variance.compute([PAIR], **kept, reference_repeats=2)
        assert found["repeats"].tolist() == [4, 2]
        assert found["mean"].iloc[1] == 20 / 21

    def test_what_cannot_be_compared_is_refused(self):
        for wrong, said in (
            ({"methods": ("guess",)}, "guess"),
            ({"depths": ()}, "depth"),
            ({"repeats": 1}, "repeats"),
            ({"reference_repeats": 1}, "reference"),
        ):
            with pytest.raises(InvalidArgumentError, match=said):
                bias_and_variance.compute([PAIR], **wrong)
        with pytest.raises(InvalidArgumentError, match="0 pairs"):
            bias_and_variance.compute([])


class TestSummaries:
    def test_counts_and_pooled_coverage(self, table):
        summary = (
            bias_and_variance.summarise(table).set_index(["kind", "method", "depth"]).sort_index()
        )
        assert (summary.loc["near", "pairs"] == 8).all()
        assert (summary.loc["far", "pairs"] == 5).all()
        part = table[
            (table["kind"] == "near") & (table["method"] == "stratified") & (table["depth"] == 4)
        ]
        row = summary.loc["near", "stratified", 4]
        assert row["coverage"] == part["covered"].sum() / (8 * 10)
        assert row["agree"] == 8
        # 80 intervals of 95%, within 4 standard errors.
        assert abs(row["coverage"] - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 80)

    def test_ratios_worked_by_hand(self):
        rows = [
            ("near", 4, 0, "intermediate", 0.04, 2.0, 100),
            ("near", 4, 0, "stratified", 0.01, 1.0, 50),
            ("near", 4, 1, "intermediate", 0.0, 2.0, 100),
            ("near", 4, 1, "stratified", 0.01, 2.0, 100),
        ]
        columns = ["kind", "depth", "pair", "method", "deviation", "milliseconds", "node_count"]
        (found,) = bias_and_variance.variance_ratios(pd.DataFrame(rows, columns=columns)).to_dict(
            "records"
        )
        assert found["variance_ratio"] == found["variance_low"] == pytest.approx(16)
        assert (found["pairs"], found["exact"], found["exact_against"]) == (2, 0, 1)
        assert found["time_ratio"] == found["node_ratio"] == 0.75

    def test_stratified_scatters_less_than_algorithm_2_on_near_boards(self, table):
        ratios = bias_and_variance.variance_ratios(table).set_index(["kind", "depth"])
        assert ratios.loc[("near", 4), "variance_low"] > 5

    def test_the_figure_says_what_it_shows(self, table):
        figure = bias_and_variance.draw(table)
        titles = [axes.get_title() for axes in figure.axes]
        assert titles == [
            "8 near pairs: bias", "8 near pairs: spread of one run",
            "5 far pairs: bias", "5 far pairs: spread of one run",
        ]  # fmt: skip
        assert "relative" in figure.axes[0].get_ylabel()
        assert "320 runs" in figure.get_supxlabel()
        figure.draw_without_rendering()


def test_the_long_run_stands_for_the_exact_value(thirteen):
    """At m = 4, where it is known; the far pair is left aside."""
    near = thirteen[:2]
    found = bias_and_variance.compute_beyond_exact(
        [*near, thirteen[-1]], depth=4, samples=200, repeats=60, workers=1, seed=1
    )
    assert set(found["pair"]) == {0, 1}
    for index, pair in enumerate(near):
        states = map(ChessState.from_fen, (pair.true_fen, pair.predicted_fen))
        exact = exact_profile(*states, 4, automaton=ChessAutomaton()).precision[-1]
        (row,) = found[(found["pair"] == index) & (found["method"] == "stratified")].to_dict(
            "records"
        )
        # Student's t with 15 degrees of freedom: 6 is passed once in 50,000.
        assert abs(row["reference"] / exact - 1) < 6 * row["reference_error"] + 1e-9
        assert row["reference_error"] < row["deviation"] / 5
    summary = bias_and_variance.summarise_beyond_exact(found).set_index("method")
    assert summary["z_largest"].max() < 5
    assert summary.loc["stratified", "deviation_median"] < summary.loc["branch", "deviation_median"]


def test_a_pair_of_its_own_can_be_compared():
    far = replace(PAIR, kind="far")
    found = bias_and_variance.compute([far], depths=(2,), repeats=8, workers=1)
    assert set(found["kind"]) == {"far"}
    assert len(bias_and_variance.draw(found).axes) == 2

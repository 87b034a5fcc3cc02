"""Each study's numbers against values known otherwise, and its figure drawn."""

import math
from itertools import product

import chess
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from scipy.stats import kendalltau

from workbench.affordance import ESTIMATORS, exact_profile
from workbench.drawing.appearance import style
from workbench.drawing.score_description import class_counts, describe_scores
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.state import levenshtein
from workbench.errors import InvalidArgumentError
from workbench.games.synthetic_boards import (
    boards_at_distance,
    boards_without,
    random_board,
    scattered_board,
)
from workbench.scoring import ScoringParameters, score_predictions
from workbench.statistics.intervals import share_of_ties, tau_b
from workbench.studies.paper import (
    fixed_pair,
    kendall_tau,
    lost_piece,
    mean_precision,
    random_baseline,
)

START = chess.STARTING_FEN
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")


@pytest.fixture
def scores(predictions):
    scored = score_predictions(predictions, ScoringParameters(depth=2))
    return scored.assign(game=scored["game_id"])


def texts(figure):
    return [
        text.get_text()
        for axes in figure.axes
        for text in (axes.xaxis.label, axes.yaxis.label, axes.title)
    ]


class TestBoards:
    def test_a_random_board_has_had_its_moves(self):
        for plies in (0, 1, 7, 40):
            board = chess.Board(random_board(plies, seed=3))
            assert board.is_valid()
            assert 2 * board.fullmove_number - (2 if board.turn else 1) == plies

    def test_first_moves_are_drawn_uniformly(self):
        """400 draws among 20 moves: each count within 4.5 standard errors of 20."""
        counts = pd.Series([random_board(1, seed) for seed in range(400)]).value_counts()
        assert len(counts) == 20
        error = math.sqrt(400 * (1 / 20) * (19 / 20))
        assert (counts - 20).abs().max() < 4.5 * error

    def test_the_distance_asked_for_is_found(self):
        one, other = boards_at_distance(17, 10, seed=1)
        assert levenshtein(one, other) == 17
        assert boards_at_distance(17, 10, seed=1) == (one, other)

    def test_a_distance_that_cannot_be_is_refused(self):
        with pytest.raises(InvalidArgumentError, match="900"):
            boards_at_distance(900, 2, seed=1, attempts=5)


class TestOnePair:
    def test_the_runs_lie_about_the_exact_value(self):
        table = fixed_pair.compute_by_depth(
            depths=3, samples=100, runs=8, exact_depth=3, plies=4, distance=10, seed=2
        )
        state, other = (
            ChessState.from_fen(table[name].iloc[0]) for name in ("true_fen", "predicted_fen")
        )
        exact = exact_profile(state, other, 3, automaton=ChessAutomaton())
        of_exact = table[table["method"] == "exact"].groupby("measure")["value"].agg(list)
        assert of_exact.to_dict() == {
            "precision": list(exact.precision),
            "recall": list(exact.recall),
        }
        summary = fixed_pair.summarise(table, "depth")
        assert set(summary["method"]) == {"naive", "intermediate"}
        second = summary[summary["method"] == "intermediate"]
        error = second["spread"] / math.sqrt(8)
        assert (second["bias"].abs() <= 4 * error + 1e-9).all()

    def test_boards_of_ones_own_are_used(self):
        table = fixed_pair.compute_by_depth(
            depths=1, samples=50, runs=2, exact_depth=4, true_fen=START, predicted_fen=KINGLESS
        )
        # Without its king White has the 20 moves of the full board and one of the queen.
        assert table.loc[table["method"] == "exact", "value"].tolist() == [20 / 21, 1.0]
        summary = fixed_pair.summarise(table, "depth")
        assert (summary["bias"].abs() < 1e-12).all()

    def test_more_samples_spread_less(self):
        table = fixed_pair.compute_by_samples(
            depth=3, samples=(10, 1000), runs=12, plies=4, distance=10, seed=2
        )
        spread = fixed_pair.summarise(table, "samples").set_index(["measure", "method", "samples"])[
            "spread"
        ]
        for key in product(("precision", "recall"), ("naive", "intermediate")):
            assert spread[*key, 1000] < spread[*key, 10]

    def test_recall_is_the_precision_of_the_boards_exchanged(self):
        boards = {"true_fen": START, "predicted_fen": KINGLESS}
        turned = {"true_fen": KINGLESS, "predicted_fen": START}
        tables = [
            fixed_pair.compute_by_depth(depths=2, samples=20, runs=2, exact_depth=2, **given)
            for given in (boards, turned)
        ]
        exact = [
            table[table["method"] == "exact"].groupby("measure")["value"].agg(list)
            for table in tables
        ]
        assert exact[0]["recall"] == exact[1]["precision"]
        assert exact[0]["precision"] == exact[1]["recall"] != exact[0]["recall"]
        runs = tables[0][tables[0]["method"] == "intermediate"].groupby(["measure", "depth"])[
            "value"
        ]
        # Fewer lines than N: Algorithm 2 is exact at the first step, by both boards.
        assert runs.mean()["precision", 1] == pytest.approx(exact[0]["precision"][0])
        assert runs.mean()["recall", 1] == pytest.approx(exact[0]["recall"][0])

    def test_the_figures_name_their_axes(self):
        by_depth = fixed_pair.compute_by_depth(
            depths=2, samples=20, runs=2, exact_depth=2, plies=4, distance=10
        )
        by_samples = fixed_pair.compute_by_samples(
            depth=2, samples=(5, 20), runs=2, plies=4, distance=10
        )
        assert "depth m (plies)" in texts(fixed_pair.draw_by_depth(by_depth))
        assert "samples N" in texts(fixed_pair.draw_by_samples(by_samples))
        for figure, symbol in (
            (fixed_pair.draw_by_depth(by_depth), "{m}"),
            (fixed_pair.draw_by_samples(by_samples), "{2}"),
        ):
            assert figure.axes[0].get_ylabel() == f"$p_{symbol}$, $r_{symbol}$ (logarithmic)"
            assert [axes.get_title().split("$")[1] for axes in figure.axes] == [
                f"p_{symbol}", f"r_{symbol}",
            ]  # fmt: skip
            assert "1.5 interquartile ranges" in figure._supxlabel.get_text()

    def test_a_box_narrower_than_a_line_shows_its_colour(self):
        table = fixed_pair.compute_by_depth(
            depths=1, samples=50, runs=3, exact_depth=1, true_fen=START, predicted_fen=KINGLESS
        )
        figure = fixed_pair.draw_by_depth(table)
        for axes in figure.axes:
            edges = {to_hex(box.get_edgecolor()) for box in axes.patches}
            assert edges == {
                to_hex(style(ESTIMATORS[name].look).colour) for name in ("naive", "intermediate")
            }
            assert min(box.get_linewidth() for box in axes.patches) > 1.5


class TestKendallTau:
    def test_equals_scipy_and_counts_ties(self, scores):
        table = kendall_tau.compute(scores, depth=2).set_index("group")
        kept = scores[scores["unscored"] == ""]
        expected = kendalltau(kept["precision_2"], -kept["levenshtein"].astype(float)).statistic
        assert table.loc["overall", "tau"] == pytest.approx(expected)
        # p_2 of the five rows: 1, 0, 20/21, 0, 0; three pairs of ten are tied.
        assert table.loc["overall", "ties_measure"] == pytest.approx(0.3)
        assert table.loc["overall", "ties_distance"] == 0.0
        assert table.loc["overall", "count"] == 5
        assert table.loc["overall", "left_out"] == 1

    def test_worked_by_hand(self):
        """Three rows, one pair discordant and one tied in p: tau-b = (1 - 1) / sqrt(2 * 3) = 0."""
        assert tau_b(np.array([1.0, 1.0, 0.0]), np.array([-1.0, -3.0, -2.0])) == 0.0

    def test_one_value_throughout_is_undefined(self):
        assert math.isnan(tau_b(np.ones(4), np.arange(4.0)))
        assert math.isnan(share_of_ties(np.ones(1)))

    def test_absent_replies_can_be_left_out(self, scores):
        table = kendall_tau.compute(scores, depth=2, absent="leave_out")
        assert table.set_index("group").loc["overall", "count"] == 4
        assert table.set_index("group").loc["overall", "left_out"] == 2

    def test_a_depth_that_was_not_scored_is_refused(self, scores):
        with pytest.raises(InvalidArgumentError, match="precision_4"):
            kendall_tau.compute(scores, depth=4)

    def test_draws_undefined_groups_too(self, scores):
        table = kendall_tau.compute(scores, depth=2)
        table.loc[0, ["tau", "low", "high"]] = math.nan
        figure = kendall_tau.draw(table, describe_scores(scores))
        assert any("undefined" in text.get_text() for text in figure.axes[0].texts)


class TestMeanPrecision:
    def test_means_and_counts(self, scores):
        table = mean_precision.compute({"all": scores}, depth=2)
        rows = table.set_index(["measure", "group"])
        assert rows.loc[("precision", 5), "mean"] == pytest.approx((1 + 0 + 20 / 21) / 3)
        assert rows.loc[("precision", 6), "mean"] == 0.0
        assert rows.loc[("precision", 6), "unscored"] == 1
        assert rows.loc[("precision", 6), "count"] == 2

    def test_draws_a_group_whose_mean_is_nought(self, scores):
        table = mean_precision.compute({"all": scores, "again": scores}, depth=2)
        figure = mean_precision.draw(table)
        assert [axes.get_yscale() for axes in figure.axes] == ["log", "log"]
        # Of two groups one, by precision and recall, in two panels.
        assert "4 of 8 means, which are 0" in figure._supxlabel.get_text()


class TestRandomBaseline:
    def test_every_reading_is_exact(self):
        played = pd.DataFrame({"moves": ["e2e4 e7e5 g1f3 b8c6"]})
        table = random_baseline.compute(pairs=1, moves=2, depths=(1, 2), played=played, seed=4)
        assert len(table["reading"].unique()) == 5 + 4
        for row in table.itertuples():
            states = map(ChessState.from_fen, (row.true_fen, row.predicted_fen))
            exact = exact_profile(*states, row.depth, automaton=ChessAutomaton()).precision
            assert row.precision == exact[row.depth - 1]
        half = table[table["reading"] == "2 half-moves, true board played"]
        assert half["true_fen"].iloc[0].startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/8")

    def test_without_games_those_of_played_boards_are_left_out(self):
        table = random_baseline.compute(pairs=2, moves=1, depths=(1,))
        summary = random_baseline.summarise(table)
        assert list(summary["pairs"]) == [2] * (3 + 4 * 4)
        figure = random_baseline.draw(table, "drop")
        assert "reading" in texts(figure)[0]
        assert any("finished games: left out" in text.get_text() for text in figure.texts)

    @pytest.mark.parametrize("side", ["drawn", "white", "same"])
    def test_pieces_on_random_squares(self, side):
        """A piece is on each square equally often: of 64 squares, 32 hold one of the initial 32."""
        black = "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"
        boards = [chess.Board(scattered_board(black, seed, side=side)) for seed in range(200)]
        assert all(board.castling_rights == 0 and board.ep_square is None for board in boards)
        initial = sorted(map(str, chess.Board().piece_map().values()))
        assert all(sorted(map(str, board.piece_map().values())) == initial for board in boards)
        white = sum(board.turn for board in boards)
        assert {"drawn": 60 < white < 140, "white": white == 200, "same": white == 0}[side]
        taken = [sum(bool(board.piece_at(square)) for board in boards) for square in chess.SQUARES]
        assert 60 < min(taken) <= max(taken) < 140
        own = chess.Board(scattered_board(black, 0, pieces="own", side=side))
        assert sorted(map(str, own.piece_map().values())) == ["K", "R", "k"]

    def test_scattered_boards_are_those_of_the_readings(self):
        """Recall of the board with random squares is precision the other way round."""
        table = random_baseline.compute(pairs=3, moves=1, depths=(1,))
        ways = random_baseline.compute_scattered(pairs=3, moves=1)
        summary = random_baseline.summarise(table).set_index(["reading", "depth"])["mean"]
        ways = ways[(ways["pieces"] == "initial") & (ways["side"] == "drawn")]
        assert len(ways) == 2 * 4
        for row in ways.itertuples():
            moves = {2: "1 full moves", 1: "1 half-moves"}[row.half_moves]
            forth = summary[f"pieces placed at random, true board after {moves}", row.depth]
            back = summary[f"{moves}, true board placed at random", row.depth]
            assert (row.precision, row.recall) == pytest.approx((forth, back))


class TestLostPiece:
    def test_one_piece_of_each_kind_and_owner_is_taken_off(self):
        boards = boards_without(START, seed=0)
        assert len(boards) == 12
        for piece, owner, fen in boards:
            assert levenshtein(START, fen, "placement") <= 2
            colour = chess.WHITE if owner == "side to move" else chess.BLACK
            kind = chess.PIECE_NAMES.index(piece)
            count = len(chess.Board(fen).pieces(kind, colour))
            assert count == len(chess.Board().pieces(kind, colour)) - 1

    def test_the_king_of_the_start_position_by_policy(self):
        positions = pd.DataFrame(
            {
                "position_id": ["start-000"], "environment": ["chess"], "game_id": ["start"], "source": ["by hand"],
                "group": [5], "ply": [0], "game_plies": [0], "movetext": [""], "moves": [""], "initial_state": [""],
                "true_state": [START],
            }
        )  # fmt: skip
        bare = lost_piece.predictions_without(positions, count=3, seed=0)
        assert len(bare) == 12
        scored = lost_piece.scores_by_policy(bare, ScoringParameters(depth=1))
        for policy, found in scored.items():
            each = score_predictions(bare, ScoringParameters(depth=1, ill_formed=policy))
            beside = bare[["piece", "owner"]]
            pd.testing.assert_frame_equal(found, each.join(beside), check_dtype=False)
        table = lost_piece.compute(scored, depth=1)
        assert list(table) == [
            "policy", "piece", "owner", "measure", "depth", "mean", "low", "high", "worst", "count",
        ]  # fmt: skip
        pieces = ["pawn", "knight", "bishop", "rook", "queen", "king"]
        assert list(table["piece"]) == [piece for piece in pieces for _ in range(4)] * 2
        assert list(table["owner"]) == (["side to move"] * 2 + ["other side"] * 2) * 12
        king = table[(table["piece"] == "king") & (table["owner"] == "side to move")]
        king = king.set_index(["policy", "measure"])["mean"]
        assert king["as_is", "precision"] == pytest.approx(20 / 21)
        assert king["as_is", "recall"] == 1.0
        assert king["sink", "precision"] == 0.0
        checks = lost_piece.king_by_check(scored, depth=1).set_index(["policy", "owner"])
        assert checks.loc[("as_is", "side to move"), "precision"] == pytest.approx(20 / 21)
        assert not checks["in_check"].any()
        figure = lost_piece.draw(table)
        assert "piece of the other side" in texts(figure)


def test_classes_are_counted_and_named(scores):
    counts = class_counts(scores).iloc[0]
    assert counts["count"] == 6
    assert (counts["valid"], counts["ill_formed"], counts["unscored"]) == (3, 1, 1)
    described = describe_scores(scores)
    assert "3 valid, 1 ill-formed, 1 unreadable, 1 without a FEN, 1 not scored" in described
    assert "ill-formed boards: as they are" in described
    assert "finished games: complete lines" in described

"""The figure notebooks 01 to 09 run at a small size: each figure is there, and its numbers are right."""

import itertools
import math

import chess
import numpy as np
import pandas as pd
import pytest
from drawn_figures import (
    FIVE_GROUPS,
    assert_falls_with_depth,
    assert_interval,
    assert_shares,
    drawn,
    scores_below,
)

from workbench.answers.recorded_replies import recorded_replies
from workbench.tables.parquet_tables import PREDICTIONS, write_table

START = chess.STARTING_FEN
KINGLESS = START.replace("RNBQKBNR", "RNBQ1BNR")
# Without its king White has the pawn's and knights' 20 moves and one of the queen: p_m = 20/21.
PAIR = {"true_fen": START, "predicted_fen": KINGLESS}


def test_precision_by_depth(tmp_path):
    """All 21 lines of one move are kept, of the 420 of two moves 50."""
    (table,) = drawn(
        "01_precision_by_depth", tmp_path, **PAIR, depths=2, exact_depth=2, samples=50, runs=3
    )
    assert table["method"].value_counts().to_dict() == {"exact": 4, "naive": 12, "intermediate": 12}
    known = table[(table["method"] == "exact") | (table["depth"] == 1)]
    known = known.groupby("measure")["value"].agg(list)
    assert known["precision"] == pytest.approx([20 / 21] * 8)
    assert known["recall"] == pytest.approx([1.0] * 8)
    table = table[table["measure"] == "precision"]
    assert table[table["depth"] == 2].groupby("method")["value"].nunique()["naive"] > 1


def test_precision_by_samples_and_the_same_run_gives_the_same_bytes(tmp_path):
    """Of 420 lines all are kept at N = 500."""
    given = {**PAIR, "depth": 2, "samples": [5, 500], "runs": 3}
    one, other = tmp_path / "one", tmp_path / "other"
    (table,) = drawn("precision_by_samples", one, "02_precision_by_samples", **given)
    assert table.columns.tolist()[:5] == ["method", "depth", "samples", "run", "value"]
    assert table["method"].value_counts().to_dict() == {"exact": 4, "naive": 12, "intermediate": 12}
    known = table[table["samples"] != 5].groupby("measure")["value"].agg(list)
    assert known["precision"] == pytest.approx([20 / 21] * 8)
    assert known["recall"] == pytest.approx([1.0] * 8)
    drawn("precision_by_samples", other, "02_precision_by_samples", **given)
    for ending in ("png", "svg", "csv", "json"):
        name = f"02_precision_by_samples.{ending}"
        assert (one / name).read_bytes() == (other / name).read_bytes()


@pytest.mark.slow
def test_kendall_tau(tmp_path):
    """Against tau-b by its definition, from all pairs of rows of the stored scores."""
    table, simulated, parts = drawn(
        "03_kendall_tau", tmp_path,
        "03_kendall_tau", "03_kendall_tau_simulated", "03_tau_in_parts",
        replies="simulated", own_setup="simulated", per_group=6, rate=0.05, depth=2, jobs=1,
    )  # fmt: skip
    pd.testing.assert_frame_equal(simulated, table)
    assert table["group"].tolist() == [*map(str, FIVE_GROUPS), "overall"]
    assert table["count"].tolist() == [6] * 5 + [30]
    scores = scores_below(tmp_path)
    for row in table.itertuples():
        rows = scores if row.group == "overall" else scores[scores["group"] == int(row.group)]
        pairs = [
            (np.sign(p - q), np.sign(b - a))
            for (p, a), (q, b) in itertools.combinations(
                zip(rows["precision_2"], rows["levenshtein"], strict=True), 2
            )
        ]
        untied = [sum(pair[k] != 0 for pair in pairs) for k in (0, 1)]
        expected = sum(first * second for first, second in pairs) / math.sqrt(math.prod(untied))
        assert row.tau == pytest.approx(expected)
    assert table[["tau", "low", "high"]].abs().max(axis=None) <= 1
    assert (table["low"] < table["high"]).all()
    everyone = parts[(parts["replies"] == "all") & (parts["distance"] == "levenshtein")]
    assert everyone["tau"].tolist() == table["tau"].tolist()
    wrong = parts[(parts["replies"] == "wrong") & (parts["group"] == "overall")]
    assert set(wrong["count"]) == {int((~scores["exact_match_position"]).sum())}


@pytest.mark.slow
def test_mean_precision_and_a_lost_piece(tmp_path):
    means, apart, simulated, pieces = drawn(
        "04_mean_precision", tmp_path,
        "04_mean_precision", "04_format", "04_mean_precision_simulated", "04_lost_piece",
        replies="simulated", own_setup="simulated", per_group=4, rate=0.05, depth=2,
        lost_piece_positions=2, jobs=1,
    )  # fmt: skip
    pd.testing.assert_frame_equal(simulated, means)
    assert means.groupby("variant")["count"].agg(["size", "unique"]).to_dict("index") == {
        "five groups": {"size": 10, "unique": [4]},
        "ten groups": {"size": 20, "unique": [2]},
    }
    assert_shares(means, "mean")
    assert_shares(means.dropna(subset="low"), "low", "high")
    assert_interval(means)
    five = means[means["variant"] == "five groups"].set_index(["measure", "group"])["mean"]
    for measure in ("precision", "recall"):
        expected = scores_below(tmp_path).groupby("group")[f"{measure}_2"].mean()
        assert five[measure].to_dict() == pytest.approx(expected.to_dict())
    by_length = apart[apart["length"] != "all"].astype({"length": int}).set_index("length")
    assert by_length["mean"].to_dict() == pytest.approx(five["precision"].to_dict())
    product = apart["readable"] * apart["mean_readable"]
    assert product.tolist() == pytest.approx(apart["mean"].tolist())
    # Six kinds of piece of either side, both measures and both policies.
    assert len(pieces) == 6 * 2 * 2 * 2
    assert_shares(pieces, "mean", "worst")
    assert_interval(pieces)
    by_policy = pieces.set_index(["policy", "piece"])["mean"]
    assert (by_policy["as_is"] > 0).all()
    assert (by_policy["sink", "king"] == 0).all()
    assert by_policy["sink", "pawn"].tolist() == by_policy["as_is", "pawn"].tolist()


def test_random_baseline(tmp_path):
    """p_1 is the share of the predicted board's moves that the true one permits."""
    (table,) = drawn("05_random_baseline", tmp_path, pairs=4, depths=[1, 2], scattered_pairs=2)
    assert (table.groupby(["reading", "depth"]).size() == 4).all()
    # Three readings of boards after moves; pieces placed at random, in two directions, to m = 4.
    assert len(table) == 3 * 2 * 4 + 2 * 2 * 4 * 4
    assert_shares(table, "precision")
    assert_falls_with_depth(table, ["reading", "pair"], "precision")
    for row in table[table["depth"] == 1].itertuples():
        true, predicted = (
            {(move.from_square, move.to_square, move.promotion) for move in board.legal_moves}
            for board in map(chess.Board, (row.true_fen, row.predicted_fen))
        )
        # A board with its pieces on random squares may have no move, where the other has some.
        share = len(true & predicted) / len(predicted) if predicted else float(not true)
        assert row.precision == pytest.approx(share)


@pytest.mark.slow
def test_sample_complexity(tmp_path):
    """Branching needs N = (1 - p_m) / (p_m 0.1^2): p_m = 0.5 and 0.25 give 100 and 300."""
    names = ("06_sample_complexity_trees", "06_sample_complexity_chess")
    parts = drawn(
        "06_sample_complexity", tmp_path, *names,
        chances=[0.5], tree_depths=[1, 2], children=4, chess_depths=[1, 2],
        pairs=1, exact_depth=2, repeats=8, cap=256,
    )  # fmt: skip
    table = pd.concat(parts)
    assert [set(part["setting"]) for part in parts] == [
        {"homogeneous tree", "random tree"},
        {"chess, near", "chess, far"},
    ]
    assert table["setting"].value_counts().to_dict() == {
        "homogeneous tree": 10,
        "random tree": 6,
        "chess, near": 10,
        "chess, far": 10,
    }
    tree = table[table["setting"] == "homogeneous tree"].set_index(["method", "depth"])
    assert tree["precision"].unique().tolist() == [0.5, 0.25]
    assert tree.loc["branch", "derived"].tolist() == pytest.approx([100, 300])
    # A depth of one keeps the shares of a node exactly, and so does every node of a tree like this.
    assert tree.loc["intermediate", "status"].tolist() == ["at most"] * 2
    assert table["samples"].between(1, 256).all()
    boards = table[table["setting"].str.startswith("chess")]
    assert_shares(boards, "precision")
    assert_falls_with_depth(boards, ["setting", "method"], "precision")


@pytest.mark.slow
def test_estimators(tmp_path):
    """Thirteen pairs, six estimators; p_1 counted by python-chess."""
    (table,) = drawn(
        "07_estimators", tmp_path,
        depths=[1, 2], samples=20, repeats=5, deep_depth=3, deep_repeats=3,
    )  # fmt: skip
    assert table.drop_duplicates("pair")["kind"].value_counts().to_dict() == {"near": 8, "far": 5}
    assert (table.groupby(["pair", "depth"])["method"].nunique() == 6).all()
    assert len(table) == 13 * 2 * 6
    assert_shares(table, "exact")
    assert_falls_with_depth(table, ["pair", "method"], "exact")
    for row in table[table["depth"] == 1].drop_duplicates("pair").itertuples():
        true, predicted = (
            {move.uci() for move in board.generate_legal_moves()}
            for board in map(chess.Board, (row.true_fen, row.predicted_fen))
        )
        assert row.exact == pytest.approx(len(true & predicted) / len(predicted))
    # Every node of one move is kept in proportion.
    kept = table[(table["depth"] == 1) & (table["method"] == "stratified")]
    assert kept["mean"].tolist() == pytest.approx(kept["exact"].tolist())


@pytest.mark.slow
def test_models(tmp_path):
    models, apart, moves, ranks, examples, flags = drawn(
        "08_models", tmp_path,
        "08_models", "08_format", "08_next_move", "08_ranks", "08_examples", "08_ill_formed",
        replies="simulated", rates=[0.01, 0.1], per_group=4, depth=2, resamples=20, jobs=1,
    )  # fmt: skip
    careful, careless = (f"simulated-tracker rate={rate}" for rate in (0.01, 0.1))
    assert models["model"].unique().tolist() == [careful, careless]
    assert models["length"].tolist() == [*map(str, FIVE_GROUPS), "all"] * 2
    assert models["count"].tolist() == [4, 4, 4, 4, 4, 20] * 2
    assert_shares(models, "exact_match", "precision", "recall")
    assert_interval(models, "precision", "precision_low", "precision_high")
    overall = models[models["length"] == "all"].set_index("model")
    lengths = models[models["length"] != "all"].groupby("model")
    assert overall["precision"].to_dict() == pytest.approx(lengths["precision"].mean().to_dict())
    of_all = apart[apart["length"] == "all"].set_index("model")["mean"]
    assert of_all.to_dict() == pytest.approx(overall["precision"].to_dict())
    assert (moves["next"] >= moves["line"]).all()
    lines = moves.groupby("model")["line"].mean()
    assert lines.to_dict() == pytest.approx(overall["precision"].to_dict())
    # Ten times the slips: worse by every measure.
    ranks = ranks.set_index("model")
    for ranked in ("distance_rank", "precision_rank"):
        assert ranks[ranked].to_dict() == {careful: 1, careless: 2}
    assert ranks["precision"].to_dict() == pytest.approx(overall["precision"].to_dict())
    for row in examples.itertuples():
        assert row.near_distance < row.precise_distance
        assert row.near_precision < row.precise_precision
    ill_formed = flags[flags["flag"] == "ANY"].set_index("model")
    assert ill_formed["count"].to_dict() == overall["ill_formed"].to_dict()
    assert ill_formed["replies"].tolist() == [20, 20]


def test_prompts(tmp_path):
    replies = recorded_replies(settings=["thinking=0", "thinking=256"])
    few = tmp_path / "few" / "thinking.parquet"
    write_table(replies[replies["ply"] <= 2], few, PREDICTIONS)
    out = tmp_path / "out"
    prompts, spread, thinking, turns = drawn(
        "09_prompts", out, "09_prompts", "09_spread", "09_thinking", "09_turns",
        rates=[0.01, 0.1], per_group=3, samples=2, thinking=[str(few)],
        turn_models=["simulated"], turn_games=2, turn_moves=2, turn_rate=0.0, depth=2, jobs=1,
    )  # fmt: skip
    assert turns["turns"].tolist() == [4] * 4
    assert turns["cause"].isna().all()
    assert thinking["budget"].tolist() == [0, 256]
    assert thinking[["replies", "pairs"]].values.tolist() == [[20, 0], [20, 20]]
    assert_shares(thinking, "precision", "exact_match", "ill_formed_share")
    assert_interval(thinking, "precision", "precision_low", "precision_high")
    names = [f"simulated, {rate} slips a ply" for rate in (0.01, 0.1)]
    assert prompts["prompt"].tolist() == names
    assert prompts[["positions", "answers"]].values.tolist() == [[15, 30]] * 2
    assert_interval(prompts, "precision", "precision_low", "precision_high")
    reference, other = prompts.to_dict("records")
    assert math.isnan(reference["difference"])
    assert other["difference"] == pytest.approx(other["precision"] - reference["precision"])
    assert other["difference"] < 0
    assert 0 < other["mcnemar"] == other["holm"] <= 1
    assert (spread.groupby("prompt").size() == 15).all()
    assert (spread["answers"] == 2).all()
    assert_shares(spread, "least", "mean", "most")
    assert_interval(spread, "mean", "least", "most")
    for kind, value in (("mean", "precision"), ("right", "exact_match")):
        means = spread.groupby("prompt")[kind].mean() / (2 if kind == "right" else 1)
        assert prompts[value].tolist() == pytest.approx(means[names].tolist())

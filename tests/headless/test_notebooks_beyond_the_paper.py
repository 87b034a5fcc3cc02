"""The figure notebooks 12 to 17 run at a small size: other environments, other sets, other models."""

import pandas as pd
import pytest
from drawn_figures import (
    FIVE_GROUPS,
    assert_falls_with_depth,
    assert_interval,
    assert_shares,
    drawn,
    tables_of,
)

from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.headless.figure_run import make_figures
from workbench.language_model.language_model import model_names
from workbench.tables.parquet_tables import PREDICTIONS, write_table


@pytest.mark.slow
def test_environments(tmp_path):
    """Without slips p_4 is 1 and no character differs. Of the tree's actions 4/5 are shared: 0.8^m."""
    table, recorded, pairs = drawn(
        "12_environments", tmp_path, "12_environments", "12_smollm2", "12_one_slip",
        environments=["chess", "planning"], lengths=[2, 6], per_length=3, rate=0.0,
        pairs=1, moves=6, depths=3, exact_depth=2, samples=20, batches=2,
    )  # fmt: skip
    assert table.groupby(["environment", "length"]).size().to_dict() == {
        (name, length): 5 for name in ("chess", "planning") for length in (2, 6)
    }
    means = table.groupby("measure")["mean"].unique()
    assert {name: list(values) for name, values in means.items()} == {
        "precision": [1.0], "recall": [1.0], "exact_match": [1.0],
        "edit_distance": [0.0], "edit_share": [0.0],
    }  # fmt: skip
    assert table["valid"].eq(3).all()
    assert_shares(recorded, "precision")
    exact = pairs[pairs["method"] == "exact"]
    assert exact.groupby("environment")["depth"].max().to_dict() == {
        "chess": 2, "homogeneous tree": 2, "planning": 2,
    }  # fmt: skip
    assert_shares(exact, "value")
    assert_falls_with_depth(exact, "environment", "value")
    tree = pairs[pairs["environment"] == "homogeneous tree"].set_index("method")["value"]
    for method in ("closed form", "intermediate", "stratified"):
        assert tree[method].tolist() == pytest.approx([0.8, 0.64, 0.512])


@pytest.mark.slow
def test_track_or_recall(tmp_path):
    """Eight positions of each set, answered by two models and, by the initial position, the baseline."""
    models = ["o3-2025-04-16", "gpt-4.1-mini-2025-04-14", BASELINE]
    replies = recorded_replies((), models)
    given = tmp_path / "given.parquet"
    few = replies[replies["ply"].isin([1, 30])].groupby(["set", "model", "ply"]).head(4)
    write_table(few, given, PREDICTIONS)
    out = tmp_path / "out"
    table, boards = drawn(
        "13_track_or_recall", out, "13_track_or_recall", "13_boards",
        predictions=str(given), rates=[], depth=2, jobs=1,
    )  # fmt: skip
    assert table["model"].unique().tolist() == models
    assert table["kind"].unique().tolist() == ["reasoning", "other", "baseline"]
    assert table["length"].unique().tolist() == ["20", "40", "all"]
    scores = pd.concat(map(pd.read_parquet, (out / "tables").glob("scores-*.parquet")))
    means = scores.groupby(["model", "set"])["precision_2"].mean()
    overall = table[(table["measure"] == "precision") & (table["length"] == "all")]
    for row in overall.to_dict("records"):
        sets = [means[row["model"], name] for name in ("world_cup", "random_games")]
        assert [row["world_cup"], row["random_games"]] == pytest.approx(sets)
        assert row["difference"] == pytest.approx(sets[0] - sets[1])
    answered = boards[(boards["measure"] == "initial_position") & (boards["length"] == "all")]
    expected = [means[BASELINE, name] for name in answered["set"]]
    assert answered["mean"].tolist() == pytest.approx(expected)
    # One move has been played, of which none takes a piece.
    first = boards[(boards["measure"] == "pieces") & (boards["length"] == "20")]
    assert first["mean"].tolist() == [32, 32]


@pytest.mark.slow
def test_your_own_environment(tmp_path):
    """The Towers of Hanoi, registered by the notebook; without slips every state is right."""
    given = {"lengths": [2, 5], "per_length": 4, "rate": 0.0}
    (run,) = make_figures(only=["14_your_own_environment"], parameters=given, out=tmp_path)
    assert run.error == ""
    (table,) = tables_of(tmp_path, run.name, **given)
    assert set(table["title"]) == {"Towers of Hanoi"}
    assert set(table["length"]) == {2, 5}
    means = table.groupby("measure")["mean"].unique().map(list).to_dict()
    assert means["precision"] == means["exact_match"] == [1.0]
    assert means["edit_distance"] == [0.0]
    (executed,) = (tmp_path / "notebooks").glob("*.ipynb")
    # Of the predicted state's three actions one is permitted; of the true one's two, one.
    text = executed.read_text()
    assert "'precision': [0.3333333333333333," in text
    assert "'recall': [0.5," in text
    # StatePair's last answer, which a page without a kernel shows: p_1 and r_1 of the same pair.
    assert "data-still-of" in text
    assert "<td>0.3333</td><td>0.5000</td>" in text


@pytest.mark.slow
def test_stated_and_implied(tmp_path):
    """Of two trackers one lists what its state permits; without slips both do, and are right."""
    (table,) = drawn(
        "15_stated_and_implied", tmp_path,
        environment="othello", lengths=[3, 12], per_length=12, rate=0.2,
    )  # fmt: skip
    assert (table["pairs"] == table["length"].map({"3": 12, "12": 12, "all": 24})).all()
    acting = table[table["model"].str.contains("lists what")]
    means = acting.set_index(["quantity", "length"])["mean"]
    assert (means["legal_on_stated"] == 1).all()
    assert means["legal_on_true", "all"] < 1
    assert means["stated_less_true_only", "all"] == 1


@pytest.mark.slow
def test_stated_and_implied_by_the_bundled_model(tmp_path):
    """The controls stand at the two ends; the moves of the model are mostly legal, and no list is perfect."""
    table, moves, masses = drawn(
        "15_stated_and_implied", tmp_path, "15_stated_and_implied", "15_next_moves", "15_legal_mass",
        lengths=[10, 54], per_length=12, next_moves_per_length=6, jobs=1,
    )  # fmt: skip
    player = masses[masses["model"] == "workbench/player"].set_index("group")
    same = moves[(moves["model"] == "workbench/player") & (moves["measure"] == "legal_mass")]
    for group, mean in zip(same["length"], same["mean"], strict=True):
        # One quantity has one name: the sum misses what no reply names, less than 0.001.
        if group != "all":
            assert player.loc[int(group), "legal_mass"] == pytest.approx(mean, abs=1e-3)
    means = table[table["length"] == "all"].set_index(["model", "quantity"])["mean"]
    written, other = (
        next(name for name in table["model"] if word in name) for word in ("written", "its own")
    )
    assert means[written, "stated_only_listed"] == 1
    assert (
        means[written, "stated_less_true_only"] > means["workbench/player", "stated_less_true_only"]
    )
    assert means[other, "stated_only_listed"] < 0.5
    overall = moves[moves["length"] == "all"].set_index(["model", "measure"])["mean"]
    assert overall["workbench/player", "likeliest_legal"] > 0.7
    assert 0.5 < overall["workbench/player", "agreement"] < 1
    assert overall["control: lists the legal moves", "boundary_recall"] == 1


@pytest.mark.slow
def test_emergence(tmp_path):
    """At the first checkpoint little is known; the model that training ended with is the best."""
    first, *_, last = (name for name in model_names() if name.startswith("small@"))
    table, order, sizes = drawn(
        "16_emergence", tmp_path, "16_emergence", "16_rise_order", "16_sizes",
        checkpoints=[first, last], sizes=["small"], rates=[0.4, 0.1, 0.02], per_group=2, depth=2,
        resamples=20, jobs=1,
    )  # fmt: skip
    order, control = order[order["of"] == "training"], order[order["of"] == "simulated"]
    assert control["length"].unique().tolist() == FIVE_GROUPS
    # Plies a slip.
    assert control["step"].dropna().between(1 / 0.4, 1 / 0.02).all()
    steps = sorted(table["step"].unique())
    # The baseline stands at 0.
    assert steps[:2] == [0, int(first.removeprefix("small@"))]
    assert len(steps) == 4
    assert table.groupby(["step", "length"]).size().eq(7).all()
    assert set(table["count"]) == {2, 10}
    assert_interval(table)
    assert_shares(table[table["measure"] != "levenshtein"], "mean")
    overall = table[table["length"] == "all"].pivot(index="step", columns="measure", values="mean")
    assert overall.loc[0, "exact_match_position"] == 0
    assert overall.loc[steps[-1], "precision"] > overall.loc[steps[1], "precision"]
    assert overall.loc[steps[-1], "levenshtein"] < overall.loc[steps[1], "levenshtein"]
    assert order["length"].unique().tolist() == FIVE_GROUPS
    assert order["step"].dropna().between(steps[1], steps[-1]).all()
    assert set(sizes["model"]) == {"small", BASELINE}
    same = sizes[sizes["model"] == "small"].set_index(["length", "measure"])["mean"]
    again = table[table["model"] == "small"].set_index(["length", "measure"])["mean"]
    pd.testing.assert_series_equal(same, again)


@pytest.mark.slow
def test_probe(tmp_path):
    """The state after a ply says which piece it moved, and does so through training."""
    table, lengths, apart, selective, patched, moves, of_player, played = drawn(
        "17_probe", tmp_path, "17_probe", "17_stated_and_probed", "17_disagreement",
        "17_selectivity", "17_patched_boards", "17_patched_moves", "17_player_probe",
        "17_player_moves",
        models=["tiny"], per_group=2, fit_games=60, fit_per_game=6, iterations=10, depth=2,
        jobs=1,
    )  # fmt: skip
    pd.testing.assert_frame_equal(lengths, table)
    assert_shares(table, "mean")
    assert_interval(table)
    assert set(table["count"]) == {2, 10}
    overall = table[(table["length"] == "all") & (table["measure"] == "moved")]
    last = overall.sort_values("layer").groupby("reader")["mean"].last()
    assert last["assembled"] > last["untrained assembled"] > last["usual"]
    assert set(apart["reader"]) == set(table["reader"]) - {"stated"}
    boards = apart[apart["length"] == "all"].pivot(index="reader", columns="measure", values="mean")
    assert (boards["higher"] + boards["lower"] <= 1).all()
    assert (boards["right"] + boards["alike"] <= 1).all()
    of_network = selective.fillna({"network": ""}).groupby(["network", "measure"])["mean"].max()
    assert of_network["", "selectivity"] > of_network["untrained", "selectivity"]
    pd.testing.assert_frame_equal(moves, patched)
    assert_interval(patched.dropna(subset=["low"]))
    changes = patched[patched["measure"].isin(["other_squares", "gain_precision_true"])]
    changes = changes.groupby("patch")["mean"].agg(lambda mean: mean.abs().max())
    assert changes["identity"] == 0 < changes["piece"]
    # Only the model whose next move is trained names legal moves.
    legal = [
        each.loc[(each["measure"] == "top_true") & (each["patch"] == "identity"), "mean"].max()
        for each in (patched, played)
    ]
    assert legal[0] < 0.6 <= legal[1]
    assert set(of_player["model"]) == {"player"}


@pytest.mark.slow
def test_without_an_answer_key(tmp_path):
    """The ranking is that of the recorded replies, and attacks are shorter than games."""
    ranking, table, lengths, shortest = drawn(
        "18_without_an_answer_key", tmp_path, "18_ranking_without_a_key", "18_consistency",
        "18_first_errors", "18_shortest_attacks",
        models=["tiny"], per_group=2, searches=2, budget=60, compared_games=3, resamples=50, depth=2,
    )  # fmt: skip
    after_a_move = ranking[ranking["relation"] == "next_action"].set_index("model")
    assert len(after_a_move) == 18
    assert after_a_move["consistency"].idxmax() == "o3-2025-04-16"
    assert after_a_move["count"].max() == 969
    assert after_a_move[["consistency", "truth"]].corr("spearman").iloc[0, 1] > 0.9
    assert set(table["relation"]) == {"next_action", "transposition"}
    assert_shares(table, "consistency")
    assert set(lengths["kind"]) == {"attacks", "searches by lot", "random games", "real games"}
    attacks = lengths[lengths["kind"] == "attacks"]
    assert len(attacks) == 2
    assert len(shortest) <= 3


@pytest.mark.slow
def test_training_on_the_measure(tmp_path):
    """What p_4 pays for costs recall, and the control with true boards improves both."""
    table, curves, examples = drawn(
        "19_training_on_the_measure", tmp_path, "19_training_on_the_measure", "19_reward_curves",
        "19_bought_precision",
        plies=[54, 76],
    )  # fmt: skip
    means = table.set_index(["reward", "measure"])["mean"]
    assert means["precision_4", "recall_4"] < -0.05
    assert min(means["supervised", "precision_4"], means["supervised", "recall_4"]) > 0
    assert set(table["seeds"]) == {5}
    assert len(curves) > len(examples) == 6

"""The studies of replies run on tables of other environments, in their own words."""

import json

import pandas as pd
import pytest
from drawn_figures import run_here

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import recorded_replies
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.tables.parquet_tables import PREDICTIONS, write_table

MODELS = {"simulated-careful": 0.02, "simulated-careless": 0.2}
CHESS_WORDS = ("full moves", "FEN", "chess", "cannot arise in chess")


def replies(name, path, models=MODELS):
    positions = sample_positions(environment_named(name), [3, 9], 8, 0)
    tables = [
        simulate(positions, rate=rate, seed=seed, model_name=model)
        for seed, (model, rate) in enumerate(models.items())
    ]
    write_table(pd.concat(tables, ignore_index=True), path, PREDICTIONS)
    return str(path)


def drawn_texts(out, figures):
    """Return the texts of each figure, by its name; texts stay in the SVG."""
    found = {}
    for name in figures:
        svg = (out / f"{name}.svg").read_text()
        table = pd.read_csv(out / f"{name}.csv")
        # Two models may disagree nowhere.
        assert len(table) or name == "08_examples", name
        comments = [line for line in svg.splitlines() if "<!--" in line]
        data = json.loads((out / f"{name}.json").read_text())["data"]
        found[name] = " ".join([*comments, data])
    return found


OF_MODELS = ["08_models", "08_next_move", "08_ranks", "08_examples", "08_ill_formed"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "notebook", "figures"),
    [
        ("othello", "03_kendall_tau", ["03_kendall_tau"]),
        ("othello", "04_mean_precision", ["04_mean_precision"]),
        ("othello", "08_models", OF_MODELS),
        ("othello", "09_prompts", ["09_prompts", "09_spread"]),
        ("planning", "08_models", OF_MODELS),
    ],
)
def test_a_study_speaks_of_its_environment(name, notebook, figures, tmp_path):
    out = tmp_path / "figures"
    if notebook == "09_prompts":
        one, two = (
            replies(name, tmp_path / f"{each}.parquet", {"simulated": rate})
            for each, rate in (("one", 0.02), ("two", 0.2))
        )
        replies_to_chess = recorded_replies(settings=["thinking=0", "thinking=256"])
        few = tmp_path / "few.parquet"
        write_table(replies_to_chess[replies_to_chess["ply"] <= 2], few, PREDICTIONS)
        given = {"prompts": {"first": one, "second": two}, "thinking": [str(few)]}
        given |= {"turn_models": ["simulated"], "turn_games": 2, "turn_moves": 2}
    else:
        given = {"predictions": replies(name, tmp_path / "replies.parquet")}
    if notebook == "04_mean_precision":
        given["lost_piece_positions"] = 1
        given["per_group"] = 1
    if notebook == "08_models":
        given["resamples"] = 20
    run_here(notebook, out, **given, depth=2, jobs=1)
    for figure, texts in drawn_texts(out, figures).items():
        for word in (*CHESS_WORDS, *(("games",) if name == "planning" else ())):
            assert word not in texts, (figure, word)

"""Every notebook runs with every parameter that takes a file set to one.

The parameters are read from the notebooks: those that are empty by default, and whose comment says
that they take tables or files.
"""

import re

import chess
import chess.pgn
import papermill
import pytest
from drawn_figures import run_here

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import recorded_replies
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.games.game_tables import bundled_games
from workbench.headless.figure_run import INPUTS
from workbench.headless.notebook_runs import assign_parameters, figure_notebooks
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score_file
from workbench.tables.parquet_tables import PREDICTIONS, write_table

TAKES_A_FILE = re.compile(r"\btables?\b|\bfiles?\b|\bParquet\b")
MODELS = ["o3-2025-04-16", "gpt-4.1-mini-2025-04-14"]
SMALL = {
    "per_group": 1, "depth": 2, "depths": [1, 2], "resamples": 20, "jobs": 1, "rates": [0.1],
    "samples": 20, "repeats": 4, "pairs": 2, "scattered_pairs": 2, "moves": 2, "batches": 2,
    "exact_depth": 2, "deep_depth": 3, "deep_repeats": 2, "lost_piece_positions": 1, "examples": 1,
    "far_floor": 0.0, "own_setup": "simulated", "methods": ["stratified"],
}  # fmt: skip
"""Sizes, of whichever notebook has them."""


def file_parameters(notebook):
    """Return the names of a notebook's parameters that take files."""
    return [
        name
        for name, one in papermill.inspect_notebook(str(notebook)).items()
        if one["default"] in ('""', "[]", "{}") and TAKES_A_FILE.search(one["help"])
    ]


def parameters_of(notebook):
    """Return the names of all parameters of a notebook."""
    (path,) = figure_notebooks([notebook])
    return papermill.inspect_notebook(str(path))


def runs():
    """Yield a notebook with its tables, and with its games: tables take precedence over games."""
    for notebook in figure_notebooks():
        names = file_parameters(notebook)
        for chosen in ([name for name in names if name != "games"], {"games"} & {*names}):
            if chosen:
                yield pytest.param(notebook.stem, sorted(chosen), id=f"{notebook.stem} {chosen}")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A small file, or several, for each parameter."""
    folder = tmp_path_factory.mktemp("files")

    def table(name, rows):
        write_table(rows, folder / f"{name}.parquet", PREDICTIONS)
        return str(folder / f"{name}.parquet")

    replies = recorded_replies((), MODELS)
    few = replies[replies["ply"].isin([1, 30])].groupby(["set", "model", "ply"]).head(4)
    thinking = recorded_replies(settings=["thinking=0", "thinking=256"])
    predictions = table("predictions", few)
    score_file(folder / "predictions.parquet", folder / "scores.parquet", ScoringParameters(2))
    positions = sample_positions(environment_named("othello"), [3, 9], 4, 0)
    stated, listed = (simulate(positions, rate=0.2, seed=0, task=t) for t in ("state", "actions"))
    careful = simulate(positions, rate=0.05, seed=1)
    with (folder / "games.pgn").open("w", encoding="utf-8") as file:
        for game in bundled_games()[:30]:
            board = chess.Board()
            for move in game.moves:
                board.push(chess.Move.from_uci(str(move)))
            print(chess.pgn.Game.from_board(board), file=file, end="\n\n")
    return {
        "games": [str(folder / "games.pgn")],
        "predictions": predictions,
        "scores": str(folder / "scores.parquet"),
        "prompts": {"one": table("stated", stated), "two": table("careful", careful)},
        "thinking": [table("thinking", thinking[thinking["ply"] <= 2])],
        "own_tables": [str(folder / "stated.parquet"), table("listed", listed)],
    }


def test_the_parameters_that_take_files_are_found():
    names = {name for notebook in figure_notebooks() for name in file_parameters(notebook)}
    assert names == set(INPUTS)


@pytest.mark.slow
@pytest.mark.parametrize(("notebook", "names"), runs())
def test_a_notebook_runs_with_files(notebook, names, files, tmp_path):
    given = {name: files[name] for name in names}
    if notebook == "12_environments":
        # One table an environment.
        given["own_tables"] = given["own_tables"][:1]
    if notebook == "08_models" and "predictions" in given:
        given["predictions"] = [given["predictions"]]
    (sizes,) = assign_parameters(figure_notebooks([notebook]), SMALL, {}).values()
    if "games" in names:
        # Else the recorded replies would be scored, all of them.
        sizes |= {"replies": "simulated"} if "replies" in parameters_of(notebook) else {}
        given |= {"thinking": files["thinking"]} if notebook == "09_prompts" else {}
    if notebook == "12_environments":
        sizes |= {"depths": 2}
    run_here(notebook, tmp_path, **sizes, **given)
    assert list(tmp_path.glob("*.png"))

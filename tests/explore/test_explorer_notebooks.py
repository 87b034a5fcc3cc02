"""The explorer's notebooks run from top to bottom with their defaults, each with a still picture."""

import base64
import json
import re

import pandas as pd
import pytest

from workbench.explore.run.run_files import load_run
from workbench.headless.notebook_runs import NOTEBOOKS, run_notebooks
from workbench.tables.parquet_tables import PREDICTIONS, write_table

NAMES = ("00_start_here", "10_explore_board_pair", "11_explore_run")
STILLS = {"00_start_here": 3, "10_explore_board_pair": 4, "11_explore_run": 2}
WIDGET = "application/vnd.jupyter.widget-view+json"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("explorer")


@pytest.fixture(scope="module")
def executed(folder):
    """All three, run once: the run with fewer replies than by default, the pair with a picture."""
    assigned = {
        NOTEBOOKS / "00_start_here.ipynb": {"runs": 2},
        NOTEBOOKS / "10_explore_board_pair.ipynb": {"out": str(folder)},
        NOTEBOOKS / "11_explore_run.ipynb": {"models": ["gpt-4o-2024-08-06"], "out": str(folder)},
    }
    return {run.name: run for run in run_notebooks(assigned, folder, jobs=2)}


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_runs_and_shows_widgets_and_still_pictures(name, executed):
    run = executed[name]
    assert run.error == ""
    outputs = [
        output
        for cell in cells_of(run.executed)
        for output in cell.get("outputs", [])
        if output["output_type"] in ("execute_result", "display_data")
    ]
    assert any(WIDGET in output["data"] for output in outputs)
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output["data"]]
    assert len(pictures) == STILLS[name]
    assert all(base64.b64decode(picture).startswith(PNG) for picture in pictures)
    errors = [
        output
        for cell in cells_of(run.executed)
        for output in cell.get("outputs", [])
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]
    assert errors == []


def test_named_pictures_are_written(executed, folder):
    assert not [run.error for run in executed.values() if run.error]
    for name in ("explore_board_pair.png", "explore_run.png"):
        assert (folder / name).read_bytes().startswith(PNG)


@pytest.mark.parametrize("name", NAMES)
def test_links_to_what_is_there(name):
    path = NOTEBOOKS / f"{name}.ipynb"
    prose = "".join(
        "".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "markdown"
    )
    for target in re.findall(r"\]\(([^)]+)\)", prose):
        assert (NOTEBOOKS / target).exists(), target


def test_the_tour_leads_to_every_notebook():
    prose = (NOTEBOOKS / "00_start_here.ipynb").read_text(encoding="utf-8")
    for path in NOTEBOOKS.glob("*.ipynb"):
        if path.stem != "00_start_here":
            assert f"({path.name})" in prose


@pytest.mark.slow
def test_predictions_alone_are_scored(predictions, tmp_path):
    """As `workbench figures --predictions` assigns them; one row of each class, none lost."""
    path = tmp_path / "predictions.parquet"
    write_table(predictions, path, PREDICTIONS)
    scores, replies = load_run(predictions=path, depth=2)
    assert scores["position_id"].tolist() == predictions["position_id"].tolist()
    assert scores["precision_2"].iloc[0] == 1.0
    pd.testing.assert_frame_equal(replies, predictions, check_dtype=False)
    notebook = NOTEBOOKS / "11_explore_run.ipynb"
    (run,) = run_notebooks({notebook: {"predictions": str(path), "depth": 2}}, tmp_path)
    assert run.error == ""

"""A metric of another package: in the scores, and wherever they are shown, with no file changed.

It is the example in notebooks/examples/material, known by its entry point.
"""

import importlib
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from workbench.checking.table_check import check_table
from workbench.cli import main
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_browser import RunBrowser
from workbench.explore.run.run_table import run_table
from workbench.installation import RESOURCES
from workbench.metrics import Metric, metric_of, metric_registry, metrics, range_of
from workbench.scoring import ScoringParameters, score_file, scores_schema
from workbench.scoring.parameters import scoring_code
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, read_table, write_table

NAME = "material_difference"
TWO = ScoringParameters(depth=2)
EXAMPLE = RESOURCES / "notebooks" / "examples" / "material"


def install(monkeypatch, *loaded):
    entries = [
        SimpleNamespace(name=f"own {place}", load=lambda it=it: it)
        for place, it in enumerate(loaded)
    ]
    monkeypatch.setattr(metric_registry, "entry_points", lambda group: entries)
    metric_registry._own.cache_clear()


@pytest.fixture
def material(monkeypatch):
    """The module of the example, with its entry point."""
    monkeypatch.syspath_prepend(EXAMPLE)
    module = importlib.import_module("material")
    install(monkeypatch, module.MaterialDifference)
    yield module
    monkeypatch.undo()
    metric_registry._own.cache_clear()
    del sys.modules["material"]


@pytest.fixture
def run(predictions, tmp_path):
    """The folder of a run."""
    write_table(predictions, tmp_path / "predictions.parquet", PREDICTIONS, {"stage": "by hand"})
    return tmp_path


def scored(run):
    return score_file(run / "predictions.parquet", run / "scores.parquet", TWO)


def test_the_example_is_short():
    """Under 40 lines, the head of its package aside, and it names the entry point."""
    assert len((EXAMPLE / "material.py").read_text().splitlines()) < 40
    assert f'{NAME} = "material:MaterialDifference"' in (EXAMPLE / "pyproject.toml").read_text()


@pytest.mark.slow
def test_the_example_is_a_metric_once_it_is_installed(tmp_path):
    """By pip, with no part of the registry replaced."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    target = ["--no-build-isolation", "--target", tmp_path]
    subprocess.run([*install, *target, EXAMPLE], check=True, timeout=600)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    board = "4k3/8/8/8/8/8/8/{} w - - 0 1"
    command = ["compare", board.format("RN2K2R"), board.format("R3K3"), "--depth", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *command],
        env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True, timeout=600,
    )  # fmt: skip
    assert json.loads(done.stdout)[NAME] == 8.0


def test_its_column_is_in_the_scores(material, run):
    """A king lost is no material; what cannot be read has none."""
    scores = scored(run)
    place = scores.columns.get_loc(NAME)
    assert scores.columns[place + 1] == "violated_conditions"
    assert scores[NAME].tolist()[:3] == [0.0, 0.0, 0.0]
    assert scores[NAME].iloc[3:].isna().all()
    chess = environment_named("chess")
    true, without = (
        chess.parse(f"4k3/8/8/8/8/8/8/{rank} w - - 0 1") for rank in ("RN2K2R", "RN2K3")
    )
    assert metric_registry.pair_values(chess, true, without)[NAME] == 5.0
    assert NAME not in scores_schema(TWO, environment_named("boxes")).names


def test_it_is_a_metric_like_any_other(material):
    assert metric_of(NAME).title == "difference in material"
    assert range_of(NAME) == (0.0, 1152.0)
    assert list(metrics("chess", 2))[-1] == NAME
    assert metric_of(NAME).sentence.startswith("Absolute difference of White's")


def test_compare_gives_it(material):
    board = "4k3/8/8/8/8/8/8/{} w - - 0 1"
    arguments = ["compare", board.format("RN2K2R"), board.format("R3K3"), "--depth", "1", "--json"]
    result = CliRunner().invoke(main, arguments)
    assert json.loads(result.output)[NAME] == 8.0


def test_the_run_browser_shows_sorts_and_opens_it(material, run):
    scores = scored(run)
    scores[NAME] = [0.0, 3.0, 1.0, np.nan, np.nan, np.nan]
    browser = RunBrowser(scores)
    (column,) = [each for each in browser.table.data["columns"] if each["name"] == NAME]
    assert column["shown"]
    assert (column["label"], column["digits"]) == ("difference in material", 0)
    browser.table.sort_by, browser.table.descending = NAME, True
    assert browser.table.places.tolist()[:3] == [1, 2, 0]
    browser.open_row(1)
    assert ["difference in material", "3"] in browser.table.opened["facts"]


@pytest.mark.slow
def test_the_report_and_its_exports_have_its_mean(material, run):
    scored(run)
    result = CliRunner().invoke(main, ["report", str(run), "-o", str(run / "out")])
    assert result.exit_code == 0, result.output
    (page,) = (run / "out").glob("*.html")
    assert "difference in material" in page.read_text()
    document = json.loads((run / "out" / "results.json").read_text())
    (config,) = [
        each["metric_config"]
        for each in document["evaluation_results"]
        if each["metric_config"]["metric_id"].endswith(NAME)
    ]
    assert (config["metric_unit"], config["lower_is_better"]) == ("pawns", True)
    assert (config["min_score"], config["max_score"]) == (0.0, 1152.0)
    assert config["evaluation_description"].endswith("between both boards, in pawns.")
    lines = [
        json.loads(line) for line in (run / "out" / "instances.jsonl").read_text().splitlines()
    ]
    assert float(lines[0]["metadata"][NAME]) == 0.0
    assert NAME in (run / "out" / "model_card.md").read_text()


def test_check_recomputes_it_and_its_range(material, run):
    scores = scored(run)
    scores.loc[1, NAME] = 2000.0
    provenance = read_provenance(run / "scores.parquet")
    write_table(scores, run / "scores.parquet", scores_schema(TWO), provenance)
    found = [each.what for each in check_table(run / "scores.parquet").oddities]
    assert f"{NAME} lies outside its range" in found
    assert f"{NAME} does not match its FENs" in found


def test_its_source_is_part_of_what_determines_scores(material, run, monkeypatch):
    chess = environment_named("chess")
    code = scoring_code(chess)
    assert len(code["material"]) == 64
    scored(run)
    assert read_provenance(run / "scores.parquet")["code"] == code
    monkeypatch.setattr(metric_registry, "getsource", lambda module: "another source")
    assert scoring_code(chess)["material"] != code["material"]
    assert "material" not in scoring_code(environment_named("boxes"))


@pytest.mark.slow
def test_scores_made_without_it_open_and_are_sound(run, request):
    scored(run)
    before = [each.what for each in check_table(run / "scores.parquet").oddities]
    request.getfixturevalue("material")
    path = run / "scores.parquet"
    assert NAME not in pq.read_schema(path).names
    assert [each.what for each in check_table(path).oddities] == before
    present = pq.read_schema(path).names
    frame = read_table(path, scores_schema(TWO, present=present))
    assert NAME not in run_table(frame).rows
    result = CliRunner().invoke(main, ["report", str(run), "-o", str(run / "out")])
    assert result.exit_code == 0, result.output


class Columns(Metric):
    """v_m, the share of the lines of m - 1 actions that are still accepted after the next."""

    name, title, symbol = "step", "step precision", "v"
    sentence = "p_m over p_(m-1)."
    needs, by_depth = "columns", True

    def values(self, columns):
        """Return the ratios, undefined where the one below is 0."""
        below = columns[f"precision_{self.depth - 1}"] if self.depth > 1 else 1.0
        with np.errstate(invalid="ignore"):
            return columns[f"precision_{self.depth}"] / below


def test_a_metric_of_columns_has_one_for_each_depth(monkeypatch, run):
    install(monkeypatch, Columns())
    scores = scored(run)
    expected = scores["precision_2"] / scores["precision_1"]
    pd.testing.assert_series_equal(scores["step_2"], expected, check_names=False)
    assert scores["step_2"].iloc[1:].isna().sum() > 1
    assert run_table(scores).rows["step_1"].equals(scores["precision_1"].rename("step_1"))
    monkeypatch.undo()
    metric_registry._own.cache_clear()


class Broken(Columns):
    """A metric of states that fails."""

    name, title, needs, by_depth = "broken", "broken", "states", False

    def value(self, pair):
        """Fail."""
        return 1 / 0


class Taken(Columns):
    """The name of a column of the workbench."""

    name = "precision"


class Nameless(Columns):
    """Without a sentence."""

    sentence = ""


@pytest.mark.parametrize(
    ("loaded", "said"),
    [
        (Taken, "'precision', which another metric has"),
        (Nameless, "with sentence, got none"),
        (str, "to name a Metric, got <class 'str'>"),
        (Broken, "metric 'broken': failed on the true state 'rnbq.*ZeroDivisionError"),
    ],
)
def test_a_metric_that_cannot_be_is_refused_by_name(monkeypatch, run, loaded, said):
    install(monkeypatch, loaded)
    with pytest.raises(InvalidArgumentError, match=said):
        scored(run)
    monkeypatch.undo()
    metric_registry._own.cache_clear()

"""The parameters of notebooks that take files, and the notebook that takes several tables of one's own.

The parameters are read from the notebooks: those that are empty by default, and whose comment says
that they take tables or files.
"""

import re
from pathlib import Path

import papermill
from drawn_figures import run_here

from workbench.answers.simulated_replies import simulate
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.headless.all_figures import INPUTS
from workbench.headless.notebook_runs import figure_notebooks
from workbench.tables.parquet_tables import PREDICTIONS, write_table

TAKES_A_FILE = re.compile(r"\btables?\b|\bfiles?\b|\bParquet\b")


def file_parameters(notebook):
    """Return the names of a notebook's parameters that take files."""
    return [
        name
        for name, one in papermill.inspect_notebook(str(notebook)).items()
        if one["default"] in ('""', "[]", "{}") and TAKES_A_FILE.search(one["help"])
    ]


def test_the_parameters_that_take_files_are_found():
    names = {name for notebook in figure_notebooks() for name in file_parameters(notebook)}
    assert names == set(INPUTS)


def test_stated_and_implied_with_tables_of_ones_own(tmp_path):
    positions = sample_positions(environment_named("othello"), [3, 9], 4, 0)
    tables = []
    for task in ("state", "actions"):
        tables.append(str(tmp_path / f"{task}.parquet"))
        write_table(simulate(positions, rate=0.2, seed=0, task=task), Path(tables[-1]), PREDICTIONS)
    run_here("15_stated_and_implied", tmp_path / "out", own_tables=tables)
    assert (tmp_path / "out" / "15_stated_and_implied.png").is_file()

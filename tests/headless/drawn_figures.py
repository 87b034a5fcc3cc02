"""Figure notebooks run in the process of the tests, and what every figure and table must keep."""

import json

import nbformat
import pandas as pd
from IPython.display import display

from workbench.headless.notebook_runs import assign_parameters, figure_notebooks

FIVE_GROUPS = [5, 16, 27, 38, 50]


def run_here(name, out, **given):
    """Run a notebook's code in this process, which has imported what a kernel would import anew."""
    places = {"out": str(out), "tables": str(out / "tables")}
    ((path, assigned),) = assign_parameters(figure_notebooks([name]), places, given).items()
    # IPython has it without an import.
    names = {"display": display}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
            if "parameters" in cell.metadata.get("tags", ()):
                names |= assigned


def drawn(notebook, out, *figures, **given):
    """Run a notebook here; check the files of its figures; return the table of each."""
    run_here(notebook, out, **given)
    return tables_of(out, *(figures or [notebook]), **given)


def tables_of(out, *names, **given):
    """Check the files of figures, and return the table of each."""
    assert {path.stem for path in out.glob("*.*")} == set(names)
    for name in names:
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (out / f"{name}.svg").read_text()
        sidecar = json.loads((out / f"{name}.json").read_text())
        same = sidecar["parameters"].keys() & given.keys()
        assert {key: sidecar["parameters"][key] for key in same} == {
            key: given[key] for key in same
        }
        assert sidecar["seed"] == 0
        assert sidecar["versions"]["chess"]
        assert set(sidecar) >= {"data", "git_commit", "inputs"}
    return [pd.read_csv(out / f"{name}.csv") for name in names]


def assert_shares(table, *columns):
    """Check that no value of a column is outside of 0 to 1, and that none is missing."""
    for column in columns:
        assert table[column].between(0, 1).all(), column


def assert_interval(table, value="mean", low="low", high="high"):
    """Check that values lie in their intervals; games that do not vary have none."""
    assert (table[low].isna() == table[high].isna()).all()
    known = table.dropna(subset=low)
    assert len(known)
    assert (known[low] <= known[value] + 1e-12).all()
    assert (known[value] <= known[high] + 1e-12).all()


def assert_falls_with_depth(table, by, value):
    """Check that p_m does not rise with m where nothing was estimated."""
    for _, curve in table.sort_values("depth").groupby(by):
        assert (curve[value].diff().dropna() <= 1e-12).all()


def scores_below(out):
    """The stored scores of the five groups."""
    tables = map(pd.read_parquet, (out / "tables").glob("scores-*.parquet"))
    return pd.concat(t for t in tables if sorted(t["group"].unique()) == FIVE_GROUPS)

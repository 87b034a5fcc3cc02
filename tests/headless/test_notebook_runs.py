"""Notebooks through papermill: strict parameters, failures kept and named, the others go on."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from workbench.cli.command_options import named_value
from workbench.errors import (
    GameFileError,
    InvalidArgumentError,
    NotebookError,
    TableError,
    UnknownParameterError,
)
from workbench.headless.figure_run import PRESETS, make_figures
from workbench.headless.notebook_runs import (
    NotebookProgress,
    NotebookRun,
    assign_parameters,
    figure_notebooks,
    notebook_parameters,
    raise_for_failures,
    run_notebooks,
)


def notebook(folder, name, parameters, code):
    cells = [nbformat.v4.new_code_cell(parameters), nbformat.v4.new_code_cell(code)]
    cells[0].metadata["tags"] = ["parameters"]
    path = folder / f"{name}.ipynb"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), path)
    return path


@pytest.fixture
def two(tmp_path):
    good = notebook(
        tmp_path,
        "01_good",
        'out = "."\nword = "old"',
        'import time; time.sleep(0.7); print("said", word)',
    )
    bad = notebook(tmp_path, "02_bad", 'out = "."\nnumber = 1', "1 / (number - 1)")
    return good, bad


def test_the_figure_notebooks_are_those_that_write_figures():
    names = [path.stem for path in figure_notebooks()]
    assert names[:2] == ["01_precision_by_depth", "02_precision_by_samples"]
    assert [p.stem for p in figure_notebooks(["kendall_tau"])] == ["03_kendall_tau"]
    assert [p.stem for p in figure_notebooks(["03_kendall_tau"])] == ["03_kendall_tau"]
    with pytest.raises(InvalidArgumentError, match="'kendall'"):
        figure_notebooks(["kendall"])


def test_a_folder_without_notebooks_is_named(tmp_path):
    with pytest.raises(InvalidArgumentError, match=str(tmp_path)):
        figure_notebooks(folder=tmp_path)


@pytest.mark.slow
def test_a_failed_notebook_is_kept_and_named_and_the_others_go_on(two, tmp_path):
    good, bad = two
    dead = notebook(tmp_path, "03_dead", 'out = "."', "import os; os._exit(1)")
    code = 'from workbench.errors import TableError; raise TableError("too few rows:\\nnone")'
    refusing = notebook(tmp_path, "04_refusing", 'out = "."', code)
    reported, watched = [], []
    runs = run_notebooks(
        {bad: {}, dead: {}, good: {"word": "new"}, refusing: {}},
        tmp_path / "executed", jobs=3, report=reported.append, watch=watched.extend,
    )  # fmt: skip
    names = ["02_bad", "03_dead", "01_good", "04_refusing"]
    assert sorted(run.name for run in reported) == sorted(names)
    assert [run.name for run in runs] == names
    assert runs[0].error == "ZeroDivisionError: division by zero"
    assert runs[1].error == "DeadKernelError: Kernel died"
    assert runs[2].error == ""
    assert "ZeroDivisionError" in runs[0].executed.read_text()
    assert "said new" in runs[2].executed.read_text()
    with pytest.raises(NotebookError, match=r"02_bad failed .*executed/02_bad\.ipynb"):
        raise_for_failures(runs)
    with pytest.raises(NotebookError, match=r"^04_refusing cannot be drawn: too few rows:$"):
        raise_for_failures(runs[2:])
    raise_for_failures(runs[2:3])
    # The cell with the parameters that were given counts.
    of_good = [(each.cells_done, each.cells) for each in watched if each.name == "01_good"]
    assert of_good == sorted(of_good)
    assert (2, 3) in of_good


def test_a_line_is_shown_where_a_notebook_has_got_further(capsys):
    from workbench.headless.notebook_runs import NotebookLines

    with NotebookLines() as lines:
        waiting = NotebookProgress("02_b", 0, 0, 0.0)
        lines.unfinished([NotebookProgress("01_a", 0, 0, 0.3), waiting])
        for seconds in (1.0, 2.0):
            lines.unfinished([NotebookProgress("01_a", 3, 5, seconds), waiting])
        lines.ended(NotebookRun("01_a", Path("01_a.ipynb"), 2.5, "TableError: no", is_refusal=True))
        lines.unfinished([NotebookProgress("02_b", 0, 4, 0.1)])
    shown = capsys.readouterr()
    assert shown.err.splitlines() == [
        "0 of 2 notebooks done; 01_a starts",
        "0 of 2 notebooks done; 01_a 3/5 cells 1 s",
        "1 of 2 notebooks done; 02_b 0/4 cells 0 s",
    ]
    assert shown.out.split() == ["01_a", "2.5", "s", "not", "drawn"]


def test_an_unknown_parameter_is_an_error_before_anything_runs(two, tmp_path):
    good, bad = two
    with pytest.raises(UnknownParameterError, match="'wrod'"):
        run_notebooks({good: {}, bad: {"wrod": 1}}, tmp_path / "executed")
    assert not (tmp_path / "executed").exists()
    with pytest.raises(UnknownParameterError, match="'wrod'"):
        assign_parameters([good, bad], {}, {"wrod": 1})


def test_each_notebook_gets_the_parameters_it_has(two):
    good, bad = two
    assigned = assign_parameters([good, bad], {"out": "x", "other": 1}, {"number": 3})
    assert assigned == {good: {"out": "x"}, bad: {"out": "x", "number": 3}}
    assert notebook_parameters(good) == {"out", "word"}


def test_a_preset_is_for_its_notebook_alone_and_must_fit_it(two):
    good, bad = two
    assigned = assign_parameters([good, bad], {}, {}, {"02_bad": {"number": 9}})
    assert assigned == {good: {}, bad: {"number": 9}}
    assert assign_parameters([bad], {}, {"number": 3}, {"02_bad": {"number": 9}}) == {
        bad: {"number": 3}
    }
    with pytest.raises(UnknownParameterError, match="wrod"):
        assign_parameters([good], {}, {}, {"01_good": {"wrod": 1}})


def test_every_preset_fits_the_notebooks_there_are():
    for sizes in PRESETS.values():
        assert set(sizes) <= {path.stem for path in figure_notebooks()}
        assign_parameters(figure_notebooks(), {}, {}, sizes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth=3", ("depth", 3)),
        ("samples=[10, 30]", ("samples", [10, 30])),
        ("terminal=drop", ("terminal", "drop")),
        ('model="a=b"', ("model", "a=b")),
        ("model=", ("model", "")),
    ],
)
def test_parameters_are_read_as_json_or_text(text, expected):
    assert named_value(text) == expected


@pytest.mark.parametrize("text", ["depth", "=3", "two words=1"])
def test_what_is_no_parameter_is_named(text):
    with pytest.raises(InvalidArgumentError, match=text):
        named_value(text)


def test_an_unknown_preset_is_named(tmp_path):
    with pytest.raises(InvalidArgumentError, match="'huge'"):
        make_figures(preset="huge", out=tmp_path)


def test_the_longest_notebooks_start_first(tmp_path):
    from workbench.headless.figure_run import LONGEST_FIRST

    stems = [path.stem for path in figure_notebooks()]
    assert set(LONGEST_FIRST) <= set(stems)
    with pytest.raises(_FirstSeenError) as seen:
        make_figures(only=stems, out=tmp_path, watch=_raise_seen)
    names = [each.name for each in seen.value.args[0]]
    assert names[: len(LONGEST_FIRST)] == list(LONGEST_FIRST)
    assert sorted(names) == sorted(stems)


class _FirstSeenError(Exception):
    pass


def _raise_seen(notebooks):
    raise _FirstSeenError(notebooks)


@pytest.mark.parametrize("parameter", ["predictions", "prompts"])
def test_predictions_that_cannot_be_drawn_are_found_before_a_notebook_starts(
    parameter, predictions, tmp_path
):
    from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, write_table

    good, empty, positions = (tmp_path / f"{name}.parquet" for name in ("good", "empty", "cut"))
    write_table(predictions, good, PREDICTIONS)
    write_table(predictions.iloc[:0], empty, PREDICTIONS)
    write_table(predictions[POSITIONS.names], positions, POSITIONS)
    for path, said in (
        (tmp_path / "nowhere.parquet", "nowhere.parquet: expected a whole Parquet file"),
        (positions, "cut.parquet: expected the columns"),
        (empty, "empty.parquet: expected a predictions table with rows"),
    ):
        given = [str(good), str(path)] if parameter == "predictions" else {"direct": str(path)}
        with pytest.raises(TableError, match=said):
            make_figures(
                only=["models", "prompts"], parameters={parameter: given}, out=tmp_path / "out"
            )
    assert not (tmp_path / "out").exists()


def test_games_that_are_not_there_are_found_before_a_notebook_starts(tmp_path):
    with pytest.raises(GameFileError, match=r"nowhere\.pgn: expected a file of games"):
        make_figures(games=[tmp_path / "nowhere.pgn"], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_both_notebooks_of_scores_run_on_given_predictions(predictions, tmp_path):
    from workbench.tables.parquet_tables import PREDICTIONS, write_table

    path = tmp_path / "predictions.parquet"
    # The last has no true board.
    both = pd.concat([predictions, predictions.iloc[:5].assign(model="another")])
    write_table(both, path, PREDICTIONS)
    runs = make_figures(
        only=["kendall_tau", "mean_precision"],
        parameters={"depth": 2, "lost_piece_positions": 1, "per_group": 1, "jobs": 1},
        predictions=path,
        out=tmp_path / "out",
        jobs=2,
    )  # fmt: skip
    assert [run.error for run in runs] == ["", ""]
    sidecar = json.loads((tmp_path / "out" / "03_kendall_tau.json").read_text())
    assert list(sidecar["inputs"]) == ["predictions.parquet"]
    assert "by hand" in sidecar["data"]
    assert "1 not scored" in sidecar["data"]
    names = {path.stem for path in (tmp_path / "out").glob("*.csv")}
    assert names == {
        "03_kendall_tau", "03_tau_in_parts", "04_mean_precision", "04_format", "04_lost_piece"
    }  # fmt: skip
    for name in ("03_kendall_tau", "04_mean_precision"):
        table = pd.read_csv(tmp_path / "out" / f"{name}.csv")
        # Both together, as no model is asked for, and each.
        assert set(table["model"]) == {"another, by hand", "another", "by hand"}


@pytest.mark.slow
def test_commands_load_papermill_only_to_run_a_notebook():
    # It takes more than a second of processor time, most of it for a grammar that nothing here uses.
    code = (
        "import sys; import workbench.evaluation, workbench.headless.figure_run, "
        "workbench.headless.notebook_runs; print(sorted({'papermill', 'nbformat', 'jsonschema'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""The front door itself: what `import workbench` offers, how fast, and examples that hold."""

import ast
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import workbench
import workbench.explore
from workbench.explore import BoardPair, RunBrowser, StatePair

STUB = Path(workbench.__file__).with_suffix(".pyi")


def test_the_names_are_few_and_all_there():
    names = [name for name in dir(workbench) if not name.startswith("_")]
    assert names == sorted(workbench.__all__)
    # An audit needs no true state, and a legal mass no sample: no other name leads to either.
    assert len(names) <= 20
    for name in names:
        assert getattr(workbench, name).__doc__


def test_the_stub_for_type_checkers_has_the_same_names():
    tree = ast.parse(STUB.read_text())
    imported = [each.names[0].name for each in tree.body if isinstance(each, ast.ImportFrom)]
    assert sorted(imported) == sorted(workbench.__all__)


def test_importing_takes_no_package_along():
    code = (
        "import sys, time; began = time.perf_counter(); import workbench; dir(workbench)\n"
        "print(time.perf_counter() - began, sorted({'pandas', 'numpy', 'chess'} & set(sys.modules)))"
    )
    seconds, _, modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.partition(" ")
    assert modules.strip() == "[]"
    # A thirtieth of a second on a quiet machine; the limit is 0.1.
    assert float(seconds) < 1


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="scroe"):
        workbench.scroe  # noqa: B018


def test_explore_is_a_function_and_a_package():
    boxes = workbench.positions(1, "boxes")["true_state"][0]
    assert isinstance(workbench.explore(), BoardPair)
    assert isinstance(workbench.explore(boxes, boxes, environment="boxes"), StatePair)
    scores = workbench.score(workbench.recorded_replies(models="o3-2025-04-16").head(3), depth=1)
    browser = workbench.explore(scores)
    assert isinstance(browser, RunBrowser)
    # The replies of the frame come with the scores.
    browser.open_row(0)
    assert browser.pair.moves
    assert workbench.explore.BoardPair is BoardPair
    with pytest.raises(workbench.errors.InvalidArgumentError, match="expected scores"):
        workbench.explore(workbench.positions(1))


def test_explore_opens_tables_of_other_libraries_and_run_folders(tmp_path):
    replies = workbench.recorded_replies(models="o3-2025-04-16").head(3)
    scores = workbench.score(replies, depth=1)
    arrow = pa.Table.from_pandas(scores, preserve_index=False)
    assert isinstance(workbench.explore(arrow), RunBrowser)
    scores.to_parquet(tmp_path / "scores.parquet")
    replies.to_parquet(tmp_path / "predictions.parquet")
    browser = workbench.explore(tmp_path)
    browser.open_row(1)
    assert browser.pair.moves

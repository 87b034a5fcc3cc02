"""The folder of exports: what of an earlier report is removed, and what of others stays."""

import json

import pytest

from workbench.errors import OutputError
from workbench.reports.exports import write_exports
from workbench.reports.exports.file_names import file_name
from workbench.reports.reported_run import read_run
from workbench.tables.provenance import file_hash


def test_results_of_an_earlier_report_do_not_stay(asked_run, tmp_path):
    out = tmp_path / "out"
    first, second = (read_run(asked_run(["right"], name)) for name in ("first", "second"))
    write_exports([first, second, second], out)
    assert not (out / "results.json").exists()
    assert len(list((out / "evaluations").iterdir())) == 2
    assert len(list((out / "tables").iterdir())) == 4
    (out / "tables" / "notes.txt").write_text("mine")
    changed = out / "tables" / "second-predictions.parquet"
    changed.write_text("mine, too")
    write_exports([first], out)
    assert not (out / "evaluations").exists()
    assert (out / "results.json").exists()
    names = {path.name for path in (out / "tables").iterdir()}
    assert names == {"scores.parquet", "predictions.parquet", "notes.txt", changed.name}


def test_only_files_in_the_folder_of_tables_are_removed(asked_run, tmp_path):
    run, out = read_run(asked_run(["right"])), tmp_path / "out"
    write_exports([run], out)
    theirs = [tmp_path / "theirs.parquet", out / "theirs.parquet", out / "tables" / "a" / "b"]
    for path in theirs:
        path.parent.mkdir(exist_ok=True)
        path.write_text("theirs")
    described = json.loads((out / "croissant.json").read_text())
    described["distribution"] = [
        {"contentUrl": place, "sha256": file_hash(theirs[0])}
        for place in ("../theirs.parquet", "tables/../theirs.parquet", "theirs.parquet",
                      "tables/../../theirs.parquet", str(theirs[0]), "tables/a/b", "tables/..",
                      "tables/a", "tables")
    ]  # fmt: skip
    (out / "croissant.json").write_text(json.dumps(described))
    write_exports([run], out)
    assert [path.read_text() for path in theirs] == ["theirs"] * 3
    (out / "croissant.json").write_text('{"World-State Workbench": [')
    with pytest.raises(OutputError, match="move it away"):
        write_exports([run], out)
    assert (out / "results.json").exists()


@pytest.mark.parametrize("name", ["results.json", ".zenodo.json", "croissant.json", "tables/mine"])
def test_files_of_others_are_not_written_over(asked_run, tmp_path, name):
    run = read_run(asked_run(["right"]))
    theirs = tmp_path / "out" / name
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"title": "My own software"}')
    with pytest.raises(OutputError, match="move it away"):
        write_exports([run], tmp_path / "out")
    assert theirs.read_text() == '{"title": "My own software"}'
    assert list(theirs.parent.iterdir()) == [theirs]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/gpt-4o", "openai-gpt-4o"),
        ("../..", "unnamed"),
        ("con.txt", "con.txt-"),
        ("data", "data-"),
        ("ä" * 1_000_000, "unnamed"),
        ("x" * 1_000_000, "x" * 80),
    ],
)
def test_names_of_files_are_portable(name, expected):
    assert file_name(name) == expected

"""The folder of exports: what of an earlier report is removed, and what of others stays."""

import pytest

from workbench.errors import OutputError
from workbench.reports.chapters import read_run
from workbench.reports.evaluations import file_name
from workbench.reports.exports import write_exports


@pytest.mark.slow
def test_results_of_an_earlier_report_do_not_stay(asked_run, tmp_path):
    out = tmp_path / "out"
    first, second = (read_run(asked_run(["right"], name)) for name in ("first", "second"))
    write_exports([first, second, second], out)
    assert not (out / "results.json").exists()
    assert len(list((out / "evaluations").iterdir())) == 2
    write_exports([first], out)
    assert not (out / "evaluations").exists()
    assert (out / "results.json").exists()


@pytest.mark.parametrize("name", ["results.json", "model_card.md"])
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

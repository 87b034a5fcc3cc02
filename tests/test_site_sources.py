"""The site's sources: which notebooks run again before it is built, and what docstrings refer to."""

import ast
import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.explore.pair.pair_html import pair_html
from workbench.explore.reader.reader_html import reader_html

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """The module, with runs that are recorded and write nothing but an empty notebook."""
    spec = importlib.util.spec_from_file_location("site_sources", ROOT / "docs" / "site_sources.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ran = []

    def run(parameters, folder, jobs, done):
        folder.mkdir(parents=True, exist_ok=True)
        for path in parameters:
            module.ran.append(path.name)
            (folder / path.name).write_text("{}")
        return []

    monkeypatch.setattr(module, "run_notebooks", run)
    monkeypatch.setattr(module, "FIGURES", tmp_path / "none")
    return module


def test_every_file_that_a_notebook_reads_is_an_input(sources):
    names = {path.relative_to(ROOT).as_posix() for path in sources.inputs()}
    assert names >= {
        "data/games.parquet",
        "data/replies.parquet",
        "data/models/small.npz",
        "data/models/small.csv",
        "notebooks/examples/hanoi/hanoi.py",
        "workbench/explore/lesson/guess.js",
    }
    assert not [name for name in names if name.endswith((".md", ".pyc"))]


def test_notebooks_run_once_and_again_when_an_input_is_newer(sources, tmp_path, monkeypatch):
    weights = tmp_path / "small.npz"
    weights.touch()
    # Whatever the times of the files of this checkout are.
    os.utime(weights, (0, 0))
    monkeypatch.setattr(sources, "inputs", lambda: [weights])
    notebooks = len(list(ROOT.glob("notebooks/*.ipynb"))) + 3
    sources.executed_notebooks(tmp_path / "run", 1)
    assert len(sources.ran) == notebooks
    sources.executed_notebooks(tmp_path / "run", 1)
    assert len(sources.ran) == notebooks
    later = os.stat(tmp_path / "run" / "notebooks" / "17_probe.ipynb").st_mtime + 60
    os.utime(weights, (later, later))
    sources.executed_notebooks(tmp_path / "run", 1)
    assert len(sources.ran) == 2 * notebooks


@pytest.mark.slow
def test_the_live_page_is_at_the_top_of_the_site(sources, tmp_path, monkeypatch):
    pytest.importorskip("myst_nb")
    monkeypatch.setattr(sources, "ROOT", tmp_path / "none")
    monkeypatch.setattr(sources, "executed_notebooks", lambda folder, jobs: {})
    monkeypatch.setattr(sources, "module_pages", lambda: [])
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "README.md").write_text(
        "# Site\n\n[![A](https://example.org/a.png)](https://example.org)\n"
    )
    monkeypatch.setattr(sources, "CONTENTS", "")
    sources.lay_out(tmp_path / "source", 1)
    command = [sys.executable, "-m", "sphinx", "-c", str(ROOT / "docs"), "-b", "html", "-q"]
    subprocess.run([*command, str(tmp_path / "source"), str(tmp_path / "html")], check=True)
    html = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("html/*.html")}
    assert html["pair.html"] == pair_html()
    assert html["believer.html"] == reader_html(["tiny"])
    # The first page loads no more than what waits until the reader is near.
    assert html["index.html"].count('<div data-live-reader="{}">') == 1
    assert "load_engine.js" in html["index.html"]
    assert "live_reader.js" not in html["index.html"]
    engines = sorted(path.name for path in (tmp_path / "html" / "_static").glob("live_*.js"))
    assert engines == ["live_games.js", "live_pairs.js", "live_reader.js"]
    # Hosts serve the site below a folder that it does not know.
    assert not re.search(r"""\b(?:href|src)=["']/""", "".join(html.values()))
    assert 'rel="icon" href="_static/icon.svg"' in html["index.html"]
    assert {".nojekyll", "404.html", "README.md"} <= {path.name for path in tmp_path.glob("html/*")}


def test_every_link_of_a_page_leads_to_a_file_of_the_site(sources, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "executed_notebooks", lambda folder, jobs: {})
    monkeypatch.setattr(sources, "module_pages", lambda: [])
    folder = tmp_path / "source"
    sources.lay_out(folder, 1)
    links = [
        (page.relative_to(folder).as_posix(), target)
        for page in folder.rglob("*.md")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 40
    # Notebooks are pages too, once they have run.
    assert [
        (page, target)
        for page, target in links
        if not target.endswith(".ipynb") and not (folder / page).parent.joinpath(target).is_file()
    ] == []


def docstrings(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


@pytest.mark.slow
def test_single_backticks_in_docstrings_hold_names_alone():
    """They are references on the site, where a command between them is a broken one."""
    modules = [path for path in ROOT.glob("workbench/**/*.py") if "cli" not in path.parts]
    assert len(modules) > 200
    found = [
        (path.name, text)
        for path in modules
        for docstring in docstrings(path)
        for text in re.findall(r"(?<!`)`([^`]+)`(?!`)", docstring)
        if not re.fullmatch(r"[\w.]+(\(\))?", text)
    ]
    assert found == []


def test_what_is_returned_is_one_text_and_no_type():
    napoleon = pytest.importorskip("sphinx.ext.napoleon")
    conf = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    lines = ["Do.", "", "Returns:", "    Rows as `Table` has them: one for each pair."]
    conf["return_one_text"](None, "function", "do", None, None, lines)
    assert str(napoleon.GoogleDocstring(lines)).splitlines() == [
        "Do.",
        "",
        ":returns: Rows as `Table` has them: one for each pair.",
    ]

"""Lays out the sources of the documentation site as in the repository, with notebooks that have run.

Run from the repository: ``python docs/site_sources.py build/docs/source 2`` for two at a time. A notebook that has run since it
and its inputs (the package, the bundled data and models, the examples) changed is taken as it is: from figures/notebooks, where `make figures`
leaves them, or from an earlier run of this. The others run first, at the quick size.
"""

import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from workbench.explore.game_tracker import live_games
from workbench.explore.pair.pair_html import live_pairs, pair_html
from workbench.explore.reader.reader_html import live_reader, reader_html
from workbench.headless.class_lessons import LESSONS, write_lessons
from workbench.headless.notebook_runs import (
    NOTEBOOKS,
    assign_parameters,
    raise_for_failures,
    run_notebooks,
)
from workbench.installation import PACKAGE

ROOT: Final = Path(__file__).resolve().parents[1]
FIGURES: Final = ROOT / "figures" / "notebooks"
PAGES: Final = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "data/*.md", "docs/*.md")
FILES: Final = ("figures/*.png", "notebooks/examples/*/*.py")
"""Pictures that the pages show, and files that they offer."""
PLACES: Final = frozenset({"out", "tables", "games", "predictions", "scores"})
LIVE: Final = "live"
"""A folder of the sources; what it holds stands at the top of the site as it is, by conf.py."""
PAIR_PAGE: Final = "pair.html"
READER_PAGE: Final = "believer.html"
READER: Final = "tiny"
"""The language model that reads on the first page, and on a page of its own."""
ENGINE: Final = Path("engine") / "live_pairs.js"
"""What makes boards live, beside what makes games and the reader live; conf.py has pages with one of them load it."""
FIRST_PICTURE: Final = "[!["
"""What the README begins with, after a sentence; the site has the reader before it."""
LIVE_READER: Final = f"""## Watch a language model lose the board

A small language model reads the moves of a chess game and never sees the board. After each move it writes down the board that it believes; squares
that it has wrong are marked. Make moves on the true board, or step through the game. It runs in this page; it also has <a href="{READER_PAGE}">a page of its own</a>.

<div data-live-reader="{{}}"><p>It needs JavaScript, and appears here once this part of the page is in view.</p></div>

## Other models, and longer games

"""
INJECTED: Final = "# Parameters"
"""What stands first in a cell of given parameters."""
CONTENTS: Final = """
```{toctree}
:hidden:
:titlesonly:

docs/guide
docs/notebooks
docs/commands
docs/tables
docs/api/index
docs/more
```
"""


def lay_out(folder: Path, jobs: int) -> None:
    """Write all sources of the site, in place of what is there.

    Args:
        folder: For the sources; what runs is kept beside it.
        jobs: Notebooks at a time.
    """
    executed = executed_notebooks(folder.parent / "run", jobs)
    shutil.rmtree(folder, ignore_errors=True)
    readme = (ROOT / "README.md").read_text("utf-8")
    write(
        folder / "index.md",
        readme.replace(FIRST_PICTURE, LIVE_READER + FIRST_PICTURE, 1) + CONTENTS,
    )
    for path in [path for pattern in PAGES for path in ROOT.glob(pattern)]:
        write(folder / path.relative_to(ROOT), path.read_text("utf-8"))
    for path in [path for pattern in FILES for path in ROOT.glob(pattern)]:
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    shown = {page: as_shown(run) for page, run in executed.items()}
    for page, text in shown.items():
        write(folder / page, text)
    write(folder / LIVE / PAIR_PAGE, pair_html())
    write(folder / LIVE / READER_PAGE, reader_html([READER]))
    write(folder / ENGINE, live_pairs())
    write(folder / ENGINE.with_name("live_games.js"), live_games(shown.values()))
    write(folder / ENGINE.with_name("live_reader.js"), live_reader(READER, READER_PAGE))
    for name, text in module_pages():
        write(folder / "docs" / "api" / f"{name}.rst", text)


def write(path: Path, text: str) -> None:
    """Write a text file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def executed_notebooks(folder: Path, jobs: int) -> dict[Path, Path]:
    """Return where each page is whose source is a notebook, with the notebook that has run.

    Lessons are shown as students get them.

    Args:
        folder: For the copies, the figures and the tables of what runs here.
        jobs: Notebooks at a time.

    Raises:
        NotebookError: If one fails.
    """
    sources = {path.relative_to(ROOT): path for path in NOTEBOOKS.glob("*.ipynb")}
    shutil.rmtree(folder / "lessons", ignore_errors=True)
    lessons = write_lessons(folder / "lessons")
    sources |= {LESSONS.relative_to(ROOT) / path.name: path for path in lessons}
    changed = newest(inputs())
    places = (FIGURES, folder / "notebooks")
    copies = {
        page: found
        for page in sources
        for found in (place / page.name for place in places)
        if found.exists() and found.stat().st_mtime > max(changed, newest([ROOT / page]))
    }
    missing = [path for page, path in sources.items() if page not in copies]
    given = {"out": str(folder), "tables": str(folder / "tables")}
    runs = run_notebooks(
        assign_parameters(missing, given, {}),
        folder / "notebooks",
        jobs,
        lambda run: print(f"{run.name}: {run.seconds:.0f} s", flush=True),
    )
    raise_for_failures(runs)
    return {page: copies.get(page, folder / "notebooks" / page.name) for page in sources}


def inputs() -> list[Path]:
    """Return all files that a notebook may read."""
    folders = (PACKAGE, ROOT / "data", NOTEBOOKS / "examples")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if path.suffix not in {".md", ".pyc"}]


def newest(paths: Iterable[Path]) -> float:
    """Return when the last of some files was changed."""
    return max(path.stat().st_mtime for path in paths)


def as_shown(executed: Path) -> str:
    """Return an executed notebook without what belongs to this machine, or needs a script.

    Those are the folders and files that the run was given, and the state of widgets: each has HTML
    beside it that stands for it.

    Args:
        executed: The notebook.
    """
    notebook: dict[str, Any] = json.loads(executed.read_text("utf-8"))
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if "injected-parameters" in cell["metadata"].get("tags", []):
            lines = "".join(cell["source"]).splitlines()
            cell["source"] = "\n".join(x for x in lines if x.partition(" =")[0] not in PLACES)
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            cell["metadata"].setdefault("tags", []).append("hide-input")
    notebook["cells"] = [cell for cell in notebook["cells"] if "".join(cell["source"]) != INJECTED]
    return json.dumps(notebook)


def module_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page of the API reference: an index, a page per folder."""
    modules = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if path.name == "__init__.py":
            modules[".".join(parts[:-1])].insert(0, ".".join(parts[:-1]))
        elif path.name != "__main__.py":
            modules[".".join(parts[:-1])].append(".".join(parts))
    names = "\n   ".join(
        f"{name.removeprefix(f'{PACKAGE.name}.')} <{name}>" for name in sorted(modules)
    )
    yield "index", f"{heading('API reference', '=')}\n.. toctree::\n   :maxdepth: 1\n\n   {names}\n"
    for package, members in modules.items():
        # A package lends its names out; they are described where they are defined.
        sections = [f"{heading(package, '=')}\n.. automodule:: {package}\n   :ignore-module-all:\n"]
        sections += [
            f"{heading(name.removeprefix(f'{package}.'), '-')}\n.. automodule:: {name}\n"
            for name in members
            if name != package
        ]
        yield package, "\n".join(sections)


def heading(text: str, line: str) -> str:
    """Return a heading of reStructuredText."""
    return f"{text}\n{line * len(text)}\n"


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]), int(sys.argv[2]))

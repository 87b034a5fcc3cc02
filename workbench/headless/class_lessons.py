"""The lessons' notebooks, and the versions of them that a class gets: with solutions, or without.

One source has everything. Text between a line with ``### BEGIN SOLUTION`` and one with
``### END SOLUTION``, nbgrader's marks, is left out for students: solutions and the instructor's notes.
A cell with nothing else is left out altogether. nbgrader itself cannot make the students' version: it
asks for metadata of its own in each such cell, and would put ``raise NotImplementedError`` there.
"""

import copy
from pathlib import Path
from typing import Any, Final

import nbformat

from workbench.errors import NotebookError, OutputError
from workbench.headless.notebook_runs import NOTEBOOKS

LESSONS: Final = NOTEBOOKS / "lessons"
BEGIN: Final = "### BEGIN SOLUTION"
END: Final = "### END SOLUTION"


def lesson_notebooks(folder: Path = LESSONS) -> list[Path]:
    """Return the lessons' notebooks in their order."""
    paths = sorted(folder.glob("[0-9]_*.ipynb"))
    if not paths:
        raise NotebookError(f"expected lessons in {folder}, found none; install the package again")
    return paths


def without_solutions(notebook: Any) -> Any:
    """Return a copy of a notebook without its solutions and the instructor's notes."""
    student = copy.deepcopy(notebook)
    cells, student.cells = student.cells, []
    for number, cell in enumerate(cells):
        was_empty = not cell.source.strip()
        cell.source = _outside(cell.source, number)
        if was_empty or cell.source.strip():
            student.cells.append(cell)
    return student


def _outside(source: str, number: int) -> str:
    lines, inside = [], False
    for line in source.splitlines():
        begins, ends = BEGIN in line, END in line
        if (begins and inside) or (ends and not inside):
            expected = END if begins else BEGIN
            raise NotebookError(f"cell {number}: expected {expected!r} before {line!r}")
        inside = begins or (inside and not ends)
        if not (inside or ends):
            lines.append(line)
    if inside:
        raise NotebookError(f"cell {number}: expected {END!r} before its end")
    return "\n".join(lines).strip("\n")


def write_lessons(folder: Path, *, instructor: bool = False) -> list[Path]:
    """Write the lessons into a folder, for students or for the instructor."""
    sources = lesson_notebooks()
    if existing := [path.name for path in sources if (folder / path.name).exists()]:
        raise OutputError(
            f"{folder}: expected no lessons in it, found {existing}; name another folder"
        )
    notebooks = {}
    for source in sources:
        notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
        notebooks[folder / source.name] = notebook if instructor else without_solutions(notebook)
    folder.mkdir(parents=True, exist_ok=True)
    for path, notebook in notebooks.items():
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
    return list(notebooks)

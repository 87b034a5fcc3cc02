"""What a lesson leaves behind: records in the outputs of its saved notebook, and a file beside it.

The notebook's file is read as JSON and never run, whoever wrote it.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from IPython.core.getipython import get_ipython

from workbench.errors import NotebookError, OutputError
from workbench.long_texts import quoted
from workbench.tables.parquet_tables import replacing

RECORD_TYPE: Final = "application/vnd.world-state.lesson+json"
"""The kind of data under which an output holds its questions' rows, which no page draws."""

LARGEST_FILE: Final = 200 * 2**20
"""Bytes of a notebook that are read."""

_TEXTS: Final = ("question", "kind", "answer", "result")
START_OVER: Final = "to start over, run lesson.start_over() in a new cell"

Row = dict[str, Any]


class Cell(NamedTuple):
    """A code cell of a saved notebook.

    Attributes:
        source: Its text.
        outputs: The data of its outputs, by kind.
    """

    source: str
    outputs: list[Mapping[str, Any]]


class SavedLesson(NamedTuple):
    """What can be restored of a lesson.

    Attributes:
        guesses: By question: a number, or a letter.
        wrong: Wrong answers to each task, in words.
    """

    guesses: dict[str, Any]
    wrong: dict[str, list[str]]


class SavedRows(NamedTuple):
    """The records of a notebook.

    Attributes:
        rows: The last row of each question.
        unreadable: Rows that are none, in a file that someone has edited.
    """

    rows: dict[str, Row]
    unreadable: int


def notebook_path() -> Path | None:
    """Return the file of the notebook that runs this, None where it is not known.

    Jupyter's server names it in the kernel's environment, VS Code among the notebook's names.
    """
    shell = get_ipython()
    in_code = shell.user_ns.get("__vsc_ipynb_file__", "") if shell is not None else ""
    path = Path(str(in_code or os.environ.get("JPY_SESSION_NAME", "")))
    return path if path.suffix == ".ipynb" and path.parent.is_dir() else None


def file_beside(notebook: Path) -> Path:
    """Return the file in which a notebook's lesson keeps its guesses."""
    return notebook.with_suffix(".lesson.json")


def write_saved(notebook: Path, saved: SavedLesson) -> None:
    """Write the file beside a notebook.

    Args:
        notebook: The notebook's file.
        saved: What it holds.

    Raises:
        OutputError: If it cannot be written.
    """
    path = file_beside(notebook)
    try:
        with replacing(path) as beside:
            beside.write_text(json.dumps(saved._asdict(), indent=1), encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"{path}: expected to store guesses and answers here, got: {error.strerror}; they count, "
            "but are lost when the kernel ends"
        ) from error


def read_saved(notebook: Path) -> SavedLesson:
    """Return the guesses and wrong answers of a lesson in an earlier kernel.

    They are in the file beside the notebook; without it, in the notebook's saved outputs.

    Args:
        notebook: The notebook's file.

    Raises:
        NotebookError: If what is there cannot be read.
    """
    path = file_beside(notebook)
    if not path.exists():
        rows = saved_rows(read_cells(notebook)).rows if notebook.exists() else {}
        return SavedLesson(
            {name: row["guess"] for name, row in rows.items() if row.get("guess") is not None},
            {name: wrong_answers(row) for name, row in rows.items()},
        )
    content = _read_json(path, START_OVER)
    match content:
        case {"guesses": dict(guesses), "wrong": dict(wrong)}:
            return SavedLesson(
                guesses, {name: wrong_answers({"wrong": wrong[name]}) for name in wrong}
            )
    raise NotebookError(
        f"{path}: expected guesses and wrong answers, got {quoted(str(content))}; {START_OVER}"
    )


def read_cells(path: Path) -> list[Cell]:
    """Return the code cells of a notebook's file, with what their outputs hold.

    Args:
        path: Of a file that anyone may have written.

    Raises:
        NotebookError: If it is no notebook that can be read; with the reason.
    """
    notebook = _read_json(path, "save the notebook again, or ask for another copy")
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NotebookError(f"{path}: expected a notebook with a list of cells, got none")
    return [
        Cell(_joined(cell.get("source")), list(_output_data(cell.get("outputs"))))
        for cell in cells
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]


def saved_rows(cells: Iterable[Cell]) -> SavedRows:
    """Return the last row of each question in the records of a notebook's outputs."""
    rows: dict[str, Row] = {}
    unreadable = 0
    for cell in cells:
        for data in cell.outputs:
            record = data.get(RECORD_TYPE, [])
            for row in record if isinstance(record, list) else [record]:
                if not _is_row(row):
                    unreadable += 1
                    continue
                name = row["question"]
                if name not in rows or row["at"] >= rows[name]["at"]:
                    rows[name] = row
    return SavedRows(rows, unreadable)


def wrong_answers(row: Mapping[str, Any]) -> list[str]:
    """Return the wrong answers of a row, in words."""
    answers = row.get("wrong")
    return [each for each in answers if isinstance(each, str)] if isinstance(answers, list) else []


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in _TEXTS):
        return False
    at = row.get("at")
    return isinstance(at, int | float) and not (isinstance(at, float) and not math.isfinite(at))


def _read_json(path: Path, advice: str) -> Any:
    try:
        if not path.is_file():
            raise NotebookError(f"{path}: expected a file; {advice}")
        if (size := path.stat().st_size) > LARGEST_FILE:
            raise NotebookError(
                f"{path}: expected at most {LARGEST_FILE >> 20} MB, got {size >> 20} MB; clear the largest outputs"
            )
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
        elif isinstance(error, RecursionError):
            reason = "lists in lists without end"
        else:
            reason = str(error)
        raise NotebookError(
            f"{path}: expected whole JSON, got {quoted(reason)}; {advice}"
        ) from error


def _joined(source: Any) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _output_data(outputs: Any) -> Iterator[Mapping[str, Any]]:
    for output in outputs if isinstance(outputs, list) else []:
        data = output.get("data") if isinstance(output, dict) else None
        if isinstance(data, dict):
            yield data

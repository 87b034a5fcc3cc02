"""The answers of a class, read from saved copies of the lessons; no copy is run."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import nbformat
import pandas as pd

from workbench.errors import NotebookError, OutputError
from workbench.explore.lesson.saved_lesson import Cell, Row, read_cells, saved_rows, wrong_answers
from workbench.headless.class_lessons import lesson_notebooks
from workbench.long_texts import cut

COLUMNS: Final = (
    "file", "lesson", "section", "question", "kind", "answer", "result", "wrong answers", "error",
)  # fmt: skip
NO_RECORD: Final = "not run"
"""The result of a question of which a copy holds no output."""

_ASKED: Final = re.compile(r'lesson\.guess\("([^"]+)"\)|"([^"]+)": ')
_SECTION: Final = re.compile(r"^## (\d+)\.", re.MULTILINE)


def class_answers(folder: Path | str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the answers in all saved notebooks of a folder and the folders in it.

    Args:
        folder: With copies of the lessons, by any name that ends in ``.ipynb``.

    Returns:
        A row for each file and question, and a row for each file: the sections done of all, the tasks
        right, wrong and open, those that needed several tries, and the guesses with their points. A
        section is done when its guesses are made and its tasks are right. A file that cannot be read
        has its reason. The error of a guess is its distance from the value, NaN of a choice.

    Raises:
        OutputError: If there is no such folder, or no notebook in it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise OutputError(f"{folder}: expected a folder with saved lessons, got none")
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() == ".ipynb" and ".ipynb_checkpoints" not in path.parts
    )
    if not paths:
        raise OutputError(f"{folder}: expected saved lessons (.ipynb) in it, got none")
    answers: list[dict[str, Any]] = []
    files = []
    for path in paths:
        name = _plain(str(path.relative_to(folder)))
        try:
            rows = _rows(path)
        except NotebookError as error:
            files.append({"file": name, "reason": _plain(str(error), 300)})
            continue
        answers += [{"file": name, **row} for row in rows]
        files.append({"file": name, **_overview(rows)})
    columns = [
        "file", "lesson", "sections", "right", "wrong", "open", "several tries", "guesses", "points", "reason",
    ]  # fmt: skip
    return (
        pd.DataFrame(answers, columns=list(COLUMNS)),
        pd.DataFrame(files, columns=columns).fillna({"reason": ""}),
    )


def class_page(answers: pd.DataFrame, files: pd.DataFrame) -> str:
    """Return both tables as one HTML page, which holds no script and nothing of a copy but text."""
    readable = files["reason"] == ""
    tables = {
        "Who is where": files[readable].drop(columns="reason"),
        "Files that cannot be read": files.loc[~readable, ["file", "reason"]],
        "Missed most": missed(answers),
        "All answers": answers,
    }
    # A table that scrolls sideways is reached by the Tab key.
    parts = [
        f'<h2>{title}</h2><div role="region" aria-label="{title}" tabindex="0">'
        f"{table.to_html(index=False, border=0, na_rep='')}</div>"
        for title, table in tables.items()
        if len(table)
    ]
    style = (
        ":root{color-scheme:light dark}body{font:15px sans-serif;margin:1rem}div{overflow-x:auto}"
        "th,td{padding:.2rem .6rem;text-align:left;vertical-align:top}table{border-collapse:collapse}"
        "tr{border-bottom:1px solid #8888}"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Answers of a class</title>'
        f"<style>{style}</style></head><body><h1>Answers of a class</h1>{''.join(parts)}</body></html>"
    )


def missed(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the tasks by how many copies have had a wrong answer to them, most first."""
    tasks = answers[answers["kind"] == "task"]
    counts = tasks.assign(
        missed=(tasks["result"] == "wrong") | (tasks["wrong answers"] != ""),
        open=~tasks["result"].isin(["right", "wrong"]),
    ).groupby(["lesson", "section", "question"], sort=False)
    table = counts.agg(copies=("file", "size"), missed=("missed", "sum"), open=("open", "sum"))
    return table.reset_index().sort_values("missed", ascending=False, kind="stable")


def csv_text(answers: pd.DataFrame, files: pd.DataFrame) -> str:
    """Return the answers as CSV, with a row for each file that cannot be read."""
    broken = files[files["reason"] != ""][["file", "reason"]]
    table = pd.concat([answers, broken.rename(columns={"reason": "result"})])
    # A spreadsheet runs a cell that begins like a formula.
    return str(
        table.map(
            lambda cell: f"'{cell}" if isinstance(cell, str) and cell[:1] in set("=+-@\t") else cell
        ).to_csv(index=False)
    )


@cache
def _questions() -> Mapping[str, Mapping[str, tuple[int, str]]]:
    """Return the section and the kind of each question, by lesson."""
    return {path.stem: _questions_of(path) for path in lesson_notebooks()}


def _questions_of(path: Path) -> Mapping[str, tuple[int, str]]:
    questions: dict[str, tuple[int, str]] = {}
    section = 0
    for cell in nbformat.read(path, as_version=4).cells:  # type: ignore[no-untyped-call]
        if cell.cell_type == "markdown":
            section = max([section, *map(int, _SECTION.findall(cell.source))])
        elif "lesson.check(" in cell.source or "lesson.guess(" in cell.source:
            for guess, task in _ASKED.findall(cell.source):
                questions[guess or task] = (section, "guess" if guess else "task")
    return questions


def _rows(path: Path) -> list[Row]:
    cells = read_cells(path)
    lesson = _lesson_of(cells)
    if not lesson:
        raise NotebookError(f"{path}: expected a lesson, got a notebook with none of its questions")
    rows = saved_rows(cells).rows
    return [
        {"lesson": lesson, "section": section, "question": name, "kind": kind, **_columns(rows.get(name))}
        for name, (section, kind) in _questions()[lesson].items()
    ]  # fmt: skip


def _lesson_of(cells: Sequence[Cell]) -> str:
    source = "\n".join(cell.source for cell in cells)
    counts = {
        lesson: sum(f'"{name}"' in source for name in names)
        for lesson, names in _questions().items()
    }
    lesson = max(counts, key=lambda name: counts[name])
    return lesson if counts[lesson] else ""


def _columns(row: Row | None) -> Row:
    if row is None:
        return {"answer": "", "result": NO_RECORD, "wrong answers": "", "error": float("nan")}
    guess, value = row.get("guess"), row.get("value")
    numbers = isinstance(guess, int | float) and isinstance(value, float)
    return {
        "answer": _plain(row["answer"]),
        "result": _plain(row["result"]),
        "wrong answers": _plain(", ".join(wrong_answers(row)), 200),
        "error": abs(float(guess) - value) if numbers else float("nan"),  # type: ignore[arg-type, operator]
    }


def _overview(rows: Sequence[Row]) -> Row:
    sections: dict[int, bool] = {}
    for row in rows:
        done = (
            row["result"].endswith("points") if row["kind"] == "guess" else row["result"] == "right"
        )
        sections[row["section"]] = sections.get(row["section"], True) and done
    tasks = [row for row in rows if row["kind"] == "task"]
    guesses = [row["result"] for row in rows if row["kind"] == "guess"]
    points = [int(text[0]) for text in guesses if re.fullmatch(r"[0-2] of 2 points", text)]
    results = [row["result"] for row in tasks]
    right, wrong = results.count("right"), results.count("wrong")
    return {
        "lesson": rows[0]["lesson"],
        "sections": f"{sum(sections.values())} of {len(sections)}",
        "right": f"{right} of {len(tasks)}",
        "wrong": f"{wrong}",
        "open": f"{len(tasks) - right - wrong}",
        "several tries": f"{sum(row['result'] == 'right' and row['wrong answers'] != '' for row in tasks)}",
        "guesses": f"{len(points)} of {len(guesses)}",
        "points": f"{sum(points)} of {2 * len(points)}",
    }  # fmt: skip


def _plain(text: str, longest: int = 80) -> str:
    """Return a text of a copy without what cannot be written or would steer a terminal."""
    shown = cut(text, longest).encode("utf-8", "backslashreplace").decode()
    return "".join(each if each.isprintable() else " " for each in shown)

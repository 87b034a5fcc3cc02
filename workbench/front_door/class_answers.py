"""The answers of a class, read from saved copies of the lessons; no copy is run."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import nbformat
import pandas as pd

from workbench.errors import NotebookError, OutputError
from workbench.explore.lesson.saved_lesson import Cell, Row, read_cells, saved_rows, wrong_answers
from workbench.explore.page.assets import icon
from workbench.headless.class_lessons import lesson_notebooks
from workbench.long_texts import cut

COLUMNS: Final = (
    "file", "lesson", "section", "question", "kind", "answer", "result", "wrong answers", "error",
)  # fmt: skip
NO_RECORD: Final = "not run"
"""The result of a question of which a copy holds no output."""

_BETWEEN: Final = "; "
"""Between the wrong answers of a task; a decimal comma has no semicolon."""
_LONGEST: Final = 120
_LONGEST_NAME: Final = 300
"""A name that is cut could be that of another copy too."""
_LEGEND: Final = (
    "A section is done when its guesses are made and its tasks are right; else it shows how many tasks are wrong, "
    "or how many guesses and tasks are done. Records of a copy can be edited: these are no grades."
)
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:15px sans-serif;margin:1rem}div{overflow-x:auto;max-width:100%}"
    "th,td{padding:.25rem .6rem;text-align:left;vertical-align:top}table{border-collapse:collapse}"
    "tr{border-bottom:1px solid #8888}tbody th{font-weight:normal;overflow-wrap:anywhere;min-width:8rem;max-width:20rem}"
    "td{white-space:nowrap}td:last-child{white-space:normal;overflow-wrap:anywhere}"
    "h2{font-size:1.1rem;margin:1.5rem 0 .4rem}summary{cursor:pointer;padding:.4rem 0;overflow-wrap:anywhere}"
)

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

    Example:
        >>> import workbench as wb
        >>> from workbench.installation import RESOURCES
        >>> answers, files = wb.class_answers(RESOURCES / "notebooks" / "lessons")
        >>> files[["lesson", "sections"]].iloc[0].tolist()
        ['1_what_a_board_permits', '0 of 5']
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
        name = _plain(str(path.relative_to(folder)), _LONGEST_NAME)
        try:
            rows = _rows(path)
        except NotebookError as error:
            files.append(
                {"file": name, "reason": _plain(str(error).removeprefix(f"{path}: "), 300)}
            )
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
    parts = []
    for lesson, part in answers.groupby("lesson"):
        rows = files[readable & (files["lesson"] == lesson)].set_index("file")
        counts = rows.drop(columns=["lesson", "sections", "reason"])
        parts.append(_titled(f"Who is where in lesson {lesson}", _progress(part).join(counts)))
    if parts:
        parts.insert(0, f"<p>{_LEGEND}</p>")
    if not readable.all():
        broken = files[~readable].set_index("file")[["reason"]]
        parts.append(_titled("Files that cannot be read", broken))
    often = missed(answers)
    often = often[often["missed"] > 0].assign(lesson=often["lesson"].str[0])
    parts.append(
        _titled("Missed most", often.set_index("question"))
        if len(often)
        else "<h2>Missed most</h2><p>No task has a wrong answer.</p>"
    )
    parts.append("<h2>All answers</h2>")
    for file, part in answers.groupby("file"):
        rows = part.drop(columns=["file", "lesson"]).set_index("question")
        parts.append(_titled(str(file), rows, folded=True))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Answers of a class</title>'
        f'<link rel="icon" href="{icon()}">'
        f"<style>{_STYLE}</style></head><body><main><h1>Answers of a class</h1>{''.join(parts)}</main></body></html>"
    )


def _titled(title: str, table: pd.DataFrame, *, folded: bool = False) -> str:
    """Return a table with a title; its index, whose name is written too, heads the rows."""
    name, title = str(table.index.name), escape(title)
    html = table.rename_axis(columns=name).rename_axis(None).to_html(border=0, na_rep="")
    # A table that scrolls sideways is reached by the Tab key.
    block = f'<div role="region" aria-label="{title}" tabindex="0">{html}</div>'
    if folded:
        return f"<details><summary>{title}</summary>{block}</details>"
    return f"<h2>{title}</h2>{block}"


def _progress(answers: pd.DataFrame) -> pd.DataFrame:
    """Return how far each copy of one lesson is in each section, in a word."""
    columns = ["kind", "result"]
    words = answers.groupby(["file", "section"])[columns].apply(_section_words)
    return words.unstack("section").rename(columns="section {}".format).rename_axis(None, axis=1)


def _section_words(rows: pd.DataFrame) -> str:
    done = sum(map(_is_done, rows["kind"], rows["result"]))
    wrong = int((rows["result"] == "wrong").sum())
    if done == len(rows):
        return "done"
    if wrong:
        return f"{wrong} wrong"
    return f"{done} of {len(rows)}" if done else "open"


def missed(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the tasks by how many copies have had a wrong answer to them, most first.

    The wrong answers of each are listed with their numbers of copies, the most frequent first.
    """
    tasks = answers[answers["kind"] == "task"]
    counts = tasks.assign(
        missed=(tasks["result"] == "wrong") | (tasks["wrong answers"] != ""),
        open=~tasks["result"].isin(["right", "wrong"]),
    ).groupby(["lesson", "section", "question"], sort=False)
    table = counts.agg(
        copies=("file", "size"),
        missed=("missed", "sum"),
        open=("open", "sum"),
        wrong=("wrong answers", _most_frequent),
    )
    table = table.rename(columns={"wrong": "wrong answers"})
    return table.reset_index().sort_values("missed", ascending=False, kind="stable")


def _most_frequent(answers: pd.Series) -> str:
    """Return the wrong answers of all copies to a task, in a line."""
    counts = Counter(answer for text in answers if text for answer in text.split(_BETWEEN))
    words = (f"{answer} ({count})" for answer, count in counts.most_common())
    return cut(_BETWEEN.join(words), _LONGEST)


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
        "wrong answers": _plain(_BETWEEN.join(wrong_answers(row)), 200),
        "error": abs(float(guess) - value) if numbers else float("nan"),  # type: ignore[arg-type, operator]
    }


def _overview(rows: Sequence[Row]) -> Row:
    sections: dict[int, bool] = {}
    for row in rows:
        done = _is_done(row["kind"], row["result"])
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


def _is_done(kind: str, result: str) -> bool:
    return result.endswith("points") if kind == "guess" else result == "right"


def _plain(text: str, longest: int = 80) -> str:
    """Return a text of a copy without what cannot be written or would steer a terminal."""
    shown = cut(text, longest).encode("utf-8", "backslashreplace").decode()
    return "".join(each if each.isprintable() else " " for each in shown)

"""The lessons for students and for the instructor: written from one source, and run headlessly."""

import json
import re

import chess
import nbformat
import pytest
from click.testing import CliRunner

import workbench
from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies
from workbench.cli import main
from workbench.errors import NotebookError, OutputError
from workbench.explore.lesson.model_questions import O4_MINI
from workbench.headless.class_lessons import (
    LESSONS,
    lesson_notebooks,
    without_solutions,
    write_lessons,
)
from workbench.headless.notebook_runs import figure_notebooks, run_notebooks
from workbench.prediction import ReplyClass

NAMES = ["1_what_a_board_permits", "2_estimating_precision", "3_does_it_track"]
WIDGET = "application/vnd.jupyter.widget-view+json"
TASKS = {NAMES[0]: 15, NAMES[1]: 12, NAMES[2]: 6}
GUESSES = {NAMES[0]: 5, NAMES[1]: 6, NAMES[2]: 7}
"""Those that are open from the start; another of the first lesson waits for the one before it."""
OPEN_WIDGETS = {NAMES[0]: 0, NAMES[1]: 0, NAMES[2]: 1}
"""Those that wait for no guess: the tracker of a student's own game."""
VERSIONS = ("student", "instructor")
SMALL = {
    NAMES[0]: {},
    NAMES[1]: {"repeats": 2, "samples": 50},
    NAMES[2]: {"every": 50, "jobs": 1},
}


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source_of(cell):
    return "".join(cell["source"])


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Both versions of all three, written once."""
    folder = tmp_path_factory.mktemp("lessons")
    write_lessons(folder / "student")
    write_lessons(folder / "instructor", instructor=True)
    return folder


RESET = "%reset -f"


def with_parameters(cells, values):
    """Cells with values set after the parameters, as papermill does it."""
    for cell in cells:
        yield cell
        if "parameters" in cell["metadata"].get("tags", []):
            lines = [f"{name} = {value!r}" for name, value in values.items()]
            yield nbformat.v4.new_code_cell("\n".join(lines))


@pytest.fixture(scope="module")
def executed(versions):
    """The cells of both versions of all three, run once with few samples and replies.

    Both versions of a lesson share a kernel, whose start takes longest, but no names.
    """
    both = versions / "both"
    both.mkdir()
    for name in NAMES:
        cells = [
            list(with_parameters(cells_of(versions / version / f"{name}.ipynb"), SMALL[name]))
            for version in VERSIONS
        ]
        notebook = nbformat.read(LESSONS / f"{name}.ipynb", as_version=4)
        reset = nbformat.v4.new_code_cell(RESET)
        joined = [nbformat.from_dict(cell) for cell in (*cells[0], reset, *cells[1])]
        for number, cell in enumerate(joined):
            cell["id"] = f"cell-{number}"
        notebook.cells = joined
        nbformat.write(notebook, both / f"{name}.ipynb")
    runs = run_notebooks({path: {} for path in lesson_notebooks(both)}, both / "executed", jobs=2)
    assert [run.error for run in runs] == [""] * 3
    ended = {}
    for run in runs:
        cells = cells_of(run.executed)
        middle = next(n for n, cell in enumerate(cells) if source_of(cell) == RESET)
        ended["student", run.name] = cells[:middle]
        ended["instructor", run.name] = cells[middle + 1 :]
    return ended


def said(cells, mark):
    """What the code cells whose source holds a mark have put out as text, a line each."""
    return [
        line
        for cell in cells
        if cell["cell_type"] == "code" and mark in source_of(cell)
        for output in cell["outputs"]
        for line in "".join(output.get("data", {}).get("text/plain", "")).splitlines()
    ]


@pytest.mark.parametrize("name", NAMES)
class TestARunFromTopToBottom:
    @pytest.mark.slow
    @pytest.mark.parametrize("version", VERSIONS)
    def test_open_tasks_say_so_and_nothing_is_revealed(self, executed, version, name):
        cells = executed[version, name]
        checked = said(cells, "lesson.check(")
        assert len(checked) == TASKS[name]
        assert all(line.endswith(": Not answered yet.") for line in checked)
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        assert (
            sum(WIDGET in output.get("data", {}) for output in outputs)
            == GUESSES[name] + OPEN_WIDGETS[name]
        )
        text = json.dumps(outputs)
        assert len(re.findall(r"Shown here after \d", text)) == source_of_all(name).count(".after(")
        assert "The answer:" not in text

    def test_the_instructors_solutions_are_all_right(self, executed, name):
        found = said(executed["instructor", name], "lesson.solution(")
        assert len(found) == TASKS[name]
        assert all(line.endswith(": Right.") for line in found), "no reason, which tells the answer"


def solutions_of(cell):
    """What stands between the marks of a cell."""
    return re.findall(r"### BEGIN SOLUTION(.*?)### END SOLUTION", source_of(cell), re.DOTALL)


def source_of_all(name):
    return "\n".join(map(source_of, cells_of(LESSONS / f"{name}.ipynb")))


@pytest.mark.parametrize("name", NAMES)
class TestTheTwoVersions:
    def test_students_get_no_solution_and_no_note(self, versions, name):
        text = (versions / "student" / f"{name}.ipynb").read_text()
        for word in ("SOLUTION", "solution", "Instructor", "Misconception", "<!--"):
            assert word not in text
        nbformat.validate(nbformat.read(versions / "student" / f"{name}.ipynb", as_version=4))

    def test_no_line_of_a_solution_or_note_is_left(self, versions, name):
        """Neither is any of their decimals with three significant digits: those are values."""
        left = json.dumps(cells_of(versions / "student" / f"{name}.ipynb"), ensure_ascii=False)
        inside = [
            solution
            for cell in cells_of(LESSONS / f"{name}.ipynb")
            for solution in solutions_of(cell)
        ]
        assert len(inside) > 5
        for line in "\n".join(inside).splitlines():
            # Of a solution's code the call is that of the task.
            given = re.match(r"(\w+) = (.+)", line)
            if given and "lesson." not in line:
                assert f"{given[1]} = {given[2]}" not in left
            elif line.startswith("**"):
                assert line not in left
        values = re.findall(r"0\.0*[1-9]\d{2,}", "\n".join(inside))
        assert [number for number in values if number in left] == []

    def test_notes_are_folded_and_nothing_of_them_is_outside_the_fold(self, name):
        """A projected notebook shows their title alone."""
        notes = [
            solution
            for cell in cells_of(LESSONS / f"{name}.ipynb")
            if cell["cell_type"] == "markdown"
            for solution in solutions_of(cell)
        ]
        assert len(notes) > 3
        for note in notes:
            text = note.replace("-->", "").replace("<!--", "").strip()
            assert text.startswith("<details><summary><b>Instructor's notes</b></summary>\n")
            assert text.endswith("</details>")
            assert text.count("<details") == 1

    def test_the_instructors_is_the_source(self, versions, name):
        made = cells_of(versions / "instructor" / f"{name}.ipynb")
        assert list(map(source_of, made)) == list(
            map(source_of, cells_of(LESSONS / f"{name}.ipynb"))
        )

    def test_each_task_has_one_folded_solution(self, name):
        cells = cells_of(LESSONS / f"{name}.ipynb")
        tasks = [cell for cell in cells if "lesson.check(" in source_of(cell)]
        solutions = [cell for cell in cells if "lesson.solution(" in source_of(cell)]
        assert len(tasks) == len(solutions) > 0
        for task, solution in zip(tasks, solutions, strict=True):
            assert cells.index(solution) == cells.index(task) + 1
            assert not task["metadata"]
            folded = {"source_hidden": True, "outputs_hidden": True}
            assert solution["metadata"]["jupyter"] == folded
            names = re.findall(r'"([^"]+)": ', source_of(task))
            assert names == re.findall(r'"([^"]+)": ', source_of(solution))

    def test_lasts_45_minutes(self, name):
        text = source_of_all(name)
        table = [int(minutes) for minutes in re.findall(r"^\| \d\. .* \| (\d+) \|$", text, re.M)]
        headings = [int(each) for each in re.findall(r"^## \d\. .*\((\d+) minutes\)$", text, re.M)]
        assert table == headings
        opening = re.search(r"^\| Opening, .* \| (\d+) \|$", text, re.M)
        assert sum(table) + int(opening[1]) == 45

    def test_has_the_parts_of_a_lesson(self, name):
        text = source_of_all(name)
        for part in ("**After this lesson you can**", "**You need**", "Take-aways", "<summary>Hint",
                     "Instructor's notes", "**Misconception"):  # fmt: skip
            assert part in text
        # A copy lies in any folder: it links to nothing.
        assert not re.search(r"\]\([^)]*\)", text)


def test_what_is_wrong_with_boards_is_counted_as_the_third_lesson_says():
    replies = recorded_replies((WORLD_CUP,), [O4_MINI])
    ill_formed = replies[replies["reply_class"] == ReplyClass.ILL_FORMED]
    boards = [chess.Board(fen) for fen in ill_formed["predicted_state"]]
    pawns, castling, check = (
        sum(bool(board.status() & flag) for board in boards)
        for flag in (
            chess.STATUS_TOO_MANY_BLACK_PAWNS,
            chess.STATUS_BAD_CASTLING_RIGHTS,
            chess.STATUS_OPPOSITE_CHECK,
        )
    )
    letters = [board.board_fen() for board in boards]
    kings = sum(text.count("K") == 0 and text.count("k") == 2 for text in letters)
    text = source_of_all(NAMES[2])
    assert (
        f"of the {len(boards)} boards {pawns} have too many black pawns, and {kings} have no white king and two black ones"
        in text
    )
    assert (
        f"in {check} the side that is not to move is in check, and {castling} claim a right to castle"
        in text
    )
    still = sum(not any(board.legal_moves) for board in boards)
    assert f"and {still} permit no move at all" in text


@pytest.mark.slow
def test_the_run_browser_counts_as_many_errors_as_the_third_lesson_says():
    replies = recorded_replies((WORLD_CUP,), [O4_MINI])
    ill_formed = replies[replies["reply_class"] == ReplyClass.ILL_FORMED]
    counts = workbench.causes(workbench.score(ill_formed)).set_index("cause")["replies"]
    text = source_of_all(NAMES[2])
    assert (
        f"{counts['several errors: 7 or more']} boards have seven or more errors, and {counts['game over']} permit"
        in text
    )


class TestMarks:
    def notebook(self, *sources):
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in sources])

    def test_what_is_between_them_is_left_out(self):
        made = without_solutions(
            self.notebook(
                "x = ...\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\nprint(x)",
                "### BEGIN SOLUTION\nx = 2\n### END SOLUTION",
                "",
            )
        )
        assert [cell.source for cell in made.cells] == ["x = ...\nprint(x)", ""]

    @pytest.mark.parametrize(
        "source",
        ["### BEGIN SOLUTION\nx = 1", "x = 1\n### END SOLUTION",
         "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"],
    )  # fmt: skip
    def test_a_mark_without_its_other_is_refused(self, source):
        with pytest.raises(NotebookError, match="cell 1: expected '###"):
            without_solutions(self.notebook("", source))


def test_lessons_are_no_figures():
    assert [path.stem for path in lesson_notebooks()] == NAMES
    assert not {path.stem for path in figure_notebooks()} & set(NAMES)


def test_the_command_writes_them_and_never_over_a_students_work(tmp_path):
    done = CliRunner().invoke(main, ["lessons", "-o", str(tmp_path / "class")])
    assert done.exit_code == 0
    written = [tmp_path / "class" / f"{name}.ipynb" for name in NAMES]
    assert done.output.split() == list(map(str, written))
    written[1].write_text("a student's work")
    again = CliRunner().invoke(main, ["lessons", "-o", str(tmp_path / "class"), "--instructor"])
    assert again.exit_code == 1
    assert "name another folder" in again.output
    assert written[1].read_text() == "a student's work"
    with pytest.raises(OutputError):
        write_lessons(LESSONS)

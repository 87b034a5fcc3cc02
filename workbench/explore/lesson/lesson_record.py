"""A lesson in progress: its guesses, answers, and the outputs that depend on them."""

import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

import pandas as pd
from IPython.core.getipython import get_ipython
from IPython.display import HTML, Image, Markdown, display

from workbench.errors import InvalidArgumentError, NotebookError, OutputError
from workbench.explore.lesson.lesson_questions import (
    FULL,
    Guess,
    Question,
    Verdict,
    Verdicts,
    answer_text,
    verdict,
)
from workbench.explore.lesson.saved_lesson import (
    RECORD_TYPE,
    START_OVER,
    Row,
    SavedLesson,
    notebook_path,
    read_saved,
    write_saved,
)
from workbench.explore.page.still_html import with_subscripts

LETTERS: Final = frozenset("abcdef")
"""Of the choices of a lesson."""

_MOST_WRONG: Final = 20
"""Wrong answers to a task that are stored."""


def explain_unknown_names(shell: Any = None) -> None:
    """Have a notebook add to each NameError of a cell how an answer is written; elsewhere do nothing."""
    shell = shell or get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), _show)


def advice(name: str) -> str:
    """Return what to do about a name that Python does not know."""
    if set(name.lower()) <= LETTERS:
        return f'Letters are written in quotes: "{name}".'
    return (
        'An answer is a number, such as 3 / 4, or letters in quotes, such as "b". '
        f"If {name} is not meant as an answer, run all cells from the top."
    )


def _show(
    shell: Any,
    kind: type[NameError],
    error: NameError,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    last = trace
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    # A name that is missing in a module is no matter of answers.
    if error.name and last is not None and last.tb_frame.f_globals is shell.user_ns:
        error.add_note(advice(error.name))
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def show_table(table: pd.DataFrame) -> HTML:
    """Return a table as HTML with escaped texts; its index, which has a name, is the first column."""
    html = table.reset_index().to_html(index=False, border=0)
    return HTML(with_subscripts(html))  # type: ignore[no-untyped-call]


_NUMBERS: Final = count()


class LiveOutput:
    """An output that can be shown anew in its place."""

    def __init__(self, content: Callable[[], Any]) -> None:
        self._content = content
        self._name = ""

    def renew(self) -> None:
        """Show the present content where the output was displayed."""
        if self._name:
            display(self._content(), display_id=self._name, update=True)  # type: ignore[no-untyped-call]

    def _ipython_display_(self, **_options: Any) -> None:
        self._name = f"live-{id(self)}-{next(_NUMBERS)}"
        display(self._content(), display_id=self._name)  # type: ignore[no-untyped-call]


class _Summary(NamedTuple):
    """The summary as a notebook shows it and as its file holds it."""

    table: pd.DataFrame
    rows: list[Row]

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        html = show_table(self.table).data
        return {"text/html": html, "text/plain": self.table.to_string(), RECORD_TYPE: self.rows}


class HiddenOutput:
    """An output that shows a note first, and in its place something else once it is opened."""

    def __init__(self, content: Any, waits_for: Callable[[], str]) -> None:
        self.content = content
        self._waits_for = waits_for
        self._name = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing is missing any more."""
        return not self._waits_for()

    def renew(self) -> None:
        """Show the content, or what is still missing, where the output was displayed."""
        if self._name:
            self._show(update=True)

    def _ipython_display_(self, **_options: Any) -> None:
        if self.is_open:
            display(self.content)  # type: ignore[no-untyped-call]
            return
        self._name = f"curtain-{id(self)}-{next(_NUMBERS)}"
        self._show(update=False)

    def _show(self, *, update: bool) -> None:
        options = {"display_id": self._name, "update": update}
        if not self.is_open:
            display(Markdown(f"*{self._waits_for()}*"), **options)  # type: ignore[no-untyped-call]
        elif hasattr(self.content, "_ipython_display_"):
            # A widget that displays itself would do so in an output of its own.
            bundle = self.content._repr_mimebundle_()
            data = bundle[0] if isinstance(bundle, tuple) else bundle
            display({**data, "text/html": ""}, raw=True, **options)  # type: ignore[no-untyped-call]
        elif isinstance(self.content, Image):
            # JupyterLab drops the alternative text of a picture that takes another output's place.
            data, alt = b64encode(self.content.data).decode(), escape(self.content.alt or "")
            picture = HTML(f'<img alt="{alt}" src="data:image/png;base64,{data}">')  # type: ignore[no-untyped-call]
            display(picture, **options)  # type: ignore[no-untyped-call]
        else:
            display(self.content, **options)  # type: ignore[no-untyped-call]
        if self.is_open:
            # Shown again with each further answer, a widget would lose what was typed or scrolled in it.
            self._name = ""


class Lesson:
    """Asks a lesson's questions, as guesses or as tasks, and keeps the score."""

    def __init__(self, guesses: Sequence[Question], tasks: Sequence[Question]) -> None:
        self.questions: dict[str, Question] = {each.name: each for each in [*guesses, *tasks]}
        if len(self.questions) < len(guesses) + len(tasks):
            names = [each.name for each in [*guesses, *tasks]]
            raise InvalidArgumentError(f"expected one question of each name, got {names}")
        self._guesses = {each.name: Guess(each, self._take_guess) for each in guesses}
        self._verdicts = {each.name: verdict(each, ...) for each in tasks}
        self._answers: dict[str, Any] = {}
        self._checked: dict[str, float] = {}
        self._wrong: dict[str, list[str]] = {}
        self._notebook: Path | None = None
        self._asked: dict[str, None] = {}
        self._outputs: list[HiddenOutput | LiveOutput] = []
        self._renew()

    def continued(self, before: object) -> "Lesson":
        """Return the lesson in progress, with all guesses and answers, if it asks the same questions.

        Else it is this one, with the guesses that the notebook has from an earlier kernel; a line says so.
        """
        if not isinstance(before, Lesson) or before._contents() != self._contents():
            self._restore(notebook_path())
            return self
        # The notebook runs anew and displays its outputs anew.
        before._outputs.clear()
        return before

    def guess(self, name: str) -> Guess:
        """Return the widget that asks a question; the same one each time."""
        _check_name(name, self._guesses)
        self._asked[name] = None
        return self._guesses[name]

    def check(self, answers: Mapping[str, Any]) -> Verdicts:
        """Return what tasks say of answers, and remember both."""
        verdicts = self._judged(answers, self._verdicts)
        self._verdicts.update(verdicts)
        self._asked.update(dict.fromkeys(answers))
        self._answers.update(answers)
        self._checked.update(dict.fromkeys(answers, time.time()))
        self._take_wrong(
            {name: answers[name] for name in answers if verdicts[name].status == "wrong"}
        )
        self._renew()
        return Verdicts(verdicts, [self._row(name) for name in answers])

    def start_over(self) -> None:
        """Forget all guesses, also those stored with the notebook, and say what to do next."""
        for widget in self._guesses.values():
            widget.start_over()
        self._wrong.clear()
        # A file that could not be read is written over here, and only here.
        self._notebook = notebook_path()
        self._store()
        self._renew()
        print(
            "All guesses are forgotten. Put ... back in place of your answers, and run all cells."
        )

    def solution(self, answers: Mapping[str, Any]) -> Verdicts:
        """Return what tasks say of their solutions; these count as nobody's answers.

        The reasons are left out: an instructor's notebook may be projected before the task is done.
        """
        return Verdicts(
            {
                name: each._replace(said="Right.") if each.status == "right" else each
                for name, each in self._judged(answers, {}).items()
            }
        )

    def after(self, *names: str, show: Any) -> HiddenOutput:
        """Return an output that shows something only when these guesses and answers are made."""
        for name in names:
            _check_name(name, self.questions)
        curtain = HiddenOutput(show, lambda: self._missing(names))
        self._outputs.append(curtain)
        return curtain

    def summary(self) -> pd.DataFrame:
        """Return a row for each question in the order in which the notebook asks them.

        Each has the kind, the answer given, and the points or verdict. No value of a question
        appears that is not answered.
        """
        names = [*self._asked, *(name for name in self.questions if name not in self._asked)]
        columns = ["kind", "question", "answer", "result"]
        summary = pd.DataFrame([self._row(name) for name in names], columns=columns)
        return summary.rename(columns={"answer": "your answer"}).set_index("question")

    def live_summary(self) -> LiveOutput:
        """Return an output that shows the summary, and changes with each guess and answer."""
        output = LiveOutput(lambda: _Summary(self.summary(), list(map(self._row, self.questions))))
        self._outputs.append(output)
        return output

    def _row(self, name: str) -> Row:
        """Return what the summary and the saved notebook hold of a question."""
        if name in self._guesses:
            return self._guesses[name].row()
        outcome = self._verdicts[name]
        classes = {"unanswered": "not answered", "unreadable": "no answer"}
        text = "" if outcome.status == "unanswered" else answer_text(self._answers[name])
        return {
            "question": name,
            "kind": "task",
            "answer": text,
            "result": classes.get(outcome.status, outcome.status),
            "wrong": self._wrong.get(name, []),
            "at": self._checked.get(name, 0.0),
        }

    def _restore(self, notebook: Path | None) -> None:
        if notebook is None:
            return
        try:
            saved = read_saved(notebook)
        except NotebookError as error:
            print(f"No guesses of an earlier session: {error}")
            return
        again = 0
        for name in saved.guesses.keys() & self._guesses.keys():
            try:
                self._guesses[name].make(saved.guesses[name])
            except InvalidArgumentError:
                again += 1
        self._wrong.update(
            {name: saved.wrong[name] for name in saved.wrong.keys() & self._verdicts.keys()}
        )
        self._notebook = notebook
        made = sum(widget.made for widget in self._guesses.values())
        words = [
            f"Guesses of an earlier session that are back: {made}" if made else "",
            f"Guesses that cannot be read and have to be made again: {again}" if again else "",
        ]
        if any(words):
            print(*filter(None, words), START_OVER, sep="; ")

    def _take_guess(self) -> None:
        self._renew()
        self._store()

    def _take_wrong(self, answers: Mapping[str, Any]) -> None:
        before = sum(map(len, self._wrong.values()))
        for name, answer in answers.items():
            wrong = self._wrong.setdefault(name, [])
            if len(wrong) < _MOST_WRONG and answer_text(answer) not in wrong:
                wrong.append(answer_text(answer))
        if sum(map(len, self._wrong.values())) > before:
            try:
                self._store()
            except OutputError as error:
                # The verdicts are shown all the same.
                print(error)

    def _store(self) -> None:
        if self._notebook is not None:
            guesses = {
                name: each.outcome["guess"] for name, each in self._guesses.items() if each.made
            }
            write_saved(self._notebook, SavedLesson(guesses, self._wrong))

    def _judged(
        self, answers: Mapping[str, Any], before: Mapping[str, Verdict]
    ) -> dict[str, Verdict]:
        """Judge answers, in the light of each other and of those given before."""
        for name in answers:
            _check_name(name, self._verdicts)
        verdicts = dict(before)
        for name, answer in answers.items():
            values = {other: each.answer for other, each in verdicts.items()}
            read = {other: value for other, value in values.items() if value is not None}
            verdicts[name] = verdict(self.questions[name], answer, read)
        return {name: verdicts[name] for name in answers}

    def _contents(self) -> list[tuple[str, str, object]]:
        return [(each.name, each.prompt, each.value) for each in self.questions.values()]

    def _missing(self, names: Sequence[str]) -> str:
        guesses = sum(name in self._guesses and not self._guesses[name].made for name in names)
        answers = sum(
            name in self._verdicts and self._verdicts[name].status in ("unanswered", "unreadable")
            for name in names
        )
        waiting = [
            f"{count} {word if count == 1 else plural}"
            for count, word, plural in (
                (guesses, "guess", "guesses"),
                (answers, "answer", "answers"),
            )
            if count
        ]
        return f"Shown here after {' and '.join(waiting)} above." if waiting else ""

    def _renew(self) -> None:
        """Have all guesses show the score, open what waited for the last one, renew the summary."""
        widgets = [widget for widget in self._guesses.values() if widget.made]
        score = {
            "points": sum(widget.outcome["points"] for widget in widgets),
            "of": FULL * len(widgets),
            "made": len(widgets),
            "guesses": len(self._guesses),
        }
        for widget in self._guesses.values():
            widget.score = score
        for output in self._outputs:
            output.renew()


def _check_name(name: str, names: Any) -> None:
    if name not in names:
        raise InvalidArgumentError(f"expected a question of {sorted(names)}, got {name!r}")

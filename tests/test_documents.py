"""README and the pages of the guide: their Python runs, their commands exist, and nothing is out of reach."""

import re
import shlex
from itertools import chain
from pathlib import Path

import click
import pytest

from workbench.cli import main
from workbench.cli.reference import command_contexts
from workbench.headless.class_lessons import lesson_notebooks
from workbench.headless.notebook_runs import NOTEBOOKS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide.md"
SUBJECTS = [
    ROOT / "docs" / f"{name}.md" for name in re.findall(r"^(\w+)$", GUIDE.read_text(), re.M)
]
DOCUMENTS = [README, *SUBJECTS]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
GOALS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
NOTEBOOK_NAMES = [path.stem for path in [*NOTEBOOKS.glob("*.ipynb"), *lesson_notebooks()]]
COMMANDS = {
    context.command_path: context.command
    for context in command_contexts()
    if not isinstance(context.command, click.Group)
}


def blocks(path, language):
    """Yield the fenced blocks of a document, and why one is not run, if it is not."""
    pattern = rf"(?:<!-- not run: (.+?) -->\n)?^```{language}\n(.*?)^```$"
    for block in re.finditer(pattern, path.read_text(encoding="utf-8"), re.M | re.S):
        yield block[2], block[1]


def shell_lines():
    for path in DOCUMENTS:
        for line in chain.from_iterable(code.splitlines() for code, _ in blocks(path, "sh")):
            if words := shlex.split(line, comments=True):
                yield pytest.param(words, id=f"{path.stem}: {line[:60]}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if any(blocks(path, "python"))], ids=lambda path: path.stem
)
def test_python_runs_and_prints_what_its_comments_say(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code, reason in blocks(path, "python"):
        compiled = compile(code, path.name, "exec")
        if reason is None:
            exec(compiled, names)
            printed = capsys.readouterr().out.splitlines()
            comments = re.findall(r"^print\(.*\)(?: +# (.*))?$", code, re.M)
            for line, comment in zip(printed, comments, strict=True):
                assert comment in ("", line)


@pytest.mark.parametrize("words", list(shell_lines()))
def test_commands_have_the_options_and_arguments_of_the_documents(words):
    if words[0] == "make":
        assert words[1] in GOALS
    elif words[0] == "workbench":
        context = click.Context(main, info_name="workbench", **main.context_settings)
        words = words[1:]
        while isinstance(context.command, click.Group):
            name, command, words = context.command.resolve_command(context, words)
            if isinstance(command, click.Group):
                context = click.Context(command, info_name=name, parent=context)
            else:
                # Reads the arguments, and runs nothing.
                context = command.make_context(name, words, parent=context)
    else:
        assert words[0] in ("pip", "kill", "docker")


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_the_guide_has_every_page_that_is_written_by_hand():
    others = {"commands", "guide", "more", "notebooks", "tables"}
    assert {path.stem for path in GUIDE.parent.glob("*.md")} - others == {
        path.stem for path in SUBJECTS
    }
    assert len(SUBJECTS) >= 10
    for path in SUBJECTS:
        assert f"](docs/{path.name})" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NOTEBOOK_NAMES)
def test_every_notebook_is_listed(name):
    assert f"`{name}`" in TEXT


@pytest.mark.parametrize(("name", "command"), COMMANDS.items())
def test_every_command_is_there_and_explains_itself(name, command):
    assert name in TEXT
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name not in ("out", "seed", "jobs"):
            described = parameter.help or isinstance(parameter.type, click.Choice)
            assert described or parameter.default is not None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_pictures_are_small(path):
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / picture).stat().st_size < 200_000

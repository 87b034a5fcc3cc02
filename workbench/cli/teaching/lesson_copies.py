"""The command that writes the lessons for a class."""

from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.option("-o", "--out", required=True, type=PATH, help="Output folder.")
@click.option("--instructor", is_flag=True, help="Keep the solutions and the instructor's notes.")
def lessons(out: Path, instructor: bool) -> None:
    """Write the three lessons as notebooks for students, or for the instructor.

    Both come from one source. Students get tasks, hints and checks; the instructor's version has the
    solutions, folded, and notes on each section. Files that exist are not written over.
    """
    from workbench.headless.lesson_versions import write_lessons

    for path in write_lessons(out, instructor=instructor):
        click.echo(path)

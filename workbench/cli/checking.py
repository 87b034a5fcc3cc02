"""The command that reads a table back."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Say of FILES which tables they are, whether whole, and what is odd in them.

    The exit code is 1 if a file is not whole or something is odd.
    """
    from workbench.checking import check_table

    sound = True
    for path in files:
        report = check_table(path, progress=not as_json)
        sound = sound and report.sound
        click.echo(json.dumps(asdict(report), sort_keys=True) if as_json else report.describe())
    context.exit(0 if sound else 1)

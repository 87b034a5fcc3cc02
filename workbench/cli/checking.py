"""The command that validates tables."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from workbench.cli.environment_options import environment_option
from workbench.cli.group import PATH, main


@main.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option(
    "--sample",
    type=click.IntRange(0),
    help="Rows to recompute at full depth.  [default: 500]",
)
@click.option("--all", "every", is_flag=True, help="Recompute every row at full depth.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of the sample."
)
@environment_option(
    "Only for a table of an earlier version that names files: the same name, whose files are read."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file.")
@click.pass_context
def check(
    context: click.Context,
    files: tuple[Path, ...],
    sample: int | None,
    every: bool,
    seed: int,
    environment: str | None,
    as_json: bool,
) -> None:
    """Validate the tables FILES: type, integrity, anomalies.

    In a scores table, text metrics and p and r at small depths are recomputed in every row, the
    full depth in a sample of the rows. The exit code is 1 if a file is damaged or has anomalies.
    """
    del environment
    from workbench.checking import check_table
    from workbench.checking.recomputed import SAMPLE_ROWS

    rows = None if every else SAMPLE_ROWS if sample is None else sample
    sound = True
    for path in files:
        report = check_table(path, sample=rows, seed=seed, progress=not as_json)
        sound = sound and report.sound
        click.echo(json.dumps(asdict(report), sort_keys=True) if as_json else report.describe())
    context.exit(0 if sound else 1)

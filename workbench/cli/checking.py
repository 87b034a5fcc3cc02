"""The command that reads a table back."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option(
    "--sample",
    type=click.IntRange(0),
    help="Rows of scores whose p and r are computed again at the whole depth.  [default: 500]",
)
@click.option("--all", "every", is_flag=True, help="Compute p and r of every row again.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the sample.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
@click.pass_context
def check(
    context: click.Context,
    files: tuple[Path, ...],
    sample: int | None,
    every: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Validate the tables FILES: type, integrity, anomalies.

    Text metrics of scores, and p and r at small depths, are computed again in every row, the whole
    depth in a sample. The exit code is 1 if a file is not whole or something is odd.
    """
    from workbench.checking import check_table
    from workbench.checking.recomputed import SAMPLE_ROWS

    rows = None if every else SAMPLE_ROWS if sample is None else sample
    sound = True
    for path in files:
        report = check_table(path, sample=rows, seed=seed, progress=not as_json)
        sound = sound and report.sound
        click.echo(json.dumps(asdict(report), sort_keys=True) if as_json else report.describe())
    context.exit(0 if sound else 1)

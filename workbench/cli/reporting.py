"""The command that reports runs as one page."""

import os
from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@click.option("-o", "--out", default="report", show_default=True, type=PATH, help="Output folder.")
@click.option("--depth", type=click.IntRange(1), help="m.  [default: the largest that is scored]")
@click.option("--resamples", default=1000, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
def report(
    runs: tuple[Path, ...], out: Path, depth: int | None, resamples: int, seed: int, jobs: int
) -> None:
    """Report RUNs as one HTML file that needs no network: numbers, figures, worst boards, settings.

    A RUN is a folder with predictions.parquet and scores.parquet, or a scores table from `workbench
    score`. Several runs are compared on the positions that they share.
    """
    from workbench.reports.report_page import write_report
    from workbench.reports.reported_run import read_run

    read = [read_run(path) for path in runs]
    path = write_report(read, out, depth=depth, resamples=resamples, seed=seed, jobs=jobs)
    click.echo(f"{path.stat().st_size:,} bytes written to {path}")

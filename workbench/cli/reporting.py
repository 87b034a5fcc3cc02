"""The command that reports runs as one page."""

import os
from pathlib import Path

import click

from workbench.cli.group import PATH, main
from workbench.cli.repeated_commands import repeatable


@main.command()
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@click.option("-o", "--out", default="report", show_default=True, type=PATH, help="Output folder.")
@click.option("--depth", type=click.IntRange(1), help="m.  [default: the largest that is scored]")
@click.option("--resamples", default=1000, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option("--organization", default="", help="Who made the evaluation, for results.json.")
@click.option("--url", default="", help="Where the run is published, for results.json.")
def report(
    runs: tuple[Path, ...],
    out: Path,
    depth: int | None,
    resamples: int,
    seed: int,
    jobs: int,
    organization: str,
    url: str,
) -> None:
    """Report RUNs as one HTML file that needs no network: numbers, figures, worst boards, settings.

    A RUN is a folder with predictions.parquet and scores.parquet, or a scores table from `workbench
    score`. Several runs are compared on the positions that they share.

    Beside the page are the results in published schemas: results.json, instances.jsonl and
    model_card.md; data/README.md describes them.
    """
    from workbench.reports.exports import Publication
    from workbench.reports.report_page import write_report
    from workbench.reports.reported_run import read_run

    read = [read_run(path) for path in runs]
    publication = Publication(organization, url)
    with repeatable(out):
        path, *_ = write_report(
            read, out, publication, depth=depth, resamples=resamples, seed=seed, jobs=jobs
        )
    click.echo(f"{path.stat().st_size:,} bytes written to {path}")
    if not organization:
        click.echo("results.json says that the organization is unknown: --organization", err=True)

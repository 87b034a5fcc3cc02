"""The command that reports runs as one page."""

import os
from pathlib import Path
from typing import Any

import click

from workbench.cli.group import PATH, main
from workbench.cli.publication_options import publication_options
from workbench.cli.repeated_commands import repeatable


@main.command()
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@click.option("-o", "--out", default="report", show_default=True, type=PATH, help="Output folder.")
@click.option("--depth", type=click.IntRange(1), help="m.  [default: the largest that is scored]")
@click.option("--resamples", default=1000, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@publication_options
def report(
    runs: tuple[Path, ...],
    out: Path,
    depth: int | None,
    resamples: int,
    seed: int,
    jobs: int,
    **published: Any,
) -> None:
    """Report RUNs as one HTML file that needs no network: numbers, figures, worst boards, settings.

    A RUN is a folder with predictions.parquet and scores.parquet, or a scores table from `workbench
    score`. Several runs are compared on the positions that they share.

    Beside the page are the results in published schemas (results.json, instances.jsonl,
    model_card.md), the tables, croissant.json and .zenodo.json; data/README.md describes them.
    """
    from workbench.reports.exports import Publication
    from workbench.reports.report_page import write_report
    from workbench.reports.reported_run import read_run

    read = [read_run(path) for path in runs]
    publication = Publication(**published)
    with repeatable(out):
        path, *_ = write_report(
            read, out, publication, depth=depth, resamples=resamples, seed=seed, jobs=jobs
        )
    click.echo(f"{path.stat().st_size:,} bytes written to {path}")
    for place in publication.left_open():
        click.echo(f"to fill in before you publish the files beside it: {place}", err=True)

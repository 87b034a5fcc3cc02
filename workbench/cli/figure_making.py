"""The command that makes the figures."""

import os
from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.option("--preset", default="quick", show_default=True, help="quick or paper.")
@click.option("--only", multiple=True, metavar="NAME", help="This notebook alone; repeatable.")
@click.option(
    "--parameter", multiple=True, metavar="NAME=VALUE", help="A notebook parameter; repeatable."
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option("--games", multiple=True, type=PATH, help="PGN, .pgn.gz or .pgn.zst; repeatable.")
@click.option("--predictions", type=PATH, help="A predictions table, Parquet.")
@click.option("--out", default="figures", show_default=True, type=PATH, help="Folder to write to.")
def figures(
    preset: str,
    only: tuple[str, ...],
    parameter: tuple[str, ...],
    jobs: int,
    games: tuple[Path, ...],
    predictions: Path | None,
    out: Path,
) -> None:
    """Run the notebooks and write each figure as PNG and SVG with its numbers and provenance."""
    from workbench.figures import make_figures
    from workbench.runs import parse_parameter, raise_for_failures

    runs = make_figures(
        preset=preset,
        only=only,
        given=dict(parse_parameter(text) for text in parameter),
        jobs=jobs,
        games=games,
        predictions=predictions,
        out=out,
        report=lambda run: click.echo(
            f"{run.name:28} {run.seconds:6.1f} s  {'failed' if run.error else 'ok'}"
        ),
    )
    raise_for_failures(runs)

"""The command that makes the figures."""

import os
from pathlib import Path

import click

from workbench.cli.group import PATH, main
from workbench.cli.stopping import stoppable


@main.command()
@click.option("--preset", default="quick", show_default=True, help="Size: quick or paper.")
@click.option("--only", multiple=True, metavar="NAME", help="Run only this notebook; repeatable.")
@click.option(
    "--parameter", multiple=True, metavar="NAME=VALUE", help="A notebook parameter; repeatable."
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option(
    "--games", multiple=True, type=PATH, help="Game file: PGN, .pgn.gz or .pgn.zst; repeatable."
)
@click.option("--predictions", type=PATH, help="Predictions table (Parquet).")
@click.option("--scores", type=PATH, help="Scores of the predictions, from `workbench score`.")
@click.option("--out", default="figures", show_default=True, type=PATH, help="Output folder.")
@stoppable("the figures drawn so far are complete; the same command draws the rest")
def figures(
    preset: str,
    only: tuple[str, ...],
    parameter: tuple[str, ...],
    jobs: int,
    games: tuple[Path, ...],
    predictions: Path | None,
    scores: Path | None,
    out: Path,
) -> None:
    """Run the notebooks and write each figure as PNG and SVG with its numbers and provenance.

    Your own games, predictions or scores need not hold what every notebook asks for, such as a
    second set of positions: one that cannot be drawn of them is named and left out. With --only it
    is an error.
    """
    from workbench.cli.notebook_lines import NotebookLines
    from workbench.headless.all_figures import make_figures
    from workbench.headless.notebook_runs import parse_parameter, raise_for_failures

    with NotebookLines() as lines:
        runs = make_figures(
            preset=preset,
            only=only,
            given=dict(parse_parameter(text) for text in parameter),
            jobs=jobs,
            games=games,
            predictions=predictions,
            scores=scores,
            out=out,
            report=lines.ended,
            watch=lines.unfinished,
        )
    drawn = [run for run in runs if not run.refused]
    if drawn and not only and (games or predictions or scores):
        for run in runs:
            if run.refused:
                click.echo(run.describe_failure(), err=True)
        runs = drawn
    raise_for_failures(runs)

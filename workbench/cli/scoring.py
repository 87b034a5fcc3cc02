"""The command that scores a table, and its options."""

import os
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from workbench.cli.environment_options import environment_option
from workbench.cli.group import PATH, main

Options = Callable[[Callable[..., Any]], Callable[..., Any]]


def comparison_options(depth: str) -> Options:
    """Return the options of comparing two states: ``--depth``, ``--terminal``, ``--ill-formed``.

    Args:
        depth: The help of ``--depth``.
    """
    options = [
        click.option("--depth", default=4, show_default=True, type=click.IntRange(1), help=depth),
        click.option(
            "--terminal",
            type=click.Choice(["absorb", "drop"]),
            default="absorb",
            show_default=True,
            help="How games that are finished before m moves count.",
        ),
        click.option(
            "--ill-formed",
            type=click.Choice(["as_is", "sink"]),
            default="as_is",
            show_default=True,
            help="What to do with boards that cannot arise in chess.",
        ),
    ]
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of scoring."""
    from workbench.affordance import ESTIMATORS
    from workbench.affordance.estimate import BATCHES

    options: list[Options] = [
        comparison_options("Depth m."),
        click.option(
            "--method",
            type=click.Choice(["exact", *ESTIMATORS]),
            default="exact",
            show_default=True,
        ),
        click.option("--samples", default=500, show_default=True, type=click.IntRange(1)),
        click.option("--batches", default=BATCHES, show_default=True, type=click.IntRange(1)),
        click.option("--seed", default=0, show_default=True, type=click.IntRange(0)),
    ]
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)


@main.command()
@click.argument("predictions", type=PATH)
@click.option("-o", "--out", default="scores.parquet", show_default=True, type=PATH)
@scoring_options
@environment_option(
    "Only for a table of an earlier version that names files: the same name, whose files are read."
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option(
    "--scheduler", help="Address of a Dask scheduler; its cluster scores instead of this machine."
)
@click.option("--chunk-rows", default=64, show_default=True, type=click.IntRange(1))
@click.option(
    "--restart", is_flag=True, help="Score again; the old OUT stays until the new one is complete."
)
def score(
    predictions: Path,
    out: Path,
    environment: str | None,
    jobs: int,
    scheduler: str | None,
    chunk_rows: int,
    restart: bool,
    **options: Any,
) -> None:
    """Score a PREDICTIONS table; resumes after an interruption."""
    del environment
    import pandas as pd
    import pyarrow as pa

    from workbench.drawing.scores_in_words import class_counts
    from workbench.scoring import ScoringParameters
    from workbench.scoring.score_tables import score_table
    from workbench.tables.parquet_tables import PREDICTIONS, ROW_GROUP_ROWS, read_chunks

    parameters = ScoringParameters(**options)
    rows = score_table(
        predictions,
        out,
        parameters,
        jobs=jobs,
        scheduler=scheduler,
        chunk_rows=chunk_rows,
        restart=restart,
        progress=True,
        report=lambda said: click.echo(said, err=True),
    )
    if rows:
        named = [PREDICTIONS.field(name) for name in ("model", "reply_class")]
        counted = pa.schema([*named, ("unscored", pa.string())])
        counts = [class_counts(chunk) for chunk in read_chunks(out, counted, ROW_GROUP_ROWS)]
        summed = pd.concat(counts).groupby("model", as_index=False).sum()
        click.echo(summed.to_string(index=False))
    click.echo(f"{rows} scores written to {out}")

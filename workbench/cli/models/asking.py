"""The command that asks a model."""

from pathlib import Path

import click

from workbench.cli.environment_options import environment_option, task_options
from workbench.cli.group import PATH, main
from workbench.cli.models.asking_options import (
    STOPPED,
    AskingOptions,
    asking_options,
    describe_answers,
    describe_notes,
    exit_for_failures,
)
from workbench.errors import AskingStoppedError


@main.command()
@click.argument("positions", required=False, type=PATH)
@environment_option(
    "Environment of the positions. Without POSITIONS, random episodes of it are asked about: "
    "100 of each of the lengths 5, 10 and 20, seed 0."
)
@task_options
@click.option(
    "-o", "--out", required=True, type=PATH, help="Folder of the run; an existing run resumes."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="A pilot: ask about this many positions, equally many of each group, and forecast the total "
    "cost. The same command without it continues with the rest.",
)
@asking_options
def ask(
    positions: Path | None,
    environment: str | None,
    task: str,
    depth: int | None,
    out: Path,
    limit: int | None,
    asking: AskingOptions,
) -> None:
    """Ask a model about each of POSITIONS; resumes after an interruption.

    \b
    Exit codes:
      0    every question is answered
      1    nothing was asked; the message says why
      2    wrong usage
      3    asking stopped, not every question was tried
      4    every question was tried, and some failed
      130  stopped by Ctrl-C; 128 + N by signal N
    """  # noqa: D301
    from workbench.asking.resumable_run import ask as ask_model
    from workbench.asking.resumable_run import require_extra
    from workbench.environments.registry import environment_of_table
    from workbench.episodes import EpisodeSample

    require_extra()
    if positions is None and environment is None:
        raise click.UsageError("expected POSITIONS or --environment, got neither")
    if environment is None and positions is not None:
        environment = environment_of_table(positions).name
    try:
        run = ask_model(
            positions or EpisodeSample(str(environment)),
            out,
            asking.question(str(environment), task, depth),
            asking.operation(limit),
            price=asking.price_of_model(),
            api_key=asking.api_key,
            confirm=asking.confirm,
            progress=True,
        )
    except AskingStoppedError as error:
        describe_notes(error.notes)
        click.echo(f"Error: {error}", err=True)
        raise click.exceptions.Exit(STOPPED) from error
    except KeyboardInterrupt:
        click.echo("Error: interrupted; all answers are kept", err=True)
        raise click.exceptions.Exit(STOPPED) from None
    describe_answers(run)
    if limit is not None and run.forecast is not None:
        click.echo(run.forecast.describe())
    click.echo(f"{len(run.predictions)} predictions written to {run.path}")
    exit_for_failures(run)
    click.echo(run.describe())

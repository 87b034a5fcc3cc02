"""The command that goes from a model's name to a report."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.environment_options import environment_option, task_option
from workbench.cli.group import PATH, main
from workbench.cli.models.asking_options import (
    STOPPED,
    AskingOptions,
    asking_options,
    describe_answers,
    describe_notes,
    exit_for_failures,
)
from workbench.cli.repeated_commands import GOES_ON, repeatable
from workbench.cli.scoring import comparison_options
from workbench.errors import AskingStoppedError

if TYPE_CHECKING:
    from workbench.scoring import IllFormedPolicy
    from workbench.terminal import Terminal


@main.command()
@environment_option("Environment of the positions; by default that of --positions, else chess.")
@task_option
@click.option("--positions", type=PATH, metavar="FILE", help="Positions table (Parquet).")
@click.option(
    "--month",
    help="Month of the Lichess database such as 2017-04. Without this and --positions: bundled "
    "games that no bundled model was trained on; elsewhere than in chess, random episodes.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Number of positions, spread evenly over the groups.  [default: all of --positions, else "
    "100 of each group]",
)
@click.option(
    "--positions-seed", default=0, show_default=True, type=click.IntRange(0),
    help="Seed of the choice of positions.",
)  # fmt: skip
@click.option("-o", "--out", required=True, type=PATH, help="Folder; an existing one resumes.")
@asking_options
@click.option("--address", help="Address of the Lichess database or a mirror.")
@click.option("--cache", type=PATH, help="Folder for what is downloaded of a month.")
@comparison_options("Depth m, and the actions that the task continuation asks for.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
def evaluate(
    environment: str | None,
    task: str,
    positions: Path | None,
    month: str | None,
    limit: int | None,
    positions_seed: int,
    out: Path,
    asking: AskingOptions,
    address: str | None,
    cache: Path | None,
    depth: int,
    terminal: "Terminal",
    ill_formed: "IllFormedPolicy",
    jobs: int,
) -> None:
    """Ask a model, score its replies, draw figures and write a report; resumes at any point.

    OUT is a run folder as of `workbench ask`, with scores.parquet, figures/ and report/index.html.
    The same command again goes on where it was stopped. It repeats no finished question; calls in
    progress when the process is killed are repeated.

    \b
    Exit codes:
      0    every question is answered
      1    the message says why it cannot be done
      2    wrong usage
      3    asking stopped, not every question was tried; nothing is scored
      4    every question was tried, and some failed; the report counts them
      130  stopped by Ctrl-C; 128 + N by signal N
    """  # noqa: D301
    from workbench.asking.resumable_run import require_extra
    from workbench.cli.notebook_lines import NotebookLines
    from workbench.environments.registry import DEFAULT, environment_of_table
    from workbench.evaluation.chosen_positions import ChosenPositions
    from workbench.evaluation.evaluation_stages import evaluate as evaluate_model
    from workbench.games.lichess.month_source import DATABASE
    from workbench.scoring import ScoringParameters
    from workbench.tasks import task_named

    require_extra()
    if environment is None:
        environment = environment_of_table(positions).name if positions else DEFAULT
    asked_depth = depth if task_named(task).takes_depth else None
    question = asking.question(environment, task, asked_depth)
    chosen = ChosenPositions(
        environment, positions, month, limit, positions_seed, address or DATABASE, cache
    )
    with repeatable(out), NotebookLines() as lines:
        try:
            done = evaluate_model(
                out,
                chosen,
                question,
                asking.operation(),
                ScoringParameters(depth, terminal, ill_formed),
                price=asking.price_of_model(),
                api_key=asking.api_key,
                confirm=asking.confirm,
                jobs=jobs,
                progress=True,
                report=click.echo,
                drawn=lines.ended,
                watch=lines.unfinished,
            )
        except AskingStoppedError as error:
            describe_notes(error.notes)
            click.echo(f"Error: {error}", err=True)
            raise click.exceptions.Exit(STOPPED) from error
        except KeyboardInterrupt:
            click.echo(f"Error: interrupted; {GOES_ON}", err=True)
            raise click.exceptions.Exit(STOPPED) from None
    describe_answers(done.asked)
    click.echo(repr(done))
    exit_for_failures(done.asked)

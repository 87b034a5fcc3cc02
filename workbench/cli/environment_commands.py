"""Commands about environments: their list, their prompts, positions of random episodes."""

from pathlib import Path

import click

from workbench.cli.command_options import (
    COUNT,
    environment_option,
    group_lengths,
    out_option,
    seed_option,
    task_options,
)
from workbench.cli.group import main


@main.command()
def environments() -> None:
    """List the environments: name, title, what they are, and what may stand behind the name.

    An argument follows the name and a colon, such as planning:gripper.
    """
    from workbench.environments.registry import environment_named, environment_names
    from workbench.errors import InvalidArgumentError

    for name in environment_names():
        try:
            environment = environment_named(name)
        except InvalidArgumentError as error:
            # One of another package may need its argument.
            click.echo(f"{name:12} {error}")
            continue
        summary = (
            environment.summary or (type(environment).__doc__ or "").strip().partition("\n")[0]
        )
        argument = f"; {name}:ARGUMENT, {environment.argument}" if environment.argument else ""
        click.echo(f"{name:12} {environment.title:10} {summary}{argument}")


@main.command()
@environment_option("Environment of the episodes.", "chess")
@click.option(
    "--groups", default="5,10,20", help="Lengths of the episodes: actions, in chess full moves."
)
@click.option("--per-group", default=100, type=COUNT, help="Episodes of each length.")
@seed_option
@out_option("positions.parquet")
def episodes(environment: str, groups: str, per_group: int, seed: int, out: Path) -> None:
    """Sample random episodes of any environment: a positions table."""
    from workbench.episodes import EpisodeSample
    from workbench.tables.output_files import check_output
    from workbench.tables.parquet_tables import POSITIONS, write_table

    check_output(out, [], "positions")
    sample = EpisodeSample(environment, group_lengths(groups), per_group, seed)
    write_table(sample.positions, out, POSITIONS, sample.provenance())
    click.echo(f"{len(sample.positions)} positions written to {out}")


@main.command()
@click.argument("name", required=False)
@environment_option("Environment that is asked about.", "chess")
@task_options
def prompts(name: str | None, environment: str, task: str, depth: int | None) -> None:
    """List the prompts, or show the prompt NAME, or that of a file NAME.toml, in full.

    A model is asked with the first of the list unless --prompt or --prompt-file names another.
    """
    from workbench.asking.prompts import prompt_or_file, prompts_of

    if name is None:
        for prompt in prompts_of(environment, task, depth):
            number = len(prompt.turns)
            turns = (
                "a turn for each state" if prompt.dialogue else f"{number} turn{'s' * (number > 1)}"
            )
            click.echo(
                f"{prompt.name}@{prompt.version}  {prompt.notation}, {turns}, {prompt.sha256[:12]}"
            )
        return
    prompt = prompt_or_file(name, environment, task, depth)
    if prompt.system is not None:
        click.echo(f"--- system\n{prompt.system}")
    for number, turn in enumerate(prompt.turns, start=1):
        click.echo(f"--- turn {number}\n{turn}")

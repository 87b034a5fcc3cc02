"""Commands about environments: their list, their prompts, positions of random episodes."""

from pathlib import Path

import click

from workbench.cli.command_options import environment_option, group_lengths, task_options
from workbench.cli.group import PATH, main


@main.command()
def environments() -> None:
    """List the environments: name, title, what they are, and what may stand behind the name.

    An argument follows the name and a colon, such as planning:gripper.
    """
    from workbench.environments.registry import environment_named, environment_names
    from workbench.errors import InvalidArgumentError

    for name in environment_names():
        try:
            found = environment_named(name)
        except InvalidArgumentError as error:
            # One of another package may need its argument.
            click.echo(f"{name:12} {error}")
            continue
        summary = found.summary or (type(found).__doc__ or "").strip().partition("\n")[0]
        argument = f"; {name}:ARGUMENT, {found.argument}" if found.argument else ""
        click.echo(f"{name:12} {found.title:10} {summary}{argument}")


@main.command()
@environment_option("Environment of the episodes.", "chess")
@click.option(
    "--groups",
    default="5,10,20",
    show_default=True,
    help="Lengths of the episodes: actions, in chess full moves.",
)
@click.option(
    "--per-group",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Episodes of each length.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("-o", "--out", default="positions.parquet", show_default=True, type=PATH)
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
    from workbench.asking.prompts import prompt_given, prompts_of

    if name is None:
        for prompt in prompts_of(environment, task, depth):
            turns = f"{len(prompt.turns)} turns" if len(prompt.turns) > 1 else "1 turn"
            click.echo(
                f"{prompt.name}@{prompt.version}  {prompt.notation}, {turns}, {prompt.sha256[:12]}"
            )
        return
    shown = prompt_given(name, environment, task, depth)
    if shown.system is not None:
        click.echo(f"--- system\n{shown.system}")
    for number, turn in enumerate(shown.turns, start=1):
        click.echo(f"--- turn {number}\n{turn}")

"""Options that several commands share: the environment, the task, and the cut of games."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from workbench.cli.group import PATH

if TYPE_CHECKING:
    from workbench.games.cut import Cut, PerGroup, SideToMove
    from workbench.games.selection import GameFilters


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_DEPTH_HELP: Final = "Actions to continue with, for the task continuation.  [default: 4]"


def environment_option(explained: str, default: str | None = None) -> Decorator:
    """Return the option ``--environment``."""
    return click.option(
        "--environment",
        default=default,
        show_default=default is not None,
        metavar="NAME",
        callback=_with_texts,
        help=f"{explained} See `workbench environments`.",
    )


def _with_texts(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Return the name of an environment with the text of the files that it names."""
    del context, parameter
    if name is None or ":" not in name:
        return name
    from workbench.environments.registry import environment_named

    return environment_named(name).name


def task_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--task``."""
    from workbench.tasks import task_names

    decorated: Callable[..., Any] = click.option(
        "--task",
        type=click.Choice(task_names()),
        default="state",
        show_default=True,
        help="What is asked: the state, a list of the permitted actions, or a continuation.",
    )(command)
    return decorated


def task_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``--task`` and ``--depth``."""
    return task_option(
        click.option("--depth", type=click.IntRange(1), metavar="M", help=_DEPTH_HELP)(command)
    )


DEFAULT_PER_GROUP: Final = 2000


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How to cut games, as given by the user.

    Attributes:
        out: Where the positions go.
        groups: Full moves at which to cut.
        per_group: Positions per group.
        side_to_move: Who is to move in the positions.
        seed: Seed of the choice.
        filters: Which games are wanted.
        allow_unfilled: Whether to continue if a group cannot be filled.
        allow_truncated: Whether to use what was read of a broken file.
    """

    out: Path
    groups: tuple[int, ...]
    per_group: "PerGroup"
    side_to_move: "SideToMove"
    seed: int
    filters: "GameFilters"
    allow_unfilled: bool
    allow_truncated: bool


def _number_or_max(value: str) -> "PerGroup":
    if value == "max":
        return "max"
    if not value.isdecimal() or not int(value):
        raise click.BadParameter(f"expected a number of at least 1, or max, got {value!r}")
    return int(value)


_OPTIONS: Final = (
    click.option("-o", "--out", default="positions.parquet", show_default=True, type=PATH),
    click.option(
        "--groups",
        default="5,16,27,38,50",
        show_default=True,
        help="Cut after these numbers of full moves.",
    ),
    click.option(
        "--per-group",
        type=_number_or_max,
        metavar="INTEGER|max",
        help="Positions per group, or max: as many as every group can supply.  "
        f"[default: {DEFAULT_PER_GROUP}]",
    ),
    click.option(
        "--games",
        "number",
        type=click.IntRange(1),
        help="Total number of positions, instead of --per-group.",
    ),
    click.option(
        "--side-to-move",
        type=click.Choice(["white", "black", "both"]),
        default="white",
        show_default=True,
        help="Side to move in the positions; both: half of each group.",
    ),
    click.option("--seed", default=0, show_default=True, type=click.IntRange(0)),
    click.option(
        "--filter",
        "filters",
        multiple=True,
        help="Games to keep: rating=1600..2200, time-control=blitz,300+3 or termination=Normal; "
        "repeatable.",
    ),
    click.option("--allow-unfilled", is_flag=True, help="Continue if a group cannot be filled."),
    click.option(
        "--allow-truncated", is_flag=True, help="Use the readable part of a truncated file."
    ),
)


def cut_options(*, bots: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options to a command, which receives them as one argument ``options``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(
            *,
            out: Path,
            groups: str,
            per_group: "PerGroup | None",
            side_to_move: "SideToMove",
            number: int | None,
            seed: int,
            filters: tuple[str, ...],
            bots: bool,
            allow_unfilled: bool,
            allow_truncated: bool,
            **others: Any,
        ) -> None:
            from workbench.games.selection import GameFilters

            cuts = group_lengths(groups)
            options = CutOptions(
                out,
                cuts,
                _per_group(per_group, number, cuts),
                side_to_move,
                seed,
                GameFilters.from_texts(filters, bots=bots),
                allow_unfilled,
                allow_truncated,
            )
            command(options=options, **others)

        bots_option = click.option(
            "--bots/--no-bots", default=bots, show_default=True, help="Include games by bots."
        )
        decorated: Callable[..., None] = run
        for option in reversed((*_OPTIONS, bots_option)):
            decorated = option(decorated)
        return decorated

    return decorate


def write_positions(
    cut: "Cut", options: CutOptions, games: str, provenance: dict[str, Any], said: str
) -> None:
    """Write the positions of a cut, and report how the games were used.

    Args:
        cut: The positions, at least one.
        options: Where they go.
        games: What the games are called.
        provenance: What the table was made from and how.
        said: The summary in lines of text.
    """
    from workbench.games.cut import nothing_long_enough
    from workbench.tables.parquet_tables import POSITIONS, write_table

    if cut.positions.empty:
        raise nothing_long_enough(games, min(options.groups), cut.summary)
    write_table(cut.positions, options.out, POSITIONS, {"stage": "positions", **provenance})
    click.echo(said)
    click.echo(f"{len(cut.positions)} positions written to {options.out}")


def group_lengths(groups: str) -> tuple[int, ...]:
    """Return the lengths in the value of an option ``--groups``."""
    try:
        return tuple(int(part) for part in groups.split(","))
    except ValueError as error:
        raise click.BadParameter(
            f"expected whole numbers such as 5,16,27, got {groups!r}", param_hint="--groups"
        ) from error


def _per_group(
    per_group: "PerGroup | None", number: int | None, groups: tuple[int, ...]
) -> "PerGroup":
    if number is None:
        return per_group or DEFAULT_PER_GROUP
    if per_group is not None:
        raise click.UsageError("expected --per-group or --games, got both")
    if number % len(groups):
        raise click.BadParameter(
            f"expected a multiple of the {len(groups)} groups, got {number}", param_hint="--games"
        )
    return number // len(groups)

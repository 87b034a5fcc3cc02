"""Options that several commands share: the environment, the task, scoring, and the cut of games."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from workbench.cli.group import PATH
from workbench.errors import InvalidArgumentError

if TYPE_CHECKING:
    from workbench.games.cut import Cut, PerGroup


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

COUNT: Final = click.IntRange(1)
NATURAL: Final = click.IntRange(0)
DEFAULT_PER_GROUP: Final = 2000


def options(*decorators: Decorator) -> Decorator:
    """Return several options as one decorator, in the order of the help."""
    return lambda command: reduce(lambda inner, add: add(inner), reversed(decorators), command)


def out_option(default: str | None, explained: str | None = None) -> Decorator:
    """Return the option ``--out``, which is required if it has no default."""
    required = default is None
    return click.option(
        "-o", "--out", default=default, required=required, type=PATH, help=explained
    )


jobs_option = click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=COUNT)
seed_option = click.option("--seed", default=0, type=NATURAL)


def named_value(text: str) -> tuple[str, Any]:
    """Return the name and value of ``NAME=VALUE``; the value is read as JSON where it is JSON."""
    name, equals, value = text.partition("=")
    if not (name.isidentifier() and equals):
        raise InvalidArgumentError(f"expected NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def environment_option(explained: str, default: str | None = None) -> Decorator:
    """Return the option ``--environment``."""
    return click.option(
        "--environment",
        default=default,
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

    return click.option(
        "--task",
        type=click.Choice(task_names()),
        default="state",
        help="What is asked: the state, a list of the permitted actions, a continuation, or one action, "
        "of models that give probabilities those of all.",
    )(command)


task_options = options(
    task_option,
    click.option(
        "--depth",
        type=COUNT,
        metavar="M",
        help="Actions to continue with, for the task continuation.  [default: 4]",
    ),
)


def comparison_options(depth: str) -> Decorator:
    """Return the options of comparing two states: ``--depth``, ``--terminal``, ``--ill-formed``."""
    return options(
        click.option("--depth", default=4, type=COUNT, help=depth),
        click.option(
            "--terminal",
            type=click.Choice(["absorb", "drop"]),
            default="absorb",
            help="How games that are finished before m moves count.",
        ),
        click.option(
            "--ill-formed",
            type=click.Choice(["as_is", "sink"]),
            default="as_is",
            help="What to do with boards that cannot arise in chess.",
        ),
    )


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of scoring."""
    from workbench.affordance import ESTIMATORS
    from workbench.affordance.estimate import BATCHES

    return options(
        comparison_options("Depth m."),
        click.option("--method", type=click.Choice(["exact", *ESTIMATORS]), default="exact"),
        click.option("--samples", default=500, type=COUNT),
        click.option("--batches", default=BATCHES, type=COUNT),
        seed_option,
    )(command)


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How to cut games, as given by the user.

    Attributes:
        out: Where the positions go.
        allow_truncated: Whether to use what was read of a broken file.
        cut: The arguments of `workbench.games.cut.cut_games` by their names.
    """

    out: Path
    allow_truncated: bool
    cut: dict[str, Any]


def _number_or_max(value: str) -> "PerGroup":
    if value == "max":
        return "max"
    if not value.isdecimal() or not int(value):
        raise click.BadParameter(f"expected a number of at least 1, or max, got {value!r}")
    return int(value)


_CUT_OPTIONS: Final = options(
    out_option("positions.parquet"),
    click.option(
        "--groups", default="5,16,27,38,50", help="Cut after these numbers of full moves."
    ),
    click.option(
        "--per-group",
        type=_number_or_max,
        metavar="INTEGER|max",
        help="Positions per group, or max: as many as every group can supply.  "
        f"[default: {DEFAULT_PER_GROUP}]",
    ),
    click.option(
        "--games", "number", type=COUNT, help="Total number of positions, instead of --per-group."
    ),
    click.option(
        "--side-to-move",
        type=click.Choice(["white", "black", "both"]),
        default="white",
        help="Side to move in the positions; both: half of each group.",
    ),
    seed_option,
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


def cut_options(*, bots: bool) -> Decorator:
    """Add the options of a cut to a command, which receives them as one argument ``options``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**values: Any) -> None:
            from workbench.games.selection import GameFilters

            cut = {name: values.pop(name) for name in ("seed", "side_to_move", "allow_unfilled")}
            cut["groups"] = group_lengths(values.pop("groups"))
            numbers = values.pop("per_group"), values.pop("number")
            cut["per_group"] = _per_group(*numbers, cut["groups"])
            filters = values.pop("filters")
            cut["filters"] = GameFilters.from_texts(filters, bots=values.pop("bots"))
            options = CutOptions(values.pop("out"), values.pop("allow_truncated"), cut)
            command(options=options, **values)

        bots_option = click.option("--bots/--no-bots", default=bots, help="Include games by bots.")
        return options(_CUT_OPTIONS, bots_option)(run)

    return decorate


def write_positions(
    cut: "Cut", options: CutOptions, games: str, provenance: dict[str, Any], summary: str
) -> None:
    """Write the positions of a cut, and report how the games were used."""
    from workbench.games.cut import too_short_error
    from workbench.tables.parquet_tables import POSITIONS, write_table

    if cut.positions.empty:
        raise too_short_error(games, min(options.cut["groups"]), cut.summary)
    write_table(cut.positions, options.out, POSITIONS, {"stage": "positions", **provenance})
    click.echo(summary)
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

"""The command that streams games of Lichess."""

from pathlib import Path

import click

from workbench.cli.game_reading import games, group_cuts
from workbench.cli.group import PATH


@games.command("lichess")
@click.argument("files", nargs=-1, type=PATH)
@click.option("--month", "months", multiple=True, help="Such as 2017-04; more may follow it.")
@click.option("-o", "--out", default="positions.parquet", show_default=True, type=PATH)
@click.option(
    "--games",
    "number",
    default=10000,
    show_default=True,
    type=click.IntRange(1),
    help="How many, over all groups.",
)
@click.option(
    "--groups", default="5,16,27,38,50", show_default=True, help="Full moves at which to cut."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option(
    "--filter",
    "filters",
    multiple=True,
    help="rating=1600..2200, time-control=blitz,300+3 or termination=Normal.",
)
@click.option("--bots", is_flag=True, help="Take games of bots too.")
@click.option("--address", help="Of the database, or of a copy.  [default: database.lichess.org]")
@click.option("--cache", type=PATH, help="Keeps what was streamed.  [default: the user's cache]")
@click.option("--allow-unfilled", is_flag=True, help="Go on where a group cannot be filled.")
def games_lichess(
    files: tuple[Path, ...],
    months: tuple[str, ...],
    out: Path,
    number: int,
    groups: str,
    seed: int,
    filters: tuple[str, ...],
    bots: bool,
    address: str | None,
    cache: Path | None,
    allow_unfilled: bool,
) -> None:
    """Cut games of Lichess into groups: of a month, streamed no further than needed, or of FILES.

    FILES are PGN, plain or compressed, or Parquet of the same games as on Hugging Face. A transfer
    that breaks is taken up again; so is one of an earlier run.
    """
    from workbench.games.lichess import cut_lichess, default_cache
    from workbench.games.lichess_filters import GameFilters
    from workbench.games.lichess_sources import DATABASE, FileSource, MonthSource, Source
    from workbench.output_files import check_output
    from workbench.tables import POSITIONS, write_table

    if bool(files) == bool(months):
        raise click.UsageError("expected either --month, or FILES")
    check_output(out, files, "positions")
    cuts = group_cuts(groups)
    if number % len(cuts):
        raise click.BadParameter(
            f"expected a multiple of the {len(cuts)} groups, got {number}", param_hint="--games"
        )
    sources: list[Source] = [FileSource(path) for path in files]
    sources += [
        MonthSource(month, cache or default_cache(), address=address or DATABASE, progress=True)
        for month in months
    ]
    found = cut_lichess(
        sources,
        groups=cuts,
        per_group=number // len(cuts),
        seed=seed,
        filters=GameFilters.from_texts(filters, bots=bots),
        allow_unfilled=allow_unfilled,
        progress=True,
    )
    write_table(found.cut.positions, out, POSITIONS, {"stage": "positions", **found.provenance})
    click.echo(found.describe())
    click.echo(f"{len(found.cut.positions)} positions written to {out}")

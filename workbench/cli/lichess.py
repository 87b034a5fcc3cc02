"""The command that streams games of Lichess."""

from pathlib import Path

import click

from workbench.cli.cut_options import CutOptions, cut_options, write_positions
from workbench.cli.game_reading import games
from workbench.cli.group import PATH


@games.command("lichess")
@click.argument("files", nargs=-1, type=PATH)
@click.option("--month", "months", multiple=True, help="A month such as 2017-04; repeatable.")
@cut_options(bots=False)
@click.option(
    "--address", help="Address of the database or a mirror.  [default: database.lichess.org]"
)
@click.option("--cache", type=PATH, help="Folder for downloaded data.  [default: the user's cache]")
def games_lichess(
    files: tuple[Path, ...],
    months: tuple[str, ...],
    options: CutOptions,
    address: str | None,
    cache: Path | None,
) -> None:
    """Cut Lichess games into groups, from a streamed month or from FILES.

    FILES are those of `games cut`. Reading stops once every group is full. An interrupted transfer
    resumes, now or in a later run.
    """
    from workbench.games.game_files import GameFiles
    from workbench.games.lichess.lichess_cut import cut_lichess, default_cache
    from workbench.games.lichess.month_source import DATABASE, MonthSource, Source
    from workbench.tables.output_files import check_output

    if bool(files) == bool(months):
        raise click.UsageError("expected either --month, or FILES")
    sources: list[Source] = [
        MonthSource(month, cache or default_cache(), address=address or DATABASE, progress=True)
        for month in months
    ]
    read = GameFiles(files, allow_truncated=options.allow_truncated, progress=True)
    check_output(options.out, read.paths, "positions")
    if files:
        sources = [read]
    found = cut_lichess(
        sources,
        groups=options.groups,
        per_group=options.per_group,
        seed=options.seed,
        side_to_move=options.side_to_move,
        filters=options.filters,
        allow_unfilled=options.allow_unfilled,
        progress=True,
    )
    named = ", ".join(source.name for source in sources)
    write_positions(found.cut, options, named, found.provenance, found.describe())

"""Commands that read, download and play games."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from workbench.cli.command_options import CutOptions, cut_options, write_positions
from workbench.cli.group import PATH, main


@main.group()
def games() -> None:
    """Cut games into positions, or generate games."""


@games.command("cut")
@click.argument("files", nargs=-1, required=True, type=PATH)
@cut_options(bots=True)
def games_cut(files: tuple[Path, ...], options: CutOptions) -> None:
    """Cut games into groups by length: FILES to a positions table.

    FILES are PGN, plain or as .zst, .gz, .bz2 or .zip, Parquet of games, or folders of these; "-"
    is standard input.
    """
    from workbench.games.cut import cut_games
    from workbench.games.game_files import GameFiles
    from workbench.tables.output_files import check_output

    source = GameFiles(files, allow_truncated=options.allow_truncated, progress=True)
    check_output(options.out, source.paths, "positions")
    cut = cut_games(
        source,
        groups=options.groups,
        per_group=options.per_group,
        seed=options.seed,
        side_to_move=options.side_to_move,
        filters=options.filters,
        allow_unfilled=options.allow_unfilled,
        progress=True,
    )
    provenance = {
        "sources": source.provenance(),
        "filters": asdict(options.filters),
        "groups": options.groups,
        "per_group": cut.per_group,
        "side_to_move": options.side_to_move,
        "seed": options.seed,
    }
    said = f"{source.describe()}\n{cut.summary.describe()}"
    write_positions(cut, options, source.name, provenance, said)


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
    from workbench.games.lichess_games import (
        DATABASE,
        MonthSource,
        Source,
        cut_lichess,
        default_cache,
    )
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


@games.command("selfplay")
@click.option("-o", "--out", default="games.parquet", show_default=True, type=PATH)
@click.option(
    "--games",
    "number",
    default=12000,
    show_default=True,
    type=click.IntRange(1),
    help="Number of games.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option(
    "--short-every",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="One game in this many may have any length.",
)
@click.option(
    "--long-plies",
    default=100,
    show_default=True,
    type=click.IntRange(0, 160),
    help="The others are longer than this, in half-moves.",
)
@click.option(
    "--engine", default="stockfish", show_default=True, help="UCI engine: a command or a path."
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option(
    "--restart", is_flag=True, help="Start again; the old OUT stays until the new one is complete."
)
def games_selfplay(
    out: Path,
    number: int,
    seed: int,
    short_every: int,
    long_plies: int,
    engine: str,
    jobs: int,
    restart: bool,
) -> None:
    """Generate games of Stockfish self-play; resumes after an interruption."""
    from workbench.games.selfplay import SelfPlaySettings, describe_games, play_games

    played = play_games(
        out,
        number,
        SelfPlaySettings(seed=seed, short_every=short_every, long_plies=long_plies),
        engine=engine,
        jobs=jobs,
        restart=restart,
        progress=True,
        report=lambda said: click.echo(said, err=True),
    )
    click.echo(describe_games(played))
    click.echo(f"{len(played)} games written to {out}")

"""Commands that read, download and play games."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from workbench.cli.command_options import (
    COUNT,
    CutOptions,
    cut_options,
    jobs_option,
    out_option,
    seed_option,
    write_positions,
)
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
    cut = cut_games(source, **options.cut, progress=True)
    provenance = {
        "sources": source.provenance(),
        "filters": asdict(options.cut["filters"]),
        "per_group": cut.per_group,
        **{name: options.cut[name] for name in ("groups", "side_to_move", "seed")},
    }
    summary = f"{source.describe()}\n{cut.summary.describe()}"
    write_positions(cut, options, source.name, provenance, summary)


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
    from workbench.games.lichess_games import DATABASE, MonthSource, cut_lichess, default_cache
    from workbench.tables.output_files import check_output

    if bool(files) == bool(months):
        raise click.UsageError("expected either --month, or FILES")
    sources: list[MonthSource | GameFiles] = [
        MonthSource(month, cache or default_cache(), address=address or DATABASE, progress=True)
        for month in months
    ]
    read = GameFiles(files, allow_truncated=options.allow_truncated, progress=True)
    check_output(options.out, read.paths, "positions")
    if files:
        sources = [read]
    month_cut = cut_lichess(sources, **options.cut, progress=True)
    names = ", ".join(source.name for source in sources)
    write_positions(month_cut.cut, options, names, month_cut.provenance, month_cut.describe())


@games.command("selfplay")
@out_option("games.parquet")
@click.option("--games", "number", default=12000, type=COUNT, help="Number of games.")
@seed_option
@click.option(
    "--short-every", default=8, type=COUNT, help="One game in this many may have any length."
)
@click.option(
    "--long-plies",
    default=100,
    type=click.IntRange(0, 160),
    help="The others are longer than this, in half-moves.",
)
@click.option("--engine", default="stockfish", help="UCI engine: a command or a path.")
@jobs_option
@click.option(
    "--restart", is_flag=True, help="Start again; the old OUT stays until the new one is complete."
)
def games_selfplay(
    out: Path, number: int, engine: str, jobs: int, restart: bool, **settings: Any
) -> None:
    """Generate games of Stockfish self-play; resumes after an interruption."""
    from workbench.games.selfplay import SelfPlaySettings, describe_games, play_games

    played = play_games(
        out,
        number,
        SelfPlaySettings(**settings),
        engine=engine,
        jobs=jobs,
        restart=restart,
        progress=True,
        report=lambda message: click.echo(message, err=True),
    )
    click.echo(describe_games(played))
    click.echo(f"{len(played)} games written to {out}")

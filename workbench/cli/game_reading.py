"""Commands that read games."""

from dataclasses import asdict
from pathlib import Path

import click

from workbench.cli.cut_options import CutOptions, cut_options
from workbench.cli.group import PATH, main


@main.group()
def games() -> None:
    """Read games."""


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
    from workbench.output_files import check_output
    from workbench.tables import POSITIONS, write_table

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
        "stage": "positions",
        "sources": source.provenance(),
        "filters": asdict(options.filters),
        "groups": options.groups,
        "per_group": cut.per_group,
        "side_to_move": options.side_to_move,
        "seed": options.seed,
    }
    write_table(cut.positions, options.out, POSITIONS, provenance)
    click.echo(source.describe())
    click.echo(cut.summary.describe())
    click.echo(f"{len(cut.positions)} positions written to {options.out}")

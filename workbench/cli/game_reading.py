"""Commands that read games."""

from dataclasses import asdict
from pathlib import Path

import click

from workbench.cli.cut_options import CutOptions, cut_options, write_positions
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

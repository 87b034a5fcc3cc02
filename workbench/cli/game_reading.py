"""Commands that read games."""

from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.group()
def games() -> None:
    """Read games."""


def group_cuts(groups: str) -> tuple[int, ...]:
    """Read groups as a user writes them: full moves with commas between."""
    try:
        return tuple(int(part) for part in groups.split(","))
    except ValueError as error:
        raise click.BadParameter(
            f"expected full moves such as 5,16,27, got {groups!r}", param_hint="--groups"
        ) from error


@games.command("cut")
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("-o", "--out", default="positions.parquet", show_default=True, type=PATH)
@click.option(
    "--groups", default="5,16,27,38,50", show_default=True, help="Full moves at which to cut."
)
@click.option("--per-group", default=2000, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--allow-unfilled", is_flag=True, help="Go on where a group cannot be filled.")
@click.option("--allow-truncated", is_flag=True, help="Use what was read of a broken file.")
def games_cut(
    files: tuple[Path, ...],
    out: Path,
    groups: str,
    per_group: int,
    seed: int,
    allow_unfilled: bool,
    allow_truncated: bool,
) -> None:
    """Cut games into groups by length: FILES to a positions table."""
    from workbench.games.cut import cut_games
    from workbench.output_files import check_output
    from workbench.provenance import file_hash
    from workbench.tables import POSITIONS, write_table

    check_output(out, files, "positions")
    cuts = group_cuts(groups)
    cut = cut_games(
        list(files),
        groups=cuts,
        per_group=per_group,
        seed=seed,
        allow_unfilled=allow_unfilled,
        allow_truncated=allow_truncated,
        progress=True,
    )
    provenance = {
        "stage": "positions",
        "games_sha256": {path.name: file_hash(path) for path in files},
        "groups": cuts,
        "per_group": per_group,
        "seed": seed,
    }
    write_table(cut.positions, out, POSITIONS, provenance)
    click.echo(cut.summary.describe())
    click.echo(f"{len(cut.positions)} positions written to {out}")

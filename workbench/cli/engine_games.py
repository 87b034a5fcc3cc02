"""The command that plays games with a chess engine."""

import os
from pathlib import Path

import click

from workbench.cli.game_reading import games
from workbench.cli.group import PATH


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
    from workbench.games.audit import describe_games
    from workbench.games.selfplay import SelfPlaySettings
    from workbench.games.selfplay_run import play_games

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

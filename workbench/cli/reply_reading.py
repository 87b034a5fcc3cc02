"""Commands that bring in, or simulate, what models replied."""

from pathlib import Path
from typing import Any

import click

from workbench.cli.group import PATH, main


@main.group()
def replies() -> None:
    """Bring in, or simulate, what models replied."""


@replies.command("import")
@click.argument("logs", nargs=-1, required=True, type=PATH)
@click.option("-o", "--out", default="predictions.parquet", show_default=True, type=PATH)
@click.option(
    "--text",
    type=click.Choice(["llm_fen", "raw"]),
    default="llm_fen",
    show_default=True,
    help="The FEN that the benchmark cut out, or ours out of the whole reply.",
)
@click.option("--pgn-root", type=PATH, help="Where the logs' input_pgn_file paths start.")
def replies_import(logs: tuple[Path, ...], out: Path, text: Any, pgn_root: Path | None) -> None:
    """Import LOGS of the PGN2FEN benchmark (JSON lines) as a predictions table."""
    from workbench.provenance import file_hash
    from workbench.replies.recorded import import_pgn2fen
    from workbench.tables import PREDICTIONS, write_table

    imported = import_pgn2fen(list(logs), pgn_root=pgn_root, text=text)
    provenance = {
        "stage": "predictions",
        "logs_sha256": {path.name: file_hash(path) for path in logs},
        "text": text,
    }
    write_table(imported.predictions, out, PREDICTIONS, provenance)
    for label, faults in (
        ("lines without a position or a model, left out", imported.refusals),
        ("entries that the PGN contradicts, kept", imported.disagreements),
        ("PGN files that could not be used", list(imported.missing_games.items())),
    ):
        click.echo(f"{len(faults)} {label}")
        for fault in faults[:10]:
            click.echo(f"  {fault}")
    click.echo(f"{len(imported.predictions)} predictions written to {out}")


@replies.command("simulate")
@click.argument("positions", type=PATH)
@click.option("-o", "--out", default="predictions.parquet", show_default=True, type=PATH)
@click.option(
    "--rate", default=0.03, show_default=True, type=click.FloatRange(0, 1), help="Slips a ply."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def replies_simulate(positions: Path, out: Path, rate: float, seed: int) -> None:
    """Let the simulated tracker reply to a POSITIONS table; no model is asked."""
    from workbench.provenance import file_hash
    from workbench.replies.simulated import simulate
    from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table

    predictions = simulate(read_table(positions, POSITIONS), rate=rate, seed=seed)
    provenance = {
        "stage": "predictions",
        "positions_sha256": file_hash(positions),
        "simulated": {"rate": rate, "seed": seed},
    }
    write_table(predictions, out, PREDICTIONS, provenance)
    click.echo(f"{len(predictions)} simulated predictions written to {out}")

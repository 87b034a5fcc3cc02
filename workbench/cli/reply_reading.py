"""Commands that bring in, or simulate, what models replied."""

from pathlib import Path
from typing import Any

import click

from workbench.cli.group import PATH, main


@main.group()
def replies() -> None:
    """Bring in, or simulate, what models replied."""


def _columns(context: click.Context, option: click.Parameter, texts: Any) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, column in pairs:
        if not (name and equals and column):
            raise click.BadParameter(f"expected OURS=THEIRS, got {name!r}", context, option)
    return {name: column for name, _, column in pairs}


@replies.command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("-o", "--out", default="predictions.parquet", show_default=True, type=PATH)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["pgn2fen", "inspect", "columns"]),
    help="By default: .eval is inspect, .csv columns, all else pgn2fen.",
)
@click.option(
    "--text",
    type=click.Choice(["llm_fen", "raw"]),
    default="llm_fen",
    show_default=True,
    help="pgn2fen: the FEN that the benchmark cut out, or ours out of the whole reply.",
)
@click.option("--pgn-root", type=PATH, help="pgn2fen: where input_pgn_file paths start.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    callback=_columns,
    help="inspect, columns: OURS=THEIRS, such as true_fen=metadata.fen.",
)
@click.option("--positions", type=PATH, help="inspect, columns: a table to join by position_id.")
@click.option("--model", help="inspect, columns: the model's name, where the files have none.")
def replies_import(
    files: tuple[Path, ...],
    out: Path,
    kind: str | None,
    text: Any,
    pgn_root: Path | None,
    columns: dict[str, str],
    positions: Path | None,
    model: str | None,
) -> None:
    """Import FILES that others recorded as a predictions table.

    PGN2FEN logs, Inspect's .eval logs, or CSV or JSON Lines with named columns.
    """
    from workbench.output_files import check_output
    from workbench.provenance import file_hash
    from workbench.replies.imports import import_inspect_logs, import_named_columns
    from workbench.replies.recorded import import_pgn2fen
    from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table

    check_output(out, [*files, *([positions] if positions else [])], "predictions")
    kinds = {".eval": "inspect", ".csv": "columns"}
    found = (
        {kinds.get(path.suffix.lower(), "pgn2fen") for path in files} if kind is None else {kind}
    )
    if len(found) != 1:
        raise click.UsageError(f"expected files of one format, got {sorted(found)}; see --format")
    chosen = found.pop()
    provenance = {
        "stage": "predictions",
        "logs_sha256": {path.name: file_hash(path) for path in files},
    }
    if chosen == "pgn2fen":
        if columns or positions or model:
            raise click.UsageError("--column, --positions and --model are not for pgn2fen logs")
        imported = import_pgn2fen(list(files), pgn_root=pgn_root, text=text)
        provenance["text"] = text
    else:
        read = import_inspect_logs if chosen == "inspect" else import_named_columns
        known = None if positions is None else read_table(positions, POSITIONS)
        imported = read(list(files), columns=columns, positions=known, model=model)
        provenance["columns"] = columns
        if positions is not None:
            provenance["positions_sha256"] = file_hash(positions)
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
    from workbench.output_files import check_output
    from workbench.provenance import file_hash
    from workbench.replies.simulated import simulate
    from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table

    check_output(out, [positions], "predictions")
    predictions = simulate(read_table(positions, POSITIONS), rate=rate, seed=seed)
    provenance = {
        "stage": "predictions",
        "positions_sha256": file_hash(positions),
        "simulated": {"rate": rate, "seed": seed},
    }
    write_table(predictions, out, PREDICTIONS, provenance)
    click.echo(f"{len(predictions)} simulated predictions written to {out}")

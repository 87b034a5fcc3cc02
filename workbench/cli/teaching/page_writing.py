"""The command that writes a pair of boards as a page that needs no Python."""

from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.option("-o", "--out", default="pair.html", show_default=True, type=PATH)
@click.option("--true", "true_fen", metavar="FEN", help="True board.")
@click.option(
    "--predicted",
    "predicted_fen",
    metavar="FEN",
    help="Predicted board; an empty text for none.  [default: the true board]",
)
@click.option("--caption", default="", help="A line above the boards, and the title of the page.")
def page(out: Path, true_fen: str | None, predicted_fen: str | None, caption: str) -> None:
    """Write a pair of boards as one HTML file that works without Python and without a network.

    It opens in any browser, from the disk: drag pieces, type FENs, step through moves; p and r are
    exact to m = 4. Without --true and --predicted it opens on an example.
    """
    from workbench.explore.pair.pair_answers import PREDICTED_FEN, TRUE_FEN
    from workbench.explore.static_page.pair_html import pair_html
    from workbench.tables.output_files import check_output
    from workbench.tables.parquet_tables import replacing

    if true_fen is None and predicted_fen is not None:
        raise click.UsageError("--predicted needs --true: give both boards")
    check_output(out, [])
    if true_fen is None:
        true_fen, predicted_fen = TRUE_FEN, PREDICTED_FEN
    elif predicted_fen is None:
        predicted_fen = true_fen
    text = pair_html(true_fen, predicted_fen, caption)
    with replacing(out) as beside:
        beside.write_text(text, encoding="utf-8")
    click.echo(f"{len(text.encode()):,} bytes written to {out}")

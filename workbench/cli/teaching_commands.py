"""Commands for a class: the app, the lessons, and a page that needs no Python."""

from pathlib import Path
from typing import Any

import click

from workbench.cli.command_options import COUNT, NATURAL, out_option
from workbench.cli.group import PATH, main


@main.command()
@click.argument("scores", required=False, type=PATH)
@click.option("--predictions", type=PATH, help="The predictions of SCORES, for moves and replies.")
@click.option(
    "--host", default="localhost", help="Address to listen on; 0.0.0.0 lets other machines visit."
)
@click.option(
    "--port", default=8866, type=click.IntRange(0, 65535), help="Port; 0 for any that is free."
)
@click.option(
    "--ready", default=1, type=NATURAL, help="Kernels of each page that wait for visitors."
)
@click.option(
    "--most-visitors",
    default=8,
    type=COUNT,
    help="Pages that can be open at once, each with a kernel of 200 MB or more; other visitors are told "
    "that the app is full.",
)
@click.option(
    "--idle-minutes",
    default=60.0,
    type=click.FloatRange(0),
    help="An open page that is not used for so long loses its kernel; 0 for never. The kernel of a page "
    "that has gone ends within two minutes.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def app(scores: Path | None, predictions: Path | None, no_browser: bool, **settings: Any) -> None:
    """Serve the explorer and the run browser as web pages without code.

    The run browser shows SCORES, a table from `workbench score`; without it, recorded replies of real
    models. Every page that is open has a kernel of its own. Visitors need a browser only, and cannot run
    code of theirs; there is no password. Ctrl-C ends the app.
    """
    from workbench.app.app_server import AppSettings, serve

    serve(
        AppSettings(**settings, open_browser=not no_browser),
        scores,
        predictions,
        lambda address: click.echo(f"The app is at {address} (Ctrl-C ends it)."),
    )


@main.command()
@out_option(None, "Output folder.")
@click.option("--instructor", is_flag=True, help="Keep the solutions and the instructor's notes.")
def lessons(out: Path, instructor: bool) -> None:
    """Write the three lessons as notebooks for students, or for the instructor.

    Both come from one source. Students get tasks, hints and checks; the instructor's version has the
    solutions, folded, and notes on each section. Files that exist are not written over.
    """
    from workbench.headless.class_lessons import write_lessons

    for path in write_lessons(out, instructor=instructor):
        click.echo(path)


@main.command()
@click.argument("folder", type=PATH)
@click.option("-o", "--out", type=PATH, help="All answers, as .csv or as one .html page.")
def class_answers(folder: Path, out: Path | None) -> None:
    """Show the answers of a class from the saved lessons in FOLDER.

    Reads copies of the lessons by any name that ends in .ipynb, also in folders in FOLDER, and runs none
    of them. Prints a row for each copy: sections done, tasks right, wrong and open, guesses and their
    points; then the tasks that were missed most. A copy that cannot be read is listed with the reason.
    Records can be edited: these are no grades.
    """
    from workbench.front_door.class_answers import class_answers as read
    from workbench.front_door.class_answers import class_page, csv_text, missed
    from workbench.tables.parquet_tables import replacing

    if out is not None and (out.suffix not in (".csv", ".html") or out.exists()):
        raise click.UsageError(f"--out: expected a new file in .csv or .html, got {str(out)!r}")
    answers, files = read(folder)
    readable = files[files["reason"] == ""].drop(columns="reason")
    click.echo(readable.to_string(index=False) if len(readable) else "No copy can be read.")
    for file, reason in files.loc[files["reason"] != "", ["file", "reason"]].itertuples(
        index=False
    ):
        click.echo(f"{file}: {reason}")
    if len(readable):
        click.echo(f"\nMissed most:\n{missed(answers).head(10).to_string(index=False)}")
    if out is not None:
        make = csv_text if out.suffix == ".csv" else class_page
        with replacing(out) as beside:
            beside.write_text(make(answers, files), encoding="utf-8")


@main.command()
@out_option("pair.html")
@click.option(
    "--model",
    "models",
    metavar="NAMES",
    help="A page where these bundled language models read a game, such as small or tiny,small.",
)
@click.option(
    "--checkpoints",
    is_flag=True,
    help="With one --model: its checkpoints too, on a slider. The file of small has less than 6 MB.",
)
@click.option("--true", "true_fen", metavar="FEN", help="True board.")
@click.option(
    "--predicted",
    "predicted_fen",
    metavar="FEN",
    help="Predicted board; an empty text for none.  [default: the true board]",
)
@click.option(
    "--caption",
    default="",
    show_default=False,
    help="A line above the boards, and the title of the page.",
)
def page(
    out: Path,
    models: str | None,
    checkpoints: bool,
    true_fen: str | None,
    predicted_fen: str | None,
    caption: str,
) -> None:
    """Write a pair of boards as one HTML file that works without Python and without a network.

    It opens in any browser, from the disk: drag pieces, type FENs, step through moves; p and r are
    exact to m = 4. Without --true and --predicted it opens on an example.

    With --model the page has bundled language models instead, which run in the browser: make moves or
    paste a game, and see after each move the board that a model writes, beside the true one.
    """
    from workbench.explore.pair.board_pair import PREDICTED_FEN, TRUE_FEN
    from workbench.explore.pair.pair_html import pair_html
    from workbench.explore.reader.reader_html import reader_html
    from workbench.tables.output_files import check_output
    from workbench.tables.parquet_tables import replacing

    if true_fen is None and predicted_fen is not None:
        raise click.UsageError("--predicted needs --true: give both boards")
    if models is not None and (true_fen is not None or caption):
        raise click.UsageError("--model is for another page than --true, --predicted and --caption")
    if checkpoints and models is None:
        raise click.UsageError("--checkpoints needs --model: give one model, such as small")
    check_output(out, [])
    if models is not None:
        text = reader_html(models.split(","), checkpoints=checkpoints)
    else:
        if true_fen is None:
            true_fen, predicted_fen = TRUE_FEN, PREDICTED_FEN
        text = pair_html(true_fen, true_fen if predicted_fen is None else predicted_fen, caption)
    with replacing(out) as beside:
        beside.write_text(text, encoding="utf-8")
    click.echo(f"{len(text.encode()):,} bytes written to {out}")

"""The command that serves the app."""

from pathlib import Path

import click

from workbench.cli.group import PATH, main


@main.command()
@click.argument("scores", required=False, type=PATH)
@click.option("--predictions", type=PATH, help="The predictions of SCORES, for moves and replies.")
@click.option(
    "--host",
    default="localhost",
    show_default=True,
    help="Address to listen on; 0.0.0.0 lets other machines visit.",
)
@click.option(
    "--port",
    default=8866,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port; 0 for any that is free.",
)
@click.option(
    "--ready",
    default=1,
    show_default=True,
    type=click.IntRange(0),
    help="Kernels of each page that wait for visitors.",
)
@click.option(
    "--most-visitors",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="Pages that can be open at once, each with a kernel of 200 MB or more; other visitors are told "
    "that the app is full.",
)
@click.option(
    "--idle-minutes",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0),
    help="An open page that is not used for so long loses its kernel; 0 for never. The kernel of a page "
    "that has gone ends within two minutes.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def app(
    scores: Path | None,
    predictions: Path | None,
    host: str,
    port: int,
    ready: int,
    most_visitors: int,
    idle_minutes: float,
    no_browser: bool,
) -> None:
    """Serve the explorer and the run browser as web pages without code.

    The run browser shows SCORES, a table from `workbench score`; without it, recorded replies of real
    models. Every page that is open has a kernel of its own. Visitors need a browser only, and cannot run
    code of theirs; there is no password. Ctrl-C ends the app.
    """
    from workbench.app.app_server import AppSettings, serve

    settings = AppSettings(host, port, ready, most_visitors, idle_minutes, not no_browser)
    serve(
        settings,
        scores,
        predictions,
        lambda address: click.echo(f"The app is at {address} (Ctrl-C ends it)."),
    )

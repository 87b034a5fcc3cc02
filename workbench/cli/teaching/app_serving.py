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
    "--idle-minutes",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0),
    help="A page that is not used for so long loses its kernel; 0 for never.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def app(
    scores: Path | None,
    predictions: Path | None,
    host: str,
    port: int,
    ready: int,
    idle_minutes: float,
    no_browser: bool,
) -> None:
    """Serve the explorer and the run browser as web pages without code.

    The run browser shows SCORES, a table from `workbench score`; without it, recorded replies of real
    models. Every page that is open has a kernel of its own. Visitors need a browser only, and cannot run
    code of theirs; there is no password. Ctrl-C ends the app.
    """
    from workbench.app.app_server import AppSettings, serve

    settings = AppSettings(host, port, ready, idle_minutes, not no_browser)
    serve(
        settings,
        scores,
        predictions,
        lambda address: click.echo(f"The app is at {address} (Ctrl-C ends it)."),
    )

"""The server of the app: the run that it shows, its pages and the configuration of Voila."""

import importlib.util
import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import nbformat
import platformdirs
from traitlets.config import Config

from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies
from workbench.errors import InvalidArgumentError, MissingExtraError
from workbench.explore.run.run_files import Replies
from workbench.explore.run.run_table import run_table
from workbench.installation import install_hint
from workbench.scoring import ScoringParameters, scores_schema
from workbench.scoring.score_tables import read_scores
from workbench.studies.study_scores import StoredTables
from workbench.tables.parquet_tables import PREDICTIONS, write_table

MODELS: Final = ("gpt-4.1-2025-04-14", "o3-mini-2025-01-31", "starting_board")
DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class ServedRun:
    """The tables that every visitor's run browser reads, and a description for the landing page."""

    scores: Path
    predictions: Path | None
    description: str


def table_run(scores: Path, predictions: Path | None = None) -> ServedRun:
    """Return the run of a table, after a check that the run browser can show it."""
    table = read_scores(scores)
    run_table(table, replies=Replies(predictions).texts(table))
    return ServedRun(
        scores.resolve(),
        predictions.resolve() if predictions else None,
        f"{len(table):,} replies from {scores.name}: where do edit distance and precision disagree?",
    )


def recorded_run(folder: Path, cache: Path) -> ServedRun:
    """Return recorded replies of two real models and a baseline, with their scores, as a run."""
    replies = recorded_replies((WORLD_CUP,), MODELS, ("",))
    predictions, scores = folder / "predictions.parquet", folder / "scores.parquet"
    write_table(replies, predictions, PREDICTIONS)
    parameters = ScoringParameters(depth=DEPTH)
    table = StoredTables(cache).scores(predictions, parameters)
    write_table(table, scores, scores_schema(parameters))
    return ServedRun(
        scores,
        predictions,
        f"{len(replies):,} recorded replies of gpt-4.1, o3-mini and a baseline that always answers the starting "
        "position: where do edit distance and precision disagree?",
    )


def served_run(scores: Path | None, predictions: Path | None, folder: Path) -> ServedRun:
    """Return the run of the tables, or the recorded one if there are none."""
    if scores is not None:
        return table_run(scores, predictions)
    if predictions is not None:
        raise InvalidArgumentError(
            f"expected SCORES beside --predictions {predictions}, got none; `workbench score` makes them"
        )
    return recorded_run(folder, platformdirs.user_cache_path("world-state-workbench") / "app")


ROOM: Final = Path(__file__).resolve().parent
EXTENSIONS: Final = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
]
"""What a page loads of JupyterLab's extensions: those that show widgets."""
ABANDONED_SECONDS: Final = 90
"""How long a kernel waits for a page that has gone, or has not connected yet."""
NEVER: Final = 10**9
"""Seconds; jupyter_server's own word for never, 0, would also end the search for abandoned kernels."""


@dataclass(frozen=True, slots=True)
class AppSettings:
    """How the app is served.

    Attributes:
        host: The address to listen on; ``0.0.0.0`` for all addresses of this machine.
        port: From 1 to 65535, or 0 for any that is free.
        ready: Kernels of each page that run before a visitor comes, at least 0.
        most_visitors: Pages that can be open at once, at least 1; each has a kernel.
        idle_minutes: A kernel that gets no message for so long ends although its page is open; 0 for
            never.
        open_browser: Whether to open a browser on this machine.
    """

    host: str = "localhost"
    port: int = 8866
    ready: int = 1
    most_visitors: int = 8
    idle_minutes: float = 60.0
    open_browser: bool = True


def serve(
    settings: AppSettings,
    scores: Path | None = None,
    predictions: Path | None = None,
    report: Callable[[str], object] | None = None,
) -> None:
    """Serve the pages until SIGINT or SIGTERM; then end all kernels."""
    if importlib.util.find_spec("voila") is None:
        raise MissingExtraError(
            f"serving the app needs the optional extra 'app' (Voila): {install_hint('app')}"
        )
    port = free_port(settings.host, settings.port)
    with TemporaryDirectory(prefix="workbench-app-") as name:
        folder = Path(name)
        run = served_run(scores, predictions, folder)
        pages = folder / "pages"
        write_pages(pages, run)
        # Voila finds its templates along this path; a folder `voila` on it would hide Voila's own.
        above = [str(ROOM / "jupyter"), os.environ.get("JUPYTER_PATH", "")]
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, above))
        from workbench.app.voila_classes import App

        if report is not None:
            host = socket.gethostname() if settings.host == "0.0.0.0" else settings.host
            report(f"http://{host}:{port}/")
        # jupyter_server waits for three pings, so that one that is late ends no connection; tornado says
        # that it takes one interval, and takes it where it pings itself, which is not here.
        logging.getLogger("tornado.general").addFilter(
            lambda record: "websocket_ping_timeout" not in record.getMessage()
        )
        App.launch_instance(argv=[], config=configuration(settings, port, pages, run))


def free_port(host: str, port: int) -> int:
    """Return the port, or one that is free if it is 0."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as tried:
            # As the server does: a port that was in use a moment ago can be had.
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
            return int(tried.getsockname()[1])
    except OSError as error:
        raise InvalidArgumentError(
            f"expected a host and a port that are free, got {host!r} and {port}: {error}; choose others "
            "with --host and --port (0 for any port)"
        ) from error


def write_pages(folder: Path, run: ServedRun) -> None:
    """Write the notebooks that are served."""
    folder.mkdir()
    values = {"scores": str(run.scores), "predictions": str(run.predictions or "")}
    for path in (ROOM / "pages").glob("*.ipynb"):
        notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        for cell in notebook.cells:
            if "parameters" in cell.metadata.get("tags", []):
                cell.source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
        nbformat.write(notebook, folder / path.name)  # type: ignore[no-untyped-call]


def configuration(settings: AppSettings, port: int, pages: Path, run: ServedRun) -> Config:
    """Return Voila's configuration."""
    return Config(
        {
            "Voila": {
                "root_dir": str(pages),
                "ip": settings.host,
                "port": port,
                "port_retries": 0,
                "open_browser": settings.open_browser,
                "log_level": logging.ERROR,
                "tornado_settings": {
                    "jinja_template_vars": {"served_run": run.description},
                    # A page that is closed sends the end of its kernel without the cookie that the check
                    # wants. There is no login that another site could misuse.
                    "disable_check_xsrf": True,
                },
            },
            "VoilaConfiguration": {
                "template": "workbench",
                "multi_kernel_manager_class": "workbench.app.voila_classes.PageKernels",
                "classic_tree": True,
                "preheat_kernel": settings.ready > 0,
                "default_pool_size": settings.ready,
                "extension_allowlist": EXTENSIONS,
            },
            # Sockets in a folder of the server's own: others on the machine cannot reach them.
            "KernelManager": {"transport": "tcp" if os.name == "nt" else "ipc"},
            "PageKernels": {
                "most_visitors": settings.most_visitors,
                "abandoned_after": ABANDONED_SECONDS,
                "cull_idle_timeout": ceil(60 * settings.idle_minutes) or NEVER,
                "cull_interval": 15,
                # A page that is left open keeps its connection.
                "cull_connected": True,
            },
        }
    )

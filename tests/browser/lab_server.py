"""A JupyterLab server of its own: free port, temporary folders, nothing fetched, no browser opened."""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workbench.environments.chess.kernel.cache import cache_folder

STARTED_WITHIN: Final = 180.0
"""Seconds after which a server that does not answer counts as failed."""

SETTINGS: Final = """
c.ServerApp.open_browser = False
c.ServerApp.port_retries = 0
c.ServerApp.allow_root = True
c.LabApp.expose_app_in_browser = True
c.LabApp.extension_manager = "readonly"
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.handlers.announcements.NeverCheckForUpdate"
"""

PAGE_SETTINGS: Final = {
    "disabledExtensions": {
        "@jupyterlab/apputils-extension:announcements": True,
        # It complains on the console when a kernel ends while it still asks the kernel for its state.
        "@jupyterlab/debugger-extension": True,
        "@jupyterlab/extensionmanager-extension": True,
    }
}


@dataclass(frozen=True)
class LabServer:
    """A running server.

    Args:
        url: Its address with a slash at the end, such as ``http://127.0.0.1:41237/``.
        token: What a client must show.
        folder: What it serves: a copy of the repository's notebooks, in a folder of this name.
        status: The address, below its own, at which it answers once it runs.
    """

    url: str
    token: str
    folder: Path
    status: str = "api/status"


@contextmanager
def lab_server(repository: Path) -> Iterator[LabServer]:
    """Serve copies of the notebooks until the block ends, then stop the server and its kernels.

    Args:
        repository: Where they are copied from. The originals are never touched.

    Raises:
        RuntimeError: If the server stops or does not answer in time; with the end of its log.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-lab-") as root:
        folder = Path(root, "served")
        copy_notebooks(repository, folder)
        server = LabServer(f"http://127.0.0.1:{free_port()}/", secrets.token_hex(16), folder)
        with running(_command(server), server, Path(root), repository):
            yield server


def copy_notebooks(repository: Path, folder: Path) -> None:
    """Copy the repository's notebooks into ``notebooks`` below a folder."""
    (folder / "notebooks").mkdir(parents=True)
    for path in repository.glob("notebooks/*.ipynb"):
        (folder / "notebooks" / path.name).write_bytes(path.read_bytes())


@contextmanager
def running(command: list[str], server: LabServer, root: Path, repository: Path) -> Iterator[int]:
    """Run a server's command until the block ends, once it answers; yields its process's number.

    Args:
        command: Its folder is the server's.
        server: Where it answers.
        root: A folder for its settings and its log.
        repository: Whose settings of `make lab` it uses.

    Raises:
        RuntimeError: If it stops or does not answer in time; with the end of its log.
    """
    with Path(root, "log.txt").open("w+b") as log:
        process = subprocess.Popen(
            command,
            cwd=server.folder,
            env=_environment(root, repository),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(server, process, Path(root, "log.txt"))
            yield process.pid
        finally:
            # SIGTERM: the server shuts its kernels down before it ends.
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


def _command(server: LabServer) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyter", "lab"),
        f"--ServerApp.root_dir={server.folder}",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={server.url.rstrip('/').rpartition(':')[2]}",
        f"--IdentityProvider.token={server.token}",
    ]


def _environment(root: Path, repository: Path) -> dict[str, str]:
    """Return an environment with the settings of `make lab` and nothing of the user's."""
    settings = root / "config"
    (settings / "labconfig").mkdir(parents=True)
    (settings / "jupyter_server_config.py").write_text(SETTINGS)
    (settings / "labconfig" / "page_config.json").write_text(json.dumps(PAGE_SETTINGS))
    of_the_user = ("JUPYTER", "IPYTHON", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(of_the_user)}
    names = {
        "HOME": "home",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    for name in names.values():
        (root / name).mkdir(exist_ok=True)
    return {
        **kept,
        **{variable: str(root / name) for variable, name in names.items()},
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTER_CONFIG_PATH": str(repository / ".jupyter"),
        # The kernel's machine code is found where it already lies: compiling takes long.
        "NUMBA_CACHE_DIR": str(cache_folder().parent.parent),
    }


def _wait(server: LabServer, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + STARTED_WITHIN
    # No proxy: the server is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(f"{server.url}{server.status}?token={server.token}", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    tail = log.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise RuntimeError(
        f"expected a server to answer at {server.url} within {STARTED_WITHIN:.0f} s, "
        f"it did not (exit code {process.poll()}); its log ends:\n{tail}"
    )

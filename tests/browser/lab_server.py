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

STARTED_WITHIN: Final = 60.0
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
        folder: What it serves: a copy of the repository's notebooks and figures, in folders of
            these names.
    """

    url: str
    token: str
    folder: Path


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
        for pattern in ("notebooks/*.ipynb", "figures/*.png"):
            for path in repository.glob(pattern):
                copy = folder / path.relative_to(repository)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
        server = LabServer(f"http://127.0.0.1:{_free_port()}/", secrets.token_hex(16), folder)
        with Path(root, "log.txt").open("w+b") as log:
            process = subprocess.Popen(
                _command(server),
                cwd=folder,
                env=_environment(Path(root), repository),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                _wait(server, process, Path(root, "log.txt"))
                yield server
            finally:
                # SIGTERM: the server shuts its kernels down before it ends.
                process.terminate()
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _free_port() -> int:
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
            with opener.open(f"{server.url}api/status?token={server.token}", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    tail = log.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise RuntimeError(
        f"expected JupyterLab to answer at {server.url} within {STARTED_WITHIN:.0f} s, "
        f"it did not (exit code {process.poll()}); its log ends:\n{tail}"
    )

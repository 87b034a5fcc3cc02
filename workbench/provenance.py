"""Where a result came from: hashes of its inputs, versions of the packages, the commit."""

import hashlib
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from workbench.errors import TableError

PACKAGES: Final = ("world-state-workbench", "chess", "numpy", "pandas", "pyarrow", "scipy")


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal.

    Raises:
        TableError: If the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise TableError(f"{path}: expected a readable file, got: {error}") from error


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    return dict(_package_versions())


@cache
def _package_versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def git_commit() -> str:
    """Return the commit of the workbench's own checkout, with ``+changes`` if it was edited.

    ``unknown`` is returned where the package does not stand in a git checkout.
    """
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return "unknown"

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + ("+changes" if git("status", "--porcelain", "--", "workbench") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"

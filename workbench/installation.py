"""The installed workbench: the folder of its bundled files, and the command that adds an optional extra."""

import importlib
import importlib.util
import json
import shlex
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from workbench.errors import MissingExtraError

PACKAGE: Final = Path(__file__).resolve().parent


def resources_folder(package: Path = PACKAGE) -> Path:
    """Return the folder that holds ``data``, ``notebooks`` and ``figures``."""
    bundled = package / "bundled"
    return bundled if bundled.is_dir() else package.parent


RESOURCES: Final = resources_folder()


DISTRIBUTION: Final = "world-state-workbench"


def install_hint(extra: str) -> str:
    """Return the command that adds an extra to the workbench that is running."""
    try:
        installed = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        installed = None
    arguments = requirement(extra, PACKAGE.parent, installed)
    return shlex.join([sys.executable or "python", "-m", "pip", "install", *arguments])


def library(name: str, extra: str) -> ModuleType:
    """Return an optional library, imported when it is needed.

    Args:
        name: Of the module.
        extra: The extra that installs it.

    Raises:
        MissingExtraError: If it is not installed.
    """
    library_folder(name, extra)
    return importlib.import_module(name)


def library_folder(name: str, extra: str) -> Path:
    """Return the folder of an optional library without importing it; arguments as of `library`."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise MissingExtraError(
            f"expected the library {name!r} of the optional extra {extra!r}, which is not installed: "
            f"{install_hint(extra)}"
        )
    return Path(spec.origin).parent


def requirement(extra: str, above: Path, installed: Distribution | None) -> list[str]:
    """Return the argument for pip: the extra of the running copy, from the source of that copy."""
    if (above / "pyproject.toml").is_file():
        return ["--editable", f"{above}[{extra}]"]
    named = f"{DISTRIBUTION}[{extra}]"
    # PEP 610: only what was not taken from an index by its name has this file.
    origin = installed.read_text("direct_url.json") if installed else None
    if origin is None:
        return [named]
    origin_fields: dict[str, Any] = json.loads(origin)
    url = origin_fields["url"]
    if "dir_info" in origin_fields:
        return [f"{url2pathname(urlsplit(url).path)}[{extra}]"]
    if "vcs_info" in origin_fields:
        url = f"{origin_fields['vcs_info']['vcs']}+{url}@{origin_fields['vcs_info']['commit_id']}"
    return [f"{named} @ {url}"]

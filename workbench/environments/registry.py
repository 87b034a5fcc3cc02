"""Environments by name: the modules of this folder, and those that other packages register.

A module here has, and an entry point of the group ``workbench.environments`` is,
``environment``: a class or a function of the requested name and the argument behind its colon.

A name that a user gives may name files, such as ``sokoban:room.txt``: they are read once, and the
environment is named by their text, so that a table contains all that scoring needs. A name that is
in a table opens no file.
"""

from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Final

import pandas as pd
import pyarrow as pa

from workbench import environments as folder
from workbench.environment import AnyEnvironment as AnyEnvironment
from workbench.errors import InvalidArgumentError, TableError
from workbench.tables.parquet_tables import distinct_values

GROUP: Final = "workbench.environments"
DEFAULT: Final = "chess"

_of_files: Final[dict[str, AnyEnvironment]] = {}
"""Environments by the name with which a user named their files."""


def environment_named(name: str) -> AnyEnvironment:
    """Return the environment that a user names; files in its argument are read.

    Args:
        name: Such as ``chess`` or, with an argument, ``planning:gripper`` or ``sokoban:room.txt``.

    Returns:
        Its own name has the text of the files in their place.

    Raises:
        InvalidArgumentError: If there is none of this name, it does not take the argument, or a
            file cannot be read.
    """
    kind, _, argument = name.partition(":")
    with_texts = getattr(_modules().get(kind), "argument_with_texts", None)
    if not argument or with_texts is None:
        return _environment(name)
    environment = _environment(f"{kind}:{with_texts(argument)}")
    _of_files[name] = environment
    return environment


def environment_in_table(name: str) -> AnyEnvironment:
    """Return the environment that a table names; no file is opened for it.

    A table made by an earlier version may name files. They count if the user has named the same in
    this process by `environment_named`.

    Args:
        name: A value of the column ``environment``.

    Raises:
        InvalidArgumentError: If there is none of this name, or it does not take the argument.
    """
    return _of_files.get(name) or _environment(name)


def environment_names() -> list[str]:
    """Return the names of all environments: those of the workbench, then registered ones."""
    own = list(_modules())
    return own + sorted({each.name for each in entry_points(group=GROUP)}.difference(own))


@lru_cache(maxsize=64)
def _environment(name: str) -> AnyEnvironment:
    kind, _, argument = name.partition(":")
    if kind in _modules():
        environment: AnyEnvironment = _modules()[kind].environment(name, argument)
        return environment
    for entry in entry_points(group=GROUP):
        if entry.name == kind:
            environment = entry.load()(name, argument)
            return environment
    raise InvalidArgumentError(
        f"environment: expected one of {', '.join(environment_names())}, got {kind!r:.80}; "
        "an environment of another package needs that package installed"
    )


@lru_cache(maxsize=1)
def _modules() -> dict[str, ModuleType]:
    """Return this folder's modules that offer an environment, by name."""
    modules = {name.rpartition(".")[2]: import_module(name) for name in own_modules()}
    return {name: module for name, module in modules.items() if hasattr(module, "environment")}


def own_modules() -> list[str]:
    """Return the full names of this folder's modules, which the registry imports by their names."""
    names = (each.name for each in iter_modules(folder.__path__))
    return [f"{folder.__name__}.{name}" for name in names if name != "registry"]


def environment_of(rows: pd.DataFrame | pa.Table, where: object = "rows") -> AnyEnvironment:
    """Return the environment of a table's rows; chess for a table without rows.

    Args:
        rows: With the column ``environment``.
        where: Where they are from, for the message.

    Raises:
        TableError: If there are several.
    """
    if isinstance(rows, pa.Table):
        return _only(rows["environment"].unique().to_pylist(), where)
    return _only(rows["environment"].unique().tolist(), where)


def environment_of_table(path: Path) -> AnyEnvironment:
    """Return the environment of a table; chess for one without rows, or of before there were others.

    Raises:
        TableError: If there are several, or it cannot be read.
    """
    return _only(distinct_values(path, "environment"), path)


def _only(names: list[Any], where: object) -> AnyEnvironment:
    if len(names) > 1 or not all(isinstance(name, str) and name for name in names):
        raise TableError(
            f"{where}: expected rows of one environment, got {', '.join(map(repr, names)):.80}; "
            "fill the column environment, and make one table for each"
        )
    return environment_in_table(names[0] if names else DEFAULT)

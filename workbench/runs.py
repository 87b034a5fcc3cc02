"""Notebooks run headlessly by papermill, strictly: an unknown parameter is an error.

An executed notebook is kept whether it went well or not; one that failed is named, and the others
go on.
"""

import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import papermill
from traitlets.config import Config

from workbench.errors import InvalidArgumentError, NotebookError, UnknownParameterError
from workbench.resources import RESOURCES

NOTEBOOKS: Final = RESOURCES / "notebooks"


@dataclass(frozen=True, slots=True)
class NotebookRun:
    """How one notebook ended.

    Attributes:
        name: The notebook's stem.
        executed: Where the executed notebook lies.
        seconds: Wall time.
        error: Empty if it went well; else the exception's name and message.
    """

    name: str
    executed: Path
    seconds: float
    error: str


def figure_notebooks(only: Iterable[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """Return the notebooks that make figures, in the order of their numbers.

    Args:
        only: Names to choose, whole (``03_kendall_tau``) or without the number (``kendall_tau``).
        folder: Where the notebooks lie.

    Raises:
        InvalidArgumentError: If a name fits no notebook, or there are none.
    """
    known = {
        path.stem: path
        for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))
        if "out" in notebook_parameters(path)
    }
    if not known:
        raise InvalidArgumentError(
            f"expected figure notebooks in {folder}, found none; install the package anew"
        )
    wanted = set(only)
    chosen = [
        path for stem, path in known.items() if {stem, stem.split("_", 1)[1]} & wanted or not wanted
    ]
    found = {part for path in chosen for part in (path.stem, path.stem.split("_", 1)[1])}
    if unknown := sorted(wanted - found):
        raise InvalidArgumentError(f"expected notebooks of {list(known)}, got {unknown}")
    return chosen


def notebook_parameters(path: Path) -> set[str]:
    """Return the names in a notebook's ``parameters`` cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return set(papermill.inspect_notebook(str(path)))


def assign_parameters(
    notebooks: Sequence[Path],
    optional: Mapping[str, Any],
    given: Mapping[str, Any],
    sizes: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[Path, dict[str, Any]]:
    """Return what each notebook is to be run with: of all parameters those that it has.

    Args:
        notebooks: The notebooks to run.
        optional: Parameters of the run; a notebook without them goes without.
        given: Parameters that the user named; each must be known to one of the notebooks.
        sizes: Parameters of a preset by the notebook's name; each notebook must have its own.

    Raises:
        UnknownParameterError: If none of the notebooks has a parameter that was given, or one
            lacks a parameter of its preset.
    """
    names = {path: notebook_parameters(path) for path in notebooks}
    known = set().union(*names.values())
    if unknown := sorted(set(given) - known):
        raise UnknownParameterError(
            f"expected parameters that {', '.join(p.stem for p in notebooks)} have "
            f"({', '.join(sorted(known))}), got {unknown}"
        )
    assigned = {}
    for path in notebooks:
        own = (sizes or {}).get(path.stem, {})
        if missing := sorted(set(own) - names[path]):
            raise UnknownParameterError(f"{path.name} lacks {missing}, which its preset sets")
        values = {**optional, **own, **given}
        assigned[path] = {name: value for name, value in values.items() if name in names[path]}
    return assigned


def parse_parameter(text: str) -> tuple[str, Any]:
    """Return the name and value of ``NAME=VALUE``; the value is read as JSON where it is JSON.

    Raises:
        InvalidArgumentError: If there is no name or no equals sign.
    """
    name, equals, value = text.partition("=")
    if not (name.isidentifier() and equals):
        raise InvalidArgumentError(f"expected NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def run_notebook(path: Path, parameters: Mapping[str, Any], executed: Path) -> NotebookRun:
    """Execute one notebook in a kernel of its own and keep the result.

    Args:
        path: The notebook.
        parameters: Values for names in its ``parameters`` cell.
        executed: Where the executed notebook goes; a failed one stays there too.

    Raises:
        UnknownParameterError: If the notebook lacks one of the parameters.
    """
    if unknown := sorted(set(parameters) - notebook_parameters(path)):
        raise UnknownParameterError(f"{path.name} has no parameter {unknown}")
    executed.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    error = ""
    try:
        with TemporaryDirectory(prefix="workbench-kernel-") as sockets:
            papermill.execute_notebook(
                str(path),
                str(executed),
                parameters=dict(parameters),
                kernel_name="python3",
                progress_bar=False,
                log_output=False,
                # A kernel that is interrupted while it shuts down would say so on our terminal.
                extra_arguments=["--log-level=50"],
                **_transport(sockets),
            )
    except papermill.PapermillExecutionError as failure:
        error = f"{failure.ename}: {failure.evalue}"
    return NotebookRun(path.stem, executed, time.monotonic() - started, error)


def _transport(folder: str) -> dict[str, Any]:
    # Sockets in a folder of the kernel's own: two kernels that start at once can pick the same TCP
    # port, and others on the machine could listen to it.
    if os.name == "nt":
        return {}
    return {"config": Config(KernelManager={"transport": "ipc", "ip": str(Path(folder, "kernel"))})}


def run_notebooks(
    assigned: Mapping[Path, Mapping[str, Any]],
    executed: Path,
    jobs: int = 1,
    report: Callable[[NotebookRun], object] | None = None,
) -> list[NotebookRun]:
    """Execute notebooks, several at a time, to the end even if some fail.

    Args:
        assigned: The parameters of each notebook.
        executed: The folder for the executed notebooks.
        jobs: Notebooks at a time, at least 1.
        report: Told of each notebook when it has ended.

    Returns:
        How each ended, in the order given.
    """
    if jobs < 1:
        raise InvalidArgumentError(f"expected at least 1 job, got {jobs!r}")
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = [
            pool.submit(run_notebook, path, parameters, executed / path.name)
            for path, parameters in assigned.items()
        ]
        for ended in as_completed(futures):
            if report is not None:
                report(ended.result())
        return [future.result() for future in futures]


def raise_for_failures(runs: Iterable[NotebookRun]) -> None:
    """Name the notebooks that failed.

    Raises:
        NotebookError: If there are any; each is named with its error and where it was kept.
    """
    failed = [run for run in runs if run.error]
    if failed:
        raise NotebookError(
            "; ".join(f"{run.name} failed ({run.error}), kept as {run.executed}" for run in failed)
        )

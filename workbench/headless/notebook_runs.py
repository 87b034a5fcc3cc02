"""Headless runs of notebooks with papermill: kernels, parameters and progress; an unknown parameter is an error."""

import ast
import contextlib
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final, Self

import click
from jupyter_client.manager import AsyncKernelManager
from tqdm.auto import tqdm
from traitlets.config import Config

from workbench import errors
from workbench.errors import InvalidArgumentError, NotebookError, UnknownParameterError
from workbench.installation import RESOURCES
from workbench.worker_processes import ONE_THREAD


class RunningKernels:
    """The kernels that were started here and still run."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._managers: list[AsyncKernelManager] = []
        self._ended = False

    def manager_class(self) -> type[AsyncKernelManager]:
        """Return a class of kernel managers whose kernels count as started here."""
        kernels = self

        class CountedKernelManager(AsyncKernelManager):
            async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
                # Notebooks run side by side: more threads would wait for each other.
                options["env"] = {**(options.get("env") or os.environ), **ONE_THREAD}
                await super().start_kernel(**options)
                kernels._add(self)

        return CountedKernelManager

    def end(self) -> None:
        """Kill every kernel with its child processes, and each that is started from now on."""
        with self._lock:
            self._ended = True
            for manager in self._managers:
                _kill(manager)

    def _add(self, manager: AsyncKernelManager) -> None:
        with self._lock:
            self._managers.append(manager)
            if self._ended:
                _kill(manager)


def _kill(manager: AsyncKernelManager) -> None:
    provisioner: Any = manager.provisioner
    # Without a process it has ended and been waited for: its number may be another's by now.
    process = provisioner.process if provisioner is not None else None
    if process is None or process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(provisioner.pgid, signal.SIGKILL)
    else:
        process.kill()


NOTEBOOKS: Final = RESOURCES / "notebooks"
LOOK_SECONDS: Final = 0.25

# `NotebookRun.error` has the errors; without a handler they would be on our terminal too.
logging.getLogger("papermill").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class NotebookRun:
    """The result of one notebook.

    Attributes:
        name: The notebook's stem.
        executed: Path of the executed notebook.
        seconds: Wall time.
        error: Empty on success; else the exception's name and message.
        is_refusal: Whether the error is one sentence of the workbench on why it cannot be done, as
            from too little data, and no fault.
    """

    name: str
    executed: Path
    seconds: float
    error: str
    is_refusal: bool = False

    def describe_failure(self) -> str:
        """Return why the notebook failed, or could not be drawn from its data; it has an error."""
        if self.is_refusal:
            return f"{self.name} cannot be drawn: {self.error.split(': ', 1)[1].splitlines()[0]}"
        place = "kept as" if self.executed.is_file() else "which could not be kept as"
        return f"{self.name} failed ({self.error}), {place} {self.executed}"


def figure_notebooks(only: Iterable[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """Return the notebooks that make figures, in the order of their numbers."""
    notebooks = {
        path.stem: path
        for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))
        if "out" in notebook_parameters(path)
    }
    if not notebooks:
        raise InvalidArgumentError(
            f"expected figure notebooks in {folder}, found none; install the package again"
        )
    selection = set(only)
    names = {path: {stem, stem.split("_", 1)[1]} for stem, path in notebooks.items()}
    if unknown := sorted(selection.difference(*names.values())):
        raise InvalidArgumentError(f"expected notebooks of {list(notebooks)}, got {unknown}")
    return [path for path in names if names[path] & selection or not selection]


def notebook_parameters(path: Path) -> set[str]:
    """Return the names in a notebook's ``parameters`` cell."""
    return set(_inspected(path))


def notebook_defaults(path: Path) -> dict[str, Any]:
    """Return the values in a notebook's ``parameters`` cell; those that are no literals are left out."""
    defaults = {}
    for name, parameter in _inspected(path).items():
        with contextlib.suppress(ValueError, SyntaxError):
            defaults[name] = ast.literal_eval(parameter["default"])
    return defaults


def _inspected(path: Path) -> dict[str, Any]:
    # Papermill takes seconds to load: its notebook schema compiles a grammar. A command that draws
    # nothing does without.
    import papermill

    return dict(papermill.inspect_notebook(str(path)))


def assign_parameters(
    notebooks: Sequence[Path],
    optional: Mapping[str, Any],
    parameters: Mapping[str, Any],
    sizes: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[Path, dict[str, Any]]:
    """Return what each notebook is to be run with: of all parameters those that it has."""
    names = {path: notebook_parameters(path) for path in notebooks}
    available = set().union(*names.values())
    if unknown := sorted(set(parameters) - available):
        raise UnknownParameterError(
            f"expected parameters that {', '.join(p.stem for p in notebooks)} have "
            f"({', '.join(sorted(available))}), got {unknown}"
        )
    assigned = {}
    for path in notebooks:
        own = (sizes or {}).get(path.stem, {})
        if missing := sorted(set(own) - names[path]):
            raise UnknownParameterError(f"{path.name} lacks {missing}, which its preset sets")
        values = {**optional, **own, **parameters}
        assigned[path] = {name: value for name, value in values.items() if name in names[path]}
    return assigned


@dataclass(frozen=True, slots=True)
class NotebookProgress:
    """The progress of a notebook that has not ended.

    Attributes:
        name: The notebook's stem.
        cells_done: Code cells that have run.
        cells: Code cells there are; 0 until its kernel has started.
        seconds: Wall time so far; 0 while it waits for its turn.
    """

    name: str
    cells_done: int
    cells: int
    seconds: float


@dataclass(slots=True)
class _Execution:
    """One notebook in progress, run in a thread and observed from another."""

    path: Path
    parameters: Mapping[str, Any]
    executed: Path
    kernels: RunningKernels
    started: float = 0.0
    cells_done: int = 0
    cells: int = 0

    def progress(self) -> NotebookProgress:
        seconds = time.monotonic() - self.started if self.started else 0.0
        return NotebookProgress(self.path.stem, self.cells_done, self.cells, seconds)

    def run(self) -> NotebookRun:
        import papermill

        self.executed.parent.mkdir(parents=True, exist_ok=True)
        self.started = time.monotonic()
        error, refusal = "", False
        try:
            with TemporaryDirectory(prefix="workbench-kernel-") as sockets:
                # Two kernels that start at once can pick the same TCP port, and others on the machine
                # could listen to it.
                transport = {"transport": "ipc", "ip": str(Path(sockets, "kernel"))}
                config = {} if os.name == "nt" else {"config": Config(KernelManager=transport)}
                papermill.execute_notebook(
                    str(self.path),
                    str(self.executed),
                    parameters=dict(self.parameters),
                    kernel_name="python3",
                    progress_bar=False,
                    log_output=False,
                    # Of a cell's last output; Jupyter's 4 s end notebooks where many processes run.
                    iopub_timeout=60,
                    # A kernel that is interrupted while it shuts down would say so on our terminal.
                    extra_arguments=["--log-level=50"],
                    kernel_manager_class=self.kernels.manager_class(),
                    on_notebook_start=self._begin,
                    on_cell_executed=self._count_done,
                    **config,
                )
        except papermill.PapermillExecutionError as failure:
            error = f"{failure.ename}: {failure.evalue}"
            raised = getattr(errors, failure.ename, None)
            refusal = isinstance(raised, type) and issubclass(raised, errors.WorkbenchError)
        except (RuntimeError, OSError) as failure:
            # A kernel that died or never answered; an executed notebook that cannot be written.
            error = f"{type(failure).__name__}: {failure}"
        return NotebookRun(
            self.path.stem, self.executed, time.monotonic() - self.started, error, refusal
        )

    def _begin(self, notebook: Any) -> None:
        self.cells = sum(
            cell.cell_type == "code" and bool(cell.source.strip()) for cell in notebook.cells
        )

    def _count_done(self, **_: Any) -> None:
        self.cells_done += 1


def run_notebooks(
    assigned: Mapping[Path, Mapping[str, Any]],
    executed: Path,
    jobs: int = 1,
    report: Callable[[NotebookRun], object] | None = None,
    watch: Callable[[Sequence[NotebookProgress]], object] | None = None,
) -> list[NotebookRun]:
    """Execute notebooks, several at a time, to the end even if some fail.

    Where this is interrupted, by an exception of ``report`` or ``watch`` or by one that a signal
    raises, the kernels are killed before it goes on to the caller.

    Args:
        assigned: The parameters of each notebook; they start in this order.
        executed: The folder for the executed notebooks.
        jobs: Notebooks at a time, at least 1.
        report: Called with each notebook when it has ended.
        watch: Called several times per second with those that have not ended.
    """
    if jobs < 1:
        raise InvalidArgumentError(f"expected at least 1 job, got {jobs!r}")
    for path, parameters in assigned.items():
        if unknown := sorted(set(parameters) - notebook_parameters(path)):
            raise UnknownParameterError(f"{path.name} has no parameter {unknown}")
    kernels = RunningKernels()
    executions = [
        _Execution(path, parameters, executed / path.name, kernels)
        for path, parameters in assigned.items()
    ]
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {pool.submit(execution.run): execution for execution in executions}
        pending: set[Future[NotebookRun]] = set(futures)
        while pending:
            ended, pending = wait(pending, LOOK_SECONDS, FIRST_COMPLETED)
            for future in ended:
                if report is not None:
                    report(future.result())
            if watch is not None:
                watch([futures[future].progress() for future in futures if future in pending])
        return [future.result() for future in futures]
    except BaseException:
        kernels.end()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def raise_for_failures(runs: Iterable[NotebookRun]) -> None:
    """Name the notebooks that failed, and those that could not be drawn from their data."""
    if failures := [run.describe_failure() for run in runs if run.error]:
        raise NotebookError("\n".join(failures))


class NotebookLines:
    """Lines on standard output for notebooks that ended; on standard error, how far the others are.

    On a terminal that is one line, kept up to date; elsewhere a new one for each cell that is done.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._counts: list[tuple[str, int]] = []
        # Its size is given, since tqdm shows nothing where a terminal does not say its own.
        self._bar = tqdm(
            bar_format="{desc}", leave=False, ncols=80, nrows=2, disable=not sys.stderr.isatty()
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def ended(self, run: NotebookRun) -> None:
        """Show how a notebook ended."""
        self._ended += 1
        ended = "not drawn" if run.is_refusal else "failed" if run.error else "ok"
        with tqdm.external_write_mode(sys.stdout):
            click.echo(f"{run.name:28} {run.seconds:6.1f} s  {ended}")

    def unfinished(self, notebooks: Sequence[NotebookProgress]) -> None:
        """Show how far the notebooks are that have not ended."""
        running = [each for each in notebooks if each.seconds]
        cells = ", ".join(
            f"{each.name} {each.cells_done}/{each.cells} cells {each.seconds:.0f} s"
            if each.cells
            else f"{each.name} starts"
            for each in running
        )
        line = f"{self._ended} of {self._ended + len(notebooks)} notebooks done; {cells}"
        counts = [(each.name, each.cells_done) for each in running]
        if not self._bar.disable:
            self._bar.ncols = shutil.get_terminal_size().columns - 1
            self._bar.set_description_str(line)
        elif counts and counts != self._counts:
            click.echo(line, err=True)
        self._counts = counts

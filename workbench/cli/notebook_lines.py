"""Progress of ``workbench figures``: the notebooks in progress, and how each ended."""

import shutil
import sys
from collections.abc import Sequence
from typing import Self

import click
from tqdm.auto import tqdm

from workbench.headless.notebook_runs import NotebookProgress, NotebookRun


class NotebookLines:
    """Lines on standard output for notebooks that ended; on standard error, how far the others are.

    On a terminal that is one line, kept up to date; elsewhere a new one for each cell that is done.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._shown: list[tuple[str, int]] = []
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
        ended = "not drawn" if run.refused else "failed" if run.error else "ok"
        with tqdm.external_write_mode(sys.stdout):
            click.echo(f"{run.name:28} {run.seconds:6.1f} s  {ended}")

    def unfinished(self, notebooks: Sequence[NotebookProgress]) -> None:
        """Show how far the notebooks are that have not ended."""
        running = [each for each in notebooks if each.seconds]
        said = ", ".join(
            f"{each.name} {each.cells_done}/{each.cells} cells {each.seconds:.0f} s"
            if each.cells
            else f"{each.name} starts"
            for each in running
        )
        line = f"{self._ended} of {self._ended + len(notebooks)} notebooks done; {said}"
        done = [(each.name, each.cells_done) for each in running]
        if not self._bar.disable:
            self._bar.ncols = shutil.get_terminal_size().columns - 1
            self._bar.set_description_str(line)
        elif done and done != self._shown:
            click.echo(line, err=True)
        self._shown = done

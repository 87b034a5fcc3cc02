"""The group that holds every command, and what its refusals look like."""

from pathlib import Path
from typing import Any

import click

from workbench import __version__
from workbench.errors import WorkbenchError

PATH = click.Path(path_type=Path)


class Commands(click.Group):
    """A group that shows a refusal of the workbench as one message and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see `click.Group.invoke`."""
        try:
            return super().invoke(ctx)
        except (WorkbenchError, OSError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="workbench")
def main() -> None:
    """Does a language model know where the pieces are? State precision and recall of replies."""

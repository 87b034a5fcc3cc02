"""The options that say who publishes a run, for the files beside its report."""

from collections.abc import Callable
from typing import Any

import click


def publication_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `workbench.reports.exports.Publication` to a command."""
    for option in reversed(
        (
            click.option(
                "--creator", "creators", metavar="NAME", multiple=True,
                help="Who publishes the run, as 'Family, Given'; repeatable.",
            ),
            click.option("--organization", default="", help="Who made the evaluation."),
            click.option(
                "--license", default="", metavar="SPDX",
                help="License of the published tables, such as CC-BY-4.0.",
            ),
            click.option("--url", default="", help="Where the run is published."),
        )
    ):  # fmt: skip
        command = option(command)
    return command

"""Commands that make the figures and the report of runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from workbench.cli.command_options import COUNT, jobs_option, named_value, out_option, seed_option
from workbench.cli.group import PATH, main, stoppable
from workbench.errors import NotebookError, OutputError


@main.command()
@click.option("--preset", default="quick", help="Size: quick or paper.")
@click.option("--only", multiple=True, metavar="NAME", help="Run only this notebook; repeatable.")
@click.option(
    "--parameter", multiple=True, metavar="NAME=VALUE", help="A notebook parameter; repeatable."
)
@jobs_option
@click.option(
    "--games", multiple=True, type=PATH, help="Game file: PGN, .pgn.gz or .pgn.zst; repeatable."
)
@click.option("--predictions", type=PATH, help="Predictions table (Parquet).")
@click.option("--scores", type=PATH, help="Scores of the predictions, from `workbench score`.")
@click.option("--out", default="figures", type=PATH, help="Output folder.")
@stoppable("the figures drawn so far are complete; the same command draws the rest")
def figures(
    only: tuple[str, ...],
    parameter: tuple[str, ...],
    games: tuple[Path, ...],
    predictions: Path | None,
    scores: Path | None,
    **options: Any,
) -> None:
    """Run the notebooks and write each figure as PNG and SVG with its numbers and provenance.

    Your own games, predictions or scores need not hold what every notebook asks for, such as a
    second set of positions: one that cannot be drawn of them is named and left out. With --only it
    is an error.
    """
    from workbench.headless.figure_run import make_figures
    from workbench.headless.notebook_runs import NotebookLines, raise_for_failures

    with NotebookLines() as lines:
        runs = make_figures(
            only=only,
            parameters=dict(map(named_value, parameter)),
            games=games,
            predictions=predictions,
            scores=scores,
            **options,
            report=lines.ended,
            watch=lines.unfinished,
        )
    complete = [run for run in runs if not run.is_refusal]
    if complete and not only and (games or predictions or scores):
        for run in runs:
            if run.is_refusal:
                click.echo(run.describe_failure(), err=True)
        runs = complete
    raise_for_failures(runs)


GOES_ON: Final = "what is finished is kept, and the same command goes on"


@contextmanager
def repeatable(out: Path) -> Iterator[None]:
    """Name the file that could not be written, and say that the same command goes on."""
    from workbench.tables.output_files import room_advice

    try:
        yield
    except ConnectionError:
        raise
    except OSError as error:
        place = Path(error.filename or out)
        cannot = "written" if place.absolute().is_relative_to(out.absolute()) else "read or written"
        reason = f"{error.strerror or error}{room_advice(error)}"
        raise OutputError(f"{place} cannot be {cannot}: {reason}; {GOES_ON}") from error
    except NotebookError as error:
        raise NotebookError(f"{error}\n{GOES_ON}") from error


@main.command()
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@out_option("report", "Output folder.")
@click.option(
    "--title", default="", show_default=False, help="Of the page.  [default: the models' names]"
)
@click.option("--pdf", is_flag=True, help="Print the page to report.pdf too; needs chromium.")
@click.option("--appendix", is_flag=True, help="Print what the page folds, too.")
@click.option("--depth", type=COUNT, help="m.  [default: the largest that is scored]")
@click.option("--resamples", default=1000, type=COUNT)
@seed_option
@jobs_option
@click.option(
    "--organization",
    default="",
    show_default=False,
    help="Who made the evaluation, for results.json.",
)
@click.option(
    "--url", default="", show_default=False, help="Where the run is published, for results.json."
)
def report(runs: tuple[Path, ...], out: Path, organization: str, url: str, **options: Any) -> None:
    """Report RUNs as one HTML page that needs no network: models, conclusions, and what they rest on.

    A RUN is a folder with predictions.parquet and scores.parquet, or a scores table from `workbench
    score`. Several runs are compared on the positions that they share.

    Beside the page are the results in published schemas: results.json, instances.jsonl and
    model_card.md; data/README.md describes them. For a paper there are figures/ with the forest plot and the
    curves as SVG and PDF, and table.tex for LaTeX.
    """
    from workbench.reports.chapters import read_run
    from workbench.reports.every_eval_ever import Publication
    from workbench.reports.report_page import write_report

    read = [read_run(path) for path in runs]
    publication = Publication(organization, url)
    with repeatable(out):
        path, *_ = write_report(read, out, publication, **options)
    click.echo(f"{path.stat().st_size:,} bytes written to {path}")
    if not organization:
        click.echo("results.json says that the organization is unknown: --organization", err=True)

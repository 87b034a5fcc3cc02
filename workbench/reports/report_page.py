"""A report of one or several runs: one HTML file with everything in it, which loads nothing."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from workbench import __version__
from workbench.drawing.labels import some_of
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.explore.static_page.drawn_boards import piece_symbols
from workbench.explore.static_page.linked_pairs import LinkedPairs, linked_pairs
from workbench.reports.chapters import Chapter, chapters_of, is_scored
from workbench.reports.comparison_section import compare, comparison_section
from workbench.reports.exports import Publication, refuse_others_files, write_exports
from workbench.reports.findings_in_words import findings
from workbench.reports.format_section import format_section, parts_of_means
from workbench.reports.headline_tables import headline_section
from workbench.reports.made_with import MADE_WITH, made_with_section
from workbench.reports.measured_sections import (
    accepted_section,
    agreement_section,
    consistency_section,
    curves_section,
    summary_of,
)
from workbench.reports.notable_answers import answers_section
from workbench.reports.notable_boards import boards_section
from workbench.reports.page_parts import bullets, contents, paragraph, quantity_colours, section
from workbench.reports.reported_run import ReportedRun
from workbench.reports.shown_beside import with_others
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import replacing

PAGE_FILE: Final = "index.html"

_STYLE: Final = Path(__file__).with_name("report.css")
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_PAGE: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
<main>
<div class="report">
<h1>$title</h1>
$contents
$content
<footer class="quiet"><p>World-State Workbench $version, $date UTC. The page loads nothing and sends nothing.</p></footer>
</div>
$opened</main>
$scripts</body>
</html>
""")


def write_report(
    runs: Sequence[ReportedRun],
    out: Path,
    publication: Publication | None = None,
    *,
    depth: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> list[Path]:
    """Write ``index.html`` into a folder: the runs' numbers, figures, worst boards and settings.

    Beside it are the files of `workbench.reports.exports.write_exports`.

    Args:
        runs: At least one, such as `workbench.reports.reported_run.read_run` returns.
        out: The folder; it is made if it is missing.
        publication: Who publishes the runs; unknown if None.
        depth: m; the largest that the scores have if None.
        resamples: Of the games, for the intervals of ranks; at least 1.
        seed: Seed of the resamples and of the tests, at least 0.
        jobs: Workers that score the baseline and the recorded models beside the runs.

    Returns:
        The files that were written, the page first.

    Raises:
        InvalidArgumentError: If there is no run, or the scores do not have this depth.
        RunMismatchError: If the runs were not scored alike.
        OutputError: If the page would be written over an input, or another file over one that the
            workbench did not make.
    """
    path = out / PAGE_FILE
    check_output(path, [file for run in runs for file in run.inputs])
    refuse_others_files(out)
    text = report_html(runs, depth=depth, resamples=resamples, seed=seed, jobs=jobs)
    exported = write_exports(runs, out, publication, depth=depth)
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    return [path, *exported]


def report_html(
    runs: Sequence[ReportedRun],
    *,
    depth: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> str:
    """Return the text of the page; see `write_report`."""
    if not runs:
        raise InvalidArgumentError("expected at least one run to report, got none")
    chapters = chapters_of(runs, depth)
    parts = [
        _chapter(with_others(chapter, jobs=jobs), f"chapter-{place}", resamples, seed)
        for place, chapter in enumerate(chapters, start=1)
    ]
    if not chapters:
        parts.append(paragraph("The runs have no rows: there is nothing to report."))
    parts.append(made_with_section(runs))
    places = {f"chapter-{place}": each.title for place, each in enumerate(chapters, start=1)}
    of_chess = [each for each in chapters if each.environment.name == DEFAULT]
    boards = any(each.measures_text for each in of_chess)
    opened = linked_pairs() if boards else LinkedPairs("", "", "", _POLICY)
    style = "\n".join([opened.style, quantity_colours(), _STYLE.read_text(encoding="utf-8")])
    return _PAGE.substitute(
        policy=opened.policy,
        title=escape(f"Report of {some_of([run.name for run in runs], 'runs')}"),
        style=style,
        contents=contents({**places, "made-with": MADE_WITH}),
        content="".join([piece_symbols() if of_chess else "", *parts]),
        opened=opened.body,
        version=__version__,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        scripts=opened.scripts,
    )


def _chapter(chapter: Chapter, identity: str, resamples: int, seed: int) -> str:
    """Return all sections of a chapter; of one without scores, what there is."""
    numbers = headline_section(chapter)
    if not is_scored(chapter):
        nothing = "No reply of these has scores: no curves, no comparison and no boards."
        return section(identity, chapter.title, numbers, paragraph(nothing))
    summary = summary_of(chapter)
    compared = compare(chapter, seed=seed)
    parts = parts_of_means(chapter)
    said = findings(chapter, summary, compared, parts)
    return section(
        identity,
        chapter.title,
        bullets(said),
        numbers,
        format_section(chapter, parts, identity),
        curves_section(chapter, summary, identity),
        accepted_section(chapter, identity),
        comparison_section(chapter, compared, identity, resamples=resamples, seed=seed),
        agreement_section(chapter, summary, identity),
        consistency_section(chapter, identity),
        boards_section(chapter, identity),
        answers_section(chapter, identity),
    )

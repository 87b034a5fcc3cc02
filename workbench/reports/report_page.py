"""A report of one or several runs: one self-contained HTML file."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import pandas as pd

from workbench import __version__
from workbench.drawing.labels import NO_NAME, some_of
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.explore.pair.pair_html import LinkedPairs, linked_pairs, piece_symbols
from workbench.long_texts import cut
from workbench.reports.chapters import (
    Chapter,
    ReportedRun,
    chapters_of,
    has_scores,
    with_references,
)
from workbench.reports.every_eval_ever import Publication
from workbench.reports.exports import refuse_foreign_files, write_exports
from workbench.reports.findings import findings
from workbench.reports.headline import headline_section
from workbench.reports.model_comparison import compare, comparison_section
from workbench.reports.notable_replies import answers_section, boards_section
from workbench.reports.page_parts import (
    bullets,
    contents,
    counted,
    number,
    paragraph,
    preformatted,
    prompt_words,
    quantity_colours,
    section,
    table,
)
from workbench.reports.result_sections import (
    accepted_section,
    agreement_section,
    consistency_section,
    curves_section,
    format_section,
    parts_of_means,
    summary_of,
)
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import file_hash, git_commit, package_versions

MADE_WITH: Final = "How this was made"

_USAGE: Final = {
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "reasoning_tokens": "reasoning tokens",
    "dollars": "dollars",
    "seconds": "seconds of calls",
}
_LONGEST: Final = 200


def provenance_section(runs: Sequence[ReportedRun]) -> str:
    """Return the section about how each run was made."""
    parts = [
        section(f"run-{index}", f"Run {cut(run.name)}" if run.name else NO_NAME, *_of_run(run))
        for index, run in enumerate(runs, start=1)
    ]
    versions = {**package_versions(), "commit": git_commit()}
    packages = table("Versions that made this page", ["package", "version"], versions.items())
    return section("made-with", MADE_WITH, *parts, packages, level=2)


def _of_run(run: ReportedRun) -> Iterator[str]:
    question, prompt = dict(run.question), dict(run.question.get("prompt") or {})
    question.pop("prompt", None)
    if question:
        yield table("The question", ["setting", "value"], _flat(question))
    else:
        yield paragraph(
            "The tables do not say how the model was asked: they were not made by `workbench "
            "ask`, or the predictions are not available."
        )
    if prompt:
        notation = prompt.get("notation", "unknown")
        yield paragraph(f"Prompt {prompt_words(prompt)}, notation {notation}.")
        turns = [*([prompt["system"]] if prompt.get("system") else []), *prompt.get("turns", ())]
        for index, turn in enumerate(turns, start=1):
            yield preformatted(str(turn), f"Prompt, turn {index}")
    yield table("Scoring", ["parameter", "value"], _flat(_scoring(run)))
    yield _usage(run.predictions)
    if run.versions:
        yield table("Versions while asking", ["package", "version"], run.versions.items())
    if run.inputs:
        files = [(path.name, file_hash(path)) for path in run.inputs]
        yield table("Files read", ["file", "SHA-256"], files)


def _scoring(run: ReportedRun) -> dict[str, Any]:
    if run.scoring.get("parameters"):
        return dict(run.scoring["parameters"])
    return {
        name: ", ".join(sorted(run.scores[name].astype(str).unique())) or "no rows"
        for name in ("terminal", "ill_formed_policy", "method")
    }


def _usage(predictions: pd.DataFrame | None) -> str:
    if predictions is None:
        return paragraph("Cost: unknown, because the predictions are not available.")
    rows = []
    for name, words in _USAGE.items():
        values = predictions[name].dropna()
        if len(values):
            known_rows = f"{len(values):,} of {len(predictions):,}"
            rows.append((words, number(float(values.sum())), known_rows))
    if not rows:
        return paragraph(f"Cost: none of {counted(len(predictions), 'row')} says it.")
    return table("Cost", ["measure", "sum", "rows that say it"], rows)


def _flat(values: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    rows = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{before}{name} ")
        else:
            missing = value is None or (isinstance(value, float) and pd.isna(value))
            text = "not given" if missing else str(value)
            rows.append((f"{before}{name}".replace("_", " "), cut(text, _LONGEST)))
    return rows


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
        runs: At least one, such as `workbench.reports.chapters.read_run` returns.
        out: The folder; it is made if it is missing.
        publication: Who publishes the runs; unknown if None.
        depth: m; the largest that the scores have if None.
        resamples: Of the games, for the intervals of ranks; at least 1.
        seed: Seed of the resamples and of the tests, at least 0.
        jobs: Workers that score the baseline and the recorded models beside the runs.
    """
    path = out / PAGE_FILE
    check_output(path, [file for run in runs for file in run.inputs])
    refuse_foreign_files(out)
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
    chapters = {f"chapter-{n}": each for n, each in enumerate(chapters_of(runs, depth), start=1)}
    parts = [
        _chapter(with_references(chapter, jobs=jobs), identity, resamples, seed)
        for identity, chapter in chapters.items()
    ]
    if not chapters:
        parts.append(paragraph("The runs have no rows: there is nothing to report."))
    parts.append(provenance_section(runs))
    titles = {identity: each.title for identity, each in chapters.items()}
    of_chess = [each for each in chapters.values() if each.environment.name == DEFAULT]
    boards = any(each.measures_text for each in of_chess)
    opened = linked_pairs() if boards else LinkedPairs("", "", "", _POLICY)
    return _PAGE.substitute(
        policy=opened.policy,
        title=escape(f"Report of {some_of([run.name for run in runs], 'runs')}"),
        style="\n".join([opened.style, quantity_colours(), _STYLE.read_text(encoding="utf-8")]),
        contents=contents({**titles, "made-with": MADE_WITH}),
        content="".join([piece_symbols() if of_chess else "", *parts]),
        opened=opened.body,
        version=__version__,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        scripts=opened.scripts,
    )


def _chapter(chapter: Chapter, identity: str, resamples: int, seed: int) -> str:
    numbers = headline_section(chapter)
    if not has_scores(chapter):
        nothing = "No reply of these has scores: no curves, no comparison and no boards."
        return section(identity, chapter.title, numbers, paragraph(nothing), level=2)
    summary, compared = summary_of(chapter), compare(chapter, seed=seed)
    parts = parts_of_means(chapter)
    return section(
        identity,
        chapter.title,
        bullets(findings(chapter, summary, compared, parts)),
        numbers,
        format_section(chapter, parts, identity),
        curves_section(chapter, summary, identity),
        accepted_section(chapter, identity),
        comparison_section(chapter, compared, identity, resamples=resamples, seed=seed),
        agreement_section(chapter, summary, identity),
        consistency_section(chapter, identity),
        boards_section(chapter, identity),
        answers_section(chapter, identity),
        level=2,
    )

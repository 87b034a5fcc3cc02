"""A report of one or several runs: one self-contained HTML file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import pandas as pd

from workbench import __version__
from workbench.drawing.labels import NO_NAME, some_of
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore.page.assets import icon, script, stylesheet
from workbench.explore.pair.board_pair import PREDICTED_FEN, TRUE_FEN
from workbench.explore.pair.pair_html import (
    PAIR_SHEETS,
    board_svg,
    json_in_page,
    pair_content,
    pair_script,
    piece_symbols,
    script_policy,
)
from workbench.long_texts import cut
from workbench.reports.cause_section import cause_sample, cause_section
from workbench.reports.chapters import (
    Chapter,
    ReportedRun,
    baselines_of,
    chapters_of,
    has_scores,
    with_references,
)
from workbench.reports.every_eval_ever import Publication
from workbench.reports.evidence import classes_section
from workbench.reports.exports import refuse_foreign_files, write_exports
from workbench.reports.findings import Conclusion, findings
from workbench.reports.forest_plot import forest, forest_numbers
from workbench.reports.headline import headline_section
from workbench.reports.model_comparison import compare, comparison_section
from workbench.reports.notable_replies import answers_section, boards_section
from workbench.reports.page_parts import (
    counted,
    link,
    number,
    paragraph,
    part,
    preformatted,
    prompt_words,
    quantity_colours,
    section,
    subscripts,
    table,
)
from workbench.reports.paper_files import chromium, print_page, write_paper_files
from workbench.reports.result_sections import (
    accepted_section,
    agreement_section,
    consistency_section,
    curves_section,
    format_section,
    own_answers_section,
    parts_of_means,
    summary_of,
)
from workbench.scoring import ScoringParameters
from workbench.scoring.parameters import MEASURES
from workbench.scoring.score_rows import affordance_scores
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
    packages = section("versions", "Versions that made this page", packages)
    return part("made-with", MADE_WITH, *map(_of_run_in_short, runs), *parts, packages)


def _of_run_in_short(run: ReportedRun) -> str:
    """Return in a paragraph how a run was asked and scored."""
    prompt = run.question.get("prompt")
    asked = [
        f"asked by the prompt {prompt_words(prompt)}" if prompt else "the prompt is unknown",
        f"temperature {run.question['temperature']}"
        if run.question.get("temperature") is not None
        else "",
        f"on {run.date[:10]}" if run.date else "",
    ]
    scoring = ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in _scoring(run).items()
        if name in _IN_SHORT
    )
    files = "; ".join(f"{path.name}, SHA-256 {file_hash(path)[:16]}…" for path in run.inputs)
    words = f"{cut(run.name) or NO_NAME}: {', '.join(filter(None, asked))}. Scored with {scoring}."
    return paragraph(f"{words} Files: {files}." if files else words)


_IN_SHORT: Final = ("depth", "terminal", "ill_formed", "ill_formed_policy", "method")


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
_PAGE: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="icon" href="$icon">
<style>
$style
</style>
</head>
<body>
<main>
<div class="report">
<h1>$title</h1>
$content
<footer class="quiet"><p>World-State Workbench $version, $date UTC. The page loads nothing and sends nothing.</p></footer>
</div>
$opened</main>
$scripts</body>
</html>
""")
_DIALOG: Final = """<dialog id="pair-section" class="on-screen" aria-labelledby="pair-heading">
<button type="button" class="close">Close</button>
<h2 id="pair-heading" tabindex="-1">The pair of boards</h2>
<p id="pair-refusal" role="alert"></p>
<div id="pair"></div>
</dialog>
"""


def _scripts(plots: list[dict[str, Any]], boards: bool) -> tuple[str, str]:
    """Return the scripts of the page and its content security policy."""
    view = "static_page/report_page.js", "openReport"
    if boards:
        text = f"\n{pair_script(*view)}openReport(loadTwin);\n"
    else:
        text = f"\n{script(*view)}openReport(null);\n"
    contents = {"forest-content": plots, **({"pair-content": pair_content()} if boards else {})}
    parts = [
        f'<script type="application/json" id="{name}">{json_in_page(content)}</script>\n'
        for name, content in contents.items()
    ]
    return "".join([*parts, f"<script>{text}</script>\n"]), script_policy(text)


def _explanation(chapters: Sequence[Chapter]) -> str:
    """Return what p_m and r_m are; with boards of chess an example that can be tried."""
    environment = chapters[0].environment
    noun, state = environment.action_noun, environment.state_noun
    legal = "legal" if environment.name == DEFAULT else "permitted"
    words = paragraph(
        f"State precision p_m is the probability that a random line of m {noun}s, each {legal} on the "
        f"{state} that a model predicts, is {legal} on the true {state} too. State recall r_m is the same with "
        f"the two {state}s in each other's place: 1 is a {state} that behaves like the true one, and a {state} that "
        "cannot be read has p_m = r_m = 0."
    )
    if not any(each.environment.name == DEFAULT and each.measures_text for each in chapters):
        return words
    chess = environment_named(DEFAULT)
    true, predicted = (chess.parse(text).state for text in (TRUE_FEN, PREDICTED_FEN))
    parameters = ScoringParameters(_EXAMPLE_DEPTH)
    (values,) = affordance_scores(chess.automaton, [true], [predicted], parameters, [0])
    boards = "".join(
        f'<figure><figcaption>{name}</figcaption><div data-look="{name.split()[0].lower()}">'
        f"{board_svg(f'{name} of the example', text, other)}</div></figure>"
        for name, text, other in (
            ("True board", TRUE_FEN, PREDICTED_FEN),
            ("Predicted board", PREDICTED_FEN, TRUE_FEN),
        )
    )
    rows = "".join(
        f'<tr><th scope="row" class="{measure}">{measure} {subscripts(f"{measure[0]}_m")}</th>'
        + "".join(
            f'<td data-role="example-number" data-measure="{measure}" data-depth="{m + 1}">'
            f"{values[m + place * _EXAMPLE_DEPTH]:.3f}</td>"
            for m in range(_EXAMPLE_DEPTH)
        )
        + "</tr>"
        for place, measure in enumerate(MEASURES)
    )
    heads = "".join(f'<th scope="col">{m}</th>' for m in range(1, _EXAMPLE_DEPTH + 1))
    return (
        f'<div class="explained"><div>{words}<p>One knight is believed on e2, not f3. '
        '<span class="on-screen">Drag pieces, and the numbers follow.</span></p>'
        '<table class="example-numbers"><thead><tr><th scope="col">m</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<div id="example" class="world-state">{boards}'
        '<p class="quiet" data-role="example-status" role="status"></p></div></div>'
    )


_EXAMPLE_DEPTH: Final = 4


def write_report(
    runs: Sequence[ReportedRun],
    out: Path,
    publication: Publication | None = None,
    *,
    title: str = "",
    appendix: bool = False,
    pdf: bool = False,
    depth: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> list[Path]:
    """Write ``index.html`` into a folder: the runs' numbers, figures, worst boards and settings.

    Beside it are the files of `workbench.reports.exports.write_exports`, and for a paper the folder
    ``figures`` with the forest plot and the curves as SVG and PDF, and ``table.tex``.

    Args:
        runs: At least one, such as `workbench.reports.chapters.read_run` returns.
        out: The folder; it is made if it is missing.
        publication: Who publishes the runs; unknown if None.
        title: Of the page; by default the models' names.
        appendix: Whether what is folded is printed too.
        pdf: Whether to print the page to ``report.pdf``, which needs chromium.
        depth: m; the largest that the scores have if None.
        resamples: Of the games, for the intervals of ranks; at least 1.
        seed: Seed of the resamples and of the tests, at least 0.
        jobs: Workers that score the baseline and the recorded models beside the runs.

    Raises:
        OutputError: If a PDF file is asked for, and there is no chromium.
    """
    browser = chromium() if pdf else ""
    path = out / PAGE_FILE
    check_output(path, [file for run in runs for file in run.inputs])
    refuse_foreign_files(out)
    content = _content(runs, depth=depth, jobs=jobs)
    text = _page(content, title=title, appendix=appendix, resamples=resamples, seed=seed)
    exported = write_exports(runs, out, publication, depth=depth)
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    exported += write_paper_files(content.numbers, out)
    if browser:
        exported.append(print_page(browser, path))
    return [path, *exported]


def report_html(
    runs: Sequence[ReportedRun],
    *,
    title: str = "",
    appendix: bool = False,
    depth: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> str:
    """Return the text of the page; see `write_report`."""
    content = _content(runs, depth=depth, jobs=jobs)
    return _page(content, title=title, appendix=appendix, resamples=resamples, seed=seed)


@dataclass(frozen=True, slots=True)
class _Content:
    """The runs, their chapters, and of those with scores the numbers of the forest plot."""

    runs: Sequence[ReportedRun]
    chapters: Sequence[Chapter]
    numbers: list[tuple[Chapter, pd.DataFrame]]


def _content(runs: Sequence[ReportedRun], *, depth: int | None, jobs: int) -> _Content:
    if not runs:
        raise InvalidArgumentError("expected at least one run to report, got none")
    chapters = [with_references(each, jobs=jobs) for each in chapters_of(runs, depth)]
    return _Content(
        runs, chapters, [(each, forest_numbers(each)) for each in chapters if has_scores(each)]
    )


def _page(content: _Content, *, title: str, appendix: bool, resamples: int, seed: int) -> str:
    chapters = content.chapters
    models = list(dict.fromkeys(model for each in chapters for model in _asked_models(each)))
    of_chess = [each for each in chapters if each.environment.name == DEFAULT]
    boards = any(each.measures_text for each in of_chess)
    plots = [forest(*each) for each in content.numbers]
    parts = [piece_symbols() if of_chess else ""]
    if chapters:
        parts.append(_explanation(chapters))
    else:
        parts.append(paragraph("The runs have no rows: there is nothing to report."))
    if plots:
        choice = "".join(f"<option>{escape(each.title)}</option>" for each, _ in content.numbers)
        several = (
            f'<label class="on-screen" hidden>Positions of <select id="chapter-choice">{choice}</select></label>'
            if len(plots) > 1
            else ""
        )
        parts.append(part("models", "Models", several, *(page for page, _ in plots)))
    evidence = [
        _chapter(chapter, f"chapter-{place}", resamples, seed)
        for place, chapter in enumerate(chapters, start=1)
    ]
    conclusions = [words for words, _ in evidence if words]
    parts.append(part("conclusions", "Conclusions", *conclusions) if conclusions else "")
    checked = " checked" if appendix else ""
    parts.append(
        f'<p class="on-screen"><label><input type="checkbox" id="appendix"{checked}> '
        "Print what is folded below, as an appendix</label></p>"
    )
    parts += [page for _, page in evidence]
    parts.append(provenance_section(content.runs))
    scripts, policy = _scripts([data for _, data in plots], boards)
    return _PAGE.substitute(
        policy=policy,
        title=escape(title or some_of(models, "models") or "No replies"),
        icon=icon(),
        style="\n".join(
            [stylesheet(*PAIR_SHEETS), quantity_colours(), _STYLE.read_text(encoding="utf-8")]
        ),
        content="".join(parts),
        opened=_DIALOG if boards else "",
        version=__version__,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        scripts=scripts,
    )


def _asked_models(chapter: Chapter) -> list[str]:
    """Return the models of a chapter, whatever their settings; the baseline if there is no other."""
    rows = chapter.scores
    rows = rows if (own := rows[~rows["model"].isin(baselines_of(chapter))]).empty else own
    return sorted(rows["asked"].unique())


def _chapter(chapter: Chapter, identity: str, resamples: int, seed: int) -> tuple[str, str]:
    """Return the conclusions of a chapter, and the rest of it."""
    numbers = section(
        f"{identity}-numbers", "All numbers", headline_section(chapter), look="printed"
    )
    classes = classes_section(chapter, identity)
    if not has_scores(chapter):
        nothing = "No reply of these has scores: no curves, no comparison and no boards."
        return "", part(identity, chapter.title, paragraph(nothing), numbers, classes)
    summary, compared = summary_of(chapter), compare(chapter, seed=seed)
    parts = parts_of_means(chapter)
    sample = cause_sample(chapter) if chapter.measures_text else None
    conclusions = findings(chapter, summary, compared, parts, sample)
    return _conclusions(chapter, conclusions, identity), part(
        identity,
        chapter.title,
        numbers,
        classes,
        "" if sample is None else cause_section(chapter, sample, identity),
        comparison_section(chapter, compared, identity, resamples=resamples, seed=seed),
        format_section(chapter, parts, identity),
        curves_section(chapter, summary, identity),
        accepted_section(chapter, identity),
        agreement_section(chapter, summary, identity),
        consistency_section(chapter, identity),
        own_answers_section(chapter, identity) if chapter.measures_text else "",
        boards_section(chapter, identity),
        answers_section(chapter, identity),
    )


def _conclusions(chapter: Chapter, conclusions: Sequence[Conclusion], identity: str) -> str:
    """Return the conclusions of a chapter as a list, each with a link to what it rests on."""
    items = "".join(
        f"<li>{escape(subscripts(each.words))} "
        f"{link(f'#{identity}-{each.part}', f'{each.evidence[:1].upper()}{each.evidence[1:]}')}</li>"
        for each in conclusions
    )
    return f"<h3>{escape(chapter.title)}</h3><ul>{items}</ul>"

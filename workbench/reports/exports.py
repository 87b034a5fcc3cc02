"""The files beside a report: results, tables and a model card, for programs."""

import html
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from workbench.drawing.score_description import convention_words, reply_count_words
from workbench.errors import OutputError
from workbench.metrics import metric_of
from workbench.reports.chapters import ReportedRun, chapter_depths
from workbench.reports.evaluations import (
    BENCHMARK,
    LEVEL,
    Evaluation,
    evaluations_of,
    file_name,
    json_text,
    json_value,
)
from workbench.reports.every_eval_ever import (
    INSTANCES_FILE,
    RESULTS_FILE,
    UNSCORED_FILE,
    Publication,
    results_document,
    write_instances,
)
from workbench.reports.page_parts import prompt_words
from workbench.reports.paper_files import FIGURES_FOLDER, paper_files
from workbench.tables.parquet_tables import replacing

CARD_FILE: Final = "model_card.md"
_LONGEST: Final = 200


def model_card(evaluation: Evaluation, publication: Publication) -> str:
    """Return a fragment of a model card, as Markdown with a head in YAML.

    The head is what the Hub reads: ``model-index`` with each headline number, unrounded. A number
    that is undefined stands in the text alone.
    """
    name = evaluation.model.rpartition("/")[2]
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in evaluation.numbers:
        parts.setdefault((row["task"], row["set"] or ""), []).append(row)
    results = [_result(evaluation, publication, *key, rows) for key, rows in parts.items()]
    defined = [each for each in results if each["metrics"]]
    head = {"tags": [BENCHMARK], "model-index": [{"name": name, "results": defined}]}
    return f"{front_matter(head)}\n{_text(evaluation)}"


def front_matter(values: Mapping[str, Any]) -> str:
    """Return the head of a Markdown file in YAML: floats read back exactly, NaN is null."""
    return f"---\n{yaml.safe_dump(json_value(values), sort_keys=False, width=math.inf)}---\n"


def _result(
    evaluation: Evaluation,
    publication: Publication,
    task: str,
    positions: str,
    rows: list[dict[str, Any]],
) -> dict[str, Any]:
    environment = evaluation.environment
    arguments = {
        "positions_sha256": evaluation.positions_sha256 or None,
        "predictions_sha256": evaluation.run.scoring.get("predictions_sha256"),
        "setting": evaluation.setting or None,
        **evaluation.parameters,
    }
    result: dict[str, Any] = {
        "task": {"type": "text-generation", "name": f"{environment.title}: {task}"},
        "dataset": {
            "type": evaluation.evaluation_name(task, positions),
            "name": f"{environment.title}, {positions or 'positions of the run'}",
            "args": {name: value for name, value in arguments.items() if value is not None},
        },
        "metrics": [_metric(row) for row in rows if not math.isnan(row["mean"])],
    }
    if publication.url:
        result["source"] = {"name": "World-State Workbench", "url": publication.url}
    return result


def _metric(row: Mapping[str, Any]) -> dict[str, Any]:
    metric = metric_of(row["quantity"])
    arguments = {name: row[name] for name in ("standard_error", "lower", "upper", "n", "games")}
    return {
        "type": metric.column,
        "value": row["mean"],
        "name": metric.label,
        "args": {name: value for name, value in arguments.items() if value == value},
    }


def _text(evaluation: Evaluation) -> str:
    scores = evaluation.scores
    lines = [
        f"## World states: {_escaped(evaluation.environment.title)}",
        "",
        f"Measured by the World-State Workbench; {LEVEL:.0%} intervals by the variance between games.",
        "",
        "| task | set | quantity | mean | interval | replies | games |",
        "| --- | --- | --- | ---: | --- | ---: | ---: |",
    ]
    for row in evaluation.numbers:
        no_interval = math.isnan(row["lower"])
        cells = (
            _escaped(row["task"]),
            _escaped(row["set"]),
            metric_of(row["quantity"]).label,
            _number(row["mean"]),
            "" if no_interval else f"{_number(row['lower'])} to {_number(row['upper'])}",
            str(row["n"]),
            str(row["games"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    prompt = evaluation.run.question.get("prompt")
    prompt_name = prompt_words(prompt) if prompt else "unknown"
    facts = {
        "Model": evaluation.model,
        "Setting": evaluation.setting or "default",
        "Prompt": prompt_name,
        "Replies": reply_count_words(scores),
        "Rules": convention_words(scores),
        "Method": evaluation.parameters["method"],
        "Date": evaluation.run.date or "unknown",
    }
    lines += ["", *(f"- {name}: {_escaped(value)}" for name, value in facts.items()), ""]
    return "\n".join(lines)


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4g}"


def _escaped(text: str) -> str:
    """Return a text as one cell of a Markdown table, with no markup of its own."""
    plain = " ".join(str(text)[:_LONGEST].split())
    escaped = "".join(f"\\{sign}" if sign in "\\`*_{}[]|~#" else sign for sign in plain)
    return html.escape(escaped, quote=False)


EVALUATIONS_FOLDER: Final = "evaluations"
"""Holds a folder for each model and setting, where there are several."""

_MADE_HERE: Final = re.compile(rb"world-state[- ]workbench", re.IGNORECASE)
"""Stands in every file beside the page, near its beginning or at its end."""

_READ_BYTES: Final = 1 << 20
_END_BYTES: Final = 4096
_OF_EVALUATION: Final = (RESULTS_FILE, INSTANCES_FILE, UNSCORED_FILE, CARD_FILE)


def write_exports(
    runs: Sequence[ReportedRun],
    out: Path,
    publication: Publication | None = None,
    *,
    depth: int | None = None,
) -> list[Path]:
    """Write the results of runs in published schemas.

    A model in a setting has ``results.json``, ``instances.jsonl``, ``unscored.jsonl`` and
    ``model_card.md``: in ``out`` if it is the only one, else in a folder of its own in
    ``out/evaluations``. The same runs give the same bytes.
    """
    depths = chapter_depths(runs, depth)
    # A run that is named twice is published once.
    evaluations = {each.digest: each for run in runs for each in evaluations_of(run, depths)}
    refuse_foreign_files(out)
    _remove_earlier(out)
    paths: list[Path] = []
    for evaluation in evaluations.values():
        folder = out if len(evaluations) == 1 else out / EVALUATIONS_FOLDER / _folder(evaluation)
        paths += _write_evaluation(evaluation, publication or Publication(), folder)
    return paths


def _folder(evaluation: Evaluation) -> str:
    name = "-".join(part for part in (evaluation.model, evaluation.setting) if part)
    return f"{file_name(name)}-{evaluation.digest[:8]}"


def _write_evaluation(evaluation: Evaluation, publication: Publication, folder: Path) -> list[Path]:
    results = results_document(evaluation, publication, write_instances(evaluation, folder))
    texts = {
        RESULTS_FILE: json_text(results, indent=2) + "\n",
        CARD_FILE: json_value(model_card(evaluation, publication)),
    }
    for name, text in texts.items():
        with replacing(folder / name) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in _OF_EVALUATION]


def _folders(out: Path) -> list[Path]:
    return [out, *sorted((out / EVALUATIONS_FOLDER).glob("*/"))]


def _earlier(out: Path) -> list[Path]:
    """Return the files in a folder that have names of what a report writes beside its page."""
    paths = [folder / name for folder in _folders(out) for name in _OF_EVALUATION]
    return [path for path in paths if path.exists()] + paper_files(out)


def refuse_foreign_files(out: Path) -> None:
    """Refuse to write over what the workbench did not write."""
    for path in _earlier(out):
        if not _is_ours(path):
            raise OutputError(
                f"{path}: expected no file, or one that `workbench report` wrote, got another; write "
                "into another folder, or move it away"
            )


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        text = file.read(_READ_BYTES)
        file.seek(max(0, path.stat().st_size - _END_BYTES))
        text += file.read()
    return not text or _MADE_HERE.search(text) is not None


def _remove_earlier(out: Path) -> None:
    """Remove the results that an earlier report left here: they may be of other runs."""
    for path in _earlier(out):
        path.unlink()
    _, *folders = _folders(out)
    for folder in (*folders, out / EVALUATIONS_FOLDER, out / FIGURES_FOLDER):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()

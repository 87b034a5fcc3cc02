"""The files that lie beside a report, for programs."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from workbench.errors import OutputError
from workbench.reports.chapters import chapter_depths
from workbench.reports.exports.evaluations import Evaluation, evaluations_of
from workbench.reports.exports.every_eval_ever import RESULTS_FILE, Publication, results_document
from workbench.reports.exports.file_names import file_name
from workbench.reports.exports.instances import INSTANCES_FILE, UNSCORED_FILE, write_instances
from workbench.reports.exports.json_text import json_text, json_value
from workbench.reports.exports.model_card import CARD_FILE, model_card
from workbench.reports.reported_run import ReportedRun
from workbench.tables.parquet_tables import replacing

EVALUATIONS_FOLDER: Final = "evaluations"
"""Holds a folder for each model and setting, where there are several."""

_MADE_HERE: Final = re.compile(rb"world-state[- ]workbench", re.IGNORECASE)
"""Stands in every file that `write_exports` writes, near its beginning."""

_READ_BYTES: Final = 1 << 20
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

    Args:
        runs: What a report is about.
        out: The folder of the report; files of these names are replaced.
        publication: Who publishes them; unknown if None.
        depth: m; as of `workbench.reports.chapters.chapters_of`.

    Returns:
        The files that were written.

    Raises:
        InvalidArgumentError: If the scores of a chapter have no depth in common.
        OutputError: As of `refuse_others_files`.
    """
    publication, depths = publication or Publication(), chapter_depths(runs, depth)
    found = [each for run in runs for each in evaluations_of(run, depths)]
    # A run that is named twice is published once.
    evaluations = list({each.digest: each for each in found}.values())
    refuse_others_files(out)
    _remove_earlier(out)
    written: list[Path] = []
    for evaluation in evaluations:
        folder = out if len(evaluations) == 1 else out / EVALUATIONS_FOLDER / _folder(evaluation)
        written += _write_evaluation(evaluation, publication, folder)
    return written


def _folder(evaluation: Evaluation) -> str:
    name = "-".join(part for part in (evaluation.model, evaluation.setting) if part)
    return f"{file_name(name)}-{evaluation.digest[:8]}"


def _write_evaluation(evaluation: Evaluation, publication: Publication, folder: Path) -> list[Path]:
    instances = write_instances(evaluation, folder)
    _write_json(folder / RESULTS_FILE, results_document(evaluation, publication, instances))
    _write_text(folder / CARD_FILE, model_card(evaluation, publication))
    return [folder / name for name in _OF_EVALUATION]


def _write_json(path: Path, content: Any) -> Path:
    return _write_text(path, json_text(content, indent=2) + "\n")


def _write_text(path: Path, text: str) -> Path:
    with replacing(path) as beside:
        beside.write_text(json_value(text), encoding="utf-8", newline="\n")
    return path


def refuse_others_files(out: Path) -> None:
    """Refuse to write over what the workbench did not write.

    Args:
        out: As of `write_exports`.

    Raises:
        OutputError: If a file is there under a name that is to be written.
    """
    folders = sorted((out / EVALUATIONS_FOLDER).glob("*/"))
    paths = [folder / name for folder in (out, *folders) for name in _OF_EVALUATION]
    for path in paths:
        if path.exists() and not _is_ours(path):
            raise OutputError(
                f"{path}: expected no file, or one that `workbench report` wrote, got another; write "
                "into another folder, or move it away"
            )


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_READ_BYTES)
    return not head or _MADE_HERE.search(head) is not None


def _remove_earlier(out: Path) -> None:
    """Remove the results that an earlier report left here: they may be of other runs."""
    folders = sorted((out / EVALUATIONS_FOLDER).glob("*/"))
    for folder in (out, *folders):
        for name in _OF_EVALUATION:
            (folder / name).unlink(missing_ok=True)
    for folder in (*folders, out / EVALUATIONS_FOLDER):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()

"""The files that lie beside a report, for programs and archives."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from workbench.drawing.labels import some_of
from workbench.drawing.scores_in_words import describe_scores
from workbench.errors import OutputError
from workbench.long_texts import cut
from workbench.reports.chapters import chapter_depths
from workbench.reports.exports.croissant import CROISSANT_FILE, croissant
from workbench.reports.exports.evaluations import BENCHMARK, Evaluation, evaluations_of
from workbench.reports.exports.every_eval_ever import RESULTS_FILE, results_document
from workbench.reports.exports.file_names import file_name
from workbench.reports.exports.instances import INSTANCES_FILE, UNSCORED_FILE, write_instances
from workbench.reports.exports.json_text import json_text, json_value
from workbench.reports.exports.model_card import CARD_FILE, model_card
from workbench.reports.exports.publication import Publication
from workbench.reports.exports.zenodo import ZENODO_FILE, zenodo_metadata
from workbench.reports.reported_run import ReportedRun
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import file_hash

EVALUATIONS_FOLDER: Final = "evaluations"
"""Holds a folder for each model and setting, where there are several."""

TABLES_FOLDER: Final = "tables"
"""Holds copies of the tables that lie elsewhere."""

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
    """Write the results of runs in published schemas, with the tables and a description of them.

    A model in a setting has ``results.json``, ``instances.jsonl``, ``unscored.jsonl`` and
    ``model_card.md``: in ``out`` if it is the only one, else in a folder of its own in
    ``out/evaluations``. The tables, ``croissant.json`` and ``.zenodo.json`` are of all runs. The same
    runs give the same bytes.

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
    earlier = _tables_listed(out)
    _remove_earlier(out)
    written: list[Path] = []
    for evaluation in evaluations:
        folder = out if len(evaluations) == 1 else out / EVALUATIONS_FOLDER / _folder(evaluation)
        written += _write_evaluation(evaluation, publication, folder)
    tables = _tables(runs, out)
    _remove_tables(out, earlier, tables)
    title, description = _words(runs, evaluations)
    dates = sorted(run.date for run in runs if run.date)
    versions = sorted({run.packages.get(BENCHMARK, "") for run in runs} - {""})
    keywords = [
        "World-State Workbench",
        "language models",
        "world models",
        "evaluation",
        *_environments(runs),
    ]
    described = croissant(tables, out, title, description, publication, dates[0] if dates else "")
    deposit = zenodo_metadata(title, description, keywords, publication, ", ".join(versions))
    for name, content in ((CROISSANT_FILE, described), (ZENODO_FILE, deposit)):
        written.append(_write_json(out / name, content))
    return written + tables


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
    described = out / CROISSANT_FILE
    for path in (*paths, described, out / ZENODO_FILE):
        if path.exists() and not _is_ours(path):
            raise OutputError(
                f"{path}: expected no file, or one that `workbench report` wrote, got another; write "
                "into another folder, or move it away"
            )
    tables = out / TABLES_FOLDER
    if tables.exists() and not described.exists() and (tables.is_file() or any(tables.iterdir())):
        raise OutputError(
            f"{tables}: expected no folder, or one that `workbench report` made, got another; write "
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


def _tables_listed(out: Path) -> dict[str, str]:
    """Return the hashes of the tables that an earlier report copied into ``out``, by their names."""
    path = out / CROISSANT_FILE
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8") or "{}")
        found = {each["contentUrl"]: each["sha256"] for each in document.get("distribution", [])}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise OutputError(
            f"{path}: expected no file, or one that `workbench report` wrote, got: {error!r:.200}; "
            "write into another folder, or move it away"
        ) from error
    places = {PurePosixPath(str(place)): digest for place, digest in found.items()}
    return {
        place.name: digest
        for place, digest in places.items()
        if place == PurePosixPath(TABLES_FOLDER, place.name) and place.name != ".."
    }


def _remove_tables(out: Path, listed: Mapping[str, str], kept: Sequence[Path]) -> None:
    """Remove the tables that an earlier report copied and this one did not: they are of other runs."""
    folder = out.resolve() / TABLES_FOLDER
    for name, digest in listed.items():
        path = folder / name
        # One with another hash was put there by somebody else.
        if path not in kept and path.is_file() and file_hash(path) == digest:
            path.unlink()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _tables(runs: Sequence[ReportedRun], out: Path) -> list[Path]:
    """Return the tables of runs, each once: as they lie in ``out``, or copied into it."""
    paths: dict[Path, Path] = {}
    for run in runs:
        for path in run.inputs:
            whole = path.resolve()
            if whole in paths:
                continue
            if whole.is_relative_to(out.resolve()):
                paths[whole] = whole
                continue
            stem = file_name(path.stem if len(runs) == 1 else f"{run.name}-{path.stem}")
            copy, number = out.resolve() / TABLES_FOLDER / f"{stem}.parquet", 1
            while copy in paths.values():
                number += 1
                copy = copy.with_name(f"{stem}-{number}.parquet")
            with replacing(copy) as beside:
                shutil.copyfile(path, beside)
            paths[whole] = copy
    return list(paths.values())


def _environments(runs: Sequence[ReportedRun]) -> list[str]:
    return sorted({run.environment.name for run in runs if len(run.scores)})


def _words(runs: Sequence[ReportedRun], evaluations: Sequence[Evaluation]) -> tuple[str, str]:
    """Return title and description of the runs together."""
    models = list(dict.fromkeys(each.model for each in evaluations))
    shown = some_of(models, "models") if models else "no replies"
    title = f"World-state evaluation of {shown} ({', '.join(_environments(runs))})"
    parts = [
        "Replies of language models that were asked about the state of an environment after some "
        "actions, and their scores by the World-State Workbench: state precision and recall, exact "
        "match and edit distance."
    ]
    parts += [f"{cut(run.name)}: {describe_scores(run.scores)}" for run in runs]
    return title, "\n\n".join(parts)

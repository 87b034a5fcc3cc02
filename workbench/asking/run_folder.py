"""The folder of a run: the answers to one question, and a refusal of any other.

run.json             the question with the whole prompt and its hash, the positions' hash, versions
positions.parquet    the positions that are asked about
answers.jsonl        the journal: every answer the moment it arrived
answers.damaged      lines of the journal that were damaged, if there were any
logs/                Inspect's logs, for ``inspect view``
process.log          the output of the asking process
.inspect/            files that Inspect otherwise keeps in the user's data folder
predictions.parquet  the table
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.asking.redaction import without_secrets
from workbench.asking.settings import Question
from workbench.episodes import EpisodeSample
from workbench.errors import RunMismatchError
from workbench.tables.output_files import check_folder, check_output
from workbench.tables.parquet_tables import POSITIONS, replacing, write_table
from workbench.tables.provenance import (
    differences_in_words,
    file_hash,
    find_differences,
    package_versions,
)

RUN_FILE: Final = "run.json"

EVALUATION_FILE: Final = "evaluation.json"
"""The description that ``workbench evaluate`` writes beside the run's own files."""

RUN_LOCK: Final = ".lock"
"""Lock of the process that works in the folder, from the first call to the table."""

PROCESS_LOCK: Final = ".asking.lock"
"""Lock of the asking process, which may outlive the one that started it."""

LOCK_SECONDS: Final = 15
"""How long to wait for another process to end."""


class RunFolder:
    """The places in a run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.positions = path / "positions.parquet"
        self.predictions = path / "predictions.parquet"
        self.logs = path / "logs"
        self.process_log = path / "process.log"

    def description(self) -> dict[str, Any]:
        """Return the folder's description of its run; empty if there is none."""
        path = self.path / RUN_FILE
        if not path.exists():
            return {}
        try:
            description = dict(json.loads(path.read_text(encoding="utf-8")))
            # An earlier version wrote secrets among the arguments in clear.
            question = description["question"]
            question["model_args"] = without_secrets(question["model_args"])[0]
            return description
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RunMismatchError(
                f"{path}: expected the description of a run, got: {error}; use another folder"
            ) from error


def refuse_other_run(path: Path, question: Question, source: Path | EpisodeSample) -> None:
    """Refuse a folder that cannot take the answers to a question; nothing is written.

    More samples per position than before are taken as more of the same run; fewer are not.
    """
    check_folder(path)
    inputs = [source] if isinstance(source, Path) else []
    check_output(RunFolder(path).predictions, inputs, "predictions", own_answers=True)
    # Another process may be making the folder at this moment: the description is the first file that
    # it finishes, so that it is looked for after the others.
    beginning = (f".{Path(RUN_FILE).stem}-", RUN_LOCK)
    # An evaluation makes the positions in the same folder before it asks.
    evaluation = (path / EVALUATION_FILE).exists()
    entries = list(path.iterdir()) if path.exists() and not evaluation else []
    foreign = any(not entry.name.startswith(beginning) for entry in entries)
    description = RunFolder(path).description()
    if description:
        differences = _differences(description, _description(question, source))
        if differences:
            raise RunMismatchError(
                f"{path} contains the answers to another question: {differences}; "
                f"ask into another folder, or ask the same again{_earlier_prompt(description, question)}"
            )
    elif foreign:
        raise RunMismatchError(
            f"{path}: expected a new folder or one of an earlier run, got one with other files in "
            "it; use another folder"
        )


def open_run(
    path: Path, question: Question, positions: pd.DataFrame, source: Path | EpisodeSample
) -> RunFolder:
    """Return the folder of a run, made if it is new."""
    refuse_other_run(path, question, source)
    folder = RunFolder(path)
    description = _description(question, source)
    whole = {**description, "question_sha256": question.sha256, "versions": package_versions()}
    write_json(path / RUN_FILE, whole)
    if not folder.positions.exists():
        copied = {"stage": "positions", "copied_sha256": description["positions_sha256"]}
        provenance = copied if isinstance(source, Path) else source.provenance()
        write_table(positions[POSITIONS.names], folder.positions, POSITIONS, provenance)
    folder.logs.mkdir(exist_ok=True)
    return folder


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a description as JSON, whole or not at all."""
    with replacing(path) as beside:
        text = json.dumps(value, indent=2, ensure_ascii=False)
        beside.write_text(text + "\n", encoding="utf-8")


def _earlier_prompt(description: dict[str, Any], question: Question) -> str:
    """Return advice that names the earlier version of a prompt, or an empty text."""
    before, now = description["question"].get("prompt", {}), question.full_prompt
    if before.get("name") != now.name or before.get("version") == now.version:
        return ""
    return f", with the prompt {before['name']}@{before['version']}"


def positions_hash(source: Path | EpisodeSample) -> str:
    """Return the SHA-256 of the positions' file, or of sampled positions, in hexadecimal."""
    return file_hash(source) if isinstance(source, Path) else source.sha256


def _description(question: Question, source: Path | EpisodeSample) -> dict[str, Any]:
    return {"question": question.description(), "positions_sha256": positions_hash(source)}


def _differences(earlier: dict[str, Any], current: dict[str, Any]) -> str:
    runs = (
        {**run.get("question", {}), "positions": run.get("positions_sha256")}
        for run in (earlier, current)
    )
    differences = find_differences(*runs)
    # The hash says that the prompt differs, its name and version say how; its text would drown both.
    for name in ("prompt turns", "prompt notation"):
        differences.pop(name, None)
    before, now = differences.get("samples_per_position", (0, 0))
    if isinstance(before, int) and isinstance(now, int) and before <= now:
        differences.pop("samples_per_position", None)
    return differences_in_words(differences)

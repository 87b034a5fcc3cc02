"""The folder of an evaluation: a run's folder, with the scores, figures and report of its answers.

evaluation.json      which positions were chosen, how replies are scored, and what is finished
positions.parquet    the positions
run.json, answers.jsonl, logs/, predictions.parquet, ...    as ``workbench ask`` writes them
scores.parquet       as ``workbench score`` writes it
figures/             as ``workbench figures`` writes them
report/              as ``workbench report`` writes it

So every stage can be called by itself on what the others left there.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from workbench.asking.run_folder import EVALUATION_FILE, LOCK_SECONDS, RunFolder
from workbench.errors import OutputError, RunMismatchError
from workbench.tables.output_files import check_folder
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import differences_in_words, differing, file_hash

_LOCK: Final = f".{Path(EVALUATION_FILE).stem}.lock"
_FINISHED: Final = "finished"


@dataclass(frozen=True, slots=True)
class EvaluationFolder:
    """The places in the folder of an evaluation, and what is finished there."""

    path: Path

    @property
    def run(self) -> RunFolder:
        """The places of asking, which are in the same folder."""
        return RunFolder(self.path)

    @property
    def scores(self) -> Path:
        """The scores of all predictions."""
        return self.path / "scores.parquet"

    @property
    def figures(self) -> Path:
        """The folder of the figures."""
        return self.path / "figures"

    @property
    def report(self) -> Path:
        """The folder of the report."""
        return self.path / "report"

    @contextmanager
    def opened(self, settings: Mapping[str, Any]) -> Iterator[None]:
        """Work in the folder alone; it is made if it is missing.

        Args:
            settings: What must be the same in every call, as JSON can hold it.

        Raises:
            RunMismatchError: If the folder belongs to an evaluation with other settings, or holds
                other files.
            OutputError: If another process evaluates into it, or it is a file.
        """
        self._refuse_other_files()
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.path / _LOCK).acquire(timeout=LOCK_SECONDS):
                if found := self._described():
                    self._refuse_other_settings(found, settings)
                else:
                    self._write({"settings": dict(settings), _FINISHED: {}})
                yield
        except Timeout as error:
            raise OutputError(
                f"{self.path}: expected a folder not in use, got one that another process is "
                "evaluating into; wait until it ends"
            ) from error

    def is_finished(self, stage: str, made_of: Mapping[str, Any]) -> bool:
        """Return whether a stage was finished with what it would be made of now, and its files are there.

        Args:
            stage: Its name.
            made_of: Hashes and parameters, as JSON can hold them.
        """
        found = self._described()[_FINISHED].get(stage)
        if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
            return False
        return found.get("made_of") == json.loads(json.dumps(dict(made_of))) and all(
            (self.path / name).is_file() and file_hash(self.path / name) == digest
            for name, digest in found["files"].items()
        )

    def finish(self, stage: str, made_of: Mapping[str, Any], files: Iterable[Path]) -> None:
        """Record that a stage is finished.

        Args:
            stage: Its name.
            made_of: As of `is_finished`.
            files: What it wrote, in the folder.
        """
        described, folder = self._described(), self.path.resolve()
        hashes = {path.resolve().relative_to(folder).as_posix(): file_hash(path) for path in files}
        finished = {"made_of": dict(made_of), "files": dict(sorted(hashes.items()))}
        self._write({**described, _FINISHED: {**described[_FINISHED], stage: finished}})

    def _refuse_other_files(self) -> None:
        check_folder(self.path)
        if not self.path.exists() or self._described():
            return
        # Another process may be making the folder at this moment.
        beginning = f".{Path(EVALUATION_FILE).stem}"
        entries = [each.name for each in self.path.iterdir() if not each.name.startswith(beginning)]
        if entries:
            other = (
                "one of `workbench ask`; use another folder, or `workbench score` and `workbench "
                "report` on this one"
                if self.run.description()
                else "one with other files in it; use another folder"
            )
            raise RunMismatchError(
                f"{self.path}: expected a new folder or one of an earlier evaluation, got {other}"
            )

    def _refuse_other_settings(self, found: dict[str, Any], settings: Mapping[str, Any]) -> None:
        differences = differing(found["settings"], settings)
        # Its hash tells which table it is, whatever its name.
        differences.pop("positions table", None)
        if differences:
            raise RunMismatchError(
                f"{self.path} contains another evaluation: {differences_in_words(differences)}; "
                "evaluate into another folder, or with the same options again"
            )

    def _described(self) -> dict[str, Any]:
        path = self.path / EVALUATION_FILE
        if not path.exists():
            return {}
        try:
            described = json.loads(path.read_text(encoding="utf-8"))
            return {name: dict(described[name]) for name in ("settings", _FINISHED)}
        except (ValueError, TypeError, KeyError) as error:
            raise RunMismatchError(
                f"{path}: expected the description of an evaluation, got: {error!r:.200}; use "
                "another folder"
            ) from error

    def _write(self, described: Mapping[str, Any]) -> None:
        with replacing(self.path / EVALUATION_FILE) as beside:
            text = json.dumps(described, indent=2, ensure_ascii=False)
            beside.write_text(text + "\n", encoding="utf-8")

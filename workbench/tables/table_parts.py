"""A table made in parts, so that its making can be interrupted at any moment and resumed.

Finished parts are in a folder beside the future table, with a manifest that describes the table. A
part is used only if its own metadata matches the manifest, and an old table stays until the new one
is complete.
"""

import errno
import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
from filelock import FileLock, Timeout

from workbench.errors import OutputError, RunMismatchError, TableError
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import (
    read_arrow,
    read_provenance,
    replacing,
    table_writer,
    write_table,
)
from workbench.tables.provenance import differences_in_words, file_hash, find_differences

Span = tuple[int, int]
"""The first row of a part, and the row after its last one."""

_WITHOUT_LOCKS: Final = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_MANIFEST: Final = "manifest.json"
_LOCK: Final = ".lock"
_WHOLE: Final = "whole.parquet"
_PART: Final = re.compile(r"rows-\d+-\d+\.parquet")
_UNFINISHED: Final = re.compile(r"\.(rows-\d+-\d+|whole|manifest)-\w{8}\.(parquet|json)")


class TableParts:
    """The parts of a table while it is made; see `table_in_parts`.

    Attributes:
        finished: Whether the table is already there, as it would be made.
    """

    def __init__(
        self,
        out: Path,
        schema: pa.Schema,
        description: Mapping[str, Any],
        of_parts: Mapping[str, Any],
        report: Callable[[str], object],
    ) -> None:
        self.finished = False
        self._out = out
        self._folder = out.with_name(out.name + ".parts")
        self._schema = schema
        self._description, self._of_parts = (
            dict(json.loads(json.dumps(dict(one)))) for one in (description, of_parts)
        )
        self._report = report

    def missing(self, spans: Iterable[Span]) -> list[Span]:
        """Return the parts still to be made; a broken one is removed and reported."""
        return [span for span in spans if not self._is_sound(span)]

    def write(self, span: Span, rows: pd.DataFrame | pa.Table) -> None:
        """Keep a part."""
        with self._keeping():
            write_table(rows, self._path(span), self._schema, self._described(span))

    def join(self, spans: Sequence[Span]) -> None:
        """Join all parts into the table, and remove them."""
        whole = self._folder / _WHOLE
        with self._keeping():
            with table_writer(whole, self._schema, self._description) as writer:
                for span in spans:
                    path = self._path(span)
                    if read_provenance(path) != self._described(span):
                        raise TableError(f"{path}: changed during the run; run the command again")
                    writer.write(read_arrow(path, self._schema))
            _flush(whole)
            whole.replace(self._out)
        self.discard()

    def discard(self) -> None:
        """Remove the parts, and the manifest last: without it no part is used."""
        for path in self._files(_PART, _UNFINISHED):
            path.unlink(missing_ok=True)
        for name in (_WHOLE, _MANIFEST):
            (self._folder / name).unlink(missing_ok=True)

    def begin(self, *, restart: bool) -> None:
        """Examine the existing files, and keep only those that can be used."""
        manifest = self._manifest()
        replaces = file_hash(self._out) if self._out.exists() else None
        expected = {"made": self._of_parts, "replaces": replaces}
        if restart:
            self.discard()
        elif manifest == expected:
            return
        elif self._out.exists():
            self._require_same_table()
            self.finished = True
            if manifest is not None and manifest["made"] == self._of_parts:
                self.discard()
            return
        else:
            self._require_same_parts(manifest)
        with self._keeping(), replacing(self._folder / _MANIFEST) as beside:
            beside.write_text(json.dumps(expected, indent=2, sort_keys=True) + "\n")

    def _require_same_table(self) -> None:
        description = read_provenance(self._out)
        if differences := find_differences(description, self._description):
            raise RunMismatchError(
                f"{self._out} was made differently ({differences_in_words(differences)}); write "
                "elsewhere, or --restart: the old table stays until the new one is complete"
            )

    def _require_same_parts(self, manifest: dict[str, Any] | None) -> None:
        parts = self._files(_PART)
        if manifest is None:
            if parts:
                self._report(
                    f"{self._folder}: {len(parts)} parts without a manifest are removed: what they "
                    "are parts of is not known"
                )
            self.discard()
        elif differences := find_differences(manifest["made"], self._of_parts):
            if parts:
                raise RunMismatchError(
                    f"{self._folder} holds {len(parts)} parts of an unfinished run that was "
                    f"started differently ({differences_in_words(differences)}); finish that run, "
                    "write elsewhere, or use --restart to discard the parts"
                )
            self.discard()

    def _is_sound(self, span: Span) -> bool:
        path = self._path(span)
        if not path.exists():
            return False
        try:
            description = read_provenance(path)
            rows = len(read_arrow(path, self._schema))
        except ValueError as error:
            reason = str(error)
        else:
            first, behind = span
            if description == self._described(span) and rows == behind - first:
                return True
            reason = f"{path}: its rows do not match its name"
        self._report(f"{reason}; these rows are made again")
        path.unlink()
        return False

    def _manifest(self) -> dict[str, Any] | None:
        try:
            manifest = json.loads((self._folder / _MANIFEST).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            # Half a manifest is none: no part is used without it.
            return None
        is_manifest = isinstance(manifest, dict) and isinstance(manifest.get("made"), dict)
        return manifest if is_manifest else None

    def _path(self, span: Span) -> Path:
        first, behind = span
        return self._folder / f"rows-{first:08d}-{behind:08d}.parquet"

    def _described(self, span: Span) -> dict[str, Any]:
        return {**self._of_parts, "rows": list(span)}

    def _files(self, *patterns: re.Pattern[str]) -> list[Path]:
        return [
            path
            for path in self._folder.iterdir()
            if any(pattern.fullmatch(path.name) for pattern in patterns)
        ]

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        try:
            yield
        except OutputError:
            raise
        except OSError as error:
            finished = len(self._files(_PART)) if self._folder.is_dir() else 0
            why = os.strerror(error.errno) if error.errno else str(error)
            raise OutputError(
                f"{self._out}: it cannot be written: {why}; {finished} finished parts are kept in "
                f"{self._folder}: free some space or fix the cause; the same command resumes"
            ) from error

    @contextmanager
    def in_use(self, inputs: Iterable[Path]) -> Iterator[None]:
        """Lock the folder of the parts, and remove it at the end if it is empty."""
        with self._keeping():
            lock = self._locked()
        try:
            self._require_own_folder(inputs)
            if lock is not None:
                for path in self._files(_UNFINISHED):
                    path.unlink()
            yield
        finally:
            # Removed while locked: a process that opened it meanwhile sees that it is gone.
            with suppress(OSError):
                (self._folder / _LOCK).unlink(missing_ok=True)
                self._folder.rmdir()
            if lock is not None:
                lock.release()

    def _require_own_folder(self, inputs: Iterable[Path]) -> None:
        # Of hidden files some are ours, and the others are those of a file system or a desktop.
        foreign = sorted(
            path.name
            for path in self._folder.iterdir()
            if path.name not in (_MANIFEST, _WHOLE)
            and not _PART.fullmatch(path.name)
            and not path.name.startswith(".")
        )
        if foreign:
            raise OutputError(
                f"{self._folder}: expected nothing but parts of {self._out.name}, got "
                f"{', '.join(foreign[:3])}; move it away, or write elsewhere"
            )
        for path in inputs:
            if path.resolve().parent == self._folder.resolve():
                raise OutputError(
                    f"{self._folder}: parts of {self._out.name} are kept there, and the input "
                    f"{path} lies there; write elsewhere"
                )

    def _locked(self) -> FileLock | None:
        lock = FileLock(self._folder / _LOCK)
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except FileNotFoundError:
            # A process that ended at this moment has removed the folder.
            return self._locked()
        except Timeout as error:
            raise OutputError(
                f"{self._out}: another process is making it; wait until it ends, or write "
                f"elsewhere (if there is none, delete {self._folder / _LOCK})"
            ) from error
        except (OSError, NotImplementedError) as error:
            if isinstance(error, OSError) and error.errno not in _WITHOUT_LOCKS:
                raise
            self._report(
                f"{self._folder}: this file system supports no locks ({error}); make sure that "
                f"no other process makes {self._out.name} now: one of the two would fail"
            )
            return None
        return lock


@contextmanager
def table_in_parts(
    out: Path,
    kind: str,
    schema: pa.Schema,
    description: Mapping[str, Any],
    *,
    of_parts: Mapping[str, Any],
    inputs: Iterable[Path] = (),
    restart: bool = False,
    report: Callable[[str], object] = warnings.warn,
) -> Iterator[TableParts]:
    """Begin to make a table in parts, or resume an interrupted call.

    While it lasts no other process can make the same table. Parts are used if they were made under
    the same description, and are whole. An interrupted restart resumes without another request for
    a restart.
    """
    inputs = list(inputs)
    check_output(out, inputs, kind)
    parts = TableParts(out, schema, description, of_parts, report)
    with parts.in_use(inputs):
        parts.begin(restart=restart)
        yield parts


def _flush(path: Path) -> None:
    """Ensure that a file is on disk before its sources are removed."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())

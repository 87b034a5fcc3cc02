"""The journal of a run: every answer is written when it arrives, so that no paid one is lost.

One JSON object per line:

- an answer: ``id``, ``sample``, ``turn``, ``dollars`` and ``output`` (Inspect's, as JSON);
- a failed call: ``id``, ``sample``, ``turn``, ``failed`` (why) and ``permanent``;
- a call that begins, where the price is known: ``id``, ``sample``, ``turn`` and ``begun``, the
  dollars reserved for it;
- ``started`` (when) and ``stopped`` (why).

Each line ends with ``checksum``, the CRC-32 of the line without it; lines of earlier versions have
none. Where the cost of a call is unknown, its line has ``reserve``, the dollars
that count in its place, and ``unknown``, the reason.

The line of an answer or a failure is on the disk (fsync) before anything else happens: a call takes
a hundred times as long, and neither a kill nor a power cut loses an answer that was written. A line
that is torn or does not match its checksum is moved to ``answers.damaged`` when the journal is
opened. Its answer is taken from Inspect's log, or the question is asked again.
"""

import contextlib
import json
import os
import re
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from workbench.answers.imports.inspect_logs import reply_text
from workbench.asking.costs import Budget, Price, implausible_usage
from workbench.errors import JournalError
from workbench.tables.output_files import room_advice
from workbench.tables.parquet_tables import replacing

FILE_NAME: Final = "answers.jsonl"
DAMAGED_NAME: Final = "answers.damaged"
SPARE_NAME: Final = ".spare"
SPARE_BYTES: Final = 2**18
"""Bytes reserved for each call in progress if the disk fills up: a reply of some 60,000 tokens."""

KILLED: Final = "the process was killed during the call"
_ENTRY: Final = re.compile(r'\{"(?:id|started|stopped)": ')
_CHECKED: Final = re.compile(rb'(\{.*), "checksum": "([0-9a-f]{8})"\}', re.DOTALL)
_NAMES: Final = frozenset(
    {"id", "sample", "turn", "dollars", "output", "failed", "permanent", "begun", "reserve", "unknown",
     "started", "stopped"}
)  # fmt: skip
_MOST_DIFFERENCES: Final = 2
"""Bytes in which a damaged line may differ from how the lines of its question begin."""

Key = tuple[str, int, int]
"""Position, sample from 0, turn from 0."""


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that is no entry of a journal, or does not match its checksum."""

    number: int
    text: bytes

    def question(self, keys: Iterable[Key]) -> Key | None:
        """Return the key that the line begins with, or None if that is damaged as well."""

        def differences(key: Key) -> int:
            begin = json.dumps(_key_fields(key))[:-1].encode() + b","
            text = self.text[: len(begin)].ljust(len(begin))
            return sum(here != there for here, there in zip(text, begin, strict=True))

        best = min(keys, key=differences, default=None)
        return best if best is not None and differences(best) <= _MOST_DIFFERENCES else None

    @property
    def holds_answer(self) -> bool:
        """Whether the line is that of an answer, as far as it can be read."""
        return b'"output"' in self.text

    @property
    def holds_no_call(self) -> bool:
        """Whether the line only tells when asking started, or why it stopped."""
        return self.text.startswith((b'{"started"', b'{"stopped"'))


@dataclass(frozen=True, slots=True)
class Failure:
    """The last failed call of a question."""

    reason: str
    permanent: bool


@dataclass(slots=True)
class Record:
    """What a journal holds: by position and sample, and by turn, answers, their costs, and failures."""

    price: Price | None = None
    answers: dict[Key, dict[str, Any]] = field(default_factory=dict)
    costs: dict[Key, float | None] = field(default_factory=dict)
    failures: dict[tuple[str, int], Failure] = field(default_factory=dict)
    dollars: float = 0.0
    reserved: float = 0.0
    unknown: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    damaged: list[int] = field(default_factory=list)
    _begun: dict[Key, float] = field(default_factory=dict)
    _lines: int = 0

    def budget(self, limit: float | None, max_tokens: int | None) -> Budget:
        """Return the budget of a run that goes on: what is spent and known counts."""
        return Budget(self.price, limit, max_tokens, self.dollars, self.answers.values())

    def replies(self, question: tuple[str, int]) -> list[str]:
        """Return the texts of a question's answers, in the order of its turns, up to the first that is missing."""
        texts: list[str] = []
        while (output := self.answers.get((*question, len(texts)))) is not None:
            texts.append(reply_text(output))
        return texts

    def answered(self, last_turn: int) -> set[tuple[str, int]]:
        """Return position and sample of the questions of which every turn is answered."""
        turns = Counter((name, sample) for name, sample, turn in self.answers if turn <= last_turn)
        return {question for question, answers in turns.items() if answers == last_turn + 1}

    def read(self, text: bytes) -> None:
        """Take in whole lines."""
        for line in text.removesuffix(b"\n").split(b"\n"):
            self._lines += 1
            entry = _entry(line)
            if entry is not None:
                self.take(entry)
            elif line.strip():
                self.damaged.append(self._lines)

    def take(self, entry: dict[str, Any]) -> None:
        """Take in one line."""
        if "id" not in entry:
            return
        question = (entry["id"], entry["sample"])
        key = (*question, entry.get("turn", 0))
        lost = self._begun.pop(key, None)
        if "begun" in entry:
            if lost is not None:
                self._reserve(lost, KILLED)
            self._begun[key] = entry["begun"]
            return
        self.dollars += entry.get("dollars") or 0.0
        if entry.get("reserve"):
            self._reserve(entry["reserve"], entry.get("unknown", ""))
        self.failures.pop(question, None)
        if "failed" in entry:
            self.failures[question] = Failure(entry["failed"], entry.get("permanent", False))
            return
        usage = entry["output"].get("usage") or {}
        plausible = not implausible_usage(usage)
        if plausible:
            self.tokens += usage.get("total_tokens") or 0
        cost: float | None = entry.get("dollars")
        has_cost = cost is not None or entry.get("reserve") is not None
        if plausible and self.price is not None and not has_cost:
            cost = self.price.cost(usage)
            self.dollars += cost
        later = key[2] + 1
        while self.answers.pop((*question, later), None) is not None:
            # It belonged to a conversation that was lost.
            later += 1
        self.answers[key] = entry["output"]
        self.costs[key] = cost

    def close(self) -> None:
        """Count the calls that began and have no outcome; only when no process writes any more."""
        for reserve in self._begun.values():
            self._reserve(reserve, KILLED)
        self._begun.clear()

    def _reserve(self, reserve: float, reason: str) -> None:
        self.dollars += reserve
        self.reserved += reserve
        self.unknown[reason] += 1


class Journal:
    """Appends to the journal of a run; only one process may, see `workbench.asking.resumable_run`."""

    def __init__(self, folder: Path, price: Price | None = None, calls: int = 10) -> None:
        self._path = folder / FILE_NAME
        self._spare = folder / SPARE_NAME
        self._lock = threading.Lock()
        self.full = ""
        try:
            self.damaged = _set_damaged_aside(self._path)
            self._spare.write_bytes(os.urandom(calls * SPARE_BYTES))
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            self._spare.unlink(missing_ok=True)
            raise JournalError(
                f"{folder}: expected a folder that can be written to, with "
                f"{calls * SPARE_BYTES / 2**20:.1f} MiB free for calls in progress, got: {error}"
            ) from error
        self.record = Record(price)
        self.record.read(self._path.read_bytes() if self._path.is_file() else b"")
        self.record.close()
        # Also the proof that answers can be written, before the first is paid for.
        self._write({"started": datetime.now(UTC).isoformat(timespec="seconds")})
        if self.full:
            raise JournalError(self.full)

    def begun(self, key: Key, reserve: float) -> None:
        """Record that a call begins."""
        self._write({**_key_fields(key), "begun": reserve}, synced=False)

    def answered(
        self, key: Key, output: dict[str, Any], dollars: float | None, **unknown: Any
    ) -> None:
        """Record an answer."""
        self._write({**_key_fields(key), "dollars": dollars, **unknown, "output": output})

    def failed(self, key: Key, failure: Failure, **unknown: Any) -> None:
        """Record that a call failed."""
        outcome = {"failed": failure.reason, "permanent": failure.permanent}
        self._write({**_key_fields(key), **outcome, **unknown})

    def stopped(self, reason: str) -> None:
        """Record why asking stops."""
        self._write({"stopped": reason})

    def close(self) -> None:
        """End writing."""
        self._file.close()
        self._spare.unlink(missing_ok=True)

    def _write(self, entry: dict[str, Any], *, synced: bool = True) -> None:
        line = _line(entry)
        with self._lock:
            try:
                self._append(line, synced=synced)
            except OSError as error:
                reason = f"{self._path} cannot be written: {error.strerror}{room_advice(error)}"
                if not self._spare.exists():
                    raise JournalError(reason) from error
                # There is room for the calls in progress, but not for another one.
                self.full = reason
                self._spare.unlink()
                try:
                    self._append(line, synced=synced)
                except OSError as again:
                    raise JournalError(reason) from again
            self.record.take(entry)

    def _append(self, line: bytes, *, synced: bool) -> None:
        begin = os.fstat(self._file.fileno()).st_size
        try:
            place = 0
            while place < len(line):
                place += self._file.write(line[place:]) or 0
            if synced:
                os.fsync(self._file.fileno())
        except OSError:
            # Else the next line would be glued to a torn one. Where even that fails, the torn line
            # is set aside when the journal is opened again.
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), begin)
            raise


class JournalReader:
    """Follows a journal that another process writes."""

    def __init__(self, folder: Path, price: Price | None = None) -> None:
        self._path = folder / FILE_NAME
        self._price = price
        self._file_number = 0
        self._place = 0
        self.record = Record(price)

    def read(self) -> None:
        """Take in the whole lines that have come since the last call."""
        if not self._path.is_file():
            return
        with self._path.open("rb") as file:
            number = os.fstat(file.fileno()).st_ino
            if number != self._file_number:
                # The other process has set damaged lines aside.
                self._file_number, self._place, self.record = number, 0, Record(self._price)
            file.seek(self._place)
            text = file.read()
        end = text.rfind(b"\n") + 1
        self._place += end
        self.record.read(text[:end])


def journal_record(folder: Path, price: Price | None = None) -> Record:
    """Return what the journal of a run folder holds; nothing if there is none."""
    reader = JournalReader(folder, price)
    reader.read()
    return reader.record


def asking_began(folder: Path) -> str:
    """Return when the first question of a run was asked, as ISO 8601; empty if that is unknown."""
    path = folder / FILE_NAME
    if path.is_file():
        with path.open("rb") as file:
            for line in file:
                began = (_entry(line.removesuffix(b"\n")) or {}).get("started")
                if isinstance(began, str):
                    return began
    return ""


def _set_damaged_aside(path: Path) -> list[DamagedLine]:
    """Move the damaged lines of a journal to the file beside it, and return them.

    What is whole in a damaged line, because one was written after a torn one, stays.
    """
    if not path.is_file():
        return []
    text = path.read_bytes()
    damaged = []
    whole: list[bytes] = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        if _entry(line) is not None:
            whole.append(line)
        elif line.strip():
            damaged.append(DamagedLine(number, line))
            whole += _whole_parts(line)
    if not damaged and (not text or text.endswith(b"\n")):
        return []
    if damaged:
        _write_synced(path.with_name(DAMAGED_NAME), [line.text for line in damaged], "ab")
    with replacing(path) as beside:
        _write_synced(beside, whole, "wb")
    return damaged


def _write_synced(path: Path, lines: list[bytes], mode: str) -> None:
    with path.open(mode) as file:
        file.writelines(line + b"\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def _whole_parts(line: bytes) -> Iterator[bytes]:
    text = line.decode("latin-1")
    end = 0
    for match in _ENTRY.finditer(text):
        if match.start() >= end:
            with contextlib.suppress(ValueError):
                _, after = json.JSONDecoder().raw_decode(text, match.start())
                part = line[match.start() : after]
                if _entry(part) is not None:
                    end = after
                    yield part


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=True).encode()
    return text[:-1] + b', "checksum": "%08x"}\n' % zlib.crc32(text)


def _entry(line: bytes) -> dict[str, Any] | None:
    checked = _CHECKED.fullmatch(line)
    if not line.isascii() or (
        checked and zlib.crc32(checked[1] + b"}") != int(checked[2], base=16)
    ):
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not _is_entry(entry) or (not checked and entry.keys() - _NAMES):
        # Without a checksum, another name is a damaged one.
        return None
    return {name: value for name, value in entry.items() if name in _NAMES}


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    if "id" not in entry:
        return any(isinstance(entry.get(name), str) for name in ("started", "stopped"))
    named = isinstance(entry["id"], str) and isinstance(entry.get("sample"), int)
    answer = isinstance(entry.get("output"), dict) and isinstance(entry.get("turn"), int)
    failed = isinstance(entry.get("failed"), str)
    return named and (answer or failed or isinstance(entry.get("begun"), int | float))


def _key_fields(key: Key) -> dict[str, Any]:
    return {"id": key[0], "sample": key[1], "turn": key[2]}

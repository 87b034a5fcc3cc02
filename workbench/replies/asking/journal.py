"""The journal of a run: every answer the moment it arrives, so that no kill can lose a paid one.

One JSON object a line. An answer has ``id``, ``sample``, ``turn`` and ``output`` (Inspect's, as
JSON) and its ``dollars``; a failed question has ``failed``; a line with ``stopped`` says why asking
stopped. A process that is killed can tear the last line only; it is cut off when the journal is
opened again.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from workbench.errors import TableError

FILE_NAME: Final = "answers.jsonl"

Key = tuple[str, int, int]
"""Position, sample from 0, turn from 0."""


class Journal:
    """Appends to a journal, and knows what was answered before.

    Attributes:
        answers: Inspect's output of every call answered so far, by position, sample and turn.
        dollars: What all calls so far have cost.
    """

    def __init__(self, folder: Path) -> None:
        """Open the journal of a run folder, and make it if it is missing.

        Raises:
            TableError: If a line before the last is damaged.
        """
        path = folder / FILE_NAME
        self._file = path.open("a+b", buffering=0)
        self._file.seek(0)
        whole = self._file.read()
        end = whole.rfind(b"\n") + 1
        if end < len(whole):
            self._file.truncate(end)
        self.answers: dict[Key, dict[str, Any]] = {}
        self.dollars = 0.0
        for entry in _entries(whole[:end], path):
            if "output" in entry:
                self.answers[_key(entry)] = entry["output"]
                self.dollars += entry["dollars"] or 0.0

    def answered(self, key: Key, output: dict[str, Any], dollars: float | None) -> None:
        """Write an answer down, in one system call.

        Args:
            key: Position, sample, turn.
            output: Inspect's output, as JSON can hold it.
            dollars: What the call cost, if that is known.
        """
        position, sample, turn = key
        self._write({"id": position, "sample": sample, "turn": turn, "dollars": dollars,
                     "output": output})  # fmt: skip
        self.dollars += dollars or 0.0

    def failed(self, position: str, sample: int, reason: str) -> None:
        """Write down that a question failed; it is asked again when the run goes on."""
        self._write({"id": position, "sample": sample, "failed": reason})

    def stopped(self, reason: str) -> None:
        """Write down why asking stops."""
        self._write({"stopped": reason})

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry, ensure_ascii=True).encode() + b"\n")


def journal_answers(folder: Path) -> dict[Key, dict[str, Any]]:
    """Return Inspect's output of every call that a journal holds, by position, sample and turn.

    Raises:
        TableError: If a line before the last is damaged.
    """
    path = folder / FILE_NAME
    if not path.exists():
        return {}
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    entries = (entry for entry in _entries(whole, path) if "output" in entry)
    return {_key(entry): entry["output"] for entry in entries}


class JournalReader:
    """Follows a journal that another process writes.

    Attributes:
        last_turn: The number of a prompt's last turn: with it a question is answered.
        answered: Position and sample of the questions that are answered.
        failed: Position and sample of those whose last attempt failed, and why.
        dollars: The sum of what is known to have been paid.
        tokens: Input and output tokens of all calls.
        stopped: Why asking stopped, or an empty text.
    """

    def __init__(self, folder: Path, last_turn: int) -> None:
        self._path = folder / FILE_NAME
        self._place = 0
        self.last_turn = last_turn
        self.answered: set[tuple[str, int]] = set()
        self.failed: dict[tuple[str, int], str] = {}
        self.dollars = 0.0
        self.tokens = 0
        self.stopped = ""

    def forget_stop(self) -> None:
        """Forget why an earlier run stopped."""
        self.stopped = ""

    def read(self) -> None:
        """Take in the whole lines that have come since the last call.

        Raises:
            TableError: If a line is damaged.
        """
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._place)
            text = file.read()
        end = text.rfind(b"\n") + 1
        self._place += end
        for entry in _entries(text[:end], self._path):
            self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        if "stopped" in entry:
            self.stopped = entry["stopped"]
            return
        question = (entry["id"], entry["sample"])
        if "failed" in entry:
            self.failed[question] = entry["failed"]
            return
        self.dollars += entry["dollars"] or 0.0
        usage = entry["output"].get("usage") or {}
        self.tokens += usage.get("total_tokens", 0)
        if entry["turn"] == self.last_turn:
            self.answered.add(question)
            self.failed.pop(question, None)


def _entries(text: bytes, path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise TableError(
                f"{path}, line {number}: expected a JSON object, got {line[:80]!r}: {error}; "
                "take the line out, its question is then asked again"
            ) from error


def _key(entry: dict[str, Any]) -> Key:
    return entry["id"], entry["sample"], entry["turn"]

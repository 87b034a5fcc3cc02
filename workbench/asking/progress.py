"""The progress of a run: answered questions, rate, dollars so far and the time left."""

import subprocess
from typing import Final

from tqdm.auto import tqdm

from workbench.asking.journal import JournalReader

_SECONDS: Final = 0.5


def follow(
    process: "subprocess.Popen[bytes]",
    journal: JournalReader,
    questions: int,
    last_turn: int,
    *,
    show: bool,
) -> None:
    """Wait for the asking process, and show the progress of its journal.

    Args:
        process: The process.
        journal: Already read up to where the process began.
        questions: Of the whole run.
        last_turn: The number of the prompt's last turn: with it a question is answered.
        show: Whether to show a bar on standard error.
    """
    with tqdm(
        total=questions,
        initial=len(journal.record.answered(last_turn)),
        unit="question",
        desc="asking",
        disable=not show,
    ) as bar:
        while True:
            ended = _ended(process)
            journal.read()
            record = journal.record
            said = {"tokens": f"{record.tokens:,}"}
            if record.dollars:
                said["dollars"] = f"{record.dollars:.4f}"
            if record.failures:
                said["failed"] = str(len(record.failures))
            bar.set_postfix(said, refresh=False)
            bar.update(len(record.answered(last_turn)) - bar.n)
            if ended:
                return


def _ended(process: "subprocess.Popen[bytes]") -> bool:
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True

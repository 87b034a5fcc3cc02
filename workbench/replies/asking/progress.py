"""How far a run has come: answered questions, rate, dollars so far and the time left."""

import subprocess
from typing import Final

from tqdm.auto import tqdm

from workbench.replies.asking.journal import JournalReader

_SECONDS: Final = 0.5


def follow(
    process: "subprocess.Popen[bytes]", journal: JournalReader, questions: int, *, show: bool
) -> None:
    """Wait for the asking process, and show what its journal says meanwhile.

    Args:
        process: The process.
        journal: Already read up to where the process began.
        questions: Of the whole run.
        show: Whether to show a bar on standard error.
    """
    with tqdm(
        total=questions,
        initial=len(journal.answered),
        unit="question",
        desc="asking",
        disable=not show,
    ) as bar:
        while True:
            ended = _ended(process)
            journal.read()
            said = {"tokens": f"{journal.tokens:,}"}
            if journal.dollars:
                said["dollars"] = f"{journal.dollars:.4f}"
            if journal.failed:
                said["failed"] = str(len(journal.failed))
            bar.set_postfix(said, refresh=False)
            bar.update(len(journal.answered) - bar.n)
            if ended:
                return


def _ended(process: "subprocess.Popen[bytes]") -> bool:
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True

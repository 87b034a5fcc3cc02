"""From the logs of a run to its table of predictions."""

from typing import Any, Final

import pandas as pd

from workbench.replies.asking.folder import RunFolder
from workbench.replies.asking.journal import journal_answers
from workbench.replies.asking.settings import Question
from workbench.replies.eval_logs import CALL_FAILED, LoggedReply, logged_reply, read_replies
from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table

_CANCELLED: Final = (CALL_FAILED + "CancelledError(", CALL_FAILED + "Cancelled(")
"""How Inspect logs a question that waited when asking stopped: it was not asked."""


def known_replies(folder: RunFolder) -> dict[tuple[str, int], LoggedReply]:
    """Return the replies of a run, by position and sample.

    Each log begins with a copy of what the one before held, so that of several the newest counts;
    but a reply counts before a failed call. What a killed process had no time to log stands in the
    journal.

    Args:
        folder: Of the run.

    Raises:
        ReplyFileError: If a log is damaged.
        TableError: If the journal is.
    """
    found: dict[tuple[str, int], LoggedReply] = {}
    paths = folder.logs.glob("*.eval")
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name)):
        for reply in read_replies(path):
            key = (reply.position_id, reply.sample)
            if reply.failure.startswith(_CANCELLED):
                continue
            if reply.reply is not None or key not in found or found[key].reply is None:
                found[key] = reply
    question = Question.from_description(folder.description()["question"])
    last_turn = len(question.prompted.turns) - 1
    for (name, sample, turn), output in journal_answers(folder.path).items():
        key = (name, sample)
        if turn == last_turn and (key not in found or found[key].reply is None):
            entry = {"id": name, "epoch": sample + 1, "output": output}
            found[key] = logged_reply(entry, question.model)
    return found


def run_predictions(folder: RunFolder) -> pd.DataFrame:
    """Return the predictions of a run: positions in their order, samples within each.

    A failed call is a row of class ``failed``, whose reason begins with
    `workbench.replies.eval_logs.CALL_FAILED`. A question that was not asked yet has no row.

    Args:
        folder: Of the run.

    Raises:
        ReplyFileError: If a log is damaged.
        TableError: If the copied positions cannot be read.
    """
    positions = read_table(folder.positions, POSITIONS)
    model = str(folder.description()["question"]["model"])
    replies = known_replies(folder)
    order = {name: place for place, name in enumerate(positions["position_id"])}
    keys = sorted(
        (key for key in replies if key[0] in order), key=lambda key: (order[key[0]], key[1])
    )
    answers: list[dict[str, Any]] = [
        {
            "model": model,
            "sample": key[1],
            "reply": replies[key].reply,
            **replies[key].prediction().columns(),
        }
        for key in keys
    ]
    asked = positions.iloc[[order[name] for name, _ in keys]].reset_index(drop=True)
    columns = PREDICTIONS.names[len(POSITIONS.names) :]
    frame = pd.concat([asked, pd.DataFrame(answers, columns=columns)], axis=1)
    return frame.astype({"sample": "int32"})


def write_run_predictions(folder: RunFolder) -> pd.DataFrame:
    """Write the table of a run into its folder, and return it.

    The prompt, the model's options and the hashes go into the file's provenance.
    """
    frame = run_predictions(folder)
    description = folder.description()
    provenance = {
        "stage": "predictions",
        "positions_sha256": description["positions_sha256"],
        "asked": description["question"],
        "versions": description["versions"],
    }
    write_table(frame, folder.predictions, PREDICTIONS, provenance)
    return frame

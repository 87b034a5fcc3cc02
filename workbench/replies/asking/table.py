"""From the journal of a run to its table of predictions."""

from typing import Any

import pandas as pd

from workbench.replies.asking.folder import RunFolder
from workbench.replies.asking.journal import journal_record
from workbench.replies.asking.settings import Question
from workbench.replies.eval_logs import LoggedReply, logged_reply
from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table


def known_replies(folder: RunFolder) -> dict[tuple[str, int], LoggedReply]:
    """Return the replies and the failures of a run, by position and sample.

    Args:
        folder: Of the run.
    """
    question = Question.from_description(folder.description()["question"])
    record = journal_record(folder.path)
    entries: dict[tuple[str, int], dict[str, Any]] = {
        key: {"error": {"message": failure.reason}} for key, failure in record.failures.items()
    }
    last_turn = len(question.prompted.turns) - 1
    for name, sample in record.answered(last_turn):
        entries[name, sample] = {"output": record.answers[name, sample, last_turn]}
    return {
        (name, sample): logged_reply({"id": name, "epoch": sample + 1, **entry}, question.model)
        for (name, sample), entry in entries.items()
    }


def run_predictions(folder: RunFolder) -> pd.DataFrame:
    """Return the predictions of a run: positions in their order, samples within each.

    A failed call is a row of class ``failed``, whose reason begins with
    `workbench.replies.eval_logs.CALL_FAILED`. A question that was not asked yet has no row.

    Args:
        folder: Of the run.

    Raises:
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

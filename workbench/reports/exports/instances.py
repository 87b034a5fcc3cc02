"""The single replies of an evaluation, one JSON object per line, in the schema of Every Eval Ever.

A line has one score, p_m, and the other measures among its metadata. The schema cannot say that a
reply has no score: failed calls and replies that could not be scored are lines of a file of their
own, alike but for the score, so that no mean of scores counts them.

Source: instance_level_eval schema 0.3.0 of https://github.com/evaleval/every_eval_ever (MIT).
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.asking.questions import questions_of
from workbench.metrics import Metric, find_metric
from workbench.prediction import ReplyClass
from workbench.reports.exports.evaluations import BENCHMARK, PREDICTIONS_READ, Evaluation
from workbench.reports.exports.json_text import json_text, json_value, named_texts
from workbench.studies.models.answers_compared import right_answers
from workbench.tables.parquet_tables import POSITIONS, replacing

SCHEMA_VERSION: Final = "0.3.0"
INSTANCES_FILE: Final = "instances.jsonl"
UNSCORED_FILE: Final = "unscored.jsonl"

_KEPT: Final = (
    "game", "group", "ply", "set", "setting", "sample", "reply_class", "status", "reason",
    "stop_reason", "dollars",
)  # fmt: skip
_READ: Final = (
    *PREDICTIONS_READ, "position_id", "task", "true_state", "predicted_state", "predicted_actions",
    "unscored", "right",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WrittenInstances:
    """What was written of an evaluation's single replies.

    Attributes:
        name: The name of the file of those with a score.
        rows: Its lines.
        sha256: Of its bytes, in hexadecimal.
        unscored: Lines of the other file.
    """

    name: str
    rows: int
    sha256: str
    unscored: int


def write_instances(evaluation: Evaluation, folder: Path) -> WrittenInstances:
    """Write a line for each row of an evaluation, into one of two files.

    Args:
        evaluation: One model in one setting.
        folder: Where `INSTANCES_FILE` and `UNSCORED_FILE` are written; both always are.
    """
    counts, digest = {True: 0, False: 0}, hashlib.sha256()
    with (
        replacing(folder / INSTANCES_FILE) as scored_path,
        replacing(folder / UNSCORED_FILE) as unscored_path,
        scored_path.open("wb") as scored,
        unscored_path.open("wb") as unscored,
    ):
        for line in instance_lines(evaluation):
            has_score = "evaluation" in line
            text = json_text(line).encode("ascii") + b"\n"
            counts[has_score] += 1
            (scored if has_score else unscored).write(text)
            if has_score:
                digest.update(text)
    return WrittenInstances(INSTANCES_FILE, counts[True], digest.hexdigest(), counts[False])


def instance_lines(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Yield the rows of an evaluation as the schema has them, in their order.

    Args:
        evaluation: One model in one setting.

    Yields:
        A mapping for each row. One without a score has no ``evaluation``.
    """
    rows = evaluation.rows()
    right = [
        right_answers(part, evaluation.depths[str(task), str(positions)])
        for (task, positions), part in rows.groupby(["task", "set"])
    ]
    rows = rows.assign(right=pd.concat(right))
    questions = _questions(evaluation)
    columns = [str(name) for name in rows]
    kept = [name for name in columns if name in _KEPT or _is_reported(find_metric(name))]
    read = [name for name in columns if name in kept or name in _READ]
    for values in rows[read].itertuples(index=False, name=None):
        row = {name: json_value(value) for name, value in zip(read, values, strict=True)}
        yield _line(evaluation, row, questions.get(row["position_id"]), kept)


def _is_reported(metric: Metric | None) -> bool:
    return metric is not None and (metric.headline or metric.by_depth)


def _questions(evaluation: Evaluation) -> Mapping[str, tuple[str, ...]]:
    """Return the user's messages by position; none where the wording is unknown."""
    prompt, predictions = evaluation.run.asked.get("prompt"), evaluation.run.predictions
    if (
        predictions is None
        or not prompt
        or not {"name", "version", "notation", "turns"} <= prompt.keys()
    ):
        return {}
    positions = predictions[POSITIONS.names].drop_duplicates("position_id")
    return questions_of(positions, Prompt.from_description(prompt))


def _line(
    evaluation: Evaluation,
    row: Mapping[str, Any],
    asked: tuple[str, ...] | None,
    kept: list[str],
) -> dict[str, Any]:
    task, positions = row["task"], row["set"]
    quantity = evaluation.main_quantity(task, positions)
    # Without a prompt all that is known of the question is the actions that it showed.
    questions = asked or (row["movetext"] or row["moves"] or "",)
    content = {"raw": questions[0], "reference": [row["true_state"] or ""]}
    line: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation.identifier,
        "model_id": evaluation.model,
        "evaluation_name": evaluation.evaluation_name(task, positions),
        "evaluation_result_id": evaluation.result_id(task, positions, quantity),
        "sample_id": row["position_id"],
        "sample_hash": _sample_hash(content),
        "input": content,
        **_conversation(evaluation, row, questions),
    }
    score = row.get(quantity)
    if row["unscored"] == "" and score is not None:
        line["evaluation"] = {"score": score, "is_correct": row["right"]}
    if row["reply_class"] == ReplyClass.FAILED or row["unscored"]:
        line["error"] = row["reason"] or row["unscored"]
    tokens = {name: row[name] for name in ("input_tokens", "output_tokens", "reasoning_tokens")}
    if tokens["input_tokens"] is not None and tokens["output_tokens"] is not None:
        whole = {name: int(count) for name, count in tokens.items() if count is not None}
        line["token_usage"] = {
            **whole,
            "total_tokens": whole["input_tokens"] + whole["output_tokens"],
        }
    if row["seconds"] is not None:
        line["performance"] = {"latency_ms": row["seconds"] * 1000}
    unscored = {"unscored": row["unscored"], "wording": "" if asked else "unknown"}
    line["metadata"] = named_texts({**{name: row.get(name) for name in kept}, **unscored})
    return line


def _conversation(
    evaluation: Evaluation, row: Mapping[str, Any], questions: tuple[str, ...]
) -> dict[str, Any]:
    """Return the reply, or the messages of a prompt with several turns, and where the answer is."""
    reply = row["reply"]
    answer = row["predicted_state"] or row["predicted_actions"]
    if len(questions) == 1:
        turn, source = 0, "not recorded" if reply is None else "output.raw"
        found: dict[str, Any] = {
            "interaction_type": "single_turn",
            "output": {"raw": [] if reply is None else [reply]},
        }
    else:
        asked = evaluation.run.asked
        system = asked.get("system_prompt") or asked["prompt"].get("system")
        replies = [*json.loads(row["earlier_turns"] or "[]"), *([] if reply is None else [reply])]
        said = [("system", system)] if system else []
        for place, question in enumerate(questions[: len(replies) + 1]):
            said.append(("user", question))
            said += [("assistant", each) for each in replies[place : place + 1]]
        turn, source = len(said) - 1, "messages[turn_idx].content"
        found = {
            "interaction_type": "multi_turn",
            "messages": [
                {"turn_idx": place, "role": role, "content": content}
                for place, (role, content) in enumerate(said)
            ],
        }
    attribution = {
        "turn_idx": turn,
        "source": source,
        "extracted_value": answer,
        "extraction_method": f"{BENCHMARK} {evaluation.environment.name}",
        "is_terminal": True,
    }
    return {**found, "answer_attribution": [attribution] if answer else []}


def _sample_hash(content: Mapping[str, Any]) -> str:
    """Return the hash by which the schema finds one question among the replies of all models."""
    text = json.dumps(json_value(content), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()

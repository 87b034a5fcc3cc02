"""Results and single replies in the schema of Every Eval Ever, the EvalEval Coalition's format."""

import hashlib
import json
import math
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.asking.questions import questions_of
from workbench.drawing.score_description import class_counts
from workbench.errors import TableError
from workbench.metrics import Metric, find_metric, metric_of
from workbench.prediction import ReplyClass
from workbench.reports.evaluations import (
    BENCHMARK,
    LEVEL,
    METHOD,
    PREDICTIONS_READ,
    Evaluation,
    description,
    file_name,
    identifier,
    json_text,
    json_value,
    kind,
    named_texts,
    public_question,
)
from workbench.reports.headline import COLUMNS, KEY
from workbench.studies.models.answer_spread import right_answers
from workbench.tables.parquet_tables import POSITIONS, replacing
from workbench.tables.provenance import file_hash

INSTANCE_SCHEMA_VERSION: Final = "0.3.0"
INSTANCES_FILE: Final = "instances.jsonl"
UNSCORED_FILE: Final = "unscored.jsonl"

_METADATA: Final = (
    "game", "group", "ply", "set", "setting", "sample", "reply_class", "status", "reason",
    "stop_reason", "dollars",
)  # fmt: skip
_OF_QUESTIONS: Final = (
    *PREDICTIONS_READ, "position_id", "task", "true_state", "predicted_state", "predicted_actions",
    "unscored", "right",
)  # fmt: skip


class WrittenInstances(NamedTuple):
    """Of the file of replies with a score: its number of lines, and its SHA-256 in hexadecimal."""

    rows: int
    sha256: str


def write_instances(evaluation: Evaluation, folder: Path) -> WrittenInstances:
    """Write a line for each row of an evaluation, into one of two files."""
    rows, digest = 0, hashlib.sha256()
    with (
        replacing(folder / INSTANCES_FILE) as scored_path,
        replacing(folder / UNSCORED_FILE) as unscored_path,
        scored_path.open("wb") as scored,
        unscored_path.open("wb") as unscored,
    ):
        for line in instance_lines(evaluation):
            text = json_text(line).encode("ascii") + b"\n"
            if "evaluation" in line:
                rows += 1
                digest.update(text)
                scored.write(text)
            else:
                unscored.write(text)
    return WrittenInstances(rows, digest.hexdigest())


def instance_lines(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """Yield the rows of an evaluation as the schema has them, in their order."""
    rows = evaluation.rows()
    right = [
        right_answers(part, evaluation.depths[str(task), str(positions)])
        for (task, positions), part in rows.groupby(["task", "set"])
    ]
    rows = rows.assign(right=pd.concat(right))
    questions = _questions(evaluation)
    columns = [str(name) for name in rows]
    names = [name for name in columns if name in _METADATA or _is_reported(find_metric(name))]
    read = [name for name in columns if name in names or name in _OF_QUESTIONS]
    for values in rows[read].itertuples(index=False, name=None):
        row = {name: json_value(value) for name, value in zip(read, values, strict=True)}
        yield _instance_line(evaluation, row, questions.get(row["position_id"]), names)


def _is_reported(metric: Metric | None) -> bool:
    return metric is not None and (metric.headline or metric.by_depth)


def _questions(evaluation: Evaluation) -> Mapping[str, tuple[str, ...]]:
    """Return the user's messages by position; none where the wording is unknown."""
    prompt, predictions = evaluation.run.question.get("prompt"), evaluation.run.predictions
    if (
        predictions is None
        or not prompt
        or not {"name", "version", "notation", "turns"} <= prompt.keys()
        # A row is one turn of a conversation, whose messages the table does not hold.
        or prompt.get("dialogue")
    ):
        return {}
    positions = predictions[POSITIONS.names].drop_duplicates("position_id")
    return questions_of(positions, Prompt.from_description(prompt))


def _instance_line(
    evaluation: Evaluation, row: Mapping[str, Any], turns: tuple[str, ...] | None, names: list[str]
) -> dict[str, Any]:
    task, positions = row["task"], row["set"]
    quantity = evaluation.main_quantity(task, positions)
    # Without a prompt all that is known of the question is the actions that it showed.
    questions = turns or (row["movetext"] or row["moves"] or "",)
    content = {"raw": questions[0], "reference": [row["true_state"] or ""]}
    line: dict[str, Any] = {
        "schema_version": INSTANCE_SCHEMA_VERSION,
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
    unscored = {"unscored": row["unscored"], "wording": "" if turns else "unknown"}
    line["metadata"] = named_texts({**{name: row.get(name) for name in names}, **unscored})
    return line


def _conversation(
    evaluation: Evaluation, row: Mapping[str, Any], questions: tuple[str, ...]
) -> dict[str, Any]:
    """Return the reply, or the messages of a prompt with several turns, and where the answer is."""
    reply = row["reply"]
    answer = row["predicted_state"] or row["predicted_actions"]
    if len(questions) == 1:
        turn, source = 0, "not recorded" if reply is None else "output.raw"
        messages: dict[str, Any] = {
            "interaction_type": "single_turn",
            "output": {"raw": [] if reply is None else [reply]},
        }
    else:
        of_run = evaluation.run.question
        system = of_run.get("system_prompt") or of_run["prompt"].get("system")
        replies = [*json.loads(row["earlier_turns"] or "[]"), *([] if reply is None else [reply])]
        turns = [("system", system)] if system else []
        for index, question in enumerate(questions[: len(replies) + 1]):
            turns.append(("user", question))
            turns += [("assistant", each) for each in replies[index : index + 1]]
        turn, source = len(turns) - 1, "messages[turn_idx].content"
        messages = {
            "interaction_type": "multi_turn",
            "messages": [
                {"turn_idx": index, "role": role, "content": content}
                for index, (role, content) in enumerate(turns)
            ],
        }
    attribution = {
        "turn_idx": turn,
        "source": source,
        "extracted_value": answer,
        "extraction_method": f"{BENCHMARK} {evaluation.environment.name}",
        "is_terminal": True,
    }
    return {**messages, "answer_attribution": [attribution] if answer else []}


def _sample_hash(content: Mapping[str, Any]) -> str:
    """Return the hash by which the schema finds one question among the replies of all models."""
    text = json.dumps(json_value(content), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


SCHEMA_VERSION: Final = "0.3.0"
RESULTS_FILE: Final = "results.json"
UNKNOWN: Final = "unknown"

_UNDEFINED: Final = "undefined_results"
_INTEGERS: Final = ("n", "games", "undefined", "failed", "unscored")
_ARGUMENTS: Final = ("temperature", "top_p", "max_tokens")


class Publication(NamedTuple):
    """Who publishes a run, which no table of the run knows.

    Attributes:
        organization: The organization that made the evaluation; empty if unknown.
        url: The page where the run is published; empty if there is none.
    """

    organization: str = ""
    url: str = ""


def results_document(
    evaluation: Evaluation, publication: Publication, instances: WrittenInstances
) -> dict[str, Any]:
    """Return the results of an evaluation as the schema has them.

    A headline number that is undefined has no result, because the schema takes numbers alone; it is
    listed in ``source_metadata.additional_details.undefined_results``, with its counts.
    """
    lines = list(enumerate(evaluation.numbers))
    undefined = [{"place": place, **row} for place, row in lines if math.isnan(row["mean"])]
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation.identifier,
        "retrieved_timestamp": _seconds(evaluation.run.date) or UNKNOWN,
        "source_metadata": _source_metadata(evaluation, publication, undefined),
        "model_info": _model_info(evaluation),
        "eval_library": _library(evaluation),
        "evaluation_results": [
            _result(evaluation, place, row) for place, row in lines if not math.isnan(row["mean"])
        ],
    }
    if evaluation.run.date:
        document["evaluation_timestamp"] = evaluation.run.date
    if instances.rows:
        name = uuid.UUID(evaluation.digest[:32], version=4)
        document["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{datastore_folder(evaluation)}/{name}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": instances.sha256,
            "total_rows": instances.rows,
            "additional_details": {"lies_beside_as": INSTANCES_FILE},
        }
    cleaned: dict[str, Any] = json_value(document)
    return cleaned


def datastore_folder(evaluation: Evaluation) -> str:
    """Return the folder of an evaluation in the Every Eval Ever datastore."""
    developer, _, model = evaluation.model.rpartition("/")
    names = (BENCHMARK, developer.partition("/")[0] or UNKNOWN, model)
    return "/".join(["data", *map(file_name, names)])


def read_results(path: Path) -> pd.DataFrame:
    """Return the headline numbers of published results, as they were before.

    Args:
        path: A ``results.json``, or a folder in which, or in whose folders, there are any.

    Returns:
        The columns of `workbench.reports.headline.headline`, in its order.

    Raises:
        TableError: If there are no results, or a file is not readable as results of the workbench.
    """
    paths = sorted(path.rglob(RESULTS_FILE)) if path.is_dir() else [path]
    if not paths:
        raise TableError(
            f"{path}: expected a folder with {RESULTS_FILE}, found none; make it by "
            "`workbench report`"
        )
    rows = [row for each in paths for row in _rows(each)]
    table = pd.DataFrame(rows, columns=["place", *COLUMNS]).sort_values([*KEY, "place"])
    types = dict.fromkeys(("mean", "standard_error", "lower", "upper", "effective"), "float64")
    table = table.astype(types | dict.fromkeys(_INTEGERS, "int64"))
    return table[list(COLUMNS)].reset_index(drop=True)


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        details = document["source_metadata"]["additional_details"]
        rows: list[dict[str, Any]] = json.loads(details.get(_UNDEFINED, "[]"))
        for result in document["evaluation_results"]:
            score = result["score_details"]
            uncertainty = score["uncertainty"]
            interval = uncertainty.get("confidence_interval", {})
            rows.append(
                json.loads(score["details"]["headline"])
                | {name: interval.get(name) for name in ("lower", "upper")}
                | {
                    "mean": score["score"],
                    "standard_error": uncertainty.get("standard_error", {}).get("value"),
                    "n": uncertainty["num_samples"],
                }
            )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise TableError(
            f"{path}: expected results as `workbench report` writes them, got: {error!r:.200}; make "
            "them again"
        ) from error
    return rows


def _source_metadata(
    evaluation: Evaluation, publication: Publication, undefined: list[dict[str, Any]]
) -> dict[str, Any]:
    counts = class_counts(evaluation.scores, by=["model"]).drop(columns="model").iloc[0]
    tables = dict(zip(("scores_sha256", "predictions_sha256"), evaluation.run.inputs, strict=False))
    return {
        "source_name": "World-State Workbench",
        "source_type": "evaluation_run",
        "source_organization_name": publication.organization or UNKNOWN,
        **({"source_organization_url": publication.url} if publication.url else {}),
        "evaluator_relationship": "other",
        "additional_details": named_texts(
            {
                "run": evaluation.run.name,
                **{name: file_hash(path) for name, path in tables.items()},
                "predictions_made": public_question(evaluation.run.provenance),
                "rows_by_class": {name: int(count) for name, count in counts.items()},
                "intervals": f"{LEVEL:.0%}, {METHOD}",
                _UNDEFINED: undefined,
            }
        ),
    }


def _model_info(evaluation: Evaluation) -> dict[str, Any]:
    platform, _, rest = evaluation.model.partition("/")
    return {
        "name": evaluation.model,
        "id": evaluation.model,
        **({"inference_platform": platform} if rest and evaluation.run.question else {}),
        "additional_details": {"deployment_type": UNKNOWN, "model_availability": UNKNOWN},
    }


def _library(evaluation: Evaluation) -> dict[str, Any]:
    packages = evaluation.run.packages
    return {
        "name": BENCHMARK,
        "version": packages.get(BENCHMARK, UNKNOWN),
        "additional_details": named_texts(
            {
                "packages_of_scores": packages,
                "packages_of_replies": evaluation.run.versions,
                "scoring_code": evaluation.run.scoring.get("code"),
            }
        ),
    }


def _result(evaluation: Evaluation, place: int, row: Mapping[str, Any]) -> dict[str, Any]:
    task, positions, quantity = row["task"], row["set"], row["quantity"]
    name = evaluation.evaluation_name(task, positions)
    result: dict[str, Any] = {
        "evaluation_result_id": evaluation.result_id(task, positions, quantity),
        "evaluation_name": name,
        "source_data": {
            "dataset_name": name,
            "source_type": "other",
            "additional_details": named_texts(
                {
                    "environment": evaluation.environment.name,
                    "task": task,
                    "set": positions,
                    "positions_sha256": evaluation.positions_sha256,
                    "predictions_sha256": evaluation.run.scoring.get("predictions_sha256"),
                }
            ),
        },
        "metric_config": _metric_config(evaluation, task, metric_of(quantity)),
        "score_details": {
            "score": row["mean"],
            "details": {"headline": _line(place, row)},
            "uncertainty": _uncertainty(row),
        },
        "generation_config": _generation_config(evaluation),
    }
    if evaluation.run.date:
        result["evaluation_timestamp"] = evaluation.run.date
    return result


def _line(place: int, row: Mapping[str, Any]) -> str:
    """Return what the schema has no place for: the line's key and counts, as JSON."""
    values = {
        name: row[name] for name in (*KEY, "quantity", "effective", *_INTEGERS) if name != "n"
    }
    return json.dumps(json_value({"place": place, **values}))


def _metric_config(evaluation: Evaluation, task: str, metric: Metric) -> dict[str, Any]:
    parameters = {f"scoring_{name}": value for name, value in evaluation.parameters.items()}
    low, high = metric.range
    return {
        "evaluation_description": description(task, metric),
        "metric_id": identifier(metric),
        "metric_name": metric.label,
        "metric_kind": kind(metric),
        "metric_unit": metric.unit,
        "metric_parameters": {} if metric.depth is None else {"m": metric.depth},
        "lower_is_better": metric.direction == "lower",
        "score_type": "continuous",
        "min_score": low if math.isfinite(low) else "-Infinity",
        "max_score": high if math.isfinite(high) else "Infinity",
        "additional_details": named_texts(parameters),
    }


def _uncertainty(row: Mapping[str, Any]) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": row["n"]}
    if not math.isnan(row["standard_error"]):
        uncertainty["standard_error"] = {"value": row["standard_error"], "method": METHOD}
    if not math.isnan(row["lower"]):
        ends = {name: row[name] for name in ("lower", "upper")}
        uncertainty["confidence_interval"] = {**ends, "confidence_level": LEVEL, "method": METHOD}
    return uncertainty


def _generation_config(evaluation: Evaluation) -> dict[str, Any]:
    question = public_question(evaluation.run.question)
    prompt = question.pop("prompt", None) or {}
    turns = prompt.pop("turns", None)
    arguments = {name: question.pop(name, None) for name in _ARGUMENTS}
    arguments = {name: value for name, value in arguments.items() if value is not None}
    if turns:
        arguments["prompt_template"] = "\n\n".join(turns)
    further = {
        "setting": evaluation.setting,
        **question,
        **{f"prompt_{name}": value for name, value in prompt.items()},
        "prompt_turns": turns if turns and len(turns) > 1 else None,
    }
    return {"generation_args": arguments, "additional_details": named_texts(further)}


def _seconds(date: str) -> str:
    """Return a date as the schema's time stamps are: seconds since 1970."""
    return str(int(datetime.fromisoformat(date).timestamp())) if date else ""

"""A fragment of a model card on the Hugging Face Hub: the results of one model as ``model-index``.

Source: the format of ``model-index`` in https://github.com/huggingface/hub-docs, modelcard.md.
"""

import html
import math
from collections.abc import Mapping
from typing import Any, Final

import yaml

from workbench.drawing.scores_in_words import counted_replies, counting_words
from workbench.metrics import metric_of
from workbench.reports.exports.evaluations import BENCHMARK, LEVEL, Evaluation
from workbench.reports.exports.every_eval_ever import Publication
from workbench.reports.exports.json_text import json_value
from workbench.reports.numbers_in_words import prompt_words

CARD_FILE: Final = "model_card.md"
_LONGEST: Final = 200


def model_card(evaluation: Evaluation, publication: Publication) -> str:
    """Return a fragment of a model card, as Markdown with a head in YAML.

    The head is what the Hub reads: ``model-index`` with each headline number, unrounded. A number
    that is undefined stands in the text alone.

    Args:
        evaluation: One model in one setting.
        publication: Who publishes it.
    """
    name = evaluation.model.rpartition("/")[2]
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in evaluation.numbers:
        parts.setdefault((row["task"], row["set"] or ""), []).append(row)
    results = [_result(evaluation, publication, *key, rows) for key, rows in parts.items()]
    defined = [each for each in results if each["metrics"]]
    head = {"tags": [BENCHMARK], "model-index": [{"name": name, "results": defined}]}
    return f"{front_matter(head)}\n{_text(evaluation)}"


def front_matter(values: Mapping[str, Any]) -> str:
    """Return the head of a Markdown file in YAML: floats read back exactly, NaN is null."""
    return f"---\n{yaml.safe_dump(json_value(values), sort_keys=False, width=math.inf)}---\n"


def _result(
    evaluation: Evaluation,
    publication: Publication,
    task: str,
    positions: str,
    rows: list[dict[str, Any]],
) -> dict[str, Any]:
    environment = evaluation.environment
    result: dict[str, Any] = {
        "task": {"type": "text-generation", "name": f"{environment.title}: {task}"},
        "dataset": {
            "type": evaluation.evaluation_name(task, positions),
            "name": f"{environment.title}, {positions or 'positions of the run'}",
            "args": {
                "positions_sha256": evaluation.positions_sha256 or None,
                "predictions_sha256": evaluation.run.scored.get("predictions_sha256"),
                "setting": evaluation.setting or None,
                **evaluation.parameters,
            },
        },
        "metrics": [_metric(row) for row in rows if row["mean"] == row["mean"]],
    }
    result["dataset"]["args"] = {
        name: value for name, value in result["dataset"]["args"].items() if value is not None
    }
    if publication.url:
        result["source"] = {"name": "World-State Workbench", "url": publication.url}
    return result


def _metric(row: Mapping[str, Any]) -> dict[str, Any]:
    metric = metric_of(row["quantity"])
    arguments = {name: row[name] for name in ("standard_error", "lower", "upper", "n", "games")}
    return {
        "type": metric.column,
        "value": row["mean"],
        "name": metric.label,
        "args": {name: value for name, value in arguments.items() if value == value},
    }


def _text(evaluation: Evaluation) -> str:
    scores = evaluation.scores
    lines = [
        f"## World states: {_shown(evaluation.environment.title)}",
        "",
        f"Measured by the World-State Workbench; {LEVEL:.0%} intervals by the variance between games.",
        "",
        "| task | set | quantity | mean | interval | replies | games |",
        "| --- | --- | --- | ---: | --- | ---: | ---: |",
    ]
    for row in evaluation.numbers:
        name = metric_of(row["quantity"]).label
        cells = (
            _shown(row["task"]),
            _shown(row["set"]),
            name,
            _number(row["mean"]),
            ""
            if math.isnan(row["lower"])
            else f"{_number(row['lower'])} to {_number(row['upper'])}",
            str(row["n"]),
            str(row["games"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    prompt = evaluation.run.asked.get("prompt")
    asked = prompt_words(prompt) if prompt else "unknown"
    facts = {
        "Model": evaluation.model,
        "Setting": evaluation.setting or "default",
        "Prompt": asked,
        "Replies": counted_replies(scores),
        "Rules": counting_words(scores),
        "Method": evaluation.parameters["method"],
        "Date": evaluation.run.date or "unknown",
    }
    lines += ["", *(f"- {name}: {_shown(value)}" for name, value in facts.items()), ""]
    return "\n".join(lines)


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4g}"


def _shown(text: str) -> str:
    """Return a text as one cell of a Markdown table, with no markup of its own."""
    plain = " ".join(str(text)[:_LONGEST].split())
    escaped = "".join(f"\\{sign}" if sign in "\\`*_{}[]|~#" else sign for sign in plain)
    return html.escape(escaped, quote=False)

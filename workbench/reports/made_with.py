"""How the runs of a report were made: question, prompt, scoring, cost, versions and files."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from workbench.drawing.labels import NO_NAME
from workbench.long_texts import cut
from workbench.reports.numbers_in_words import counted, number, prompt_words, shown_value
from workbench.reports.page_parts import paragraph, preformatted, section, table
from workbench.reports.reported_run import ReportedRun
from workbench.tables.provenance import file_hash, git_commit, package_versions

MADE_WITH: Final = "How this was made"

_USAGE: Final = {
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "reasoning_tokens": "reasoning tokens",
    "dollars": "dollars",
    "seconds": "seconds of calls",
}
_LONGEST: Final = 200


def made_with_section(runs: Sequence[ReportedRun]) -> str:
    """Return the section about how each run was made."""
    parts = [
        section(
            f"run-{place}", f"Run {cut(run.name)}" if run.name else NO_NAME, *_of_run(run), level=3
        )
        for place, run in enumerate(runs, start=1)
    ]
    versions = {**package_versions(), "commit": git_commit()}
    return section(
        "made-with",
        MADE_WITH,
        *parts,
        table("Versions that made this page", ["package", "version"], versions.items()),
    )


def _of_run(run: ReportedRun) -> list[str]:
    asked, prompt = dict(run.asked), dict(run.asked.get("prompt") or {})
    asked.pop("prompt", None)
    parts = []
    if asked:
        parts.append(table("The question", ["setting", "value"], _flat(asked)))
    else:
        parts.append(
            paragraph(
                "The tables do not say how the model was asked: they were not made by `workbench "
                "ask`, or the predictions are not available."
            )
        )
    if prompt:
        parts.append(
            paragraph(
                f"Prompt {prompt_words(prompt)}, notation {prompt.get('notation', 'unknown')}."
            )
        )
        turns = [*([prompt["system"]] if prompt.get("system") else []), *prompt.get("turns", ())]
        parts += [
            preformatted(str(turn), f"Prompt, turn {place}")
            for place, turn in enumerate(turns, start=1)
        ]
    parts.append(table("Scoring", ["parameter", "value"], _flat(_scoring(run))))
    parts.append(_usage(run.predictions))
    if run.versions:
        parts.append(table("Versions while asking", ["package", "version"], run.versions.items()))
    if run.inputs:
        files = [(path.name, file_hash(path)) for path in run.inputs]
        parts.append(table("Files read", ["file", "SHA-256"], files))
    return parts


def _scoring(run: ReportedRun) -> dict[str, Any]:
    if run.scored.get("parameters"):
        return dict(run.scored["parameters"])
    return {
        name: ", ".join(sorted(run.scores[name].astype(str).unique())) or "no rows"
        for name in ("terminal", "ill_formed_policy", "method")
    }


def _usage(predictions: pd.DataFrame | None) -> str:
    if predictions is None:
        return paragraph("Cost: unknown, because the predictions are not available.")
    rows = []
    for name, words in _USAGE.items():
        known = predictions[name].dropna()
        if len(known):
            rows.append(
                (words, number(float(known.sum())), f"{len(known):,} of {len(predictions):,}")
            )
    if not rows:
        return paragraph(f"Cost: none of {counted(len(predictions), 'row')} says it.")
    return table("Cost", ["measure", "sum", "rows that say it"], rows)


def _flat(values: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    rows = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{before}{name} ")
        else:
            rows.append((f"{before}{name}".replace("_", " "), cut(shown_value(value), _LONGEST)))
    return rows

"""The evaluations of a run for export: one model in one setting, its numbers, and their names and JSON."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.answers.imports.import_result import storable
from workbench.asking.redaction import without_secrets
from workbench.drawing.score_description import with_names
from workbench.environments.registry import AnyEnvironment
from workbench.long_texts import LONGEST, shortened
from workbench.metrics import Metric
from workbench.reports.chapters import ReportedRun
from workbench.reports.headline import COLUMNS, headline, quantities_of
from workbench.statistics.grouped import groups
from workbench.tables.parquet_tables import REPLY_KEY
from workbench.tables.provenance import json_hash


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, as `json_value` has it; floats read back exactly."""
    return json.dumps(json_value(value), indent=indent, ensure_ascii=True, allow_nan=False)


def json_value(value: Any) -> Any:
    """Return a value with Python's own types, and None for what is missing, NaN or infinite."""
    if isinstance(value, str):
        return value if value.isascii() else storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def named_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as texts, for schemas whose further details are texts alone."""
    return {
        name: value if isinstance(value, str) else json_text(value)
        for name, value in json_value(values).items()
        if value not in (None, "", {}, [])
    }


LONGEST_NAME: Final = 80
_OTHER: Final = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED: Final = frozenset(
    {"aux", "con", "data", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)  # fmt: skip
"""Devices of Windows, and the folder that Every Eval Ever keeps for itself."""


def file_name(name: str) -> str:
    """Return a name as every system takes it for a file or folder."""
    plain = _OTHER.sub("-", name[:1000])[:LONGEST_NAME].strip("-.") or "unnamed"
    return f"{plain}-" if plain.partition(".")[0].lower() in _RESERVED else plain


BENCHMARK: Final = "world-state-workbench"
"""The name of the collection that the evaluations belong to."""

LEVEL: Final = 0.95
"""Confidence level of the intervals of `workbench.reports.headline`."""

METHOD: Final = "Student's t, variance between whole games"
"""How these intervals and their standard errors are computed."""

_DIGEST: Final = re.compile("[0-9a-f]{64}")
_DIGITS: Final = 8

PREDICTIONS_READ: Final = (
    "initial_state", "movetext", "moves", "reply", "earlier_turns", "stop_reason", "input_tokens",
    "output_tokens", "reasoning_tokens", "dollars", "seconds",
)  # fmt: skip
"""Columns of the predictions with the questions and the replies."""


@dataclass(frozen=True)
class Evaluation:
    """The rows of one model in one setting of a run.

    Attributes:
        run: The run.
        model: The model's name.
        setting: The setting, empty for the default.
        scores: Its rows of `ReportedRun.scores`.
        headline: Its rows of `workbench.reports.headline.headline`.
        depths: m of the headline numbers, by task and set.
    """

    run: ReportedRun
    model: str
    setting: str
    scores: pd.DataFrame
    headline: pd.DataFrame
    depths: Mapping[tuple[str, str], int]

    @cached_property
    def environment(self) -> AnyEnvironment:
        """The environment of its rows."""
        return self.run.environment

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the inputs and results of the evaluation, in hexadecimal."""
        run = self.run
        return json_hash(json_value([run.name, run.date, run.scoring, run.question, self.numbers]))

    @property
    def numbers(self) -> list[dict[str, Any]]:
        """The lines of `headline`, by the names of its columns."""
        rows = self.headline.astype(object).itertuples(index=False, name=None)
        return [dict(zip(COLUMNS, row, strict=True)) for row in rows]

    @cached_property
    def identifier(self) -> str:
        """The identifier of the evaluation; it changes with every number."""
        return f"{BENCHMARK}/{self.environment.name}/{shortened(self.model, LONGEST)}/{self.digest[:16]}"

    @property
    def positions_sha256(self) -> str:
        """The hash of the positions that were asked about, in hexadecimal; empty if unknown."""
        digest = str(self.run.provenance.get("positions_sha256"))
        return digest if _DIGEST.fullmatch(digest) else ""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How the rows were scored: terminal rule, policy, method, and N of an estimator."""
        columns = {"terminal": "terminal", "ill_formed": "ill_formed_policy", "method": "method"}
        values = dict(self.run.scoring.get("parameters", {}))
        for name, column in columns.items():
            values[name] = ", ".join(sorted(self.scores[column].dropna().astype(str).unique()))
        # The engines give the same numbers, and exact ones depend on no draw.
        unused = {"engine"}
        if values["method"] == "exact":
            unused |= {"samples", "batches", "seed"}
        return {name: value for name, value in values.items() if name not in unused}

    def evaluation_name(self, task: str, positions: str) -> str:
        """Return the name of a task on a set of positions, such as ``chess.state.world_cup``.

        Where the set has no name, the first digits of the positions' hash stand for it.
        """
        named = positions or self.positions_sha256[:_DIGITS]
        return ".".join(part for part in (self.environment.name, task, named) if part)

    def result_id(self, task: str, positions: str, quantity: str) -> str:
        """Return the name of a headline number within the evaluation."""
        return f"{self.evaluation_name(task, positions)}/{quantity}"

    def main_quantity(self, task: str, positions: str) -> str:
        """Return the column that is the score of a single reply: p_m."""
        return quantities_of(task, self.depths[task, positions])[0]

    def rows(self) -> pd.DataFrame:
        """Return the scores with the columns of the predictions that the questions and replies need.

        Columns of predictions that are not available are null.
        """
        if self.run.predictions is None:
            return self.scores.assign(**dict.fromkeys(PREDICTIONS_READ))
        texts = with_names(self.run.predictions)[[*REPLY_KEY, *PREDICTIONS_READ]]
        return self.scores.merge(texts, on=list(REPLY_KEY), how="left", validate="one_to_one")


def evaluations_of(
    run: ReportedRun, depths: Mapping[tuple[str, str, str], int]
) -> list[Evaluation]:
    """Return the evaluations of a run, by model and setting; none of a run without rows."""
    if run.scores.empty:
        return []
    environment = run.environment.name
    of_runs = {
        (task, of_set): m for (name, task, of_set), m in depths.items() if name == environment
    }
    named = with_names(run.scores)
    numbers = pd.concat(
        headline(part, depth=of_runs[str(task), str(of_set)])
        for (task, of_set), part in named.groupby(["task", "set"], sort=True)
    )
    of_settings = {
        (row["model"], row["setting"]): part for row, part in groups(numbers, ["model", "setting"])
    }
    return [
        Evaluation(
            run, str(key["model"]), str(key["setting"]), part,
            of_settings[key["model"], key["setting"]].reset_index(drop=True), of_runs,
        )
        for key, part in groups(named, ["model", "setting"])
    ]  # fmt: skip


def public_question(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a run was asked, without keys among its options and without this machine's paths."""
    options = {
        name: without_secrets(question[name])[0]
        for name in ("model_args", "extra_body")
        if isinstance(question.get(name), Mapping)
    }
    public: dict[str, Any] = _without_folders({**question, **options})
    return public


def _without_folders(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_folders(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_folders(item) for item in value]
    if isinstance(value, str) and "\n" not in value:
        if PurePosixPath(value).is_absolute() or value.startswith("~/"):
            return PurePosixPath(value).name
        if PureWindowsPath(value).is_absolute():
            return PureWindowsPath(value).name
    return value


_COMMON: Final = {"exact_match": "accuracy", "levenshtein": "edit_distance"}
"""Metrics that all benchmarks have, by column, and the families that they belong to."""

_OF_ACTIONS: Final = {
    ("actions", "precision"): "Share of the listed actions that are permitted.",
    ("actions", "recall"): "Share of the permitted actions that are listed.",
    (
        "continuation",
        "precision",
    ): "Whether the true state accepts the first m actions of the reply.",
    ("legal_mass", "precision"): "Probability that the model names a permitted action.",
}


def identifier(metric: Metric) -> str:
    """Return a metric's name among those of all benchmarks."""
    return metric.column if metric.column in _COMMON else f"{BENCHMARK}.{metric.column}"


def kind(metric: Metric) -> str:
    """Return the family of metrics that a metric belongs to."""
    return _COMMON.get(metric.name, metric.title.replace(" ", "_"))


def description(task: str, metric: Metric) -> str:
    """Return what the mean of a metric is, in two sentences."""
    return f"Mean over replies. {_OF_ACTIONS.get((task, metric.name), metric.sentence)}"

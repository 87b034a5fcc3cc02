"""Recomputation of scores, for comparison with those in a table.

Cheap scores are recomputed in every row: the text metrics, and p and r at small depths. The full
depth is recomputed in a seeded sample of the rows, or in all of them.
"""

from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd

from workbench.automaton import engine_in_use
from workbench.checking.row_checks import Findings, class_of
from workbench.environments.registry import AnyEnvironment
from workbench.errors import InvalidArgumentError
from workbench.metrics import pair_values
from workbench.prediction import ParsedState
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import is_state, row_measures, states_of
from workbench.tasks import task_named, task_names

SAMPLE_ROWS: Final = 500
"""Default number of rows whose p and r are recomputed at full depth."""

SHALLOW: Final = 2
"""The depth to which p and r are computed again in every row: 50 to 100 microseconds per row."""

TOLERANCE: Final = 1e-9

_Row: TypeAlias = tuple[int, dict[str, Any], tuple[ParsedState, ParsedState]]
"""The place of a row in its chunk, its cells, and its true and predicted state."""


class Recomputation:
    """Recomputes the scores of a table, chunk by chunk.

    Of its rows a sample is computed again at the whole depth, or all if it is None. ``counts`` has the
    rows computed again, by what was computed.
    """

    def __init__(
        self,
        parameters: ScoringParameters,
        environment: AnyEnvironment,
        rows: int,
        sample: int | None,
        seed: int,
    ) -> None:
        if sample is not None and sample < 0:
            raise InvalidArgumentError(f"expected a sample of at least 0 rows, got {sample!r}")
        self._environment = environment
        # Engines agree on exact values, and draw other numbers for estimates.
        exact = parameters.method == "exact"
        self._parameters = replace(parameters, engine=engine_in_use()) if exact else parameters
        size = rows if sample is None else min(sample, rows)
        places = np.random.default_rng(seed).choice(rows, size, replace=False)
        self._chosen = np.zeros(rows, dtype=bool)
        self._chosen[places] = True
        self.counts: dict[str, int] = {}

    def check(self, chunk: pd.DataFrame, findings: Findings) -> None:
        """Check a chunk of scores, whose first row is ``findings.start``."""
        parameters = self._parameters
        conventions = (parameters.terminal, parameters.ill_formed, parameters.method)
        rows: list[_Row] = []
        for place, values in enumerate(chunk.to_dict("records")):
            row = {str(name): value for name, value in values.items()}
            for name in ("true_state", "predicted_state", "predicted_actions"):
                row[name] = row[name] if isinstance(row[name], str) else None
            states = states_of(self._environment, row)
            # Other faults have been named by `workbench.checking.row_checks`. The class of a state
            # must be that of its text; for actions the class decides.
            if (
                row["unscored"] == ""
                and not states[0].fault
                and row["task"] in task_names()
                and (
                    not task_named(row["task"]).gives_state
                    or class_of(self._environment, row["predicted_state"]) == row["reply_class"]
                )
                and (row["terminal"], row["ill_formed_policy"], row["method"]) == conventions
            ):
                rows.append((place, row, states))
        for each in rows:
            if task_named(each[1]["task"]).gives_state:
                self._check_text(*each, findings)
        self._count("text metrics", len(rows))
        shallow = replace(parameters, depth=min(SHALLOW, parameters.depth))
        if parameters.method == "exact":
            self._check_affordance(rows, shallow, findings)
        if parameters != shallow or parameters.method != "exact":
            deep = [each for each in rows if self._chosen[findings.start + each[0]]]
            self._check_affordance(deep, parameters, findings)

    def _check_text(
        self,
        place: int,
        row: dict[str, Any],
        states: tuple[ParsedState, ParsedState],
        findings: Findings,
    ) -> None:
        true, predicted = states
        environment = self._environment
        # A table may have been made without a metric that another package registers now.
        values = pair_values(environment, true, predicted)
        expected = {name: value for name, value in values.items() if name in row}
        # Without the actions only what follows from the state itself can be recomputed.
        diagnosis = environment.diagnosis(None, predicted, row["reply_class"])
        expected |= {name: value for name, value in diagnosis.items() if value is not None}
        for name, value in expected.items():
            if not _same(row[name], value):
                findings.add_row(
                    f"{name} does not match its FENs",
                    place,
                    f"{_named(row)}: {row[name]!r}, computed {value!r}",
                )
        parameters = self._parameters
        has_state = is_state(row["reply_class"], parameters.ill_formed)
        if (
            parameters.terminal == "absorb"
            and has_state
            and environment.same_state(true, predicted)
        ):
            for name in parameters.measures():
                expected_value = 0.0 if name.endswith("_standard_error") else 1.0
                if not _same(row[name], expected_value):
                    findings.add_row(
                        f"{name} is not {expected_value:g} though the boards are the same",
                        place,
                        f"{_named(row)}: {row[name]!r}",
                    )

    def _check_affordance(
        self, rows: list[_Row], parameters: ScoringParameters, findings: Findings
    ) -> None:
        _, cells, states = zip(*rows, strict=True) if rows else ((), (), ())
        values = row_measures(self._environment, cells, states, parameters)
        for (place, row, _), computed in zip(rows, values, strict=True):
            for name, value in zip(parameters.measures(), computed, strict=True):
                if not _same(row[name], value):
                    findings.add_row(
                        f"{name} does not match its boards",
                        place,
                        f"{_named(row)}: {row[name]!r}, computed {value!r}",
                    )
        self._count(f"p and r, m = {parameters.depth}", len(rows))

    def _count(self, what: str, rows: int) -> None:
        self.counts[what] = self.counts.get(what, 0) + rows


def _same(value: Any, expected: Any) -> bool:
    if pd.isna(value) or pd.isna(expected):
        return bool(pd.isna(value) and pd.isna(expected))
    if isinstance(expected, float):
        return bool(abs(value - expected) <= TOLERANCE)
    return bool(value == expected)


def _named(row: dict[str, Any]) -> str:
    return f"{row['position_id']}, {row['model']}, {row['sample']}"

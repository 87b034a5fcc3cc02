"""An audit: the questions of its pairs asked, and the answers compared, without a true state."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.consistency.measure import measured_pairs
from workbench.consistency.plan import Plan, plan_pairs
from workbench.errors import TableError
from workbench.scoring import ScoringParameters

Tables: TypeAlias = Mapping[Prompt | None, pd.DataFrame]
"""Tables by prompt; that of the run is None."""

Answer: TypeAlias = Callable[[Tables], Tables]
"""What answers questions: positions tables to predictions tables of the same positions."""


@dataclass(frozen=True)
class AuditResult:
    """The result of an audit.

    Attributes:
        plan: The pairs, and what is left out.
        pairs: As of `workbench.consistency.measure.measured_pairs`.
        replies: The predictions tables by prompt.
    """

    plan: Plan
    pairs: pd.DataFrame
    replies: Tables


def audit_positions(
    positions: pd.DataFrame,
    answer: Answer,
    names: Sequence[str] = (),
    parameters: ScoringParameters | None = None,
    *,
    prompt: Prompt | None = None,
    seed: int = 0,
) -> AuditResult:
    """Ask about pairs of questions, each question once, and compare the answers.

    Args:
        positions: As of `workbench.consistency.plan.plan_pairs`.
        answer: Who answers.
        names: Of relations; all if there are none.
        parameters: How to compare; by default `ScoringParameters()`.
        prompt: That of the run; None for a model that reads actions alone.
        seed: Of what is drawn, at least 0.

    Raises:
        TableError: If there is no pair, or a question is without a row in the answers.
    """
    return audit_plan(plan_pairs(positions, names, prompt=prompt, seed=seed), answer, parameters)


def audit_plan(
    plan: Plan, answer: Answer, parameters: ScoringParameters | None = None
) -> AuditResult:
    """Ask the questions of a plan, and compare the answers; see `audit_positions`."""
    if not plan.pairs:
        raise TableError(
            f"positions: expected one with a pair of {', '.join(plan.without_pair)}, got none; give "
            f"longer {plan.environment.episode_noun}s"
        )
    replies = answer(plan.tables())
    return AuditResult(plan, compared(plan, replies, parameters), replies)


def compared(
    plan: Plan, replies: Tables, parameters: ScoringParameters | None = None
) -> pd.DataFrame:
    """Return the pairs of a plan with the answers in predictions tables.

    Args:
        plan: The plan.
        replies: A row for each question.
        parameters: As of `audit_positions`.

    Raises:
        TableError: If a question is without a row.
    """
    answers: dict[tuple[Any, str], dict[Any, Any]] = {
        (prompt, row["position_id"]): row
        for prompt, table in replies.items()
        for row in table.to_dict("records")
    }
    for prompt, table in plan.tables().items():
        missing = [name for name in table["position_id"] if (prompt, name) not in answers]
        if missing:
            raise TableError(
                f"replies: expected a row for each of {len(table)} questions, missing: "
                f"{len(missing)}, such as {missing[0]!r}; a failed call is a row of class failed"
            )
    return measured_pairs(plan.environment, plan.pairs, answers, parameters)

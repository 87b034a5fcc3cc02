"""Audits: how far a model's own answers agree, with no true state; asked, computed, or from recorded replies."""

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Final, TypeAlias

import pandas as pd

from workbench.answers.model_replies import model_replies
from workbench.asking.costs import Price
from workbench.asking.resumable_run import checked_price, require_extra
from workbench.asking.settings import Operation, Question
from workbench.consistency.asked import announce, ask_stages, folder_name, plan_stages
from workbench.consistency.audit import Answer, AuditResult, Tables, audit_plan
from workbench.consistency.calibration import MODEL
from workbench.consistency.contradiction import (
    Contradiction,
    held_contradictions,
    smallest_contradictions,
)
from workbench.consistency.measure import depth_of, summarize
from workbench.consistency.plan import plan_pairs
from workbench.consistency.recorded import held_pairs
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_of
from workbench.errors import InvalidArgumentError
from workbench.explore.pair.pair_html import pair_html
from workbench.front_door.frames import Rows, predictions_of
from workbench.front_door.models import RUNS, asking, positions, positions_of
from workbench.language_model.language_model import model_names
from workbench.scoring import ScoringParameters, scoring_parameters
from workbench.tables.parquet_tables import replacing

Model: TypeAlias = str | Path | Rows | Callable[[pd.DataFrame], pd.DataFrame]

LIMIT: Final = 100
"""Positions where none are given."""

_BUNDLED: Final = "workbench/"
_SHOWN: Final = (
    "consistency", "precision", "recall", "f", "equal", "unreadable_one", "unreadable_both", "failed",
    "truth", "count", "games",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Audit:
    """The result of an audit.

    Attributes:
        environment: Of all positions.
        model: Its name; empty where a table has several.
        pairs: A row for each pair of answers; `workbench.consistency.measure.measured_pairs` lists the
            columns.
        left_out: Why a relation was not asked about, by its name.
        without_pair: Positions that have no pair, by relation.
        questions: How many questions the pairs have; 0 of recorded replies.
        announcement: What was stated before asking; empty where nothing was asked.
    """

    environment: AnyEnvironment
    model: str
    pairs: pd.DataFrame
    left_out: Mapping[str, str]
    without_pair: Mapping[str, int]
    questions: int
    announcement: str = ""
    _contradictions: Callable[[int | None], list[Contradiction]] = field(
        default=lambda limit: [], compare=False
    )

    def summary(self, by: str | Sequence[str] = ()) -> pd.DataFrame:
        """Return the mean consistency and truth in groups, with intervals of 95% by game.

        Args:
            by: Columns of `pairs` besides relation, model and setting, such as ``group``.

        Returns:
            See `workbench.consistency.measure.summarize`.
        """
        more = [by] if isinstance(by, str) else list(by)
        return summarize(self.pairs, list(dict.fromkeys(["relation", *MODEL, *more])))

    def contradictions(self, limit: int | None = 5) -> list[Contradiction]:
        """Return the smallest contradictions of the shortest pairs that contradict each other.

        A model that can be asked is asked about every prefix of these pairs; how many questions that
        makes is stated before. Of recorded replies only the recorded prefixes count. `workbench.explore`
        opens a contradiction.

        Args:
            limit: The most pairs, at least 1; None for all.
        """
        if limit is not None and limit < 1:
            raise InvalidArgumentError(f"limit: expected at least 1 or None, got {limit!r}")
        return self._contradictions(limit)

    def __repr__(self) -> str:
        """Return the summary, and what is left out, as text."""
        table = self._table().to_string(index=False, float_format="{:.3f}".format)
        return "\n".join([self._headline(), table, *self._remarks()])

    def _repr_html_(self) -> str:
        """Return the same as HTML, for a notebook."""
        table = self._table().to_html(index=False, border=0, float_format="{:.3f}".format)
        remarks = "".join(f"<p>{escape(line)}</p>" for line in self._remarks())
        return f"<p><strong>{escape(self._headline())}</strong></p>{table}{remarks}"

    def _table(self) -> pd.DataFrame:
        table = self.summary()
        several = [name for name in MODEL if table[name].nunique() > 1]
        return table[["relation", *several, *_SHOWN]]

    def _headline(self) -> str:
        depth, who = depth_of(self.pairs), f" of {self.model}" if self.model else ""
        return (
            f"Consistency{who} at m = {depth} in {self.environment.name}: {len(self.pairs)} pairs, "
            f"{self.questions or 'no'} questions"
        )

    def _remarks(self) -> list[str]:
        noun = self.environment.episode_noun
        return [
            *(f"{name} left out: {reason}" for name, reason in self.left_out.items()),
            *(f"{name}: {number} {noun}s have no pair" for name, number in self.without_pair.items()),
            "consistency is half p, half r between two answers, truth the same of both against the true "
            "state: a model can be consistent and wrong",
        ]  # fmt: skip


def audit(
    model: Model,
    rows: Rows | None = None,
    *,
    relations: str | Sequence[str] = (),
    limit: int | None = None,
    environment: str | None = None,
    depth: int = 4,
    terminal: str = "absorb",
    ill_formed: str = "as_is",
    seed: int = 0,
    budget: float | None = None,
    price: tuple[float, float] | None = None,
    out: str | Path | None = None,
    reuse: str | Path | Sequence[str | Path] = (),
    api_key: str | None = None,
    progress: bool = False,
    **options: Any,
) -> Audit:
    """Compare a model's answers with each other: by the rules, without an answer key.

    The number of questions is printed before the first is asked. Asking resumes as `ask` does: the
    same call asks what is left.

    Args:
        model: A name as for `ask`; a bundled model such as ``workbench/small`` is not asked but run
            here, unless there is an ``out``. Or replies that were recorded, as `score` takes them:
            nothing is asked then. Or a function from positions to their predictions, such as
            ``workbench.answers.model_replies.simulate``.
        rows: Positions as for `ask`; by default `LIMIT` as of `positions`.
        relations: Names, such as ``next_action``; all that the environment and the model can have if
            there are none.
        limit: Positions at most.
        environment: By default that of the positions, or chess.
        depth: m.
        terminal: ``absorb`` or ``drop``.
        ill_formed: ``as_is`` or ``sink``.
        seed: Of the choice of positions, and of what relations draw.
        budget: Dollars that all questions may cost, as for `ask`.
        price: As for `ask`.
        out: Folder of the runs, one for each prompt; by default one in ``runs``.
        reuse: Run folders of `ask` with the same question, whose answers are not asked for again.
        api_key: As for `ask`.
        progress: Whether to show progress bars on standard error.
        **options: As for `ask`.

    Returns:
        ``pairs``, ``summary()``, ``contradictions()``, and what is left out and why.

    Raises:
        WorkbenchError: As of `ask`; if there is no pair, or no such relation.

    Example:
        >>> import workbench as wb
        >>> done = wb.audit("workbench/tiny", limit=5, relations="next_action")
        >>> done.questions, done.pairs["relation"].unique().tolist()
        (10, ['next_action'])
    """
    names = [relations] if isinstance(relations, str) else list(relations)
    parameters = scoring_parameters(depth, {"terminal": terminal, "ill_formed": ill_formed})
    if not callable(model) and (not isinstance(model, str) or Path(model).exists()):
        if rows is not None:
            raise InvalidArgumentError(
                "rows: expected none beside recorded replies, which have their positions, got "
                f"{type(rows).__name__}; give a model's name to ask about them"
            )
        return recorded_audit(predictions_of(model, environment), names, parameters)
    named = model if isinstance(model, str) else ""
    if rows is None:
        table = positions(limit or LIMIT, environment or DEFAULT, seed=seed, model=named)
    else:
        table = positions_of(rows, environment)[:limit]
    is_bundled = named.removeprefix(_BUNDLED) in model_names() and named.startswith(_BUNDLED)
    if callable(model) or (is_bundled and out is None and not options):
        answer = _computed(model if callable(model) else partial(_bundled, named))
        plan = plan_pairs(table, names, seed=seed)
        return _audit(audit_plan(plan, answer, parameters), answer, parameters, named)
    require_extra()
    question, operation = asking(named, environment_of(table).name, budget, options)
    return asked_audit(
        table, names, parameters, question, operation, None if out is None else Path(out),
        seed=seed, reuse=_paths(reuse), price=None if price is None else Price(*price),
        api_key=api_key, progress=progress,
    )  # fmt: skip


def _print(line: str) -> None:
    print(line, file=sys.stderr)


def asked_audit(
    positions: pd.DataFrame,
    names: Sequence[str],
    parameters: ScoringParameters,
    question: Question,
    operation: Operation,
    out: Path | None,
    *,
    seed: int = 0,
    reuse: Sequence[Path] = (),
    price: Price | None = None,
    say: Callable[[str], object] = _print,
    **arguments: Any,
) -> Audit:
    """Audit a model that is asked through Inspect, as `audit` and the command do.

    Args:
        positions: Rows of the POSITIONS schema.
        names: Of relations; all if there are none.
        parameters: How to compare.
        question: What to ask.
        operation: How.
        out: Folder; None for one in `RUNS`.
        seed: Of what relations draw.
        reuse: Run folders whose answers count.
        price: Of the model.
        say: Called with the folder, and the number of questions before they are asked.
        **arguments: Of `workbench.consistency.asked.ask_stages`.
    """
    if question.samples_per_position != 1:
        raise InvalidArgumentError(
            f"samples_per_position: expected 1 in an audit, got {question.samples_per_position}; the "
            "relation repeat asks the same question once more"
        )
    paid = checked_price(question, operation, price)
    # What the workbench's own models read of a question are its actions.
    reads = not question.model.startswith(_BUNDLED)
    plan = plan_pairs(positions, names, prompt=question.full_prompt if reads else None, seed=seed)
    folder = out or RUNS / folder_name(question.model, question, seed, plan.tables())
    said: list[str] = []

    def answer(tables: Tables) -> Tables:
        stages = plan_stages(tables, question, folder, reuse)
        said.append(announce(stages))
        say(f"workbench.audit: {said[-1]}")
        return ask_stages(stages, operation, price=paid, note=_warn, **arguments)

    say(f"workbench.audit: answers are in {folder}")
    result = audit_plan(plan, answer, parameters)
    return _audit(result, answer, parameters, question.model, said[0])


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=2)


def _paths(reuse: str | Path | Sequence[str | Path]) -> list[Path]:
    return [Path(reuse)] if isinstance(reuse, str | Path) else list(map(Path, reuse))


def _bundled(name: str, table: pd.DataFrame) -> pd.DataFrame:
    return model_replies(table, name.removeprefix(_BUNDLED), jobs=None)


def _computed(model: Callable[[pd.DataFrame], pd.DataFrame]) -> Answer:
    def answer(tables: Tables) -> Tables:
        return {prompt: model(table) for prompt, table in tables.items()}

    return answer


def _audit(
    result: AuditResult,
    answer: Answer,
    parameters: ScoringParameters,
    model: str,
    announcement: str = "",
) -> Audit:
    plan = result.plan

    def contradictions(limit: int | None) -> list[Contradiction]:
        return smallest_contradictions(
            plan, result.pairs, answer, parameters, limit=limit, model=model
        )

    pairs = result.pairs.copy()
    for place, (column, name) in enumerate(zip(MODEL, (model, ""), strict=True)):
        pairs.insert(place, column, name)
    return Audit(
        plan.environment, model, pairs, plan.left_out, plan.without_pair, plan.questions,
        announcement, contradictions,
    )  # fmt: skip


def recorded_audit(
    replies: pd.DataFrame, names: Sequence[str], parameters: ScoringParameters
) -> Audit:
    """Audit recorded replies: each model by the pairs that they hold; nothing is asked."""
    held = held_pairs(replies, names)
    tables = [each.measured(parameters) for each in held]

    def contradictions(limit: int | None) -> list[Contradiction]:
        every = [
            one
            for each, table in zip(held, tables, strict=True)
            for one in held_contradictions(each, table, parameters)
        ]
        return sorted(every, key=lambda one: (one.ply, one.position_id))[:limit]

    models = {each.model[0] for each in held}
    return Audit(
        held[0].environment, models.pop() if len(models) == 1 else "",
        pd.concat(tables, ignore_index=True), {}, {}, 0, "", contradictions,
    )  # fmt: skip


def write_contradictions(found: Sequence[Contradiction], out: Path) -> list[str]:
    """Write contradictions of chess as pages that need no Python, and return each in lines of text.

    Args:
        found: The contradictions.
        out: Folder of the pages.
    """
    lines = []
    for number, each in enumerate(found, start=1):
        lines += [str(each), f"first   {each.first}", f"second  {each.second}"]
        if each.environment.name == DEFAULT:
            path = out / f"contradiction_{number}.html"
            with replacing(path) as beside:
                text = pair_html(each.first, each.second, each.caption)
                beside.write_text(text, encoding="utf-8")
            lines.append(f"written to {path}")
    return lines

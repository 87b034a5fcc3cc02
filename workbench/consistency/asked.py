"""The questions of an audit asked of a model: one resumable run for each prompt, announced before.

A run is that of `workbench.asking.resumable_run`, with its journal, budget and resumption. An answer
that another run in the same folder, or a named one, already has to the same question is not asked for.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pandas as pd

from workbench.asking.costs import CostEstimate, Price
from workbench.asking.journal import journal_record
from workbench.asking.prompts import Prompt
from workbench.asking.resumable_run import ask
from workbench.asking.run_folder import RunFolder
from workbench.asking.settings import Operation, Question
from workbench.consistency.audit import Tables
from workbench.consistency.plan import AGAIN, question_id
from workbench.consistency.relation import PairQuestion
from workbench.environment import AnyEnvironment
from workbench.errors import AskingStoppedError, InvalidArgumentError, RunMismatchError
from workbench.prediction import ReplyClass
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table
from workbench.tables.provenance import text_hash

_DIGITS: Final = 8


@dataclass(frozen=True)
class Stage:
    """The questions of one prompt.

    Attributes:
        prompt: As in the plan; None for that of the run.
        question: What is asked, with the prompt.
        folder: Of its run.
        positions: All questions.
        known: Rows of a predictions table: answers of other runs to some of them.
        rest: The questions that the folder's run asks.
        answered: How many of the rest its journal already answers.
    """

    prompt: Prompt | None
    question: Question
    folder: Path
    positions: pd.DataFrame
    known: pd.DataFrame
    rest: pd.DataFrame
    answered: int


def plan_stages(
    tables: Tables, question: Question, out: Path, others: Iterable[Path] = ()
) -> list[Stage]:
    """Return what is to be asked into a folder; nothing is asked or written.

    Args:
        tables: The questions of each prompt, as of `workbench.consistency.plan.Plan.tables`.
        question: What the run asks.
        out: Folder of the runs, one for each prompt.
        others: Run folders whose answers count, where they ask the same.

    Raises:
        RunMismatchError: If one of ``others`` is no run, or of another question.
    """
    if question.full_prompt.dialogue:
        raise InvalidArgumentError(
            f"prompt: expected one that asks about each position by itself, got {question.full_prompt.name!r}, whose "
            "replies depend on each other; choose another"
        )
    named = list(others)
    for path in named:
        if RunFolder(path).description().get("question_sha256") != question.sha256:
            raise RunMismatchError(
                f"{path}: expected a run folder with the same question to {question.model}, with the "
                "same prompt and options, got another or none; leave it out, and its questions are "
                "asked again"
            )
    stages = []
    for prompt, positions in tables.items():
        own = question if prompt is None else replace(question, prompt=prompt)
        name = text_hash(own.sha256 + " ".join(positions["position_id"]))[:_DIGITS]
        folder = out / f"{own.full_prompt.name}-{name}"
        if RunFolder(folder).description():
            # What was known when it began is left out of it for good.
            own_ids = read_table(RunFolder(folder).positions, POSITIONS)["position_id"]
            is_known = ~positions["position_id"].isin(own_ids)
        else:
            is_known = pd.Series(True, positions.index)
        siblings = sorted(path.parent for path in out.glob("*/run.json") if path.parent != folder)
        known = _known(own, positions[is_known], [*named, *siblings])
        rest = positions[~positions["position_id"].isin(known["position_id"])]
        answered = 0
        if RunFolder(folder).description():
            last = len(own.full_prompt.turns) - 1
            answered = len(journal_record(folder).answered(last))
        stages.append(Stage(prompt, own, folder, positions, known, rest, answered))
    return stages


def _known(question: Question, positions: pd.DataFrame, folders: Sequence[Path]) -> pd.DataFrame:
    """Return the answers of runs with the same question, as rows of these positions."""
    environment = question.asked_environment
    rows = positions.set_index("position_id", drop=False)
    known: dict[str, dict[Any, Any]] = {}
    for path in folders:
        folder = RunFolder(path)
        is_same = folder.description().get("question_sha256") == question.sha256
        if not rows.shape[0] or not is_same or not folder.predictions.exists():
            continue
        replies: list[dict[Any, Any]] = read_table(folder.predictions, PREDICTIONS).to_dict(
            "records"
        )
        for reply in replies:
            name = _question_of(environment, reply)
            if name in rows.index and reply["reply_class"] != ReplyClass.FAILED:
                known.setdefault(name, {**reply, **rows.loc[name].to_dict()})
    return pd.DataFrame(list(known.values()), columns=PREDICTIONS.names)


def _question_of(environment: AnyEnvironment, reply: dict[Any, Any]) -> str:
    """Return the name of the question that a row of any run answers."""
    moves, initial = reply["moves"], reply["initial_state"]
    if not isinstance(moves, str):
        return ""
    start = initial if isinstance(initial, str) else ""
    # The second sample of a position, and a repetition of an audit, are the same question again.
    repetition = int(reply["sample"]) + reply["position_id"].endswith(AGAIN)
    actions = tuple(environment.split_moves(moves))
    return question_id(environment, PairQuestion(start, actions, repetition=min(repetition, 1)))


def announce(stages: Sequence[Stage]) -> str:
    """Return how many questions there are, and how many of them are to be asked, in one line."""
    questions = sum(len(stage.positions) for stage in stages)
    known = sum(len(stage.known) for stage in stages)
    answered = sum(stage.answered for stage in stages)
    prompts = f"{len(stages)} prompts" if len(stages) > 1 else "one prompt"
    return (
        f"{questions} questions in {prompts}: {known} answered by other runs, {answered} before, "
        f"{questions - known - answered} to ask"
    )


def ask_stages(
    stages: Sequence[Stage],
    operation: Operation | None = None,
    *,
    price: Price | None = None,
    api_key: str | None = None,
    confirm: Callable[[CostEstimate], bool] | None = None,
    progress: bool = False,
    note: Callable[[str], object] = lambda line: None,
) -> Tables:
    """Ask what is left of each stage, and return all answers; a repeated call resumes.

    Args:
        stages: As of `plan_stages`.
        operation: How; its budget is that of all stages together.
        price: As of `workbench.asking.resumable_run.ask`, as are the others.
        api_key: The provider's key.
        confirm: Shown the estimate of each stage.
        progress: Whether to show progress bars.
        note: Called with each note for the user.

    Raises:
        AskingStoppedError: If asking stopped before the end, or the budget is spent.
    """
    operation = operation or Operation()
    spent, replies = 0.0, {}
    for stage in stages:
        tables = [stage.known]
        if len(stage.rest):
            own = operation
            if operation.budget is not None:
                left = operation.budget - spent
                if left <= 0:
                    raise AskingStoppedError(
                        f"asking stopped: the budget of {operation.budget:g} dollars is spent, before "
                        f"{len(stage.rest)} questions of prompt {stage.question.full_prompt.name!r}; "
                        "repeat the audit with a larger one",
                        [],
                    )
                own = replace(operation, budget=left)
            with TemporaryDirectory() as place:
                source = Path(place) / "positions.parquet"
                write_table(stage.rest, source, POSITIONS, {"stage": "positions"})
                run = ask(
                    source, stage.folder, stage.question, own, price=price, api_key=api_key,
                    confirm=confirm, progress=progress,
                )  # fmt: skip
            spent += run.dollars or 0.0
            for line in run.notes:
                note(line)
            tables.append(run.predictions)
        filled = [table for table in tables if len(table)]
        replies[stage.prompt] = pd.concat(filled, ignore_index=True)
    return replies


def folder_name(model: str, question: Question, seed: int, tables: Tables) -> str:
    """Return the name of the folder of an audit that is given none: by model, question and positions."""
    ids = (name for table in tables.values() for name in table["position_id"])
    plain = "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in model)
    digits = text_hash(" ".join([question.sha256, str(seed), *ids]))[:_DIGITS]
    return f"audit-{plain}-{digits}"

"""Models asked and evaluated, and the bundled positions and replies as frames."""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from workbench.answers.recorded_replies import WORLD_CUP
from workbench.answers.recorded_replies import recorded_replies as read_recorded_replies
from workbench.asking.costs import Price
from workbench.asking.questions import PositionChoice
from workbench.asking.resumable_run import ask as ask_questions
from workbench.asking.resumable_run import checked_price, require_extra
from workbench.asking.settings import Operation, Question
from workbench.environments.registry import DEFAULT, environment_named, environment_of
from workbench.errors import InvalidArgumentError
from workbench.front_door.frames import Rows, predictions_of
from workbench.scoring import scoring_parameters
from workbench.tables.parquet_tables import POSITIONS, as_arrow, write_table
from workbench.tables.provenance import text_hash

if TYPE_CHECKING:
    from workbench.checkpoint_series import SeriesResult
    from workbench.evaluation import EvaluationResult

RUNS: Final = Path("runs")
"""The folder, in the working folder, of runs whose folder is not named."""

_QUESTION: Final = frozenset(each.name for each in fields(Question)) - {"model", "environment"}
_OPERATION: Final = frozenset(each.name for each in fields(Operation))


def ask(
    rows: Rows,
    model: str,
    *,
    budget: float | None = None,
    price: tuple[float, float] | None = None,
    out: str | Path | None = None,
    environment: str | None = None,
    api_key: str | None = None,
    progress: bool = False,
    **options: Any,
) -> pd.DataFrame:
    """Ask a model about positions, and return its replies; a repeated call resumes where it stopped.

    Every answer is on disk before the next question is asked: in ``out``, with its journal.

    Args:
        rows: Positions as `positions` returns, or any table with the moves played, in UCI or PGN.
        model: Name in Inspect's form, such as ``openai/gpt-4o``; or ``workbench/small``, which is
            bundled and free.
        budget: Dollars that the whole run may cost at most; needs a ``price``.
        price: Dollars per million tokens of input and of output; you supply it.
        out: The run folder; by default one in `RUNS` that is named after the model and the question,
            so that the same call finds it again.
        environment: Of the positions; by default that of the column ``environment``, or chess.
        api_key: The provider's key, if it is not in its environment variable.
        progress: Whether to show a progress bar on standard error.
        **options: Of `workbench.asking.settings.Question` and `Operation`: ``prompt``, ``task``,
            ``samples_per_position``, ``temperature``, ``reasoning_effort``, ``limit``,
            ``connections``, ``base_url``, ...

    Returns:
        A row for each question, as `score` takes them; a failed call is a row of the class ``failed``.
        ``attrs["run"]`` is the folder.

    Raises:
        MissingExtraError: If Inspect is not installed; the message says what to install.
        InvalidArgumentError: If a value is out of range, or there is a budget and no price.
        AskingStoppedError: If asking stopped before the end; all answers are in the folder.

    Example:
        >>> import workbench as wb
        >>> replies = wb.ask(wb.positions(2), "workbench/tiny", budget=5)  # doctest: +SKIP
    """
    require_extra()
    table = positions_of(rows, environment)
    question, operation = asking(model, environment_of(table).name, budget, options)
    paid = checked_price(question, operation, None if price is None else Price(*price))
    content = str(as_arrow(table, POSITIONS).to_pylist())
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", question.model)
    own_folder = RUNS / f"{name}-{text_hash(question.sha256 + content)[:8]}"
    folder = own_folder if out is None else Path(out)
    if out is None:
        print(f"workbench.ask: answers are in {folder}", file=sys.stderr)
    with TemporaryDirectory() as place:
        source = Path(place) / "positions.parquet"
        write_table(table, source, POSITIONS, {"stage": "positions"})
        run = ask_questions(
            source, folder, question, operation, price=paid, api_key=api_key, progress=progress
        )
    for note in run.notes:
        warnings.warn(note, stacklevel=2)
    replies = run.predictions
    replies.attrs["run"] = str(folder)
    return replies


def evaluate(
    model: str | Sequence[str],
    out: str | Path,
    *,
    positions: Rows | None = None,
    limit: int | None = None,
    environment: str | None = None,
    month: str | None = None,
    seed: int = 0,
    depth: int = 4,
    terminal: str = "absorb",
    ill_formed: str = "as_is",
    budget: float | None = None,
    price: tuple[float, float] | None = None,
    api_key: str | None = None,
    jobs: int | None = None,
    progress: bool = False,
    **options: Any,
) -> "EvaluationResult | SeriesResult":
    """Ask a model, score its replies, and draw and report them, as the command ``workbench evaluate``.

    Args:
        model: As for `ask`; or checkpoints of a training, which are evaluated at the same positions: a
            pattern such as ``workbench/small@*`` or ``hf/RUN/step*``, where RUN is a folder, or a list.
        out: The folder; one of an earlier call with the same arguments is resumed.
        positions: As for `ask`; by default bundled games that no bundled model was trained on, and
            random episodes in other environments.
        limit: Positions at most, spread evenly over the groups.
        environment: By default that of the positions, or chess.
        month: A month of the Lichess database such as ``2017-04``, instead of positions.
        seed: Of the choice of positions.
        depth: m.
        terminal: ``absorb`` or ``drop``.
        ill_formed: ``as_is`` or ``sink``.
        budget: As for `ask`; of the whole series where there are several checkpoints.
        price: As for `ask`.
        api_key: As for `ask`.
        jobs: Workers; by default one for each core.
        progress: Whether to show progress bars on standard error.
        **options: As for `ask`.

    Returns:
        ``asked``, ``scores`` (the path of the table: `summary` and `plot` take it), ``headline``,
        ``figures`` and ``page`` (the report). Of several checkpoints, a `SeriesResult`: ``table``,
        ``headline``, ``rises``, ``answers`` and ``figures``; each has a folder of its own in ``out``.

    Raises:
        WorkbenchError: As of `workbench.evaluation.evaluate` and
            `workbench.checkpoint_series.evaluate_series`.

    Example:
        >>> import workbench as wb
        >>> done = wb.evaluate("workbench/small", out="run", limit=20)  # doctest: +SKIP
        >>> series = wb.evaluate("workbench/small@*", out="series", limit=20)  # doctest: +SKIP
    """
    require_extra()
    from workbench.checkpoint_series import checkpoints_of, evaluate_series, is_pattern
    from workbench.evaluation import evaluate as evaluate_model

    checkpoints = []
    if not isinstance(model, str) or is_pattern(model):
        checkpoints = checkpoints_of(model)
        model = checkpoints[0].model

    rows = None if positions is None else positions_of(positions, environment)
    if rows is not None:
        environment = environment_of(rows).name
    environment = environment_named(environment or DEFAULT).name
    question, operation = asking(model, environment, budget, options, depth=depth)
    with TemporaryDirectory() as place:
        table = None
        if rows is not None:
            table = Path(place) / "positions.parquet"
            write_table(rows, table, POSITIONS, {"stage": "positions"})
        arguments = (
            PositionChoice(environment, table, month, limit, seed, model=model), question, operation,
            scoring_parameters(depth, {"terminal": terminal, "ill_formed": ill_formed}),
        )  # fmt: skip
        how: dict[str, Any] = {
            "price": None if price is None else Price(*price), "api_key": api_key,
            "jobs": jobs or os.cpu_count() or 1, "progress": progress,
        }  # fmt: skip
        if checkpoints:
            return evaluate_series(Path(out), checkpoints, *arguments, **how)
        return evaluate_model(Path(out), *arguments, **how)


def legal_mass(
    rows: Rows, model: str = "", *, by: str = "position", **options: Any
) -> pd.DataFrame:
    """Measure the probability that a model gives to legal next actions.

    Args:
        rows: Replies to the task ``legal_mass``, as `ask` returns, or their run folder; with a
            ``model``, positions to ask it about.
        model: As for `ask`; empty if ``rows`` are replies.
        by: ``position``; ``length``, for means with intervals; or ``rule``, for the rules that break
            the actions which are not permitted.
        **options: As for `ask`.

    Returns:
        The rows of `workbench.studies.language_models.legal_masses`: its ``by_position``, ``by_length``
        or ``by_rule``.

    Raises:
        InvalidArgumentError: If there is no reply to the task, or no such choice.

    Example:
        >>> import workbench as wb
        >>> wb.legal_mass(wb.positions(5), "workbench/player")  # doctest: +SKIP
    """
    from workbench.studies.language_models import legal_masses

    if by not in ("position", "length", "rule"):
        raise InvalidArgumentError(f"by: expected position, length or rule, got {by!r:.80}")
    source = ask(rows, model, task="legal_mass", **options) if model else rows
    if isinstance(source, str | Path) and Path(source).is_dir():
        # A run folder may hold scores as well, which have no moves.
        source = Path(source) / "predictions.parquet"
    replies = predictions_of(source, task="legal_mass")
    if by == "rule":
        return legal_masses.by_rule(replies)
    table = legal_masses.by_position(replies)
    return legal_masses.by_length(table) if by == "length" else table


def positions(
    limit: int | None = None,
    environment: str = DEFAULT,
    *,
    month: str | None = None,
    seed: int = 0,
    model: str = "",
) -> pd.DataFrame:
    """Return positions to ask a model about, each with its moves and true state.

    Args:
        limit: How many, spread evenly over the groups of lengths; None for 100 of each group.
        environment: Its name. In chess they are cut from bundled games that tiny, small and medium
            were not trained on; elsewhere they end random episodes.
        month: A month of the Lichess database such as ``2017-04``, which is read over the network.
        seed: Seed of the choice, at least 0.
        model: The model to be asked, where it is ``workbench/player``: games that it was not trained
            on are others.

    Returns:
        Rows of a positions table, see data/README.md.

    Example:
        >>> import workbench as wb
        >>> wb.positions(5)["group"].tolist()
        [5, 16, 27, 38, 50]
    """
    name = environment_named(environment).name
    table, _ = PositionChoice(name, None, month, limit, seed, model=model).choose()
    return table.reindex(columns=POSITIONS.names)


def recorded_replies(
    sets: str | tuple[str, ...] = WORLD_CUP,
    models: str | tuple[str, ...] = (),
    settings: str | tuple[str, ...] = "",
    environment: str = DEFAULT,
    task: str = "state",
) -> pd.DataFrame:
    """Return the bundled replies of real models: boards that 17 models wrote for World Cup games.

    Args:
        sets: ``world_cup`` or ``random_games``, or both; both if empty. Or ``smollm2``: replies of a
            small general language model in every environment and task.
        models: Names of models; all if there are none.
        settings: Settings such as ``thinking=1024`` or ``prompt=few-shot``, the empty text for the
            default; all if there are none.
        environment: Of ``smollm2``; the others are of chess.
        task: Of ``smollm2``; the others are of ``state``.

    Returns:
        Rows of a predictions table, as `score` takes them; data/REPLIES.md describes them.

    Raises:
        InvalidArgumentError: If there is no such set, model or setting; the message names all.

    Example:
        >>> import workbench as wb
        >>> len(wb.recorded_replies(models="o3-2025-04-16"))
        1000
    """
    every_set, every_model, every_setting = (
        [each] if isinstance(each, str) else list(each) for each in (sets, models, settings)
    )
    return read_recorded_replies(every_set, every_model, every_setting, environment, task)


def positions_of(rows: Rows, environment: str | None) -> pd.DataFrame:
    """Return any table with the moves played as rows of a positions table, each position once."""
    table = predictions_of(rows, environment, answered=False).reindex(columns=POSITIONS.names)
    table = table.drop_duplicates("position_id", ignore_index=True)
    without = table[table["moves"].isna()]
    if len(without):
        raise InvalidArgumentError(
            "expected the moves of each position, which the model is to follow, in a column moves or "
            f"pgn; got none in {len(without)} of {len(table)} rows, the first with the true state "
            f"{without['true_state'].iloc[0]!r:.100}"
        )
    return table


def asking(
    model: str,
    environment: str,
    budget: float | None,
    options: dict[str, Any],
    depth: int | None = None,
) -> tuple[Question, Operation]:
    """Return question and operation from the options of `ask`; others are refused by name."""
    if unknown := sorted(options.keys() - _QUESTION - _OPERATION):
        raise InvalidArgumentError(
            f"expected options of {sorted(_QUESTION | _OPERATION)}, got {unknown}"
        )
    of_question = {name: value for name, value in options.items() if name in _QUESTION}
    if depth is not None and of_question.get("task") == "continuation":
        of_question["depth"] = depth
    rest = {name: value for name, value in options.items() if name in _OPERATION}
    return Question(model, environment=environment, **of_question), Operation(budget=budget, **rest)

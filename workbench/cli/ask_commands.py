"""Commands that ask a model, and that go from a model's name to a report."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from workbench.cli.command_options import (
    COUNT,
    NATURAL,
    comparison_options,
    environment_option,
    jobs_option,
    named_value,
    options,
    out_option,
    task_option,
    task_options,
)
from workbench.cli.figure_commands import GOES_ON, repeatable
from workbench.cli.group import PATH, main
from workbench.errors import AskingStoppedError, InvalidArgumentError

if TYPE_CHECKING:
    from workbench.asking.costs import CostEstimate, Price
    from workbench.asking.resumable_run import AskingResult
    from workbench.asking.settings import Operation, Question


STOPPED: Final = 3
"""The exit code if asking stopped before every question was tried."""

FAILED: Final = 4
"""The exit code if every question was tried and some failed."""

_QUESTION: Final = (
    "model", "samples_per_position", "temperature", "max_tokens", "model_args", "top_p", "seed",
    "reasoning_effort", "reasoning_tokens", "system_prompt", "extra_body",
)  # fmt: skip
_OPERATION: Final = (
    "base_url", "budget", "batch", "connections", "retries", "retry_failed", "max_failures",
    "attempt_timeout",
)  # fmt: skip
_OTHERS: Final = ("prompt", "prompt_file", "price", "prices", "api_key", "yes")


def _arguments(context: click.Context, option: click.Parameter, texts: Any) -> dict[str, Any]:
    try:
        return dict(map(named_value, texts))
    except InvalidArgumentError as error:
        raise click.BadParameter(str(error), context, option) from error


def _model_option(*, required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--model",
        required=required,
        help="Model in Inspect's form, such as openai/gpt-4o; workbench/small, a bundled language model, and "
        "workbench/simulated are free.",
    )


_OPTIONS: Final = options(
    click.option("--prompt", help="See `workbench prompts`.  [default: the first that it lists]"),
    click.option(
        "--prompt-file", type=PATH, help="A custom prompt; data/README.md describes the format."
    ),
    click.option("--system-prompt", help="System prompt, sent before every question."),
    click.option("--samples-per-position", default=1, type=COUNT),
    click.option("--temperature", type=click.FloatRange(0), help="By default the provider's."),
    click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), help="Nucleus sampling."),
    click.option("--seed", type=NATURAL, help="Sample k of a position uses seed + k."),
    click.option(
        "--reasoning-effort",
        type=click.Choice(["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
        help="Most models support only some of these.",
    ),
    click.option("--reasoning-tokens", type=NATURAL, help="Maximum number of reasoning tokens."),
    click.option(
        "--max-tokens", type=COUNT, help="Maximum tokens of a reply; --budget reserves as many."
    ),
    click.option(
        "--budget",
        type=click.FloatRange(0, min_open=True),
        help="Limit of the folder's total cost, in dollars. A call begins only if its maximum cost is "
        "left. Without --max-tokens, a reply is assumed to have 8,192 tokens, less with every known "
        "reply, and twice the longest from 10 replies on. A call of unknown cost (no or absurd "
        "token counts, timeout, kill) counts at its maximum.",
    ),
    click.option(
        "--price",
        nargs=2,
        type=click.FloatRange(0),
        help="Dollars per million tokens: input output.",
    ),
    click.option(
        "--prices", type=PATH, help="JSON table of input, output and cache prices by model."
    ),
    click.option(
        "--batch", is_flag=True, help="Use the provider's batch interface: cheaper, slower."
    ),
    click.option("--base-url", help="URL of a compatible server, without credentials."),
    click.option("--api-key", help="API key; prefer the provider's environment variable."),
    click.option(
        "-M",
        "--model-arg",
        "model_args",
        multiple=True,
        callback=_arguments,
        help="NAME=VALUE for Inspect's model; secrets and headers are redacted in files.",
    ),
    click.option(
        "--extra-body",
        multiple=True,
        callback=_arguments,
        help="NAME=VALUE for the body of requests to an OpenAI-compatible server.",
    ),
    click.option("--connections", type=COUNT, help="Number of concurrent calls."),
    click.option(
        "--retries",
        default=6,
        type=NATURAL,
        help="Send a turn of a question at most this many times again. Refusals (HTTP 400, 403 and "
        "similar) are not repeated.",
    ),
    click.option(
        "--retry-failed",
        is_flag=True,
        help="Also repeat questions that the server refused (HTTP 400 to 499).",
    ),
    click.option(
        "--max-failures",
        default=20,
        type=COUNT,
        help="Stop after this many failed questions without an answer between them.",
    ),
    click.option(
        "--attempt-timeout",
        default=600,
        type=COUNT,
        help="Seconds after which a request counts as failed.",
    ),
    click.option(
        "--yes", is_flag=True, help="Do not ask for confirmation; what costs nothing needs none."
    ),
)


class Asking:
    """How a model is asked, as given by the user: the values of the options by their names."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def question(
        self, environment: str, task: str, depth: int | None, model: str | None = None
    ) -> "Question":
        """Return the question about the episodes of an environment; the model is by default that of --model."""
        from workbench.asking.prompts import read_prompt
        from workbench.asking.settings import Question

        prompt, path = self.values["prompt"], self.values["prompt_file"]
        if prompt and path:
            raise click.UsageError("expected --prompt or --prompt-file, got both")
        named = {} if model is None else {"model": model}
        return Question(
            **{name: self.values[name] for name in _QUESTION} | named,
            prompt=read_prompt(path) if path else prompt,
            environment=environment,
            task=task,
            depth=depth,
        )

    def operation(self, limit: int | None = None) -> "Operation":
        """Return the mode of operation, for a pilot of so many positions if there is a limit."""
        from workbench.asking.settings import Operation

        return Operation(**{name: self.values[name] for name in _OPERATION}, limit=limit)

    def arguments(self, model: str | None = None) -> dict[str, Any]:
        """Return what asking takes besides question and operation; the model is as of `question`."""
        return {
            "price": self._price(model or self.values["model"]),
            "api_key": self.values["api_key"],
            "confirm": self._confirm,
            "progress": True,
        }

    def _price(self, model: str) -> "Price | None":
        from workbench.asking.costs import Price, read_price

        if self.values["price"]:
            return Price(*self.values["price"])
        table = self.values["prices"]
        return read_price(table, model) if table else None

    def _confirm(self, estimate: "CostEstimate") -> bool:
        """Show the estimate, and return whether it is accepted; what costs nothing is."""
        click.echo(estimate.describe())
        return self.values["yes"] or estimate.dollars == 0 or click.confirm("Ask?")


def asking_options(command: Callable[..., Any], *, needs_model: bool = True) -> Callable[..., Any]:
    """Add the options of asking, which the command receives as one argument ``asking``."""

    @wraps(command)
    def run(**values: Any) -> None:
        asking = Asking({name: values.pop(name) for name in (*_QUESTION, *_OPERATION, *_OTHERS)})
        command(asking=asking, **values)

    return _model_option(required=needs_model)(_OPTIONS(run))


@contextmanager
def _exit_if_stopped(hint: str) -> Iterator[None]:
    try:
        yield
    except AskingStoppedError as error:
        _describe_notes(error.notes)
        click.echo(f"Error: {error}", err=True)
        raise click.exceptions.Exit(STOPPED) from error
    except KeyboardInterrupt:
        click.echo(f"Error: interrupted; {hint}", err=True)
        raise click.exceptions.Exit(STOPPED) from None


def _describe_answers(run: "AskingResult") -> None:
    """Print the classes of the answers, the reasons of failures, notes and the cost."""
    for name, number in run.predictions["reply_class"].value_counts().items():
        click.echo(f"{number} {name}")
    for reason, number in run.failed.most_common():
        click.echo(f"{number} failed: {reason}")
    _describe_notes(run.notes)
    if run.dollars is not None:
        click.echo(f"{run.dollars:.4f} dollars")


def _exit_for_failures(run: "AskingResult") -> None:
    """End the command with a message and the exit code `FAILED` if a question failed."""
    if run.failed:
        click.echo(
            f"Error: {run.describe()}; the same command repeats the failed questions, with "
            "--retry-failed also those that the server refused",
            err=True,
        )
        raise click.exceptions.Exit(FAILED)


def _describe_notes(notes: list[str]) -> None:
    for note in notes:
        click.echo(f"Warning: {note}", err=True)


@main.command()
@click.argument("positions", required=False, type=PATH)
@environment_option(
    "Environment of the positions. Without POSITIONS, random episodes of it are asked about: "
    "100 of each of the lengths 5, 10 and 20, seed 0."
)
@task_options
@out_option(None, "Folder of the run; an existing run resumes.")
@click.option(
    "--limit",
    type=COUNT,
    help="A pilot: ask about this many positions, equally many of each group, and forecast the total "
    "cost. The same command without it continues with the rest.",
)
@asking_options
def ask(
    positions: Path | None,
    environment: str | None,
    task: str,
    depth: int | None,
    out: Path,
    limit: int | None,
    asking: Asking,
) -> None:
    """Ask a model about each of POSITIONS; resumes after an interruption.

    \b
    Exit codes:
      0    every question is answered
      1    nothing was asked; the message says why
      2    wrong usage
      3    asking stopped, not every question was tried
      4    every question was tried, and some failed
      130  stopped by Ctrl-C; 128 + N by signal N
    """  # noqa: D301
    from workbench.asking.resumable_run import ask as ask_model
    from workbench.asking.resumable_run import require_extra
    from workbench.environments.registry import environment_of_table
    from workbench.episodes import EpisodeSample

    require_extra()
    if positions is None and environment is None:
        raise click.UsageError("expected POSITIONS or --environment, got neither")
    if environment is None and positions is not None:
        environment = environment_of_table(positions).name
    with _exit_if_stopped("all answers are kept"):
        run = ask_model(
            positions or EpisodeSample(str(environment)),
            out,
            asking.question(str(environment), task, depth),
            asking.operation(limit),
            **asking.arguments(),
        )
    _describe_answers(run)
    if limit is not None and run.forecast is not None:
        click.echo(run.forecast.describe())
    click.echo(f"{len(run.predictions)} predictions written to {run.path}")
    _exit_for_failures(run)
    click.echo(run.describe())


@main.command()
@environment_option("Environment of the positions; by default that of --positions, else chess.")
@task_option
@click.option("--positions", type=PATH, metavar="FILE", help="Positions table (Parquet).")
@click.option(
    "--month",
    help="Month of the Lichess database such as 2017-04. Without this and --positions: bundled "
    "games that no bundled model was trained on; elsewhere than in chess, random episodes.",
)
@click.option(
    "--limit",
    type=COUNT,
    help="Number of positions, spread evenly over the groups.  [default: all of --positions, else "
    "100 of each group]",
)
@click.option(
    "--positions-seed", default=0, type=NATURAL,
    help="Seed of the choice of positions.",
)  # fmt: skip
@out_option(None, "Folder; an existing one resumes.")
@click.option(
    "--models",
    multiple=True,
    metavar="PATTERN",
    help="A series of checkpoints instead of --model: 'workbench/small@*', 'hf/RUN/step*' for the folders "
    "RUN/step100, RUN/step200 and so on, or names with commas; repeatable. --budget is of the whole series.",
)
@partial(asking_options, needs_model=False)
@click.option("--address", help="Address of the Lichess database or a mirror.")
@click.option("--cache", type=PATH, help="Folder for what is downloaded of a month.")
@comparison_options("Depth m, and the actions that the task continuation asks for.")
@jobs_option
def evaluate(
    environment: str | None,
    task: str,
    positions: Path | None,
    month: str | None,
    limit: int | None,
    positions_seed: int,
    out: Path,
    models: tuple[str, ...],
    asking: Asking,
    address: str | None,
    cache: Path | None,
    depth: int,
    jobs: int,
    **scoring: Any,
) -> None:
    """Ask a model, score its replies, draw figures and write a report; resumes at any point.

    OUT is a run folder as of `workbench ask`, with scores.parquet, figures/ and report/index.html.
    The same command again goes on where it was stopped. It repeats no finished question; calls in
    progress when the process is killed are repeated.

    With --models OUT has such a folder for each checkpoint, without figures and report, all about the same
    positions; series.parquet and series.csv with every measure by step; and the figures series.svg and
    rise_order.svg. `workbench report OUT/*/` compares the checkpoints on one page.

    \b
    Exit codes:
      0    every question is answered
      1    the message says why it cannot be done
      2    wrong usage
      3    asking stopped, not every question was tried; nothing is scored, of a series the
           checkpoints that were finished are
      4    every question was tried, and some failed; the report counts them
      130  stopped by Ctrl-C; 128 + N by signal N
    """  # noqa: D301
    from workbench.asking.questions import PositionChoice
    from workbench.asking.resumable_run import require_extra
    from workbench.checkpoint_series import checkpoints_of, evaluate_series
    from workbench.environments.registry import DEFAULT, environment_of_table
    from workbench.evaluation import evaluate as evaluate_model
    from workbench.games.lichess_games import DATABASE
    from workbench.headless.notebook_runs import NotebookLines
    from workbench.scoring import ScoringParameters
    from workbench.tasks import task_named

    require_extra()
    if bool(models) == (asking.values["model"] is not None):
        raise click.UsageError("expected --model, or --models for a series of checkpoints")
    checkpoints = checkpoints_of(models) if models else []
    first = checkpoints[0].model if checkpoints else None
    if environment is None:
        environment = environment_of_table(positions).name if positions else DEFAULT
    asked_depth = depth if task_named(task).takes_depth else None
    question = asking.question(environment, task, asked_depth, first)
    choice = PositionChoice(
        environment, positions, month, limit, positions_seed, address or DATABASE, cache,
        question.model,
    )  # fmt: skip
    how = asking.operation(), ScoringParameters(depth, **scoring)
    options = {**asking.arguments(first), "jobs": jobs, "report": click.echo}
    if checkpoints:
        with repeatable(out), _exit_if_stopped(GOES_ON):
            series = evaluate_series(out, checkpoints, choice, question, *how, **options)
        click.echo(repr(series))
        for answers in series.answers.values():
            _describe_notes(answers.notes)
            _exit_for_failures(answers)
        return
    with repeatable(out), NotebookLines() as lines, _exit_if_stopped(GOES_ON):
        result = evaluate_model(
            out, choice, question, *how, **options, notebook_ended=lines.ended,
            watch=lines.unfinished,
        )  # fmt: skip
    _describe_answers(result.asking)
    click.echo(repr(result))
    _exit_for_failures(result.asking)


@main.command()
@click.argument("positions", required=False, type=PATH)
@environment_option("Environment of the positions; by default that of POSITIONS, else chess.")
@click.option(
    "--replies",
    type=PATH,
    help="Recorded replies (a predictions table) instead of a model: compare the pairs that they happen "
    "to hold, and ask nothing.",
)
@click.option(
    "--relation",
    "relations",
    multiple=True,
    help="next_action, transposition, symmetry, colour_flip, notation, paraphrase, prefix or repeat; "
    "repeatable.  [default: all that the environment and the model can have]",
)
@click.option(
    "--limit", default=100, type=COUNT,
    help="Number of positions without POSITIONS, spread evenly over the groups.",
)  # fmt: skip
@click.option(
    "--positions-seed", default=0, type=NATURAL,
    help="Seed of the choice of positions, and of what relations draw.",
)  # fmt: skip
@click.option(
    "--reuse", multiple=True, type=PATH,
    help="Run folder of `workbench ask` with the same question, whose answers are not asked for again; "
    "repeatable.",
)  # fmt: skip
@click.option(
    "--contradictions", "number", default=0, type=NATURAL,
    help="Shrink so many contradictory pairs, the shortest first, to the shortest prefix at which they "
    "part: this asks about their prefixes. In chess each is a page in OUT.",
)  # fmt: skip
@click.option(
    "--attack", "attack_budget", type=click.IntRange(10), metavar="QUESTIONS",
    help="Also search for the legal actions after which a model of the workbench's own errs soonest, with at "
    "most so many questions.",
)  # fmt: skip
@out_option("audit", "Folder of the runs and of pairs.parquet; an existing one resumes.")
@partial(asking_options, needs_model=False)
@comparison_options("Depth m.")
def audit(
    positions: Path | None,
    environment: str | None,
    replies: Path | None,
    relations: tuple[str, ...],
    limit: int,
    positions_seed: int,
    reuse: tuple[Path, ...],
    number: int,
    attack_budget: int | None,
    out: Path,
    asking: Asking,
    depth: int,
    **comparison: Any,
) -> None:
    """Compare a model's answers with each other: without an answer key.

    By the rules, two questions about POSITIONS must have answers that describe one state: the board
    after a move, and the board before it moved on; another order of the same moves; other words. The
    table has p_m, r_m and F_m between the two answers. A model can be consistent and wrong.

    The number of questions is stated before the first is asked. The same command again asks what is
    left.

    \b
    Exit codes:
      0    every question is answered
      1    nothing was asked; the message says why
      2    wrong usage
      3    asking stopped, not every question was tried
      4    every question was tried, and some failed
    """  # noqa: D301
    from workbench.asking.questions import PositionChoice
    from workbench.asking.resumable_run import require_extra
    from workbench.consistency.attack import attack
    from workbench.consistency.attack_targets import attack_target
    from workbench.environments.registry import DEFAULT, environment_of_table
    from workbench.front_door.audits import asked_audit, audit, write_contradictions
    from workbench.scoring import ScoringParameters
    from workbench.tables.parquet_tables import replacing

    if (replies is None) == (asking.values["model"] is None) or (replies and positions):
        raise click.UsageError(
            "expected --model to ask, or --replies to compare recorded replies without POSITIONS"
        )
    if environment is None and positions is not None:
        environment = environment_of_table(positions).name
    target = None
    if attack_budget is not None:
        # Refused before anything is asked.
        target = attack_target(str(asking.values["model"]), environment or DEFAULT)
    if replies is not None:
        arguments = {**comparison, "depth": depth, "relations": relations}
        result = audit(replies, environment=environment, **arguments)
    else:
        require_extra()
        environment = environment or DEFAULT
        question = asking.question(environment, "state", None)
        table, _ = PositionChoice(
            environment, positions, None, None if positions else limit, positions_seed,
            model=question.model,
        ).choose()  # fmt: skip
        with _exit_if_stopped("all answers are kept"):
            result = asked_audit(
                table, relations, ScoringParameters(depth, **comparison), question,
                asking.operation(), out, seed=positions_seed, reuse=reuse, say=click.echo,
                **asking.arguments(),
            )  # fmt: skip
    with replacing(out / "pairs.parquet") as beside:
        result.pairs.to_parquet(beside)
    click.echo(repr(result))
    click.echo(f"{len(result.pairs)} pairs written to {out / 'pairs.parquet'}")
    if number:
        with _exit_if_stopped("all answers are kept"):
            for line in write_contradictions(result.contradictions(number), out):
                click.echo(line)
    if target is not None and attack_budget is not None:
        click.echo(repr(attack(target, budget=attack_budget, seed=positions_seed)))
    if failed := int(result.pairs["failed"].sum()):
        click.echo(
            f"Error: {failed} pairs have a failed call; the same command repeats it", err=True
        )
        raise click.exceptions.Exit(FAILED)

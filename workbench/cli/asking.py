"""The command that asks a model."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from workbench.cli.environment_options import environment_option, task_options
from workbench.cli.group import PATH, main
from workbench.errors import AskingStoppedError

STOPPED = 3
"""The exit code if asking stopped before every question was tried."""

FAILED = 4
"""The exit code if every question was tried and some failed."""


def _arguments(context: click.Context, option: click.Parameter, texts: Any) -> dict[str, Any]:
    arguments = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.isidentifier() and equals):
            raise click.BadParameter(f"expected NAME=VALUE, got {text!r}", context, option)
        try:
            arguments[name] = json.loads(value)
        except json.JSONDecodeError:
            arguments[name] = value
    return arguments


@main.command()
@click.argument("positions", required=False, type=PATH)
@environment_option(
    "Environment of the positions. Without POSITIONS, random episodes of it are asked about: "
    "100 of each of the lengths 5, 10 and 20, seed 0."
)
@task_options
@click.option(
    "--model",
    required=True,
    help="Model in Inspect's form, such as openai/gpt-4o; workbench/small, a bundled language model, and "
    "workbench/simulated are free.",
)
@click.option(
    "-o", "--out", required=True, type=PATH, help="Folder of the run; an existing run resumes."
)
@click.option("--prompt", help="See `workbench prompts`.  [default: the first that it lists]")
@click.option(
    "--prompt-file", type=PATH, help="A custom prompt; data/README.md describes the format."
)
@click.option("--system-prompt", help="System prompt, sent before every question.")
@click.option("--samples-per-position", default=1, show_default=True, type=click.IntRange(1))
@click.option("--temperature", type=click.FloatRange(0), help="By default the provider's.")
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), help="Nucleus sampling.")
@click.option("--seed", type=click.IntRange(0), help="Sample k of a position uses seed + k.")
@click.option(
    "--reasoning-effort",
    type=click.Choice(["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
    help="Most models support only some of these.",
)
@click.option(
    "--reasoning-tokens", type=click.IntRange(0), help="Maximum number of reasoning tokens."
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    help="Maximum tokens of a reply; --budget reserves as many.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    help="Limit of the folder's total cost, in dollars. A call begins only if its maximum cost is "
    "left. Without --max-tokens, a reply is assumed to have 8,192 tokens, less with every known "
    "reply, and twice the longest from 10 replies on. A call of unknown cost (no or absurd "
    "token counts, timeout, kill) counts at its maximum.",
)
@click.option(
    "--price", nargs=2, type=click.FloatRange(0), help="Dollars per million tokens: input output."
)
@click.option("--prices", type=PATH, help="JSON table of input, output and cache prices by model.")
@click.option("--batch", is_flag=True, help="Use the provider's batch interface: cheaper, slower.")
@click.option("--base-url", help="URL of a compatible server, without credentials.")
@click.option("--api-key", help="API key; prefer the provider's environment variable.")
@click.option(
    "-M", "--model-arg", "model_args", multiple=True, callback=_arguments,
    help="NAME=VALUE for Inspect's model; secrets and headers are redacted in files.",
)  # fmt: skip
@click.option(
    "--extra-body", multiple=True, callback=_arguments,
    help="NAME=VALUE for the body of requests to an OpenAI-compatible server.",
)  # fmt: skip
@click.option("--connections", type=click.IntRange(1), help="Number of concurrent calls.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="A pilot: ask about this many positions, equally many of each group, and forecast the total "
    "cost. The same command without it continues with the rest.",
)
@click.option(
    "--retries",
    default=6,
    show_default=True,
    type=click.IntRange(0),
    help="Send a turn of a question at most this many times again. Refusals (HTTP 400, 403 and "
    "similar) are not repeated.",
)
@click.option(
    "--retry-failed",
    is_flag=True,
    help="Also repeat questions that the server refused (HTTP 400 to 499).",
)
@click.option(
    "--max-failures",
    default=20,
    show_default=True,
    type=click.IntRange(1),
    help="Stop after this many failed questions without an answer between them.",
)
@click.option(
    "--attempt-timeout",
    default=600,
    show_default=True,
    type=click.IntRange(1),
    help="Seconds after which a request counts as failed.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def ask(
    positions: Path | None,
    environment: str | None,
    task: str,
    depth: int | None,
    model: str,
    out: Path,
    prompt: str | None,
    prompt_file: Path | None,
    system_prompt: str | None,
    samples_per_position: int,
    temperature: float | None,
    top_p: float | None,
    seed: int | None,
    reasoning_effort: str | None,
    reasoning_tokens: int | None,
    max_tokens: int | None,
    budget: float | None,
    price: tuple[float, float] | None,
    prices: Path | None,
    batch: bool,
    base_url: str | None,
    api_key: str | None,
    model_args: dict[str, Any],
    extra_body: dict[str, Any],
    connections: int | None,
    limit: int | None,
    retries: int,
    retry_failed: bool,
    max_failures: int,
    attempt_timeout: int,
    yes: bool,
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
    from workbench.asking.costs.cost_estimate import CostEstimate
    from workbench.asking.costs.prices import Price, read_price
    from workbench.asking.prompts import read_prompt
    from workbench.asking.resumable_run import ask as ask_model
    from workbench.asking.resumable_run import require_extra
    from workbench.asking.settings import Operation, Question
    from workbench.environments.registry import environment_of_table
    from workbench.episodes import EpisodeSample

    require_extra()
    if prompt and prompt_file:
        raise click.UsageError("expected --prompt or --prompt-file, got both")
    if positions is None and environment is None:
        raise click.UsageError("expected POSITIONS or --environment, got neither")
    if environment is None and positions is not None:
        environment = environment_of_table(positions).name
    asked_about = positions or EpisodeSample(str(environment))
    question = Question(
        model=model,
        prompt=read_prompt(prompt_file) if prompt_file else prompt,
        samples_per_position=samples_per_position,
        temperature=temperature,
        max_tokens=max_tokens,
        model_args=model_args,
        top_p=top_p,
        seed=seed,
        reasoning_effort=reasoning_effort,
        reasoning_tokens=reasoning_tokens,
        system_prompt=system_prompt,
        extra_body=extra_body,
        environment=str(environment),
        task=task,
        depth=depth,
    )
    operation = Operation(
        base_url=base_url,
        budget=budget,
        batch=batch,
        connections=connections,
        limit=limit,
        retries=retries,
        retry_failed=retry_failed,
        max_failures=max_failures,
        attempt_timeout=attempt_timeout,
    )
    paid = Price(*price) if price else read_price(prices, model) if prices else None

    def confirm(estimate: CostEstimate) -> bool:
        click.echo(estimate.describe())
        return yes or click.confirm("Ask?")

    with _interrupting_signals() as received:
        try:
            run = ask_model(
                asked_about,
                out,
                question,
                operation,
                price=paid,
                api_key=api_key,
                confirm=confirm,
                progress=True,
            )
        except AskingStoppedError as error:
            _tell(error.notes)
            click.echo(f"Error: {error}", err=True)
            raise click.exceptions.Exit(128 + received[0] if received else STOPPED) from error
        except KeyboardInterrupt:
            click.echo("Error: interrupted; all answers are kept", err=True)
            raise click.exceptions.Exit(128 + received[0] if received else STOPPED) from None
    for name, number in run.predictions["reply_class"].value_counts().items():
        click.echo(f"{number} {name}")
    for reason, number in run.failed.most_common():
        click.echo(f"{number} failed: {reason}")
    _tell(run.notes)
    if run.dollars is not None:
        click.echo(f"{run.dollars:.4f} dollars")
    if limit is not None and run.forecast is not None:
        click.echo(run.forecast.describe())
    click.echo(f"{len(run.predictions)} predictions written to {run.path}")
    if run.failed:
        click.echo(
            f"Error: {run.describe()}; the same command repeats the failed questions, with "
            "--retry-failed also those that the server refused",
            err=True,
        )
        raise click.exceptions.Exit(FAILED)
    click.echo(run.describe())


def _tell(notes: list[str]) -> None:
    for note in notes:
        click.echo(f"Warning: {note}", err=True)


@contextmanager
def _interrupting_signals() -> Iterator[list[int]]:
    """Turn the signals that end a process into an orderly stop, and report the signal received."""
    received: list[int] = []

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {}
    if threading.current_thread() is threading.main_thread():
        # Signals that the shell set to be ignored stay ignored.
        before = {
            number: signal.signal(number, interrupt)
            for number in numbers
            if signal.getsignal(number) != signal.SIG_IGN
        }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

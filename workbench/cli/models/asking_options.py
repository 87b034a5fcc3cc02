"""The options of every command that asks a model, and what such a command prints at its end."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from workbench.cli.group import PATH

if TYPE_CHECKING:
    from workbench.asking.costs.cost_estimate import CostEstimate
    from workbench.asking.costs.prices import Price
    from workbench.asking.resumable_run import AskedRun
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


_OPTIONS: Final = (
    click.option(
        "--model",
        required=True,
        help="Model in Inspect's form, such as openai/gpt-4o; workbench/small, a bundled language model, and "
        "workbench/simulated are free.",
    ),
    click.option("--prompt", help="See `workbench prompts`.  [default: the first that it lists]"),
    click.option(
        "--prompt-file", type=PATH, help="A custom prompt; data/README.md describes the format."
    ),
    click.option("--system-prompt", help="System prompt, sent before every question."),
    click.option("--samples-per-position", default=1, show_default=True, type=click.IntRange(1)),
    click.option("--temperature", type=click.FloatRange(0), help="By default the provider's."),
    click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), help="Nucleus sampling."),
    click.option("--seed", type=click.IntRange(0), help="Sample k of a position uses seed + k."),
    click.option(
        "--reasoning-effort",
        type=click.Choice(["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
        help="Most models support only some of these.",
    ),
    click.option(
        "--reasoning-tokens", type=click.IntRange(0), help="Maximum number of reasoning tokens."
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1),
        help="Maximum tokens of a reply; --budget reserves as many.",
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
    click.option("--connections", type=click.IntRange(1), help="Number of concurrent calls."),
    click.option(
        "--retries",
        default=6,
        show_default=True,
        type=click.IntRange(0),
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
        show_default=True,
        type=click.IntRange(1),
        help="Stop after this many failed questions without an answer between them.",
    ),
    click.option(
        "--attempt-timeout",
        default=600,
        show_default=True,
        type=click.IntRange(1),
        help="Seconds after which a request counts as failed.",
    ),
    click.option(
        "--yes", is_flag=True, help="Do not ask for confirmation; what costs nothing needs none."
    ),
)


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """How a model is asked, as given by the user.

    Attributes:
        options: Those of `Question` and `Operation`, by their names, but the prompt.
        prompt: The name of a prompt, if one is named.
        prompt_file: The file of a prompt, if one is named.
        price: Price of the model, in dollars per million tokens of input and output, if given.
        prices: A table of prices, if given.
        api_key: The key, if given.
        yes: Whether the estimate is accepted beforehand.
    """

    options: Mapping[str, Any]
    prompt: str | None
    prompt_file: Path | None
    price: tuple[float, float] | None
    prices: Path | None
    api_key: str | None
    yes: bool

    def question(self, environment: str, task: str, depth: int | None) -> "Question":
        """Return the question about the episodes of an environment."""
        from workbench.asking.prompts import read_prompt
        from workbench.asking.settings import Question

        if self.prompt and self.prompt_file:
            raise click.UsageError("expected --prompt or --prompt-file, got both")
        asked = {name: self.options[name] for name in _QUESTION}
        prompt = read_prompt(self.prompt_file) if self.prompt_file else self.prompt
        return Question(**asked, prompt=prompt, environment=environment, task=task, depth=depth)

    def operation(self, limit: int | None = None) -> "Operation":
        """Return the mode of operation, for a pilot of so many positions if there is a limit."""
        from workbench.asking.settings import Operation

        return Operation(**{name: self.options[name] for name in _OPERATION}, limit=limit)

    def price_of_model(self) -> "Price | None":
        """Return the price of the model, if it is known."""
        from workbench.asking.costs.prices import Price, read_price

        if self.price:
            return Price(*self.price)
        return read_price(self.prices, self.options["model"]) if self.prices else None

    def confirm(self, estimate: "CostEstimate") -> bool:
        """Show the estimate, and return whether it is accepted; what costs nothing is."""
        click.echo(estimate.describe())
        return self.yes or estimate.dollars == 0 or click.confirm("Ask?")


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of asking, which the command receives as one argument ``asking``."""

    @wraps(command)
    def run(
        *,
        prompt: str | None,
        prompt_file: Path | None,
        price: tuple[float, float] | None,
        prices: Path | None,
        api_key: str | None,
        yes: bool,
        **given: Any,
    ) -> None:
        options = {name: given.pop(name) for name in (*_QUESTION, *_OPERATION)}
        asking = AskingOptions(options, prompt, prompt_file, price, prices, api_key, yes)
        command(asking=asking, **given)

    decorated: Callable[..., Any] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def describe_answers(run: "AskedRun") -> None:
    """Print the classes of the answers, the reasons of failures, notes and the cost."""
    for name, number in run.predictions["reply_class"].value_counts().items():
        click.echo(f"{number} {name}")
    for reason, number in run.failed.most_common():
        click.echo(f"{number} failed: {reason}")
    describe_notes(run.notes)
    if run.dollars is not None:
        click.echo(f"{run.dollars:.4f} dollars")


def exit_for_failures(run: "AskedRun") -> None:
    """End the command with a message and the exit code `FAILED` if a question failed."""
    if run.failed:
        click.echo(
            f"Error: {run.describe()}; the same command repeats the failed questions, with "
            "--retry-failed also those that the server refused",
            err=True,
        )
        raise click.exceptions.Exit(FAILED)


def describe_notes(notes: list[str]) -> None:
    """Print what the user should know, on standard error."""
    for note in notes:
        click.echo(f"Warning: {note}", err=True)

"""The command that asks a model."""

import json
from pathlib import Path
from typing import Any

import click

from workbench.cli.group import PATH, main


def _model_argument(context: click.Context, option: click.Parameter, texts: Any) -> dict[str, Any]:
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
@click.argument("positions", type=PATH)
@click.option("--model", required=True, help="As Inspect names it; workbench/simulated is free.")
@click.option("-o", "--out", required=True, type=PATH, help="The run's folder; goes on if there.")
@click.option("--prompt", default="pgn-direct", show_default=True, help="See `workbench prompts`.")
@click.option("--samples-per-position", default=1, show_default=True, type=click.IntRange(1))
@click.option("--temperature", type=click.FloatRange(0), help="The provider's default if left out.")
@click.option("--max-tokens", type=click.IntRange(1), help="Of a reply.")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="Dollars for the folder.")
@click.option(
    "--price", nargs=2, type=click.FloatRange(0), help="Dollars a million tokens: input output."
)
@click.option("--prices", type=PATH, help="JSON: model to input, output and cached prices.")
@click.option("--batch", is_flag=True, help="The provider's batch interface: cheaper, slow.")
@click.option("--base-url", help="Of a compatible server; without credentials.")
@click.option("--api-key", help="Better in the provider's environment variable.")
@click.option(
    "-M", "--model-arg", "model_args", multiple=True, callback=_model_argument,
    help="NAME=VALUE for Inspect's model; secrets and headers are redacted in files.",
)  # fmt: skip
@click.option("--connections", type=click.IntRange(1), help="Calls at a time.")
@click.option("--retries", default=6, show_default=True, type=click.IntRange(0))
@click.option("--attempt-timeout", default=120, show_default=True, type=click.IntRange(1))
@click.option("--yes", is_flag=True, help="Do not ask before the first call.")
def ask(
    positions: Path,
    model: str,
    out: Path,
    prompt: str,
    samples_per_position: int,
    temperature: float | None,
    max_tokens: int | None,
    budget: float | None,
    price: tuple[float, float] | None,
    prices: Path | None,
    batch: bool,
    base_url: str | None,
    api_key: str | None,
    model_args: dict[str, Any],
    connections: int | None,
    retries: int,
    attempt_timeout: int,
    yes: bool,
) -> None:
    """Ask a model for the board of each of POSITIONS; stopped at any moment, it goes on."""
    from workbench.replies.asking.estimate import Estimate
    from workbench.replies.asking.prices import Price, read_price
    from workbench.replies.asking.run import ask as ask_model
    from workbench.replies.asking.run import require_extra
    from workbench.replies.asking.settings import Operation, Question

    require_extra()
    question = Question(
        model=model,
        prompt=prompt,
        samples_per_position=samples_per_position,
        temperature=temperature,
        max_tokens=max_tokens,
        model_args=model_args,
    )
    operation = Operation(
        base_url=base_url,
        budget=budget,
        batch=batch,
        connections=connections,
        retries=retries,
        attempt_timeout=attempt_timeout,
    )
    paid = Price(*price) if price else read_price(prices, model) if prices else None

    def confirm(estimate: Estimate) -> bool:
        click.echo(estimate.describe())
        return yes or click.confirm("Ask?")

    run = ask_model(
        positions,
        out,
        question,
        operation,
        price=paid,
        api_key=api_key,
        confirm=confirm,
        progress=True,
    )
    for name, number in run.predictions["reply_class"].value_counts().items():
        click.echo(f"{number} {name}")
    for reason, number in run.failed.most_common():
        click.echo(f"{number} failed, asked again by the same command: {reason}")
    if run.dollars is not None:
        click.echo(f"{run.dollars:.4f} dollars")
    click.echo(f"{len(run.predictions)} predictions written to {run.path}")


@main.command()
@click.argument("name", required=False)
def prompts(name: str | None) -> None:
    """List the prompts, or show the one called NAME, or in the file NAME.toml, whole."""
    from workbench.replies.prompt_files import read_prompt
    from workbench.replies.prompts import PROMPTS, prompt_named

    if name is None:
        for prompt in PROMPTS:
            turns = f"{len(prompt.turns)} turns" if len(prompt.turns) > 1 else "1 turn"
            click.echo(
                f"{prompt.name}@{prompt.version}  {prompt.notation}, {turns}, {prompt.sha256[:12]}"
            )
        return
    shown = read_prompt(Path(name)) if name.endswith(".toml") else prompt_named(name)
    if shown.system is not None:
        click.echo(f"--- system\n{shown.system}")
    for number, turn in enumerate(shown.turns, start=1):
        click.echo(f"--- turn {number}\n{turn}")

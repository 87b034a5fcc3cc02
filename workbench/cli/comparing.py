"""The command that compares one pair."""

import json
import sys
from typing import Any

import click

from workbench.cli.group import main
from workbench.cli.scoring import scoring_options


@main.command()
@click.argument("true_fen")
@click.argument("reply")
@scoring_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(true_fen: str, reply: str, as_json: bool, **options: Any) -> None:
    """Compare TRUE_FEN with REPLY: a FEN or a model's whole answer; - reads standard input."""
    from workbench.scoring import ScoringParameters
    from workbench.scoring.single_pair import compare as compare_pair

    if reply == "-":
        reply = sys.stdin.read()
    result = compare_pair(true_fen, reply, ScoringParameters(**options))
    if as_json:
        click.echo(json.dumps(result))
        return
    for key, value in result.items():
        shown = ", ".join(map(_number, value)) if isinstance(value, list) else _number(value)
        click.echo(f"{key:24} {shown}")


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)

"""The command that compares one pair."""

import json
import os
import re
import sys
from itertools import islice
from typing import Any, Final

import click

from workbench.cli.environment_options import environment_option, task_option
from workbench.cli.group import main
from workbench.cli.scoring import scoring_options

_OPTION: Final = re.compile(r"-{1,2}[A-Za-z][\w-]*(?:=.*)?", re.DOTALL)


class _TextCommand(click.Command):
    """A command whose arguments may begin with a dash, as far as they do not read as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options first and texts after them; see `click.Command.parse_args`."""
        with_value = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and not parameter.is_flag
            for name in parameter.opts
        }
        options: list[str] = []
        texts: list[str] = []
        words = iter(args)
        for word in words:
            if word == "--":
                texts += words
            elif _OPTION.fullmatch(word):
                options += [word, *islice(words, word in with_value)]
            else:
                texts.append(word)
        whole = not args or args[-1] not in with_value
        return super().parse_args(ctx, [*options, "--", *texts] if whole else options)


@main.command(cls=_TextCommand)
@click.argument("true_state")
@click.argument("reply")
@environment_option("Environment of both.", "chess")
@task_option
@scoring_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(
    true_state: str, reply: str, environment: str, task: str, as_json: bool, **options: Any
) -> None:
    """Compare TRUE_STATE with REPLY: the answer or a model's whole text; - reads standard input.

    A state of chess is a FEN, alone or in a text such as a link. REPLY may begin with a dash; after
    -- it may also read as an option. With --task actions, REPLY lists the permitted actions, which gives
    p_1 and r_1; with --task continuation it continues, and p_i is 1 while the actions are permitted.
    """
    from workbench.front_door.comparison import compare as compare_pair

    if os.path.isfile(true_state):
        raise click.UsageError(
            f"TRUE_STATE: expected a state as text, got the file {true_state!r:.200}; "
            "compare runs with `workbench report RUN RUN`"
        )
    if reply == "-":
        reply = sys.stdin.read()
    comparison = compare_pair(true_state, reply, environment, task=task, **options)
    result = comparison.to_dict()
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(comparison.verdict() + "\n")
    for key, value in result.items():
        shown = ", ".join(map(_number, value)) if isinstance(value, list) else _number(value)
        click.echo(f"{key:24} {shown}")


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)

"""Commands that score a table, compare one pair, and validate tables."""

import json
import os
import re
import sys
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click

from workbench.cli.command_options import (
    COUNT,
    NATURAL,
    environment_option,
    jobs_option,
    out_option,
    scoring_options,
    task_option,
)
from workbench.cli.group import PATH, main

_earlier_environment = environment_option(
    "Only for a table of an earlier version that names files: the same name, whose files are read."
)


@main.command()
@click.argument("predictions", type=PATH)
@out_option("scores.parquet")
@scoring_options
@_earlier_environment
@jobs_option
@click.option(
    "--scheduler", help="Address of a Dask scheduler; its cluster scores instead of this machine."
)
@click.option("--chunk-rows", default=64, type=COUNT)
@click.option(
    "--restart", is_flag=True, help="Score again; the old OUT stays until the new one is complete."
)
def score(
    predictions: Path,
    out: Path,
    environment: str | None,
    jobs: int,
    scheduler: str | None,
    chunk_rows: int,
    restart: bool,
    **parameters: Any,
) -> None:
    """Score a PREDICTIONS table; resumes after an interruption."""
    del environment
    import pandas as pd
    import pyarrow as pa

    from workbench.drawing.score_description import class_counts
    from workbench.scoring import ScoringParameters
    from workbench.scoring.score_tables import score_table
    from workbench.tables.parquet_tables import PREDICTIONS, ROW_GROUP_ROWS, read_chunks

    rows = score_table(
        predictions,
        out,
        ScoringParameters(**parameters),
        jobs=jobs,
        scheduler=scheduler,
        chunk_rows=chunk_rows,
        restart=restart,
        progress=True,
        report=lambda message: click.echo(message, err=True),
    )
    if rows:
        named = [PREDICTIONS.field(name) for name in ("model", "reply_class")]
        counted = pa.schema([*named, ("unscored", pa.string())])
        counts = [class_counts(chunk) for chunk in read_chunks(out, counted, ROW_GROUP_ROWS)]
        summed = pd.concat(counts).groupby("model", as_index=False).sum()
        click.echo(summed.to_string(index=False))
    click.echo(f"{rows} scores written to {out}")


@main.command()
@click.argument("scores", type=PATH)
@click.option("-o", "--out", type=PATH, help="A new file in .csv for the whole table.")
@click.option(
    "--by",
    "columns",
    multiple=True,
    default=("model",),
    metavar="COLUMN",
    help="A column of SCORES whose values are compared; may be repeated.",
)
def causes(scores: Path, out: Path | None, columns: tuple[str, ...]) -> None:
    """Count why replies in a SCORES table lose precision: the main cause of each, by model.

    A cause is what wins back at least half of the loss if it alone is corrected; where no precision is
    lost, it is that of recall. Prints replies, their share of all and of the wrong ones, and the mean
    that is lost; at the largest depth of the table. SCORES may also be a run folder.
    """
    from workbench.front_door.scores import causes as count_causes
    from workbench.tables.parquet_tables import replacing

    if out is not None and (out.suffix != ".csv" or out.exists()):
        raise click.UsageError(f"--out: expected a new file in .csv, got {str(out)!r}")
    table = count_causes(scores, columns)
    click.echo(table.to_string(index=False, float_format="{:.3f}".format, na_rep="-"))
    if out is not None:
        with replacing(out) as beside:
            table.to_csv(beside, index=False)
        click.echo(f"{len(table)} rows written to {out}", err=True)


@main.command("legal-mass")
@click.argument("replies", type=PATH)
@click.option("-o", "--out", type=PATH, help="A new file in .csv, with a row for each position.")
def legal_mass(replies: Path, out: Path | None) -> None:
    """Sum the probability on legal actions in REPLIES to the task legal_mass, and name the rules broken.

    Prints means by model and length with 95% intervals over whole games, and the probability on actions
    that are not permitted by the rule that forbids them. REPLIES may be a run folder of workbench ask
    --task legal_mass; docs/measures.md defines the columns.
    """
    from workbench.front_door.models import legal_mass as measure
    from workbench.tables.parquet_tables import replacing

    if out is not None and (out.suffix != ".csv" or out.exists()):
        raise click.UsageError(f"--out: expected a new file in .csv, got {str(out)!r}")
    for by in ("length", "rule"):
        text = measure(replies, by=by).to_string(
            index=False, float_format="{:.3f}".format, na_rep="-"
        )
        click.echo(f"{text}\n")
    if out is not None:
        table = measure(replies)
        with replacing(out) as beside:
            table.to_csv(beside, index=False)
        click.echo(f"{len(table)} rows written to {out}", err=True)


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
        text = ", ".join(map(_number, value)) if isinstance(value, list) else _number(value)
        click.echo(f"{key:24} {text}")


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "-" if value is None else str(value)


@main.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--sample", type=NATURAL, help="Rows to recompute at full depth.  [default: 500]")
@click.option("--all", "every", is_flag=True, help="Recompute every row at full depth.")
@click.option("--seed", default=0, type=NATURAL, help="Seed of the sample.")
@_earlier_environment
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file.")
@click.pass_context
def check(
    context: click.Context,
    files: tuple[Path, ...],
    sample: int | None,
    every: bool,
    seed: int,
    environment: str | None,
    as_json: bool,
) -> None:
    """Validate the tables FILES: type, integrity, anomalies.

    In a scores table, text metrics and p and r at small depths are recomputed in every row, the
    full depth in a sample of the rows. The exit code is 1 if a file is damaged or has anomalies.
    """
    del environment
    from workbench.checking import check_table
    from workbench.checking.recomputation import SAMPLE_ROWS

    rows = None if every else SAMPLE_ROWS if sample is None else sample
    sound = True
    for path in files:
        report = check_table(path, sample=rows, seed=seed, progress=not as_json)
        sound = sound and report.sound
        click.echo(json.dumps(asdict(report), sort_keys=True) if as_json else report.describe())
    context.exit(0 if sound else 1)

"""The command line: thin commands over the package, and the one place that knows exit codes."""

import json
import os
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from workbench import __version__
from workbench.errors import WorkbenchError

PATH = click.Path(path_type=Path)


class Commands(click.Group):
    """A group that shows a refusal of the workbench as one message and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; see `click.Group.invoke`."""
        try:
            return super().invoke(ctx)
        except (WorkbenchError, OSError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="workbench")
def main() -> None:
    """Does a language model know where the pieces are? State precision and recall of replies."""


@main.command()
@click.option("--preset", default="quick", show_default=True, help="quick or paper.")
@click.option("--only", multiple=True, metavar="NAME", help="This notebook alone; repeatable.")
@click.option(
    "--parameter", multiple=True, metavar="NAME=VALUE", help="A notebook parameter; repeatable."
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option("--games", multiple=True, type=PATH, help="PGN, .pgn.gz or .pgn.zst; repeatable.")
@click.option("--predictions", type=PATH, help="A predictions table, Parquet.")
@click.option("--out", default="figures", show_default=True, type=PATH, help="Folder to write to.")
def figures(
    preset: str,
    only: tuple[str, ...],
    parameter: tuple[str, ...],
    jobs: int,
    games: tuple[Path, ...],
    predictions: Path | None,
    out: Path,
) -> None:
    """Run the notebooks and write each figure as PNG and SVG with its numbers and provenance."""
    from workbench.figures import make_figures
    from workbench.runs import parse_parameter, raise_for_failures

    runs = make_figures(
        preset=preset,
        only=only,
        given=dict(parse_parameter(text) for text in parameter),
        jobs=jobs,
        games=games,
        predictions=predictions,
        out=out,
        report=lambda run: click.echo(
            f"{run.name:28} {run.seconds:6.1f} s  {'failed' if run.error else 'ok'}"
        ),
    )
    raise_for_failures(runs)


@main.group()
def games() -> None:
    """Read games."""


@games.command("cut")
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("-o", "--out", default="positions.parquet", show_default=True, type=PATH)
@click.option(
    "--groups", default="5,16,27,38,50", show_default=True, help="Full moves at which to cut."
)
@click.option("--per-group", default=2000, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--allow-unfilled", is_flag=True, help="Go on where a group cannot be filled.")
@click.option("--allow-truncated", is_flag=True, help="Use what was read of a broken file.")
def games_cut(
    files: tuple[Path, ...],
    out: Path,
    groups: str,
    per_group: int,
    seed: int,
    allow_unfilled: bool,
    allow_truncated: bool,
) -> None:
    """Cut games into groups by length: FILES to a positions table."""
    from workbench.games.cut import cut_games
    from workbench.provenance import file_hash
    from workbench.tables import POSITIONS, write_table

    try:
        cuts = tuple(int(part) for part in groups.split(","))
    except ValueError as error:
        raise click.BadParameter(
            f"expected full moves such as 5,16,27, got {groups!r}", param_hint="--groups"
        ) from error
    cut = cut_games(
        list(files),
        groups=cuts,
        per_group=per_group,
        seed=seed,
        allow_unfilled=allow_unfilled,
        allow_truncated=allow_truncated,
        progress=True,
    )
    provenance = {
        "stage": "positions",
        "games_sha256": {path.name: file_hash(path) for path in files},
        "groups": cuts,
        "per_group": per_group,
        "seed": seed,
    }
    write_table(cut.positions, out, POSITIONS, provenance)
    click.echo(cut.summary.describe())
    click.echo(f"{len(cut.positions)} positions written to {out}")


@main.group()
def replies() -> None:
    """Bring in, or simulate, what models replied."""


@replies.command("import")
@click.argument("logs", nargs=-1, required=True, type=PATH)
@click.option("-o", "--out", default="predictions.parquet", show_default=True, type=PATH)
@click.option(
    "--text",
    type=click.Choice(["llm_fen", "raw"]),
    default="llm_fen",
    show_default=True,
    help="The FEN that the benchmark cut out, or ours out of the whole reply.",
)
@click.option("--pgn-root", type=PATH, help="Where the logs' input_pgn_file paths start.")
def replies_import(logs: tuple[Path, ...], out: Path, text: Any, pgn_root: Path | None) -> None:
    """Import LOGS of the PGN2FEN benchmark (JSON lines) as a predictions table."""
    from workbench.provenance import file_hash
    from workbench.replies.recorded import import_pgn2fen
    from workbench.tables import PREDICTIONS, write_table

    imported = import_pgn2fen(list(logs), pgn_root=pgn_root, text=text)
    provenance = {
        "stage": "predictions",
        "logs_sha256": {path.name: file_hash(path) for path in logs},
        "text": text,
    }
    write_table(imported.predictions, out, PREDICTIONS, provenance)
    for label, faults in (
        ("lines without a position or a model, left out", imported.refusals),
        ("entries that the PGN contradicts, kept", imported.disagreements),
        ("PGN files that could not be used", list(imported.missing_games.items())),
    ):
        click.echo(f"{len(faults)} {label}")
        for fault in faults[:10]:
            click.echo(f"  {fault}")
    click.echo(f"{len(imported.predictions)} predictions written to {out}")


@replies.command("simulate")
@click.argument("positions", type=PATH)
@click.option("-o", "--out", default="predictions.parquet", show_default=True, type=PATH)
@click.option(
    "--rate", default=0.03, show_default=True, type=click.FloatRange(0, 1), help="Slips a ply."
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def replies_simulate(positions: Path, out: Path, rate: float, seed: int) -> None:
    """Let the simulated tracker reply to a POSITIONS table; no model is asked."""
    from workbench.provenance import file_hash
    from workbench.replies.simulated import simulate
    from workbench.tables import POSITIONS, PREDICTIONS, read_table, write_table

    predictions = simulate(read_table(positions, POSITIONS), rate=rate, seed=seed)
    provenance = {
        "stage": "predictions",
        "positions_sha256": file_hash(positions),
        "simulated": {"rate": rate, "seed": seed},
    }
    write_table(predictions, out, PREDICTIONS, provenance)
    click.echo(f"{len(predictions)} simulated predictions written to {out}")


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to score."""
    from workbench.affordance import ESTIMATORS

    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option("--depth", default=4, show_default=True, type=click.IntRange(1), help="m."),
        click.option(
            "--terminal",
            type=click.Choice(["absorb", "drop"]),
            default="absorb",
            show_default=True,
            help="How games that are finished before m moves count.",
        ),
        click.option(
            "--ill-formed",
            type=click.Choice(["as_is", "sink"]),
            default="as_is",
            show_default=True,
            help="What to do with boards that cannot arise in chess.",
        ),
        click.option(
            "--method",
            type=click.Choice(["exact", *ESTIMATORS]),
            default="exact",
            show_default=True,
        ),
        click.option("--samples", default=500, show_default=True, type=click.IntRange(1)),
        click.option("--batches", default=8, show_default=True, type=click.IntRange(1)),
        click.option("--seed", default=0, show_default=True, type=click.IntRange(0)),
    ]
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)


@main.command()
@click.argument("predictions", type=PATH)
@click.option("-o", "--out", default="scores.parquet", show_default=True, type=PATH)
@scoring_options
@click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", type=click.IntRange(1))
@click.option("--chunk-rows", default=64, show_default=True, type=click.IntRange(1))
@click.option("--restart", is_flag=True, help="Throw earlier work at OUT away.")
def score(
    predictions: Path, out: Path, jobs: int, chunk_rows: int, restart: bool, **options: Any
) -> None:
    """Score a PREDICTIONS table; stopped at any moment, the same command goes on."""
    from workbench.scoring import ScoringParameters
    from workbench.scoring.run import score_file
    from workbench.studies.describe import class_counts

    scores = score_file(
        predictions,
        out,
        ScoringParameters(**options),
        jobs=jobs,
        chunk_rows=chunk_rows,
        restart=restart,
        progress=True,
    )
    if len(scores):
        click.echo(class_counts(scores).to_string(index=False))
    click.echo(f"{len(scores)} scores written to {out}")


@main.command()
@click.argument("true_fen")
@click.argument("reply")
@scoring_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(true_fen: str, reply: str, as_json: bool, **options: Any) -> None:
    """Compare TRUE_FEN with a REPLY: a FEN or a model's whole answer; - reads it from input."""
    from workbench.compare import compare as compare_pair
    from workbench.scoring import ScoringParameters

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

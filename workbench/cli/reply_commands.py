"""Commands that import, extract, simulate or make replies of models."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from workbench.cli.command_options import (
    COUNT,
    NATURAL,
    environment_option,
    jobs_option,
    out_option,
    seed_option,
    task_options,
)
from workbench.cli.group import PATH, main
from workbench.prediction import CLASSES


@main.group()
def replies() -> None:
    """Import, extract, simulate or make replies of models."""


def _columns(context: click.Context, option: click.Parameter, texts: Any) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, column in pairs:
        if not (name and equals and column):
            raise click.BadParameter(f"expected OURS=THEIRS, got {name!r}", context, option)
    return {name: column for name, _, column in pairs}


@replies.command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@out_option("predictions.parquet")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["pgn2fen", "inspect", "lm-eval", "columns"]),
    help="By default detected from the file name or the first line.",
)
@click.option(
    "--text",
    type=click.Choice(["llm_fen", "raw"]),
    default="llm_fen",
    help="pgn2fen: the FEN extracted by the benchmark, or by us from the whole reply.",
)
@click.option(
    "--fens-only",
    is_flag=True,
    help="pgn2fen: keep moves and FENs only, no reply, sorted by position.",
)
@click.option("--pgn-root", type=PATH, help="pgn2fen: root folder of the input_pgn_file paths.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    callback=_columns,
    help="Not pgn2fen: map a column, OURS=THEIRS, such as true_state=metadata.fen.",
)
@click.option("--positions", type=PATH, help="Not pgn2fen: positions table to join by position_id.")
@click.option("--model", help="Not pgn2fen: model name, if the files have none.")
@environment_option("Not pgn2fen: environment of all rows; by default that of the first, or chess.")
@click.option(
    "--task", help="Not pgn2fen: what was asked, if the files do not say.  [default: state]"
)
@click.option("--encoding", help="Encoding of text files that are not UTF-8, such as latin-1.")
@click.option("--refused", type=PATH, help="CSV file for all refused rows.")
@click.pass_context
def replies_import(
    context: click.Context,
    files: tuple[Path, ...],
    out: Path,
    kind: str | None,
    text: Any,
    fens_only: bool,
    pgn_root: Path | None,
    columns: dict[str, str],
    positions: Path | None,
    model: str | None,
    environment: str | None,
    task: str | None,
    encoding: str | None,
    refused: Path | None,
) -> None:
    """Import recorded replies from FILES into a predictions table.

    FILES are PGN2FEN logs, Inspect logs (.eval, .json), samples of lm-evaluation-harness, or tables
    with named columns (CSV with commas, tabs or semicolons; JSON Lines). The replies may be of any
    environment and task. The true state is read from true_state, or is where moves lead from
    initial_state; both must agree.

    The exit code is 0 if every row became a prediction, 3 if some were refused, and 1, without a
    table, if all were.
    """
    from workbench.answers.imports import IMPORTERS, RowDefaults, SourceFiles, format_of
    from workbench.cli.import_report import reason_counts, report, table_summary, write_refused
    from workbench.environments.registry import environment_of
    from workbench.tables.output_files import check_output
    from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table
    from workbench.tables.provenance import file_hash

    inputs = [*files, *([positions] if positions else [])]
    check_output(out, inputs, "predictions")
    if refused is not None:
        check_output(refused, [*inputs, out])
        if refused.absolute() == out.absolute():
            raise click.UsageError(f"--refused: expected another file than the table, got {out}")
    formats = {format_of(path, encoding) for path in files} if kind is None else {kind}
    if len(formats) != 1:
        raise click.UsageError(f"expected files of one format, got {sorted(formats)}; see --format")
    (kind,) = formats
    provenance: dict[str, Any] = {"stage": "predictions", "format": kind}
    with SourceFiles(files, progress=True) as reading:
        if kind == "pgn2fen":
            if columns or positions or model or environment or task:
                raise click.UsageError(
                    "--column, --positions, --model, --environment and --task are not for pgn2fen logs"
                )
            texts: Any = {"text": text, "fens_only": fens_only}
            imported = IMPORTERS[kind](
                files, pgn_root=pgn_root, **texts, encoding=encoding, files=reading
            )
            provenance |= texts
        else:
            if fens_only:
                raise click.UsageError("--fens-only is for pgn2fen logs alone")
            if positions is not None:
                provenance["positions_sha256"] = file_hash(positions)
            provenance["columns"] = columns
            arguments: Any = {
                "columns": columns,
                "positions": None if positions is None else read_table(positions, POSITIONS),
                "defaults": RowDefaults(environment or "", task or "state", model),
                "files": reading,
            }
            if kind != "inspect":
                arguments["encoding"] = encoding
            imported = IMPORTERS[kind](files, **arguments)
    provenance["logs"] = reading.hashes
    provenance["refused"] = reason_counts(imported.refusals)
    if refused is not None:
        write_refused(imported.refusals, refused)
    if imported.predictions.empty:
        report(imported, f"nothing imported: {out} was not written")
        context.exit(1)
    provenance["extractor_version"] = environment_of(imported.predictions).reader_version
    write_table(imported.predictions, out, PREDICTIONS, provenance)
    report(imported, f"{table_summary(imported.predictions)} written to {out}")
    if imported.refusals:
        context.exit(3)


@replies.command("extract")
@click.argument("source", metavar="RUN_OR_TABLE", type=PATH)
@out_option(None, "Output file; not one of the inputs.")
def replies_extract(source: Path, out: Path) -> None:
    """Extract the answers from replies again, with the current extractor.

    RUN_OR_TABLE is a run folder of `workbench ask`, whose journal is read, or a predictions table.
    Only the state or the actions, their class, status and reason change. No model is asked.
    """
    from workbench.asking.predictions_table import VERSION, extract_again
    from workbench.tables.output_files import check_output
    from workbench.tables.parquet_tables import PREDICTIONS, write_table

    again = extract_again(source)
    check_output(out, again.inputs, "predictions")
    write_table(again.predictions, out, PREDICTIONS, again.provenance)
    click.echo(f"{again.changed_answers:,} rows with another answer")
    click.echo(f"{sum(again.changed_classes.values()):,} rows of another class")
    for (before, now), rows in again.changed_classes.items():
        click.echo(f"  {rows:,} {before} -> {now}")
    if again.new_rows:
        click.echo(f"{again.new_rows:,} rows that the table of the run does not have")
    if again.damaged_lines:
        numbers = ", ".join(map(str, again.damaged_lines))
        click.echo(
            f"Warning: damaged lines of the journal are left out: {numbers}; `workbench ask` with the "
            "same options takes their answers from Inspect's log or asks again",
            err=True,
        )
    if again.without_reply:
        click.echo(f"{again.without_reply:,} rows without a reply, kept as they are")
    click.echo(
        f"{len(again.predictions):,} predictions written to {out}, "
        f"read by version {again.provenance[VERSION]} of the extractor"
    )


@replies.command("simulate")
@click.argument("positions", type=PATH)
@out_option("predictions.parquet")
@click.option("--rate", default=0.03, type=click.FloatRange(0, 1), help="Errors per action.")
@seed_option
@task_options
def replies_simulate(
    positions: Path, out: Path, rate: float, seed: int, task: str, depth: int | None
) -> None:
    """Simulate replies to a POSITIONS table of any environment; no model is asked."""
    from workbench.answers.model_replies import simulate
    from workbench.tasks import task_named

    depth = task_named(task).depth_or_default(depth)
    m = {"depth": depth} if task_named(task).takes_depth else {}
    predictions = _write_replies(
        positions,
        out,
        lambda rows: simulate(rows, rate=rate, seed=seed, task=task, depth=depth),
        {"simulated": {"rate": rate, "seed": seed, **m}},
    )
    click.echo(f"{len(predictions)} simulated predictions written to {out}")


def _write_replies(
    positions: Path, out: Path, reply: Callable[[Any], Any], made_of: dict[str, Any]
) -> Any:
    """Write the predictions that a model of this machine makes of a positions table."""
    from workbench.environments.registry import environment_of
    from workbench.tables.output_files import check_output
    from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table
    from workbench.tables.provenance import file_hash

    check_output(out, [positions], "predictions")
    predictions = reply(read_table(positions, POSITIONS))
    provenance = {
        "stage": "predictions",
        "positions_sha256": file_hash(positions),
        "extractor_version": environment_of(predictions).reader_version,
        **made_of,
    }
    write_table(predictions, out, PREDICTIONS, provenance)
    return predictions


@replies.command("model")
@click.argument("positions", type=PATH)
@click.option(
    "--model",
    default="small",
    metavar="NAME",
    help="tiny, small, medium, player, small@STEP, or a file of weights by `workbench train`.",
)
@out_option("predictions.parquet")
@task_options
@click.option(
    "--temperature", default=0.0, type=click.FloatRange(0), help="0: the likeliest token each time."
)
@click.option(
    "--seed", default=0, type=NATURAL, help="Sample k of a position is drawn with SEED + k."
)
@click.option(
    "--samples", default=1, type=COUNT, help="Replies to each position; above 1 with a temperature."
)
@click.option(
    "--least-probability",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="P",
    help="Of a move that the task actions lists.  [default: 0.005]",
)
@jobs_option
def replies_model(
    positions: Path,
    model: str,
    out: Path,
    task: str,
    depth: int | None,
    temperature: float,
    least_probability: float | None,
    jobs: int,
    **sampling: int,
) -> None:
    """Let a bundled language model reply to a POSITIONS table of chess, offline.

    The models read moves, were never told the rules, and write a FEN token by token; data/MODELS.md
    describes them. The replies do not depend on --jobs.

    All write states. The other tasks are for player, which was trained to name legal moves; the others
    refuse them. To legal_mass it replies with the probabilities of all moves from 0.00001 on.
    """
    from workbench.answers.model_replies import model_in_tables, model_replies
    from workbench.language_model.language_model import LEAST_PROBABILITY, weights_path
    from workbench.language_model.written_replies import ReplySettings
    from workbench.tables.provenance import file_hash
    from workbench.tasks import task_named

    least = LEAST_PROBABILITY if least_probability is None else least_probability
    settings = ReplySettings(task, task_named(task).depth_or_default(depth), temperature, least)
    made_of = {
        "model": model_in_tables(model),
        "weights_sha256": file_hash(weights_path(model)),
    }
    predictions = _write_replies(
        positions,
        out,
        lambda rows: model_replies(rows, model, settings, **sampling, jobs=jobs, progress=True),
        {"language_model": {**made_of, **asdict(settings), **sampling}},
    )
    counts = predictions["reply_class"].value_counts()
    classes = ", ".join(f"{counts[name]:,} {name}" for name in CLASSES if name in counts)
    click.echo(f"{len(predictions):,} predictions written to {out}: {classes or 'none'}")


@main.command("datasets")
@out_option(None, "A new or empty folder.")
@click.option(
    "--positions", type=COUNT, help="Of each environment.  [default: 100 of each group of lengths]"
)
@seed_option
def datasets(out: Path, positions: int | None, seed: int) -> None:
    """Write bundled positions and recorded replies as Hugging Face datasets with a card.

    datasets.load_dataset opens the folder without a network.
    """
    from workbench.rewards.hub_folder import write_hub_folder

    write_hub_folder(out, positions, seed=seed)
    click.echo(f"{out}: positions, replies, README.md")

"""Tables of scores: made on all cores, of files in a way that can be interrupted and resumed, and read.

Finished chunks are stored beside the future table. The result does not depend on workers, chunks,
interruptions or the use of a cluster. Only the current chunks of a file are in memory.
"""

import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm.auto import tqdm

from workbench.environments.registry import environment_of, environment_of_table
from workbench.errors import InvalidArgumentError, RunMismatchError, TableError
from workbench.metrics import with_summaries
from workbench.scoring.parameters import READ, ScoringParameters, scores_schema, scoring_code
from workbench.scoring.workers import ClusterWorkers, LocalWorkers, check_scheduler, chunk_scores
from workbench.tables.earlier_versions import missing_columns
from workbench.tables.parquet_tables import (
    PREDICTIONS,
    ROW_GROUP_ROWS,
    SCHEMA_VERSION,
    arrow_chunks,
    as_arrow,
    as_frame,
    read_provenance,
    read_table,
    row_count,
)
from workbench.tables.provenance import file_hash
from workbench.tables.table_parts import table_in_parts

CHUNK_ROWS: Final = 64
_OF_PARAMETERS: Final = {
    "terminal": "terminal", "ill_formed": "ill_formed_policy", "method": "method",
}  # fmt: skip
"""The columns of a scores table that hold its parameters, by the parameters' names."""


def score(
    predictions: pd.DataFrame,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Score a table of predictions on several cores, in memory.

    Args:
        predictions: Rows of the PREDICTIONS schema.
        parameters: The parameters of scoring.
        jobs: Workers, at least 1; the result does not depend on it.
        progress: Whether to show a progress bar on standard error.
    """
    if jobs < 1:
        raise InvalidArgumentError(f"expected at least 1 job, got {jobs!r}")
    rows = as_arrow(predictions, READ)
    starts = range(0, len(rows), CHUNK_ROWS)
    chunks = enumerate(rows.slice(start, CHUNK_ROWS) for start in starts)
    with tqdm(total=len(predictions), unit="row", desc="scoring", disable=not progress) as bar:
        workers = LocalWorkers(parameters, min(jobs, max(1, len(starts))))
        tables = dict(chunk_scores(chunks, workers, bar.update))
    if not tables:
        return as_frame(scores_schema(parameters, environment_of(predictions)).empty_table())
    return as_frame(pa.concat_tables(tables[index] for index in sorted(tables)))


def score_file(
    predictions_path: Path, out: Path, parameters: ScoringParameters, **options: Any
) -> pd.DataFrame:
    """Score a predictions file into a scores file as `score_table` does, and return the scores."""
    score_table(predictions_path, out, parameters, **options)
    return read_table(out, scores_schema(parameters, environment_of_table(out)))


def score_table(
    predictions_path: Path,
    out: Path,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    chunk_rows: int = CHUNK_ROWS,
    restart: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = warnings.warn,
) -> int:
    """Score a predictions file into a scores file, or resume an interrupted call.

    The file that comes out has the same bytes on any number of workers, here or on a cluster.

    Args:
        predictions_path: Parquet of the PREDICTIONS schema.
        out: The scores table to write. Finished chunks lie in ``<out>.parts`` until it is whole.
        parameters: The parameters of scoring.
        jobs: Workers of this machine, at least 1.
        scheduler: Address of the scheduler of a Dask cluster, whose workers score in their place.
        chunk_rows: Rows per chunk, at least 1: what a kill or a lost worker costs at most, for each
            worker, and what bounds the memory.
        restart: Score everything again, with any parameters; an earlier table is replaced once the
            new one is complete.
        progress: Whether to show a progress bar on standard error.
        report: Called with messages about chunks that are scored again because they are broken.

    Returns:
        How many rows the scores have.

    Raises:
        OutputError: If ``out`` is the predictions or no scores table, another process scores into
            it, or it cannot be written; finished chunks are kept.
        RunMismatchError: If ``out`` or its parts belong to other inputs, parameters or code.
        TableError: If the predictions cannot be read, or were changed meanwhile.
        ClusterError: If the cluster cannot be reached, or loses its workers.
    """
    if chunk_rows < 1 or jobs < 1:
        raise InvalidArgumentError(
            f"expected jobs and chunk_rows of at least 1, got {jobs!r} and {chunk_rows!r}"
        )
    if scheduler is not None:
        check_scheduler(scheduler)
    environment = environment_of_table(predictions_path)
    description = {
        "stage": "scores",
        "environment": environment.name,
        "predictions_sha256": file_hash(predictions_path),
        "parameters": asdict(parameters),
        "schema_version": SCHEMA_VERSION,
        "code": scoring_code(environment, parameters.method),
    }
    # Read completely before anything is made or removed, so that a fault shows now.
    total = sum(len(chunk) for chunk in arrow_chunks(predictions_path, READ, ROW_GROUP_ROWS))
    spans = [(first, min(first + chunk_rows, total)) for first in range(0, total, chunk_rows)]
    schema = scores_schema(parameters, environment)
    with table_in_parts(
        out,
        "scores",
        schema,
        description,
        of_parts={**description, "chunk_rows": chunk_rows},
        inputs=[predictions_path],
        restart=restart,
        report=report,
    ) as parts:
        if parts.finished:
            return row_count(out)
        missing = parts.missing(spans)
        if missing:
            finished = total - sum(behind - first for first, behind in missing)
            bar = tqdm(
                total=total, initial=finished, unit="row", desc="scoring", disable=not progress
            )
            with bar:
                chunks = (
                    (span, chunk)
                    for span, chunk in zip(
                        spans, arrow_chunks(predictions_path, READ, chunk_rows), strict=True
                    )
                    if span in missing
                )
                jobs = min(jobs, len(missing))
                workers = (
                    ClusterWorkers(parameters, scheduler)
                    if scheduler
                    else LocalWorkers(parameters, jobs)
                )
                with closing(chunk_scores(chunks, workers, bar.update)) as scored:
                    for span, rows in scored:
                        parts.write(span, rows)
        if file_hash(predictions_path) != description["predictions_sha256"]:
            parts.discard()
            raise TableError(
                f"{predictions_path}: it was changed while it was scored; run the same command "
                "again"
            )
        parts.join(spans)
    return total


def read_scores(
    scores: pd.DataFrame | str | Path,
    parameters: ScoringParameters | None = None,
    predictions: Path | None = None,
) -> pd.DataFrame:
    """Return a scores table, with the columns of its summaries.

    Args:
        scores: The path of a table; a frame is returned as it is.
        parameters: What the table must have been made with, but for a smaller depth: the columns are
            those of these parameters. By default any; the columns are all that there are.
        predictions: What it must have been made from, if the parameters are named.

    Raises:
        RunMismatchError: If it was made with other parameters or from other predictions.
        TableError: If it is no scores table.
    """
    if isinstance(scores, pd.DataFrame):
        return scores
    path = Path(scores)
    try:
        schema = pq.read_schema(path.absolute())
    except (OSError, pa.ArrowInvalid) as error:
        raise TableError(
            f"{path}: expected a Parquet file of scores, got: {error}; make one by `workbench score`"
        ) from error
    if "reply" in schema.names and not missing_columns(PREDICTIONS.names, schema.names):
        raise TableError(
            f"{path}: expected a scores table, got predictions, which are not scored; run `workbench "
            f"score {path} -o {path.with_name('scores.parquet')}` and take what it writes"
        )
    if parameters is None:
        return with_summaries(read_table(path, schema))
    if predictions is not None:
        refuse_other_predictions(path, predictions)
    refuse_other_parameters(path, parameters)
    environment = environment_of_table(path)
    return read_table(path, scores_schema(parameters, environment, present=schema.names))


def refuse_other_parameters(path: Path, parameters: ScoringParameters) -> None:
    """Refuse a table that `read_scores` would refuse, without reading all of it."""
    columns = pa.schema([(column, pa.string()) for column in _OF_PARAMETERS.values()])
    rows = read_table(path, columns)
    if rows.empty:
        raise TableError(f"{path}: expected a scores table with rows, got one without")
    mismatches = []
    for name, column in _OF_PARAMETERS.items():
        expected, values = getattr(parameters, name), sorted(rows[column].unique())
        if values != [expected]:
            mismatches.append(
                f"{name}: expected {expected!r}, got {' and '.join(map(repr, values))}"
            )
    present = pq.read_schema(path.absolute()).names
    missing = [name for name in parameters.measures() if name not in present]
    if not mismatches and missing:
        mismatches = [f"depth: expected {parameters.depth}, got a table without {missing[0]!r}"]
    if mismatches:
        raise RunMismatchError(
            f"{path}: these scores do not match the study: {'; '.join(mismatches)}; score the "
            "predictions again, or request the table's values with --parameter NAME=VALUE"
        )


def refuse_other_predictions(scores: Path, predictions: Path) -> None:
    """Refuse scores that were made from other predictions than these."""
    made_from = read_provenance(scores).get("predictions_sha256")
    if made_from != file_hash(predictions):
        raise RunMismatchError(
            f"{scores}: expected scores made from {predictions}, got scores of a table with "
            f"SHA-256 {made_from!r}; give the predictions that were scored"
        )

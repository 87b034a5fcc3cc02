"""Scoring on all cores, and of files so that it can be stopped at any moment and taken up again.

Finished chunks lie beside the table to be. What comes out does not depend on workers, chunks or
interruptions, nor on whether a cluster scored it; of a file no more is in memory at a time than the
chunks at hand.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
from tqdm.auto import tqdm

from workbench.errors import InvalidArgumentError, RunMismatchError, TableError
from workbench.provenance import file_hash
from workbench.scoring.parameters import COPIED, ScoringParameters, scores_schema
from workbench.scoring.workers import LocalWorkers, Workers, scored_chunks
from workbench.tables import (
    PREDICTIONS,
    SCHEMA_VERSION,
    as_frame,
    read_chunks,
    read_provenance,
    read_table,
    replacing,
    row_count,
    write_table,
    writing_table,
)

CHUNK_ROWS: Final = 64
# Of the predictions only these are read and sent to workers.
READ: Final = pa.schema([PREDICTIONS.field(name) for name in (*COPIED, "moves")])


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
        parameters: How to score.
        jobs: Workers, at least 1; the result does not depend on it.
        progress: Whether to show a progress bar on standard error.
    """
    starts = range(0, len(predictions), CHUNK_ROWS)
    chunks = enumerate(predictions.iloc[start : start + CHUNK_ROWS] for start in starts)
    with tqdm(total=len(predictions), unit="row", desc="scoring", disable=not progress) as bar:
        workers = LocalWorkers(parameters, min(jobs, max(1, len(starts))) if jobs > 0 else jobs)
        done = dict(scored_chunks(chunks, workers, bar.update))
    if not done:
        return as_frame(scores_schema(parameters).empty_table())
    return pd.concat([done[index] for index in sorted(done)], ignore_index=True)


def score_file(
    predictions_path: Path,
    out: Path,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
    chunk_rows: int = CHUNK_ROWS,
    restart: bool = False,
    progress: bool = False,
) -> pd.DataFrame:
    """Score a predictions file into a scores file as `score_table` does, and return the scores.

    Args:
        predictions_path: Parquet of the PREDICTIONS schema.
        out: The scores table to write.
        parameters: How to score.
        jobs: Workers, at least 1.
        chunk_rows: Rows a chunk, at least 1.
        restart: Throw earlier work for other inputs or parameters away.
        progress: Whether to show a progress bar on standard error.

    Raises:
        RunMismatchError: If ``out`` or its parts belong to other inputs or parameters.
        TableError: If the predictions cannot be read.
    """
    score_table(
        predictions_path,
        out,
        parameters,
        jobs=jobs,
        chunk_rows=chunk_rows,
        restart=restart,
        progress=progress,
    )
    return read_table(out, scores_schema(parameters))


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
) -> int:
    """Score a predictions file into a scores file, or go on where an earlier call was stopped.

    The file that comes out has the same bytes on any number of workers, here or on a cluster.

    Args:
        predictions_path: Parquet of the PREDICTIONS schema.
        out: The scores table to write. Finished chunks lie in ``<out>.parts`` until it is whole.
        parameters: How to score.
        jobs: Workers of this machine, at least 1.
        scheduler: Address of the scheduler of a Dask cluster, whose workers score in their place.
        chunk_rows: Rows a chunk, at least 1: what a kill or a lost worker costs at most, for each
            worker, and what bounds the memory.
        restart: Throw earlier work for other inputs or parameters away.
        progress: Whether to show a progress bar on standard error.

    Returns:
        How many rows the scores have.

    Raises:
        RunMismatchError: If ``out`` or its parts belong to other inputs or parameters.
        TableError: If the predictions cannot be read.
        MissingExtraError: If a scheduler is named and ``distributed`` is not installed.
        ClusterError: If the cluster cannot be reached, or loses its workers.
    """
    if chunk_rows < 1 or jobs < 1:
        raise InvalidArgumentError(
            f"expected jobs and chunk_rows of at least 1, got {jobs!r} and {chunk_rows!r}"
        )
    total = row_count(predictions_path)
    provenance = {
        "stage": "scores",
        "predictions_sha256": file_hash(predictions_path),
        "parameters": asdict(parameters),
        "schema_version": SCHEMA_VERSION,
    }
    parts = out.with_name(out.name + ".parts")
    if restart:
        shutil.rmtree(parts, ignore_errors=True)
        out.unlink(missing_ok=True)
    if out.exists():
        _refuse_mismatch(out, read_provenance(out), provenance)
        return row_count(out)
    paths = [
        parts / f"chunk-{index:06d}.parquet"
        for index in range((total + chunk_rows - 1) // chunk_rows)
    ]
    _begin(parts, {**provenance, "chunk_rows": chunk_rows})
    missing = [index for index, path in enumerate(paths) if not path.exists()]
    schema = scores_schema(parameters)
    if missing:
        done = total - sum(min(chunk_rows, total - index * chunk_rows) for index in missing)
        with tqdm(
            total=total, initial=done, unit="row", desc="scoring", disable=not progress
        ) as bar:
            chunks = _missing_chunks(predictions_path, chunk_rows, frozenset(missing))
            workers = _workers(parameters, min(jobs, len(missing)), scheduler)
            for index, scored in scored_chunks(chunks, workers, bar.update):
                write_table(scored, paths[index], schema, provenance)
    with writing_table(out, schema, provenance) as writer:
        for path in paths:
            writer.write(read_table(path, schema))
        if writer.rows != total:
            raise TableError(
                f"{parts}: expected {total} scored rows, got {writer.rows}; "
                "a part was changed from outside: score again with restart"
            )
    shutil.rmtree(parts)
    return total


def _begin(parts: Path, manifest: dict[str, Any]) -> None:
    path = parts / "manifest.json"
    if path.exists():
        _refuse_mismatch(parts, json.loads(path.read_text()), manifest)
        return
    with replacing(path) as beside:
        beside.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")


def _missing_chunks(
    path: Path, rows: int, missing: frozenset[int]
) -> Iterator[tuple[int, pd.DataFrame]]:
    for index, chunk in enumerate(read_chunks(path, READ, rows)):
        if index in missing:
            yield index, chunk


def _workers(parameters: ScoringParameters, jobs: int, scheduler: str | None) -> Workers:
    if scheduler is None:
        return LocalWorkers(parameters, jobs)
    from workbench.scoring.cluster import ClusterWorkers

    return ClusterWorkers(parameters, scheduler)


def _refuse_mismatch(place: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    differing = {
        key: (found.get(key), wanted.get(key))
        for key in sorted(found.keys() | wanted.keys())
        if found.get(key) != wanted.get(key)
    }
    if differing:
        said = "; ".join(f"{key}: there {a!r}, asked {b!r}" for key, (a, b) in differing.items())
        raise RunMismatchError(
            f"{place} holds the work of another run ({said}); "
            "write elsewhere, or ask for a restart to throw it away"
        )

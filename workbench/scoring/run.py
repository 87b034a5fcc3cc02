"""Scoring on all cores, and of files so that it can be stopped at any moment and taken up again.

Finished chunks lie beside the table to be. What comes out does not depend on workers, chunks or
interruptions.
"""

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import pandas as pd
from tqdm.auto import tqdm

from workbench.errors import InvalidArgumentError, RunMismatchError, TableError
from workbench.provenance import file_hash
from workbench.scoring.parameters import ScoringParameters, scores_schema
from workbench.scoring.rows import score_predictions
from workbench.tables import (
    PREDICTIONS,
    SCHEMA_VERSION,
    as_frame,
    read_provenance,
    read_table,
    replacing,
    write_table,
)

CHUNK_ROWS: Final = 64


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
    chunks = dict(enumerate(_chunks(predictions, CHUNK_ROWS)))
    done = dict(_score_chunks(chunks, parameters, jobs, progress, len(predictions)))
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
    """Score a predictions file into a scores file, or go on where an earlier call was stopped.

    Args:
        predictions_path: Parquet of the PREDICTIONS schema.
        out: The scores table to write. Finished chunks lie in ``<out>.parts`` until it is whole.
        parameters: How to score.
        jobs: Workers, at least 1.
        chunk_rows: Rows a chunk, at least 1: what a kill loses at most, for each worker.
        restart: Throw earlier work for other inputs or parameters away.
        progress: Whether to show a progress bar on standard error.

    Raises:
        RunMismatchError: If ``out`` or its parts belong to other inputs or parameters.
        TableError: If the predictions cannot be read.
    """
    if chunk_rows < 1:
        raise InvalidArgumentError(f"expected chunk_rows of at least 1, got {chunk_rows!r}")
    predictions = read_table(predictions_path, PREDICTIONS)
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
        return read_table(out, scores_schema(parameters))
    manifest = {**provenance, "chunk_rows": chunk_rows}
    manifest_path = parts / "manifest.json"
    if manifest_path.exists():
        _refuse_mismatch(parts, json.loads(manifest_path.read_text()), manifest)
    else:
        with replacing(manifest_path) as beside:
            beside.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
    schema = scores_schema(parameters)
    chunks = dict(enumerate(_chunks(predictions, chunk_rows)))
    paths = {index: parts / f"chunk-{index:06d}.parquet" for index in chunks}
    missing = {index: chunk for index, chunk in chunks.items() if not paths[index].exists()}
    for index, scored in _score_chunks(missing, parameters, jobs, progress, len(predictions)):
        write_table(scored, paths[index], schema, provenance)
    whole = [read_table(path, schema) for path in paths.values()]
    frame = pd.concat(whole, ignore_index=True) if whole else as_frame(schema.empty_table())
    if len(frame) != len(predictions):
        raise TableError(
            f"{parts}: expected {len(predictions)} scored rows, got {len(frame)}; "
            "a part was changed from outside: score again with restart"
        )
    write_table(frame, out, schema, provenance)
    shutil.rmtree(parts)
    return frame


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


def _chunks(frame: pd.DataFrame, rows: int) -> Iterator[pd.DataFrame]:
    for start in range(0, len(frame), rows):
        yield frame.iloc[start : start + rows]


def _workers(parameters: ScoringParameters, jobs: int) -> Executor:
    if parameters.engine == "compiled":
        # The kernel releases the interpreter's lock while it walks.
        return ThreadPoolExecutor(jobs)
    # A fresh interpreter for each worker: forking a process with threads, such as a notebook's
    # kernel, can deadlock.
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


def _score_chunks(
    chunks: dict[int, pd.DataFrame],
    parameters: ScoringParameters,
    jobs: int,
    progress: bool,
    total: int,
) -> Iterator[tuple[int, pd.DataFrame]]:
    if jobs < 1:
        raise InvalidArgumentError(f"expected at least 1 job, got {jobs!r}")
    waiting = sum(map(len, chunks.values()))
    with tqdm(
        total=total, initial=total - waiting, unit="row", desc="scoring", disable=not progress
    ) as bar:
        if jobs == 1 or len(chunks) < 2:
            for index, chunk in chunks.items():
                scored = score_predictions(chunk, parameters)
                bar.update(len(chunk))
                yield index, scored
            return
        with _workers(parameters, jobs) as pool:
            futures = {
                pool.submit(score_predictions, chunk, parameters): index
                for index, chunk in chunks.items()
            }
            try:
                for future in as_completed(futures):
                    index = futures[future]
                    bar.update(len(chunks[index]))
                    yield index, future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

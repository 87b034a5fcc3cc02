"""Scores that the user made with ``workbench score``: used only if they match the study."""

from pathlib import Path
from typing import Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.environments.registry import environment_of_table
from workbench.errors import RunMismatchError, TableError
from workbench.scoring import ScoringParameters, scores_schema
from workbench.tables.parquet_tables import read_provenance, read_table
from workbench.tables.provenance import file_hash

_COLUMNS: Final = {"terminal": "terminal", "ill_formed": "ill_formed_policy", "method": "method"}


def read_scores(path: Path, parameters: ScoringParameters) -> pd.DataFrame:
    """Return a scores table that was made with these parameters, or with a greater depth.

    Args:
        path: Made by ``workbench score``.
        parameters: What the study asks for.

    Raises:
        TableError: If it is no scores table, or has no rows.
        RunMismatchError: If it was made with other parameters.
    """
    refuse_other_parameters(path, parameters)
    present = pq.read_schema(path.absolute()).names
    return read_table(path, scores_schema(parameters, environment_of_table(path), present=present))


def refuse_other_parameters(path: Path, parameters: ScoringParameters) -> None:
    """Refuse a table that `read_scores` would refuse, without reading all of it.

    Raises:
        TableError: If it is no scores table, or has no rows.
        RunMismatchError: If it was made with other parameters; each that differs is named.
    """
    wanted = {name: getattr(parameters, name) for name in _COLUMNS}
    schema = pa.schema([(column, pa.string()) for column in _COLUMNS.values()])
    made_with = read_table(path, schema)
    if made_with.empty:
        raise TableError(f"{path}: expected a scores table with rows, got one without")
    found = {name: sorted(made_with[column].unique()) for name, column in _COLUMNS.items()}
    differing = [
        f"{name}: expected {value!r}, got {' and '.join(map(repr, found[name]))}"
        for name, value in wanted.items()
        if found[name] != [value]
    ]
    missing = [
        name for name in parameters.measures() if name not in pq.read_schema(path.absolute()).names
    ]
    if not differing and missing:
        differing = [f"depth: expected {parameters.depth}, got a table without {missing[0]!r}"]
    if differing:
        raise RunMismatchError(
            f"{path}: these scores do not match the study: {'; '.join(differing)}; score the "
            "predictions again, or request the table's values with --parameter NAME=VALUE"
        )


def refuse_other_predictions(scores: Path, predictions: Path) -> None:
    """Refuse scores that were made from other predictions than these.

    Raises:
        RunMismatchError: If they were.
    """
    made_from = read_provenance(scores).get("predictions_sha256")
    if made_from != file_hash(predictions):
        raise RunMismatchError(
            f"{scores}: expected scores made from {predictions}, got scores of a table with "
            f"SHA-256 {made_from!r}; give the predictions that were scored"
        )

"""Validation of a table file: its type, its integrity, its anomalies."""

import json
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm.auto import tqdm

from workbench.affordance import ESTIMATORS
from workbench.checking.recomputation import SAMPLE_ROWS, Recomputation
from workbench.checking.row_checks import (
    EXAMPLES,
    REQUIRED,
    Findings,
    TableReport,
    check_classes,
    check_groups,
    check_metrics,
    check_moves,
    check_nulls,
    check_true_states,
)
from workbench.depth_summaries import stale_summaries
from workbench.environments.registry import (
    DEFAULT,
    AnyEnvironment,
    environment_named,
    environment_of_table,
)
from workbench.errors import InvalidArgumentError, TableError
from workbench.games.game_tables import GAMES
from workbench.scoring import ScoringParameters, scores_schema
from workbench.tables.earlier_versions import (
    RENAMED,
    advice,
    can_upgrade,
    missing_columns,
    needed_columns,
    upgrade,
    with_summaries,
)
from workbench.tables.output_files import kind_of
from workbench.tables.parquet_tables import (
    PACKAGES_KEY,
    POSITIONS,
    PREDICTIONS,
    PROVENANCE_KEY,
    REPLY_KEY,
    SCHEMA_VERSION,
    VERSION_KEY,
    as_frame,
    record_batches,
)

CHUNK_ROWS: Final = 1024
# One row each, for any table.
CHECKS: Final = {
    "positions": (check_true_states, check_groups),
    "predictions": (check_true_states, check_groups, check_classes),
    "scores": (check_true_states, check_groups, check_classes, check_metrics),
    "games": (check_moves,),
}
KEYS: Final = {
    "positions": ["position_id"],
    "predictions": list(REPLY_KEY),
    "scores": list(REPLY_KEY),
    "games": ["number"],
}
COUNTED: Final = ("group", "model", "reply_class", "terminal", "ill_formed_policy", "method")
PARAMETERS: Final = {"terminal": "terminal", "ill_formed_policy": "ill_formed", "method": "method"}


def check_table(
    path: Path, *, sample: int | None = SAMPLE_ROWS, seed: int = 0, progress: bool = False
) -> TableReport:
    """Validate a table: its type, its integrity, its anomalies.

    Every row is read, and every page's checksum compared where the file has them. True FENs are
    compared with where the moves lead, classes with what python-chess says of the predicted FEN.
    Text metrics and small depths of p and r are computed again in every row, the whole depth in a
    sample; the report's fact ``computed again`` says in how many rows.

    Args:
        path: A Parquet file.
        sample: Rows of scores whose p and r are computed again at the whole depth; None for all.
        seed: Seed of the choice of these rows.
        progress: Whether to show a progress bar on standard error.

    Raises:
        TableError: If there is no such file.
        InvalidArgumentError: If the sample is negative.
    """
    if not path.is_file():
        raise TableError(f"{path}: expected a file, found none; check the name")
    report = TableReport(str(path))
    try:
        with pq.ParquetFile(
            path.absolute(), buffer_size=1 << 20, page_checksum_verification=True
        ) as file:
            _read_metadata(file, report)
            parameters = _parameters(file.schema_arrow.names, report)
            environment = _environment(path, report)
            schema = _checked_schema(file.schema_arrow, parameters, environment, report)
            with tqdm(total=report.rows, unit="row", desc="checking", disable=not progress) as bar:
                again = None
                # Otherwise the table does not say how it was made.
                if parameters and schema is not None and "parameters" in report.provenance:
                    again = Recomputation(parameters, environment, report.rows, sample, seed)
                counts = _check_rows(file, schema, environment, again, report, bar)
            if report.kind == "scores":
                _check_parameters(counts, parameters, report)
            _check_keys(file, report)
            _check_boards_of_positions(file, report)
            report.whole = True
    except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        report.add(f"it is truncated, damaged or not a Parquet file: {error}; make it again")
    return report


def _read_metadata(file: pq.ParquetFile, report: TableReport) -> None:
    report.rows = file.metadata.num_rows
    report.kind = kind_of(file.schema_arrow.names)
    metadata = {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (file.schema_arrow.metadata or {}).items()
    }
    report.schema_version = metadata.get(VERSION_KEY)
    if report.schema_version is None:
        report.add("it carries no schema version: the workbench did not make it")
    elif report.schema_version != str(SCHEMA_VERSION) and not _is_upgraded(file.schema_arrow):
        report.add(
            f"it has the schema version {report.schema_version!r} of another time; this is "
            f"{SCHEMA_VERSION}: {advice(report.schema_version, SCHEMA_VERSION)}"
        )
    report.provenance = _mapping(metadata.get(PROVENANCE_KEY), "provenance", report)
    report.packages = _mapping(metadata.get(PACKAGES_KEY), "versions of packages", report)


def _is_upgraded(schema: pa.Schema) -> bool:
    version = (schema.metadata or {}).get(VERSION_KEY.encode(), b"").decode(errors="replace")
    return version != str(SCHEMA_VERSION) and can_upgrade(version, schema.names)


def _environment(path: Path, report: TableReport) -> AnyEnvironment:
    """Return the environment of the rows; chess where they name several, or none that is known."""
    try:
        return environment_of_table(path)
    except (TableError, InvalidArgumentError) as error:
        report.add(f"its rows were read as chess: {error}")
        return environment_named(DEFAULT)


def _mapping(text: str | None, name: str, report: TableReport) -> dict[str, Any]:
    try:
        mapping = json.loads(text or "{}")
    except ValueError:
        mapping = None
    if not isinstance(mapping, dict):
        report.add(f"its {name} cannot be read: {text!r:.80}")
        return {}
    if not mapping:
        report.add(f"it carries no {name}")
    return mapping


def _parameters(names: list[str], report: TableReport) -> ScoringParameters | None:
    """Return how scores were made: as their provenance says, or else as their columns tell."""
    if report.kind != "scores":
        return None
    arguments = report.provenance.get("parameters")
    if arguments is not None:
        try:
            return ScoringParameters(**arguments)
        except (TypeError, ValueError) as error:
            report.add(f"its provenance holds no parameters of scores: {error}")
    depths = [int(name[10:]) for name in names if re.fullmatch(r"precision_\d+", name)]
    exact = not any(name.endswith("_standard_error") for name in names)
    method = "exact" if exact else next(iter(ESTIMATORS))
    return ScoringParameters(depth=max(depths, default=1), method=method)


def _checked_schema(
    in_file: pa.Schema,
    parameters: ScoringParameters | None,
    environment: AnyEnvironment,
    report: TableReport,
) -> pa.Schema | None:
    """Return the schema if the file has its columns, and None if its rows cannot be looked at."""
    by_kind = {"positions": POSITIONS, "predictions": PREDICTIONS, "games": GAMES}
    schema = by_kind.get(report.kind)
    if parameters is not None:
        schema = scores_schema(parameters, environment, present=in_file.names)
    if schema is None:
        report.add(f"its columns match no table of the workbench: {', '.join(in_file.names)}")
        return None
    computed = stale_summaries(schema.names, in_file.names)
    missing = [name for name in schema.names if name not in [*in_file.names, *computed]]
    beyond = [name for name in in_file.names if name not in schema.names]
    if _is_upgraded(in_file):
        missing = missing_columns(schema.names, in_file.names)
        beyond = [name for name in beyond if RENAMED.get(name) not in schema.names]
    differing = [
        f"{name} is {in_file.field(name).type}, not {schema.field(name).type}"
        for name in schema.names
        if name in in_file.names and in_file.field(name).type != schema.field(name).type
    ]
    for what, names in (
        ("columns are missing, so its rows were not checked", missing),
        ("there are columns outside the schema", beyond),
        ("columns have other types", differing),
    ):
        if names:
            report.add(f"{what}: {', '.join(names)}")
    return None if missing else schema


def _check_rows(
    file: pq.ParquetFile,
    schema: pa.Schema | None,
    environment: AnyEnvironment,
    again: Recomputation | None,
    report: TableReport,
    bar: Any,
) -> dict[str, Counter[str]]:
    findings = Findings()
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in COUNTED if name in file.schema_arrow.names
    }
    below = {"scores": ("positions", "predictions"), "predictions": ("positions",)}
    kinds = (*below.get(report.kind, ()), report.kind)
    required = tuple(name for kind in kinds for name in REQUIRED.get(kind, ()))
    is_earlier = _is_upgraded(file.schema_arrow)
    for batch in record_batches(file, CHUNK_ROWS):
        table = pa.Table.from_batches([batch])
        if is_earlier:
            table = upgrade(table, table.column_names if schema is None else schema.names)
        if schema is not None:
            try:
                table = with_summaries(table, stale_summaries(schema.names, table.column_names))
                table = table.select(schema.names).cast(schema)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                report.add(
                    f"a column has invalid values: {error}; rows from {findings.start} on were not "
                    "checked"
                )
                schema = None
        chunk = as_frame(table)
        for name, counter in counts.items():
            counter.update(chunk[name].map(str).tolist())
        if schema is not None:
            check_nulls(chunk, required, findings)
            for check in CHECKS[report.kind]:
                check(chunk, findings, environment)
            if again is not None:
                again.check(chunk, findings)
        findings.start += len(chunk)
        bar.update(len(chunk))
    report.facts = {
        name: {value: counter[value] for value in sorted(counter, key=_by_number)}
        for name, counter in counts.items()
    }
    if again is not None:
        report.facts["computed again"] = again.counts
    report.oddities += findings.oddities()
    return counts


def _by_number(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (-1, text)


def _check_parameters(
    counts: dict[str, Counter[str]], parameters: ScoringParameters | None, report: TableReport
) -> None:
    described = parameters if "parameters" in report.provenance else None
    for column, name in PARAMETERS.items():
        values = sorted(counts.get(column, ()))
        if len(values) > 1:
            report.add(f"{column} differs from row to row: {', '.join(values)}")
        elif values and described and values[0] != (there := getattr(described, name)):
            report.add(f"{column} is {values[0]!r} in the rows, and {there!r} in the provenance")


def _check_keys(file: pq.ParquetFile, report: TableReport) -> None:
    names = KEYS.get(report.kind, [])
    keys = _columns(file, names)
    if keys is None or not names:
        return
    again = keys.duplicated(keep="first")
    if again.any():
        rows = keys[again]
        examples = [
            f"row {place}: {', '.join(map(str, row))}"
            for place, row in zip(
                rows.index[:EXAMPLES], rows.head(EXAMPLES).itertuples(index=False), strict=True
            )
        ]
        what = f"{' + '.join(names)} is repeated"
        report.add(what, int(again.sum()), examples)


def _columns(file: pq.ParquetFile, names: list[str]) -> pd.DataFrame | None:
    """Return columns of a table of any version that is read; None if it lacks one."""
    schema = file.schema_arrow
    if not _is_upgraded(schema):
        return as_frame(file.read(columns=names)) if set(names) <= set(schema.names) else None
    if missing_columns(names, schema.names):
        return None
    table = file.read(columns=needed_columns(names, schema.names))
    return as_frame(upgrade(table, names).select(names))


def _check_boards_of_positions(file: pq.ParquetFile, report: TableReport) -> None:
    boards = _columns(file, ["position_id", "true_state"])
    if boards is None:
        return
    boards = boards.dropna().drop_duplicates()
    several = boards[boards.duplicated("position_id", keep=False)]
    if len(several):
        examples = [
            f"{name}: {', '.join(map(repr, part['true_state'].head(2)))}"
            for name, part in islice(several.groupby("position_id", sort=False), EXAMPLES)
        ]
        what = f"{several['position_id'].nunique():,} position_id have several true boards"
        report.add(what, 0, examples)

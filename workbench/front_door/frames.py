"""Any table of true states and replies as predictions: columns by their usual names, the rest filled in."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.answers.imports import IMPORTERS, ImportedReplies, RowDefaults, format_of
from workbench.answers.imports.foreign_rows import ForeignRow, imported_rows
from workbench.answers.imports.import_result import present
from workbench.answers.imports.named_columns import DELIMITERS, VARIANT_KEYS
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError, TableError
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, as_frame, present_frame

Rows: TypeAlias = Any
"""A pandas frame, a table with the Arrow C stream interface, a path, or a list of dictionaries."""

MODEL: Final = "model"
"""The name of the model of rows that name none."""

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "true_state": ("true_state", "true_fen", "true", "truth", "target", "fen", "state"),
    "reply": ("reply", "response", "completion", "output", "answer", "predicted", "prediction"),
    "predicted_state": ("predicted_state", "predicted_fen"),
    "predicted_actions": ("predicted_actions",),
    "moves": ("moves", "uci"),
    "movetext": ("movetext", "pgn"),
    "initial_state": ("initial_state", "initial", "start"),
    "game_id": ("game_id", "game"),
    "model": ("model", "model_name"),
    **{
        name: (name,)
        for name in (
            *("position_id", "environment", "source", "group", "ply", "game_plies"),
            *("set", "task", "setting", "sample", "reply_class", "reason", "earlier_turns"),
            *("stop_reason", "input_tokens", "output_tokens", "reasoning_tokens"),
            *("dollars", "seconds"),
        )
    },
}
"""The columns of a predictions table, and what frames call them; the first name that is there counts."""

_ANSWERS: Final = ("reply", "predicted_state", "predicted_actions")
_TRUTHS: Final = ("true_state", "moves", "movetext")
_TEXTS: Final = ("position_id", "source", "game_id", "model", "setting", "set")
_MOST_NAMED: Final = 3
_UCI: Final = re.compile(r"[a-h][1-8][a-h][1-8]")


def frame_of(rows: Rows) -> pd.DataFrame:
    """Return any table as a pandas frame, as it is.

    Args:
        rows: A pandas frame; a table that speaks the Arrow C stream, such as one of polars; the path
            of a Parquet, CSV, TSV or JSON Lines file, of an Inspect log, or of a run folder, whose
            scores, or else predictions, are read; a list of dictionaries, or a dictionary of lists.
    """
    if isinstance(rows, pd.DataFrame):
        return rows
    if isinstance(rows, pd.Series):
        return rows.to_frame().T
    if isinstance(rows, str | Path):
        return _file(Path(rows))
    if hasattr(rows, "__arrow_c_stream__"):
        return as_frame(pa.table(rows))
    if isinstance(rows, Mapping) and all(isinstance(each, list) for each in rows.values()):
        return pd.DataFrame(dict(rows))
    if isinstance(rows, Iterable) and not isinstance(rows, Mapping):
        listed = list(rows)
        if listed and all(isinstance(row, Mapping) for row in listed):
            # No table holds a lone surrogate, which JSON may name.
            return pd.DataFrame([{**row, **present(row)} for row in listed])
    raise InvalidArgumentError(
        "expected a data frame (pandas, polars, Arrow), the path of a table, or a list of "
        f"dictionaries, got {rows!r:.80}"
    )


def _file(path: Path) -> pd.DataFrame:
    if path.is_dir():
        for name in ("scores.parquet", "predictions.parquet", "positions.parquet"):
            if (path / name).is_file():
                return _file(path / name)
        raise TableError(f"{path}: expected a run folder with scores or predictions, found neither")
    if not path.is_file():
        raise TableError(f"{str(path)!r:.200}: expected the path of a table, found no such file")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return as_frame(pq.read_table(path))
        kind = format_of(path)
        if kind != "columns":
            imported: pd.DataFrame = _complete(IMPORTERS[kind]([path]), str(path))
            return imported
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            return pd.read_json(path, lines=True, dtype=False, precise_float=True)
        with path.open(encoding="utf-8-sig") as file:
            header = file.readline()
        mark = max(DELIMITERS, key=header.count)
        # The empty text stays one: an empty reply is a reply.
        return pd.read_csv(path, sep=mark, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError, pa.ArrowException, pd.errors.ParserError) as error:
        raise TableError(
            f"{path}: expected a table (Parquet, CSV, TSV, JSON Lines or an Inspect log), got: "
            f"{error!s:.200}"
        ) from error


def predictions_of(
    rows: Rows, environment: str | None = None, *, task: str = "state", answered: bool = True
) -> pd.DataFrame:
    """Return any table of true states and replies as rows of predictions, with all its other columns.

    Args:
        rows: As for `frame_of`, with the true state (or the moves that lead to it) and a reply or a
            predicted state, in columns of any name in `NAMES`.
        environment: Its name; None for that of the column ``environment``, or chess.
        task: What was asked, for rows that do not say it.
        answered: Whether each row must have an answer; without, the rows are positions.

    Returns:
        As many rows in the same order. What a row lacks is filled in (ids, game, group, model, sample)
        or null. Columns that no table of the workbench has stay as they are.
    """
    frame = frame_of(rows)
    schema = PREDICTIONS if answered else POSITIONS
    present = present_frame(frame, schema)
    if set(schema.names) <= set(present.columns):
        return present
    names = _names(frame, answered)
    if "group" in names and pd.to_numeric(frame[names["group"]], errors="coerce").isna().all():
        raise InvalidArgumentError(
            "column group: expected the number of moves after which positions were cut, got "
            f"{frame[names['group']].iloc[0]!r:.80}; give groups of your own another name, and pass it to "
            "workbench.summary as by"
        )
    environment_name = "" if environment is None else environment_named(environment).name
    defaults = RowDefaults(environment=environment_name, task=task, model=MODEL)
    foreign = _foreign_rows(frame, names, defaults, answered)
    table = _complete(imported_rows(foreign, defaults=defaults), "row")
    table.index = frame.index
    others = [name for name in frame.columns if name not in names.values()]
    beside = frame[[name for name in others if name not in schema.names]]
    whole: pd.DataFrame = pd.concat([table[schema.names], beside], axis=1)
    return whole


def _names(frame: pd.DataFrame, answered: bool) -> dict[str, str]:
    columns = [str(name) for name in frame.columns]
    by_lower = {name.strip().lower().replace(" ", "_"): name for name in reversed(columns)}
    names = {
        ours: by_lower[theirs[0]]
        for ours, usual in NAMES.items()
        if (theirs := [name for name in usual if name in by_lower])
    }
    if "unscored" in columns:
        raise InvalidArgumentError(
            "expected replies, got a table of scores, which is scored already; pass it to "
            "workbench.summary, workbench.plot or workbench.explore"
        )
    needed = [(_TRUTHS, "the true state (or the moves that lead to it)")]
    if answered:
        needed.append((_ANSWERS, "the reply or predicted state"))
    for group, words in needed:
        if not names.keys() & set(group):
            usual = ", ".join(name for ours in group for name in NAMES[ours])
            raise InvalidArgumentError(
                f"expected a column with {words}, named one of {usual}; got the columns "
                f"{', '.join(columns)[:300] or 'none'}; rename one"
            )
    return names


def _foreign_rows(
    frame: pd.DataFrame, names: Mapping[str, str], defaults: RowDefaults, answered: bool
) -> Iterable[ForeignRow]:
    for number, row in enumerate(frame.to_dict("records")):
        values = {ours: row[theirs] for ours, theirs in names.items()}
        moves, own = (
            values.get("moves"),
            values.get("environment") or defaults.environment or DEFAULT,
        )
        if own == DEFAULT and isinstance(moves, str) and not _UCI.match(moves.strip()):
            values.setdefault("movetext", moves)
            values["moves"] = None
        for name in _TEXTS:
            # A column of whole numbers with a gap is one of floats.
            if isinstance(values.get(name), float) and values[name].is_integer():
                values[name] = int(values[name])
        if not answered:
            values["reply"] = ""
        yield ForeignRow(
            "row",
            number,
            "",
            values,
            names=tuple(row.get(key) for key in VARIANT_KEYS),
            called=names,
        )


def _complete(imported: ImportedReplies, where: str) -> pd.DataFrame:
    refusals = imported.refusals
    if not refusals:
        return imported.predictions
    some = "; ".join(f"{where} {note.line}: {note.detail}"[:300] for note in refusals[:_MOST_NAMED])
    total = len(refusals) + len(imported.predictions)
    raise InvalidArgumentError(
        f"{len(refusals)} of {total} rows cannot be read: {some}"
        + ("; ..." if len(refusals) > _MOST_NAMED else "")
        + "; mend or drop them"
    )

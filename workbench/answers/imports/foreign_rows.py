"""Conversion of one imported row to a row of predictions: missing values are derived or refused."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

import pandas as pd

from workbench.answers.imports.eval_logs import CALL_FAILED
from workbench.answers.imports.imported import Refused, RefusedRowError, Remark
from workbench.answers.imports.true_boards import (
    PlayedLine,
    TrueBoard,
    agree,
    band_of,
    given_line,
    identity_of,
    true_board,
)
from workbench.environments.chess.chess960 import chess960_row
from workbench.environments.chess.classification import classify, classify_fen
from workbench.environments.chess.fen import Fen
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.prediction import Prediction, ReplyClass
from workbench.tables.parquet_tables import PREDICTIONS
from workbench.tables.provenance import text_hash

OWN_COLUMNS: Final = tuple(name for name in PREDICTIONS.names if name != "status")
"""The columns of a table of predictions that a foreign file can fill; ``status`` is worked out."""

_COUNTS: Final = ("input_tokens", "output_tokens", "reasoning_tokens")
_AMOUNTS: Final = ("dollars", "seconds")
_HASH_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """A row of a file of others, under our names.

    Attributes:
        file: Name of the file, as given.
        line: Line number, from 1.
        source: The ``source`` of a row that names none.
        values: By the names in `OWN_COLUMNS`. A name that the file does not have is missing; one
            that is empty in this row is None or blank.
        prediction: The answer, if the file contains more than the reply.
        played: The moves, if they are not in the row itself.
        stem: How the position's name begins, which a hash of folder and board ends; empty where
            the row has a ``position_id``, or where the name is to be made of the moves or board.
        folder: The folder of the stem.
        names: What else may name the variant that was played.
        content: The same for rows that say the same; empty if that need not be noticed.
        provider: Who serves the model; told where two serve one of the same name.
        called: The file's names for our columns, where they differ.
    """

    file: str
    line: int
    source: str
    values: Mapping[str, Any]
    prediction: Prediction | None = None
    played: PlayedLine | None = None
    stem: str = ""
    folder: str = ""
    names: tuple[object, ...] = ()
    content: str = ""
    provider: str = ""
    called: Mapping[str, str] = field(default_factory=dict)


def check_columns(columns: Mapping[str, str]) -> None:
    """Refuse a name that is none of ours on the left of a mapping.

    Raises:
        InvalidArgumentError: If there is one.
    """
    unknown = sorted(set(columns) - set(OWN_COLUMNS))
    if unknown:
        raise InvalidArgumentError(f"columns: expected names of {OWN_COLUMNS}, got {unknown}")


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are there: not None, no NaN, no blank text."""
    return {
        name: storable(value) if isinstance(value, str) else value
        for name, value in values.items()
        if not (
            value is None
            or value is pd.NA
            or (isinstance(value, str) and not value.strip())
            or (isinstance(value, float) and math.isnan(value))
        )
    }


@lru_cache(maxsize=1 << 16)
def classified_fen(fen: str) -> Prediction:
    """Return the answer of a FEN; cached, because many models give the same right ones."""
    return classify_fen(fen)


def storable(text: str) -> str:
    """Return a text as UTF-8 can hold it: a lone surrogate, which JSON may name, is U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def made_row(
    row: ForeignRow, known: Mapping[str, dict[str, Any]] | None, model: str | None
) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    """Return the row of predictions that a foreign row makes, and what is odd about it.

    Args:
        row: The foreign row.
        known: Rows of positions by their ``position_id``, whose values go before the row's; None
            if positions need not be known.
        model: The name of the model where the row has none.

    Returns:
        Values by the names of PREDICTIONS, ``sample`` None where the row has none.

    Raises:
        RefusedRowError: If something is missing, out of range or contradictory.
    """
    values = present(row.values)
    values.setdefault("model", model)
    line = row.played
    if known is not None:
        values, line = _joined(values, known)
    elif line is None:
        line = given_line(values)
    board = true_board(
        _optional_text(values, "true_state"),
        line,
        _integer(values, "ply"),
    )
    moves = line.moves if line else None
    position_id = _position_id(row, values, board)
    source = _optional_text(values, "source") or row.source
    if reason := chess960_row(Fen(board.fen), moves, (*row.names, row.source, source, position_id)):
        raise RefusedRowError(Refused.CHESS960, "", reason)
    group = _integer(values, "group")
    prediction = row.prediction or _prediction(row.values, values)
    made = {
        "position_id": position_id,
        "environment": DEFAULT,
        "game_id": _optional_text(values, "game_id") or (line.game_id if line else None),
        "source": source,
        "group": band_of(board.ply) if group is None else group,
        "ply": board.ply,
        "game_plies": _integer(values, "game_plies"),
        "initial_state": "",
        "movetext": _movetext(values, line),
        "moves": moves,
        "true_state": board.fen,
        "set": _optional_text(values, "set") or "",
        "task": "state",
        "model": _model(values),
        "setting": _optional_text(values, "setting") or "",
        "sample": _integer(values, "sample"),
        "reply": _reply(row.values, prediction),
        **prediction.columns(),
        "earlier_turns": _turns(values),
        "stop_reason": _optional_text(values, "stop_reason"),
        **{name: _integer(values, name, limit=2**63) for name in _COUNTS},
        **{name: _amount(values, name) for name in _AMOUNTS},
    }
    return made, board.remarks


def _joined(
    values: dict[str, Any], known: Mapping[str, dict[str, Any]]
) -> tuple[dict[str, Any], PlayedLine | None]:
    """Return a row's values with those of its position, whose moves are believed."""
    position_id = _given_id(values)
    if position_id not in known:
        raise RefusedRowError(
            Refused.UNKNOWN_POSITION,
            "position_id",
            f"{position_id!r:.80} is not among the positions given",
        )
    position = known[position_id]
    given = values.get("true_state")
    if given is not None and not agree(str(given), position["true_state"]):
        raise RefusedRowError(
            Refused.CONTRADICTION,
            "true_state",
            f"{given!r:.100}, but position {position_id!r} has {position['true_state']!r}",
        )
    joined = {**values, **position}
    if position.get("moves") is None:
        return joined, None
    return joined, PlayedLine(
        moves=position["moves"],
        movetext=position.get("movetext", ""),
        game_id=position.get("game_id", ""),
        ply=len(position["moves"].split()),
        fen=position["true_state"],
    )


def _position_id(row: ForeignRow, values: Mapping[str, Any], board: TrueBoard) -> str:
    identity = identity_of(board.fen)
    if row.stem:
        folder_and_board = text_hash("\n".join((row.folder, identity)))
        return f"{row.stem}-{folder_and_board[:_HASH_DIGITS]}"
    if "position_id" in row.values:
        return _given_id(values)
    if board.line is not None:
        return f"{board.line.game_id}-{board.line.ply:03d}"
    return text_hash(identity)[:16]


def _given_id(values: Mapping[str, Any]) -> str:
    value = values.get("position_id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise RefusedRowError(
            Refused.NO_POSITION, "position_id", f"expected a text, got {_shown(value)}"
        )
    return value


def _model(values: Mapping[str, Any]) -> str:
    value = values.get("model")
    if not isinstance(value, str):
        raise RefusedRowError(Refused.NO_MODEL, "model", f"expected a text, got {_shown(value)}")
    return value


def _movetext(values: Mapping[str, Any], line: PlayedLine | None) -> str | None:
    given = _optional_text(values, "movetext")
    if given is not None and (line is None or not given.lstrip().startswith("[")):
        return given
    return line.movetext if line else given


def _prediction(given: Mapping[str, Any], values: Mapping[str, Any]) -> Prediction:
    """Return the answer of the reply; an empty reply and a null are the same."""
    if "predicted_state" in values:
        return classified_fen(str(values["predicted_state"]))
    said, reason = str(values.get("reply_class", "")), str(values.get("reason", ""))
    if said == ReplyClass.FAILED or reason.startswith(CALL_FAILED):
        return Prediction(ReplyClass.FAILED, None, reason=reason or f"{CALL_FAILED}unknown")
    if said == ReplyClass.ABSENT:
        return Prediction(ReplyClass.ABSENT, None, reason=reason or "no FEN given")
    reply = values.get("reply")
    if isinstance(reply, str):
        return classify(reply)
    if reply is not None:
        raise RefusedRowError(Refused.NO_REPLY, "reply", f"expected a text, got {_shown(reply)}")
    if "reply" in given or "predicted_state" in given:
        return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
    raise RefusedRowError(
        Refused.NO_REPLY, "reply", "expected a text, or a predicted_state, got neither"
    )


def _reply(given: Mapping[str, Any], prediction: Prediction) -> str | None:
    reply = given.get("reply")
    if isinstance(reply, str) and (reply.strip() or prediction.predicted_state is None):
        return None if prediction.reply_class is ReplyClass.FAILED else storable(reply)
    empty = prediction.reply_class is ReplyClass.ABSENT and "reply" in given
    return "" if empty else None


def _turns(values: Mapping[str, Any]) -> str | None:
    turns = values.get("earlier_turns")
    return json.dumps(turns) if isinstance(turns, list) else _optional_text(values, "earlier_turns")


def _optional_text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or isinstance(value, str):
        return value
    raise RefusedRowError(Refused.BAD_VALUE, name, f"expected a text, got {_shown(value)}")


def _integer(values: Mapping[str, Any], name: str, limit: int = 2**31) -> int | None:
    """Return a whole number; "5.0" is 5."""
    value = values.get(name)
    if value is None:
        return None
    try:
        number = Decimal("-1" if isinstance(value, bool) else str(value).strip())
        if 0 <= number < limit and number == number.to_integral_value():
            return int(number)
    except InvalidOperation:
        pass
    raise RefusedRowError(
        Refused.BAD_VALUE, name, f"expected an integer of at least 0, got {_shown(value)}"
    )


def _amount(values: Mapping[str, Any], name: str) -> float | None:
    value = values.get(name)
    if value is None:
        return None
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise RefusedRowError(
            Refused.BAD_VALUE, name, f"expected a number of at least 0, got {_shown(value)}"
        )
    return number


def _shown(value: object) -> str:
    return "none" if value is None else f"{value!r:.80}"

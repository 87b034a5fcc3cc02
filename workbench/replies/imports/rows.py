"""One row of a foreign file, made a row of predictions: what is missing is worked out or refused."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import chess
import pandas as pd

from workbench.errors import InvalidArgumentError, TableError
from workbench.replies.extract import Prediction, ReplyClass, classify, classify_fen
from workbench.replies.recorded import PLIES_A_GROUP, ImportedLog, Refusal
from workbench.tables import POSITIONS, PREDICTIONS

OWN_COLUMNS: Final = (*POSITIONS.names, "model", "sample", "reply", "predicted_fen")
"""The columns of a table of predictions that a foreign file can fill; the others are worked out."""

_NUMBER: Final = re.compile(r"(?<!\d)\d+\.+")
_RESULTS: Final = frozenset({"1-0", "0-1", "1/2-1/2", "*"})


class RefusedRowError(Exception):
    """A row cannot become a prediction; the message says why."""


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """A row of a file of others, under our names.

    Attributes:
        file: The file's name.
        line: From 1.
        values: By the names in `OWN_COLUMNS`; a name may be missing.
        prediction: What the reply amounts to, if the file says more than the reply does.
    """

    file: str
    line: int
    values: Mapping[str, Any]
    prediction: Prediction | None = None


def imported_rows(
    rows: Iterable[ForeignRow | Refusal], *, positions: pd.DataFrame | None, model: str | None
) -> ImportedLog:
    """Return foreign rows as predictions; each row is in the table or among the refusals.

    A row needs a position_id, a reply or a predicted_fen, and the true board: as true_fen, as
    moves, as movetext, or by its position_id in ``positions``. Replies of one model to one position
    without a sample are numbered 0, 1, ... as they come; a sample that is named twice is refused.

    Args:
        rows: In the order in which they shall stand.
        positions: Rows of the POSITIONS schema, to be found by ``position_id``; its values go
            before those of the file.
        model: The name of the model where the file has none.

    Raises:
        TableError: If an id stands twice in ``positions``.
    """
    known: dict[str, dict[str, Any]] = {}
    if positions is not None:
        twice = positions["position_id"][positions["position_id"].duplicated()]
        if len(twice):
            raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r}")
        records = positions[POSITIONS.names].to_dict("records")
        known = {str(record["position_id"]): _present(record) for record in records}
    made: list[dict[str, Any]] = []
    refusals: list[Refusal] = []
    counted: Counter[tuple[str, str]] = Counter()
    taken: set[tuple[str, str, int]] = set()
    for row in rows:
        if isinstance(row, Refusal):
            refusals.append(row)
            continue
        try:
            values = _row(row, known, positions is not None, model)
            pair = (values["position_id"], values["model"])
            if values["sample"] is None:
                values["sample"] = counted[pair]
            if (*pair, values["sample"]) in taken:
                raise RefusedRowError(
                    f"sample {values['sample']} of {pair[1]!r} for {pair[0]!r} stands there already"
                )
            taken.add((*pair, values["sample"]))
            counted[pair] += 1
            made.append(values)
        except RefusedRowError as error:
            refusals.append(Refusal(row.file, row.line, str(error)))
    frame = pd.DataFrame(made, columns=PREDICTIONS.names)
    for column in ("group", "ply", "game_plies", "sample"):
        frame[column] = frame[column].astype("Int32")
    return ImportedLog(frame, tuple(refusals), (), {})


def check_columns(columns: Mapping[str, str]) -> None:
    """Refuse a name that is none of ours on the left of a mapping.

    Raises:
        InvalidArgumentError: If there is one.
    """
    unknown = sorted(set(columns) - set(OWN_COLUMNS))
    if unknown:
        raise InvalidArgumentError(f"columns: expected names of {OWN_COLUMNS}, got {unknown}")


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are there: not None, no NaN, no blank text."""
    return {
        name: value
        for name, value in values.items()
        if not (
            value is None
            or (isinstance(value, str) and not value.strip())
            or (not isinstance(value, str) and pd.isna(value))
        )
    }


def _row(
    row: ForeignRow, known: dict[str, dict[str, Any]], must_be_known: bool, model: str | None
) -> dict[str, Any]:
    given = dict(row.values)
    reply = given.pop("reply", None)
    values = _present(given)
    position_id = _text(values, "position_id")
    if must_be_known:
        if position_id not in known:
            raise RefusedRowError(f"position_id: {position_id!r} is not among the positions given")
        values |= known[position_id]
    values.setdefault("model", model)
    name = _text(values, "model")
    replayed = _replayed(values)
    true_fen = str(values.get("true_fen") or replayed.get("true_fen") or "")
    if classify_fen(true_fen).reply_class in (ReplyClass.UNPARSEABLE, ReplyClass.ABSENT):
        raise RefusedRowError(
            f"true_fen: expected a FEN, or moves, or movetext, or positions, got {true_fen!r:.80}"
        )
    ply = _integer(values, "ply")
    ply = replayed.get("ply") if ply is None else ply
    group = _integer(values, "group")
    if group is None:
        group = _band(chess.Board(true_fen).ply() if ply is None else ply)
    prediction = row.prediction
    if prediction is None:
        if "predicted_fen" in values:
            prediction = classify_fen(str(values["predicted_fen"]))
        elif isinstance(reply, str):
            prediction = classify(reply)
        else:
            raise RefusedRowError("reply: expected a text, or a predicted_fen, got neither")
    return {
        "position_id": position_id,
        "game_id": values.get("game_id") or replayed.get("game_id"),
        "source": values.get("source") or row.file,
        "group": group,
        "ply": ply,
        "game_plies": _integer(values, "game_plies"),
        "movetext": values.get("movetext") or replayed.get("movetext"),
        "moves": replayed.get("moves"),
        "true_fen": true_fen,
        "model": name,
        "sample": _integer(values, "sample"),
        "reply": reply if isinstance(reply, str) else None,
        **prediction.columns(),
    }


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise RefusedRowError(f"{name}: expected a text, got {value!r:.80}")
    return value


def _integer(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    if value is None:
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if isinstance(value, bool) or not 0 <= number < 2**31 or number != float(value):
        raise RefusedRowError(f"{name}: expected an integer of at least 0, got {value!r:.80}")
    return number


def _replayed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the moves from the first position say, if there are moves."""
    for name, in_uci in (("moves", True), ("movetext", False)):
        if values.get(name) is not None:
            try:
                return _replay(str(values[name]), in_uci)
            except ValueError as error:
                raise RefusedRowError(
                    f"{name}: expected legal moves from the first position, got: {error}"
                ) from error
    return {}


@lru_cache(maxsize=100_000)
def _replay(written: str, in_uci: bool) -> dict[str, Any]:
    """Return the columns that follow from moves; many rows are about the same position.

    Raises:
        ValueError: If a move is illegal or in another notation.
    """
    board = chess.Board()
    for token in _NUMBER.sub(" ", written).split():
        if token not in _RESULTS:
            board.push(board.parse_uci(token) if in_uci else board.parse_san(token))
    moves = " ".join(move.uci() for move in board.move_stack)
    return {
        "moves": moves,
        "movetext": chess.Board().variation_san(board.move_stack),
        "game_id": hashlib.sha256(moves.encode()).hexdigest()[:16],
        "ply": len(board.move_stack),
        "true_fen": board.fen(),
    }


def _band(ply: int) -> int:
    """Return the upper edge, in full moves, of the band of plies that a ply is in."""
    return max(1, -(-ply // PLIES_A_GROUP)) * PLIES_A_GROUP // 2

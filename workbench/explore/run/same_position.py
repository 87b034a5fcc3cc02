"""The replies of a run to one position: a list of them, and two of them beside the true board."""

from collections.abc import Iterable, Mapping
from typing import Any

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.drawing.reply_words import class_words, field_words
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidFenError
from workbench.explore.board_reading import ReadBoard, describe, read_board
from workbench.explore.pair.board_pair import fen_problems
from workbench.explore.pair.pair_view import different_squares
from workbench.explore.pair.state_view import (
    ReadState,
    StateReader,
    different_elements,
    reader_in_table,
)
from workbench.explore.run.run_table import LONGEST_SHOWN, RunTable, value_name
from workbench.long_texts import LONGEST_FEN, cut


def reply_name(row: "Mapping[str, Any] | pd.Series[Any]") -> str:
    """Return whose reply a row is: the model, and its setting and sample if they say anything."""
    parts = [value_name("model", row["model"])]
    if isinstance(row["setting"], str) and row["setting"]:
        parts.append(row["setting"])
    if pd.notna(row["sample"]) and row["sample"]:
        parts.append(f"sample {row['sample']}")
    return ", ".join(parts)


def other_replies(run: RunTable, row: int) -> list[dict[str, Any]]:
    """Return the other replies to a row's position, the highest p_m first."""
    others = np.setdiff1d(_same_position(run, row), [row])
    ordered = run.rows.iloc[others].sort_values("precision", ascending=False, kind="stable")
    return [_summary(run, int(number)) for number in ordered.index]


def side_by_side(run: RunTable, row: int, other: int) -> dict[str, Any]:
    """Return two replies to one position, with the true state.

    Returns:
        ``noun`` (what a state is called), ``true_fen`` (text), ``true_board`` (a FEN of a board to draw),
        ``true_picture`` (SVG of another state), ``true_words`` (why neither can be drawn, if it cannot be read),
        and ``replies``: two as in `other_replies`, each with ``fen`` (the text of the reply's state, cut if it
        is too long, empty if it has none), ``board`` (the FEN of a board to draw, empty if none can be),
        ``picture`` (SVG of another state, empty if it has none), ``stated`` (whether it can be read),
        ``different`` (squares or elements that differ from the true state; None if they are not known),
        ``fields`` (other fields of the FEN that do, in words) and ``words`` (what the state is, or why there is
        none).
    """
    name = environment_name(run, row)
    if name != DEFAULT:
        return _states(run, reader_in_table(name), row, other)
    true, words = _true_board(run, row)
    replies = [{**_summary(run, each), **_board(run, each, true)} for each in (row, other)]
    return {
        "noun": "board",
        "true_fen": cut(_text(run, row, "true_state"), LONGEST_FEN),
        "true_board": "" if true is None else true.text,
        "true_picture": "",
        "true_words": words,
        "replies": replies,
    }


def reply_boards(run: RunTable, row: int) -> dict[str, Any]:
    """Return a reply's state and the true one; the reply as in `side_by_side`."""
    boards = side_by_side(run, row, row)
    (reply, _) = boards.pop("replies")
    return {**boards, "reply": reply}


def all_on_one_board(run: RunTable, row: int) -> dict[str, Any]:
    """Count, for each square of a row's position, the replies that are wrong about it.

    Returns:
        Nothing where there is no true board; else ``true_board`` (a FEN), ``replies`` (how many there are), ``boards`` (how many of them have
        a board) and ``squares``: for each square that a board has wrong its ``square``, how many
        boards are ``wrong`` and in ``words`` what is there in truth and in which reply.
    """
    true = _true_board(run, row)[0] if environment_name(run, row) == DEFAULT else None
    if true is None:
        return {}
    numbers = _same_position(run, row)
    boards = 0
    wrong: dict[str, dict[str, list[str]]] = {}
    for number in numbers:
        try:
            predicted = read_board(_text(run, int(number)), "predicted").board
        except InvalidFenError:
            continue
        if predicted is None:
            continue
        boards += 1
        name = reply_name(run.rows.iloc[number])
        for square in different_squares(true.fen.board, predicted):
            content = _content(predicted, square)
            wrong.setdefault(square, {}).setdefault(content, []).append(name)
    squares = [
        {
            "square": square,
            "wrong": sum(map(len, names_of.values())),
            "words": f"{square}, {_content(true.fen.board, square)}: "
            + "; ".join(f"{content} in {', '.join(names)}" for content, names in names_of.items()),
        }
        for square, names_of in sorted(wrong.items())
    ]
    return {
        "true_board": true.text,
        "replies": len(numbers),
        "boards": boards,
        "squares": squares,
    }


def _content(board: chess.Board, square: str) -> str:
    piece = board.piece_at(chess.parse_square(square))
    if piece is None:
        return "empty"
    return f"{'white' if piece.color else 'black'} {chess.piece_name(piece.piece_type)}"


def environment_name(run: RunTable, row: int) -> str:
    """Return the name of a row's environment."""
    name = run.rows["environment"].iloc[row] if "environment" in run.rows else DEFAULT
    return name if isinstance(name, str) and name else DEFAULT


def _true_board(run: RunTable, row: int) -> tuple[ReadBoard | None, str]:
    """Return the true board, or None and why it cannot be read."""
    text = _text(run, row, "true_state")
    if problem := fen_problems(text, "").get("true"):
        return None, f"The true FEN cannot be read: {problem}."
    return read_board(text, "true"), ""


def _text(run: RunTable, row: int, column: str = "predicted_state") -> str:
    text = run.rows[column].iloc[row]
    return text if isinstance(text, str) else ""


def _board(run: RunTable, row: int, true: ReadBoard | None) -> dict[str, Any]:
    text = _text(run, row)
    empty: dict[str, Any] = {
        "board": "", "picture": "", "stated": False, "different": [], "fields": []
    }  # fmt: skip
    try:
        predicted = read_board(text, "predicted")
    except InvalidFenError as error:
        return {**empty, "fen": cut(text, LONGEST_FEN), "words": f"{error}."}
    words = describe(predicted.reply_class, predicted.flags)
    common = {**empty, "fen": cut(predicted.text, LONGEST_FEN), "words": words}
    if predicted.board is None:
        return common
    common |= {"board": predicted.text, "stated": True}
    if true is None:
        return {**common, "different": None}
    correct = environment_named(DEFAULT).correct_fields(true.fen, predicted.fen)
    wrong = [name for name, right in correct.items() if name != "placement" and not right]
    return {
        **common,
        "different": different_squares(true.fen.board, predicted.board),
        "fields": list(map(field_words, wrong)),
    }


def _states(run: RunTable, reader: StateReader, row: int, other: int) -> dict[str, Any]:
    """Return two replies with states of another environment as `side_by_side` does."""
    text = _text(run, row, "true_state")
    fault = reader.fault(text, "true")
    true = None if fault else reader.read(text, "true")
    noun = reader.words.state
    replies = [{**_summary(run, each), **_state(run, each, reader, true)} for each in (row, other)]
    return {
        "noun": noun,
        "true_fen": cut(text, LONGEST_SHOWN),
        "true_board": "",
        "true_picture": "" if true is None else _picture(reader, true, ()),
        "true_words": fault and f"The true {noun} cannot be read: {fault}.",
        "replies": replies,
    }


def _state(run: RunTable, row: int, reader: StateReader, true: ReadState | None) -> dict[str, Any]:
    text, noun = _text(run, row), reader.words.state
    common: dict[str, Any] = {"fen": cut(text, LONGEST_SHOWN), "board": "", "fields": []}
    if fault := reader.fault(text, "predicted"):
        words = f"The predicted {noun} cannot be read: {fault}."
        return {**common, "picture": "", "stated": False, "different": [], "words": words}
    predicted = reader.read(text, "predicted")
    different = None if true is None else different_elements(reader, true, predicted)
    return {
        **common,
        "picture": _picture(reader, predicted, different or ()),
        "stated": predicted.known is not None,
        "different": different,
        "words": predicted.words(noun),
    }


def _picture(reader: StateReader, read: ReadState, marked: Iterable[str]) -> str:
    if read.known is None:
        return ""
    return reader.environment.picture(read.known, frozenset(marked)) or ""


def _same_position(run: RunTable, row: int) -> NDArray[np.int64]:
    columns = run.rows[["position_id", "true_state"]]
    return np.flatnonzero((columns == columns.iloc[row]).all(axis=1).to_numpy())


def _summary(run: RunTable, number: int) -> dict[str, Any]:
    row = run.rows.iloc[number]
    return {
        "row": number,
        "name": reply_name(row),
        "reply_class": class_words(str(row["reply_class"])),
        **{name: row[name] for name in ("edit_distance", "precision", "recall")},
    }

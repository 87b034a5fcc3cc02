"""Anomalies in the rows of each kind of table."""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd

from workbench.answers.classification import CLASSES, ReplyClass, classify_fen, plain_fen
from workbench.answers.imports.true_boards import PLIES_A_GROUP
from workbench.checking.findings import Findings
from workbench.environments.chess.chess960 import chess960_row
from workbench.environments.chess.fen import Fen
from workbench.environments.chess.replay import play_moves, uci_moves
from workbench.environments.chess.text_metrics import compared_text
from workbench.errors import IllegalMoveError, TableError
from workbench.games.move_codes import decode_moves
from workbench.tables.reply_identity import REPLY_KEY

REQUIRED = {
    "positions": ("position_id", "group", "true_fen"),
    "predictions": ("set", "model", "setting", "sample", "reply_class", "status", "reason"),
    "scores": ("terminal", "ill_formed_policy", "method", "unscored"),
    "games": ("number", "result", "termination", "moves"),
}
TOLERANCE = 1e-9


def check_nulls(chunk: pd.DataFrame, names: tuple[str, ...], findings: Findings) -> None:
    """Find nulls in columns that must have none."""
    for name in names:
        if name in chunk:
            findings.add(f"{name} is null", chunk[name].isna(), _named(chunk))


def check_true_boards(chunk: pd.DataFrame, findings: Findings) -> None:
    """Check that the true FENs parse, are of standard chess, and follow from the moves.

    What a row is called tells of Chess960 only where its moves could contradict the name.
    """
    named = _named(chunk)
    moves = chunk["moves"] if "moves" in chunk else [None] * len(chunk)
    names = chunk[["position_id", "source"] if "moves" in chunk else []].itertuples(index=False)
    for place, (fen, played, ply, called) in enumerate(
        zip(chunk["true_fen"], moves, chunk["ply"], names, strict=True)
    ):
        if not isinstance(fen, str):
            continue
        true = plain_fen(fen)
        if true.fault:
            findings.add_row("true_fen does not parse", place, f"{named[place]}: {fen!r}")
        elif reason := chess960_row(true, played, called):
            what = "true_fen or its game is of Chess960, which is not scored"
            findings.add_row(what, place, f"{named[place]}: {reason}")
        elif isinstance(played, str):
            fault = _fault_of_moves(played, true.text, int(ply) if pd.notna(ply) else -1)
            if fault:
                findings.add_row(fault, place, named[place])


def check_groups(chunk: pd.DataFrame, findings: Findings) -> None:
    """Check the groups: the full moves of the cut, or the upper limit of a band of plies."""
    last = 2 * chunk["group"]
    wrong = (chunk["ply"] > last) | (chunk["ply"] <= last - PLIES_A_GROUP)
    shown = [
        f"{name}: group {group}, ply {ply}"
        for name, group, ply in zip(_named(chunk), chunk["group"], chunk["ply"], strict=True)
    ]
    findings.add("ply lies outside the group", wrong & chunk["ply"].gt(0), shown)


def check_classes(chunk: pd.DataFrame, findings: Findings) -> None:
    """Check that the class of each predicted FEN agrees with python-chess."""
    named = _named(chunk)
    for place, (fen, given) in enumerate(
        zip(chunk["predicted_fen"], chunk["reply_class"], strict=True)
    ):
        if given not in CLASSES:
            what = f"reply_class is not one of {', '.join(CLASSES)}"
            findings.add_row(what, place, f"{named[place]}: {given!r}")
            continue
        found = class_of(fen if isinstance(fen, str) else None)
        if given == ReplyClass.FAILED and found == ReplyClass.ABSENT:
            if "reply" in chunk and isinstance(chunk["reply"].iloc[place], str):
                what = "reply_class is failed though there is a reply"
                findings.add_row(what, place, named[place])
            continue
        if given == ReplyClass.UNPARSEABLE and isinstance(fen, str) and len(fen.split()) == 1:
            # A placement without a side to move in the reply.
            continue
        if found != given:
            what = "reply_class contradicts python-chess's reading of predicted_fen"
            findings.add_row(what, place, f"{named[place]}: {given} for {fen!r}, which is {found}")


def check_moves(chunk: pd.DataFrame, findings: Findings) -> None:
    """Check that the moves of complete games can be decoded."""
    for place, (number, codes) in enumerate(zip(chunk["number"], chunk["moves"], strict=True)):
        if codes is None:
            continue
        try:
            decode_moves(codes)
        except TableError as error:
            findings.add_row("moves contains an invalid move", place, f"game {number}: {error}")


def check_measures(chunk: pd.DataFrame, findings: Findings) -> None:
    """Check that measures are in range, and undefined only where the row gives a reason."""
    named = _named(chunk)
    scored = chunk["unscored"] == ""
    findings.add("not scored", ~scored & chunk["unscored"].notna(), _with(chunk, "unscored"))
    for name in [name for name in chunk if _is_measure(str(name))]:
        values = chunk[name]
        shown = _with(chunk, str(name))
        findings.add(f"{name} is null in a scored row", scored & values.isna(), named)
        findings.add(
            f"{name} is defined in a row that was not scored", ~scored & ~values.isna(), shown
        )
        high = np.inf if str(name).endswith("_standard_error") else 1 + TOLERANCE
        findings.add(f"{name} lies outside its range", (values < 0) | (values > high), shown)
    share = chunk["board_accuracy"]
    findings.add("board_accuracy lies outside [0, 1]", (share < 0) | (share > 1), named)
    wrong = chunk["wrong_squares"]
    contradiction = (64 * (1 - share) - wrong).abs() > TOLERANCE
    findings.add("wrong_squares contradicts board_accuracy", contradiction, named)
    for name in ("levenshtein", "levenshtein_position", "levenshtein_placement"):
        findings.add(f"{name} is null in a scored row", scored & chunk[name].isna(), named)
        findings.add(f"{name} is negative", chunk[name] < 0, _with(chunk, name))
    _check_sinks(chunk, scored, findings)


def _check_sinks(chunk: pd.DataFrame, scored: "pd.Series[bool]", findings: Findings) -> None:
    sink = ~chunk["reply_class"].isin(["valid", "ill_formed"])
    sink |= (chunk["reply_class"] == "ill_formed") & (chunk["ill_formed_policy"] == "sink")
    for measure in ("precision", "recall"):
        depths = sorted(
            int(str(name).rsplit("_", 1)[-1])
            for name in chunk
            if _is_measure(str(name)) and str(name).startswith(f"{measure}_")
            if not str(name).endswith("_standard_error")
        )
        columns = [f"{measure}_{depth}" for depth in depths]
        for column in columns:
            what = f"{column} is not 0 though the reply is no state"
            findings.add(what, scored & sink & (chunk[column] != 0), _with(chunk, column))
        for shorter, longer in pairwise(columns):
            rises = chunk[longer] > chunk[shorter] + TOLERANCE
            findings.add(f"{longer} is larger than {shorter}", rises, _named(chunk))


def _is_measure(name: str) -> bool:
    measure, _, rest = name.partition("_")
    return measure in ("precision", "recall") and rest.removesuffix("_standard_error").isdigit()


def _named(chunk: pd.DataFrame) -> list[str]:
    names = [name for name in REPLY_KEY if name in chunk]
    rows = chunk[names].itertuples(index=False)
    return [", ".join(filter(None, map(str, row))) for row in rows]


def _with(chunk: pd.DataFrame, column: str) -> list[str]:
    return [f"{name}: {value!r}" for name, value in zip(_named(chunk), chunk[column], strict=True)]


@lru_cache(maxsize=1 << 14)
def class_of(fen: str | None) -> str:
    """Return which class of reply a FEN is, None being no FEN."""
    return str(classify_fen(fen).reply_class)


@lru_cache(maxsize=1 << 14)
def _fault_of_moves(moves: str, fen: str, ply: int) -> str:
    """Return what is wrong with moves that should lead to a board, or nothing."""
    played = moves.split()
    if len(played) != ply:
        return "ply is not the number of moves"
    try:
        board = play_moves(played)
    except IllegalMoveError:
        return "moves contains an illegal move"
    if uci_moves(board) != tuple(played):
        return "moves has another spelling of castling"
    same = compared_text(Fen(board.fen()), "position") == compared_text(Fen(fen), "position")
    return "" if same else "true_fen does not follow from the moves"

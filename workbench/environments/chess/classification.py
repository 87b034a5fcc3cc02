"""Classification of replies and FENs, and recognition of Chess960, which is not scored."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

import chess

from workbench.environments.chess.extraction.boards import (
    BoardSpan,
    board_spans,
    with_distant_fields,
)
from workbench.environments.chess.extraction.choice import choose_board
from workbench.environments.chess.extraction.plain_text import plain_signs, plain_text, with_fens
from workbench.environments.chess.extraction.roles import candidates_of
from workbench.environments.chess.replay import MOVE, NOTATIONS, play_moves
from workbench.environments.chess.state import Fen
from workbench.errors import IllegalMoveError
from workbench.long_texts import quoted
from workbench.prediction import Prediction, ReplyClass

VARIANT_NAMES: Final = re.compile(
    r"chess[\W_]*960|960[\W_]*chess|fischer?[\W_]*random|freestyle[\W_]*chess", re.IGNORECASE
)
"""As in Chess960, Chess 960, Fischerandom, fischer_random and Freestyle Chess."""

_PREFIX: Final = "Chess960, which has no measures here: "
_FILES: Final = frozenset("ABCDEFGHabcdefgh")
_STANDARD_START: Final = 518
_QUOTE: Final = 80


def chess960_row(true: Fen, moves: object = None, names: Iterable[object] = ()) -> str:
    """Return why a row is of Chess960, or nothing if it is not."""
    if reason := chess960_board(true):
        return reason
    for name in names:
        if isinstance(name, str) and VARIANT_NAMES.search(name):
            if isinstance(moves, str) and _leads_to(moves, true):
                return ""
            return f"{_PREFIX}named so in {name[-_QUOTE:]!r}"
    return ""


def chess960_board(fen: Fen) -> str:
    """Return why a board is of Chess960, or nothing if it is not, or cannot be read."""
    rights = "".join(fen.fields[2:3])
    if rights in ("", "-") or fen.fault:
        return ""
    if names_rook_files(rights):
        return f"{_PREFIX}its castling rights {rights!r} name the files of rooks"
    if not _rights_fit(fen.board) and _rights_fit(chess.Board(fen.text, chess960=True)):
        return (
            f"{_PREFIX}its castling rights {rights!r} belong to kings or rooks that do not stand "
            "where standard chess has them"
        )
    return ""


def _rights_fit(board: chess.Board) -> bool:
    return board.castling_rights == board.clean_castling_rights()


def names_rook_files(rights: str) -> bool:
    """Return whether a castling field names the files of rooks, as in Shredder-FEN: ``HAha``."""
    return bool(set(rights) & _FILES)


def chess960_headers(headers: Mapping[str, str]) -> str:
    """Return why a game is of Chess960 by its PGN headers, or nothing."""
    variant = headers.get("Variant", "")
    if VARIANT_NAMES.search(variant):
        return f"{_PREFIX}its game has the header Variant {variant[:_QUOTE]!r}"
    start = Fen(headers.get("FEN", ""))
    number = None if start.fault else start.board.chess960_pos(ignore_castling=True)
    if number not in (None, _STANDARD_START):
        return f"{_PREFIX}its game starts from {start.text[:_QUOTE]!r}"
    return chess960_board(start)


def _leads_to(moves: str, fen: Fen) -> bool:
    try:
        board = play_moves(moves.split())
    except IllegalMoveError:
        return False
    return fen.fields[:1] == [board.board_fen()]


EXTRACTOR_VERSION: Final = 4
"""Increased whenever the same reply may be read as another board."""

NO_SIDE: Final = "no side to move"
"""The reason where a reply gives a placement without the side to move."""

_FIELDS: Final = 6
_MORE_FIELDS: Final = re.compile(r"\s*(?:[\d.+-]|\w(?!\S))")
_NO_MOVES: Final = re.compile(
    r"\[[^\]\n]*\]|\{[^}]*\}|(?<!\S)(?:1-0|0-1|1/2-1/2|\*)(?!\S)|(?<!\S)\d{1,3}\.+|,"
)
_MOST_MOVES: Final = 1000
_WHOLE: Final = "the whole reply"
_SIGN: Final = "[a-hknpqrwBKNPQR0-9-]"
# Each sign occurs in some field of a FEN; a misplaced field of up to four signs may stand anywhere.
_SIX_FIELDS: Final = re.compile(rf"{_SIGN}+(?:/{_SIGN}+){{7}}(?: {_SIGN}{{1,4}}){{5}}")


def classify(reply: str) -> Prediction:
    """Find the board that a reply gives as its answer, and classify it.

    A FEN may have two to six fields; python-chess fills in those missing at the end (no castling, no
    en passant, 0 1). Separated fields, under names or in words ("Black to move"), are joined. Where
    there is no FEN, a link to a board, figurines or a diagram is read. A missing side to move is not
    guessed: the reply is ``unparseable``. Boards that exclude each other, none of them singled out,
    are no answer: the reply is ``absent``. A reply of six fields and nothing else, the first of eight
    ranks, is read whole, whatever its fields. The time taken is linear in the length of the reply.
    """
    if not reply.strip():
        return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
    text = plain_text(reply)
    whole = text.strip()
    if _SIX_FIELDS.fullmatch(whole):
        return replace(classify_fen(whole), rule=_WHOLE)
    boards = list(board_spans(text))
    if not boards:
        text = with_fens(text)
        boards = list(board_spans(text))
    if not boards:
        return Prediction(ReplyClass.ABSENT, None, reason="no piece placement found")
    if len(boards) == 1 and boards[0].text == whole and boards[0].has_side:
        return replace(classify_fen(whole), rule=_WHOLE)
    choice = choose_board(text, candidates_of(text, boards))
    if choice.board is None:
        return Prediction(ReplyClass.ABSENT, None, reason=choice.rule, rule=choice.rule)
    return replace(_classified(text, choice.board, boards), rule=choice.rule)


def _classified(text: str, board: BoardSpan, boards: list[BoardSpan]) -> Prediction:
    if not board.has_side:
        place = boards.index(board)
        begin = boards[place - 1].end if place else 0
        end = boards[place + 1].start if place + 1 < len(boards) else len(text)
        board = with_distant_fields(text, board, begin, end)
    prediction = classify_fen(board.text)
    if board.has_side or prediction.reply_class is ReplyClass.UNPARSEABLE:
        return prediction
    return Prediction(
        ReplyClass.UNPARSEABLE, prediction.predicted_state, reason=NO_SIDE, parsed=prediction.parsed
    )


def plain_fen(text: str | None) -> Fen:
    """Return a text that was given as a FEN with single spaces and plain hyphens."""
    return Fen(" ".join(plain_signs(text or "").split()))


def classify_fen(text: str | None) -> Prediction:
    """Classify a text that was already cut out of a reply as its FEN."""
    fen = plain_fen(text)
    if not fen.text:
        return Prediction(ReplyClass.ABSENT, None, reason="no FEN given", parsed=fen)
    if fen.fault:
        reason = fen.fault.removesuffix(f": {fen.text!r}").removesuffix(f": {fen.fields[0]!r}")
        return Prediction(ReplyClass.UNPARSEABLE, fen.text, reason=reason, parsed=fen)
    names = status_names(fen.board)
    kind = ReplyClass.ILL_FORMED if names else ReplyClass.VALID
    return Prediction(kind, fen.text, status=names, parsed=fen)


def classify_input(text: str | None) -> Prediction:
    """Classify what a person gives for a board: a FEN, or a text that holds one as a reply may.

    A FEN that python-chess reads is taken as it stands, with its defaults for fields that are missing.
    If a text begins with a faulty FEN, the fault is reported; nothing is left out.
    """
    exact = classify_fen(text)
    if exact.reply_class is not ReplyClass.UNPARSEABLE:
        return exact
    plain = plain_text(text or "").strip()
    first = next(board_spans(plain), None)
    if first is not None and first.start == 0:
        behind = plain[first.end :]
        if behind and (len(first.fields) < _FIELDS or _MORE_FIELDS.match(behind)):
            return exact
    prediction = classify(text or "")
    return prediction if prediction.rule else exact


def moves_problem(text: str) -> str:
    """Return that a text is moves and no board, with the FEN after them if they are a game; or nothing."""
    movetext = _NO_MOVES.sub(" ", text)
    moves = movetext.split()
    if not moves or not all(map(MOVE.fullmatch, moves)):
        return ""
    after = ""
    if len(moves) <= _MOST_MOVES:
        for notation in NOTATIONS:
            with suppress(IllegalMoveError):
                after = f"; after them the FEN is {play_moves(moves, notation).fen()}"
    return f"this looks like moves: {quoted(' '.join(text.split()))}{after}"


def status_names(board: chess.Board) -> tuple[str, ...]:
    """Return the names of python-chess's status flags of a board; none if it can arise in chess."""
    status = board.status()
    if status == chess.STATUS_VALID:
        return ()
    return tuple(str(flag.name) for flag in chess.Status if status & flag)

"""The problems of a FEN in plain words: why it cannot be read, or why the board cannot arise."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import chess

from workbench.drawing.reply_words import status_words
from workbench.environments.chess.chess960 import names_rook_files
from workbench.environments.chess.classification import classify_fen
from workbench.environments.chess.fen import Fen
from workbench.long_texts import cut, quoted
from workbench.prediction import ReplyClass

_MOST: Final = 3
"""Problems that one message tells; further ones are counted."""

_MOST_RANKS: Final = 64
"""Ranks that are looked at."""

_DIGITS: Final = "12345678"
_PIECES: Final = "PNBRQKpnbrqk"


def explain(text: str | None) -> str | None:
    """Explain in plain words why python-chess cannot read a text as a FEN.

    Spaces and typographic dashes are taken as `workbench.environments.chess.classification.classify_fen` takes them.
    A board that reads but cannot arise in chess has no problem here; `describe` tells its own.

    Args:
        text: Any text, or None.

    Returns:
        The problems, at most three and a count of the rest; None if there is none.
    """
    found = classify_fen(text)
    if found.reply_class is ReplyClass.ABSENT:
        return "there is no text; a FEN begins with the pieces: rank 8 first, '/' between ranks"
    if found.reply_class is not ReplyClass.UNPARSEABLE:
        return None
    problems = list(_problems(str(found.predicted_state).split()))
    if not problems:
        return found.reason
    more = len(problems) - _MOST
    told = ". Also: ".join(problems[:_MOST])
    return told + (f". And {more} more" if more > 0 else "")


def unsupported(fen: Fen) -> str | None:
    """Explain why a readable true board has no measures here; None if it has.

    Castling letters that name files are refused, since the measures would be those of another game. A
    predicted board keeps them: it is only wrong, and is scored as python-chess reads it.
    """
    rights = "".join(fen.fields[2:3])
    if fen.fault or not names_rook_files(rights):
        return None
    return (
        f"Chess960 is not supported: the castling letters {rights!r} name files of rooks; write K, Q, "
        "k and q for the castling of standard chess"
    )


def describe(reply_class: ReplyClass, flags: Iterable[str]) -> str:
    """Describe the class of a board and the meaning of its status flags in plain words.

    Args:
        reply_class: What the text turned out to be.
        flags: Names of python-chess's status flags.
    """
    if reply_class is ReplyClass.VALID:
        return "Valid board."
    if reply_class is ReplyClass.ABSENT:
        return "No board."
    if reply_class is ReplyClass.FAILED:
        return "No reply: the call failed."
    if reply_class is ReplyClass.UNPARSEABLE:
        return "No readable FEN."
    return "Ill-formed board: " + "; ".join(map(status_words, flags)) + "."


def _problems(fields: list[str]) -> Iterator[str]:
    yield from _placement_problems(fields[0])
    checks = (
        _turn_problem,
        _castling_problem,
        _passant_problem,
        _halfmove_problem,
        _number_problem,
    )
    broken = False
    for check, field in zip(checks, fields[1:], strict=False):
        problem = check(field)
        if problem:
            broken = True
            yield problem
    if len(fields) > 6:
        yield (
            f"there are {len(fields)} fields; a FEN has 6: pieces, side to move, castling, "
            f"en passant, half-move clock, move number. The first too many is {quoted(fields[6])}"
        )
    elif broken and len(fields) < 6:
        yield (
            f"there are {len(fields)} of the 6 fields (pieces, side to move, castling, en passant, "
            "half-move clock, move number); one may have been left out in between"
        )


def _placement_problems(placement: str) -> Iterator[str]:
    ranks = placement.split("/")
    if len(ranks) != 8:
        there = "there is 1 rank" if len(ranks) == 1 else f"there are {len(ranks)} ranks"
        yield f"{there}; a board has 8, with '/' between them"
    for index, rank in enumerate(ranks[:_MOST_RANKS]):
        # With another number of ranks the n-th is not known to be rank 9 - n.
        name = f"rank {8 - index}" if len(ranks) == 8 else f"rank number {index + 1} in the text"
        yield from _rank_problems(name, rank)


def _named_sign(sign: str) -> str:
    """Return a sign in quotation marks; with its code point where it may look like another."""
    shown = repr(sign)
    return shown if sign.isascii() or "\\" in shown else f"{shown} (U+{ord(sign):04X})"


def _rank_problems(name: str, rank: str) -> Iterator[str]:
    if not rank:
        yield f"{name} is empty; a rank without pieces is '8'"
        return
    unknown = list(dict.fromkeys(sign for sign in rank if sign not in _DIGITS + _PIECES + "~"))
    if unknown:
        signs = cut(", ".join(map(_named_sign, unknown)))
        yield (
            f"{name} has {signs}: {quoted(rank)}; pieces are P N B R Q K for White and p n b r q k for "
            "Black, and a digit from 1 to 8 counts empty squares"
        )
        return
    for one, other in pairwise(rank):
        if one in _DIGITS and other in _DIGITS:
            yield f"{name} has two digits one after the other: {quoted(rank)}; write their sum"
            break
    for before, sign in pairwise(" " + rank):
        if sign == "~" and before not in _PIECES:
            yield f"{name} has a '~' that follows no piece: {quoted(rank)}; it marks a promoted piece"
            break
    squares = sum(int(sign) if sign in _DIGITS else sign != "~" for sign in rank)
    if squares != 8:
        noun = "square" if squares == 1 else "squares"
        yield f"{name} has {squares} {noun}: {quoted(rank)}; a rank has 8"


def _turn_problem(field: str) -> str | None:
    if field in ("w", "b"):
        return None
    return f"the side to move is {quoted(field)}; it is w or b"


def _castling_problem(field: str) -> str | None:
    if chess.FEN_CASTLING_REGEX.match(field):
        return None
    return (
        f"the castling field is {quoted(field)}; it holds up to two letters for White (K, Q), then up to "
        "two for Black (k, q), or is - for none"
    )


def _passant_problem(field: str) -> str | None:
    if field == "-" or field in chess.SQUARE_NAMES:
        return None
    return f"the en-passant square is {quoted(field)}; it is a square such as e3, or - for none"


def _halfmove_problem(field: str) -> str | None:
    return _count_problem("half-move clock", field)


def _number_problem(field: str) -> str | None:
    return _count_problem("move number", field)


def _count_problem(name: str, field: str) -> str | None:
    try:
        count = int(field)
    except ValueError:
        if field.lstrip("+-").isdecimal():
            return f"the {name} {quoted(field, 24)} is too long to read"
        return f"the {name} is {quoted(field, 24)}; it is a whole number of at least 0"
    return f"the {name} is {quoted(field, 24)}; it cannot be negative" if count < 0 else None

"""The FEN in a model's prose, and what class of reply it is.

A *candidate* is a piece placement of at least five ranks with the FEN fields that follow it. Of
several candidates in one reply the answer is chosen by form alone, never by whether it parses:

1. one announced as "final" before one in a code fence or announced as "FEN", "answer" or
   "correct", these before one that is not announced, and all before one announced as a draft
   ("starting", "initial", "example", ...);
2. among equals, one with at least a side to move before a bare placement;
3. among equals, the last.

Words announce a candidate if they stand in the 80 characters before it and after the candidate
before. A reply that opens with a FEN has answered: a later one counts as not announced, unless it
is called final or correct or follows a word of correction ("wait", "however", ...). What follows
a candidate and a change of speaker ("Q:", "A:", "User 1:"), as where a base model runs on, counts
as a draft. Not taken for candidates: web addresses, paths, fractions, dates, lists such as
"Q/R/B/N".
"""

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

import chess


class ReplyClass(StrEnum):
    """What a reply turned out to be."""

    VALID = "valid"
    ILL_FORMED = "ill_formed"
    UNPARSEABLE = "unparseable"
    ABSENT = "absent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The state that a reply names, as far as it names one.

    Attributes:
        reply_class: ``valid`` (python-chess reads it and ``chess.Board.is_valid()``),
            ``ill_formed`` (python-chess reads it, but it cannot arise in chess), ``unparseable``
            (it looks like a FEN and python-chess refuses it), ``absent`` (nothing like a FEN) or
            ``failed`` (no reply: the call failed).
        predicted_fen: The text taken for the FEN, with single spaces and plain hyphens and
            otherwise as written; None if ``absent`` or ``failed``.
        status: For ``ill_formed``, the names of python-chess's status flags, such as
            ``NO_WHITE_KING``; empty otherwise.
        reason: For ``unparseable``, python-chess's message without the text it repeats; for
            ``absent`` and ``failed``, why; empty otherwise.
    """

    reply_class: ReplyClass
    predicted_fen: str | None
    status: tuple[str, ...] = ()
    reason: str = ""

    def columns(self) -> dict[str, str | None]:
        """Return the values of the columns that a table of predictions has for this.

        The names of the status flags are joined by single spaces.
        """
        return {
            "predicted_fen": self.predicted_fen,
            "reply_class": self.reply_class.value,
            "status": " ".join(self.status),
            "reason": self.reason,
        }


MINIMUM_RANKS: Final = 5
"""Groups that must read as ranks, so that 7 or 9 ranks are a broken FEN and "Q/R/B/N" is none."""

_LEAST_MEAN_SQUARES: Final = 5
"""Squares that these groups must describe on average; "1/2/3/4/5/6/7/8" has 4.5, a FEN has 8."""

_LABEL_REACH: Final = 80

_DASHES_AND_INVISIBLES: Final = {
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"), None),
}

_SQUARES: Final = {**dict.fromkeys("pnbrqkPNBRQK.", 1), **{d: int(d) for d in "12345678"}, "~": 0}

_WORD: Final = re.compile(r"""[A-Za-z0-9./][^\s"'`*()\[\]{}<>:=,;|\\“”‘’«»„]+""")
_SPACED_RANKS: Final = re.compile(r"[A-Za-z0-9~.]{1,16}(?: / [A-Za-z0-9~.]{1,16}){4,}")
_HOST: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\Z")
_FENCE: Final = re.compile(r"```|~~~")
_LABEL: Final = re.compile(
    r"\b(?:(?P<final>final)"
    r"|(?P<draft>start|starting|initial|initially|original|previous|before|wrong|incorrect|example)"
    r"|(?P<later>after|result|resulting|becomes|now)"
    r"|(?P<correct>correct|corrected|wait|however|actually|sorry|mistake)"
    r"|(?P<fen>fen|answer))\b",
    re.IGNORECASE,
)
_RENEWALS: Final = frozenset({"final", "correct"})
_OPENING: Final = re.compile(r"[^\w/]*(?:fen)?[^\w/]*", re.IGNORECASE)
_TURN: Final = re.compile(r"(?<!\S)(?:(?:Human|User|Assistant)\b[^\n:]{0,12}|[A-Z]):")
_GAP: Final = re.compile(r"[ \t]*\r?\n[ \t]*(?=[wb][ \t]+[KQkq-])|[^\S\r\n]+")
_FIELD_TOKEN: Final = re.compile(r"[^\s_]+")
_FIELDS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"[wbWB]\Z",
        r"(?:-|[KQkq-]{1,8}|[A-H]{1,2}[a-h]{0,2}|[a-h]{2})\Z",
        r"(?:-|[a-h][1-8])\Z",
        r"-?[0-9]+",
        r"-?[0-9]+",
    )
)
_BROKEN_TAIL: Final = re.compile(
    r"(?:[ \t]+[^\s\"'`]{1,4}){0,3}?[ \t]+[0-9]{1,4}[ \t]+[0-9]{1,4}(?!\w|\.[0-9])"
)
_CLOSERS: Final = "\"'`*()[]{}<>,;:|\\“”‘’«».!?"


class _Tier(IntEnum):
    """How strongly a candidate is announced as the answer."""

    DRAFT = 0
    UNANNOUNCED = 1
    ANNOUNCED = 2
    FINAL = 3


class _Candidate(NamedTuple):
    tier: _Tier
    has_side: bool
    start: int
    text: str


def classify(reply: str) -> Prediction:
    """Find the FEN in a reply, and classify it.

    A FEN may have one to six fields; python-chess fills in those missing at the end (White to
    move, no castling, no en passant, 0 1); a side named in words ("Black to move") is not read. Where
    the fields after a placement go wrong but end in two numbers, all of it is the candidate, which is
    then refused rather than cut to what can be read. Typographic dashes are read as hyphens, underscores
    between fields as spaces, and a placement may be broken over lines at its slashes. The time
    taken is linear in the length of the reply.

    Args:
        reply: The model's whole text, of any length.
    """
    if not reply.strip():
        return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
    best = max(_candidates(_unwrapped(reply)), default=None, key=lambda found: found[:3])
    if best is None:
        return Prediction(ReplyClass.ABSENT, None, reason="no piece placement found")
    return classify_fen(best.text)


def classify_fen(text: str | None) -> Prediction:
    """Classify a text that was already cut out of a reply as its FEN.

    Args:
        text: The whole text that is to be read as a FEN; None or blank if there was none.
    """
    fen = " ".join((text or "").translate(_DASHES_AND_INVISIBLES).split())
    if not fen:
        return Prediction(ReplyClass.ABSENT, None, reason="no FEN given")
    try:
        status = chess.Board(fen).status()
    except ValueError as error:
        message = str(error).removesuffix(f": {fen!r}").removesuffix(f": {fen.split()[0]!r}")
        return Prediction(ReplyClass.UNPARSEABLE, fen, reason=message)
    if status == chess.STATUS_VALID:
        return Prediction(ReplyClass.VALID, fen)
    names = tuple(str(flag.name) for flag in chess.Status if status & flag)
    return Prediction(ReplyClass.ILL_FORMED, fen, status=names)


def _unwrapped(reply: str) -> str:
    """Return the reply with plain hyphens and with placements on one line, without spaces."""
    text = reply.translate(_DASHES_AND_INVISIBLES)
    pieces = text.split("/")
    for index in range(len(pieces) - 1):
        before, after = pieces[index], pieces[index + 1]
        if before.rstrip(" \t\r").endswith("\n"):
            pieces[index] = before.rstrip()
        if after.lstrip(" \t\r").startswith("\n"):
            pieces[index + 1] = after.lstrip()
    return _SPACED_RANKS.sub(lambda match: match[0].replace(" / ", "/"), "/".join(pieces))


def _candidates(text: str) -> Iterator[_Candidate]:
    """Yield every candidate with its strength, in order."""
    fences = [match.start() for match in _FENCE.finditer(text)]
    labels = [(match.start(), str(match.lastgroup)) for match in _LABEL.finditer(text)]
    turns = [match.start() for match in _TURN.finditer(text)]
    opened = others_turn = False
    end = 0
    for word in _WORD.finditer(text):
        if word.start() < end or not _is_placement(word[0]):
            continue
        start = word.start()
        candidate, has_side, after = _with_fields(text, word)
        fenced = bisect.bisect_left(fences, start) % 2 == 1
        near = labels[
            bisect.bisect_left(labels, (max(end, start - _LABEL_REACH),)) : bisect.bisect_left(
                labels, (start,)
            )
        ]
        kinds = [kind for _, kind in near]
        tier = _tier(kinds, fenced)
        if end and not others_turn:
            others_turn = bisect.bisect_left(turns, end) < bisect.bisect_left(turns, start)
        if others_turn:
            tier = _Tier.DRAFT
        elif opened and _RENEWALS.isdisjoint(kinds):
            tier = min(tier, _Tier.UNANNOUNCED)
        elif not end and has_side and not fenced and _opens(text[: min(start, _LABEL_REACH + 1)]):
            opened = True
            tier = _Tier.ANNOUNCED
        end = after
        yield _Candidate(tier, has_side, start, candidate)


def _opens(before: str) -> bool:
    """Tell whether a candidate after this text opens the reply."""
    return len(before) <= _LABEL_REACH and _OPENING.fullmatch(before) is not None


def _tier(kinds: list[str], fenced: bool) -> _Tier:
    """Return how a candidate is announced by the kinds of the words before it, nearest last."""
    tier = _Tier.ANNOUNCED if fenced else _Tier.UNANNOUNCED
    draft = False
    for kind in kinds:
        if kind == "draft":
            draft = True
            continue
        if kind == "final":
            tier = _Tier.FINAL
        elif kind in ("fen", "correct"):
            tier = max(tier, _Tier.ANNOUNCED)
        draft = draft and kind == "fen"
    return _Tier.DRAFT if draft else tier


def _is_placement(word: str) -> bool:
    """Tell whether a word without spaces is a piece placement, or was meant to be one."""
    if word.count("/") < MINIMUM_RANKS - 1:
        return False
    groups = word.split("/")
    ranks = [group for group in groups if group and all(sign in _SQUARES for sign in group)]
    if groups[0] not in ranks and (word.startswith("//") or _HOST.match(groups[0][-_LABEL_REACH:])):
        return False
    return (
        len(ranks) >= MINIMUM_RANKS
        and 2 * len(ranks) > len(groups)
        and sum(_SQUARES[sign] for rank in ranks for sign in rank)
        >= _LEAST_MEAN_SQUARES * len(ranks)
    )


def _with_fields(text: str, word: re.Match[str]) -> tuple[str, bool, int]:
    """Return a placement with the fields after it, whether it has a side, and where it ends."""
    placement, underscore, _ = word[0].partition("_")
    place = word.start() + len(placement)
    ended = placement.rstrip("!?-")
    if "." not in ended.strip("."):
        # Dots may stand for empty squares; only at the ends they are punctuation.
        ended = ended.rstrip(".")
    closed = len(ended) < len(placement)
    parts = [ended.lstrip(".") if "." not in ended.lstrip(".") else ended]
    separator = re.compile("_") if underscore else _GAP
    for pattern in _FIELDS:
        gap = None if closed else separator.match(text, place)
        token = gap and _FIELD_TOKEN.match(text, gap.end())
        if not token:
            break
        field = token[0].split("\\", 1)[0].rstrip(_CLOSERS)
        read = pattern.match(field)
        if not read:
            break
        field = read[0]
        parts.append(field)
        closed = len(field) < len(token[0])
        place = token.start() + len(field)
    if len(parts) <= len(_FIELDS) and not closed and not underscore:
        # Two numbers a few short words on are the clocks of a FEN whose fields went wrong.
        tail = _BROKEN_TAIL.match(text, place)
        if tail:
            parts.append(tail[0])
            place = tail.end()
    return " ".join(parts), len(parts) > 1, place

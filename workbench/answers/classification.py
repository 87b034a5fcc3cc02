"""Extraction of the FEN from a model's reply, and its class.

How the board is found is in `workbench.answers.extraction`; here it is classified.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import chess

from workbench.answers.extraction.boards import WrittenBoard, written_boards
from workbench.answers.extraction.choice import chosen
from workbench.answers.extraction.named_fields import completed
from workbench.answers.extraction.plain_text import plain_signs, plain_text
from workbench.answers.extraction.roles import candidates_of
from workbench.environments.chess.fen import Fen

EXTRACTOR_VERSION: Final = 2
"""Another number wherever another board may come out of the same reply."""

NO_SIDE: Final = "no side to move"
"""The reason where a reply gives a placement and does not say who is to move."""


class ReplyClass(StrEnum):
    """The class of a reply."""

    VALID = "valid"
    ILL_FORMED = "ill_formed"
    UNPARSEABLE = "unparseable"
    ABSENT = "absent"
    FAILED = "failed"


CLASSES: Final = tuple(str(name) for name in ReplyClass)
"""As columns of tables name them, in the order of every table and figure."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The state in a reply, if there is one.

    Attributes:
        reply_class: ``valid`` (python-chess reads it and ``chess.Board.is_valid()``),
            ``ill_formed`` (python-chess reads it, but it cannot arise in chess), ``unparseable``
            (it looks like a FEN and python-chess refuses it), ``absent`` (nothing like a FEN) or
            ``failed`` (no reply: the call failed).
        predicted_fen: The text taken for the FEN, with single spaces and plain hyphens and
            otherwise as written; None if ``absent`` or ``failed``.
        status: For ``ill_formed``, the names of python-chess's status flags, such as
            ``NO_WHITE_KING``; empty otherwise.
        reason: For ``unparseable``, python-chess's message without the text it repeats, or why the
            reply names no single state; for ``absent`` and ``failed``, why; empty otherwise.
        rule: Which rule of `workbench.answers.extraction` decided; empty if no rule was asked.
        fen: ``predicted_fen`` as it was parsed; an empty text for None.
    """

    reply_class: ReplyClass
    predicted_fen: str | None
    status: tuple[str, ...] = ()
    reason: str = ""
    rule: str = field(default="", compare=False)
    fen: Fen = field(default_factory=lambda: Fen(""), compare=False, repr=False)

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


def classify(reply: str) -> Prediction:
    """Find the board that a reply gives as its answer, and classify it.

    A FEN may have two to six fields; python-chess fills in those missing at the end (no castling, no
    en passant, 0 1). Separated fields, under names or in words ("Black to move"), are joined. A
    missing side to move is not guessed: the reply is ``unparseable``, as it is for contradictory
    boards without a decision between them. The time taken is linear in the length of the reply.

    Args:
        reply: The model's whole text, of any length.
    """
    if not reply.strip():
        return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
    text = plain_text(reply)
    boards = list(written_boards(text))
    if not boards:
        return Prediction(ReplyClass.ABSENT, None, reason="no piece placement found")
    if len(boards) == 1 and boards[0].text == text.strip() and boards[0].has_side:
        return replace(classify_fen(boards[0].text), rule="the whole reply")
    choice = chosen(text, candidates_of(text, boards))
    if not choice.boards:
        return Prediction(ReplyClass.ABSENT, None, reason=choice.rule, rule=choice.rule)
    if len(choice.boards) > 1:
        several = "either " + " or ".join(board.text for board in choice.boards)
        return Prediction(
            ReplyClass.UNPARSEABLE, several, reason=choice.rule, rule=choice.rule, fen=Fen(several)
        )
    return replace(_classified(text, choice.boards[0], boards), rule=choice.rule)


def _classified(text: str, board: WrittenBoard, boards: list[WrittenBoard]) -> Prediction:
    if not board.has_side:
        place = boards.index(board)
        begin = boards[place - 1].end if place else 0
        end = boards[place + 1].start if place + 1 < len(boards) else len(text)
        board = completed(text, board, begin, end)
    found = classify_fen(board.text)
    if board.has_side or found.reply_class is ReplyClass.UNPARSEABLE:
        return found
    return Prediction(ReplyClass.UNPARSEABLE, found.predicted_fen, reason=NO_SIDE, fen=found.fen)


def plain_fen(text: str | None) -> Fen:
    """Return a text that was given as a FEN with single spaces and plain hyphens."""
    return Fen(" ".join(plain_signs(text or "").split()))


def classify_fen(text: str | None) -> Prediction:
    """Classify a text that was already cut out of a reply as its FEN.

    Args:
        text: The whole text that is to be read as a FEN; None or blank if there was none.
    """
    fen = plain_fen(text)
    if not fen.text:
        return Prediction(ReplyClass.ABSENT, None, reason="no FEN given")
    if fen.fault:
        reason = fen.fault.removesuffix(f": {fen.text!r}").removesuffix(f": {fen.fields[0]!r}")
        return Prediction(ReplyClass.UNPARSEABLE, fen.text, reason=reason, fen=fen)
    status = fen.board.status()
    if status == chess.STATUS_VALID:
        return Prediction(ReplyClass.VALID, fen.text, fen=fen)
    names = tuple(str(flag.name) for flag in chess.Status if status & flag)
    return Prediction(ReplyClass.ILL_FORMED, fen.text, status=names, fen=fen)

"""Read a FEN from a user: its class, its problems, the end of the game, and a link to a pair."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal
from urllib.parse import urlencode

import chess

from workbench.automaton import SINK, Sink
from workbench.drawing.reply_words import status_words
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.classification import (
    classify_fen,
    classify_input,
    moves_problem,
    names_rook_files,
)
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidFenError
from workbench.explore.explorer_settings import ExploredAutomaton, PairWords
from workbench.long_texts import cut, quoted
from workbench.prediction import ReplyClass
from workbench.scoring.parameters import IllFormedPolicy
from workbench.scoring.score_rows import is_state

REFERENCE_SLOWDOWN: Final = 500
"""Time of the reference for a node, relative to the compiled kernel."""


class ExploredChess(ExploredAutomaton[ChessState, chess.Move]):
    """Chess, on the compiled kernel where it takes both boards."""

    slowdown = REFERENCE_SLOWDOWN
    sampling_slowdown = 1
    limit_note = "without the compiled kernel, which takes no board with a promoted king"

    def __init__(self) -> None:
        super().__init__(ChessAutomaton(), PairWords("board", "move", "game"))

    def same_lines(self, true: ChessState, predicted: ChessState) -> bool:
        """Return whether two boards agree in everything that legal moves depend on."""
        return same_lines(true, predicted)


def same_lines(true: ChessState, predicted: ChessState) -> bool:
    """Return whether two boards agree in everything that legal moves depend on."""
    if true == predicted:
        return True
    # An en-passant square onto which nothing can capture is left out, and rights without effect.
    one, other = (state.board().fen(promoted=True).split()[:4] for state in (true, predicted))
    return one == other


CHESS: Final = ExploredChess()


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
    """
    prediction = classify_fen(text)
    if prediction.reply_class is ReplyClass.ABSENT:
        return "there is no text; a FEN begins with the pieces: rank 8 first, '/' between ranks"
    if prediction.reply_class is not ReplyClass.UNPARSEABLE:
        return None
    problems = list(_problems(str(prediction.predicted_state).split()))
    more = len(problems) - _MOST
    words = ". Also: ".join(problems[:_MOST]) or prediction.reason
    return words + (f". And {more} more" if more > 0 else "")


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
    """Describe the class of a board and the meaning of its status flags in plain words."""
    return {
        ReplyClass.VALID: "Valid board.",
        ReplyClass.ABSENT: "No board.",
        ReplyClass.FAILED: "No reply: the call failed.",
        ReplyClass.UNPARSEABLE: "No readable FEN.",
        ReplyClass.ILL_FORMED: f"Ill-formed board: {'; '.join(map(status_words, flags))}.",
    }[reply_class]


def _problems(fields: list[str]) -> Iterator[str]:
    ranks = fields[0].split("/")
    if len(ranks) != 8:
        there = "there is 1 rank" if len(ranks) == 1 else f"there are {len(ranks)} ranks"
        yield f"{there}; a board has 8, with '/' between them"
    for index, rank in enumerate(ranks[:_MOST_RANKS]):
        # With another number of ranks the n-th is not known to be rank 9 - n.
        name = f"rank {8 - index}" if len(ranks) == 8 else f"rank number {index + 1} in the text"
        yield from _rank_problems(name, rank)
    problems = [words for words in map(_field_problem, range(1, 6), fields[1:]) if words]
    yield from problems
    if len(fields) > 6:
        yield (
            f"there are {len(fields)} fields; a FEN has 6: pieces, side to move, castling, "
            f"en passant, half-move clock, move number. The first too many is {quoted(fields[6])}"
        )
    elif problems and len(fields) < 6:
        yield (
            f"there are {len(fields)} of the 6 fields (pieces, side to move, castling, en passant, "
            "half-move clock, move number); one may have been left out in between"
        )


def _field_problem(index: int, field: str) -> str:
    """Return what is wrong with a field after the pieces; empty if nothing is."""
    if index == 1 and field not in ("w", "b"):
        return f"the side to move is {quoted(field)}; it is w or b"
    if index == 2 and not chess.FEN_CASTLING_REGEX.match(field):
        return (
            f"the castling field is {quoted(field)}; it holds up to two letters for White (K, Q), then up to "
            "two for Black (k, q), or is - for none"
        )
    if index == 3 and field != "-" and field not in chess.SQUARE_NAMES:
        return f"the en-passant square is {quoted(field)}; it is a square such as e3, or - for none"
    if index < 4:
        return ""
    name = ("half-move clock", "move number")[index - 4]
    try:
        negative = int(field) < 0
    except ValueError:
        if field.lstrip("+-").isdecimal():
            return f"the {name} {quoted(field, 24)} is too long to read"
        return f"the {name} is {quoted(field, 24)}; it is a whole number of at least 0"
    return f"the {name} is {quoted(field, 24)}; it cannot be negative" if negative else ""


def _named_sign(sign: str) -> str:
    """Return a sign in quotation marks; with its code point where it may look like another."""
    text = repr(sign)
    return text if sign.isascii() or "\\" in text else f"{text} (U+{ord(sign):04X})"


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


Ending = Literal["", "checkmate", "stalemate"]


def ending_of(board: chess.Board) -> Ending:
    """Return how a game has ended on a board without legal moves; nothing if it goes on.

    Stalemate is any board without moves on which the side to move is not in check, ill-formed
    boards among them.
    """
    if any(board.generate_legal_moves()):
        return ""
    return "checkmate" if board.is_check() else "stalemate"


def ending_words(board: chess.Board) -> str:
    """Return how a game has ended, in a sentence; nothing if it goes on."""
    winner, loser = ("Black", "White") if board.turn else ("White", "Black")
    return {
        "": "",
        "checkmate": f"Checkmate: {winner} has won.",
        "stalemate": f"Stalemate: {loser} has no legal move, a draw.",
    }[ending_of(board)]


def game_over_words(true: chess.Board | None, predicted: chess.Board | None) -> str:
    """Return on which of two boards the game is over, and how; nothing if it goes on on both."""
    of_true, of_predicted = (ending_of(board) if board else "" for board in (true, predicted))
    if of_true and of_true == of_predicted:
        return f"the game is over on both boards ({of_true})"
    over = [
        f"on the {name} board ({ending})"
        for name, ending in (("true", of_true), ("predicted", of_predicted))
        if ending
    ]
    return f"the game is over {' and '.join(over)}" if over else ""


_QUOTES: Final = "\"'`“”‘’"

Which = Literal["true", "predicted"]


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """A board that was read with its class and python-chess's status flags, or the absence of one.

    The FEN is as written, with single spaces and plain hyphens; empty if there is none.
    """

    fen: Fen
    reply_class: ReplyClass
    flags: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text of the FEN."""
        return self.fen.text

    @property
    def board(self) -> chess.Board | None:
        """The position; None if there is none. It is not to be changed."""
        return self.fen.board if self.fen.text else None

    def state(self, policy: IllFormedPolicy) -> ChessState | Sink:
        """Return the state of this board, or the sink."""
        return self.fen.state if is_state(str(self.reply_class), policy) else SINK

    def answer(self) -> dict[str, Any]:
        """Return what a page shows of this board; the fields as written, or as they default."""
        written = self.fen.fields
        turn, castling, passant = (
            written[index] if len(written) > index else default
            for index, default in ((1, "w"), (2, "-"), (3, "-"))
        )
        words = [describe(self.reply_class, self.flags)]
        if names_rook_files(castling):
            words.append(
                f"Chess960 is not supported: its castling letters {castling} count as KQkq."
            )
        check = None
        if self.board is not None:
            king = self.board.king(self.board.turn)
            if king is not None and self.board.is_check():
                check = chess.SQUARE_NAMES[king]
            if ending := ending_words(self.board):
                words.append(ending)
            elif check is not None:
                words.append(
                    f"{'White' if self.board.turn else 'Black'} is in check: only moves that end it are legal."
                )
        return {
            "fen": self.text,
            "turn": turn,
            "castling": castling,
            "en_passant": passant,
            "check": check,
            "class": str(self.reply_class),
            "flags": list(self.flags),
            "words": " ".join(words),
        }


def read_board(text: str | None, which: Which) -> ReadBoard:
    """Read one of the two boards."""
    prediction = classify_input(text)
    if which == "true" and (problem := unsupported(prediction.parsed or Fen(""))):
        raise InvalidFenError(f"the true FEN cannot be taken: {problem}")
    if which == "predicted" and not (text or "").strip():
        return ReadBoard(Fen(""), ReplyClass.ABSENT, ())
    if problem := board_problem(text):
        raise InvalidFenError(f"the {which} FEN cannot be read: {problem}")
    return ReadBoard(prediction.parsed, prediction.reply_class, prediction.status)


def board_problem(text: str | None) -> str | None:
    """Explain in plain words why no board can be read in a text; None if one can."""
    prediction = classify_input(text)
    if prediction.reply_class is ReplyClass.ABSENT:
        return prediction.rule or explain(None)
    if prediction.reply_class is not ReplyClass.UNPARSEABLE:
        return None
    board, whole = prediction.predicted_state or "", (text or "").strip()
    beside = whole.replace(board, "", 1).strip().strip(_QUOTES)
    # One or two characters that stick to the board are a slip of the FEN, not words around it.
    fen = whole if 0 < len(beside) <= 2 else board
    return moves_problem(text or "") or explain(fen) or prediction.reason


def no_state_words(predicted: ReadBoard) -> str:
    """Explain why a predicted board is not a state."""
    return CHESS.words.no_state(stated=predicted.board is not None)


def pair_link(true_fen: str, predicted_fen: str) -> str:
    """Return the fragment that opens a pair; empty if a board is none that the view shows."""
    try:
        boards = {
            "true": read_board(true_fen, "true").text,
            "predicted": read_board(predicted_fen, "predicted").text,
        }
    except InvalidFenError:
        return ""
    return f"#{urlencode(boards)}" if all(boards.values()) else ""

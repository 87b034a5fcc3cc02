"""A board as given by a user: the text, its class and its state."""

from dataclasses import dataclass
from typing import Any, Final, Literal

import chess

from workbench.automaton import SINK, Sink
from workbench.environments.chess import ChessState
from workbench.environments.chess.chess960 import names_rook_files
from workbench.environments.chess.classification import classify_given, moves_problem
from workbench.environments.chess.fen import Fen
from workbench.errors import InvalidFenError
from workbench.explore.board.explored_chess import CHESS
from workbench.explore.board.fen_problems import describe, explain, unsupported
from workbench.explore.board.game_over import ending_words
from workbench.prediction import ReplyClass
from workbench.scoring.parameters import IllFormedPolicy
from workbench.scoring.score_rows import is_state

_QUOTES: Final = "\"'`“”‘’"

Which = Literal["true", "predicted"]


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """A board that was read, or the absence of one.

    Attributes:
        fen: The FEN as written, with single spaces and plain hyphens; empty if there is none.
        reply_class: ``valid``, ``ill_formed`` or ``absent``.
        flags: Names of python-chess's status flags.
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
        """Return the state of this board, or the sink.

        Args:
            policy: What is done with a board that cannot arise in chess.
        """
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
        if self.board is not None and (ending := ending_words(self.board)):
            words.append(ending)
        return {
            "fen": self.text,
            "turn": turn,
            "castling": castling,
            "en_passant": passant,
            "class": str(self.reply_class),
            "flags": list(self.flags),
            "words": " ".join(words),
        }


def read_board(text: str | None, which: Which) -> ReadBoard:
    """Read one of the two boards.

    Args:
        text: A FEN, alone or in a text such as a sentence or a link; for the predicted board None or a
            blank text says that there is none.
        which: The board's name in messages.

    Raises:
        InvalidFenError: If it cannot be read; the message says why in plain words.
    """
    found = classify_given(text)
    if which == "true" and (problem := unsupported(found.parsed or Fen(""))):
        raise InvalidFenError(f"the true FEN cannot be taken: {problem}")
    if which == "predicted" and not (text or "").strip():
        return ReadBoard(Fen(""), ReplyClass.ABSENT, ())
    if problem := board_problem(text):
        raise InvalidFenError(f"the {which} FEN cannot be read: {problem}")
    return ReadBoard(found.parsed, found.reply_class, found.status)


def board_problem(text: str | None) -> str | None:
    """Explain in plain words why no board can be read in a text; None if one can.

    Args:
        text: What a person gives, as of `read_board`.
    """
    found = classify_given(text)
    if found.reply_class is ReplyClass.ABSENT:
        return found.rule or explain(None)
    if found.reply_class is not ReplyClass.UNPARSEABLE:
        return None
    board, whole = found.predicted_state or "", (text or "").strip()
    beside = whole.replace(board, "", 1).strip().strip(_QUOTES)
    # One or two characters that stick to the board are a slip of the FEN, not words around it.
    described = whole if 0 < len(beside) <= 2 else board
    return moves_problem(text or "") or explain(described) or found.reason


def state_of_true(board: ReadBoard) -> ChessState:
    """Return the state of the true board, which is taken as it is, well-formed or not."""
    return board.fen.state


def no_state_words(predicted: ReadBoard) -> str:
    """Explain why a predicted board is not a state."""
    return CHESS.words.no_state(stated=predicted.board is not None)

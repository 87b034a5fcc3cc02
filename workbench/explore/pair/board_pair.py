"""BoardPair: a true and a predicted chess board, and the cost of their difference."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import chess
import pandas as pd
import traitlets

from workbench.automaton import Terminal
from workbench.drawing.reply_words import class_words
from workbench.environments.chess.classification import classify_given
from workbench.environments.chess.replay import numbered_san, read_moves
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.board_reading import board_problem, explain, read_board, unsupported
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import lost_mass
from workbench.explore.page.assets import javascript, piece_drawings, stylesheet
from workbench.explore.pair.pair_view import compare_boards, pair_view, replay, replay_boards
from workbench.explore.pair.pair_widget import (
    SETTINGS,
    PairWidget,
    aside_traits,
    cell_text,
    pair_arguments,
    pair_still,
    row_values,
    settings_of,
    texts_and_line,
)
from workbench.long_texts import quoted
from workbench.scoring.parameters import IllFormedPolicy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


TRUE_FEN: Final = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5"
PREDICTED_FEN: Final = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P4/PPP1NPPP/RNBQK2R w KQkq - 1 5"
"""The pair of boards to begin with: a knight that went to f3 is believed to be on e2."""


def compare_answer(
    true_fen: str, predicted_fen: str, line: Sequence[str], settings: ExplorerSettings
) -> dict[str, Any]:
    """Compare two boards after a line of shared moves, or explain which FEN cannot be read.

    Returns:
        Either ``problems``, a text for ``true`` or ``predicted`` or both; or ``view`` (see
        `pair_view`, of the boards after the line), ``line_words`` (the moves in SAN) and ``code``
        (see `pair_code`).
    """
    try:
        true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    except InvalidFenError:
        return {"problems": fen_problems(true_fen, predicted_fen)}
    return {
        "view": compare_boards(*replay_boards(true, predicted, line), settings),
        "line_words": numbered_san(read_moves(line), true.fen.board.copy()),
        "code": pair_code(true.text, predicted.text, line, settings),
    }


def fen_problems(true_fen: str, predicted_fen: str) -> dict[str, str]:
    """Return what is wrong with each FEN that cannot be read, in words, by the board's name."""
    given = classify_given(true_fen).parsed or Fen("")
    found = {"true": board_problem(true_fen) or unsupported(given)}
    if predicted_fen.strip():
        found["predicted"] = board_problem(predicted_fen)
    return {name: words for name, words in found.items() if words is not None}


def checked_fen(true_fen: str = "", predicted_fen: str = "") -> str:
    """Return the FEN that was given, alone or in a text, with single spaces and plain hyphens."""
    for name, words in fen_problems(true_fen or chess.STARTING_FEN, predicted_fen).items():
        fen = true_fen if name == "true" else predicted_fen
        raise InvalidFenError(f"the {name} FEN {quoted(fen)} cannot be read: {words}")
    return read_board(true_fen or predicted_fen, "predicted").text


def pair_code(
    true_fen: str, predicted_fen: str, line: Sequence[str], settings: ExplorerSettings
) -> str:
    """Return one line of Python that recreates a pair; defaults are left out."""
    said = pair_arguments([true_fen, predicted_fen], list(line), settings)
    return f"from workbench.explore import BoardPair; BoardPair({said})"


def row_traits(row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
    """Return what BoardPair shows of a row of a table of scores or predictions.

    Returns:
        Arguments of BoardPair. A predicted FEN that cannot be read gives no predicted state, and
        the caption says what is wrong with it.
    """
    values = row_values(row)
    predicted = cell_text(values["predicted_state"])
    fault = explain(predicted) if predicted else None
    problem = fault and f"The FEN in the reply cannot be read: {fault} (it is {quoted(predicted)})"
    return {
        "true_fen": checked_fen(true_fen=cell_text(values["true_state"])),
        "predicted_fen": "" if fault else predicted,
        **aside_traits(values, problem or "", class_words("absent")),
    }


_SHOWN_LEVELS: Final = 3


class BoardPair(PairWidget):
    """Two boards side by side, their moves, and precision and recall at every depth.

    The traits can be set from Python and follow changes on the page. A value that cannot be shown
    is refused when it is set, with the reason in words.

    Attributes:
        true_fen: The true board, before ``line``.
        predicted_fen: The predicted board, before ``line``; empty for no predicted state.
        depth: m, at least 1.
        terminal: How games that are finished before m moves count.
        ill_formed: What is done with a predicted board that cannot arise in chess.
        line: Moves in UCI that both boards permit: the boards that are shown and compared are
            those after them. A new FEN that does not permit the line empties it.
        reply: A model's reply, shown as text.
        moves: The moves of the game, shown as text.
        caption: A line above the boards.
        flipped: Whether Black is at the bottom.
        pieces: python-chess's drawings of the pieces; not to be set.
    """

    _esm = javascript("pair/board_pair.js")
    _css = stylesheet("board/board.css", "pair/pair_panels.css", "pair/board_pair.css")

    asked = ("true_fen", "predicted_fen", "line", *SETTINGS)

    true_fen = traitlets.Unicode(TRUE_FEN).tag(sync=True)
    predicted_fen = traitlets.Unicode(PREDICTED_FEN).tag(sync=True)
    flipped = traitlets.Bool(False).tag(sync=True)
    pieces = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        true_fen: str = TRUE_FEN,
        predicted_fen: str | None = PREDICTED_FEN,
        depth: int = 4,
        *,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
        line: Sequence[str] = (),
        reply: str = "",
        moves: str = "",
        caption: str = "",
        flipped: bool = False,
    ) -> None:
        """Show a pair of boards.

        Args:
            true_fen: A FEN that python-chess reads.
            predicted_fen: Another; None or an empty text is no predicted state.
            depth: m, at least 1.
            terminal: ``"absorb"`` or ``"drop"``.
            ill_formed: ``"as_is"`` or ``"sink"``.
            line: Moves in UCI to step to at once.
            reply: A model's reply.
            moves: The moves of the game.
            caption: What the pair is.
            flipped: Whether Black is at the bottom.

        Raises:
            InvalidFenError: If a FEN cannot be read.
            InvalidArgumentError: If a setting is out of range, or the line is not shared.
        """
        ExplorerSettings(depth, terminal, ill_formed)
        replay(checked_fen(true_fen=true_fen), checked_fen(predicted_fen=predicted_fen or ""), line)
        super().__init__(
            true_fen=true_fen,
            predicted_fen=predicted_fen or "",
            depth=depth,
            terminal=terminal,
            ill_formed=ill_formed,
            line=list(line),
            reply=reply,
            moves=moves,
            caption=caption,
            flipped=flipped,
        )
        self.set_trait("pieces", piece_drawings())
        self.register("compare", self._compare, kept=True)
        self.register("lost_mass", self._lost_mass, kept=True)
        self.follow_in_still(*self.asked)
        self.observe(self.renew_still, ["caption", "flipped"])

    @classmethod
    def from_row(cls, row: "Mapping[str, Any] | pd.Series[Any]", **settings: Any) -> "BoardPair":
        """Show a row of a table of predictions or scores.

        Args:
            row: Such as ``scores.iloc[0]``; see `workbench.explore.pair.board_pair.row_traits`.
            settings: Arguments of `BoardPair` that override the row.

        Raises:
            TableError: If the row lacks its boards.
            InvalidFenError: If the true FEN cannot be read.
        """
        return cls(**{**row_traits(row), **settings})

    @classmethod
    def traits_of_row(cls, row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
        """Return the traits that show a row; see `from_row`."""
        return row_traits(row)

    def boards(self) -> tuple[str, str]:
        """Return the FENs of the true and the predicted board that are shown, after the line."""
        return replay(self.true_fen, self.predicted_fen, self.line)

    def compare(self) -> dict[str, Any]:
        """Return all that is shown of the pair; see `workbench.explore.pair.pair_view.pair_view`."""
        return pair_view(*self.boards(), self.settings)

    def code(self) -> str:
        """Return one line of Python that recreates this pair."""
        return pair_code(self.true_fen, self.predicted_fen, self.line, self.settings)

    def figure(self) -> "Figure":
        """Return a static picture of the pair."""
        from workbench.explore.pictures import pair_figure

        return pair_figure(*self.boards(), settings=self.settings)

    def keep(self, kind: str, question: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Keep an answer under the pair as the page writes it: with FENs as they were read."""
        if "problems" in answer:
            return
        if kind == "compare" and not question["line"]:
            view = answer["view"]
            boards = {f"{each}_fen": view[each]["fen"] for each in ("true", "predicted")}
            question = {**question, **boards}
        super().keep(kind, question, answer)

    def prepare_still(self) -> None:
        """Answer the page's first questions, about the FENs as they were read."""
        with self.hold_sync():
            self.true_fen = read_board(self.true_fen, "true").text
            self.predicted_fen = read_board(self.predicted_fen, "predicted").text
        super().prepare_still()

    def still(self) -> str:
        """Return both boards and the numbers of the last answer as HTML."""
        answer = self.kept_answer("compare", self.questions()["compare"])
        return pair_still(answer and answer["view"], self.caption, flipped=self.flipped)

    def _compare(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return compare_answer(*texts_and_line(message, "fen"), settings_of(message))

    def _lost_mass(self, message: Mapping[str, Any]) -> dict[str, Any]:
        true_fen, predicted_fen, line = texts_and_line(message, "fen")
        boards = replay(true_fen, predicted_fen, line)
        return lost_mass(*boards, settings_of(message), levels=_SHOWN_LEVELS)

    @traitlets.validate("true_fen")
    def _check_true_fen(self, proposal: Any) -> str:
        if not proposal["value"].strip():
            raise InvalidArgumentError("expected a true_fen, got an empty text; give a FEN")
        return checked_fen(true_fen=proposal["value"])

    @traitlets.validate("predicted_fen")
    def _check_predicted_fen(self, proposal: Any) -> str:
        return checked_fen(predicted_fen=proposal["value"])

    @traitlets.validate("line")
    def _check_line(self, proposal: Any) -> list[str]:
        line: list[str] = list(proposal["value"])
        replay(self.true_fen, self.predicted_fen, line)
        return line

    @traitlets.observe("true_fen", "predicted_fen")
    def _drop_a_line_that_no_longer_holds(self, _change: Any) -> None:
        try:
            replay(self.true_fen, self.predicted_fen, self.line)
        except InvalidArgumentError:
            self.line = []

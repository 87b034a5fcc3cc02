"""BoardPair: a true and a predicted chess board, and the cost of their difference."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

import chess
import traitlets

from workbench.automaton import Terminal
from workbench.drawing.reply_words import class_words
from workbench.environments.chess.classification import classify_input
from workbench.environments.chess.replay import numbered_san, read_moves
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.board_reading import (
    board_problem,
    explain,
    read_board,
    unsupported,
)
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_causes, lost_mass
from workbench.explore.page.assets import javascript, piece_drawings, stylesheet
from workbench.explore.page.still_html import board
from workbench.explore.pair.pair_view import compare_boards, replay, replay_boards
from workbench.explore.pair.pair_widget import (
    SETTINGS,
    TEXTS,
    PairWidget,
    Row,
    aside_traits,
    cell_text,
    pair_code,
    pair_still,
    row_values,
)
from workbench.long_texts import cut, quoted
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
        `pair_view`, of the boards after the line), ``line_words`` (the moves in SAN) and ``code``.
    """
    try:
        true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    except InvalidFenError:
        return {"problems": fen_problems(true_fen, predicted_fen)}
    return {
        "view": compare_boards(*replay_boards(true, predicted, line), settings),
        "line_words": numbered_san(read_moves(line), true.fen.board.copy()),
        "code": pair_code("BoardPair", (true.text, predicted.text), line, settings),
    }


def fen_problems(true_fen: str, predicted_fen: str) -> dict[str, str]:
    """Return what is wrong with each FEN that cannot be read, in words, by the board's name."""
    given = classify_input(true_fen).parsed or Fen("")
    problems = {"true": board_problem(true_fen) or unsupported(given)}
    if predicted_fen.strip():
        problems["predicted"] = board_problem(predicted_fen)
    return {name: words for name, words in problems.items() if words is not None}


def checked_fen(true_fen: str = "", predicted_fen: str = "") -> str:
    """Return the FEN that was given, alone or in a text, with single spaces and plain hyphens."""
    for name, words in fen_problems(true_fen or chess.STARTING_FEN, predicted_fen).items():
        fen = true_fen if name == "true" else predicted_fen
        raise InvalidFenError(f"the {name} FEN {quoted(fen)} cannot be read: {words}")
    return read_board(true_fen or predicted_fen, "predicted").text


_LONGEST_TEXT: Final = 10_000
"""Characters of a reply, or of a game's moves, on a page without Python."""
_LIVE: Final = '<div data-live-pair="{}">{}</div>'
"""A last answer, and the state of the pair that stands in its place on pages that have the engine."""


class BoardPair(PairWidget):
    """Two boards side by side, their moves, and precision and recall at every depth.

    The traits can be set from Python and follow changes on the page. A value that cannot be shown
    is refused when it is set, with the reason in words.

    Attributes:
        true_fen: The true board, before ``line``.
        predicted_fen: The predicted board, before ``line``; empty for no predicted state.
        depth: m, at least 1.
        terminal: How games that are finished before m moves count: ``"absorb"`` or ``"drop"``.
        ill_formed: What is done with a predicted board that cannot arise in chess: ``"as_is"`` or
            ``"sink"``.
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

    texts = ("true_fen", "predicted_fen")

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
            terminal: How games that are finished before m moves count.
            ill_formed: What is done with a predicted board that cannot arise in chess.
            line: Moves in UCI to step to at once, which both boards permit.
            reply: A model's reply, shown as text.
            moves: The moves of the game, shown as text.
            caption: A line above the boards.
            flipped: Whether Black is at the bottom.

        Raises:
            InvalidFenError: If a FEN cannot be read.
            InvalidArgumentError: If a setting is out of range, or the line is not shared.
        """
        super().__init__(
            true_fen, predicted_fen, depth=depth, terminal=terminal, ill_formed=ill_formed,
            line=list(line), reply=reply, moves=moves, caption=caption, flipped=flipped,
        )  # fmt: skip
        self.set_trait("pieces", piece_drawings())
        self.observe(self.renew_still, ["flipped"])

    @classmethod
    def row_traits(cls, row: Row) -> dict[str, Any]:
        """Return the arguments that show a row; see `from_row`."""
        values = row_values(row)
        predicted = cell_text(values["predicted_state"])
        fault = explain(predicted) if predicted else None
        problem = f"The FEN in the reply cannot be read: {fault} (it is {quoted(predicted)})"
        return {
            "true_fen": checked_fen(true_fen=cell_text(values["true_state"])),
            "predicted_fen": "" if fault else predicted,
            **aside_traits(values, problem if fault else "", class_words("absent")),
        }

    def boards(self) -> tuple[str, str]:
        """Return the FENs of the true and the predicted board that are shown, after the line."""
        return self.shown_texts()

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
        view = self.last_view()
        if view is None:
            return pair_still(None, "Board pair", self.caption, "", ())
        fens = {name: view[name]["fen"] for name in ("true", "predicted")}
        different = view["different"]
        boards = [
            board(
                f"{name.capitalize()} board",
                read_board(fen, "predicted").board,
                fen,
                different,
                flipped=self.flipped,
            )
            for name, fen in fens.items()
        ]
        accuracy = view["text"]["board_accuracy"]
        facts = [
            ("board accuracy", "undefined" if accuracy is None else f"{accuracy:.4f}"),
            ("squares that differ", ", ".join(different) or "none"),
            ("predicted board", view["predicted"]["words"].rstrip(".")),
        ]
        still = pair_still(view, "Board pair", self.caption, "".join(boards), facts)
        return _LIVE.format(escape(json.dumps(self.page_state())), still)

    def page_state(self) -> dict[str, Any]:
        """Return the traits that a page without Python starts from; long texts are cut."""
        texts = {name: cut(getattr(self, name), _LONGEST_TEXT) for name in TEXTS}
        names = (*self.texts, "line", *SETTINGS, "flipped")
        return {**{name: getattr(self, name) for name in names}, **texts}

    def after(self, true: str, predicted: str, line: list[str]) -> tuple[str, str]:
        """Return both FENs after a line of shared moves."""
        return replay(true, predicted, line)

    def answer_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Compare two boards; see `compare_answer`."""
        return compare_answer(true, predicted, line, settings)

    def losses_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return where lines die; see `workbench.explore.losses.loss_trees.loss_trees`."""
        return lost_mass(*replay(true, predicted, line), settings)

    def causes_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return what each difference costs; see `workbench.explore.losses.main_cause.pair_causes`."""
        return board_causes(*replay(true, predicted, line), settings)

    @traitlets.validate("true_fen")
    def _check_true_fen(self, proposal: Any) -> str:
        if not proposal["value"].strip():
            raise InvalidArgumentError("expected a true_fen, got an empty text; give a FEN")
        return checked_fen(true_fen=proposal["value"])

    @traitlets.validate("predicted_fen")
    def _check_predicted_fen(self, proposal: Any) -> str:
        return checked_fen(predicted_fen=proposal["value"])

"""What the widgets of a pair share: settings, the line, values of a table row, and plain HTML."""

from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pandas as pd
import traitlets

from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, RECALL
from workbench.drawing.reply_words import class_words
from workbench.errors import InvalidArgumentError, TableError
from workbench.explore.board_reading import pair_link, read_board
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.still_html import aside, board, heading, listing, paragraph
from workbench.explore.page.widget_base import WidgetBase
from workbench.long_texts import cut, quoted
from workbench.scoring.parameters import ComparisonSettings

if TYPE_CHECKING:
    import pandas as pd


def row_values(row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
    """Return the cells of a row by the names of their columns."""
    values = {str(name): value for name, value in row.items()}
    missing = [name for name in ("true_state", "predicted_state") if name not in values]
    if missing or not cell_text(values.get("true_state")):
        raise TableError(
            "expected a row with a true_state and a predicted_state, got "
            f"{quoted(str(values), 400)}; take a row of a "
            "table of predictions or scores, such as scores.iloc[0]"
        )
    return values


def aside_traits(values: Mapping[str, Any], problem: str, without: str) -> dict[str, Any]:
    """Return what is shown beside the two states, and how the row was scored."""
    traits: dict[str, Any] = {
        "reply": cell_text(values.get("reply")),
        "moves": cell_text(values.get("movetext")) or cell_text(values.get("moves")),
        "caption": _caption(values, problem, without),
    }
    depths = [
        int(name.rpartition("_")[2])
        for name, value in values.items()
        if name.startswith("precision_") and name.rpartition("_")[2].isdecimal() and pd.notna(value)
    ]
    if depths:
        traits["depth"] = max(depths)
    for column, trait in (("terminal", "terminal"), ("ill_formed_policy", "ill_formed")):
        if cell_text(values.get(column)):
            traits[trait] = cell_text(values[column])
    return traits


def _caption(values: Mapping[str, Any], problem: str, without: str) -> str:
    parts = [cut(cell_text(values.get(name))) for name in ("position_id", "model")]
    if cell_text(values.get("group")):
        parts.append(f"group {cell_text(values['group'])}")
    reply_class = cell_text(values.get("reply_class"))
    parts.append(without if reply_class == "absent" else class_words(reply_class))
    said = ", ".join(part for part in parts if part)
    if problem:
        said += f". {problem}"
    elif not cell_text(values["predicted_state"]) and cell_text(values.get("reason")):
        said += f". {cut(cell_text(values['reason']), 400)}"
    return said.removeprefix(". ")


def cell_text(value: Any) -> str:
    """Return a cell as text; a missing one is empty."""
    return "" if value is None or (not isinstance(value, str) and pd.isna(value)) else str(value)


_LINK: Final = '<p data-pair-link hidden><a href="{}">Open this pair</a></p>'
"""Shown where something opens it: static_page/exported_notebook.py."""


def pair_still(view: Mapping[str, Any] | None, caption: str, *, flipped: bool = False) -> str:
    """Return a pair of boards as HTML."""
    if view is None:
        return heading("Board pair") + paragraph(
            f"{cut(caption, 800)} No numbers were computed.".strip()
        )
    profile, text = view["profile"], view["text"]
    boards = [
        board(
            f"{name.capitalize()} board",
            read_board(view[name]["fen"], "predicted").board,
            view[name]["fen"],
            view["different"],
            flipped=flipped,
        )
        for name in ("true", "predicted")
    ]
    accuracy = text["board_accuracy"]
    facts = listing(
        ("", ""),
        [
            ("exact match", "yes" if text["exact_match"] else "no"),
            (EDIT_DISTANCE.name, text["levenshtein"]),
            ("board accuracy", "undefined" if accuracy is None else f"{accuracy:.4f}"),
            ("squares that differ", ", ".join(view["different"]) or "none"),
            ("predicted board", view["predicted"]["words"].rstrip(".")),
        ],
    )
    link = pair_link(view["true"]["fen"], view["predicted"]["fen"])
    words = profile["reason"][:1].upper() + profile["reason"][1:] + "."
    return (
        (heading(cut(caption, 800)) if caption else "")
        + "".join(boards)
        + aside(numbers_listing(profile) + paragraph(words))
        + aside(facts)
        + (_LINK.format(escape(link)) if link else "")
    )


def numbers_listing(profile: Mapping[str, Any]) -> str:
    """Return precision and recall at every depth as a table."""
    return listing(
        ("m", PRECISION.label("m"), RECALL.label("m")),
        [
            (depth, _in_words(precision), _in_words(recall))
            for depth, precision, recall in zip(
                profile["depths"], profile["precision"], profile["recall"], strict=True
            )
        ],
    )


def _in_words(entry: Mapping[str, Any]) -> str:
    """Return a value, with its interval where it is estimated."""
    value, low, high = entry["value"], entry["low"], entry["high"]
    if value is None:
        return "undefined"
    return f"{value:.4f}" + (f" ({low:.4f} to {high:.4f})" if high > low else "")


SETTINGS = ("depth", "terminal", "ill_formed")


class PairWidget(WidgetBase):
    """A pair of states with its settings, the line that was stepped, and texts beside it.

    A widget has traits for the two texts, `asked` names all that its page's questions consist of,
    and `traits_of_row` says what a row of a table is in its traits.

    Attributes:
        depth: m, at least 1.
        terminal: How episodes that are finished before m actions count.
        ill_formed: What is done with a predicted state that cannot arise.
        line: Actions that both states permit: the states that are shown and compared are those
            after them.
        reply: A model's reply, shown as text.
        moves: The actions of the episode, shown as text.
        caption: A line above the states.
    """

    asked: ClassVar[tuple[str, ...]]

    depth = traitlets.Int(4).tag(sync=True)
    terminal = traitlets.Unicode("absorb").tag(sync=True)
    ill_formed = traitlets.Unicode("as_is").tag(sync=True)
    line = traitlets.List(traitlets.Unicode()).tag(sync=True)
    reply = traitlets.Unicode("").tag(sync=True)
    moves = traitlets.Unicode("").tag(sync=True)
    caption = traitlets.Unicode("").tag(sync=True)

    @classmethod
    def traits_of_row(cls, row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
        """Return the traits that show a row of a table of predictions or scores."""
        raise NotImplementedError

    def show_row(self, row: "Mapping[str, Any] | pd.Series[Any]") -> None:
        """Show another row in this widget; see `from_row`."""
        self.show_traits(self.traits_of_row(row))

    def show_traits(self, found: Mapping[str, Any]) -> None:
        """Show another pair; the texts beside it that are not named become empty."""
        with self.hold_sync():
            self.line = []
            for name, value in {"reply": "", "moves": "", "caption": "", **found}.items():
                setattr(self, name, value)

    @property
    def settings(self) -> ExplorerSettings:
        """How the pair is measured."""
        return ExplorerSettings(self.depth, self.terminal, self.ill_formed)  # type: ignore[arg-type]

    def questions(self) -> dict[str, dict[str, Any]]:
        """Return what the page asks of the present pair."""
        question = {name: getattr(self, name) for name in self.asked}
        return {"compare": question, "lost_mass": question}

    @traitlets.validate(*SETTINGS)
    def _check_setting(self, proposal: Any) -> Any:
        settings = {name: getattr(self, name) for name in SETTINGS}
        ExplorerSettings(**{**settings, proposal["trait"].name: proposal["value"]})
        return proposal["value"]


def texts_and_line(message: Mapping[str, Any], suffix: str) -> tuple[str, str, list[str]]:
    """Return the two texts and the line of a page's message."""
    true, predicted = f"true_{suffix}", f"predicted_{suffix}"
    try:
        line = [str(move) for move in message.get("line", ())]
        return str(message[true]), str(message[predicted]), line
    except KeyError as error:
        raise InvalidArgumentError(
            f"expected {true} and {predicted} in the message, got {quoted(str(dict(message)))}"
        ) from error


def settings_of(message: Mapping[str, Any]) -> ExplorerSettings:
    """Return the settings that a message of the page asks for."""
    try:
        depth = int(message["depth"])
        return ExplorerSettings(depth, message["terminal"], message["ill_formed"])
    except (KeyError, TypeError) as error:
        raise InvalidArgumentError(
            f"expected depth, terminal and ill_formed in the message, got {quoted(str(dict(message)))}"
        ) from error


def pair_arguments(texts: list[str], line: list[str], settings: ExplorerSettings) -> str:
    """Return the arguments of Python code that recreates a pair; defaults are left out."""
    parts = [repr(text) for text in texts]
    for each in fields(ComparisonSettings):
        value = getattr(settings, each.name)
        if value != each.default:
            parts.append(f"{each.name}={value!r}")
    if line:
        parts.append(f"line={line!r}")
    return ", ".join(parts)

"""What every widget with a pair of states has: how it is measured, its line, the texts beside it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import traitlets

from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.answering import Answering
from workbench.long_texts import quoted
from workbench.scoring.parameters import ComparisonSettings

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = ("depth", "terminal", "ill_formed")


class PairWidget(Answering):
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
    """Return the two texts and the line of a page's message.

    Args:
        message: With ``true_`` and ``predicted_`` and the suffix.
        suffix: ``fen`` or ``state``.

    Raises:
        InvalidArgumentError: If a text is missing.
    """
    true, predicted = f"true_{suffix}", f"predicted_{suffix}"
    try:
        line = [str(move) for move in message.get("line", ())]
        return str(message[true]), str(message[predicted]), line
    except KeyError as error:
        raise InvalidArgumentError(
            f"expected {true} and {predicted} in the message, got {quoted(str(dict(message)))}"
        ) from error


def settings_of(message: Mapping[str, Any]) -> ExplorerSettings:
    """Return the settings that a message of the page asks for.

    Raises:
        InvalidArgumentError: If one is missing or out of range.
    """
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

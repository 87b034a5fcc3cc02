"""What the widgets of a pair share: settings, the line, values of a table row, and plain HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeAlias

import pandas as pd
import traitlets

from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, RECALL
from workbench.drawing.reply_words import class_words
from workbench.errors import InvalidArgumentError, TableError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.still_html import aside, heading, listing, paragraph
from workbench.explore.page.widget_base import WidgetBase
from workbench.long_texts import cut, quoted
from workbench.scoring.parameters import ComparisonSettings

Row: TypeAlias = "Mapping[str, Any] | pd.Series[Any]"
"""A row of a table of predictions or scores."""


def row_values(row: Row) -> dict[str, Any]:
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
    caption = ", ".join(part for part in parts if part)
    if problem:
        caption += f". {problem}"
    elif not cell_text(values["predicted_state"]) and cell_text(values.get("reason")):
        caption += f". {cut(cell_text(values['reason']), 400)}"
    return caption.removeprefix(". ")


def cell_text(value: Any) -> str:
    """Return a cell as text; a missing one is empty."""
    return "" if value is None or (not isinstance(value, str) and pd.isna(value)) else str(value)


def pair_still(
    view: Mapping[str, Any] | None,
    title: str,
    caption: str,
    states: str,
    facts: Sequence[tuple[str, str]],
) -> str:
    """Return a pair as HTML: the states, the numbers, and facts about the texts."""
    if view is None:
        words = f"{cut(caption, 800)} No numbers were computed.".strip()
        return heading(title) + paragraph(words)
    text, reason = view["text"], view["profile"]["reason"]
    first = [
        ("exact match", "yes" if text["exact_match"] else "no"),
        (EDIT_DISTANCE.name, text["levenshtein"]),
    ]
    return (
        (heading(cut(caption, 800)) if caption else "")
        + states
        + aside(numbers_listing(view["profile"]) + paragraph(f"{reason[:1].upper()}{reason[1:]}."))
        + aside(listing(("", ""), [*first, *facts]))
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
TEXTS = ("reply", "moves", "caption")
"""What is shown beside the states as it is."""


class PairWidget(WidgetBase):
    """A pair of states with its settings, the line that was stepped, and texts beside it.

    A class of such widgets names its two traits of states in ``texts``.

    Attributes:
        depth: m, at least 1.
        terminal: How episodes that are finished before m actions count.
        ill_formed: What is done with a predicted state that cannot arise.
        line: Actions that both states permit: the states that are shown and compared are those
            after them. A new state that does not permit the line empties it.
        reply: A model's reply, shown as text.
        moves: The actions of the episode, shown as text.
        caption: A line above the states.
    """

    texts: ClassVar[tuple[str, str]]

    depth = traitlets.Int(4).tag(sync=True)
    terminal = traitlets.Unicode("absorb").tag(sync=True)
    ill_formed = traitlets.Unicode("as_is").tag(sync=True)
    line = traitlets.List(traitlets.Unicode()).tag(sync=True)
    reply = traitlets.Unicode("").tag(sync=True)
    moves = traitlets.Unicode("").tag(sync=True)
    caption = traitlets.Unicode("").tag(sync=True)

    def __init__(self, true: str, predicted: str | None, **traits: Any) -> None:
        states = dict(zip(self.texts, (true, predicted or ""), strict=True))
        super().__init__(**states, **traits)
        self.register("compare", self._compare, kept=True)
        self.register("causes", self._causes, kept=True)
        self.register("lost_mass", self._lost_mass, kept=True)
        self.follow_in_still(*self.texts, "line", *SETTINGS)
        self.observe(self.renew_still, list(TEXTS))
        self.observe(self._reset_line, list(self.texts))

    @classmethod
    def row_traits(cls, row: Row) -> dict[str, Any]:
        """Return the arguments that show a row of a table."""
        raise NotImplementedError

    @classmethod
    def from_row(cls, row: Row, **settings: Any) -> Self:
        """Show a row of a table of predictions or scores.

        Args:
            row: Such as ``scores.iloc[0]``. A prediction that cannot be read gives no predicted
                state, and the caption explains why.
            settings: Arguments of the class that override the row.

        Raises:
            TableError: If the row lacks its states.
            InvalidBoardError: If the true state cannot be read.
        """
        return cls(**{**cls.row_traits(row), **settings})

    def show_row(self, row: Row) -> None:
        """Show another row in this widget; see `from_row`."""
        self.show_traits(self.row_traits(row))

    def show_traits(self, traits: Mapping[str, Any]) -> None:
        """Show another pair; the texts beside it that are not named become empty."""
        with self.hold_sync():
            self.line = []
            for name, value in {**dict.fromkeys(TEXTS, ""), **traits}.items():
                setattr(self, name, value)

    def answer_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return ``problems`` of the texts, or ``view``, ``line_words`` and ``code``."""
        raise NotImplementedError

    def losses_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return where lines die after a line of shared actions."""
        raise NotImplementedError

    def causes_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return what each difference costs after a line of shared actions."""
        raise NotImplementedError

    def after(self, true: str, predicted: str, line: list[str]) -> tuple[str, str]:
        """Return the texts of both states after a line of shared actions."""
        raise NotImplementedError

    def compare(self) -> dict[str, Any]:
        """Return all values that are shown of the pair, as `view` in `answer_of`."""
        return self._compare(self.questions()["compare"])["view"]  # type: ignore[no-any-return]

    def code(self) -> str:
        """Return one line of Python that recreates this pair."""
        return self._compare(self.questions()["compare"])["code"]  # type: ignore[no-any-return]

    def shown_texts(self) -> tuple[str, str]:
        """Return the texts of the two states that are shown, after the line."""
        true, predicted = self.texts
        return self.after(getattr(self, true), getattr(self, predicted), self.line)

    def last_view(self) -> dict[str, Any] | None:
        """Return what is shown of the present pair if it has been computed."""
        answer = self.kept_answer("compare", self.questions()["compare"])
        return answer and answer["view"]  # type: ignore[no-any-return]

    @property
    def settings(self) -> ExplorerSettings:
        """How the pair is measured."""
        return ExplorerSettings(self.depth, self.terminal, self.ill_formed)  # type: ignore[arg-type]

    def questions(self) -> dict[str, dict[str, Any]]:
        """Return what the page asks of the present pair."""
        question = {name: getattr(self, name) for name in (*self.texts, "line", *SETTINGS)}
        return {"compare": question, "causes": question, "lost_mass": question}

    def _compare(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return self.answer_of(*self._asked(message), settings_of(message))

    def _causes(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return self.causes_of(*self._asked(message), settings_of(message))

    def _lost_mass(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return self.losses_of(*self._asked(message), settings_of(message))

    def _asked(self, message: Mapping[str, Any]) -> tuple[str, str, list[str]]:
        """Return the two texts and the line of a page's message."""
        true, predicted = self.texts
        try:
            line = [str(move) for move in message.get("line", ())]
            return str(message[true]), str(message[predicted]), line
        except KeyError as error:
            raise InvalidArgumentError(
                f"expected {true} and {predicted} in the message, got {quoted(str(dict(message)))}"
            ) from error

    @traitlets.validate(*SETTINGS)
    def _check_setting(self, proposal: Any) -> Any:
        settings = {name: getattr(self, name) for name in SETTINGS}
        ExplorerSettings(**{**settings, proposal["trait"].name: proposal["value"]})
        return proposal["value"]

    @traitlets.validate("line")
    def _check_line(self, proposal: Any) -> list[str]:
        line: list[str] = list(proposal["value"])
        true, predicted = (getattr(self, name) for name in self.texts)
        self.after(true, predicted, line)
        return line

    def _reset_line(self, _change: Any) -> None:
        try:
            self.shown_texts()
        except InvalidArgumentError:
            self.line = []


def settings_of(message: Mapping[str, Any]) -> ExplorerSettings:
    """Return the settings that a message of the page asks for."""
    try:
        depth = int(message["depth"])
        return ExplorerSettings(depth, message["terminal"], message["ill_formed"])
    except (KeyError, TypeError) as error:
        raise InvalidArgumentError(
            f"expected depth, terminal and ill_formed in the message, got {quoted(str(dict(message)))}"
        ) from error


def pair_code(
    name: str, texts: Sequence[str], line: Sequence[str], settings: ExplorerSettings
) -> str:
    """Return one line of Python that recreates a pair; defaults are left out."""
    parts = [repr(text) for text in texts]
    for each in fields(ComparisonSettings):
        value = getattr(settings, each.name)
        if value != each.default:
            parts.append(f"{each.name}={value!r}")
    if line:
        parts.append(f"line={list(line)!r}")
    return f"from workbench.explore import {name}; {name}({', '.join(parts)})"

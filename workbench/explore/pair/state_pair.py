"""StatePair: a true and a predicted state of any environment, and the cost of their difference."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import traitlets

from workbench.automaton import Terminal
from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.environment import Environment
from workbench.environments.registry import DEFAULT, environment_in_table, environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.assets import javascript, stylesheet
from workbench.explore.page.still_html import (
    aside,
    heading,
    listing,
    paragraph,
    picture,
    preformatted,
)
from workbench.explore.pair.pair_widget import (
    SETTINGS,
    PairWidget,
    aside_traits,
    cell_text,
    numbers_listing,
    pair_arguments,
    row_values,
    settings_of,
    texts_and_line,
)
from workbench.explore.pair.state_view import ExploredEnvironment, state_losses, state_view
from workbench.long_texts import cut, quoted
from workbench.scoring.parameters import IllFormedPolicy

if TYPE_CHECKING:
    import pandas as pd


_LONGEST: Final = 2000
_PIXELS: Final = 280


def state_still(view: Mapping[str, Any] | None, caption: str, title: str, noun: str) -> str:
    """Return a pair of states as HTML."""
    if view is None:
        return heading(f"{title}: a pair of states") + paragraph(
            f"{cut(caption, 800)} No numbers were computed.".strip()
        )
    text = view["text"]
    states = [
        aside(
            heading(f"{name.capitalize()} {noun}")
            + picture(view[name]["picture"], f"{name} {noun}", _PIXELS)
            + preformatted(cut(view[name]["state"], _LONGEST) or f"no {noun}"),
            _PIXELS,
        )
        for name in ("true", "predicted")
    ]
    facts = listing(
        ("", ""),
        [
            ("exact match", "yes" if text["exact_match"] else "no"),
            (EDIT_DISTANCE.name, text["levenshtein"]),
            ("elements right", f"{text['right']} of {text['elements']}"),
            ("elements that differ", ", ".join(view["different"]) or "none"),
            (f"predicted {noun}", view["predicted"]["words"].rstrip(".")),
        ],
    )
    reason = view["profile"]["reason"]
    return (
        (heading(cut(caption, 800)) if caption else "")
        + "".join(states)
        + aside(numbers_listing(view["profile"]) + paragraph(f"{reason[:1].upper()}{reason[1:]}."))
        + aside(facts)
    )


def state_answer(
    place: ExploredEnvironment,
    true: str,
    predicted: str,
    line: list[str],
    settings: ExplorerSettings,
) -> dict[str, Any]:
    """Compare two states after a line of shared actions, or explain which text is no state.

    Returns:
        Either ``problems``, a text for ``true`` or ``predicted`` or both; or ``view`` (see
        `state_view`, of the states after the line), ``line_words`` and ``code``.
    """
    problems = place.problems(true, predicted)
    if problems:
        return {"problems": problems}
    pair = place.after(place.read(true, "true"), place.read(predicted, "predicted"), line)
    return {
        "view": state_view(place, *pair, settings),
        "line_words": line,
        "code": state_code(place.environment, true, predicted, line, settings),
    }


def losses_answer(
    place: ExploredEnvironment,
    true: str,
    predicted: str,
    line: list[str],
    settings: ExplorerSettings,
) -> dict[str, Any]:
    """Return where lines die after a line of shared actions; see `state_answer`."""
    pair = place.after(place.read(true, "true"), place.read(predicted, "predicted"), line)
    return state_losses(place, *pair, settings)


def state_code(
    environment: Environment[Any, Any],
    true: str,
    predicted: str,
    line: list[str],
    settings: ExplorerSettings,
) -> str:
    """Return one line of Python that recreates a pair; defaults are left out."""
    said = pair_arguments([environment.name, true, predicted], line, settings)
    return f"from workbench.explore import StatePair; StatePair({said})"


def state_row_traits(row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
    """Return what StatePair shows of a row of a table of predictions or scores.

    Returns:
        ``environment``, an `Environment`, and arguments of StatePair. A predicted text that is no
        state gives no predicted state, and the caption says what is wrong with it.
    """
    values = row_values(row)
    environment = environment_in_table(cell_text(values.get("environment")) or DEFAULT)
    place = ExploredEnvironment(environment)
    predicted = cell_text(values["predicted_state"])
    fault, noun = place.fault(predicted, "predicted"), environment.state_noun
    problem = f"The {noun} in the reply cannot be read: {fault} (it is {quoted(predicted)})"
    return {
        "environment": environment,
        "true_state": place.checked(cell_text(values["true_state"]), "true"),
        "predicted_state": "" if fault else predicted,
        **aside_traits(values, problem if fault else "", f"without a {noun}"),
    }


class StatePair(PairWidget):
    """Two states of any environment side by side, their actions, and p and r at every depth.

    ``StatePair("boxes", true_text, predicted_text)`` shows a pair, ``StatePair.from_row(row)`` a row
    of a table of predictions or scores, and ``StatePair.example("boxes")`` a state of a random
    episode with a mistake in it. The traits can be set from Python and follow changes on the page.
    A value that cannot be shown is refused when it is set, with the reason in words.

    Attributes:
        environment: The environment's name; not to be set.
        true_state: The text of the true state, before ``line``.
        predicted_state: The text of the predicted state, before ``line``; blank for none.
        nouns: What the page calls states and actions; not to be set.
    """

    _esm = javascript("state/state_pair.js")
    _css = stylesheet("pair/pair_panels.css", "state/state_pair.css")

    asked = ("true_state", "predicted_state", "line", *SETTINGS)

    environment = traitlets.Unicode(read_only=True).tag(sync=True)
    true_state = traitlets.Unicode().tag(sync=True)
    predicted_state = traitlets.Unicode().tag(sync=True)
    nouns = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        environment: str | Environment[Any, Any],
        true_state: str,
        predicted_state: str | None,
        depth: int = 4,
        *,
        terminal: Terminal = "absorb",
        ill_formed: IllFormedPolicy = "as_is",
        line: Sequence[str] = (),
        reply: str = "",
        moves: str = "",
        caption: str = "",
    ) -> None:
        """Show a pair of states.

        Args:
            environment: Its name, such as ``planning:gripper``, or the environment itself.
            true_state: The text of a state, in any way in which the environment reads it.
            predicted_state: Another; None or a blank text is no predicted state.
            depth: m, at least 1.
            terminal: ``"absorb"`` or ``"drop"``.
            ill_formed: ``"as_is"`` or ``"sink"``.
            line: Actions to step to at once, as the environment writes them.
            reply: A model's reply.
            moves: The actions of the episode.
            caption: What the pair is.

        Raises:
            InvalidBoardError: If a text is no state.
            InvalidArgumentError: If there is no such environment, a setting is out of range, or
                the line is not shared.
        """
        ExplorerSettings(depth, terminal, ill_formed)
        if isinstance(environment, str):
            environment = environment_named(environment)
        self._place = ExploredEnvironment(environment)
        self._replayed(true_state, predicted_state or "", line)
        super().__init__(
            true_state=true_state,
            predicted_state=predicted_state or "",
            depth=depth,
            terminal=terminal,
            ill_formed=ill_formed,
            line=list(line),
            reply=reply,
            moves=moves,
            caption=caption,
        )
        self._name_environment()
        self.register("compare", self._compare, kept=True)
        self.register("lost_mass", self._lost_mass, kept=True)
        self.follow_in_still(*self.asked)
        self.observe(self.renew_still, ["caption"])

    @classmethod
    def from_row(cls, row: "Mapping[str, Any] | pd.Series[Any]", **settings: Any) -> "StatePair":
        """Show a row of a table of predictions or scores of any environment.

        Args:
            row: Such as ``scores.iloc[0]``; see
                `workbench.explore.pair.state_pair.state_row_traits`.
            settings: Arguments of `StatePair` that override the row.

        Raises:
            TableError: If the row lacks its states.
            InvalidBoardError: If the true state cannot be read.
        """
        return cls(**{**state_row_traits(row), **settings})

    @classmethod
    def example(
        cls,
        environment: str | Environment[Any, Any],
        length: int = 6,
        seed: int = 0,
        **settings: Any,
    ) -> "StatePair":
        """Show the last state of a random episode, and that state after a tracker's mistake.

        Args:
            environment: Its name, or the environment itself.
            length: Actions of the episode, at least 1.
            seed: At least 0.
            settings: Further arguments of `StatePair`.
        """
        if isinstance(environment, str):
            environment = environment_named(environment)
        episode = next(islice(environment.episodes(length, seed), 1))
        true = environment.read_state(episode.true)
        predicted = environment.slip(true, np.random.default_rng(seed))
        said = f"{environment.title}: after {length} random {environment.action_noun}s"
        shown = {"caption": said, "moves": environment.shown_moves(episode.actions), **settings}
        text = environment.state_text
        return cls(environment, text(true), text(predicted), **shown)

    @classmethod
    def traits_of_row(cls, row: "Mapping[str, Any] | pd.Series[Any]") -> dict[str, Any]:
        """Return the traits that show a row; see `from_row`."""
        return state_row_traits(row)

    def show_row(self, row: "Mapping[str, Any] | pd.Series[Any]") -> None:
        """Show another row of the same environment in this widget; see `from_row`.

        Raises:
            InvalidArgumentError: If it is of another environment.
        """
        found = state_row_traits(row)
        other = found.pop("environment").name
        if other != self.environment:
            raise InvalidArgumentError(
                f"expected a row of the environment {self.environment}, got one of {other}; "
                "make another widget by StatePair.from_row"
            )
        self.show_traits(found)

    def states(self) -> tuple[str, str]:
        """Return the texts of the states that are shown, after the line; blank for none."""
        true, predicted = self._replayed(self.true_state, self.predicted_state, self.line)
        return true.parsed.text, predicted.parsed.text

    def compare(self) -> dict[str, Any]:
        """Return all that is shown; see `workbench.explore.pair.state_view.state_view`."""
        return self._compare(self.questions()["compare"])["view"]  # type: ignore[no-any-return]

    def code(self) -> str:
        """Return one line of Python that recreates this pair."""
        texts = self.true_state, self.predicted_state
        return state_code(self._place.environment, *texts, self.line, self.settings)

    def still(self) -> str:
        """Return both states and the numbers of the last answer as HTML."""
        answer = self.kept_answer("compare", self.questions()["compare"])
        title, noun = self._place.environment.title, self._place.words.state
        return state_still(answer and answer["view"], self.caption, title, noun)

    def _name_environment(self) -> None:
        words = self._place.words
        self.set_trait("environment", self._place.environment.name)
        self.set_trait(
            "nouns",
            {
                "title": self._place.environment.title,
                "state": words.state,
                "action": words.action,
                "within": words.within,
                "episode": words.episode,
                "written": words.state,
                "asIs": f"the {words.action}s that the environment permits there",
                "longest": self._place.environment.longest_state,
            },
        )

    def _replayed(self, true: str, predicted: str, line: Sequence[str]) -> Any:
        place = self._place
        return place.after(place.read(true, "true"), place.read(predicted, "predicted"), list(line))

    def _compare(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return state_answer(self._place, *texts_and_line(message, "state"), settings_of(message))

    def _lost_mass(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return losses_answer(self._place, *texts_and_line(message, "state"), settings_of(message))

    @traitlets.validate("true_state", "predicted_state")
    def _check_state(self, proposal: Any) -> str:
        look = proposal["trait"].name.partition("_")[0]
        return self._place.checked(proposal["value"], look)

    @traitlets.validate("line")
    def _check_line(self, proposal: Any) -> list[str]:
        line: list[str] = list(proposal["value"])
        self._replayed(self.true_state, self.predicted_state, line)
        return line

    @traitlets.observe("true_state", "predicted_state")
    def _drop_a_line_that_no_longer_holds(self, _change: Any) -> None:
        try:
            self._replayed(self.true_state, self.predicted_state, self.line)
        except InvalidArgumentError:
            self.line = []

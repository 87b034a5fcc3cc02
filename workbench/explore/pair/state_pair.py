"""StatePair: a true and a predicted state of any environment, and the cost of their difference."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
import traitlets

from workbench.automaton import Terminal
from workbench.environment import Environment
from workbench.environments.registry import DEFAULT, environment_in_table, environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.assets import javascript, stylesheet
from workbench.explore.page.still_html import aside, heading, picture, preformatted
from workbench.explore.pair.pair_widget import (
    PairWidget,
    Row,
    aside_traits,
    cell_text,
    pair_code,
    pair_still,
    row_values,
)
from workbench.explore.pair.state_view import StateReader, state_causes, state_losses, state_view
from workbench.long_texts import cut, quoted
from workbench.scoring.parameters import IllFormedPolicy

_LONGEST: Final = 2000
_PIXELS: Final = 280


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

    texts = ("true_state", "predicted_state")

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
            terminal: How episodes that are finished before m actions count.
            ill_formed: What is done with a predicted state that cannot arise.
            line: Actions to step to at once, which both states permit, as the environment writes them.
            reply: A model's reply, shown as text.
            moves: The actions of the episode, shown as text.
            caption: A line above the states.

        Raises:
            InvalidBoardError: If a text is no state.
            InvalidArgumentError: If there is no such environment, a setting is out of range, or
                the line is not shared.
        """
        if isinstance(environment, str):
            environment = environment_named(environment)
        self._reader = StateReader(environment)
        super().__init__(
            true_state, predicted_state, depth=depth, terminal=terminal, ill_formed=ill_formed,
            line=list(line), reply=reply, moves=moves, caption=caption,
        )  # fmt: skip
        words = self._reader.words
        self.set_trait("environment", environment.name)
        self.register("edit", self._edit)
        nouns = {
            "title": environment.title,
            "state": words.state,
            "action": words.action,
            "within": words.within,
            "episode": words.episode,
            "written": words.state,
            "asIs": f"the {words.action}s that the environment permits there",
            "longest": environment.longest_state,
        }
        self.set_trait("nouns", nouns)

    @classmethod
    def row_traits(cls, row: Row) -> dict[str, Any]:
        """Return the arguments that show a row; see `from_row`."""
        values = row_values(row)
        environment = environment_in_table(cell_text(values.get("environment")) or DEFAULT)
        reader, noun = StateReader(environment), environment.state_noun
        predicted = cell_text(values["predicted_state"])
        fault = reader.fault(predicted, "predicted")
        problem = f"The {noun} in the reply cannot be read: {fault} (it is {quoted(predicted)})"
        return {
            "environment": environment,
            "true_state": reader.checked(cell_text(values["true_state"]), "true"),
            "predicted_state": "" if fault else predicted,
            **aside_traits(values, problem if fault else "", f"without a {noun}"),
        }

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
        caption = f"{environment.title}: after {length} random {environment.action_noun}s"
        traits = {"caption": caption, "moves": environment.movetext(episode.actions), **settings}
        text = environment.state_text
        return cls(environment, text(true), text(predicted), **traits)

    def show_row(self, row: Row) -> None:
        """Show another row of the same environment in this widget; see `from_row`.

        Raises:
            InvalidArgumentError: If it is of another environment.
        """
        traits = self.row_traits(row)
        other = traits.pop("environment").name
        if other != self.environment:
            raise InvalidArgumentError(
                f"expected a row of the environment {self.environment}, got one of {other}; "
                "make another widget by StatePair.from_row"
            )
        self.show_traits(traits)

    def states(self) -> tuple[str, str]:
        """Return the texts of the states that are shown, after the line; blank for none."""
        return self.shown_texts()

    def still(self) -> str:
        """Return both states and the numbers of the last answer as HTML."""
        view, noun = self.last_view(), self._reader.words.state
        title = f"{self._reader.environment.title}: a pair of states"
        if view is None:
            return pair_still(None, title, self.caption, "", ())
        states = [
            aside(
                heading(f"{name.capitalize()} {noun}")
                + picture(view[name]["picture"], f"{name} {noun}", _PIXELS)
                + preformatted(cut(view[name]["state"], _LONGEST) or f"no {noun}"),
                _PIXELS,
            )
            for name in ("true", "predicted")
        ]
        facts = [
            ("elements right", f"{view['text']['right']} of {view['text']['elements']}"),
            ("elements that differ", ", ".join(view["different"]) or "none"),
            (f"predicted {noun}", view["predicted"]["words"].rstrip(".")),
        ]
        return pair_still(view, title, self.caption, "".join(states), facts)

    def after(self, true: str, predicted: str, line: list[str]) -> tuple[str, str]:
        """Return both texts after a line of shared actions."""
        pair = self._reader.read_pair(true, predicted, line)
        return pair[0].parsed.text, pair[1].parsed.text

    def answer_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Compare two states after a line of shared actions; see `state_view`."""
        problems = self._reader.problems(true, predicted)
        if problems:
            return {"problems": problems}
        pair = self._reader.read_pair(true, predicted, line)
        texts = [self._reader.environment.name, true, predicted]
        return {
            "view": state_view(self._reader, *pair, settings),
            "line_words": line,
            "code": pair_code("StatePair", texts, line, settings),
        }

    def losses_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return where lines die; see `workbench.explore.losses.loss_trees.loss_trees`."""
        pair = self._reader.read_pair(true, predicted, line)
        return state_losses(self._reader, *pair, settings)

    def causes_of(
        self, true: str, predicted: str, line: list[str], settings: ExplorerSettings
    ) -> dict[str, Any]:
        """Return what each difference costs; see `workbench.explore.losses.main_cause.pair_causes`."""
        return state_causes(self._reader, *self._reader.read_pair(true, predicted, line), settings)

    def _edit(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Edit a picture: put what stands on one place of it on another."""
        side, source, target = (str(message[name]) for name in ("side", "source", "target"))
        environment = self._reader.environment
        state = self._reader.read(str(message["state"]), side).known
        places = {each.name for each in environment.places(state)}
        if missing := {source, target} - places:
            raise InvalidArgumentError(
                f"expected places of the picture, got {sorted(missing)!r:.200}"
            )
        edited = environment.edited(state, source, target)
        return {"side": side, "state": None if edited is None else environment.state_text(edited)}

    @traitlets.validate("true_state", "predicted_state")
    def _check_state(self, proposal: Any) -> str:
        side = proposal["trait"].name.partition("_")[0]
        return self._reader.checked(proposal["value"], side)

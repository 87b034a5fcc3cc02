"""The relations ``symmetry`` and ``colour_flip``: an image of the whole episode, whose answer is mapped back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from workbench.asking.prompts import REPLY_TOKENS, Prompt
from workbench.automaton import Sink
from workbench.consistency.relation import Pair, PairQuestion, Relation, initial_state
from workbench.environment import AnyEnvironment, Symmetry
from workbench.tasks.task import START_HEADING, actions_heading


class SymmetryRelation(Relation):
    """The image of an episode by a symmetry of its environment, such as a renaming or a reflection.

    Class attributes:
        exchanges_sides: Whether it is of the symmetries by which the sides of a game change places.
    """

    name: ClassVar[str] = "symmetry"
    keeps: ClassVar[str] = "the episode but for names or directions"
    exchanges_sides: ClassVar[bool] = False

    def reason(self, environment: AnyEnvironment, prompt: Prompt | None) -> str:
        """Return that there is no such symmetry, or that its start cannot be shown."""
        initial = environment.automaton.initial
        symmetries = self._symmetries(environment, initial, np.random.default_rng(0))
        if not symmetries:
            kind = "that exchanges the sides" if self.exchanges_sides else "that keeps them"
            return f"no symmetry {kind} is defined for {environment.title}"
        moves_start = any(each.state(initial) != initial for each in symmetries)
        if moves_start and not environment.shows_start and prompt is None:
            return "its image has another start, and the model reads actions alone"
        return ""

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the episode and its image by one of the symmetries."""
        start = initial_state(environment, initial)
        symmetries = self._symmetries(environment, start, generator)
        if not symmetries:
            return None
        symmetry = symmetries[int(generator.integers(len(symmetries)))]
        image = symmetry.state(start)
        of_image = "" if image == environment.automaton.initial else environment.state_text(image)
        first = PairQuestion(initial, tuple(actions))
        second = PairQuestion(of_image, tuple(map(symmetry.action, actions)))
        if of_image and not environment.shows_start:
            # Both are asked in the same way, so that the image alone differs.
            prompt_of_start = prompt_with_start(environment)
            text = environment.state_text(start)
            first, second = (
                replace(first, initial=text, prompt=prompt_of_start),
                replace(second, prompt=prompt_of_start),
            )
        return Pair(first, second, symmetry.name, symmetry=symmetry)

    def second_state(self, environment: AnyEnvironment, pair: Pair, state: Any) -> Any | Sink:
        """Return the state of which the second answer is the image."""
        assert pair.symmetry is not None
        return pair.symmetry.back(state)

    def _symmetries(
        self, environment: AnyEnvironment, initial: Any, generator: np.random.Generator
    ) -> list[Symmetry]:
        every = environment.symmetries(initial, generator)
        return [each for each in every if each.exchanges_sides == self.exchanges_sides]


class ColourFlip(SymmetryRelation):
    """The image of a game in which White plays Black's part."""

    name: ClassVar[str] = "colour_flip"
    keeps: ClassVar[str] = "the game with its sides exchanged"
    exchanges_sides: ClassVar[bool] = True


def prompt_with_start(environment: AnyEnvironment) -> Prompt:
    """Return a way to ask about an episode from any start, where the usual prompts show none."""
    noun, action = environment.state_noun, environment.action_noun
    turn = (
        f"A {environment.episode_noun} of {environment.title} began from the {noun} under "
        f'"{START_HEADING}". Its {action}s so far follow, in order, under '
        f'"{actions_heading(environment)}". {environment.action_format}\n\n'
        f"Find the {noun} after the last {action}. {environment.state_format}\n\n"
        f"Reply with the {noun} alone.\n\n"
        f"{START_HEADING}\n{{initial}}\n\n{actions_heading(environment)}\n{{moves}}"
    )
    return Prompt("with-start", 1, "uci", (turn,), REPLY_TOKENS)

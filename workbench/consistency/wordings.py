"""The relations ``notation``, ``paraphrase`` and ``prefix``: the same episode in other words of a question."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

import numpy as np

from workbench.asking.prompts import Prompt, prompts_of, task_prompt
from workbench.consistency.relation import Pair, PairQuestion, Relation
from workbench.environment import AnyEnvironment
from workbench.tasks.task import START_HEADING, actions_heading

_AS_SHOWN: Final = ("shown", "pgn")
"""The notations in which a game of chess is shown as PGN, and any other episode as it is written."""

FURTHER: Final = 4
"""The actions that ``prefix`` adds."""


class Notation(Relation):
    """The same request, with the actions in another notation."""

    name: ClassVar[str] = "notation"
    keeps: ClassVar[str] = "the actions, not how they are written"
    reads_words: ClassVar[bool] = True

    def reason(self, environment: AnyEnvironment, prompt: Prompt | None) -> str:
        """Return that the environment writes its actions in one way."""
        if prompt is None or self._others(environment, prompt):
            return ""
        return f"{environment.title} writes its {environment.action_noun}s in one notation"

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the question, and that of a prompt in another notation, which is drawn."""
        assert prompt is not None
        others = self._others(environment, prompt)
        other = others[int(generator.integers(len(others)))]
        return _same_actions(initial, actions, other, f"{other.notation} for {prompt.notation}")

    def _others(self, environment: AnyEnvironment, prompt: Prompt) -> list[Prompt]:
        """Return the first prompt of each other notation."""
        by_notation: dict[str, Prompt] = {}
        for each in prompts_of(environment.name):
            if each.notation not in (prompt.notation, "shown") and len(each.turns) == 1:
                by_notation.setdefault(each.notation, each)
        return list(by_notation.values())


class Paraphrase(Relation):
    """The same request in other words, with the actions in the same notation."""

    name: ClassVar[str] = "paraphrase"
    keeps: ClassVar[str] = "the request, not its words"
    reads_words: ClassVar[bool] = True

    def reason(self, environment: AnyEnvironment, prompt: Prompt | None) -> str:
        """Return that the run's own notation has no other words."""
        return _other_notation(prompt)

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the question, and the same in the words of `other_words`."""
        return _same_actions(initial, actions, other_words(environment), "other words")


class Prefix(Relation):
    """A longer list of actions, and the request for the state before its last ones."""

    name: ClassVar[str] = "prefix"
    keeps: ClassVar[str] = f"the state {FURTHER} actions before the end of a longer list"
    reads_words: ClassVar[bool] = True

    def reason(self, environment: AnyEnvironment, prompt: Prompt | None) -> str:
        """Return that the run's own notation has no such request."""
        return _other_notation(prompt)

    def pair(
        self,
        environment: AnyEnvironment,
        initial: str,
        actions: Sequence[str],
        prompt: Prompt | None,
        generator: np.random.Generator,
    ) -> Pair | None:
        """Return the question without its last actions, and the whole list with the other request."""
        if len(actions) <= FURTHER:
            return None
        first = PairQuestion(initial, tuple(actions[:-FURTHER]))
        request = earlier_state(environment)
        second = PairQuestion(initial, tuple(actions), request, left_out=FURTHER)
        return Pair(first, second, f"{FURTHER} {environment.action_noun}s more in the list")


def _same_actions(initial: str, actions: Sequence[str], prompt: Prompt, change: str) -> Pair:
    question = PairQuestion(initial, tuple(actions))
    return Pair(question, replace(question, prompt=prompt), change)


def _other_notation(prompt: Prompt | None) -> str:
    if prompt is None or prompt.notation in _AS_SHOWN:
        return ""
    return (
        f"its words are for {' or '.join(_AS_SHOWN)}, and prompt {prompt.name!r} has the notation "
        f"{prompt.notation!r}"
    )


def other_words(environment: AnyEnvironment) -> Prompt:
    """Return the request for a state in words that no prompt of the workbench has."""
    noun, action = environment.state_noun, environment.action_noun
    request = (
        f"Follow every {action} in the list below. Which {noun} do they end in? "
        f"{environment.state_format} Give this {noun} and nothing else.\n\n{environment.rules}"
    )
    return _prompt(environment, "other-words", request)


def earlier_state(environment: AnyEnvironment) -> Prompt:
    """Return the request for the state some actions before the end."""
    noun, action = environment.state_noun, environment.action_noun
    request = (
        f"{environment.rules}\n\nLeave out the last {FURTHER} {action}s of the list below: find the "
        f"{noun} before them, when only the {action}s up to there had been made. "
        f"{environment.state_format}\n\nReply with that {noun} alone."
    )
    return _prompt(environment, f"{FURTHER}-earlier", request)


def _prompt(environment: AnyEnvironment, name: str, request: str) -> Prompt:
    start = f"{START_HEADING}\n{{initial}}\n\n" if environment.shows_start else ""
    turn = f"{request}\n\n{start}{actions_heading(environment)}\n{{moves}}"
    tokens = task_prompt(environment.name).reply_tokens
    return Prompt(name, 1, "shown", (turn,), tokens)

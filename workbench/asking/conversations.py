"""Conversations: what the user says next, which may depend on the replies, and the state that each reply is about."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd

from workbench.asking.journal import Record
from workbench.asking.prompts import GAME_TURNS, Prompt
from workbench.asking.questions import questions_of
from workbench.environment import EpisodeTexts
from workbench.environments.registry import AnyEnvironment, environment_named, environment_of
from workbench.errors import TableError
from workbench.seeds import derived_seed
from workbench.tasks.task import split_own_action

_ACTIONS: Final = "{actions}"
_NOTICE: Final = "{notice}"


class Conversation:
    """The messages about one position that are the same whatever the model replies; its last reply counts.

    Attributes:
        messages: In order; of a game, as many as there may be, for an estimate of cost.

    Class attributes:
        may_end_early: Whether there may be fewer, by what is replied.
    """

    may_end_early: ClassVar[bool] = False

    def __init__(self, messages: Sequence[str]) -> None:
        self.messages: Final = tuple(messages)

    def next_message(self, replies: Sequence[str]) -> str | None:
        """Return the user's message after these replies, or None where the conversation is over."""
        place = len(replies)
        return self.messages[place] if place < len(self.messages) else None

    def correction(self, turn: int) -> str | None:
        """Return what stands in the conversation in the place of a reply, or None for the reply itself."""
        return None

    def turns(self, replies: Sequence[str]) -> list[EpisodeTexts] | None:
        """Return the prefix of the episode that each reply is about, and the next; None where only the last counts."""
        return None


@dataclass(frozen=True, slots=True)
class Episode:
    """What a conversation about an episode is made of, as JSON can hold it.

    Attributes:
        dialogue: How it goes on, as of `workbench.asking.prompts.Prompt`.
        environment: The name of the environment.
        position_id: Of the episode; what is drawn depends on it.
        initial: The text of the first state; empty for the shared start.
        moves: The actions, as in tables.
        first: The user's first message, with ``{actions}`` where the first action is told in it.
        later: Each later one, with ``{actions}``.
    """

    dialogue: str
    environment: str
    position_id: str
    initial: str
    moves: str
    first: str
    later: str

    def conversation(self) -> Conversation:
        """Return the conversation."""
        return (Play if self.dialogue == "play" else Turns)(self)


class Turns(Conversation):
    """An episode that is told action by action, with a reply after each one."""

    def __init__(self, episode: Episode) -> None:
        environment = environment_named(episode.environment)
        actions = environment.split_moves(environment.plain_moves(episode.moves))
        self._prefixes = list(environment.prefixes(episode.initial, actions))
        if not self._prefixes:
            raise TableError(
                f"position {episode.position_id!r}: expected at least one {environment.action_noun}, which are told "
                "one at a time, got none; leave it out"
            )
        self._is_corrected = episode.dialogue == "corrected"
        texts = ["", *(prefix.movetext for prefix in self._prefixes)]
        additions = [_added(environment, *pair) for pair in pairwise(texts)]
        templates = [episode.first, *[episode.later] * (len(additions) - 1)]
        super().__init__(
            [
                template.replace(_ACTIONS, text)
                for template, text in zip(templates, additions, strict=True)
            ]
        )

    def correction(self, turn: int) -> str | None:
        """Return the true state where replies are corrected."""
        return self._prefixes[turn].state if self._is_corrected else None

    def turns(self, replies: Sequence[str]) -> list[EpisodeTexts]:
        """Return the prefix that each turn is about."""
        return self._prefixes


@dataclass(frozen=True, slots=True)
class Step:
    """A turn of a game: the actions before it, those played after the reply, and whether the first is the model's."""

    before: tuple[str, ...]
    played: tuple[str, ...]
    is_own: bool


class Play(Conversation):
    """An episode that goes on with the actions that the model names, and in a game of two with drawn ones."""

    may_end_early: ClassVar[bool] = True

    def __init__(self, episode: Episode) -> None:
        super().__init__([episode.first, *[episode.later] * (GAME_TURNS - 1)])
        self._episode = episode
        self._environment = environment_named(episode.environment)

    @cached_property
    def _opening(self) -> tuple[Any, tuple[str, ...]]:
        environment, episode = self._environment, self._episode
        moves = environment.plain_moves(episode.moves)
        state = environment.replay(episode.initial, moves, episode.position_id)
        return state, tuple(environment.split_moves(moves))

    def next_message(self, replies: Sequence[str]) -> str | None:
        """Return what was played since the last reply; None after `GAME_TURNS` replies, or at the end of the game."""
        if not replies:
            return self.messages[0]
        environment = self._environment
        *_, (step, state) = self._steps(replies)
        if len(replies) >= GAME_TURNS or not environment.automaton.permitted(state):
            return None
        noun = environment.action_noun
        notice = (
            f"Your {noun} was played."
            if step.is_own
            else f"Your {noun} is not permitted, or cannot be read. Another one was played."
        )
        texts = (environment.movetext(each) for each in (step.before, step.before + step.played))
        addition = _added(environment, *texts)
        return self.messages[1].replace(_NOTICE, notice).replace(_ACTIONS, addition)

    def turns(self, replies: Sequence[str]) -> list[EpisodeTexts]:
        """Return the prefix that each reply is about, and that of the next turn."""
        steps = [step for step, _ in self._steps(replies)]
        ends = [self._opening[1], *(step.before + step.played for step in steps)]
        environment = self._environment
        return [
            environment.episode_texts(self._episode.initial, environment.separator.join(actions))
            for actions in ends
        ]

    def _steps(self, replies: Sequence[str]) -> Iterator[tuple[Step, Any]]:
        """Yield each turn and the state after it; the same replies lead to the same game."""
        environment, automaton = self._environment, self._environment.automaton
        state, actions = self._opening
        for turn, reply in enumerate(replies):
            seed = derived_seed(0, "play", self._episode.position_id, turn)
            generator = np.random.default_rng(seed)
            own = own_action(environment, state, reply)
            played = []
            for side in range(environment.sides):
                permitted = automaton.permitted(state)
                if not permitted:
                    break
                action = own if side == 0 else None
                if action is None:
                    action = permitted[int(generator.integers(len(permitted)))]
                played.append(environment.action_text(action))
                state = automaton.successor(state, action)
            yield Step(actions, tuple(played), own is not None), state
            actions += tuple(played)


def own_action(environment: AnyEnvironment, state: Any, reply: str) -> Any | None:
    """Return the action that a reply plays in a true state; None if it names none, or one that is not permitted."""
    return environment.action_named(state, split_own_action(environment, reply)[1])


def _added(environment: AnyEnvironment, before: str, after: str) -> str:
    """Return what a longer text of actions adds to one with which it begins."""
    return after[len(before) :].strip(f"{environment.separator} ")


def episode_of(
    position: dict[Any, Any], messages: tuple[str, ...], prompt: Prompt
) -> Episode | None:
    """Return what a conversation about a position is made of; None where its messages are the same for all replies."""
    if not prompt.dialogue:
        return None
    initial, moves = position["initial_state"], position["moves"]
    if not isinstance(moves, str):
        raise TableError(
            f"position {position['position_id']!r}: prompt {prompt.name!r} needs the column 'moves', got {moves!r}"
        )
    return Episode(
        prompt.dialogue, position["environment"], position["position_id"],
        initial if isinstance(initial, str) else "", moves, *messages,
    )  # fmt: skip


def conversations_of(positions: pd.DataFrame, prompt: Prompt) -> dict[str, Conversation]:
    """Return the conversation about each position, by ``position_id``, in the table's order."""
    questions = questions_of(positions, prompt)
    if not prompt.dialogue:
        return {name: Conversation(messages) for name, messages in questions.items()}
    environment_of(positions, "positions")
    conversations = {}
    for position in positions.to_dict("records"):
        name = position["position_id"]
        episode = episode_of(position, questions[name], prompt)
        if episode is not None:
            conversations[name] = episode.conversation()
    return conversations


def answered(record: Record, conversations: Mapping[str, Conversation]) -> set[tuple[str, int]]:
    """Return position and sample of the conversations that are over: every turn is answered."""
    counts = Counter((name, sample) for name, sample, _ in record.answers)

    def is_over(question: tuple[str, int], count: int) -> bool:
        conversation = conversations[question[0]]
        longest = len(conversation.messages)
        if count >= longest or not conversation.may_end_early:
            return count == longest
        return conversation.next_message(record.replies(question)) is None

    return {
        question
        for question, count in counts.items()
        if question[0] in conversations and is_over(question, count)
    }


def turn_positions(
    position: dict[Any, Any], turns: Sequence[EpisodeTexts], environment: AnyEnvironment
) -> list[dict[Any, Any]]:
    """Return the rows of a positions table for the prefixes of a position's episode, each with a name of its own."""
    game = position["game_id"]
    return [
        {
            **position,
            "position_id": f"{position['position_id']}+{len(turn.actions):03d}",
            "game_id": game if isinstance(game, str) and game else position["position_id"],
            "group": -(-len(turn.actions) // environment.actions_per_group),
            "ply": len(turn.actions),
            "movetext": turn.movetext,
            "moves": environment.separator.join(turn.actions),
            "true_state": turn.state,
        }
        for turn in turns
    ]


def prefixes(positions: pd.DataFrame) -> pd.DataFrame:
    """Return every prefix of each position's episode, as the rows of a positions table.

    Asked about them by ``direct``, a model replies to each prefix alone what it replies in turn with the prompt
    ``turns``; rows of both have the same ``position_id``.
    """
    environment = environment_of(positions, "positions")
    rows = []
    for position in positions.to_dict("records"):
        initial = position["initial_state"]
        actions = environment.split_moves(environment.plain_moves(position["moves"]))
        turns = environment.prefixes(initial if isinstance(initial, str) else "", actions)
        rows += turn_positions(position, list(turns), environment)
    return pd.DataFrame(rows, columns=positions.columns)

"""The models ``workbench/tiny``, ``small``, ``medium`` and ``small@STEP``: the bundled language models."""

import os
from typing import Any

from workbench.asking.own_models.asked_episode import AskedEpisode
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.language_model.bundled_models import load_model
from workbench.language_model.language_model import LEAST_PROBABILITY
from workbench.language_model.written_replies import (
    ReplySettings,
    WrittenReply,
    refused,
    write_replies,
)


class BundledModel:
    """Replies as a bundled language model does, to questions about chess.

    A reply depends on the moves, on what is asked, the temperature and the seed of the call alone. Tokens
    are the model's own.

    Attributes:
        connections: Calls that may be in progress.
        seconds: How long a reply waits.
    """

    connections: int = os.cpu_count() or 1
    seconds: float = 0.0

    def __init__(
        self, name: str, least_probability: float = LEAST_PROBABILITY, **model_args: Any
    ) -> None:
        """Load the model.

        Args:
            name: One of `workbench.language_model.bundled_models.model_names`.
            least_probability: Of the moves in a list, in (0, 1].
            model_args: None are known.

        Raises:
            InvalidArgumentError: If an argument is out of range or unknown.
        """
        if model_args:
            raise InvalidArgumentError(
                f"{name}: expected least_probability or no argument, got {sorted(model_args)}"
            )
        ReplySettings(least_probability=least_probability)
        self._least = least_probability
        self._model = load_model(name)

    def reply(self, episode: AskedEpisode, temperature: float, seed: int) -> WrittenReply:
        """Reply to a question.

        Args:
            episode: What is asked about.
            temperature: At least 0; at 0 nothing is drawn.
            seed: Seed of the call.
        """
        if episode.environment.name != DEFAULT:
            return refused(f"it reads games of {DEFAULT} alone")
        if episode.shown is None:
            return refused(f'it reads moves after a line "{episode.heading}" and found none')
        try:
            moves = episode.environment.shown_actions(episode.shown)
            settings = ReplySettings(episode.task.name, episode.depth, temperature, self._least)
        except InvalidArgumentError:
            return refused("it does not know the task, or the temperature is below 0")
        except WorkbenchError:
            # What cannot be read is not repeated: the reply would be taken for a list of moves.
            return refused("a move is illegal, or in a notation that it does not read")
        return write_replies(self._model, [moves], settings, [seed])[0]

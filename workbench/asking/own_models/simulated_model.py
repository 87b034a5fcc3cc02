"""The model ``workbench/simulated``: the simulated tracker, for a free dry run."""

from typing import Any, Final

import numpy as np

from workbench.asking.costs.cost_estimate import CHARACTERS_A_TOKEN
from workbench.asking.own_models.asked_episode import AskedEpisode
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.language_model.written_replies import WrittenReply
from workbench.seeds import derived_seed
from workbench.tables.provenance import text_hash

SIMULATED: Final = "simulated"


class SimulatedModel:
    """Replies as a tracker does that makes random errors.

    A reply depends on the episode, on what is asked, ``seed``, ``rate`` and the seed of the call alone.
    Tokens are counted from characters.

    Attributes:
        connections: Calls that may be in progress.
        seconds: How long a reply takes.
    """

    connections: int = 50

    def __init__(
        self,
        name: str = SIMULATED,
        rate: float = 0.03,
        seed: int = 0,
        seconds: float = 0.0,
        **model_args: Any,
    ) -> None:
        """Make the model; see `workbench.environment.Environment.track`.

        Args:
            name: Not used: there is one.
            rate: Probability of a slip at each action, in [0, 1].
            seed: At least 0.
            seconds: How long a reply takes, at least 0.
            model_args: None are known.

        Raises:
            InvalidArgumentError: If an argument is out of range or unknown.
        """
        if model_args:
            raise InvalidArgumentError(
                f"{name}: expected rate, seed or seconds, got {sorted(model_args)}"
            )
        if not 0 <= rate <= 1 or seed < 0 or not seconds >= 0:
            raise InvalidArgumentError(
                "expected a rate in [0, 1], a seed and seconds of at least 0, "
                f"got {rate!r}, {seed!r} and {seconds!r}"
            )
        self._rate = rate
        self._seed = seed
        self.seconds = seconds

    def reply(self, episode: AskedEpisode, temperature: float, seed: int) -> WrittenReply:
        """Reply to a question.

        Args:
            episode: What is asked about.
            temperature: Not used.
            seed: Seed of the call.
        """
        del temperature
        text = self._text(episode, seed)
        shown, said = (int(size / CHARACTERS_A_TOKEN) for size in (episode.characters, len(text)))
        return WrittenReply(text, shown, said)

    def _text(self, episode: AskedEpisode, call_seed: int) -> str:
        environment, task, initial = episode.environment, episode.task, episode.initial
        if episode.shown is None:
            return f'The simulated model reads actions after a line "{episode.heading}" and found none.'
        try:
            actions = environment.shown_actions(episode.shown)
            name = text_hash(
                "\n\n".join([*filter(None, [initial]), environment.separator.join(actions)])
            )
            seed = derived_seed(derived_seed(self._seed, "call", call_seed), name)
            believed = environment.track(initial, actions, rate=self._rate, seed=seed, where=name)
            generator = np.random.default_rng(derived_seed(seed, task.name))
            return task.simulated_reply(environment, believed, episode.depth, generator)
        except WorkbenchError as error:
            return f"The simulated model cannot read the question: {error}"

"""The workbench's own models by their names; this needs no Inspect."""

from typing import Any, Protocol

from workbench.asking.own_models import PROVIDER
from workbench.asking.own_models.asked_episode import AskedEpisode
from workbench.asking.own_models.bundled_model import BundledModel
from workbench.asking.own_models.simulated_model import SIMULATED, SimulatedModel
from workbench.errors import InvalidArgumentError
from workbench.language_model.bundled_models import model_names
from workbench.language_model.written_replies import WrittenReply


class Replying(Protocol):
    """A model that replies in this process."""

    connections: int
    seconds: float

    def reply(self, episode: AskedEpisode, temperature: float, seed: int) -> WrittenReply:
        """Reply to a question."""
        ...


def own_model(name: str, **model_args: Any) -> Replying:
    """Return a model.

    Args:
        name: ``simulated``, or the name of a bundled language model.
        model_args: Of `SimulatedModel` or `BundledModel`.

    Raises:
        InvalidArgumentError: If there is no such model, or an argument is out of range or unknown.
    """
    if name not in (names := (SIMULATED, *model_names())):
        raise InvalidArgumentError(
            f"model: expected {PROVIDER}/ and one of {', '.join(names)}, got {name!r:.80}"
        )
    if name == SIMULATED:
        return SimulatedModel(name, **model_args)
    return BundledModel(name, **model_args)

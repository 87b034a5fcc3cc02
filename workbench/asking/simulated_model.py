"""The model ``workbench/simulated``: the simulated tracker behind Inspect, for a free dry run."""

from typing import Any, Final

import anyio
import numpy as np
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from workbench.asking.costs.cost_estimate import CHARACTERS_A_TOKEN
from workbench.asking.settings import Question
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.seeds import derived_seed
from workbench.tables.provenance import text_hash
from workbench.tasks.task import START_HEADING, actions_heading

PROVIDER: Final = "workbench"
MODEL: Final = "simulated"


def what_is_asked(question: Question) -> dict[str, Any]:
    """Return what the model is told beside the messages, as the extra body of a call."""
    return {name: getattr(question, name) for name in ("environment", "task", "depth")}


@modelapi(name=PROVIDER)
class SimulatedModel(ModelAPI):
    """Replies as a tracker does that makes random errors.

    What is asked, about which environment, comes in the extra body of a call; by default the board in
    chess. The model reads the actions after the last line "Moves:" (or "Actions:", as the environment
    calls them) of the question, and the first state after the last line "Start:" before it. A reply
    depends on these, on what is asked, ``seed``, ``rate`` and the seed of the call alone.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        rate: float = 0.03,
        seed: int = 0,
        seconds: float = 0.0,
        **model_args: Any,
    ) -> None:
        """Make the model; see `workbench.environment.Environment.track`.

        Args:
            model_name: Must be ``simulated``.
            base_url: Not used.
            api_key: Not used.
            config: Of the calls.
            rate: Probability of a slip at each action, in [0, 1].
            seed: At least 0.
            seconds: How long a reply takes, at least 0.
            model_args: None are known.

        Raises:
            InvalidArgumentError: If an argument is out of range or unknown.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name != MODEL or model_args:
            raise InvalidArgumentError(
                f"expected {PROVIDER}/{MODEL} with rate, seed or seconds, "
                f"got {model_name!r} with {sorted(model_args)}"
            )
        if not 0 <= rate <= 1 or seed < 0 or not seconds >= 0:
            raise InvalidArgumentError(
                "expected a rate in [0, 1], a seed and seconds of at least 0, "
                f"got {rate!r}, {seed!r} and {seconds!r}"
            )
        self._rate = rate
        self._seed = seed
        self._seconds = seconds

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Reply to a conversation."""
        if self._seconds:
            await anyio.sleep(self._seconds)
        asked = Question(f"{PROVIDER}/{MODEL}", **(config.extra_body or {}))
        reply = self._reply(input, config.seed or 0, asked)
        output = ModelOutput.from_content(f"{PROVIDER}/{MODEL}", reply)
        shown = int(sum(len(message.text) for message in input) / CHARACTERS_A_TOKEN)
        said = int(len(reply) / CHARACTERS_A_TOKEN)
        output.usage = ModelUsage(input_tokens=shown, output_tokens=said, total_tokens=shown + said)
        return output

    def _reply(self, messages: list[ChatMessage], call_seed: int, asked: Question) -> str:
        environment, task = asked.asked_environment, asked.asked_task
        heading = actions_heading(environment)
        for message in reversed(messages):
            if isinstance(message, ChatMessageUser) and heading in message.text:
                before, _, said = message.text.rpartition(heading)
                break
        else:
            return f'The simulated model reads actions after a line "{heading}" and found none.'
        shown = environment.shows_start and START_HEADING in before
        initial = before.rpartition(START_HEADING)[2].strip("\n") if shown else ""
        try:
            actions = environment.shown_actions(said)
            name = text_hash(
                "\n\n".join([*filter(None, [initial]), environment.separator.join(actions)])
            )
            seed = derived_seed(derived_seed(self._seed, "call", call_seed), name)
            believed = environment.track(initial, actions, rate=self._rate, seed=seed, where=name)
            generator = np.random.default_rng(derived_seed(seed, task.name))
            return task.simulated_reply(
                environment, believed, task.depth_asked(asked.depth), generator
            )
        except WorkbenchError as error:
            return f"The simulated model cannot read the question: {error}"

    def max_connections(self) -> int:
        """Return how many calls may be in progress."""
        return 50

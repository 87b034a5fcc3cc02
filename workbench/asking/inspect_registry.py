"""The entry point ``workbench`` of Inspect: the task, its scorer and the provider of the workbench's own models."""

from typing import Any

import anyio
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

from workbench.asking.inspect_task import precision_and_recall, reply, state_reconstruction
from workbench.asking.own_models import PROVIDER, Weighing, episode_question, own_model
from workbench.language_model.likelihoods import WeightFolder
from workbench.language_model.smollm2 import SmolLM2
from workbench.tasks.legal_mass import TASK


@modelapi(name=PROVIDER)
class OwnModel(ModelAPI):
    """One of the workbench's own models, by its name.

    What is asked, about which environment, comes in the extra body of a call; by default the board in
    chess. SmolLM2 and folders of weights read the conversation itself; a folder answers the task
    ``legal_mass`` alone, and Inspect's provider ``hf`` the others. Of the options of a call, temperature
    and seed count, and for SmolLM2 the longest reply and the texts that end it.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._own = own_model(model_name, **model_args)
        self._weighing = Weighing.from_arguments(model_args)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Reply to a conversation, in a thread of its own."""
        if self._own.seconds:
            await anyio.sleep(self._own.seconds)
        name = f"{PROVIDER}/{self.model_name}"
        options = (config.temperature or 0.0, config.seed or 0)
        own, asked = self._own, config.extra_body or {}
        messages = [{"role": message.role, "content": message.text} for message in input]
        if isinstance(own, SmolLM2) and asked.get("task") != TASK.name:
            reply = await anyio.to_thread.run_sync(
                own.reply, messages, *options, config.max_tokens, config.stop_seqs or ()
            )
        else:
            episode = episode_question(
                name,
                asked,
                [message.text for message in input if isinstance(message, ChatMessageUser)],
                sum(len(message.text) for message in input),
            )
            if isinstance(own, SmolLM2 | WeightFolder):
                reply = await anyio.to_thread.run_sync(self._weighing.reply, own, episode, messages)
            else:
                reply = await anyio.to_thread.run_sync(own.reply, episode, *options)
        output = ModelOutput.from_content(name, reply.text, reply.stop_reason)
        output.usage = ModelUsage(
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            total_tokens=reply.input_tokens + reply.output_tokens,
        )
        return output

    def max_connections(self) -> int:
        """Return how many calls may be in progress."""
        return self._own.connections


__all__ = ["OwnModel", "precision_and_recall", "reply", "state_reconstruction"]

"""What a conversation asks one of the workbench's own models about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.asking.settings import Question
from workbench.environments.registry import AnyEnvironment
from workbench.tasks import Task
from workbench.tasks.task import START_HEADING, actions_heading


@dataclass(frozen=True, slots=True)
class AskedEpisode:
    """An episode, and what is asked about it.

    Attributes:
        environment: Of the episode.
        task: What is asked.
        depth: m.
        initial: The text of the first state; empty if the question does not show it.
        shown: The actions as the question shows them; None if it shows none.
        characters: Of the whole conversation.
    """

    environment: AnyEnvironment
    task: Task
    depth: int
    initial: str
    shown: str | None
    characters: int

    @property
    def heading(self) -> str:
        """The line before the actions."""
        return actions_heading(self.environment)


def what_is_asked(question: Question) -> dict[str, Any]:
    """Return what the workbench's own models are told beside the messages."""
    return {name: getattr(question, name) for name in ("environment", "task", "depth")}


def asked_episode(
    model: str, asked: Mapping[str, Any], messages: Sequence[str], characters: int
) -> AskedEpisode:
    """Find the episode in a conversation.

    The actions stand after the last line "Moves:" (or "Actions:", as the environment calls them), and
    the first state after the last line "Start:" before it.

    Args:
        model: Its name in Inspect's form.
        asked: What `what_is_asked` returns; the board in chess where it is empty.
        messages: The user's.
        characters: Of the whole conversation.

    Raises:
        InvalidArgumentError: If there is no such environment or task.
    """
    question = Question(model, **asked)
    environment, task = question.asked_environment, question.asked_task
    heading = actions_heading(environment)
    initial, shown = "", None
    for text in reversed(messages):
        if heading in text:
            before, _, shown = text.rpartition(heading)
            if environment.shows_start and START_HEADING in before:
                initial = before.rpartition(START_HEADING)[2].strip("\n")
            break
    depth = task.depth_asked(question.depth)
    return AskedEpisode(environment, task, depth, initial, shown, characters)

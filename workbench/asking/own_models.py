"""Models of the workbench's own, asked like others: the simulated tracker, the bundled language models and SmolLM2; needs no Inspect."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import numpy as np

from workbench.asking.costs import CHARACTERS_A_TOKEN
from workbench.asking.prompts import ANSWER_HEADING
from workbench.asking.settings import Question
from workbench.environments.registry import DEFAULT, AnyEnvironment
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.language_model.language_model import (
    LEAST_PROBABILITY,
    is_model,
    load_model,
    model_names,
)
from workbench.language_model.likelihoods import CONFIG, TextModel, WeightFolder, reply_masses
from workbench.language_model.smollm2 import NAME as SMOLLM2
from workbench.language_model.smollm2 import SmolLM2
from workbench.language_model.written_replies import (
    ReplySettings,
    WrittenReply,
    refusal_reply,
    refuse_task,
    write_replies,
)
from workbench.seeds import derived_seed
from workbench.tables.provenance import text_hash
from workbench.tasks import Task, task_named
from workbench.tasks.legal_mass import MOST_CANDIDATES, TASK, candidate_texts, mass_lines
from workbench.tasks.task import (
    START_HEADING,
    actions_heading,
    new_actions_heading,
    own_action_label,
)

PROVIDER: Final = "workbench"
"""Its models are asked as ``workbench/NAME``, free of charge."""


@dataclass(frozen=True, slots=True)
class EpisodeQuestion:
    """An episode and the question about it."""

    environment: AnyEnvironment
    task: Task
    depth: int
    initial: str
    actions_text: str | None
    characters: int
    heading: str
    goes_on: bool = False
    plays: bool = False


def question_options(question: Question) -> dict[str, Any]:
    """Return the options that the workbench's own models get besides the messages."""
    return {name: getattr(question, name) for name in ("environment", "task", "depth")}


def episode_question(
    model: str, options: Mapping[str, Any], messages: Sequence[str], characters: int
) -> EpisodeQuestion:
    """Find the episode in a conversation.

    The actions stand after the last line "Moves:" (or "Actions:", as the environment calls them), and after each
    line "New moves:" from there on; the first state stands after the last line "Start:" before them.

    Args:
        model: Its name in Inspect's form.
        options: ``environment``, ``task`` and ``depth``, and ``dialogue`` where the messages go on.
        messages: The user's, in order.
        characters: Of the whole conversation.
    """
    of_question = {name: value for name, value in options.items() if name != "dialogue"}
    dialogue = options.get("dialogue", "")
    question = Question(model, **of_question)
    environment, task = question.asked_environment, question.asked_task
    heading, new = actions_heading(environment), f"{new_actions_heading(environment)}\n"
    initial, before, parts = "", "", []
    for text in reversed(messages):
        if dialogue and new in text:
            before, _, part = text.rpartition(new)
            parts.append(part)
        elif heading in text:
            before, _, part = text.rpartition(heading)
            parts.append(part.removesuffix(f"\n{ANSWER_HEADING}"))
            break
    if environment.shows_start and START_HEADING in before:
        initial = before.rpartition(START_HEADING)[2].strip("\n")
    actions_text = environment.separator.join(reversed(parts)) if parts else None
    depth = task.depth_or_default(question.depth)
    return EpisodeQuestion(
        environment,
        task,
        depth,
        initial,
        actions_text,
        characters,
        heading,
        bool(dialogue),
        dialogue == "play",
    )


SIMULATED: Final = "simulated"


class SimulatedModel:
    """Replies as a tracker does that makes random errors.

    A reply depends on the episode, on what is asked, ``seed``, ``rate`` and the seed of the call
    alone. Tokens are counted from characters; ``connections`` calls may be in progress.
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
        """Make the model; see `workbench.environment.Environment.track`."""
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

    def reply(self, episode: EpisodeQuestion, temperature: float, seed: int) -> WrittenReply:
        """Reply to a question."""
        del temperature
        text = self._text(episode, seed)
        read, written = (int(size / CHARACTERS_A_TOKEN) for size in (episode.characters, len(text)))
        return WrittenReply(text, read, written)

    def _text(self, episode: EpisodeQuestion, call_seed: int) -> str:
        environment, task, initial = episode.environment, episode.task, episode.initial
        if episode.actions_text is None:
            return f'The simulated model reads actions after a line "{episode.heading}" and found none.'
        try:
            actions = environment.movetext_actions(episode.actions_text)
            name = text_hash(
                "\n\n".join([*filter(None, [initial]), environment.separator.join(actions)])
            )
            call = derived_seed(self._seed, "call", call_seed)
            seed = derived_seed(call, name)
            # Where it goes on, an error of an earlier turn remains: a slip depends on the actions before it alone.
            ends = range(1, len(actions) + 1) if episode.goes_on else ()
            slips = [derived_seed(call, initial, *actions[:end]) for end in ends]
            believed = environment.track(
                initial,
                actions,
                rate=self._rate,
                seed=slips if episode.goes_on else seed,
                where=name,
            )
            generator = np.random.default_rng(derived_seed(seed, task.name))
            reply = task.simulated_reply(environment, believed, episode.depth, generator)
            if not episode.plays:
                return reply
            own = task_named("continuation").simulated_reply(environment, believed, 1, generator)
            return f"{reply}\n{own_action_label(environment)} {own}"
        except WorkbenchError as error:
            return f"The simulated model cannot read the question: {error}"


class BundledModel:
    """Replies as a bundled language model does, to questions about chess.

    A reply depends on the moves, on what is asked, the temperature and the seed of the call alone.
    Tokens are the model's own.
    """

    connections: int = os.cpu_count() or 1
    seconds: float = 0.0

    def __init__(
        self, name: str, least_probability: float = LEAST_PROBABILITY, **model_args: Any
    ) -> None:
        if model_args:
            raise InvalidArgumentError(
                f"{name}: expected least_probability or no argument, got {sorted(model_args)}"
            )
        ReplySettings(least_probability=least_probability)
        self._least = least_probability
        self._model = load_model(name)

    def reply(self, episode: EpisodeQuestion, temperature: float, seed: int) -> WrittenReply:
        """Reply to a question."""
        if episode.environment.name != DEFAULT:
            return refusal_reply(f"it reads games of {DEFAULT} alone")
        if episode.actions_text is None:
            return refusal_reply(f'it reads moves after a line "{episode.heading}" and found none')
        try:
            moves = episode.environment.movetext_actions(episode.actions_text)
            settings = ReplySettings(episode.task.name, episode.depth, temperature, self._least)
            refuse_task(self._model, "continuation" if episode.plays else settings.task)
        except InvalidArgumentError as error:
            return refusal_reply(f"{error}")
        except WorkbenchError:
            # What cannot be read is not repeated: the reply would be taken for a list of moves.
            return refusal_reply("a move is illegal, or in a notation that it does not read")
        reply = write_replies(self._model, [moves], settings, [seed])[0]
        if not episode.plays:
            return reply
        own = write_replies(
            self._model, [moves], replace(settings, task="continuation", depth=1), [seed]
        )[0]
        return WrittenReply(
            f"{reply.text}\n{own_action_label(episode.environment)} {own.text}",
            reply.input_tokens, reply.output_tokens + own.output_tokens,
        )  # fmt: skip

    def refuse(self, task: str) -> None:
        """Refuse a task for which the model was not trained."""
        refuse_task(self._model, task)


OPTIONS: Final = ("notation", "candidates")
"""Arguments of a text model that are not the model's own."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """Which next actions a text model weighs, and how they are written.

    Attributes:
        notation: As of `Environment.spellings`; empty for that of `action_text`.
        candidates: Texts, unless more actions are permitted, at least 1.
    """

    notation: str = ""
    candidates: int = MOST_CANDIDATES

    def __post_init__(self) -> None:
        number = self.candidates
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidArgumentError(
                f"candidates: expected an integer of at least 1, got {self.candidates!r}"
            )
        if self.notation not in ("", "uci", "san"):
            raise InvalidArgumentError(f"notation: expected uci or san, got {self.notation!r:.80}")

    @classmethod
    def from_arguments(cls, model_args: Mapping[str, Any]) -> Self:
        """Return what the arguments of a model choose; the others are left to the model."""
        return cls(**{name: model_args[name] for name in OPTIONS if name in model_args})

    def reply(
        self, model: TextModel, episode: EpisodeQuestion, messages: Sequence[Mapping[str, str]]
    ) -> WrittenReply:
        """Return the probabilities of the candidates, as lines of a reply.

        Args:
            model: Which is asked.
            episode: The question, whose task is ``legal_mass``.
            messages: The conversation in which it was asked.

        Raises:
            InvalidArgumentError: If another task was asked, or the prompt shows no actions.
            IllegalMoveError: If the actions cannot be read.
        """
        if episode.task.name != TASK.name or episode.actions_text is None:
            raise InvalidArgumentError(
                f"expected the task {TASK.name} and actions after a line {episode.heading!r}, got the task "
                f"{episode.task.name!r}{'' if episode.actions_text else ' and no such line'}"
            )
        environment = episode.environment
        actions = environment.movetext_actions(episode.actions_text)
        texts = candidate_texts(
            environment, episode.initial, actions, self.notation, self.candidates
        )
        if not texts:
            return WrittenReply("none", 0, 0)
        masses = reply_masses(model, messages, texts)
        return WrittenReply(mass_lines(masses), 0, sum(mass.tokens for mass in masses.values()))


OwnModel: TypeAlias = SimulatedModel | BundledModel | SmolLM2 | WeightFolder


def own_model(name: str, **model_args: Any) -> OwnModel:
    """Return a model; the name of a folder of Hugging Face weights is one too."""
    is_folder = (Path(name) / CONFIG).is_file()
    if is_folder or name == SMOLLM2:
        Weighing.from_arguments(model_args)
        model_args = {key: value for key, value in model_args.items() if key not in OPTIONS}
    if is_folder:
        return WeightFolder(name, **model_args)
    classes: dict[str, type[OwnModel]] = {SIMULATED: SimulatedModel, SMOLLM2: SmolLM2}
    if name not in classes and not is_model(name):
        names = (*classes, *model_names())
        raise InvalidArgumentError(
            f"model: expected {PROVIDER}/ and one of {', '.join(names)}, or a folder of weights with "
            f"{CONFIG}, got {name!r:.80}"
        )
    return classes.get(name, BundledModel)(name, **model_args)

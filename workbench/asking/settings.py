"""The settings of a run: the question, which identifies the run, and the mode of operation."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from workbench.asking.prompts import Prompt, prompt_named
from workbench.asking.redaction import Secrets, secrets_in, without_secrets
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.tables.provenance import json_hash
from workbench.tasks import Task, task_named

MOST_CONNECTIONS: Final = 50
LEAST_CONNECTIONS: Final = 10

EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Reasoning effort; most models support only some of these."""

_LATER_OPTIONS: Final[Mapping[str, Any]] = {
    "top_p": None,
    "seed": None,
    "reasoning_effort": None,
    "reasoning_tokens": None,
    "system_prompt": None,
    "extra_body": {},
    "environment": DEFAULT,
    "task": "state",
    "depth": None,
}
"""Options that a later version added, and what they are where they are not used."""

_SCHEME: Final = re.compile(r"\A(?:[A-Za-z][A-Za-z0-9+.-]*:)?//|\A(?=[^/])")
_LIKE_A_URL: Final = re.compile(r"://|\A[^\s/]+:[^\s/]*@[^\s/]+")


@dataclass(frozen=True, slots=True)
class Question:
    """The question to a model: a run folder contains the answers to exactly one question.

    Attributes:
        model: Name in Inspect's form, such as ``openai/gpt-4o`` or ``workbench/simulated``.
        prompt: The prompt's name, with ``@version`` if not the latest; or a prompt of one's own;
            None for the default of environment and task.
        samples_per_position: How often each position is asked, at least 1.
        temperature: At least 0; None for the provider's default.
        max_tokens: The longest reply, at least 1; None for the provider's default.
        model_args: Further arguments of Inspect's model class. They are written to the run folder
            and Inspect's logs, but secrets among them are not, see `open_model_args`; nor do
            these make another question.
        top_p: The share of the probability that tokens are drawn from, in (0, 1], or None.
        seed: At least 0, or None. Sample k is asked with ``seed`` + k.
        reasoning_effort: One of `EFFORTS`, or None for the provider's default.
        reasoning_tokens: The most tokens to reason with, at least 0, or None.
        system_prompt: The system prompt, or None for that of the prompt, if it has one.
        extra_body: What else goes into the body of each request to an OpenAI-compatible server.
        environment: The name of the environment that all positions are of.
        task: The name of the task: what is asked about a position.
        depth: m, the number of actions that the task asks for, at least 1; None for a task that
            takes none, and for the default of one that does.
    """

    model: str
    prompt: str | Prompt | None = None
    samples_per_position: int = 1
    temperature: float | None = None
    max_tokens: int | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None
    system_prompt: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    environment: str = DEFAULT
    task: str = "state"
    depth: int | None = None

    def __post_init__(self) -> None:
        provider, _, name = self.model.partition("/")
        if not (provider and name) or any(sign.isspace() or sign == "," for sign in self.model):
            raise InvalidArgumentError(
                f"model: expected provider/name, such as openai/gpt-4o, got {self.model!r}"
            )
        _refuse_less(
            self, samples_per_position=1, temperature=0, max_tokens=1, seed=0, reasoning_tokens=0
        )
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InvalidArgumentError(f"top_p: expected a share in (0, 1], got {self.top_p!r}")
        if self.reasoning_effort is not None and self.reasoning_effort not in EFFORTS:
            raise InvalidArgumentError(
                f"reasoning_effort: expected one of {', '.join(EFFORTS)}, "
                f"got {self.reasoning_effort!r}"
            )
        if self.system_prompt is not None and not self.system_prompt.strip():
            raise InvalidArgumentError("system_prompt: expected a text, got an empty one")
        depth = self.asked_task.depth_or_default(self.depth)
        if self.asked_task.takes_depth:
            # The description of a run says the number that was asked for.
            object.__setattr__(self, "depth", depth)
        prompt = self.full_prompt
        if prompt.of_chess_alone and not self.asked_environment.movetext_format:
            raise InvalidArgumentError(
                f"prompt {prompt.name!r}: expected one for {self.environment}, got one with moves in "
                f"{prompt.notation} or a side to move, which are of chess; in a prompt file, write "
                'notation = "shown", and no {side}'
            )
        if self.system_prompt is not None and prompt.system is not None:
            raise InvalidArgumentError(
                f"system_prompt: expected none with prompt {prompt.name!r}, which has its own"
            )
        if "api_key" in self.model_args:
            raise InvalidArgumentError(
                "model_args: expected no key among them, because they are written to the logs; "
                "give it as api_key or in the environment"
            )
        if "base_url" in self.model_args:
            raise InvalidArgumentError("model_args: give a base URL as base_url, not among them")
        for name, value in self.open_model_args.items():
            _refuse_credentials_within(value, f"model_args {name}")
        if without_secrets(self.extra_body)[1]:
            raise InvalidArgumentError(
                "extra_body: expected no key or token in it, because it is written to the logs; give "
                "it as api_key or in the environment"
            )
        _refuse_credentials_within(self.extra_body, "extra_body")

    @property
    def full_prompt(self) -> Prompt:
        """The prompt itself."""
        if isinstance(self.prompt, Prompt):
            return self.prompt
        return prompt_named(self.prompt, self.environment, self.task, self.depth)

    @property
    def asked_environment(self) -> AnyEnvironment:
        """The environment itself."""
        return environment_named(self.environment)

    @property
    def asked_task(self) -> Task:
        """The task itself."""
        return task_named(self.task)

    @property
    def system(self) -> str | None:
        """The system prompt that is sent."""
        return self.system_prompt or self.full_prompt.system

    @property
    def open_model_args(self) -> dict[str, Any]:
        """The model's arguments with secrets and the values of HTTP headers removed."""
        return without_secrets(self.model_args)[0]

    def secrets(self, environment: Mapping[str, str], *others: str | None) -> Secrets:
        """Return the secrets of this question.

        What the question itself says, the model's name or the prompt, is no secret.
        """
        return secrets_in(
            environment,
            *others,
            *without_secrets(self.model_args)[1],
            open_texts=(self.model, *self.full_prompt.turns, self.system or ""),
        )

    def generation(self) -> dict[str, Any]:
        """Return the options of Inspect's ``generate`` that are the same for every call."""
        return {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "top_p": self.top_p,
            "reasoning_effort": self.reasoning_effort,
            "reasoning_tokens": self.reasoning_tokens,
            "stop_seqs": list(self.full_prompt.stop) or None,
            "extra_body": dict(self.extra_body) or None,
        }

    def description(self) -> dict[str, Any]:
        """Return the question as JSON can hold it; a run folder takes no other question.

        An option of a later version is included only where it is used, so that the runs of earlier
        versions remain the same question.
        """
        fields = {
            **asdict(self),
            "prompt": self.full_prompt.description(),
            "model_args": self.open_model_args,
        }
        return {
            name: value
            for name, value in fields.items()
            if name not in _LATER_OPTIONS or value != _LATER_OPTIONS[name]
        }

    @property
    def sha256(self) -> str:
        """The hash of `description` but the number of samples, in hexadecimal."""
        return json_hash({**self.description(), "samples_per_position": None})

    def request(self) -> dict[str, Any]:
        """Return the whole question, secrets included, for the process that asks it."""
        return {**asdict(self), "prompt": asdict(self.full_prompt)}

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> "Question":
        """Return the question that `description` or `request` describes."""
        return cls(**{**description, "prompt": Prompt.from_description(description["prompt"])})


@dataclass(frozen=True, slots=True)
class Operation:
    """The mode of operation: none of this changes the question.

    Attributes:
        base_url: The server, if not the provider's default; it must hold no credentials.
        budget: Dollars that all of the run folder may cost, more than 0; None for no limit.
        batch: Use the provider's batch interface: cheaper, and may take a day.
        connections: Concurrent questions, at least 1: a killed process may have paid for these in
            vain. By default a hundredth of all questions, but 10 to 50.
        retries: Times that a failed request is repeated, at least 0: a turn of a question is sent
            at most ``retries`` + 1 times in one run. What the server understood and refused (HTTP
            400 to 499, but 408, 409, 425 and 429) is not repeated.
        retry_wait: Seconds before the first repetition, at least 0; they double with each further
            one, to two minutes. A longer wait that the server asks for is kept, to ten minutes.
        retry_failed: Whether to repeat permanent refusals of an earlier run. Other failed
            questions are always asked again, after all that were not asked yet.
        limit: Positions to ask about, at least 1, as many of each group; None for all. A larger
            limit, or none, continues the same run.
        max_failures: Questions that may fail one after the other, with no answer between them,
            before asking stops, at least 1.
        attempt_timeout: Seconds after which a call counts as failed, at least 1; not in a batch.
        log_buffer: Answers after which Inspect's log is rewritten, at least 1. Answers are safe
            at once, in the journal.
    """

    base_url: str | None = None
    budget: float | None = None
    batch: bool = False
    connections: int | None = None
    retries: int = 6
    retry_wait: float = 3.0
    retry_failed: bool = False
    limit: int | None = None
    max_failures: int = 20
    attempt_timeout: int = 600
    log_buffer: int = 100

    def __post_init__(self) -> None:
        _refuse_less(
            self, connections=1, retries=0, retry_wait=0, limit=1, max_failures=1,
            attempt_timeout=1, log_buffer=1,
        )  # fmt: skip
        if self.budget is not None and not self.budget > 0:
            raise InvalidArgumentError(f"budget: expected more than 0, got {self.budget!r}")
        refuse_credentials(self.base_url, "base_url")

    @property
    def requests(self) -> int:
        """The most requests for a turn of a question; in a batch, Inspect counts them."""
        return 1 if self.batch else self.retries + 1

    def connections_for(self, questions: int) -> int | None:
        """Return how many questions may be in progress; None leaves it to the batch interface."""
        if self.connections is not None or self.batch:
            return self.connections
        return min(MOST_CONNECTIONS, max(LEAST_CONNECTIONS, questions // 100))


def _refuse_less(settings: Question | Operation, **least: int) -> None:
    for name, bound in least.items():
        value = getattr(settings, name)
        if value is not None and not value >= bound:
            raise InvalidArgumentError(f"{name}: expected at least {bound}, got {value!r}")


def refuse_credentials(url: str | None, where: str) -> None:
    """Refuse a URL that holds a user name, a password, a query or a fragment: Inspect logs it."""
    if not url:
        return
    # Some clients take what others call a path for the host, as in user:password@host without
    # a scheme, or a backslash for a slash.
    parts = urlsplit(_SCHEME.sub("//", url.strip().replace("\\", "/"), count=1))
    _, at, host = unquote(parts.netloc).rpartition("@")
    if at or parts.query or parts.fragment:
        raise InvalidArgumentError(
            f"{where}: expected a URL without credentials, got one for host {host!r} with "
            "a user name, password, query or fragment, which would be written to the logs in clear; "
            "put the key into the provider's environment variable"
        )


def _refuse_credentials_within(value: Any, where: str) -> None:
    if isinstance(value, str) and _LIKE_A_URL.search(value):
        refuse_credentials(value, where)
    if isinstance(value, list):
        value = dict(enumerate(value))
    for name, item in value.items() if isinstance(value, Mapping) else ():
        _refuse_credentials_within(item, f"{where} {name}")


def refuse_credentials_in_environment(question: Question, environment: Mapping[str, str]) -> None:
    """Refuse credentials that the environment has brought into what is written."""
    prefixes = {part.upper().replace("-", "_") for part in question.model.split("/")[:-1]}
    for name, value in environment.items():
        if name.endswith("_BASE_URL") and any(name.startswith(prefix) for prefix in prefixes):
            refuse_credentials(value, name)
    refuse_credentials(
        environment.get("INSPECT_EVAL_MODEL_BASE_URL"), "INSPECT_EVAL_MODEL_BASE_URL"
    )
    keys = secrets_in(environment, open_texts=(question.model,))
    for name, value in question.open_model_args.items():
        if keys.redacted(value) != value:
            raise InvalidArgumentError(
                f"model_args {name}: expected no key in it, because it is written to the logs, got "
                "the value of an environment variable; the provider reads it from there"
            )

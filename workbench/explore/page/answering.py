"""The base of every widget: the page asks by messages, Python answers, and errors are shown.

The page sends ``{"kind": ..., "serial": ..., ...}`` and gets the same kind and serial back with the
answer, or ``{"kind": "failed", "asked": ..., "serial": ..., "message": ...}``. Before an answer there
may be messages ``{"kind": "progress", "words": ...}``, while the kernel is compiled.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import anywidget
import numpy as np
import traitlets

from workbench.environments.chess.compile_progress import listening
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.explore.page.at_rest import AtRest
from workbench.explore.page.still_output import StillOutput
from workbench.long_texts import cut

_LONGEST_MESSAGE: Final = 2_000
"""Characters of an error's message that the page shows."""

Handler = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


class Answering(StillOutput, anywidget.AnyWidget):
    """A widget that answers the page's questions, each kind by one registered function.

    Attributes:
        answers: The last answer of each kind that is kept, with its question: a page shows it
            without asking, so that a saved page has its numbers.
        still_of: The name of the widget's last answer as HTML; not to be set.
        last_error: The exception of the last question that failed, or None; an answer that
            succeeds does not clear it.
    """

    answers = traitlets.Dict().tag(sync=True)
    still_of = traitlets.Unicode("").tag(sync=True)
    last_error: Exception | None

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.last_error = None
        self._handlers: dict[str, Handler] = {}
        self._kept: set[str] = set()
        self._latest: dict[str, Any] = {}
        self._displayed = False
        self._prepared = AtRest(self.prepare_still)
        self.still_of = self.model_id or ""
        self.on_msg(self.answer)
        self.observe(self.renew_still, "answers")

    def register(self, kind: str, handler: Handler, *, kept: bool = False) -> None:
        """Answer questions of one kind by a function.

        Args:
            kind: The name the page uses; each has one handler.
            handler: Takes the whole message and returns what is sent back beside kind and serial,
                or None if it sends its answer by itself, later or in parts.
            kept: Whether the last answer goes into ``answers``; the same question must always
                have the same answer.

        Raises:
            InvalidArgumentError: If this kind has a handler.
        """
        if kind in self._handlers:
            raise InvalidArgumentError(f"expected one handler per kind, got a second for {kind!r}")
        self._handlers[kind] = handler
        if kept:
            self._kept.add(kind)

    def questions(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the first question of each kept kind, as the page asks it."""
        return {}

    def keep(self, kind: str, question: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Keep an answer for pages that open later, with a kernel or without.

        Args:
            kind: What was asked.
            question: The page's message without kind and serial.
            answer: The answer without kind and serial.
        """
        self._latest[kind] = {"question": as_plain(question), "answer": answer}
        self._renew_answers()

    def forget(self, kind: str) -> None:
        """Keep the last answer of a kind no longer."""
        self._latest.pop(kind, None)
        self._renew_answers()

    def kept_answer(self, kind: str, question: Mapping[str, Any]) -> Any:
        """Return the answer to a question of a kept kind, None if the last question was another."""
        last = self._latest.get(kind, {"question": None})
        return last["answer"] if last["question"] == as_plain(question) else None

    def still_name(self) -> str:
        """Return the name of the last answer, by which the running widget hides it."""
        return self.still_of

    def prepare_still(self) -> None:
        """Answer what the page would ask first, and share all last answers with it."""
        for kind, question in self.questions().items():
            if self.kept_answer(kind, question) is None:
                self.answer(self, {**question, "kind": kind, "serial": "before the page"})
        self._prepared.withdraw()
        self._displayed = True
        self.answers = as_plain(self._latest)

    def follow_in_still(self, *traits: str) -> None:
        """Have the last answers follow these traits once the widget is displayed."""
        self.observe(self._renew_answers, list(traits))

    def _renew_answers(self, _change: object = None) -> None:
        # Before the widget is displayed nobody needs them.
        if self._displayed:
            self._prepared.request()

    def answer(self, _widget: object, content: Any, _buffers: Sequence[Any] = ()) -> None:
        """Answer one message of the page; tests may call this with a mapping of their own.

        Args:
            content: The message, with ``kind`` and ``serial``.
        """
        message = content if isinstance(content, Mapping) else {}
        kind = message.get("kind")
        sent = self.attempt(kind, message.get("serial"), lambda: self._handle(kind, content))
        if sent is not None and kind in self._kept:
            question = {name: message[name] for name in message if name not in ("kind", "serial")}
            self.keep(kind, question, sent)

    def attempt(
        self, kind: Any, serial: Any, work: Callable[[], Mapping[str, Any] | None]
    ) -> dict[str, Any] | None:
        """Do a piece of work and send what it returns, or what went wrong, to the page.

        A handler that works in a thread of its own gives this to the thread as its target.

        Args:
            kind: What was asked.
            serial: The page's number for the question.
            work: Returns the answer, or None if there is nothing to send.

        Returns:
            The answer as it was sent, without kind and serial; None if there was none.
        """
        try:
            with listening(lambda words: self.send({"kind": "progress", "words": words})):
                answer = work()
            if answer is None:
                return None
            plain: dict[str, Any] = as_plain(answer)
            self.send({**plain, "kind": kind, "serial": serial})
            return plain
        # An exception in a message handler would end in the kernel's log, where nobody looks: this
        # is the one place that takes any, keeps it and has the page show it.
        except Exception as error:  # noqa: BLE001
            self.last_error = error
            self.send(
                {"kind": "failed", "asked": kind, "serial": serial, "message": in_words(error)}
            )
            return None

    def _handle(self, kind: Any, content: Any) -> Mapping[str, Any] | None:
        """Return the registered handler's answer."""
        if kind not in self._handlers:
            raise InvalidArgumentError(
                f"expected a message of a kind among {sorted(self._handlers)}, got {content!r}"
            )
        return self._handlers[kind](content)


def in_words(error: Exception) -> str:
    """Return the page's text for an exception: its message, with its type if it is not ours."""
    message = cut(str(error), _LONGEST_MESSAGE)
    if isinstance(error, WorkbenchError) and message:
        return message
    return f"{type(error).__name__}: {message}"


def as_plain(value: Any) -> Any:
    """Return a value as JSON can hold it: undefined and infinite numbers become None.

    Args:
        value: Mappings, sequences, NumPy scalars and arrays, texts, numbers, None; nested.
    """
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return as_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

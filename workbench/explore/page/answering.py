"""The base of every widget: the page asks by messages, Python answers, and errors are shown.

The page sends ``{"kind": ..., "serial": ..., ...}`` and gets the same kind and serial back with the
answer, or ``{"kind": "failed", "asked": ..., "serial": ..., "message": ...}``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anywidget
import numpy as np

from workbench.errors import InvalidArgumentError, WorkbenchError

Handler = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


class Answering(anywidget.AnyWidget):
    """A widget that answers the page's questions, each kind by one registered function.

    Attributes:
        last_error: The exception of the last question that failed, or None; an answer that
            succeeds does not clear it.
    """

    last_error: Exception | None

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.last_error = None
        self._handlers: dict[str, Handler] = {}
        self.on_msg(self.answer)

    def register(self, kind: str, handler: Handler) -> None:
        """Answer questions of one kind by a function.

        Args:
            kind: The name the page uses; each has one handler.
            handler: Takes the whole message and returns what is sent back beside kind and serial,
                or None if it sends its answer by itself, later or in parts.

        Raises:
            InvalidArgumentError: If this kind has a handler.
        """
        if kind in self._handlers:
            raise InvalidArgumentError(f"expected one handler per kind, got a second for {kind!r}")
        self._handlers[kind] = handler

    def answer(self, _widget: object, content: Any, _buffers: Sequence[Any] = ()) -> None:
        """Answer one message of the page; tests may call this with a mapping of their own.

        Args:
            content: The message, with ``kind`` and ``serial``.
        """
        message = content if isinstance(content, Mapping) else {}
        kind = message.get("kind")
        self.attempt(kind, message.get("serial"), lambda: self._handle(kind, content))

    def attempt(self, kind: Any, serial: Any, work: Callable[[], Mapping[str, Any] | None]) -> None:
        """Do a piece of work and send what it returns, or what went wrong, to the page.

        A handler that works in a thread of its own gives this to the thread as its target.

        Args:
            kind: What was asked.
            serial: The page's number for the question.
            work: Returns the answer, or None if there is nothing to send.
        """
        try:
            answer = work()
            if answer is not None:
                self.send({**as_plain(answer), "kind": kind, "serial": serial})
        # An exception in a message handler would end in the kernel's log, where nobody looks: this
        # is the one place that takes any, keeps it and has the page show it.
        except Exception as error:  # noqa: BLE001
            self.last_error = error
            self.send(
                {"kind": "failed", "asked": kind, "serial": serial, "message": in_words(error)}
            )

    def _handle(self, kind: Any, content: Any) -> Mapping[str, Any] | None:
        """Return the registered handler's answer."""
        if kind not in self._handlers:
            raise InvalidArgumentError(
                f"expected a message of a kind among {sorted(self._handlers)}, got {content!r}"
            )
        return self._handlers[kind](content)


def in_words(error: Exception) -> str:
    """Return the page's text for an exception: its message, with its type if it is not ours."""
    if isinstance(error, WorkbenchError) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}"


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

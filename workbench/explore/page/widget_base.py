"""The base class of the widgets: messages, errors, debounced work, and output without a kernel."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any, Final

import anywidget
import numpy as np
import traitlets
from IPython.core.getipython import get_ipython
from IPython.display import display

from workbench.environments.chess.kernel.cache import compilation_listener
from workbench.errors import InvalidArgumentError, WorkbenchError
from workbench.explore.page.still_html import paragraph
from workbench.long_texts import cut

REST: Final = 0.5
"""Seconds without a request after which the work is done."""

_PENDING: Final[set["IdleTask"]] = set()


class IdleTask:
    """Does a piece of work once, some time after the last of many requests.

    What is requested while a cell runs is done at the cell's end at the latest: what comes later
    is in no saved notebook. Where no event loop runs, each request does the work at once.
    """

    def __init__(self, work: Callable[[], None], seconds: float = REST) -> None:
        self._work = work
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def request(self) -> None:
        """Do the work after a rest that begins anew with every request."""
        self.withdraw()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._work()
            return
        _finish_with_cells()
        self._timer = loop.call_later(self._seconds, self.do_now)
        _PENDING.add(self)

    def do_now(self) -> None:
        """Do the work at once; what was requested before is done with it."""
        self.withdraw()
        self._work()

    def withdraw(self) -> None:
        """Forget the requests so far."""
        _PENDING.discard(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@cache
def _finish_with_cells() -> None:
    """Have IPython do all pending work at the end of each cell."""
    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", lambda _result: _finish())


def _finish() -> None:
    # Answers that are shared at the end of a cell have their HTML follow.
    while _PENDING:
        next(iter(_PENDING)).do_now()


_NOTE = "The last answer of a widget that does not run here. With a kernel, run the cell again."


class StillOutput:
    """What makes a widget show its last answer without a kernel; for widgets to inherit first."""

    _still_at_rest: IdleTask | None = None

    def still(self) -> str:
        """Return the last answer as HTML."""
        raise NotImplementedError

    def still_name(self) -> str:
        """Return the name of the last answer, by which the running widget hides it."""
        raise NotImplementedError

    def prepare_still(self) -> None:
        """Compute what the last answer needs before anyone has asked."""

    def renew_still(self, _change: object = None) -> None:
        """Have the HTML follow the widget, soon; before the widget is displayed nothing happens."""
        if self._still_at_rest is not None:
            self._still_at_rest.request()

    def _ipython_display_(self, **_options: Any) -> None:
        """Display the widget, then its last answer in an output of its own that can be updated."""
        self.prepare_still()
        bundle: Any = self._repr_mimebundle_()  # type: ignore[attr-defined]
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        # Where the widget cannot be shown its HTML is chosen, and the next output says it all.
        display({**data, "text/html": ""}, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        display(self._still_bundle(), raw=True, display_id=self.still_name())  # type: ignore[no-untyped-call]
        self._still_at_rest = IdleTask(self._update_still)

    def _update_still(self) -> None:
        options = {"raw": True, "display_id": self.still_name(), "update": True}
        display(self._still_bundle(), **options)  # type: ignore[no-untyped-call]

    def _still_bundle(self) -> dict[str, Any]:
        name = escape(self.still_name())
        child = ".jp-OutputArea-child"
        hidden = (
            f'body:has([data-still="{name}"]) [data-still-of="{name}"],'
            # JupyterLab's own words in place of a widget without a kernel or a state, which stay.
            f'{child}:has(+{child} [data-still-of="{name}"])>.jp-OutputArea-output:not(:has(*))'
        )
        return {
            "text/html": f'<style>{hidden}{{display:none}}</style><div data-still-of="{name}">{self.still()}'
            f"{paragraph(_NOTE)}</div>",
            "text/plain": "",
        }


_LONGEST_MESSAGE: Final = 2_000
"""Characters of an error's message that the page shows."""

Handler = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


class WidgetBase(StillOutput, anywidget.AnyWidget):
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
        self._prepared = IdleTask(self.prepare_still)
        self.still_of = self.model_id or ""
        self.on_msg(self.answer)
        self.observe(self.renew_still, "answers")

    def register(self, kind: str, handler: Handler, *, kept: bool = False) -> None:
        """Answer questions of one kind by a function."""
        if kind in self._handlers:
            raise InvalidArgumentError(f"expected one handler per kind, got a second for {kind!r}")
        self._handlers[kind] = handler
        if kept:
            self._kept.add(kind)

    def questions(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the first question of each kept kind, as the page asks it."""
        return {}

    def keep(self, kind: str, question: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Keep an answer for pages that open later, with a kernel or without."""
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
        """Answer one message of the page; tests may call this with a mapping of their own."""
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
        """
        try:
            with compilation_listener(
                lambda words: self.send({"kind": "progress", "words": words})
            ):
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
    """Return a value as JSON can hold it: undefined and infinite numbers become None."""
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return as_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

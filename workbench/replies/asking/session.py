"""One process's asking: what to send, what is known already, and when to stop.

Stopping is orderly: no further call begins, those under way end and are written to the journal, and
then Inspect is interrupted, which closes its log. The waiting questions are asked when the run goes
on.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import anyio
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, TaskState

from workbench.errors import CallFailedError
from workbench.replies.asking.faults import Fault, fault_of
from workbench.replies.asking.journal import Journal, Key
from workbench.replies.asking.prices import Price

_POLL_SECONDS: Final = 0.05


class Session:
    """Asks through Inspect's ``generate``, with a journal, a budget, and an orderly stop."""

    def __init__(
        self,
        journal: Journal,
        *,
        price: Price | None,
        budget: float | None,
        expected_dollars: float,
        failures_in_a_row: int,
    ) -> None:
        """Begin a session.

        Args:
            journal: Of the run folder.
            price: Of the model, if known.
            budget: Dollars that the run folder may cost in all, or None.
            expected_dollars: What a call is thought to cost before the first has been made.
            failures_in_a_row: Questions that may fail one after the other.
        """
        self._journal = journal
        self._price = price
        self._budget = budget
        self._dearest = expected_dollars
        self._failures_in_a_row = failures_in_a_row
        self._failures = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self._interrupted = False
        self.stopping = ""

    async def ask(
        self, state: TaskState, generate: Generate, turn: int, **config: Any
    ) -> TaskState:
        """Put the conversation so far to the model, unless the journal knows the answer.

        Args:
            state: Inspect's, with the user's message at the end.
            generate: Inspect's.
            turn: Of the prompt, from 0.
            config: Further options of the call.
        """
        key: Key = (str(state.sample_id), state.epoch - 1, turn)
        known = self._journal.answers.get(key)
        if known is not None:
            state.output = ModelOutput.model_validate(known)
            state.messages.append(state.output.message)
            return state
        await self._admit()
        try:
            state = await generate(state, **config)
        except Exception as error:
            fault = fault_of(error)
            self._failed(key, fault)
            raise CallFailedError(fault.reason) from error
        else:
            self._answered(key, state.output)
        finally:
            with self._lock:
                self._under_way -= 1
            self._interrupt_if_idle()
        return state

    def stop(self, reason: str) -> None:
        """Begin no further call; when the last one under way has ended, interrupt Inspect."""
        with self._lock:
            first = not self.stopping
            self.stopping = self.stopping or reason
        if first:
            self._journal.stopped(reason)
        self._interrupt_if_idle()

    async def _admit(self) -> None:
        while True:
            with self._lock:
                waiting_for_others = False
                if not self.stopping:
                    if self._affordable():
                        self._under_way += 1
                        return
                    waiting_for_others = self._under_way > 0
            if self.stopping:
                await anyio.sleep_forever()
            if not waiting_for_others:
                self.stop(
                    f"the budget of {self._budget} dollars is used up: {self._journal.dollars:.4f} "
                    f"spent, and a call costs up to {self._dearest:.4f}; give a larger budget"
                )
            await anyio.sleep(_POLL_SECONDS)

    def _affordable(self) -> bool:
        if self._budget is None:
            return True
        reserved = (self._under_way + 1) * self._dearest
        return self._journal.dollars + reserved <= self._budget

    def _answered(self, key: Key, output: ModelOutput) -> None:
        entry = output.model_dump(mode="json", exclude_none=True)
        usage = entry.get("usage")
        dollars = None
        if self._price is not None and usage is not None:
            dollars = self._price.cost(usage)
            self._dearest = max(self._dearest, dollars)
        self._journal.answered(key, entry, dollars)
        self._failures = 0

    def _failed(self, key: Key, fault: Fault) -> None:
        self._journal.failed(key[0], key[1], fault.reason)
        self._failures += 1
        if fault.ends_run:
            self.stop(fault.reason)
        elif self._failures >= self._failures_in_a_row:
            self.stop(f"{self._failures} questions failed one after the other: {fault.reason}")

    def _interrupt_if_idle(self) -> None:
        with self._lock:
            now = bool(self.stopping) and self._under_way == 0 and not self._interrupted
            self._interrupted = self._interrupted or now
        if now:
            signal.raise_signal(signal.SIGINT)


_sessions: list[Session] = []


@contextmanager
def session_in_use(session: Session) -> Iterator[None]:
    """Let the task's solver ask through a session; Inspect gives it no other way to reach one."""
    _sessions.append(session)
    try:
        yield
    finally:
        _sessions.remove(session)


def current_session() -> Session | None:
    """Return the session in use, or None where Inspect runs the task by itself."""
    return _sessions[-1] if _sessions else None

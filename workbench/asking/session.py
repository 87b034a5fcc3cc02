"""The asking session of one process: what to send, what to repeat, and when to stop.

This is the one place that repeats a call: Inspect and the provider's client are told not to. So
every request is counted and has a reserve, and there are no more than requested.

Stopping is orderly: no further call begins, those in progress end and are written to the journal,
and then Inspect is interrupted, which closes its log. The waiting questions are asked when the run
goes on.
"""

import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import anyio
from inspect_ai.model import ModelOutput, RetryDecision, get_model
from inspect_ai.solver import Generate, TaskState

from workbench.asking.call_errors import Fault, fault_of
from workbench.asking.costs import Budget
from workbench.asking.journal import Failure, Journal, Key
from workbench.asking.settings import Operation
from workbench.errors import CallFailedError, JournalError

LONGEST_WAIT: Final = 120.0
"""Seconds between two requests of a question, unless the server asks for more."""

LONGEST_WAIT_ASKED_FOR: Final = 600.0
"""Seconds that a server can make a question wait."""

_POLL_SECONDS: Final = 0.05


class Session:
    """Asks through Inspect's ``generate``, with a journal, a budget, and an orderly stop."""

    def __init__(self, journal: Journal, budget: Budget, operation: Operation) -> None:
        self._journal = journal
        self._budget = budget
        self._operation = operation
        self._failures = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self._interrupted = False
        self.stopping = ""
        self.lost = 0

    async def ask(
        self, state: TaskState, generate: Generate, turn: int, **config: Any
    ) -> TaskState:
        """Put the conversation so far to the model, unless the journal knows the answer."""
        key: Key = (str(state.sample_id), state.epoch - 1, turn)
        answer = self._journal.record.answers.get(key)
        if answer is not None:
            state.output = ModelOutput.model_validate(answer)
            state.messages.append(state.output.message)
            return state
        before = self._journal.record.failures.get(key[:2])
        if before is not None and before.permanent and not self._operation.retry_failed:
            raise CallFailedError(before.reason)
        requests = 0
        while True:
            reserve = await self._admit(key, state)
            state, fault, wait = await self._call(key, reserve, state, generate, **config)
            requests += 1
            if fault is None:
                self._failures = 0
                return state
            if fault.ends_run or fault.permanent or requests == self._operation.requests:
                self._give_up(fault)
                raise CallFailedError(fault.reason)
            backoff = min(self._operation.retry_wait * 2.0 ** (requests - 1), LONGEST_WAIT)
            # Not all at the same moment.
            await anyio.sleep(max(backoff * random.uniform(0.75, 1.25), wait))

    def stop(self, reason: str, *, recorded: bool = True) -> None:
        """Begin no further call; when the last one in progress has ended, interrupt Inspect."""
        with self._lock:
            first = not self.stopping
            self.stopping = self.stopping or reason
        if first and recorded:
            self._recorded(lambda: self._journal.stopped(reason))
        self._interrupt_if_idle()

    def finish(self) -> None:
        """Stop interrupting: Inspect has ended."""
        with self._lock:
            self._interrupted = True

    async def _admit(self, key: Key, state: TaskState) -> float:
        """Wait until a call may begin, and return the dollars reserved for it."""
        reserve = self._budget.reserve_for(message.text for message in state.messages)
        while True:
            with self._lock:
                admitted = not self.stopping and self._budget.begin(reserve)
                self._under_way += admitted
                others = self._under_way > 0
            if admitted:
                if self._budget.price is None or self._recorded(
                    lambda: self._journal.begun(key, reserve)
                ):
                    return reserve
                self._budget.failed(reserve, "")
                self._end_call()
            if self.stopping:
                await anyio.sleep_forever()
            if not admitted and not others:
                self.stop(
                    f"the budget of {self._budget.limit} dollars leaves too little for the next "
                    f"call: {self._budget.spent:.4f} spent, and it can cost up to {reserve:.4f} "
                    f"with a reply of {self._budget.reply_tokens:,} tokens; give a larger budget or "
                    "a smaller max_tokens"
                )
            await anyio.sleep(_POLL_SECONDS)

    async def _call(
        self, key: Key, reserve: float, state: TaskState, generate: Generate, **config: Any
    ) -> tuple[TaskState, Fault | None, float]:
        """Send one request; return the state, what went wrong, and how long the server says to wait.

        However the request ends, it is written down before the next begins.
        """
        wait = 0.0
        # Inspect may be broken off at any moment, such as by a full disk for its own log: the calls
        # in progress are paid for, and their answers still go into the journal.
        with anyio.CancelScope(shield=True):
            try:
                try:
                    state = await generate(state, **config)
                    fault = fault_of_output(state.output)
                except Exception as error:  # noqa: BLE001  a provider can raise anything
                    fault = fault_of(error)
                    wait = _wait_asked_for(error)
                if fault is None:
                    self._answered(key, reserve, state.output)
                else:
                    charge = self._budget.failed(reserve, fault.unknown_cost)
                    failure = Failure(fault.reason, fault.permanent)
                    self._recorded(lambda: self._journal.failed(key, failure, **charge.unknown()))
            finally:
                self._end_call()
        return state, fault, wait

    def _answered(self, key: Key, reserve: float, output: ModelOutput) -> None:
        entry = output.model_dump(mode="json", exclude_none=True)
        charge = self._budget.answered(reserve, entry.get("usage"))
        self._recorded(
            lambda: self._journal.answered(key, entry, charge.dollars, **charge.unknown())
        )
        self.lost += key not in self._journal.record.answers

    def _recorded(self, write: Callable[[], None]) -> bool:
        """Write to the journal and return True, or stop the run if that is no longer possible."""
        try:
            write()
        except JournalError as error:
            self.stop(str(error), recorded=False)
            return False
        if self._journal.full:
            self.stop(self._journal.full, recorded=False)
        return not self._journal.full

    def _give_up(self, fault: Fault) -> None:
        self._failures += 1
        if fault.ends_run:
            self.stop(fault.reason)
        elif self._failures >= self._operation.max_failures:
            self.stop(f"{self._failures} questions failed in a row, the last with: {fault.reason}")

    def _end_call(self) -> None:
        with self._lock:
            self._under_way -= 1
        self._interrupt_if_idle()

    def _interrupt_if_idle(self) -> None:
        with self._lock:
            now = bool(self.stopping) and self._under_way == 0 and not self._interrupted
            self._interrupted = self._interrupted or now
        if now:
            signal.raise_signal(signal.SIGINT)


def fault_of_output(output: ModelOutput) -> Fault | None:
    """Return what went wrong with a call that raised no exception, if anything did."""
    if not output.choices:
        reason = " ".join((output.error or "the response holds no choice").split())
        return Fault(reason, unknown_cost="no choice in the response")
    if output.stop_reason == "model_length":
        text = " ".join(output.completion.split())[:200]
        return Fault(f"the context is too long for the model: {text}", permanent=True)
    return None


def _wait_asked_for(error: Exception) -> float:
    """Return the seconds that the server asks to wait before the next request, or 0."""
    # Where a call failed for a reason that may pass, Inspect wraps the provider's exception.
    attempt = getattr(error, "last_attempt", None)
    if attempt is None:
        return 0.0
    decision = get_model().api.should_retry(attempt.exception())
    seconds = decision.retry_after if isinstance(decision, RetryDecision) else None
    return min(seconds or 0.0, LONGEST_WAIT_ASKED_FOR)


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

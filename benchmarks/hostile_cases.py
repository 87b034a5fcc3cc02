"""Ways to stop `workbench ask`, to fill its disk, and to answer it wrongly."""

import contextlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.asking import KEY, LocalServer, asking_process
from workbench.asking.journal import FILE_NAME, SPARE_NAME

QUESTIONS: Final = 60
EVEN: Final = range(0, QUESTIONS, 2)
FIRST: Final = range(QUESTIONS // 2)
SMALL_DISK: Final = 16 * 2**20
FULL_DISK: Final = 2**20
FLIPPED_BITS: Final = 20
SINGLE_FAULTS: Final = (
    "rate_limit_once", "rate_limit", "server_error", "bad_request", "forbidden", "unauthorized",
    "not_found", "quota", "context_length", "reset", "hang", "truncated_json", "empty_choices",
    "html", "invalid_utf8", "error_with_200", "refusal", "cut_off", "megabyte", "no_usage",
    "negative_usage", "absurd_usage", "usage_of_nulls", "usage_of_words", "huge_usage",
    "infinite_usage", "gzip_bomb", "endless", "escape_codes",
)  # fmt: skip
LASTING_FAULTS: Final = (
    "rate_limit", "server_error", "bad_request", "forbidden", "not_found", "reset", "html",
    "error_with_200", "no_usage", "absurd_usage", "huge_usage", "gzip_bomb", "endless",
    "escape_codes",
)  # fmt: skip


@dataclass
class Attempt:
    """The first run of a case: what its stop can reach."""

    server: LocalServer
    out: Path
    process: "subprocess.Popen[str]"

    def answered(self, number: int) -> None:
        """Wait until so many answers were sent, or the process ended."""
        while self.server.answered.total() < number and self.process.poll() is None:
            time.sleep(0.005)

    def child(self) -> int:
        """Wait for the asking process, and return its number.

        Raises:
            ProcessLookupError: The command ended before it started one.
        """
        while self.process.poll() is None:
            with contextlib.suppress(ValueError, subprocess.CalledProcessError):
                return asking_process(self.process.pid)
            time.sleep(0.02)
        raise ProcessLookupError(f"{self.process.args} ended before it asked")


@dataclass
class Case:
    """A way to hinder a run.

    Attributes:
        name: What the table calls it.
        stop: What to do to the first run.
        faults: Fault of the server by the place of the question; -1 is every question.
        options: Of the command.
        before: What to do to the folder before, given the command.
        usage: The token counts that the server says.
        turns: Of the prompt.
        seconds: How long a reply takes.
        questions: How many there are.
        limit: The largest file that the command may write, in bytes.
        disk: Bytes of the disk that the run's folder lies on, if that is a small one.
    """

    name: str
    stop: Callable[[Attempt], None] = lambda _: None
    faults: dict[int, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    before: Callable[[Path, list[str]], Any] | None = None
    usage: dict[str, int] | None = None
    turns: int = 1
    seconds: float = 0.05
    questions: int = QUESTIONS
    limit: int | None = None
    disk: int | None = None


def cases() -> Iterator[Case]:
    """Yield all cases."""
    yield from _stops()
    yield from _limits()
    yield from _damages()
    yield from _full_disks()
    for fault in SINGLE_FAULTS:
        yield Case(f"one question: {fault}", faults={7: fault}, options=("--price", "10", "40"))
    for fault in LASTING_FAULTS:
        yield Case(f"every question: {fault}", faults={-1: fault}, options=("--price", "10", "40"))


def _to_parent(number: int, answers: int) -> Callable[[Attempt], None]:
    def stop(attempt: Attempt) -> None:
        attempt.answered(answers)
        attempt.process.send_signal(number)

    return stop


def _to_child(number: int, answers: int) -> Callable[[Attempt], None]:
    def stop(attempt: Attempt) -> None:
        attempt.answered(answers)
        os.kill(attempt.child(), number)

    return stop


def _to_both(number: int, answers: int) -> Callable[[Attempt], None]:
    def stop(attempt: Attempt) -> None:
        attempt.answered(answers)
        for process in (attempt.child(), attempt.process.pid):
            os.kill(process, number)

    return stop


def _after_start(attempt: Attempt) -> None:
    attempt.child()
    time.sleep(0.2)
    attempt.process.send_signal(signal.SIGINT)


def _twice(attempt: Attempt) -> None:
    attempt.answered(20)
    attempt.process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    attempt.process.send_signal(signal.SIGINT)


def _revoke_key(attempt: Attempt) -> None:
    attempt.answered(20)
    attempt.server.faults = dict.fromkeys(attempt.server.answers, "unauthorized")


def _use_up_quota(attempt: Attempt) -> None:
    attempt.answered(20)
    attempt.server.faults = dict.fromkeys(attempt.server.answers, "quota")


def _break_down(attempt: Attempt) -> None:
    attempt.answered(20)
    attempt.server.faults = dict.fromkeys(attempt.server.answers, "reset")


def _hang_and_interrupt(attempt: Attempt) -> None:
    attempt.answered(20)
    attempt.server.faults = dict.fromkeys(attempt.server.answers, "hang")
    time.sleep(0.5)
    attempt.process.send_signal(signal.SIGINT)


def _second_process(attempt: Attempt) -> None:
    attempt.answered(10)
    subprocess.run(
        attempt.process.args, capture_output=True, env=environment(), check=False, text=True
    )


def _stops() -> Iterator[Case]:
    interrupt, end, kill = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
    yield Case("Ctrl-C as it starts", _after_start)
    yield Case("Ctrl-C after 1 answer", _to_parent(interrupt, 1))
    yield Case("Ctrl-C in the middle", _to_parent(interrupt, 30))
    yield Case("Ctrl-C before the last answer", _to_parent(interrupt, QUESTIONS - 1))
    yield Case("Ctrl-C twice", _twice, seconds=0.5)
    yield Case("Ctrl-C while requests are repeated", _to_parent(interrupt, 5),
               dict.fromkeys(FIRST, "server_error"), ("--retries", "2"))  # fmt: skip
    yield Case("Ctrl-C while the server hangs", _hang_and_interrupt)
    yield Case("SIGTERM", _to_parent(end, 30))
    yield Case("SIGHUP", _to_parent(signal.SIGHUP, 30))
    yield Case("kill -9 of the command", _to_parent(kill, 30))
    yield Case("kill -9 of the command after the last answer", _to_parent(kill, QUESTIONS))
    yield Case(
        "kill -9 of the asking process", _to_child(kill, 30), options=("--price", "10", "40")
    )
    yield Case("kill -9 of the asking process after 1 answer", _to_child(kill, 1))
    yield Case("kill -9 of both", _to_both(kill, 30))
    yield Case(
        "kill -9 of both between turns",
        _to_both(kill, 45),
        options=("--prompt", "self-check"),
        turns=2,
    )
    yield Case("SIGINT to the asking process", _to_child(interrupt, 30))
    yield Case("SIGTERM to the asking process", _to_child(end, 30))
    yield Case("a second process", _second_process)
    yield Case("the key is revoked", _revoke_key)
    yield Case("the quota is used up", _use_up_quota)
    yield Case("the server breaks down", _break_down, options=("--retries", "0"))
    yield Case("half of the questions fail", faults=dict.fromkeys(EVEN, "server_error"))
    yield Case("the first half fails", faults=dict.fromkeys(FIRST, "server_error"))


def _limits() -> Iterator[Case]:
    price = ("--price", "1000", "1000", "--connections", "40")
    long = {"prompt_tokens": 400, "completion_tokens": 9600, "total_tokens": 10_000}
    yield Case("budget of 9 dollars, 0.45 a call, --max-tokens",
               options=(*price, "--budget", "9", "--max-tokens", "60"))  # fmt: skip
    yield Case("budget of 9 dollars, 0.45 a call", options=(*price, "--budget", "9"))
    yield Case("budget of 50 dollars, 10 a call", options=(*price, "--budget", "50"), usage=long)
    yield Case("the same, no token counts", faults={-1: "no_usage"},
               options=(*price, "--budget", "50"), usage=long)  # fmt: skip
    yield Case("budget of 15 dollars, half of the calls time out", faults=dict.fromkeys(EVEN, "hang"),
        options=(*price, "--budget", "15", "--max-tokens", "60"))  # fmt: skip


def _interrupted_first(out: Path, command: list[str]) -> None:
    process = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL, text=True,
                               stdout=subprocess.DEVNULL)  # fmt: skip
    while not (out / FILE_NAME).exists() or (out / FILE_NAME).read_bytes().count(b"\n") < 20:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.wait()


def _complete_first(out: Path, command: list[str]) -> None:
    subprocess.run(command, env=environment(), capture_output=True, check=True)


def _flipped(lines: list[bytes]) -> list[bytes]:
    """Flip a bit in each of `FLIPPED_BITS` lines of answers."""
    choice = random.Random(27)
    answers = [place for place, line in enumerate(lines) if b'"output"' in line]
    for place in choice.sample(answers, FLIPPED_BITS):
        line = bytearray(lines[place])
        line[choice.randrange(len(line) - 1)] ^= 1 << choice.randrange(8)
        lines[place] = bytes(line)
    return lines


def _flipped_bits(*, log: bool) -> Callable[..., None]:
    def damage(out: Path, command: list[str]) -> None:
        _damaged(_flipped, _complete_first)(out, command)
        if not log:
            for path in (out / "logs").glob("*.eval"):
                path.unlink()

    return damage


def _damaged(
    change: Callable[[list[bytes]], list[bytes]],
    first: Callable[[Path, list[str]], None] = _interrupted_first,
) -> Callable[..., None]:
    def damage(out: Path, command: list[str]) -> None:
        first(out, command)
        path = out / FILE_NAME
        path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))

    return damage


def _damages() -> Iterator[Case]:
    yield Case("a torn last line", before=_damaged(lambda lines: [*lines[:-2], lines[-2][:99]]))
    yield Case("a torn line in the middle", before=_damaged(
        lambda lines: [*lines[:5], lines[5][:99], *lines[6:]]))  # fmt: skip
    yield Case("a line of zeros", before=_damaged(
        lambda lines: [*lines[:5], bytes(300) + b"\n", *lines[5:]]))  # fmt: skip
    yield Case("half of the journal gone, Inspect's log whole", before=_damaged(
        lambda lines: lines[: len(lines) // 2]))  # fmt: skip
    yield Case("20 flipped bits in answers, Inspect's log whole", before=_flipped_bits(log=True))
    yield Case("20 flipped bits in answers, no log", before=_flipped_bits(log=False))


@contextlib.contextmanager
def small_disk(path: Path, size: int) -> Iterator[None]:
    """Mount a small disk at a folder meanwhile."""
    path.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def _fill(folder: Path) -> None:
    with contextlib.suppress(OSError), (folder / "filler").open("ab", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def _fill_in_the_middle(attempt: Attempt) -> None:
    attempt.answered(20)
    _fill(attempt.out.parent)


def _keep_full_from_the_middle(attempt: Attempt) -> None:
    attempt.answered(20)
    while attempt.process.poll() is None:
        _fill(attempt.out.parent)
        time.sleep(0.001)


def _fill_before_the_table(attempt: Attempt) -> None:
    attempt.answered(QUESTIONS)
    while (attempt.out / SPARE_NAME).exists():
        time.sleep(0.002)
    _keep_full_from_the_middle(attempt)


def _full_logs(out: Path, command: list[str]) -> Any:
    _interrupted_first(out, command)
    return small_disk(out / "logs", 65_536)


def _journal_on_full_device(out: Path, command: list[str]) -> None:
    _interrupted_first(out, command)
    (out / FILE_NAME).rename(out.parent / "journal")
    (out / FILE_NAME).symlink_to("/dev/full")


def _full_disks() -> Iterator[Case]:
    yield Case("disk full: journal", _fill_in_the_middle, disk=SMALL_DISK)
    yield Case(
        "disk full: journal, and what is freed at once", _keep_full_from_the_middle, disk=SMALL_DISK
    )
    yield Case("disk full: Inspect's logs", before=_full_logs, questions=240)
    yield Case("disk full: predictions.parquet", _fill_before_the_table, disk=SMALL_DISK)
    yield Case("disk full: from the beginning", disk=FULL_DISK)
    yield Case("disk full: /dev/full as journal", before=_journal_on_full_device)
    yield Case("a limit of 4.5 MB a file, replies of 1 MB", faults={-1: "megabyte"},
               limit=4_500_000)  # fmt: skip


def environment() -> dict[str, str]:
    """Return the variables that the command is run with."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {**kept, "LOCAL_API_KEY": KEY}

"""Let visitors come to the app at once, then kill their browser: seconds, memory, and what stays.

Run from the repository: ``python -m benchmarks.app_visitors``, some three minutes. It serves the app
with ready kernels, opens the page of one pair of boards in as many windows of one chromium, and takes
the seconds until each window shows its numbers. Then chromium ends by SIGKILL, so that no page says
goodbye. The browser shares the cores with the server, as no visitor's would. Memory is the
proportional set size of the app and its kernels (Linux). Needs the extra ``app`` and chromium.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import time
from typing import Final

import psutil
from playwright.async_api import Browser, Error, async_playwright

from tests.browser.lab_page import ARGUMENTS, chromium_path
from tests.browser.lab_server import free_port

PAGE: Final = "voila/render/board_pair.ipynb"
USABLE: Final = ".world-state[data-role=board-pair] [data-state=fresh]"
PATIENCE: Final = 180_000
"""Milliseconds for a page."""
WORK: Final = 2.0
"""Seconds of a core that a kernel needs at least until its page is rendered."""


def kernels(app: psutil.Process) -> list[psutil.Process]:
    """Return the processes of the kernels that run."""
    return [child for child in app.children() if child.status() != psutil.STATUS_ZOMBIE]


def megabytes(app: psutil.Process) -> float:
    """Return the memory of the app and all processes that it started."""
    total = 0
    for process in (app, *app.children(recursive=True)):
        try:
            total += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total / 1e6


async def quiet(app: psutil.Process, number: int) -> None:
    """Wait until the app has so many kernels, and none of them works."""
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        running = kernels(app)
        if len(running) >= number:
            before = [sum(process.cpu_times()[:2]) for process in running]
            await asyncio.sleep(2)
            after = [sum(process.cpu_times()[:2]) for process in running]
            # On a busy machine a kernel that has hardly begun may get no core for a while.
            if min(after) > WORK and sum(after) - sum(before) < 0.1:
                return
        await asyncio.sleep(0.2)
    raise TimeoutError(f"expected {number} ready kernels, got {len(kernels(app))}")


async def visit(browser: Browser, address: str) -> tuple[int, float]:
    """Open the page in a window of its own, and return its status and the seconds to its numbers."""
    page = await (await browser.new_context(viewport={"width": 1366, "height": 768})).new_page()
    began = time.perf_counter()
    response = await page.goto(address, timeout=PATIENCE, wait_until="commit")
    status = response.status if response else 0
    if status == 200:
        await page.wait_for_selector(USABLE, timeout=PATIENCE)
    return status, time.perf_counter() - began


async def measure(port: int, app: psutil.Process, options: argparse.Namespace) -> None:
    """Print a line for each state: ready, visited, browser gone."""
    await quiet(app, 2 * options.ready)
    print(f"before: {len(kernels(app))} kernels, {megabytes(app):.0f} MB", flush=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_path(), args=list(ARGUMENTS), chromium_sandbox=False
        )
        address = f"http://127.0.0.1:{port}/{PAGE}"
        visits = await asyncio.gather(
            *(visit(browser, address) for _ in range(options.visitors)), return_exceptions=True
        )
        seconds = sorted(
            visit[1] for visit in visits if not isinstance(visit, BaseException) and visit[0] == 200
        )
        print("usable after (s):", " ".join(f"{second:.1f}" for second in seconds))
        refused = [visit for visit in visits if isinstance(visit, BaseException) or visit[0] != 200]
        print("refused or failed:", refused or "none")
        print("load:", " ".join(f"{load:.1f}" for load in os.getloadavg()), flush=True)
        await quiet(app, len(seconds))
        print(f"visited: {len(kernels(app))} kernels, {megabytes(app):.0f} MB", flush=True)
        killed = time.perf_counter()
        me = psutil.Process()
        for process in me.children(recursive=True):
            if "chromium" in process.name() or "chrome" in process.name():
                process.send_signal(signal.SIGKILL)
        try:
            await browser.close()
        except Error as error:
            print(f"browser: {error.message.splitlines()[0]}")
    last = None
    while time.perf_counter() - killed < options.watch:
        running = len(kernels(app))
        if running != last:
            gone = time.perf_counter() - killed
            print(f"{gone:.0f} s after: {running} kernels, {megabytes(app):.0f} MB", flush=True)
            last = running
        await asyncio.sleep(1)
    print(f"after {options.watch} s: {len(kernels(app))} kernels, {megabytes(app):.0f} MB")


def main() -> None:
    """Measure once with the given numbers of visitors and of ready kernels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=5)
    parser.add_argument("--ready", type=int, default=1, help="ready kernels of each page")
    parser.add_argument("--watch", type=int, default=150, help="seconds after the browser's end")
    parser.add_argument("options", nargs="*", help="further options of `workbench app`, after --")
    options = parser.parse_args()
    port = free_port()
    command = [
        *(sys.executable, "-m", "workbench", "app", "--no-browser", "--host", "127.0.0.1"),
        *("--port", str(port), "--ready", str(options.ready), *options.options),
    ]
    # Two cores, whatever the machine has.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    process = subprocess.Popen(command)
    try:
        asyncio.run(measure(port, psutil.Process(process.pid), options))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


if __name__ == "__main__":
    main()

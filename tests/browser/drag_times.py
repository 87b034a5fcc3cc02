"""Milliseconds from the drop of a piece to its numbers, as the page itself measures them."""

import json
from statistics import median
from typing import Any, Final

from playwright.sync_api import Locator

SLOWEST_MS: Final = 5000
"""The median on a busy machine; on a quiet one it is some 100."""


def watch_drops(root: Locator) -> None:
    """Begin to measure: from each pointer that goes up to the next answer that is shown."""
    root.evaluate(
        """root => {
            window.dropTimes = [];
            window.dropWatch?.abort();
            window.dropWatch = new AbortController();
            let dropped = null;
            window.addEventListener('pointerup', () => { dropped = performance.now(); },
                {capture: true, signal: window.dropWatch.signal});
            const watching = new MutationObserver(() => {
                if (dropped !== null) window.dropTimes.push(performance.now() - dropped);
                dropped = null;
            });
            watching.observe(root.querySelector('[data-role=numbers]'),
                {attributes: true, attributeFilter: ['data-serial']});
            window.dropWatch.signal.addEventListener('abort', () => watching.disconnect());
        }"""
    )


def drop_times(root: Locator) -> dict[str, Any]:
    """Return how many drops there were, and the median and 95th percentile of their times."""
    times = sorted(root.evaluate("() => window.dropTimes"))
    last = times[max(0, -(-95 * len(times) // 100) - 1)]
    return {"drops": len(times), "median_ms": median(times), "p95_ms": last}


def report(what: str, times: dict[str, Any]) -> None:
    """Print the times; pytest shows them with ``-s``."""
    print(f"\n{what}: {json.dumps(times)}")

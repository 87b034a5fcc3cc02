"""axe-core on a widget: what it finds wrong, with the elements."""

from functools import cache

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator


@cache
def axe_script() -> str:
    """Return axe-core as a script for a page."""
    return Axe().axe_script


def violations(root: Locator) -> list[str]:
    """Return what axe-core's rules find wrong in a widget: the rule, what it asks, the elements."""
    root.page.evaluate(axe_script())
    found: list[str] = root.evaluate(
        """async root => (await axe.run(root)).violations.flatMap(rule => rule.nodes.map(node =>
            `${rule.id}: ${rule.help}: ${node.html.slice(0, 160)}: ${node.failureSummary}`))"""
    )
    return found

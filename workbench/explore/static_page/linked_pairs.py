"""Pairs of boards within a page of other things: links that open them, and what the page needs for it."""

from dataclasses import dataclass
from typing import Final

from workbench.explore.page.assets import script, stylesheet
from workbench.explore.static_page.pair_html import (
    PAIR_SHEETS,
    json_in_page,
    pair_content,
    script_policy,
)

_MAIN: Final = (
    'openLinkedPairs(JSON.parse(document.getElementById("pair-content").textContent), '
    'document.getElementById("pair-twin").textContent, pairTwin);\n'
)
_BODY: Final = """<section id="pair-section" class="on-screen" hidden>
<h2 id="pair-heading" tabindex="-1">The opened pair of boards</h2>
<p id="pair-refusal" role="alert"></p>
<div id="pair"></div>
</section>
"""


@dataclass(frozen=True, slots=True)
class LinkedPairs:
    """What a page needs so that its links open pairs.

    Attributes:
        style: Rules that begin with the shared theme, for a style element.
        body: HTML for the place where the pair is shown.
        scripts: HTML for the end of the body.
        policy: The page's content security policy; pictures may be added to it.
    """

    style: str
    body: str
    scripts: str
    policy: str


def linked_pairs() -> LinkedPairs:
    """Return the parts of a page whose links, as `workbench.explore.board.pair_link.pair_link` makes them, open pairs in it."""
    twin = "\n" + script("static_page/page_twin.js", "pairTwin")
    view = "\n" + script("static_page/pairs_of_links.js", "openLinkedPairs") + _MAIN
    content = json_in_page(pair_content())
    return LinkedPairs(
        stylesheet(*PAIR_SHEETS),
        _BODY,
        f'<script type="application/json" id="pair-content">{content}</script>\n'
        f'<script id="pair-twin">{twin}</script>\n<script>{view}</script>\n',
        script_policy(twin, view),
    )

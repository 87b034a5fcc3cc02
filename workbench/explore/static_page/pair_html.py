"""BoardPair as one HTML file: its view, and in place of the kernel a twin in JavaScript.

Everything is in the file. Its policy lets the browser run the scripts written here, known by their
hashes, and nothing else, and load nothing.
"""

import base64
import hashlib
import html
import json
from string import Template
from typing import Any, Final

from workbench import __version__
from workbench.drawing.reply_words import FLAG_WORDS
from workbench.errors import InvalidArgumentError
from workbench.explore.board.reading import read_board
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.assets import piece_drawings, script, stylesheet
from workbench.explore.pair.pair_answers import PREDICTED_FEN, TRUE_FEN, checked_fen

MOST_BYTES: Final = 500_000
"""The size that a page may have; the boards and the caption take little of it."""

PAIR_SHEETS: Final = ("board/board.css", "pair/pair_panels.css", "pair/board_pair.css")
"""The style sheets of the view."""

_MAIN: Final = (
    'openOwnPair(JSON.parse(document.getElementById("content").textContent), '
    'document.getElementById("twin").textContent, pairTwin);\n'
)

_PAGE: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
<main>
<h1>Board pair: what a wrong board costs</h1>
<p class="page-words">State precision p<sub>m</sub> is the probability that a random line of m moves, legal on the predicted
board, is legal on the true board; for state recall r<sub>m</sub> the boards change places. Drag pieces, or type FENs. Values are exact,
to m = 4. The page computes by itself: it loads nothing and sends nothing. Its address follows the boards: copied, it opens them again.</p>
<p id="pair-refusal" role="alert"></p>
<div id="pair"></div>
<noscript><p>This page needs JavaScript, which the browser does not run here.</p></noscript>
<footer>World-State Workbench $version, GPL-3.0-or-later. Pieces: python-chess.</footer>
</main>
<script type="application/json" id="content">$content</script>
<script id="twin">
$twin</script>
<script>
$view</script>
</body>
</html>
""")


def pair_html(
    true_fen: str = TRUE_FEN, predicted_fen: str | None = PREDICTED_FEN, caption: str = ""
) -> str:
    """Return a page with a pair of boards.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another; None or an empty text is no predicted state.
        caption: A line above the boards, of at most 800 characters.

    Returns:
        The text of the file, to be written as UTF-8; at most `MOST_BYTES` long.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If the page would be too large.
    """
    content = pair_content(true_fen, predicted_fen, caption)
    twin = script("static_page/page_twin.js", "pairTwin")
    view = script("static_page/own_pair.js", "openOwnPair") + _MAIN
    page = _PAGE.substitute(
        policy=script_policy("\n" + twin, "\n" + view),
        title=html.escape(caption or "Board pair"),
        style=stylesheet(*PAIR_SHEETS, "static_page/page_frame.css"),
        version=__version__,
        content=json_in_page(content),
        twin=twin,
        view=view,
    )
    size = len(page.encode())
    if size > MOST_BYTES:
        raise InvalidArgumentError(
            f"expected a page of at most {MOST_BYTES:,} bytes, got {size:,}; shorten the caption"
        )
    return page


def pair_content(
    true_fen: str = TRUE_FEN, predicted_fen: str | None = PREDICTED_FEN, caption: str = ""
) -> dict[str, Any]:
    """Return what the view and its twin are told: the state of BoardPair, and words.

    Args:
        true_fen: As of `pair_html`, as are the others.
        predicted_fen: The predicted board.
        caption: A line above the boards.

    Raises:
        InvalidFenError: If a FEN cannot be read.
    """
    settings = ExplorerSettings()
    state: dict[str, Any] = {
        "true_fen": read_board(checked_fen(true_fen=true_fen), "true").text,
        "predicted_fen": checked_fen(predicted_fen=predicted_fen or ""),
        "line": [],
        "depth": settings.depth,
        "terminal": settings.terminal,
        "ill_formed": settings.ill_formed,
        "reply": "",
        "moves": "",
        "caption": caption,
        "flipped": False,
        "pieces": piece_drawings(),
    }
    words = {"flag_words": dict(FLAG_WORDS), "exact_budget": settings.exact_budget}
    return {"state": state, "words": words}


def json_in_page(content: Any) -> str:
    """Return JSON that cannot end the element that it stands in, whatever texts it has."""
    return json.dumps(content).replace("<", "\\u003c")


def script_policy(*scripts: str) -> str:
    """Return the policy of a page: these scripts, as they stand between their tags, and no address."""
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in scripts
    ]
    return (
        f"default-src 'none'; script-src {' '.join(hashes)}; worker-src blob:; "
        "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )

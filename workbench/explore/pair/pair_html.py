"""BoardPair as HTML without Python: one file, parts for a page that opens pairs, or last answers that become live."""

import base64
import hashlib
import html
import json
import re
from string import Template
from typing import Any, Final

import chess

from workbench import __version__
from workbench.drawing.reply_words import FLAG_WORDS
from workbench.environments.square_picture import (
    CELL,
    board_frame,
    board_labels,
    difference_mark,
)
from workbench.errors import InvalidArgumentError
from workbench.explore.board_reading import read_board
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.assets import icon, javascript, piece_drawings, script, stylesheet
from workbench.explore.pair.board_pair import PREDICTED_FEN, TRUE_FEN, checked_fen
from workbench.explore.pair.pair_view import different_squares

_UNITS: Final = 45
_SQUARES: Final = ("#efebe2", "#b9b09c")
_NO_IDENTITY: Final = re.compile(r' (?:id|class)="[^"]*"')


def piece_symbols() -> str:
    """Return the drawings that boards refer to: put this once into a page, before any board."""
    drawn = "".join(
        f'<g id="piece-{_name(letter)}" transform="scale({CELL / _UNITS:.5g})">'
        f"{_NO_IDENTITY.sub('', drawing)}</g>"
        for letter, drawing in piece_drawings().items()
    )
    squares = "".join(
        f'<path d="M0 0H{8 * CELL}V{8 * CELL}H0z" fill="{_SQUARES[0]}"/><path d="'
        + "".join(
            f"M{CELL * file} {CELL * rank}h{CELL}v{CELL}h-{CELL}z"
            for rank in range(8)
            for file in range(1 - rank % 2, 8, 2)
        )
        + f'" fill="{_SQUARES[1]}"/>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" aria-hidden="true" '
        f'focusable="false" class="piece-symbols"><defs>{drawn}'
        f'<g id="board-squares">{squares}{board_labels(("87654321", "abcdefgh"))}</g>'
        f'<g id="square-different">{difference_mark(0, 0, CELL, CELL)}</g></defs></svg>'
    )


def board_svg(name: str, fen: str, other: str) -> str:
    """Return a board as SVG, with a mark on the squares that another board has otherwise."""
    board, against = (read_board(text, "predicted").board for text in (fen, other))
    if board is None or against is None:
        return ""
    marked = [chess.parse_square(each) for each in different_squares(board, against)]
    pieces = {
        square: f"piece-{_name(piece.symbol())}" for square, piece in board.piece_map().items()
    }
    symbols = [*pieces.items(), *((square, "square-different") for square in marked)]
    drawn = "".join(
        f'<use href="#{symbol}" x="{CELL * chess.square_file(square)}" '
        f'y="{CELL * (7 - chess.square_rank(square))}"/>'
        for square, symbol in symbols
    )
    turn = f"{'White' if board.turn else 'Black'} to move"
    return board_frame(name, turn, (8, 8), len(marked), f'<use href="#board-squares"/>{drawn}')


def _name(letter: str) -> str:
    """Return a name that differs from others also where upper and lower case do not."""
    return f"{'white' if letter.isupper() else 'black'}-{letter.lower()}"


MOST_BYTES: Final = 500_000
"""The size that a page may have; the boards and the caption take little of it."""

PAIR_SHEETS: Final = ("board/board.css", "pair/pair_panels.css", "pair/board_pair.css")
"""The style sheets of the view."""

_TWIN: Final = "static_page/page_twin.js"
_TWINS: Final = {_TWIN: "pairTwin", "reader/model_twin.js": "modelTwin"}
"""What answers questions on a page without Python, by its file."""

_MAIN: Final = (
    'openOwnPair(JSON.parse(document.getElementById("content").textContent), loadTwin);\n'
)

_PAGE: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="icon" href="$icon">
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
<script>
$view</script>
</body>
</html>
""")


def pair_html(
    true_fen: str = TRUE_FEN, predicted_fen: str | None = PREDICTED_FEN, caption: str = ""
) -> str:
    """Return a page with a pair of boards; see BoardPair. The caption has at most 800 characters."""
    content = pair_content(true_fen, predicted_fen, caption)
    view = pair_script("static_page/own_pair.js", "openOwnPair") + _MAIN
    page = _PAGE.substitute(
        policy=script_policy("\n" + view),
        title=html.escape(caption or "Board pair"),
        icon=icon(),
        style=stylesheet(*PAIR_SHEETS, "static_page/page_frame.css"),
        version=__version__,
        content=json_in_page(content),
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
    """Return what the view and its twin are told: the state of BoardPair, and words."""
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
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def live_pairs() -> str:
    """Return a script that has the last answers of BoardPair on its page become live, however many there are."""
    content = {**pair_content(), "style": stylesheet(*PAIR_SHEETS)}
    return live_script(_TWIN, "static_page/live_pairs.js", "openLivePairs", content)


def live_script(twin: str | None, view: str, offered: str, content: Any) -> str:
    """Return a script of its own scope that calls what a view offers with content and the loader of its twin."""
    # A page of others may have the same names.
    called = f"{offered}({json_in_page(content)}, loadTwin);"
    return f"{{\n{twin_loader(twin)}{script(view, offered)}{called}\n}}\n"


def pair_script(view: str, offered: str) -> str:
    """Return the script of a view, and before it the loader of its twin."""
    return twin_loader(_TWIN) + script(view, offered)


def twin_loader(twin: str | None) -> str:
    """Return ``loadTwin``, which loads the twin of a file in the page or in a worker; without a file there is none."""
    if twin is None:
        return "const loadTwin = null;\n"
    return f"const loadTwin = () => {{\n{javascript(twin)}\nreturn {_TWINS[twin]};\n}};\n"

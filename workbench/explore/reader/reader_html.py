"""A page where a bundled language model reads a game: one HTML file that needs neither Python nor a network."""

import html
from collections.abc import Sequence
from itertools import pairwise
from string import Template
from typing import Any, Final

import chess

from workbench import __version__
from workbench.drawing.reply_words import finished_words, ill_formed_words
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.assets import icon, piece_drawings, script, stylesheet
from workbench.explore.pair.pair_html import json_in_page, live_script, script_policy, twin_loader
from workbench.explore.reader.model_content import model_content, twin_words
from workbench.games.game_tables import bundled_games
from workbench.games.synthetic_boards import random_games
from workbench.language_model.language_model import load_model, model_names
from workbench.language_model.vocabulary import MOST_PLIES
from workbench.language_model.written_replies import replies_along

_SHEETS: Final = (
    "board/board.css",
    "pair/pair_panels.css",
    "game/game_tracker.css",
    "reader/reader_page.css",
)

_MOST_CHECKPOINTS: Final = 6
"""So that a page with those of small has less than 6 MB."""
_RANDOM_PLIES: Final = 80
_RANDOM_SEED: Final = 33

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
<h1>Watch a language model lose the board</h1>
<p class="page-words">A small language model reads the moves of a chess game and never sees the board. After each move it writes down the
board that it believes; squares that it has wrong are marked. Make moves on the true board, or step through a game.</p>
<div id="reader"></div>
<noscript><p>This page needs JavaScript, which the browser does not run here.</p></noscript>
<footer>World-State Workbench $version, GPL-3.0-or-later. Pieces: python-chess. The page loads nothing and sends nothing.</footer>
</main>
<script type="application/json" id="content">$content</script>
<script>
$view</script>
</body>
</html>
""")

_TWIN: Final = "reader/model_twin.js"
_MAIN: Final = 'openReader(JSON.parse(document.getElementById("content").textContent), loadTwin);\n'


def reader_html(models: Sequence[str] = ("small",), *, checkpoints: bool = False) -> str:
    """Return a page where language models read games.

    Args:
        models: Names of `workbench.language_model.language_model.model_names`; the first one reads first.
        checkpoints: Put the checkpoints of the one model beside it, on a slider; at most six of them.

    Raises:
        InvalidArgumentError: If there is no such model, or none is named, or one twice; with checkpoints,
            if there are several models, or none of the model.
    """
    if not models or len(set(models)) < len(models):
        raise InvalidArgumentError(
            f"models: expected at least one name, none twice, got {models!r:.80}"
        )
    view = f"{twin_loader(_TWIN)}{script('reader/reader_page.js', 'openReader')}{_MAIN}"
    return _PAGE.substitute(
        policy=script_policy("\n" + view),
        title=html.escape(f"Watch a language model lose the board: {', '.join(models)}"),
        icon=icon(),
        style=stylesheet("static_page/page_frame.css", *_SHEETS),
        version=__version__,
        content=json_in_page(reader_content(models, checkpoints=checkpoints)),
        view=view,
    )


def live_reader(model: str, page: str) -> str:
    """Return a script that has a part of its page become the page of one model.

    Args:
        model: One of `workbench.language_model.language_model.model_names`.
        page: The address of the model's page, to which links to games lead.
    """
    content = {**reader_content([model]), "page": page, "style": stylesheet(*_SHEETS)}
    return live_script(_TWIN, "static_page/live_reader.js", "openLiveReader", content)


def reader_content(models: Sequence[str], *, checkpoints: bool = False) -> dict[str, Any]:
    """Return what the page is told: its models, games and words; see `reader_html`."""
    settings = ExplorerSettings()
    steps = _training(models) if checkpoints else []
    names = [*models, *(name for name in steps if name not in models)]
    return {
        "models": [model_content(load_model(name)) for name in names],
        "steps": [{"name": name, "step": load_model(name).description["step"]} for name in steps],
        "games": _games(models[0]),
        "training_games": {
            name: load_model(name).training_games for name in names if name in model_names()
        },
        "words": {
            **twin_words(),
            "scoring": {"terminal": settings.terminal, "ill_formed": settings.ill_formed},
        },
        "pieces": piece_drawings(),
        "depth": settings.depth,
        # Of its own address, unless it is a part of another page.
        "page": "",
        "conventions": f"{finished_words(settings.terminal)}; {ill_formed_words(settings.ill_formed)}",
        "most_plies": MOST_PLIES,
    }


def _training(models: Sequence[str]) -> list[str]:
    """Return the checkpoints of a model by step, and the model; of near ones the later is left out."""
    name = models[0]
    steps = [each for each in model_names() if each.startswith(f"{name}@")]
    if len(models) > 1 or not steps:
        raise InvalidArgumentError(
            f"checkpoints: expected one model that has some, such as small, got {', '.join(models)}"
        )
    while len(steps) > _MOST_CHECKPOINTS:
        numbers = [load_model(each).description["step"] for each in steps]
        growth = [later / step for step, later in pairwise(numbers)]
        del steps[growth.index(min(growth)) + 1]
    return [*steps, name]


def _games(model: str) -> list[dict[str, Any]]:
    """Return games: each with its number among the bundled ones, or None, and the ply at which it opens."""
    games = bundled_games()
    (randomly,) = random_games(1, _RANDOM_PLIES, _RANDOM_SEED)
    chosen = [
        (
            "An open game, 117 plies",
            2001,
            games[2001].moves,
            _first_wrong(model, games[2001].moves),
        ),
        ("A quiet opening, 30 plies", 2009, games[2009].moves[:30], 30),
        ("A long endgame, 186 plies", 2000, games[2000].moves, 150),
        (f"Random legal moves, {_RANDOM_PLIES} plies", None, randomly.moves, 12),
    ]
    return [
        {"name": name, "number": number, "moves": " ".join(moves), "ply": ply}
        for name, number, moves, ply in chosen
    ]


def _first_wrong(model: str, moves: Sequence[str]) -> int:
    """Return the first ply at which a model writes other pieces than there are, or the last ply."""
    texts = replies_along(load_model(model), moves, range(1, len(moves) + 1))
    board = chess.Board()
    for ply, (move, text) in enumerate(zip(moves, texts, strict=True), start=1):
        board.push_uci(move)
        if text.split()[0] != board.board_fen():
            return ply
    return len(moves)

"""The replies of the bundled weights, pinned by hash; other BLAS builds may change a few.

`python tests/language_model/test_pinned_replies.py` writes the hashes again, after new weights.
"""

import json
from pathlib import Path

import pytest

from workbench.environments.chess.replay import play_moves
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import TRAINING_GAMES, load_model, model_names
from workbench.language_model.written_replies import ReplySettings, write_replies
from workbench.tables.provenance import text_hash

PINS = Path(__file__).with_name("pinned_replies.json")
ROWS = 200
SAME = 0.99
"""The share of rows that must be the same: 2 of 200 may have two tokens that are about equally likely."""


def asked_games():
    """The beginnings of games that no model was trained on, of 1 to 150 plies."""
    games = bundled_games()[TRAINING_GAMES::37][:ROWS]
    return [game.moves[: 1 + 150 * row // ROWS] for row, game in enumerate(games)]


def replies(name):
    """Boards, half of them drawn, for the sizes; the likeliest of fewer games for checkpoints."""
    games = asked_games()[:: 4 if "@" in name else 1]
    written = write_replies(load_model(name), games, ReplySettings(), [0] * len(games))
    if "@" not in name:
        half = games[::2]
        drawn = ReplySettings(temperature=1.0)
        written[::2] = write_replies(load_model(name), half, drawn, range(len(half)))
    return [reply.text for reply in written]


def hashes(name):
    return [text_hash(reply)[:8] for reply in replies(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", model_names())
def test_replies_are_those_that_are_pinned(name):
    pinned, found = json.loads(PINS.read_text())[name], hashes(name)
    assert len(pinned) == len(found)
    same = sum(one == other for one, other in zip(pinned, found, strict=True))
    assert same >= SAME * len(found)


def test_every_model_has_pins():
    assert list(json.loads(PINS.read_text())) == list(model_names())


def test_medium_places_the_pieces_after_a_few_moves():
    games = [game.moves[:10] for game in bundled_games()[TRAINING_GAMES:][:40]]
    written = load_model("medium").write_states(games)
    right = [
        play_moves(game).board_fen() == text.split()[0]
        for game, text in zip(games, written, strict=True)
    ]
    assert sum(right) >= 38


if __name__ == "__main__":
    PINS.write_text(json.dumps({name: hashes(name) for name in model_names()}) + "\n")

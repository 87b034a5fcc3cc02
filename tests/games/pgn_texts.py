"""Texts of PGN games, and how tests write and read them."""

from workbench.games.pgn import scan_games

SCHOLAR = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
SCHOLAR_UCI = ("e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")


def pgn(movetext, **headers):
    lines = [f'[{name} "{value}"]' for name, value in {"Event": "?", **headers}.items()]
    return "\n".join(lines) + f"\n\n{movetext}\n\n"


def write(folder, text, name="games.pgn"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def only(path):
    (game,) = scan_games(path)
    return game

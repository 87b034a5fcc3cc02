"""Games as Lichess writes them, of random legal moves, with comments that do not compress."""

import random

import chess

from workbench.compression import zstd
from workbench.games.synthetic_boards import random_games

HEADERS = {
    "Event": "Rated Blitz game",
    "White": "a",
    "Black": "b",
    "Result": "1-0",
    "WhiteElo": "1500",
    "BlackElo": "1600",
    "TimeControl": "180+2",
    "Termination": "Normal",
}


def game_text(number, moves, comment="", **headers):
    board = chess.Board()
    sans = []
    for ply, move in enumerate(moves):
        dots = f"{ply // 2 + 1}. " if ply % 2 == 0 else ""
        sans.append(dots + board.san_and_push(chess.Move.from_uci(move)))
    tags = {**HEADERS, "Site": f"https://lichess.org/game{number:04d}", **headers}
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    said = f"{{ {comment} }} " if comment else ""
    return "\n".join(lines) + f"\n\n{' '.join(sans)} {said}1-0\n\n"


def many_games(count, *, plies=20, seed=0, comment=2000):
    """Texts of different games of 1 to ``plies`` half-moves, each with so many hex digits."""
    draw = random.Random(seed)
    played = random_games(count, plies, seed)
    return [
        game_text(number, game.moves[: draw.randint(1, plies)], draw.randbytes(comment // 2).hex())
        for number, game in enumerate(played)
    ]


def frames(texts, per_frame=50):
    """Compressed as a month is: several frames one after another."""
    parts = [texts[at : at + per_frame] for at in range(0, len(texts), per_frame)]
    return b"".join(zstd.compress("".join(part).encode(), 3) for part in parts)

"""The corpus of replies: `replies.yaml`, with every sign for a board written out in each game."""

import re
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import yaml

FOLDER = Path(__file__).parent
EXAMPLE = "8/5pk1/6p1/7p/3R3P/5KP1/5P2/r7 w - - 3 41"
SIGN = re.compile(r"@([SXPWVNE123])(?:\.([a-z]+)(?:\[([^\]]*)\])?)?")
FIGURINES = str.maketrans("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟")
FIELDS = ("placement", "side", "castling", "passant", "clock", "number")


@dataclass(frozen=True)
class CorpusReply:
    """A reply of the corpus in one game.

    Attributes:
        name: Its kind, its number in the file and the game's.
        kind: Which difficulty it shows.
        text: The reply.
        answer: The FEN that must come out, ``absent`` or ``unparseable``.
    """

    name: str
    kind: str
    text: str
    answer: str


def corpus(file: str) -> Iterator[CorpusReply]:
    """Yield every reply of a file in every game."""
    data = yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))
    games = [boards(game) for game in data["games"]]
    for number, entry in enumerate(data["replies"], start=1):
        assert set(entry) <= {"kind", "reply", "answer"}, entry
        for place, signs in enumerate(games, start=1):
            yield CorpusReply(
                name=f"{entry['kind']} {number}, game {place}",
                kind=entry["kind"],
                text=written(entry["reply"], signs),
                answer=written(entry.get("answer", "@X"), signs),
            )


def boards(game: dict[str, str]) -> dict[str, str]:
    """Return the FEN that each sign stands for in a game."""
    board = chess.Board()
    fens = [board.fen()]
    for move in [*game["moves"].split(), game["next"]]:
        board.push_san(move)
        fens.append(board.fen())
    return {
        "S": fens[0], "1": fens[1], "2": fens[2], "3": fens[3],
        "P": fens[-3], "X": fens[-2], "N": fens[-1],
        "W": game["draft"], "V": game["other"], "E": EXAMPLE,
    }  # fmt: skip


def written(text: str, signs: dict[str, str]) -> str:
    """Return a text with its signs replaced."""
    return SIGN.sub(lambda sign: form(signs[sign[1]], sign[2], sign[3] or ""), text)


def form(fen: str, name: str | None, argument: str) -> str:
    """Return a FEN, or one of its fields, as the corpus wants it written."""
    fields = dict(zip(FIELDS, fen.split(), strict=True))
    if name is None:
        return fen
    if name in fields:
        return fields[name]
    if name == "mover":
        return argument.split("|")[fields["side"] == "b"]
    if name in ("ranks", "squares"):
        return "\n".join(ranks(fields["placement"], argument, squares=name == "squares"))
    if name == "figurines":
        board = fields["placement"].translate(FIGURINES)
        rest = "" if argument else fen[len(board) :]
        return "\n".join(ranks(board, "=", squares=True)) if argument else board + rest
    column = int(argument) if name == "wrapped" else 1
    return {
        "joined": argument.join(fields.values()),
        "wrapped": "\n".join(fen[start : start + column] for start in range(0, len(fen), column)),
        "escaped": fen.replace("/", "\\/"),
        "fullwidth": "".join("\u3000" if sign == " " else chr(ord(sign) + 0xFEE0) for sign in fen),
        "entities": fen.replace("/", "&#47;").replace(" ", "&nbsp;").replace("-", "&#x2d;"),
        "nonbreaking": fen.replace(" ", "\u00a0"),
        "underscored": fen.replace(" ", "_"),
        "spaced": fen.replace("/", " / "),
        "struck": "".join(sign + "\u0336" for sign in fen),
        "invisible": fen.replace("/", "/\u200b").replace(" ", "\u200c \u2060"),
        "lines": "\n".join(fields.values()),
        "unicode": fen.replace("/", "\\u002f").replace(" ", "\\u0020"),
        "dashes": fen.replace("-", "–"),
        "percent": urllib.parse.quote(fen, safe=""),
        "plus": urllib.parse.quote_plus(fen, safe="/"),
    }[name]


def ranks(placement: str, line: str, *, squares: bool) -> Iterator[str]:
    """Yield a line a rank: ``#`` is its number, ``=`` itself or its squares with dots between spaces."""
    for number, rank in zip(range(8, 0, -1), placement.split("/"), strict=True):
        dots = re.sub(r"\d", lambda digit: "." * int(digit[0]), rank)
        yield line.replace("#", str(number)).replace("=", " ".join(dots) if squares else rank)

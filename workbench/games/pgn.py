"""Games of PGN files in two steps: a fast scan, and a legality check on request.

Playing the moves costs some fifteen times as much as finding them in the text. A scan therefore
gives them as they are written; `ScannedGame.replay` plays them through python-chess.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO, TypeAlias

import chess

from workbench.environments.chess.replay import play_moves, uci_moves
from workbench.errors import GameFileError, IllegalMoveError
from workbench.games.movetext import RESULTS, Line, leaves_comment_open, lines_of
from workbench.games.streams import ByteStream, opened, pgn_text
from workbench.tables.provenance import text_hash

STANDARD_VARIANTS: Final = ("standard", "chess", "from position")
INITIAL_FENS: Final = (
    chess.STARTING_FEN,
    chess.STARTING_FEN.rsplit(" ", 1)[0],
    chess.STARTING_FEN.rsplit(" ", 2)[0],
)
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*+)"\s*\]')
_SITE: Final = re.compile(r'^\[Site\s+"([^"\n]*)"', re.MULTILINE)
_START_TAGS: Final = ("Variant", "FEN", "SetUp")
_SITE_CHARACTERS: Final = 255
GAME_CHARACTERS: Final = 10_000_000
"""Text of one game at most, headers, comments and variations included."""

Refusal: TypeAlias = Callable[[str], tuple[str, str]]
"""Takes a game's headers as text, and returns why it is not wanted: reason and detail, or empty."""


def game_id_of(moves: Sequence[str]) -> str:
    """Return the identity of a game: 16 hexadecimal digits of the SHA-256 of its UCI moves."""
    return text_hash(" ".join(moves))[:16]


@dataclass(frozen=True, slots=True)
class Game:
    """A game from the initial position whose moves are legal.

    Attributes:
        moves: In UCI, one a ply.
        source: Where it comes from, in words or as an address's last part.
    """

    moves: tuple[str, ...]
    source: str

    @property
    def game_id(self) -> str:
        """The game's identity: the same moves are the same game."""
        return game_id_of(self.moves)

    @property
    def plies(self) -> int:
        """Half-moves played."""
        return len(self.moves)

    @property
    def key_text(self) -> str:
        """What a seeded choice among games goes by."""
        return " ".join(self.moves)

    def replay(self) -> "Game | RefusedGame":
        """Return the game itself: it has been played already."""
        return self


@dataclass(frozen=True, slots=True)
class RefusedGame:
    """A game that cannot be used, and why.

    Attributes:
        index: Its number in its file, from 1.
        source: The game's site or its file and number.
        reason: ``illegal_move`` (a null move too), ``unreadable_moves``, ``misnumbered_moves``,
            ``custom_start``, ``variant``, ``no_moves``, ``broken_header`` or ``too_long`` (more than
            `GAME_CHARACTERS` of text or ``GAME_PLIES`` half-moves).
        detail: What came, in words.
        has_result: Whether a result ends it.
    """

    index: int
    source: str
    reason: str
    detail: str
    has_result: bool = True


@dataclass(frozen=True, slots=True)
class ScannedGame:
    """A game as it is written, its moves not yet played.

    Attributes:
        index: Its number in its file, from 1.
        moves_written: The moves of the main line in SAN, one space between, without marks of check
            or comment.
        plies: Half-moves written.
        source: The last part of the Site header, or the file and the game's number in it.
        has_result: Whether a result ends the movetext; a file cut short lacks it.
    """

    index: int
    moves_written: str
    plies: int
    source: str
    has_result: bool

    @property
    def key_text(self) -> str:
        """What a seeded choice among games goes by: the same for the same moves in any file."""
        return self.moves_written

    def replay(self) -> Game | RefusedGame:
        """Play the moves from the initial position."""
        try:
            board = play_moves(self.moves_written.split(), "SAN")
        except IllegalMoveError as error:
            return RefusedGame(self.index, self.source, "illegal_move", str(error), self.has_result)
        # Thousands of games in memory share these few strings.
        return Game(tuple(map(sys.intern, uci_moves(board))), self.source)


def tags_of(headers: str) -> dict[str, str]:
    """Return the headers of a game by their names, as they are written between the quotes."""
    return dict(_TAG.findall(headers))


def scan_games(path: Path) -> Iterator[ScannedGame | RefusedGame]:
    """Yield every game of a PGN file in its order, usable or not.

    A game ends at its result, at the headers of the next, or at the end of the file. Text that ends
    in mid-game gives a game with ``has_result`` false: its moves were played, and positions on the
    way are true. A last word that the end of the file touches is left out, unless it is a result:
    it may be half of one ("O-O" of "O-O-O"). Where compressed data breaks off, the game that it
    breaks is not yielded.

    Args:
        path: A file that `open_pgn` takes.

    Raises:
        GameFileError: If the file cannot be read, or breaks off; games before that were yielded.
    """
    with opened(path) as stream:
        yield from scan_stream(stream, path.name, str(path))


def scan_stream(
    stream: ByteStream, name: str, where: str, refuse: Refusal | None = None
) -> Iterator[ScannedGame | RefusedGame]:
    """Yield the games of a PGN file that is open, as `scan_games` does.

    Args:
        stream: Its bytes from the first.
        name: What a game without a Site is named by, with its number.
        where: What the file is called in a message; its ending says what it should be.
        refuse: A further test of the headers; the moves of what it refuses are not looked at.
    """
    index = 0
    try:
        with pgn_text(stream, where) as text:
            for game in scan_texts(split_games(text), name, refuse):
                index = game.index
                yield game
    except GameFileError as error:
        raise GameFileError(f"{error} ({index} games were read before)") from error


def scan_texts(
    texts: Iterable[tuple[str, str]], name: str, refuse: Refusal | None = None
) -> Iterator[ScannedGame | RefusedGame]:
    """Yield the games of pairs of headers and movetext.

    Args:
        texts: As `split_games` gives them.
        name: What a game without a Site is named by, with its number.
        refuse: A further test of the headers; the moves of what it refuses are not looked at.
    """
    index = 0
    for headers, movetext in texts:
        # Moves behind a result are a game that has no headers of its own.
        site = _site(headers)
        reason, detail = _length_fault(headers, movetext)
        if not reason and refuse:
            reason, detail = refuse(headers)
        if reason:
            index += 1
            source = site or f"{name}#{index}"
            yield RefusedGame(index, source, reason, detail)
            continue
        first, start_fault = index, _start_fault(headers)
        for line in lines_of(movetext):
            index += 1
            source = site or f"{name}#{index}"
            yield _scanned(headers, start_fault, line, index, source)
            site = ""
        if index == first and headers:
            index += 1
            source = site or f"{name}#{index}"
            yield _scanned(headers, start_fault, Line("", 0, False), index, source)


def split_games(stream: TextIO) -> Iterator[tuple[str, str]]:
    """Yield the headers and the movetext of one game of a PGN file after another.

    Of a game of more than `GAME_CHARACTERS` no more is held than shows that it is too long.
    """
    headers: list[str] = []
    body: list[str] = []
    last = ""
    held = 0
    in_comment = after_blank = inside_line = False
    # Line by line, and a line without an end in pieces.
    while line := stream.readline(GAME_CHARACTERS):
        begins, inside_line = not inside_line, not line.endswith("\n")
        # A comment that never ends must not swallow the games behind it.
        is_event = begins and line.startswith("[Event ")
        if begins and line.startswith("[") and (not in_comment or is_event):
            if body or (headers and after_blank and is_event):
                yield "".join(headers), "".join(body)
                headers, body, held, in_comment = [], [], 0, False
            if held <= GAME_CHARACTERS:
                headers.append(line)
        elif line.isspace():
            if not begins:
                continue
            ended = body and not in_comment and not after_blank
            if ended and last.rstrip().endswith(RESULTS):
                yield "".join(headers), "".join(body)
                headers, body, held = [], [], 0
            after_blank = True
            continue
        else:
            anew = after_blank and body and not in_comment and line.startswith("1.")
            if anew and not line.startswith("1.."):
                yield "".join(headers), "".join(body)
                headers, body, held = [], [], 0
            if in_comment or "{" in line:
                in_comment = leaves_comment_open(line, in_comment)
            if held <= GAME_CHARACTERS:
                body.append(line)
            last = line
        held += len(line)
        after_blank = False
    if body and held <= GAME_CHARACTERS and not last.endswith(("\n", "}", ")", *RESULTS)):
        body[-1] = last.removesuffix(last.split()[-1])
    if headers or body:
        yield "".join(headers), "".join(body)


def _site(headers: str) -> str:
    """Return the last part of the address in the Site header; empty if it holds none."""
    written = _SITE.search(headers)
    _, scheme, address = (written[1] if written else "").partition("://")
    _, slash, part = address.removesuffix("/").rpartition("/")
    return part if scheme and slash and len(part) <= _SITE_CHARACTERS else ""


def _length_fault(headers: str, movetext: str) -> tuple[str, str]:
    if len(headers) + len(movetext) <= GAME_CHARACTERS:
        return "", ""
    return "too_long", f"more than {GAME_CHARACTERS:,} characters"


def _scanned(
    headers: str, start_fault: tuple[str, str], line: Line, index: int, source: str
) -> ScannedGame | RefusedGame:
    reason, detail = start_fault
    if not reason:
        reason, detail = line.reason, line.detail
    if not reason and not line.plies:
        reason, detail = "no_moves", f"headers {headers[:80]!r} and no move"
    if reason:
        return RefusedGame(index, source, reason, detail, line.has_result)
    return ScannedGame(index, line.moves, line.plies, source, line.has_result)


def _start_fault(headers: str) -> tuple[str, str]:
    named = [tag for tag in _START_TAGS if f"[{tag}" in headers]
    if not named:
        return "", ""
    tags = tags_of(headers)
    if missing := [tag for tag in named if tag not in tags]:
        return "broken_header", f"the header {missing[0]} cannot be read"
    variant = tags.get("Variant", "Standard")
    if variant.lower() not in STANDARD_VARIANTS:
        return "variant", f"Variant {variant[:80]!r}"
    fen = tags.get("FEN")
    if fen is None and tags.get("SetUp") == "1":
        return "custom_start", "SetUp '1' without a FEN"
    if fen is not None and fen not in INITIAL_FENS:
        return "custom_start", f"FEN {fen[:80]!r}"
    return "", ""

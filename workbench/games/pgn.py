"""Games of PGN files, one after another, in two steps: a quick scan, and legality when asked.

Playing every move through python-chess costs some five times as much as finding the moves in the
text. A scan therefore gives the moves as they are written; `ScannedGame.replay` plays them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import chess
import chess.pgn

from workbench.games.streams import open_pgn

NULL_MOVES: Final = frozenset({"--", "Z0", "0000", "@@@@"})


def game_id_of(moves: tuple[str, ...]) -> str:
    """Return the identity of a game: 16 hexadecimal digits of the SHA-256 of its UCI moves."""
    return hashlib.sha256(" ".join(moves).encode()).hexdigest()[:16]


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
        source: The game's site or its file and number.
        reason: ``illegal_move``, ``custom_start``, ``variant``, ``no_moves`` or ``broken_header``.
        detail: What came, in words.
    """

    source: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class ScannedGame:
    """A game as it is written, its moves not yet played.

    Attributes:
        moves_written: The moves of the main line in SAN, without marks of check or comment.
        source: The last part of the Site header, or the file and the game's number in it.
        has_result: Whether the movetext ends with a result; a file cut short lacks it.
    """

    moves_written: tuple[str, ...]
    source: str
    has_result: bool

    @property
    def plies(self) -> int:
        """Half-moves written."""
        return len(self.moves_written)

    @property
    def key_text(self) -> str:
        """What a seeded choice among games goes by: the same for the same moves in any file."""
        return " ".join(self.moves_written)

    def replay(self) -> Game | RefusedGame:
        """Play the moves from the initial position."""
        board = chess.Board()
        moves = []
        for san in self.moves_written:
            try:
                move = board.parse_san(san)
            except ValueError as error:
                return RefusedGame(self.source, "illegal_move", str(error))
            if not move:
                return RefusedGame(self.source, "illegal_move", f"null move at {board.fen()}")
            board.push(move)
            moves.append(move.uci())
        return Game(tuple(moves), self.source)


class _Scan(chess.pgn.BaseVisitor["_Scan"]):
    """Collects moves as written; python-chess splits the text and is handed null moves to play."""

    def begin_game(self) -> None:
        self.headers: dict[str, str] = {}
        self.moves: list[str] = []
        self.error = ""
        self.has_result = False

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.headers[tagname] = tagvalue

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        self.moves.append(san.rstrip("+#!?"))
        return chess.Move.null()

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_result(self, result: str) -> None:
        self.has_result = True

    def handle_error(self, error: Exception) -> None:
        self.error = self.error or str(error)

    def result(self) -> "_Scan":
        return self


def scan_games(path: Path) -> Iterator[ScannedGame | RefusedGame]:
    """Yield every game of a PGN file in its order, usable or not.

    Args:
        path: A file that `open_pgn` takes.

    Raises:
        GameFileError: If the file cannot be read, or breaks off; games before that were yielded.
    """
    with open_pgn(path) as stream:
        number = 0
        while True:
            scan = chess.pgn.read_game(stream, Visitor=_Scan)
            if scan is None:
                return
            number += 1
            yield _scanned(scan, f"{path.name}#{number}")


def _scanned(scan: _Scan, place: str) -> ScannedGame | RefusedGame:
    headers = scan.headers
    site = headers.get("Site", "").rstrip("/").rsplit("/", 1)
    source = site[1] if len(site) == 2 and site[1] else place
    variant = headers.get("Variant", "Standard")
    if variant.lower() not in ("standard", "chess", "from position"):
        return RefusedGame(source, "variant", f"Variant {variant!r}")
    start = headers.get("FEN", chess.STARTING_FEN)
    if start.split()[:4] != chess.STARTING_FEN.split()[:4]:
        return RefusedGame(source, "custom_start", f"FEN {start!r}")
    if scan.error:
        return RefusedGame(source, "broken_header", scan.error)
    if not scan.moves:
        return RefusedGame(source, "no_moves", f"result {headers.get('Result', '*')!r}")
    if null := NULL_MOVES.intersection(scan.moves):
        return RefusedGame(source, "illegal_move", f"null move {min(null)!r}")
    return ScannedGame(tuple(scan.moves), source, scan.has_result)

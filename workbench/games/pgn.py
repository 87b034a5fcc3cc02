"""Games of PGN files in two steps: a fast scan of the movetext, and a legality check on request."""

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO, TypeAlias

import chess

from workbench.environments.chess.classification import chess960_headers
from workbench.environments.chess.replay import play_moves, uci_moves
from workbench.errors import GameFileError, IllegalMoveError, OtherVariantError
from workbench.games.streams import ByteStream, open_bytes, pgn_text
from workbench.tables.provenance import text_hash

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
GAME_PLIES: Final = 20_000
"""Half-moves of one game at most; the 75-move rule ends every game before its 17,698th."""

# Longer text takes more memory as a whole than token by token; 20,000 plies fit.
_PLAIN_CHARACTERS: Final = 1 << 19

_SAN = r"(?:[NBKRQ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqNBRQ])?|[O0]-[O0](?:-[O0])?)"
_RESULT = r"(?:1-0|0-1|1/2-1/2|\*)"
_NUMBER = re.compile(r"(?<!\d)(\d+)\.(?!\.)")
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)")
_NUMBERS_AND_MARKS = re.compile(r"(?<!\d)\d+\.+|\$\d+|[+#!?]+")
_PLAIN = re.compile(rf"({_SAN}(?: {_SAN})*+)(?: ({_RESULT}))?")
_TOKEN = re.compile(
    rf"""
    (?P<comment> \{{[^}}]*(?:\}}|\Z) | ;[^\n]* | ^%[^\n]* )
    |(?P<open> \( ) |(?P<close> \) )
    |(?P<mark> \$\d+ | [!?+\#]+ | e\.p\. )
    |(?P<result> {_RESULT} )(?![^\s(){{}};$])
    |(?P<null> --|Z0|0000|@@@@ )(?![^\s(){{}};$!?+\#])
    |(?P<move> {_SAN} )(?![^\s(){{}};$!?+\#*e])
    |(?P<number> \d+ )(?![\w/-])
    |(?P<dots> [.…]+ )
    |(?P<judgement> [-+=/±∓⩲⩱∞]+ )(?!\w)
    |(?P<unknown> [^\s(){{}};]+|\S )
    """,
    re.VERBOSE | re.MULTILINE,
)
_FIRST_NUMBERS: Final = [str(number) for number in range(1, 1001)]


@dataclass(frozen=True, slots=True)
class Line:
    """The main line of one game in SAN, not played; ``reason`` and ``detail`` say why not to use it."""

    moves: str
    plies: int
    has_result: bool
    reason: str = ""
    detail: str = ""


def lines_of(movetext: str) -> Iterator[Line]:
    """Yield the main line of every game in a movetext: one, unless there are results in between.

    Comments, variations, NAGs and marks are left out. What stands behind a comment or a variation
    that does not end belongs to it, so that such a game has no result.
    """
    text = _COMMENT.sub(" ", movetext) if "{" in movetext else movetext
    is_plain = not (";" in movetext or "(" in text or "%" in text)
    if is_plain and len(text) <= _PLAIN_CHARACTERS:
        plain = _PLAIN.fullmatch(" ".join(_NUMBERS_AND_MARKS.sub(" ", text).split()))
        if plain:
            moves = plain[1].replace("0-0", "O-O").replace("O-0", "O-O")
            plies = moves.count(" ") + 1
            numbers = _NUMBER.findall(text)
            numbered = not numbers or numbers == _FIRST_NUMBERS[: (plies + 1) // 2]
            if numbered and plies <= GAME_PLIES:
                yield Line(moves, plies, plain[2] is not None)
                return
    yield from _token_by_token(movetext)


def leaves_comment_open(line: str, is_open: bool) -> bool:
    """Return whether a comment in braces continues after a line of text."""
    if is_open:
        _, brace, line = line.partition("}")
        if not brace:
            return True
    elif line.startswith("%"):
        return False
    if ";" not in line:
        return line.rfind("{") > line.rfind("}")
    comments = (token["comment"] or "" for token in _TOKEN.finditer(line))
    return any(text.startswith("{") and not text.endswith("}") for text in comments)


def _token_by_token(movetext: str) -> Iterator[Line]:
    moves: list[str] = []
    fault = ("", "")
    depth = 0
    number = ""
    for token in _TOKEN.finditer(movetext):
        kind, text = token.lastgroup, token.group()
        if kind == "open":
            depth += 1
        elif kind == "close" and depth:
            depth -= 1
        elif depth or kind in ("comment", "mark", "dots", "judgement"):
            continue
        elif kind == "number":
            number = text
        elif kind == "result":
            yield Line(" ".join(moves), len(moves), True, *fault)
            moves, fault, number = [], ("", ""), ""
        elif len(moves) == GAME_PLIES:
            fault = fault if fault[0] else ("too_long", f"more than {GAME_PLIES:,} half-moves")
        else:
            fault = fault if fault[0] else _fault(str(kind), text, number, len(moves))
            moves.append(text.replace("0-0", "O-O").replace("O-0", "O-O"))
            number = ""
    if moves:
        yield Line(" ".join(moves), len(moves), False, *fault)


def _fault(kind: str, text: str, number: str, plies: int) -> tuple[str, str]:
    expected = plies // 2 + 1
    if kind == "null":
        return "illegal_move", f"null move {text!r} at move {expected}"
    if kind != "move":
        return "unreadable_moves", f"expected a move, got {text[:40]!r} at move {expected}"
    if number and number.lstrip("0") != str(expected):
        detail = f"expected move number {expected} before {text!r}, got {number[:40]}"
        return "misnumbered_moves", detail
    return "", ""


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
"""Takes a game's headers as text, and returns why to leave it out: reason and detail, or empty."""


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


AnyGame: TypeAlias = Game | ScannedGame | RefusedGame


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

    Raises:
        GameFileError: If the file cannot be read, or breaks off; games before that were yielded.
    """
    with open_bytes(path) as stream:
        yield from scan_stream(stream, path.name, str(path))


def scan_stream(
    stream: ByteStream, name: str, where: str, refuse: Refusal | None = None
) -> Iterator[ScannedGame | RefusedGame]:
    """Yield the games of a PGN file that is open, as `scan_games` does."""
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
    """Yield the games of pairs of headers and movetext."""
    index = 0
    for headers, movetext in texts:
        reason, detail = "", ""
        if len(headers) + len(movetext) > GAME_CHARACTERS:
            reason, detail = "too_long", f"more than {GAME_CHARACTERS:,} characters"
        elif refuse:
            reason, detail = refuse(headers)
        start_fault = (reason, detail) if reason else _start_fault(headers)
        if reason:
            lines = [Line("", 0, True)]
        else:
            lines = list(lines_of(movetext)) or [Line("", 0, False)] * bool(headers)
        site = _site(headers)
        for line in lines:
            index += 1
            source = site or f"{name}#{index}"
            reason, detail = start_fault if start_fault[0] else (line.reason, line.detail)
            if not reason and not line.plies:
                reason, detail = "no_moves", f"headers {headers[:80]!r} and no move"
            if reason:
                yield RefusedGame(index, source, reason, detail, line.has_result)
            else:
                yield ScannedGame(index, line.moves, line.plies, source, line.has_result)
            # Moves behind a result are a game that has no headers of its own.
            site = ""


def split_games(stream: TextIO) -> Iterator[tuple[str, str]]:
    """Yield the headers and the movetext of one game of a PGN file after another.

    Of a game of more than `GAME_CHARACTERS` no more is held than shows that it is too long.
    """
    headers: list[str] = []
    body: list[str] = []
    last = ""
    size = 0
    in_comment = after_blank = inside_line = False
    # Line by line, and a line without an end in pieces.
    while line := stream.readline(GAME_CHARACTERS):
        begins, inside_line = not inside_line, not line.endswith("\n")
        # A comment that never ends must not swallow the games behind it.
        is_event = begins and line.startswith("[Event ")
        if begins and line.startswith("[") and (not in_comment or is_event):
            if body or (headers and after_blank and is_event):
                yield "".join(headers), "".join(body)
                headers, body, size, in_comment = [], [], 0, False
            if size <= GAME_CHARACTERS:
                headers.append(line)
        elif line.isspace():
            if not begins:
                continue
            ended = body and not in_comment and not after_blank
            if ended and last.rstrip().endswith(RESULTS):
                yield "".join(headers), "".join(body)
                headers, body, size = [], [], 0
            after_blank = True
            continue
        else:
            anew = after_blank and body and not in_comment and line.startswith("1.")
            if anew and not line.startswith("1.."):
                yield "".join(headers), "".join(body)
                headers, body, size = [], [], 0
            if in_comment or "{" in line:
                in_comment = leaves_comment_open(line, in_comment)
            if size <= GAME_CHARACTERS:
                body.append(line)
            last = line
        size += len(line)
        after_blank = False
    if body and size <= GAME_CHARACTERS and not last.endswith(("\n", "}", ")", *RESULTS)):
        body[-1] = last.removesuffix(last.split()[-1])
    if headers or body:
        yield "".join(headers), "".join(body)


def _site(headers: str) -> str:
    """Return the last part of the address in the Site header; empty if it holds none."""
    written = _SITE.search(headers)
    _, scheme, address = (written[1] if written else "").partition("://")
    _, slash, part = address.removesuffix("/").rpartition("/")
    return part if scheme and slash and len(part) <= _SITE_CHARACTERS else ""


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


_EXCERPT = 100


def moves_of_movetext(movetext: str) -> tuple[str, ...] | None:
    """Return the moves of the main line of PGN movetext in UCI."""
    # Half a word may end a file of games; a text is whole.
    texts = list(split_games(io.StringIO(f"{movetext}\n")))
    for headers, _ in texts:
        if reason := chess960_headers(tags_of(headers)):
            raise OtherVariantError(reason)
    games = list(scan_texts(texts, "movetext"))
    if len(games) != 1:
        raise IllegalMoveError(f"expected one game, got {len(games)}: {movetext!r:.60}")
    game = games[0].replay() if hasattr(games[0], "replay") else games[0]
    if isinstance(game, Game):
        return game.moves
    if game.reason == "custom_start":
        return None
    if game.reason == "no_moves" and game.has_result:
        return ()
    raise IllegalMoveError(
        "expected legal moves from the initial position, got "
        f"{game.reason.replace('_', ' ')}: {game.detail:.{_EXCERPT}}"
    )

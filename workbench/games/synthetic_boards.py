"""Synthetic boards and games: random games, random boards, boards with a missing piece or an error."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import count
from types import MappingProxyType
from typing import Final, Literal, get_args

import chess
import numpy as np

from workbench.environments.chess.replay import play_moves
from workbench.environments.chess.state import levenshtein
from workbench.errors import InvalidArgumentError
from workbench.games.pgn import Game
from workbench.seeds import derived_seed


def played_board(moves: Iterable[str]) -> str:
    """Return the full FEN after moves in UCI from the initial position."""
    return play_moves(moves).fen()


# Several readings compare other boards with the same ones.
@lru_cache(maxsize=1 << 16)
def random_board(plies: int, seed: int) -> str:
    """Return the full FEN after ``plies`` legal moves, each drawn uniformly.

    A game that finishes earlier is drawn again, so that every board has its moves.
    """
    for attempt in count():
        generator = np.random.default_rng(derived_seed(seed, "random board", attempt))
        board = chess.Board()
        for _ in range(plies):
            moves = list(board.generate_legal_moves())
            if not moves:
                break
            board.push(moves[int(generator.integers(len(moves)))])
        else:
            return board.fen()
    raise AssertionError("unreachable: the loop above has no end")


Pieces = Literal["initial", "own"]
Side = Literal["drawn", "white", "same"]

_EMPTY: Final = re.compile("1+")
_INITIAL: Final = tuple(sorted(piece.symbol() for piece in chess.Board().piece_map().values()))


def scattered_board(
    fen: str, seed: int, *, pieces: Pieces = "initial", side: Side = "drawn"
) -> str:
    """Return the full FEN of a board whose pieces stand on random squares, all different.

    Nothing else is asked of the board: pawns may stand on the first and last rank, kings side by
    side, and either king in check. There are no castling rights and no en-passant square.
    """
    generator = np.random.default_rng(derived_seed(seed, "scattered board"))
    placement, turn = fen.split()[:2]
    symbols = _INITIAL if pieces == "initial" else sorted(filter(str.isalpha, placement))
    turn = {"drawn": "bw"[generator.integers(2)], "white": "w", "same": turn}[side]
    board = ["1"] * 64
    for symbol, square in zip(symbols, generator.permutation(64).tolist(), strict=False):
        board[square] = symbol
    ranks = "/".join("".join(board[first : first + 8]) for first in range(56, -1, -8))
    return f"{_EMPTY.sub(lambda run: str(len(run[0])), ranks)} {turn} - - 0 1"


def boards_at_distance(
    distance: int, plies: int, seed: int, attempts: int = 100_000
) -> tuple[str, str]:
    """Return two random boards whose full FENs are ``distance`` edits apart."""
    for attempt in range(attempts):
        one, other = (random_board(plies, derived_seed(seed, side, attempt)) for side in "ST")
        if levenshtein(one, other) == distance:
            return one, other
    raise InvalidArgumentError(
        f"expected two boards {distance!r} edits apart after {plies!r} random plies, found none "
        f"among {attempts!r} pairs; ask for another distance or number of plies"
    )


Owner = Literal["side to move", "other side"]

PIECE_NAMES: Final = tuple(chess.piece_name(kind) for kind in chess.PIECE_TYPES)
"""From the pawn to the king."""


def boards_without(true_state: str, seed: int) -> list[tuple[str, Owner, str]]:
    """Return the FENs with one piece less, one for each kind of piece and owner that is there.

    Castling rights and the en-passant square stay as they are written: a character is lost, no
    more. Where a side has several pieces of a kind, one is drawn.
    """
    board = chess.Board(true_state)
    fields = true_state.split()
    boards: list[tuple[str, Owner, str]] = []
    for kind in chess.PIECE_TYPES:
        for owner in get_args(Owner):
            colour = board.turn if owner == "side to move" else not board.turn
            squares = list(board.pieces(kind, colour))
            if not squares:
                continue
            generator = np.random.default_rng(derived_seed(seed, true_state, kind, owner))
            bare = chess.BaseBoard(fields[0])
            bare.remove_piece_at(squares[int(generator.integers(len(squares)))])
            boards.append(
                (chess.piece_name(kind), owner, " ".join([bare.board_fen(), *fields[1:]]))
            )
    return boards


def one_piece_less(fen: str, seed: int) -> str:
    """Return the full FEN without one piece, drawn uniformly among those that are no kings."""
    placement, *others = fen.split()
    board = chess.BaseBoard(placement)
    squares = [
        square for square, piece in board.piece_map().items() if piece.piece_type != chess.KING
    ]
    if squares:
        generator = np.random.default_rng(derived_seed(seed, "one piece less", fen))
        board.remove_piece_at(sorted(squares)[int(generator.integers(len(squares)))])
    return " ".join([board.board_fen(), *others])


def piece_count(fen: str) -> int:
    """Return how many pieces stand on the board of a FEN."""
    return len(chess.Board(fen).piece_map())


def is_check(fen: str) -> bool:
    """Return whether the side to move is in check on the board of a FEN."""
    return chess.Board(fen).is_check()


def with_random_losses(fen: str, *, rate: float, seed: int) -> str:
    """Return a position from which each piece but a king is missing with a probability."""
    board = chess.Board(fen)
    missing = np.random.default_rng(seed).random(len(chess.SQUARES)) < rate
    for square in chess.SquareSet(board.occupied & ~board.kings):
        if missing[square]:
            board.remove_piece_at(square)
    return board.fen()


Change = Callable[[chess.Board, np.random.Generator], str]
"""Changes a board and describes the change, or raises `_NoPieceError`."""


class _NoPieceError(Exception):
    """A side has no piece besides its king."""


def changed_board(
    fen: str, change: Change, generator: np.random.Generator
) -> tuple[str, str] | None:
    """Return what a change did to a board, in words, and the full FEN after it."""
    board = chess.Board(fen)
    try:
        description = change(board, generator)
    except _NoPieceError:
        return None
    return (description, board.fen()) if board.is_valid() else None


def near_board(fen: str, seed: int) -> str:
    """Return the board with one piece, not a king, written on an empty square instead of its own.

    Of all such changes that leave a valid board one is drawn uniformly.
    """
    before = chess.Board(fen)
    origins = [s for s, piece in before.piece_map().items() if piece.piece_type != chess.KING]
    targets = [square for square in chess.SQUARES if before.piece_at(square) is None]
    choices = [(origin, target) for origin in sorted(origins) for target in targets]
    for place in np.random.default_rng(seed).permutation(len(choices)):
        origin, target = choices[place]
        after = before.copy(stack=False)
        after.set_piece_at(target, after.remove_piece_at(origin))
        if after.is_valid():
            return after.fen()
    raise InvalidArgumentError(
        f"expected a board with a piece that can move elsewhere, got {fen!r}; take another board"
    )


def _random_piece(
    board: chess.Board, generator: np.random.Generator, colour: chess.Color
) -> tuple[chess.Square, chess.Piece]:
    squares = sorted(chess.SquareSet(board.occupied_co[colour] & ~board.kings))
    if not squares:
        raise _NoPieceError
    square = squares[int(generator.integers(len(squares)))]
    return square, board.piece_map()[square]


def _empty(board: chess.Board, generator: np.random.Generator) -> chess.Square:
    # Ranks 1 and 8 hold no pawns: what is set down stays on the ranks between.
    squares = [s for s in range(chess.A2, chess.A8) if board.piece_at(s) is None]
    return squares[int(generator.integers(len(squares)))]


def _piece_text(square: chess.Square, piece: chess.Piece) -> str:
    side = chess.COLOR_NAMES[piece.color].capitalize()
    return f"{side}'s {chess.piece_name(piece.piece_type)} {chess.square_name(square)}"


def _removal(own: bool, board: chess.Board, generator: np.random.Generator) -> str:
    square, piece = _random_piece(board, generator, board.turn == own)
    board.remove_piece_at(square)
    return f"{_piece_text(square, piece)} removed"


def _displacement(own: bool, board: chess.Board, generator: np.random.Generator) -> str:
    square, piece = _random_piece(board, generator, board.turn == own)
    target = _empty(board, generator)
    board.set_piece_at(target, board.remove_piece_at(square))
    return f"{_piece_text(square, piece)} on {chess.square_name(target)}"


def _recolouring(board: chess.Board, generator: np.random.Generator) -> str:
    square, piece = _random_piece(board, generator, bool(generator.integers(2)))
    board.set_piece_at(square, chess.Piece(piece.piece_type, not piece.color))
    return f"{_piece_text(square, piece)} in the other colour"


def _addition(board: chess.Board, generator: np.random.Generator) -> str:
    square = _empty(board, generator)
    kind = chess.PIECE_TYPES[int(generator.integers(5))]
    piece = chess.Piece(kind, bool(generator.integers(2)))
    board.set_piece_at(square, piece)
    return f"{_piece_text(square, piece)} added"


def _other_kind(board: chess.Board, generator: np.random.Generator) -> str:
    square, piece = _random_piece(board, generator, bool(generator.integers(2)))
    kinds = [kind for kind in chess.PIECE_TYPES[:5] if kind != piece.piece_type]
    kind = kinds[int(generator.integers(len(kinds)))]
    board.set_piece_at(square, chess.Piece(kind, piece.color))
    return f"{_piece_text(square, piece)} as a {chess.piece_name(kind)}"


def _exchange(board: chess.Board, generator: np.random.Generator) -> str:
    one, other = (_random_piece(board, generator, colour) for colour in chess.COLORS)
    board.set_piece_at(one[0], other[1])
    board.set_piece_at(other[0], one[1])
    return f"{_piece_text(*one)} and {_piece_text(*other)} exchanged"


CHANGES: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "piece of the side to move removed": partial(_removal, True),
        "piece of the other side removed": partial(_removal, False),
        "piece of the side to move displaced": partial(_displacement, True),
        "piece of the other side displaced": partial(_displacement, False),
        "piece recoloured": _recolouring,
        "piece added": _addition,
        "piece of another kind": _other_kind,
        "two pieces exchanged": _exchange,
    }
)
"""The eight errors of near boards; each changes a board and describes the change."""


def random_games(number: int, plies: int, seed: int) -> Iterator[Game]:
    """Yield games of random legal moves, each independent of the others.

    A game that is finished (no legal move) before it has ``plies`` moves is left out, and the next
    one is drawn; its number in ``source`` is therefore missing.

    Args:
        number: Games to yield, at least 0.
        plies: Half-moves of each, at least 1.
        seed: At least 0; game k depends on the seed and k alone.

    Raises:
        InvalidArgumentError: If a number is out of range.
    """
    if number < 0 or plies < 1 or seed < 0:
        raise InvalidArgumentError(
            f"expected number >= 0, plies >= 1 and seed >= 0, got {number!r}, {plies!r}, {seed!r}"
        )
    yielded = 0
    for index in count():
        if yielded == number:
            return
        moves = _play(plies, derived_seed(seed, "random game", index))
        if len(moves) == plies:
            yielded += 1
            yield Game(tuple(moves), f"random-legal-moves#{index}")


def _play(plies: int, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    draws = generator.random(plies)
    board = chess.Board()
    moves: list[str] = []
    for draw in draws:
        legal = list(board.generate_legal_moves())
        if not legal:
            break
        move = legal[int(draw * len(legal))]
        moves.append(move.uci())
        board.push(move)
    return moves

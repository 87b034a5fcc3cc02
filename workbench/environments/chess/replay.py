"""Moves read from UCI or SAN and played on a board, and the rules by which moves act on a mistaken board."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from workbench.errors import IllegalMoveError

Board: TypeAlias = bytearray | npt.NDArray[np.uint8]

# A piece is the code of its letter in a FEN, so that bit 5 is Black's colour; 0 is an empty square.
BLACK: Final = 32
PAWN, ROOK, KING = (ord(letter) for letter in "PRK")
NO_SQUARE: Final = -1
_PROMOTED: Final = (0, *(ord(chess.piece_symbol(kind).upper()) for kind in chess.PIECE_TYPES))
_DIGITS: Final = str.maketrans({str(number): "\0" * number for number in range(1, 9)} | {"~": ""})


class SlipKind(StrEnum):
    """A way to lose track of a move.

    ``captured_piece_stays``: the taken piece stays; the taker goes to a free square beside it on
    the same rank, or stays too if there is none. En passant, only the taken pawn stays.
    ``piece_left_behind``: the move is forgotten; the pieces stay where they were.
    ``piece_off_by_one``: the piece lands on a free square beside its target on the same rank; what
    stood on the target is taken. Possible only where there is such a square.
    ``castling_forgotten``: the move is made, and its side's remaining castling rights are lost.
    ``side_forgotten``: the move is made, but the side to move is not changed. Possible at the last
    move only.
    """

    CAPTURED_PIECE_STAYS = "captured_piece_stays"
    PIECE_LEFT_BEHIND = "piece_left_behind"
    PIECE_OFF_BY_ONE = "piece_off_by_one"
    CASTLING_FORGOTTEN = "castling_forgotten"
    SIDE_FORGOTTEN = "side_forgotten"


def pieces_of(placement: str) -> bytes:
    """Return the pieces of a placement that python-chess reads."""
    ranks = placement.translate(_DIGITS).split("/")
    return "".join(reversed(ranks)).encode("ascii")


START: Final = pieces_of(chess.STARTING_BOARD_FEN)


def takes_en_passant(board: Board, origin: int, target: int, passed: int) -> bool:
    """Return whether a move takes en passant."""
    if target != passed or target % 8 == origin % 8 or board[target] != 0:
        return False
    behind = origin // 8 * 8 + target % 8
    return bool(board[origin] & ~BLACK == PAWN and board[behind] & ~BLACK == PAWN)


def captured_square(board: Board, origin: int, target: int, passed: int) -> int:
    """Return the square of what a move takes, or NO_SQUARE; arguments as of `takes_en_passant`."""
    if board[target] != 0:
        return target
    if takes_en_passant(board, origin, target, passed):
        return origin // 8 * 8 + target % 8
    return NO_SQUARE


def square_beside(board: Board, origin: int, target: int) -> int:
    """Return a free square beside a move's target on its rank, the left one first, or NO_SQUARE.

    A square to which castling brings the rook is not free.
    """
    castles = abs(target % 8 - origin % 8) == 2 and board[origin] & ~BLACK == KING
    rook = (origin + target) // 2 if castles else NO_SQUARE
    if target % 8 > 0 and board[target - 1] == 0 and target - 1 != rook:
        return target - 1
    if target % 8 < 7 and board[target + 1] == 0 and target + 1 != rook:
        return target + 1
    return NO_SQUARE


def landing_beside(board: Board, origin: int, target: int) -> int:
    """Return where a piece goes that does not remove what it takes; NO_SQUARE if it stays."""
    return square_beside(board, origin, target) if board[target] != 0 else target


def carry_out(
    board: Board, origin: int, target: int, promotion: int, passed: int, landing: int, takes: bool
) -> int:
    """Carry a move out."""
    piece = int(board[origin])
    if piece == 0:
        return NO_SQUARE
    if takes:
        if takes_en_passant(board, origin, target, passed):
            board[origin // 8 * 8 + target % 8] = 0
        board[target] = 0
    kind, colour = piece & ~BLACK, piece & BLACK
    if kind == KING and abs(target % 8 - origin % 8) == 2:
        corner = origin // 8 * 8 + (7 if target > origin else 0)
        if board[corner] == ROOK | colour:
            board[corner] = 0
            board[(origin + target) // 2] = ROOK | colour
    board[origin] = 0
    if kind == PAWN and promotion != 0:
        board[landing] = _PROMOTED[promotion] | colour
        return NO_SQUARE
    board[landing] = piece
    return (origin + landing) // 2 if kind == PAWN and abs(landing - origin) == 16 else NO_SQUARE


def mistaken_boards(
    moves: npt.NDArray[np.uint16],
    boards: npt.NDArray[np.uint8],
    plies: npt.NDArray[np.int64],
    stays: npt.NDArray[np.uint8],
) -> int:
    """Write the true board at the end of a game, and the board of each mistaken replay.

    They are ordered by ply, and a move left out stands behind a capture not removed. A capture that
    leaves the taker no square is none.

    Args:
        moves: From square, to square times 64, promotion times 4096.
        boards: Overwritten but for the first, which holds the first board; shape (n, 64), with n
            enough for all.
        plies: Overwritten: the ply of each mistake, from 1, shape (n,).
        stays: Overwritten: whether the mistake is a capture not removed, shape (n,).
    """
    passed = np.full(len(boards), NO_SQUARE)
    count = 1
    for ply, code in enumerate(moves):
        origin, target, promotion = int(code) & 63, int(code) >> 6 & 63, int(code) >> 12
        true, before = boards[0], count
        if true[origin] != 0 and captured_square(true, origin, target, passed[0]) != NO_SQUARE:
            landing = landing_beside(true, origin, target)
            if landing != NO_SQUARE:
                boards[count] = true
                carry_out(boards[count], origin, target, promotion, passed[0], landing, False)
                plies[count], stays[count] = ply + 1, 1
                count += 1
        boards[count] = true
        plies[count], stays[count] = ply + 1, 0
        count += 1
        for row in range(before):
            passed[row] = carry_out(
                boards[row], origin, target, promotion, passed[row], target, True
            )
    return count


Notation = Literal["UCI", "SAN"]

NOTATIONS: Final[tuple[Notation, ...]] = ("UCI", "SAN")
UCI: Final = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
SAN: Final = re.compile(
    r"(?:O-O(?:-O)?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h](?:x[a-h])?[1-8](?:=?[QRBN])?)[+#]?[!?]{0,2}"
)
MOVE: Final = re.compile(f"{UCI.pattern}|{SAN.pattern}")
"""The form of a move in one of the notations, legal or not."""

_QUOTE: Final = 40


# There are some 2,000 moves, of which a game has a hundred; nobody changes one.
@lru_cache(maxsize=1 << 12)
def _move_of_uci(text: str) -> chess.Move:
    move = chess.Move.from_uci(text)
    if not move or move.drop:
        raise chess.InvalidMoveError(text)
    return move


def read_moves(texts: Iterable[str], game: str = "") -> list[chess.Move]:
    """Read moves without playing them, so that none need be legal."""
    moves = []
    for ply, text in enumerate(texts, start=1):
        try:
            moves.append(_move_of_uci(text))
        except ValueError as error:
            raise IllegalMoveError(
                f"{_place(game, ply)}: expected a UCI move, got {text!r:.{_QUOTE}}"
            ) from error
    return moves


def play_moves(texts: Iterable[str], notation: Notation = "UCI", game: str = "") -> chess.Board:
    """Play moves from the initial position."""
    board = chess.Board()
    parse = board.parse_uci if notation == "UCI" else board.parse_san
    for ply, text in enumerate(texts, start=1):
        try:
            move = parse(text)
            if not move:
                raise chess.IllegalMoveError("null move")
        except ValueError as error:
            # python-chess's message ends with the text and the FEN.
            reason = str(error).partition(":")[0]
            raise IllegalMoveError(
                f"{_place(game, ply)}: expected a legal move in {notation}, got "
                f"{text!r:.{_QUOTE}} ({reason}), FEN {board.fen()!r}"
            ) from error
        board.push(move)
    return board


def uci_moves(board: chess.Board) -> tuple[str, ...]:
    """Return the moves on a board's stack in UCI."""
    return tuple([move.uci() for move in board.move_stack])


def numbered_san(moves: Iterable[chess.Move], board: chess.Board) -> list[str]:
    """Play moves on a board, and return them in SAN with PGN's move numbers."""
    words: list[str] = []
    for move in moves:
        san = board.san_and_push(move)
        if not board.turn:
            words.append(f"{board.fullmove_number}. {san}")
        else:
            words.append(san if words else f"{board.fullmove_number - 1}... {san}")
    return words


def _place(game: str, ply: int) -> str:
    return f"{game}, ply {ply}" if game else f"ply {ply}"

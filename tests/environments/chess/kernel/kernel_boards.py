"""Boards to try the compiled kernel on: positions of random games, and boards that cannot arise."""

import random
from collections.abc import Callable, Iterator

import chess

PIECES = "PNBRQKpnbrqk"
Squares = list[str]


def fen_of(squares: Squares, turn: str, castling: str, passant: str) -> str:
    ranks = []
    for rank in range(7, -1, -1):
        text, empty = "", 0
        for symbol in squares[8 * rank : 8 * rank + 8]:
            if symbol:
                text += (str(empty) if empty else "") + symbol
                empty = 0
            else:
                empty += 1
        ranks.append(text + (str(empty) if empty else ""))
    return f"{'/'.join(ranks)} {turn} {castling} {passant} 0 1"


def squares_of(board: chess.Board) -> Squares:
    return [p.symbol() if (p := board.piece_at(square)) else "" for square in chess.SQUARES]


def random_castling(rng: random.Random) -> str:
    letters = "KQABCDEFGH" if rng.random() < 0.2 else "KQ"
    white = "".join(rng.choices(letters, k=rng.randint(0, 2)))
    black = "".join(rng.choices(letters.lower(), k=rng.randint(0, 2)))
    return (white + black) or "-"


def scattered(rng: random.Random) -> str:
    """Any piece anywhere."""
    squares = [""] * 64
    weights = [rng.choice((0, 1, 1, 3)) for _ in PIECES]
    if not any(weights):
        weights[0] = 1
    for square in rng.sample(range(64), rng.choice((1, 3, 6, 12, 20, 32, 48, 64))):
        squares[square] = rng.choices(PIECES, weights)[0]
        if squares[square] not in "Kk" and rng.random() < 0.02:
            squares[square] += "~"
    passant = rng.choice(chess.SQUARE_NAMES) if rng.random() < 0.5 else "-"
    return fen_of(squares, rng.choice("wb"), random_castling(rng), passant)


def castling_back_ranks(rng: random.Random) -> str:
    """Kings and rooks at home, often with a king too many, and little between them."""
    squares = [""] * 64
    for king, rook, home in (("K", "R", 0), ("k", "r", 56)):
        if rng.random() < 0.9:
            squares[home + 4] = king
        for corner in (0, 7):
            if rng.random() < 0.8:
                squares[home + corner] = rook if rng.random() < 0.9 else rng.choice(PIECES)
        for _ in range(rng.choice((0, 0, 1, 2))):
            squares[home + rng.randrange(8)] = rng.choice((king, rook, rook + "~"))
    for _ in range(rng.choice((0, 1, 2, 5, 12))):
        square = rng.randrange(64)
        squares[square] = squares[square] or rng.choice("PNBRQpnbrqKk")
    return fen_of(squares, rng.choice("wb"), rng.choice(("KQkq", random_castling(rng))), "-")


def passant_squares(rng: random.Random) -> str:
    """A pawn, or something else, that seems to have gone two squares beside pawns that may take."""
    turn = rng.choice("wb")
    rank, pawn, enemy = (5, "P", "p") if turn == "w" else (2, "p", "P")
    back = -8 if turn == "w" else 8
    squares = [""] * 64
    for _ in range(rng.choice((1, 3, 6, 15))):
        squares[rng.randrange(64)] = rng.choice(PIECES)
    file = rng.randrange(8)
    target = 8 * rank + file
    squares[target] = "" if rng.random() < 0.9 else rng.choice(PIECES)
    squares[target + back] = enemy if rng.random() < 0.7 else rng.choice([*PIECES, ""])
    for beside in (file - 1, file + 1):
        if 0 <= beside < 8 and rng.random() < 0.7:
            squares[8 * rank + back + beside] = pawn
    if rng.random() < 0.7:
        king = "K" if turn == "w" else "k"
        rank_or_file = target + back - file + rng.randrange(8), 8 * rng.randrange(8) + file
        home = rng.choice((*rank_or_file, rng.randrange(64)))
        attacker = rng.choice((home % 8 + 8 * rng.randrange(8), home // 8 * 8 + rng.randrange(8)))
        if rng.random() < 0.5 and attacker != target:
            squares[attacker] = "rq"[rng.randrange(2)] if turn == "w" else "RQ"[rng.randrange(2)]
        if home != target:
            squares[home] = king
    passant = chess.square_name(target)
    if rng.random() < 0.1:
        passant = rng.choice(chess.SQUARE_NAMES)
    return fen_of(squares, turn, random_castling(rng), passant)


def played(rng: random.Random, plies: int | None = None) -> chess.Board:
    """A position of a random legal game."""
    board = chess.Board()
    for _ in range(rng.randint(0, 120) if plies is None else plies):
        moves = list(board.generate_legal_moves())
        if not moves:
            break
        captures = [move for move in moves if board.is_capture(move) or move.promotion]
        board.push(rng.choice(captures if captures and rng.random() < 0.15 else moves))
    return board


def edited(rng: random.Random) -> str:
    """A position of a random game, with a few things wrong."""
    board = played(rng)
    return change_fen(rng, board, rng.choice((0, 1, 1, 2, 4, 8)))


def change_fen(rng: random.Random, board: chess.Board, changes: int) -> str:
    squares = squares_of(board)
    turn = "w" if board.turn else "b"
    castling = board.castling_xfen()
    passant = chess.square_name(board.ep_square) if board.ep_square is not None else "-"
    for _ in range(changes):
        filled = [square for square in range(64) if squares[square]]
        change = rng.randrange(8)
        if change == 0 and filled:
            squares[rng.choice(filled)] = ""
        elif change == 1:
            squares[rng.randrange(64)] = rng.choice(PIECES)
        elif change == 2 and filled:
            square = rng.choice(filled)
            piece, squares[square] = squares[square], ""
            squares[rng.randrange(64)] = piece
        elif change == 3 and filled:
            square = rng.choice(filled)
            squares[square] = squares[square].swapcase()
        elif change == 4:
            turn = "b" if turn == "w" else "w"
        elif change == 5:
            castling = random_castling(rng)
        elif change == 6:
            passant = rng.choice(chess.SQUARE_NAMES)
        elif change == 7 and filled:
            # One kind of piece for another of the same side; by preference a pawn comes or goes.
            square = rng.choice(filled)
            kind = "p" if squares[square] not in "Pp" else rng.choice("nbrqk")
            squares[square] = kind.upper() if squares[square].isupper() else kind
    return fen_of(squares, turn, castling, passant)


KINDS: tuple[Callable[[random.Random], str], ...] = (
    scattered,
    castling_back_ranks,
    passant_squares,
    edited,
)


def boards(count: int, seed: int) -> Iterator[str]:
    """Yield FENs of all kinds in turn; the same seed gives the same."""
    rng = random.Random(seed)
    for index in range(count):
        yield KINDS[index % len(KINDS)](rng)

"""Which rule of chess an illegal move breaks."""

import re
from typing import Final

import chess

from workbench.environments.chess.replay import UCI

NO_MOVE: Final = "no move"
NO_PIECE: Final = "no such piece"
OTHER_SIDE: Final = "a piece of the other side"
OWN_PIECE: Final = "an own piece on the square"
GEOMETRY: Final = "not how the piece there moves"
PATH: Final = "path blocked"
PAWN: Final = "a pawn with nothing to capture, or blocked"
CASTLING: Final = "castling not possible"
PROMOTION: Final = "promotion missing, or where there is none"
CHECK: Final = "own king in check"
AMBIGUOUS: Final = "several pieces can"
RULES: Final = (
    NO_MOVE, NO_PIECE, OTHER_SIDE, GEOMETRY, PATH, PAWN, OWN_PIECE, CASTLING, PROMOTION, CHECK,
    AMBIGUOUS,
)  # fmt: skip
"""Every answer of `broken_rule`, the farthest from a legal move first."""

_SAN: Final = re.compile(
    r"(?P<piece>[NBRQK]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)x?(?P<to>[a-h][1-8])=?(?P<becomes>[NBRQ]?)"
)


def broken_rule(board: chess.Board, text: str | None) -> str:
    """Return the rule that a move breaks on a board, one of `RULES`.

    Of several pieces that SAN may mean, the one nearest to a legal move counts.

    Args:
        board: Where the move is illegal.
        text: In UCI, or in SAN without marks; None is no move.
    """
    if text is None:
        return NO_MOVE
    if text.startswith("O-O"):
        return CASTLING
    if UCI.fullmatch(text):
        start, to = (chess.parse_square(text[at : at + 2]) for at in (0, 2))
        becomes = chess.PIECE_SYMBOLS.index(text[4]) if text[4:] else None
        colour = board.color_at(start)
        if colour is None:
            return NO_PIECE
        return (
            OTHER_SIDE if colour != board.turn else _broken(board, chess.Move(start, to, becomes))
        )
    match = _SAN.fullmatch(text)
    if match is None:
        return NO_MOVE
    kind = chess.PIECE_SYMBOLS.index(match["piece"].lower() or "p")
    becomes = chess.PIECE_SYMBOLS.index(match["becomes"].lower()) if match["becomes"] else None
    to = chess.parse_square(match["to"])

    def moves(colour: chess.Color) -> list[chess.Move]:
        return [
            chess.Move(square, to, becomes)
            for square in board.pieces(kind, colour)
            if square != to
            and chess.square_name(square)[0] in (match["file"] or chess.FILE_NAMES)
            and chess.square_name(square)[1] in (match["rank"] or chess.RANK_NAMES)
        ]

    own = [_broken(board, move) for move in moves(board.turn)]
    other = board.copy(stack=False)
    other.turn = not board.turn
    if {AMBIGUOUS, CHECK}.isdisjoint(own) and any(map(other.is_pseudo_legal, moves(other.turn))):
        return OTHER_SIDE
    return max(own, key=RULES.index, default=NO_PIECE)


def _broken(board: chess.Board, move: chess.Move) -> str:
    """Return the rule that the move of a piece of the side to move breaks."""
    start, end = move.from_square, move.to_square
    squares = (chess.BB_SQUARES[start], chess.BB_SQUARES[end])
    # Generated moves: `is_legal` takes aliases of castling as well.
    if move in board.generate_legal_moves(*squares):
        return AMBIGUOUS
    generated = list(board.generate_pseudo_legal_moves(*squares))
    if move in generated:
        return CHECK
    if any(each.to_square == end for each in generated):
        return PROMOTION
    piece = board.piece_type_at(start)
    if piece == chess.KING and _is_castling(start, end):
        return CASTLING
    alone = chess.Board(None)
    alone.turn = board.turn
    alone.set_piece_at(start, board.piece_at(start))
    if piece == chess.PAWN and end not in alone.attacks(start):
        pushes = {move.to_square for move in alone.generate_pseudo_legal_moves()}
        return PAWN if end in pushes else GEOMETRY
    if end not in alone.attacks(start):
        return GEOMETRY
    if board.color_at(end) == board.turn:
        return OWN_PIECE
    return PAWN if piece == chess.PAWN else PATH


def _is_castling(start: chess.Square, end: chess.Square) -> bool:
    return start in (chess.E1, chess.E8) and end - start in (-2, 2)

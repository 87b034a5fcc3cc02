"""Positions of chess as values, on any board that ``chess.Board(fen)`` takes, well-formed or not.

A state is what legal moves depend on: pieces, side to move, castling rights, en-passant square.
The half-move clock, the move number, the fifty-move rule and repetition play no part.
"""

from dataclasses import dataclass
from typing import Self

import chess

from workbench.environments.chess.plain_fen import read_plain_fen
from workbench.errors import InvalidFenError
from workbench.long_texts import cut, quoted


@dataclass(frozen=True, slots=True)
class ChessState:
    """A chess position as immutable bitboards, equal and hashed by what legal moves depend on.

    Every mask has bit ``8 * rank + file`` for a square, a1 being bit 0, as in python-chess.
    ``promoted`` marks pieces written with ``~`` in the FEN; python-chess takes a promoted king for
    no king, so that it belongs to the state. ``en_passant`` is the square index or None, as
    written, whether or not a capture is legal there.
    """

    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    white: int
    black: int
    promoted: int
    white_to_move: bool
    castling_rights: int
    en_passant: int | None

    @classmethod
    def from_board(cls, board: chess.Board) -> Self:
        """Return the state of a python-chess board, which is not changed."""
        return cls(
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
            board.occupied_co[chess.WHITE],
            board.occupied_co[chess.BLACK],
            board.promoted,
            board.turn,
            board.castling_rights,
            board.ep_square,
        )

    @classmethod
    def from_fen(cls, fen: str) -> Self:
        """Return the state that a FEN describes.

        Args:
            fen: A FEN of one to six fields; python-chess fills in what is missing at the end.

        Raises:
            InvalidFenError: If python-chess cannot read it.
        """
        plain = read_plain_fen(fen)
        if plain is not None:
            return cls(*plain)
        try:
            return cls.from_board(chess.Board(fen))
        except ValueError as error:
            raise InvalidFenError(
                f"expected a FEN that python-chess reads, got {quoted(fen)}: {cut(str(error))}; "
                "correct the text, or classify it with workbench.environments.chess.classification"
            ) from error

    def board(self) -> chess.Board:
        """Return a new python-chess board of this position, with its clocks at 0 and 1."""
        board = chess.Board(None)
        board.pawns = self.pawns
        board.knights = self.knights
        board.bishops = self.bishops
        board.rooks = self.rooks
        board.queens = self.queens
        board.kings = self.kings
        board.occupied_co[chess.WHITE] = self.white
        board.occupied_co[chess.BLACK] = self.black
        board.occupied = self.white | self.black
        board.promoted = self.promoted
        board.turn = self.white_to_move
        board.castling_rights = self.castling_rights
        board.ep_square = self.en_passant
        return board

    def fen(self) -> str:
        """Return the first four FEN fields.

        The en-passant square is as stored here, promoted pieces have their ``~``, and
        castling rights without a king and a rook in place are left out, as python-chess does.
        """
        return " ".join(self.board().fen(en_passant="fen", promoted=True).split()[:4])

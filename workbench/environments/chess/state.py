"""Chess positions as values, the FENs that describe them, and the comparison of two FENs."""

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, Self, get_args

import chess
from rapidfuzz.distance import Levenshtein

from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.long_texts import cut, quoted
from workbench.prediction import StateText

_LONGEST: Final = 128
_ALL: Final = 2**64 - 1
_LANES: Final = "pnbrqk"
_RANK: Final = re.compile(r"(?:[1-8](?![1-8])|[pnbrqk])+", re.ASCII | re.IGNORECASE)
_CASTLING: Final = re.compile("-|[KQ]{0,2}[kq]{0,2}")
_CORNERS: Final = {"K": chess.H1, "Q": chess.A1, "k": chess.H8, "q": chess.A8}
_PASSANT: Final = {"-": None, **{name: square for square, name in enumerate(chess.SQUARE_NAMES)}}


def _plain_fields(fen: str) -> tuple[Any, ...] | None:
    """Return the fields of the `ChessState` of a FEN in the usual form, else None.

    They are those of ``chess.Board(fen)``, in a tenth of the time.
    """
    fields = fen.split()
    clocks = fields[4:]
    if len(fen) > _LONGEST or len(fields) not in (4, 6):
        return None
    if clocks and not (fen.isascii() and clocks[0].isdecimal() and clocks[1].isdecimal()):
        return None
    placement, side, castling, passant = fields[:4]
    ranks = placement.split("/")
    if len(ranks) != 8 or passant not in _PASSANT or side not in ("w", "b"):
        return None
    lanes = 0
    for rank in ranks:
        masks = _rank_masks(rank)
        if masks is None:
            return None
        lanes = lanes << 8 | masks
    pawns, knights, bishops, rooks, queens, kings = (
        lanes >> 64 * lane & _ALL for lane in range(len(_LANES))
    )
    white = lanes >> 64 * len(_LANES)
    black = (pawns | knights | bishops | rooks | queens | kings) ^ white
    rights = 0
    if castling != "-":
        if not _CASTLING.fullmatch(castling):
            return None
        for letter in castling:
            corner = 1 << _CORNERS[letter]
            # Else python-chess looks for another rook.
            if not corner & rooks & (white if letter < "a" else black):
                return None
            rights |= corner
    return (
        pawns, knights, bishops, rooks, queens, kings, white, black, 0,
        side == "w", rights, _PASSANT[passant],
    )  # fmt: skip


@lru_cache(maxsize=1 << 16)
def _rank_masks(rank: str) -> int | None:
    """Return the masks of a rank, 64 bits apart: the kinds of pieces, then White's pieces."""
    if not _RANK.fullmatch(rank):
        return None
    file = masks = 0
    for letter in rank:
        if letter.isdecimal():
            file += int(letter)
            continue
        masks |= 1 << 64 * _LANES.index(letter.lower()) + file
        masks |= letter.isupper() << 64 * len(_LANES) + file
        file += 1
    return masks if file == 8 else None


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
        plain = _plain_fields(fen)
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


class Fen(StateText[ChessState]):
    """A text that should be a FEN; it is parsed on first use.

    Attributes:
        text: As it was given; empty for no text.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, ChessState.from_fen)

    @cached_property
    def fields(self) -> list[str]:
        """What stands between the spaces: the placement first."""
        return self.text.split()

    @cached_property
    def fault(self) -> str:
        """Why python-chess cannot read the text, in its words; empty if it can."""
        try:
            _ = self.state
        except InvalidFenError as error:
            return str(error.__cause__)
        return ""

    @cached_property
    def board(self) -> chess.Board:
        """The position with its clocks, for python-chess; it is not to be changed."""
        board = self.state.board()
        if len(self.fields) > 4:
            board.halfmove_clock = int(self.fields[4])
        if len(self.fields) > 5:
            board.fullmove_number = max(int(self.fields[5]), 1)
        return board

    @cached_property
    def pieces(self) -> ChessState | None:
        """The pieces of the placement alone; None if python-chess cannot read it."""
        if not self.fault:
            return self.state
        placement = Fen("".join(self.fields[:1]))
        return None if placement.fault else placement.state


Fields = Literal["full", "position", "placement"]
"""``full``: the whole text, literal, as the paper. ``position``: the first four fields, the
en-passant square normalised on both sides. ``placement``: the pieces alone."""

FIELD_NAMES: Final = (
    "placement",
    "side_to_move",
    "castling",
    "en_passant",
    "halfmove_clock",
    "fullmove_number",
)

VARIANTS: Final[tuple[Fields, ...]] = get_args(Fields)


def compared_text(fen: Fen, fields: Fields = "full") -> str:
    """Return the part of a FEN that is compared.

    Under ``position`` the en-passant square stays only where a capture is legal, as python-chess
    writes it: models often name it after every double step. A text that python-chess cannot read
    keeps its square as it stands.
    """
    if fields not in VARIANTS:
        raise InvalidArgumentError(f"expected fields of {VARIANTS}, got {fields!r}")
    if fields == "full":
        return fen.text
    if fields == "placement":
        return "".join(fen.fields[:1])
    parts = fen.fields[:4]
    if len(parts) == 4 and parts[3] != "-":
        # The clocks may be what cannot be read.
        position = Fen(" ".join(parts)) if fen.fault else fen
        if not (position.fault or position.board.has_legal_en_passant()):
            parts[3] = "-"
    return " ".join(parts)


def levenshtein(true_fen: str, predicted_fen: str, fields: Fields = "full") -> int:
    """Return the edit distance in characters: insertions, deletions and substitutions cost 1."""
    true, predicted = (compared_text(Fen(fen), fields) for fen in (true_fen, predicted_fen))
    return int(Levenshtein.distance(true, predicted))


def board_accuracy(true: Fen, predicted: Fen) -> float:
    """Return the share of the 64 squares that hold the right piece, or rightly none.

    Args:
        true: A FEN whose first field python-chess reads.
        predicted: Any text; NaN is returned where its first field is no piece placement.

    Raises:
        InvalidFenError: If the true FEN has no readable placement.
    """
    right, pieces = true.pieces, predicted.pieces
    if right is None:
        raise InvalidFenError(f"expected a true FEN, got {true.text!r}: {true.fault}")
    if pieces is None:
        return math.nan
    wrong = right.white ^ pieces.white
    for kind in ("pawns", "knights", "bishops", "rooks", "queens", "kings"):
        wrong |= getattr(right, kind) ^ getattr(pieces, kind)
    return 1 - wrong.bit_count() / 64

"""What is compared of a predicted and the true FEN: choices of the text's fields, and the squares.

Source: arXiv 2508.19851 compares the full text; the narrower choices are ours.
"""

import math
from typing import Final, Literal, get_args

from rapidfuzz.distance import Levenshtein

from workbench.environments.chess.fen import Fen
from workbench.errors import InvalidArgumentError, InvalidFenError

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

    Raises:
        InvalidArgumentError: If ``fields`` is none of the three choices.
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
    right, given = true.pieces, predicted.pieces
    if right is None:
        raise InvalidFenError(f"expected a true FEN, got {true.text!r}: {true.fault}")
    if given is None:
        return math.nan
    wrong = right.white ^ given.white
    for kind in ("pawns", "knights", "bishops", "rooks", "queens", "kings"):
        wrong |= getattr(right, kind) ^ getattr(given, kind)
    return 1 - wrong.bit_count() / 64

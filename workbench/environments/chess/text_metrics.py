"""A predicted FEN compared with the true FEN as text: exact match, edit distance, fields, squares.

Source: arXiv 2508.19851 compares the full text; the narrower choices are ours.
"""

import math
from typing import Final, Literal, get_args

import chess
from rapidfuzz.distance import Levenshtein

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


def compared_text(fen: str, fields: Fields = "full") -> str:
    """Return the part of a FEN that is compared.

    Under ``position`` the en-passant square stays only where a capture is legal, as python-chess
    writes it: models often name it after every double step. A text that python-chess cannot read
    keeps its square as it stands.

    Raises:
        InvalidArgumentError: If ``fields`` is none of the three choices.
    """
    if fields not in get_args(Fields):
        raise InvalidArgumentError(f"expected fields of {get_args(Fields)}, got {fields!r}")
    if fields == "full":
        return fen
    parts = fen.split()
    if fields == "placement":
        return parts[0] if parts else ""
    parts = parts[:4]
    if len(parts) == 4 and parts[3] != "-":
        try:
            board = chess.Board(" ".join(parts))
        except ValueError:
            return " ".join(parts)
        parts[3] = parts[3] if board.has_legal_en_passant() else "-"
    return " ".join(parts)


def exact_match(true_fen: str, predicted_fen: str, fields: Fields = "full") -> bool:
    """Return whether both texts agree in the chosen fields."""
    return compared_text(true_fen, fields) == compared_text(predicted_fen, fields)


def levenshtein(true_fen: str, predicted_fen: str, fields: Fields = "full") -> int:
    """Return the edit distance in characters: insertions, deletions and substitutions cost 1."""
    return int(
        Levenshtein.distance(compared_text(true_fen, fields), compared_text(predicted_fen, fields))
    )


def edit_kernel(distance: float, rate: float) -> float:
    """Return exp(-rate * distance), a similarity in (0, 1].

    Args:
        distance: An edit distance, at least 0.
        rate: lambda of the paper, per character, above 0.

    Raises:
        InvalidArgumentError: If ``rate`` is not above 0.
    """
    if not rate > 0:
        raise InvalidArgumentError(f"expected a rate above 0, got {rate!r}")
    return math.exp(-rate * distance)


def board_accuracy(true_fen: str, predicted_fen: str) -> float:
    """Return the share of the 64 squares that hold the right piece, or rightly none.

    Args:
        true_fen: A FEN whose first field python-chess reads.
        predicted_fen: Any text; NaN is returned where its first field is no piece placement.

    Raises:
        InvalidFenError: If the true FEN has no readable placement.
    """
    try:
        true = chess.BaseBoard(compared_text(true_fen, "placement"))
    except ValueError as error:
        raise InvalidFenError(f"expected a true FEN, got {true_fen!r}: {error}") from error
    try:
        predicted = chess.BaseBoard(compared_text(predicted_fen, "placement"))
    except ValueError:
        return math.nan
    wrong = true.occupied_co[chess.WHITE] ^ predicted.occupied_co[chess.WHITE]
    for kind in ("pawns", "knights", "bishops", "rooks", "queens", "kings"):
        wrong |= getattr(true, kind) ^ getattr(predicted, kind)
    return 1 - wrong.bit_count() / 64


def field_correctness(true_fen: str, predicted_fen: str) -> dict[str, bool]:
    """Return for each of the six FEN fields whether the prediction has it right.

    Fields are compared as text; a field that the prediction lacks is wrong, unless the true FEN
    lacks it as well.
    """
    true = true_fen.split()
    predicted = predicted_fen.split()
    return {
        name: true[index : index + 1] == predicted[index : index + 1]
        for index, name in enumerate(FIELD_NAMES)
    }

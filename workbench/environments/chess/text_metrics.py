"""A predicted FEN compared with the true FEN as text: exact match, edit distance, fields, squares.

Source: arXiv 2508.19851 compares the full text; the narrower choices are ours.
"""

import math
from typing import Any, Final, Literal, get_args

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

_CHOICES: Final[tuple[Fields, ...]] = get_args(Fields)


def compared_text(fen: Fen, fields: Fields = "full") -> str:
    """Return the part of a FEN that is compared.

    Under ``position`` the en-passant square stays only where a capture is legal, as python-chess
    writes it: models often name it after every double step. A text that python-chess cannot read
    keeps its square as it stands.

    Raises:
        InvalidArgumentError: If ``fields`` is none of the three choices.
    """
    if fields not in _CHOICES:
        raise InvalidArgumentError(f"expected fields of {_CHOICES}, got {fields!r}")
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


def exact_match(true_fen: str, predicted_fen: str, fields: Fields = "full") -> bool:
    """Return whether both texts agree in the chosen fields."""
    return compared_text(Fen(true_fen), fields) == compared_text(Fen(predicted_fen), fields)


def levenshtein(true_fen: str, predicted_fen: str, fields: Fields = "full") -> int:
    """Return the edit distance in characters: insertions, deletions and substitutions cost 1."""
    true, predicted = (compared_text(Fen(fen), fields) for fen in (true_fen, predicted_fen))
    return int(Levenshtein.distance(true, predicted))


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


def field_correctness(true: Fen, predicted: Fen) -> dict[str, bool]:
    """Return for each of the six FEN fields whether the prediction has it right.

    Fields are compared as text; a field that the prediction lacks is wrong, unless the true FEN
    lacks it as well.
    """
    return {
        name: true.fields[index : index + 1] == predicted.fields[index : index + 1]
        for index, name in enumerate(FIELD_NAMES)
    }


def text_scores(true: Fen, predicted: Fen) -> dict[str, Any]:
    """Return all text metrics of one prediction, by the names of the columns of scores.

    Where there is no FEN at all the distance is the one to the empty text, and the column
    ``levenshtein_to_empty`` says so.
    """
    scores: dict[str, Any] = {"levenshtein_to_empty": not predicted.text}
    for fields in _CHOICES:
        suffix = "" if fields == "full" else f"_{fields}"
        true_text = compared_text(true, fields)
        predicted_text = compared_text(predicted, fields)
        scores[f"exact_match{suffix}"] = true_text == predicted_text
        scores[f"levenshtein{suffix}"] = Levenshtein.distance(true_text, predicted_text)
    right = field_correctness(true, predicted)
    return {
        **scores,
        "board_accuracy": board_accuracy(true, predicted),
        **{f"correct_{name}": value for name, value in right.items()},
    }

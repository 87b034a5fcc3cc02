"""Classes of replies, flags of boards and conventions in words, for widgets and figures."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from workbench.long_texts import cut

ILL_FORMED_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"as_is": "as they are", "sink": "no state (p = r = 0)"}
)
"""By the names in `workbench.scoring.parameters.IllFormedPolicy`."""

FINISHED_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {"absorb": "complete lines", "drop": "left out"}
)
"""By the names in `workbench.automaton.Terminal`."""


def ill_formed_words(*policies: str, states: str = "boards") -> str:
    """Return what is done with ill-formed states: ``ill-formed boards: as they are``."""
    return f"ill-formed {states}: {_joined(ILL_FORMED_WORDS, policies)}"


def finished_words(*terminals: str, episodes: str = "games") -> str:
    """Return how finished games count: ``finished games: complete lines``."""
    return f"finished {episodes}: {_joined(FINISHED_WORDS, terminals)}"


def _joined(words: Mapping[str, str], names: tuple[str, ...]) -> str:
    return ", ".join(words.get(name, name) for name in sorted(names))


CLASS_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "valid": "valid",
        "ill_formed": "ill-formed",
        "unparseable": "unreadable",
        "absent": "without a FEN",
        "failed": "failed",
        "unscored": "not scored",
    }
)
"""What a reply of each class is, and one that could not be scored."""

FLAG_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "NO_WHITE_KING": "White has no king",
        "NO_BLACK_KING": "Black has no king",
        "TOO_MANY_KINGS": "too many kings",
        "TOO_MANY_WHITE_PAWNS": "White has more than 8 pawns",
        "TOO_MANY_BLACK_PAWNS": "Black has more than 8 pawns",
        "PAWNS_ON_BACKRANK": "a pawn on rank 1 or 8",
        "TOO_MANY_WHITE_PIECES": "White has more than 16 pieces",
        "TOO_MANY_BLACK_PIECES": "Black has more than 16 pieces",
        "BAD_CASTLING_RIGHTS": "a castling right without king and rook in place",
        "INVALID_EP_SQUARE": "an en-passant square that no pawn has just passed",
        "OPPOSITE_CHECK": "the side not to move is in check",
        "EMPTY": "no pieces on the board",
        "TOO_MANY_CHECKERS": "more pieces give check than one move allows",
        "IMPOSSIBLE_CHECK": "checks that no move can lead to",
    }
)
"""The meaning of each of python-chess's status flags."""

_LONGEST_FAULT: Final = 60

_FIELD_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "placement": "pieces",
        "castling": "castling rights",
        "halfmove_clock": "half-move clock",
        "fullmove_number": "move number",
    }
)

FAULT_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "expected 8 rows in position part of fen": "not eight ranks",
        "expected 8 columns per row in position part of fen": "a rank without eight squares",
        "two subsequent digits in position part of fen": "two digits in a row",
        "invalid character in position part of fen": "a letter that is no piece",
        "'~' not after piece in position part of fen": "a ~ that follows no piece",
        "expected 'w' or 'b' for turn part of fen": "no w or b for the side to move",
        "invalid castling part in fen": "the castling field",
        "invalid en passant part in fen": "the en-passant field",
        "invalid half-move clock in fen": "the half-move clock",
        "half-move clock cannot be negative": "the half-move clock",
        "invalid fullmove number in fen": "the move number",
        "fullmove number cannot be negative": "the move number",
        "fen string has more parts than expected": "more than six fields",
    }
)
"""What is wrong with a text that is no FEN, by the beginning of python-chess's message."""


def fault_words(reason: str) -> str:
    """Return why a text is no state in few words; a message that is not python-chess's is cut."""
    for beginning, words in FAULT_WORDS.items():
        if reason.startswith(beginning):
            return words
    return cut(reason, _LONGEST_FAULT) or "no reason kept"


def class_words(name: str, answer: str = "FEN") -> str:
    """Return what a reply of a class is, in words; a name that is no class stays as it is."""
    return CLASS_WORDS.get(name, name).replace("FEN", answer)


def status_words(flag: str) -> str:
    """Return what one of python-chess's status flags says, or its name if it is unknown."""
    return FLAG_WORDS.get(flag, flag)


def field_words(name: str) -> str:
    """Return what a field of a FEN is called, from its name in columns such as ``correct_castling``."""
    return _FIELD_WORDS.get(name) or name.replace("_", " ")

"""Boards with one error, every measure of them, and boards side by side."""

from collections.abc import Mapping, Sequence
from typing import Final

import chess
import pandas as pd
from IPython.display import HTML

from workbench.environments.chess.replay import play_moves
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_differences
from workbench.explore.page.still_html import board, paragraph
from workbench.explore.pair.pair_view import different_squares, pair_view

_MOST_WITH_TEXT: Final = 2
"""Boards beside which a wide screen has room for a text; on a narrow one it stands below."""
_ROW: Final = "display:flex;flex-wrap:wrap;align-items:flex-start"
_TEXT: Final = "flex:1 1 260px;max-width:440px;margin-top:24px"
_SIDES: Final = ("Black", "White")


def board_after(movetext: str) -> str:
    """Return the FEN after the moves of a game in SAN, with or without numbers."""
    words = (word.rpartition(".")[2] for word in movetext.split())
    return play_moves(filter(None, words), "SAN").fen()


def without_piece(fen: str, square: str) -> str:
    """Return the full FEN with the piece on a square taken off; all else stays as it is written."""
    return _with_piece_at(fen, square, None)


def with_piece_moved(fen: str, origin: str, target: str) -> str:
    """Return the full FEN with a piece moved to another square; a piece there is removed."""
    return _with_piece_at(fen, origin, target)


def _with_piece_at(fen: str, square: str, target: str | None) -> str:
    placement, *fields = fen.split()
    pieces = chess.BaseBoard(placement)
    try:
        piece = pieces.remove_piece_at(chess.parse_square(square))
    except ValueError as error:
        raise InvalidArgumentError(f"expected a square such as 'e4', got {square!r}") from error
    if piece is None:
        raise InvalidArgumentError(f"expected a piece on {square}, found none in {fen!r}")
    if target is not None:
        pieces.set_piece_at(chess.parse_square(target), piece)
    return " ".join([pieces.board_fen(), *fields])


def with_other_side_to_move(fen: str) -> str:
    """Return the FEN with the other side to move, and no other change."""
    fields = fen.split()
    return " ".join([fields[0], "b" if fields[1] == "w" else "w", *fields[2:]])


def compare_predictions(
    true_fen: str, predictions: Mapping[str, str], settings: ExplorerSettings | None = None
) -> pd.DataFrame:
    """Return every measure of several predictions of one board, by what is wrong with them.

    Returns:
        One row per prediction: the words as the index, ``class``, ``edit distance``,
        ``board accuracy``, ``p_m`` and ``r_m``, with m the depth.
    """
    explorer_settings = settings if settings is not None else ExplorerSettings()
    rows = {}
    for words, fen in predictions.items():
        view = pair_view(true_fen, fen, explorer_settings)
        rows[words] = {
            "class": view["predicted"]["class"],
            "edit distance": view["text"]["levenshtein"],
            "board accuracy": view["text"]["board_accuracy"],
            f"p_{explorer_settings.depth}": view["profile"]["precision"][-1]["value"],
            f"r_{explorer_settings.depth}": view["profile"]["recall"][-1]["value"],
        }
    return pd.DataFrame.from_dict(rows, orient="index").round(3)


def show_boards(boards: Mapping[str, str]) -> HTML:
    """Return boards as pictures beside each other; the squares that differ from the first are marked.

    Beside one board or two the side to move, the differences and the pieces stand in words.

    Args:
        boards: Full FENs by what is written above each, the true board first.
    """
    fens = [Fen(text) for text in boards.values()]
    pictures = [
        board(name, fen.board, fen.text, different_squares(fens[0].board, fen.board))
        for name, fen in zip(boards, fens, strict=True)
    ]
    text = _board_text(fens) if len(fens) <= _MOST_WITH_TEXT else ""
    return HTML(f'<div style="{_ROW}">{"".join(pictures)}{text}</div>')  # type: ignore[no-untyped-call]


def _board_text(fens: Sequence[Fen]) -> str:
    """Return a block of text about the first board, and how the others differ from it."""
    true = fens[0].board
    lines = [f"{_SIDES[true.turn]} to move."]
    for fen in fens[1:]:
        words = "; ".join(each.words for each in board_differences(fens[0], fen))
        lines.append(f"Difference: {words}." if words else "No difference.")
    owner = "The pieces" if len(fens) == 1 else "The pieces of the true board"
    lines.append(f"{owner}:")
    for side in chess.COLORS:
        squares = {
            f"{name}s" if len(true.pieces(kind, side)) > 1 else name: true.pieces(kind, side)
            for kind, name in reversed([*enumerate(chess.PIECE_NAMES)][1:])
        }
        words = ", ".join(
            f"{name} {' '.join(map(chess.square_name, places))}"
            for name, places in squares.items()
            if places
        )
        lines.append(f"{_SIDES[side]}: {words or 'none'}.")
    return f'<div style="{_TEXT}">{"".join(map(paragraph, lines))}</div>'

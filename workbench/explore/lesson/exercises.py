"""Boards with one error, every measure of them, and boards side by side."""

from collections.abc import Mapping

import chess
import pandas as pd
from IPython.display import HTML

from workbench.environments.chess.replay import play_moves
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.page.still_html import board
from workbench.explore.pair.pair_view import different_squares, pair_view


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

    The boards are full FENs by what is written above each, the true board first.
    """
    positions = {name: chess.Board(fen) for name, fen in boards.items()}
    first = next(iter(positions.values()))
    pictures = [
        board(name, position, boards[name], different_squares(first, position))
        for name, position in positions.items()
    ]
    return HTML("".join(pictures))  # type: ignore[no-untyped-call]

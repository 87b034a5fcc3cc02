"""Finished games: checkmate, stalemate, and who has won."""

from typing import Literal

import chess

Ending = Literal["", "checkmate", "stalemate"]


def ending_of(board: chess.Board) -> Ending:
    """Return how a game has ended on a board without legal moves; nothing if it goes on.

    Stalemate is any board without moves on which the side to move is not in check, ill-formed
    boards among them.
    """
    if any(board.generate_legal_moves()):
        return ""
    return "checkmate" if board.is_check() else "stalemate"


def ending_words(board: chess.Board) -> str:
    """Return how a game has ended, in a sentence; nothing if it goes on."""
    winner, loser = ("Black", "White") if board.turn else ("White", "Black")
    return {
        "": "",
        "checkmate": f"Checkmate: {winner} has won.",
        "stalemate": f"Stalemate: {loser} has no legal move, a draw.",
    }[ending_of(board)]


def where_over(true: chess.Board | None, predicted: chess.Board | None) -> str:
    """Return on which of two boards the game is over, and how; nothing if it goes on on both.

    Args:
        true: The true board; None for no board.
        predicted: The predicted board, likewise.
    """
    of_true, of_predicted = (ending_of(board) if board else "" for board in (true, predicted))
    if of_true and of_true == of_predicted:
        return f"the game is over on both boards ({of_true})"
    over = [
        f"on the {name} board ({ending})"
        for name, ending in (("true", of_true), ("predicted", of_predicted))
        if ending
    ]
    return f"the game is over {' and '.join(over)}" if over else ""

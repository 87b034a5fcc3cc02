"""The questions about a game that a bundled language model reads live, in the third lesson."""

from typing import Final

import chess
from IPython.display import Pretty

from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.explore.game.game_tracker import GameTracker
from workbench.explore.game.tracked_game import ReplyAt, TrackedGame
from workbench.explore.game.tracked_moves import numbered
from workbench.explore.lesson.lesson_questions import NumberQuestion

READER: Final = "small"
_FROM_THE_START: Final = "Count half-moves from the start of the game."
UNSEEN_GAME: Final = (
    "1. Nf3 d5 2. c4 c6 3. e3 Nf6 4. b3 Bg4 5. Bb2 e6 6. h3 Bh5 7. Nc3 Nbd7 8. g4 Bg6 9. Nh4 Bd6 10. d3 a6 "
    "11. Bg2 b5 12. Rc1 O-O 13. O-O Qe7 14. Qe2 Rfd8 15. cxd5 cxd5 16. f4 Rac8 17. Rc2 Nb6 18. Nd1 Rxc2 "
    "19. Qxc2 Rc8 20. Qd2 Nfd7 21. Nf3 f6 22. Nf2 Bb4 23. Qe2 e5 24. f5 Bf7 25. Rc1 Qd6 26. Qd1 Qb8 27. g5 Bh5 "
    "28. Rxc8+ Nxc8 29. gxf6 gxf6 30. Ng4 Ne7"
)  # fmt: skip
"""The first 30 moves of a recorded World Cup game, which no bundled model was trained on."""


def read_game(movetext: str, depth: int = 4) -> GameTracker | Pretty:
    """Let the small model read a game, and show its boards.

    Args:
        movetext: The moves from the first position, as in PGN.
        depth: m.

    Returns:
        The tracker; the reason, in words, if the moves are no game.
    """
    try:
        return GameTracker.from_model(movetext, READER, depth=depth)
    except (IllegalMoveError, InvalidArgumentError) as error:
        return Pretty(f"This game cannot be read: {error}.")  # type: ignore[no-untyped-call]


def first_error(tracked: TrackedGame) -> NumberQuestion:
    """Return the guess after how many half-moves a piece first stands on a wrong square.

    Args:
        tracked: A game in which one does.
    """
    first = _first_wrong(tracked)
    square = first.different[0]
    return NumberQuestion(
        "the first error",
        f"The model writes a board after each of {len(tracked.replies)} half-moves. At which of them, counted from the start of the game, is a square first wrong?",
        first.ply, near=1.5, low=1, high=float("inf"), digits=0,
        because=(
            f"After {_move(tracked, first.ply)} it writes {_on(first.predicted_fen, square)} on {square}, where {_on(first.true_fen, square)} stands: "
            f"p_{tracked.depth} falls to {first.precision[-1]:.3f}."
        ),
    )  # fmt: skip


def end_of_error(tracked: TrackedGame) -> NumberQuestion:
    """Return the task at which ply the first wrong square is right again.

    Args:
        tracked: A game in which it is at some time.
    """
    first = _first_wrong(tracked)
    square = first.different[0]
    after = [reply for reply in tracked.replies if reply.ply > first.ply]
    right = next(reply for reply in after if square not in reply.different)
    before = next(reply for reply in tracked.replies if reply.ply == right.ply - 1)
    return NumberQuestion(
        "the square is right again",
        "At which ply is the square of the first error right again?",
        right.ply, within=0, low=0, high=float("inf"), digits=0,
        because=(
            f"The error stays for {right.ply - first.ply} half-moves, until {_move(tracked, right.ply)}; p_{tracked.depth} then rises from {before.precision[-1]:.3f} to "
            f"{right.precision[-1]:.3f}. The model reads all moves again for each board, and makes the same error again: positions of one game share errors."
        ),
        mistakes={
            right.ply - first.ply: _FROM_THE_START,
            (right.ply + 1) // 2: f"That is the number of the move. {_FROM_THE_START}",
        },
        hint=f"Watch the square, and p_{tracked.depth} in the chart: it jumps when the square is right again.",
    )  # fmt: skip


def _first_wrong(tracked: TrackedGame) -> ReplyAt:
    return next(reply for reply in tracked.replies if reply.different)


def _move(tracked: TrackedGame, ply: int) -> str:
    return numbered(next(stop for stop in tracked.stops if stop.ply == ply))


def _on(fen: str | None, square: str) -> str:
    piece = chess.BaseBoard(str(fen).split()[0]).piece_at(chess.parse_square(square))
    return f"a {chess.piece_name(piece.piece_type)}" if piece else "nothing"

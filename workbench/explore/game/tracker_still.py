"""A tracked game as plain HTML: both boards at one ply, and the scores of every reply."""

from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.drawing.reply_words import class_words
from workbench.errors import InvalidFenError
from workbench.explore.board.reading import read_board
from workbench.explore.game.tracked_game import ReplyAt, TrackedGame
from workbench.explore.game.tracked_moves import numbered
from workbench.explore.page.still_html import board, heading, listing, paragraph


def tracker_still(game: TrackedGame, ply: int, depth: int, *, flipped: bool = False) -> str:
    """Return a game and the replies to it as HTML.

    Args:
        game: The game.
        ply: The place whose boards are shown; the nearest place before it if there is none.
        depth: m of the precision and recall in the table.
        flipped: Whether Black is at the bottom.
    """
    stop = max(
        (each for each in game.stops if each.ply <= ply),
        key=lambda each: each.ply,
        default=game.stops[0],
    )
    reply = next((each for each in game.replies if each.ply == stop.ply), None)
    true_fen = reply.true_fen if reply else stop.fen
    different = reply.different if reply else ()
    parts = [
        heading(game.title),
        paragraph(game.conventions),
        *map(paragraph, game.notes),
        heading(numbered(stop)),
        board(
            "True board", read_board(true_fen, "true").board, true_fen, different, flipped=flipped
        ),
    ]
    if reply:
        parts.append(_predicted(reply, flipped=flipped))
    return "".join([*parts, _scores(game, depth)])


def _predicted(reply: ReplyAt, *, flipped: bool) -> str:
    fen = reply.predicted_fen or ""
    try:
        position = read_board(fen, "predicted").board
    except InvalidFenError:
        position = None
    name = "Predicted board" if position else f"Predicted board: {reply.words}"
    return board(name, position, fen, reply.different, flipped=flipped)


def _scores(game: TrackedGame, depth: int) -> str:
    moves = {stop.ply: numbered(stop) for stop in game.stops}
    return listing(
        ("after", f"p_{depth}", f"r_{depth}", EDIT_DISTANCE.name, "exact match", "class"),
        [
            (
                moves[reply.ply],
                f"{reply.precision[depth - 1]:.4f}",
                f"{reply.recall[depth - 1]:.4f}",
                "undefined" if reply.levenshtein is None else reply.levenshtein,
                "yes" if reply.exact_match else "no",
                class_words(reply.reply_class),
            )
            for reply in game.replies
        ],
    )

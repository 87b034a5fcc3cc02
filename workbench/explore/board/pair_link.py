"""Links that name both boards of a pair; static_page/pair_links.js reads and writes the same."""

from urllib.parse import urlencode

from workbench.errors import InvalidFenError
from workbench.explore.board.reading import read_board


def pair_link(true_fen: str, predicted_fen: str) -> str:
    """Return the fragment that opens a pair; empty if a board is none that the view shows."""
    try:
        boards = {
            "true": read_board(true_fen, "true").text,
            "predicted": read_board(predicted_fen, "predicted").text,
        }
    except InvalidFenError:
        return ""
    return f"#{urlencode(boards)}" if all(boards.values()) else ""

"""Both boards after a shared move, and after a line of shared moves."""

from collections.abc import Sequence

from workbench.errors import InvalidArgumentError
from workbench.explore.board.moves_view import move_sets
from workbench.explore.board.reading import ReadBoard, Which, read_board
from workbench.long_texts import quoted


def step(true_fen: str, predicted_fen: str, uci: str) -> tuple[str, str]:
    """Make a shared move on both boards.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another.
        uci: A generated legal move of both boards, castling as the king's move of two squares.

    Returns:
        The full FENs of the true and the predicted board after the move, written as python-chess
        writes them: an en-passant square only where a capture is legal.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If the move is not legal on both boards; the message says on which.
    """
    boards = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    true, predicted = _stepped(*boards, uci)
    return true.text, predicted.text


def _stepped(true: ReadBoard, predicted: ReadBoard, uci: str) -> tuple[ReadBoard, ReadBoard]:
    sets = move_sets(true.board, predicted.board)
    if uci not in {move.uci() for move in sets.shared}:
        if uci in {move.uci() for move in sets.only_true}:
            where = "it is legal on the true board only"
        elif uci in {move.uci() for move in sets.only_predicted}:
            where = "it is legal on the predicted board only"
        else:
            where = "it is legal on neither board"
        raise InvalidArgumentError(
            f"expected a move that both boards permit, got {quoted(uci)}: {where} "
            f"(true {true.text!r}, predicted {predicted.text!r})"
        )
    return _after(true, uci, "true"), _after(predicted, uci, "predicted")


def replay(true_fen: str, predicted_fen: str, line: Sequence[str]) -> tuple[str, str]:
    """Make the shared moves of a line, one after the other, on both boards.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another.
        line: Moves as for `step`; none leaves both texts as they are.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If a move is not legal on both boards; the message says which.
    """
    if not line:
        return true_fen, predicted_fen
    boards = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    true, predicted = replay_boards(*boards, line)
    return true.text, predicted.text


def replay_boards(
    true: ReadBoard, predicted: ReadBoard, line: Sequence[str]
) -> tuple[ReadBoard, ReadBoard]:
    """Make the shared moves of a line on two boards that were read; see `replay`."""
    for number, uci in enumerate(line, start=1):
        try:
            true, predicted = _stepped(true, predicted, uci)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"move {number} of the line: {error}") from error
    return true, predicted


def _after(read: ReadBoard, uci: str, which: Which) -> ReadBoard:
    assert read.board is not None
    board = read.board.copy(stack=False)
    board.push_uci(uci)
    # python-chess takes a promoted king for no king: the sign is kept where it was written.
    return read_board(board.fen(promoted="~" in read.text), which)

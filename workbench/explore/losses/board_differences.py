"""The differences of two boards one by one, and each of them mended alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import chess

from workbench.environments.chess import ChessState
from workbench.explore.board.game_over import ending_of
from workbench.explore.losses.main_cause import Circumstance, Difference

MOST_DIFFERENCES: Final = 12
"""Of boards that differ in more than this no difference is looked at alone."""

_MASKS: Final = (
    "pawns",
    "knights",
    "bishops",
    "rooks",
    "queens",
    "kings",
    "white",
    "black",
    "promoted",
)
_SIDES: Final = ("Black", "White")


def board_differences(true: ChessState, predicted: ChessState) -> list[Difference[ChessState]]:
    """Return what a predicted board has wrong, each with the board on which it alone is mended.

    A piece that is missing on one square and stands on another is one difference, the nearest squares
    paired; every square belongs to one difference. Castling rights count where king and rook are in
    place, the en-passant square as it is written.

    Args:
        true: The true board.
        predicted: The predicted board.

    Returns:
        Pieces from a1 on, then the side to move, the castling rights, the en-passant square; nothing
        if there are more than `MOST_DIFFERENCES`.
    """
    found = [
        Difference(words, _with_squares(true, predicted, squares))
        for words, squares in _misplaced(true.board(), predicted.board())
    ]
    if true.white_to_move != predicted.white_to_move:
        found.append(
            Difference(
                f"in truth {_SIDES[true.white_to_move]} is to move, "
                f"on the predicted board {_SIDES[predicted.white_to_move]}",
                replace(predicted, white_to_move=true.white_to_move),
            )
        )
    rights = [state.board().castling_xfen() for state in (true, predicted)]
    if rights[0] != rights[1]:
        found.append(
            Difference(
                f"in truth the castling rights are {_or_none(rights[0])}, "
                f"on the predicted board {_or_none(rights[1])}",
                replace(predicted, castling_rights=true.castling_rights),
            )
        )
    if true.en_passant != predicted.en_passant:
        squares = [
            "none" if state.en_passant is None else chess.SQUARE_NAMES[state.en_passant]
            for state in (true, predicted)
        ]
        found.append(
            Difference(
                f"in truth the en-passant square is {squares[0]}, "
                f"on the predicted board {squares[1]}",
                replace(predicted, en_passant=true.en_passant),
            )
        )
    return found if len(found) <= MOST_DIFFERENCES else []


def circumstances(
    true: ChessState, predicted: ChessState, differences: Sequence[Difference[ChessState]]
) -> list[Circumstance]:
    """Return what holds on one board alone and decides about its moves: a finished game, a check.

    Through a finished game everything is lost. Through a check the moves are lost that would be
    legal on the board in check if their side's king were safe: pseudo-legal there, and drawn from the
    other board. Where mending one difference alone, and no other, makes the predicted board like the
    true one in this, the words name it.

    Args:
        true: The true board.
        predicted: The predicted board.
        differences: Of the two, as `board_differences` returns them.
    """
    boards = true.board(), predicted.board()
    endings = [ending_of(board) for board in boards]
    if bool(endings[0]) != bool(endings[1]):
        words = _one_sided(f"the game is over ({endings[0] or endings[1]})", bool(endings[0]))
        behind = [each for each in differences if ending_of(each.mended.board()) == endings[0]]
        return [Circumstance(words + _because(behind), (1.0, 1.0))]
    checks = [board.is_check() for board in boards]
    if any(endings) or boards[0].turn != boards[1].turn or checks[0] == checks[1]:
        return []
    words = _one_sided(f"{_SIDES[boards[0].turn]} is in check", checks[0])
    behind = [each for each in differences if each.mended.board().is_check() == checks[0]]
    refused = _refused_in_check(*boards) if checks[0] else _refused_in_check(*boards[::-1])
    return [Circumstance(words + _because(behind), (refused, 0.0) if checks[0] else (0.0, refused))]


def _one_sided(words: str, in_truth: bool) -> str:
    if in_truth:
        return f"in truth {words}, on the predicted board not"
    return f"on the predicted board {words}, in truth not"


def _because(behind: Sequence[Difference[ChessState]]) -> str:
    return f", because {behind[0].words}" if len(behind) == 1 else ""


def _refused_in_check(in_check: chess.Board, other: chess.Board) -> float:
    """Return the share of the other board's moves that this one permits but for the check."""
    drawn = list(other.generate_legal_moves())
    legal = set(in_check.generate_legal_moves())
    refused = [m for m in drawn if m not in legal and in_check.is_pseudo_legal(m)]
    return len(refused) / len(drawn)


def _misplaced(true: chess.Board, predicted: chess.Board) -> Iterator[tuple[str, list[int]]]:
    """Yield groups of squares whose pieces are wrong, and what is wrong in words."""
    of_true, of_predicted = true.piece_map(), predicted.piece_map()
    wrong = [square for square in chess.SQUARES if of_true.get(square) != of_predicted.get(square)]
    moves = list(_moved(of_true, of_predicted, wrong))
    groups = [{square} for square in wrong]
    for home, stands in moves:
        joined = [group for group in groups if home in group or stands in group]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    for group in sorted(map(sorted, groups)):
        within = [(home, stands) for home, stands in moves if home in group]
        if len(group) == 1:
            yield _wrong_square(group[0], of_true.get(group[0]), of_predicted.get(group[0])), group
        elif len(within) == 1:
            (home, stands) = within[0]
            words = f"the {_named(of_true[home])} on {chess.SQUARE_NAMES[home]} is predicted on "
            yield words + chess.SQUARE_NAMES[stands], group
        else:
            names = [chess.SQUARE_NAMES[square] for square in group]
            yield (
                f"the pieces on {', '.join(names[:-1])} and {names[-1]} are mixed up",
                group,
            )


def _moved(
    of_true: dict[int, chess.Piece], of_predicted: dict[int, chess.Piece], wrong: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield where a piece stands in truth and where it is predicted, each square once a piece."""
    pairs = sorted(
        (_steps(home, stands), home, stands)
        for home in wrong
        for stands in wrong
        if home in of_true and of_true[home] == of_predicted.get(stands)
    )
    left, taken = set[int](), set[int]()
    for _, home, stands in pairs:
        if home not in left and stands not in taken:
            left.add(home)
            taken.add(stands)
            yield home, stands


def _steps(home: int, stands: int) -> int:
    return chess.square_manhattan_distance(home, stands)


def _wrong_square(square: int, piece: chess.Piece | None, wrong: chess.Piece | None) -> str:
    name = chess.SQUARE_NAMES[square]
    if wrong is None:
        assert piece is not None
        return f"the {_named(piece)} on {name} is missing"
    if piece is None:
        return f"a {_named(wrong)} is predicted on {name}, where no piece stands"
    return f"a {_named(wrong)} is predicted on {name} instead of a {_named(piece)}"


def _named(piece: chess.Piece) -> str:
    return f"{_SIDES[piece.color].lower()} {chess.piece_name(piece.piece_type)}"


def _with_squares(true: ChessState, predicted: ChessState, squares: Sequence[int]) -> ChessState:
    mask = sum(1 << square for square in squares)
    return replace(
        predicted,
        **{name: getattr(predicted, name) & ~mask | getattr(true, name) & mask for name in _MASKS},
    )


def _or_none(rights: str) -> str:
    return "none" if rights == "-" else rights

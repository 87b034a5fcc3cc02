"""Losses of two chess boards: rules of their joint tree, differences, main causes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import chess
import numpy as np

from workbench.automaton import Sink, Terminal
from workbench.environments.chess import ChessState
from workbench.environments.chess.kernel.cache import compiled_module
from workbench.environments.chess.kernel.kernel_functions import (
    WIDTH,
    Words,
    joint_profiles,
    pack_states,
    unpack_state,
)
from workbench.environments.chess.state import Fen
from workbench.explore.board_reading import (
    CHESS,
    ending_of,
    no_state_words,
    read_board,
)
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.joint_tree import AutomatonRules
from workbench.explore.losses.loss_trees import SMALLEST_SHARE, all_lost, loss_trees
from workbench.explore.losses.main_cause import (
    Circumstance,
    Difference,
    no_causes,
    pair_causes,
)
from workbench.scoring.parameters import IllFormedPolicy

_ALONE: Final = 16
"""The number of pairs from which several threads are faster."""


class _CompiledRules(AutomatonRules[ChessState, Any]):
    """By the compiled kernel. A code has the from-square, to-square << 6, promotion << 12."""

    def __init__(self) -> None:
        super().__init__(CHESS, _code_text)
        self._single = compiled_module("plain_walks")
        self._codes = np.empty(self._single.MOST_MOVES, np.uint16)

    def packed(self, states: Sequence[ChessState]) -> Words:
        return pack_states(states)

    def permitted(self, state: Words) -> list[int]:
        count = int(self._single.legal_codes(state, self._codes))
        codes: list[int] = self._codes[:count].tolist()
        return sorted(codes)

    def successors(self, states: Sequence[Words], actions: Sequence[int]) -> Words:
        after = np.empty((len(states), WIDTH), np.uint64)
        for index, (state, code) in enumerate(zip(states, actions, strict=True)):
            self._single.successor_row(state, np.uint64(code), after[index])
        return after

    def values(
        self, true: Words, predicted: Words, depth: int, terminal: Terminal
    ) -> list[tuple[float, float]]:
        workers = 1 if depth < 3 or len(true) < _ALONE else None
        profiles = joint_profiles(true, predicted, depth, terminal, workers=workers)
        precision, recall = profiles.precision[:, -1].tolist(), profiles.recall[:, -1].tolist()
        return list(zip(precision, recall, strict=True))

    def named(self, state: Words, action: int) -> str:
        return unpack_state(state).board().san(_move_of(action))


class _ReferenceRules(AutomatonRules[ChessState, chess.Move]):
    """By python-chess, on any board."""

    def __init__(self) -> None:
        super().__init__(CHESS, chess.Move.uci, _code_of)

    def named(self, state: ChessState, action: chess.Move) -> str:
        return state.board().san(action)


def _code_text(code: int) -> str:
    return _move_of(code).uci()


def _move_of(code: int) -> chess.Move:
    return chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)


def _code_of(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


_SIDES: Final = ("Black", "White")
_DEFAULT_FIELDS: Final = ("", "w", "-", "-")


class SquareError(NamedTuple):
    """Squares that are wrong together, and so one difference.

    Attributes:
        kind: What is wrong, without the piece or the square.
        squares: The squares on which the piece is another.
        moves: Where a piece stands in truth, and where it is predicted.
    """

    kind: str
    squares: list[int]
    moves: list[tuple[int, int]]


class FieldError(NamedTuple):
    """A field of the FEN that is wrong: its place, what is wrong in short, with its values, in words."""

    field: int
    kind: str
    label: str
    words: str


def board_differences(
    true: Fen, predicted: Fen, policy: IllFormedPolicy = "as_is"
) -> list[Difference[ChessState]]:
    """Return what a predicted board has wrong, each with the board on which it alone is corrected.

    A piece that is missing on one square and stands on another is one difference, the nearest squares
    paired; every square belongs to one difference. Castling rights and the en-passant square count as
    they are written, the rights only where they have another effect.

    Returns:
        Pieces from a1 on, then the side to move, the castling rights, the en-passant square.
    """

    def corrected(
        field: int, text: str, label: str, words: str, kind: str
    ) -> Difference[ChessState]:
        written = with_field(predicted, field, text)
        state = read_board(written, "predicted").state(policy)
        return Difference(words, state, label, written, kind)

    differences = []
    pieces = true.board.piece_map(), predicted.board.piece_map()
    for error in square_errors(*pieces):
        board = predicted.board.copy(stack=False)
        for square in error.squares:
            promoted = bool(true.board.promoted & chess.BB_SQUARES[square])
            board.set_piece_at(square, true.board.piece_at(square), promoted)
        text = board.board_fen(promoted=True)
        differences.append(corrected(0, text, *_square_words(error, *pieces), error.kind))
    for field, kind, label, words in field_errors(true, predicted):
        differences.append(corrected(field, field_text(true, field), label, words, kind))
    return differences


def with_field(fen: Fen, field: int, text: str) -> str:
    """Return a FEN with the text of one of its fields, counted from 0, replaced."""
    written = _fields(fen)
    return " ".join([*written[:field], text, *written[field + 1 :]])


def field_text(fen: Fen, field: int) -> str:
    """Return the text of a field of a FEN, as written or as it defaults."""
    return _fields(fen)[field]


def _fields(fen: Fen) -> list[str]:
    return [*fen.fields, *_DEFAULT_FIELDS[len(fen.fields) :]]


def field_errors(true: Fen, predicted: Fen) -> Iterator[FieldError]:
    """Yield the fields behind the pieces that are wrong, but for the clocks; see `board_differences`."""
    pair = true.board, predicted.board
    turns = [_SIDES[board.turn] for board in pair]
    if turns[0] != turns[1]:
        words = f"in truth {turns[0]} is to move, on the predicted board {turns[1]}"
        yield FieldError(1, "side to move", f"{turns[1]} is believed to move", words)
    if field_text(true, 2) != field_text(predicted, 2):
        rights = [board.castling_xfen().replace("-", "none") for board in pair]
        if rights[0] != rights[1]:
            words = (
                f"in truth the castling rights are {rights[0]}, on the predicted board {rights[1]}"
            )
            label = f"castling {rights[0]}, not {rights[1]}"
            yield FieldError(2, "castling rights", label, words)
    if pair[0].ep_square != pair[1].ep_square:
        passant = [
            "none" if each.ep_square is None else chess.SQUARE_NAMES[each.ep_square]
            for each in pair
        ]
        words = (
            f"in truth the en-passant square is {passant[0]}, on the predicted board {passant[1]}"
        )
        label = f"en passant {passant[0]}, not {passant[1]}"
        yield FieldError(3, "en passant", label, words)


def circumstances(
    true: ChessState, predicted: ChessState, differences: Sequence[Difference[ChessState]]
) -> list[Circumstance]:
    """Return what holds on one board alone and decides about its moves: a finished game, a check.

    Through a finished game everything is lost. Through a check the moves are lost that would be
    legal on the board in check if their side's king were safe: pseudo-legal there, and drawn from the
    other board. Where correcting one difference alone, and no other, makes the predicted board like the
    true one in this, the words name it.
    """
    boards = true.board(), predicted.board()
    endings = [ending_of(board) for board in boards]
    if bool(endings[0]) != bool(endings[1]):
        words = _one_sided(f"the game is over ({endings[0] or endings[1]})", bool(endings[0]))
        behind = _corrected_boards(differences, lambda board: ending_of(board) == endings[0])
        return [Circumstance(words + _because(behind), (1.0, 1.0), "game over")]
    checks = [board.is_check() for board in boards]
    if any(endings) or boards[0].turn != boards[1].turn or checks[0] == checks[1]:
        return []
    words = _one_sided(f"{_SIDES[boards[0].turn]} is in check", checks[0])
    behind = _corrected_boards(differences, lambda board: board.is_check() == checks[0])
    refused = _refused_in_check(*boards) if checks[0] else _refused_in_check(*boards[::-1])
    lost = (refused, 0.0) if checks[0] else (0.0, refused)
    return [Circumstance(words + _because(behind), lost, "check")]


def _corrected_boards(
    differences: Sequence[Difference[ChessState]], holds: Callable[[chess.Board], bool]
) -> list[Difference[ChessState]]:
    """Return the differences whose correction alone makes something hold."""
    return [
        each
        for each in differences
        if not isinstance(each.corrected, Sink) and holds(each.corrected.board())
    ]


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


def square_errors(
    of_true: Mapping[int, chess.Piece], of_predicted: Mapping[int, chess.Piece]
) -> Iterator[SquareError]:
    """Yield the squares that are wrong together, from the pieces by square; see `board_differences`."""
    wrong = [square for square in chess.SQUARES if of_true.get(square) != of_predicted.get(square)]
    moves = list(_moved(of_true, of_predicted, wrong))
    groups = [{square} for square in wrong]
    for home, stands in moves:
        joined = [group for group in groups if home in group or stands in group]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    for group in sorted(map(sorted, groups)):
        within = [(home, stands) for home, stands in moves if home in group]
        if len(group) > 1:
            kind = "a piece on a wrong square" if len(within) == 1 else "pieces mixed up"
        elif group[0] not in of_predicted:
            kind = "a piece missing"
        else:
            kind = "a wrong piece" if group[0] in of_true else "an extra piece"
        yield SquareError(kind, group, within)


def _square_words(
    error: SquareError, of_true: Mapping[int, chess.Piece], of_predicted: Mapping[int, chess.Piece]
) -> tuple[str, str]:
    """Return what is wrong on squares, in short and in words."""
    names = [chess.SQUARE_NAMES[square] for square in error.squares]
    if len(names) == 1:
        (square,) = error.squares
        return _wrong_square(names[0], of_true.get(square), of_predicted.get(square))
    if len(error.moves) == 1:
        piece = of_true[error.moves[0][0]]
        place, believed = (chess.SQUARE_NAMES[square] for square in error.moves[0])
        words = f"the {_named(piece)} on {place} is predicted on {believed}"
        return f"{chess.piece_name(piece.piece_type)} {place}, not {believed}", words
    label = f"{len(names)} pieces mixed up ({', '.join(names[:2])}{', …' * (len(names) > 2)})"
    return label, f"the pieces on {', '.join(names[:-1])} and {names[-1]} are mixed up"


def _moved(
    of_true: Mapping[int, chess.Piece],
    of_predicted: Mapping[int, chess.Piece],
    wrong: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Yield where a piece stands in truth and where it is predicted, each square once a piece."""
    pairs = sorted(
        (chess.square_manhattan_distance(home, stands), home, stands)
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


def _wrong_square(
    name: str, piece: chess.Piece | None, wrong: chess.Piece | None
) -> tuple[str, str]:
    if wrong is None:
        assert piece is not None
        label = f"{chess.piece_name(piece.piece_type)} {name} missing"
        return label, f"the {_named(piece)} on {name} is missing"
    believed = chess.piece_name(wrong.piece_type)
    if piece is None:
        words = f"a {_named(wrong)} is predicted on {name}, where no piece stands"
        return f"extra {believed} {name}", words
    words = f"a {_named(wrong)} is predicted on {name} instead of a {_named(piece)}"
    same_kind = piece.piece_type == wrong.piece_type
    names = [
        _named(each) if same_kind else chess.piece_name(each.piece_type) for each in (piece, wrong)
    ]
    return f"{names[0]} {name}, not {names[1]}", words


def _named(piece: chess.Piece) -> str:
    return f"{_SIDES[piece.color].lower()} {chess.piece_name(piece.piece_type)}"


_DEFAULTS: Final = ExplorerSettings()


def lost_mass(
    true_fen: str,
    predicted_fen: str | None,
    settings: ExplorerSettings = _DEFAULTS,
    smallest_share: float = SMALLEST_SHARE,
) -> dict[str, Any]:
    """Spread the lost probability mass of two boards over the lines on which it is lost.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another; None or a blank text is no state, with all mass lost at the root.
        settings: How to measure; see `loss_trees`.
        smallest_share: Branches with less than this share of all that is lost are merged.
    """
    true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    true_state, state = true.fen.state, predicted.state(settings.ill_formed)
    if isinstance(state, Sink):
        return all_lost(no_state_words(predicted), settings.depth)
    compiled = CHESS.compiled_takes(true_state, state)
    rules = _CompiledRules() if compiled else _ReferenceRules()
    return loss_trees(CHESS, rules, true_state, state, settings, smallest_share)


def board_causes(
    true_fen: str, predicted_fen: str | None, settings: ExplorerSettings = _DEFAULTS
) -> dict[str, Any]:
    """Return what each difference of two boards costs, see `pair_causes`; its texts are FENs.

    An ill-formed board that counts as no state may become one by a single correction.
    """
    true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    if predicted.board is None:
        return no_causes(settings.depth)
    state = predicted.state(settings.ill_formed)
    differences = board_differences(true.fen, predicted.fen, settings.ill_formed)
    around = [] if isinstance(state, Sink) else circumstances(true.fen.state, state, differences)
    return pair_causes(CHESS, true.fen.state, state, settings, differences, around)

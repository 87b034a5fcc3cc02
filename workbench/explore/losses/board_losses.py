"""Losses of two chess boards: rules of their joint tree, differences, main causes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

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
    fields = [[*fen.fields, *_DEFAULT_FIELDS[len(fen.fields) :]] for fen in (true, predicted)]

    def corrected(field: int, text: str, label: str, words: str) -> Difference[ChessState]:
        written = " ".join([*fields[1][:field], text, *fields[1][field + 1 :]])
        return Difference(words, read_board(written, "predicted").state(policy), label, written)

    differences = []
    for label, words, squares in _misplaced(true.board, predicted.board):
        board = predicted.board.copy(stack=False)
        for square in squares:
            promoted = bool(true.board.promoted & chess.BB_SQUARES[square])
            board.set_piece_at(square, true.board.piece_at(square), promoted)
        differences.append(corrected(0, board.board_fen(promoted=True), label, words))

    pair = true.board, predicted.board
    turns = [_SIDES[board.turn] for board in pair]
    rights = [board.castling_xfen().replace("-", "none") for board in pair]
    passant = [
        "none" if each.ep_square is None else chess.SQUARE_NAMES[each.ep_square] for each in pair
    ]
    if turns[0] != turns[1]:
        words = f"in truth {turns[0]} is to move, on the predicted board {turns[1]}"
        label = f"{turns[1]} is believed to move"
        differences.append(corrected(1, fields[0][1], label, words))
    if rights[0] != rights[1] and fields[0][2] != fields[1][2]:
        words = f"in truth the castling rights are {rights[0]}, on the predicted board {rights[1]}"
        label = f"castling {rights[0]}, not {rights[1]}"
        differences.append(corrected(2, fields[0][2], label, words))
    if passant[0] != passant[1]:
        words = (
            f"in truth the en-passant square is {passant[0]}, on the predicted board {passant[1]}"
        )
        label = f"en passant {passant[0]}, not {passant[1]}"
        differences.append(corrected(3, fields[0][3], label, words))
    return differences


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
        return [Circumstance(words + _because(behind), (1.0, 1.0))]
    checks = [board.is_check() for board in boards]
    if any(endings) or boards[0].turn != boards[1].turn or checks[0] == checks[1]:
        return []
    words = _one_sided(f"{_SIDES[boards[0].turn]} is in check", checks[0])
    behind = _corrected_boards(differences, lambda board: board.is_check() == checks[0])
    refused = _refused_in_check(*boards) if checks[0] else _refused_in_check(*boards[::-1])
    return [Circumstance(words + _because(behind), (refused, 0.0) if checks[0] else (0.0, refused))]


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


def _misplaced(true: chess.Board, predicted: chess.Board) -> Iterator[tuple[str, str, list[int]]]:
    """Yield groups of squares whose pieces are wrong, with what is wrong in short and in words before each."""
    of_true, of_predicted = true.piece_map(), predicted.piece_map()
    wrong = [square for square in chess.SQUARES if of_true.get(square) != of_predicted.get(square)]
    moves = list(_moved(of_true, of_predicted, wrong))
    groups = [{square} for square in wrong]
    for home, stands in moves:
        joined = [group for group in groups if home in group or stands in group]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    for group in sorted(map(sorted, groups)):
        within = [(home, stands) for home, stands in moves if home in group]
        names = [chess.SQUARE_NAMES[square] for square in group]
        if len(group) == 1:
            wrong_square = _wrong_square(
                names[0], of_true.get(group[0]), of_predicted.get(group[0])
            )
            yield *wrong_square, group
        elif len(within) == 1:
            piece = of_true[within[0][0]]
            place, believed = (chess.SQUARE_NAMES[square] for square in within[0])
            words = f"the {_named(piece)} on {place} is predicted on {believed}"
            yield f"{chess.piece_name(piece.piece_type)} {place}, not {believed}", words, group
        else:
            label = (
                f"{len(names)} pieces mixed up ({', '.join(names[:2])}{', …' * (len(names) > 2)})"
            )
            words = f"the pieces on {', '.join(names[:-1])} and {names[-1]} are mixed up"
            yield label, words, group


def _moved(
    of_true: dict[int, chess.Piece], of_predicted: dict[int, chess.Piece], wrong: Sequence[int]
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

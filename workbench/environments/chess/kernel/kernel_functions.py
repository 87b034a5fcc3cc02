"""The functions of the compiled kernel for Python: packed boards, profiles, estimator runs, legal moves, perft, mistaken replays.

A packed board is a row of eight 64-bit words: pawns, knights, diagonals (bishops and queens), orthogonals
(rooks and queens), kings, white, promoted, and the rest: bit 0 is set if White is to move, bits 1 to 7 hold
the en-passant square plus one or 0, bits 8 to 15 the castling rights on rank 1, bits 56 to 63 those on
rank 8. The rights are kept as python-chess reads them, before it cleans them.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from importlib.metadata import version
from typing import Final, NamedTuple, TypeAlias

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.automaton import Terminal, check_walk
from workbench.environments.chess import replay
from workbench.environments.chess.kernel.cache import CompiledModule, compiled_module
from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidArgumentError, InvalidFenError, UnsupportedBoardError

Words: TypeAlias = NDArray[np.uint64]

WIDTH: Final = 8
"""Words in a row."""

_RANK_1: Final = 0xFF
_RANK_8: Final = 0xFF << 56


def pack_states(states: Iterable[ChessState]) -> Words:
    """Pack states, in their order.

    Args:
        states: States as `ChessState.from_fen` or `ChessState.from_board` makes them: no square
            holds two pieces.

    Returns:
        Shape (n, 8).
    """
    rows = [_row_of_state(state) for state in states]
    return np.array(rows, dtype=np.uint64).reshape(-1, WIDTH)


def pack_fens(fens: Sequence[str]) -> Words:
    """Pack the positions that FENs describe, in their order, each as ``chess.Board(fen)`` reads it.

    Args:
        fens: FENs of one to six fields.

    Returns:
        Shape (n, 8).

    Raises:
        InvalidFenError: If python-chess cannot read one; the message says which.
    """
    states = []
    for index, fen in enumerate(fens):
        try:
            states.append(ChessState.from_fen(fen))
        except InvalidFenError as error:
            raise InvalidFenError(f"FEN number {index}, counted from 0: {error}") from error
    return pack_states(states)


def unpack_state(row: Words) -> ChessState:
    """Return the state that a row holds."""
    pawns, knights, diagonals, orthogonals, kings, white, promoted, meta = (int(w) for w in row)
    occupied = pawns | knights | diagonals | orthogonals | kings
    passant = meta >> 1 & 127
    return ChessState(
        pawns=pawns,
        knights=knights,
        bishops=diagonals & ~orthogonals,
        rooks=orthogonals & ~diagonals,
        queens=diagonals & orthogonals,
        kings=kings,
        white=white,
        black=occupied ^ white,
        promoted=promoted,
        white_to_move=bool(meta & 1),
        castling_rights=meta >> 8 & _RANK_1 | meta & _RANK_8,
        en_passant=passant - 1 if passant else None,
    )


def supported(rows: Words) -> NDArray[np.bool_]:
    """Return which rows the compiled kernel takes: all but those with a promoted king.

    python-chess takes a king written ``K~`` for a king in some of its rules and for none in
    others; such boards are left to the reference.

    Args:
        rows: Shape (n, 8).

    Returns:
        Shape (n,).
    """
    return np.asarray((rows[:, 4] & rows[:, 6]) == 0)


def _row_of_state(state: ChessState) -> tuple[int, ...]:
    passant = 0 if state.en_passant is None else state.en_passant + 1
    rights = state.castling_rights
    return (
        state.pawns,
        state.knights,
        state.bishops | state.queens,
        state.rooks | state.queens,
        state.kings,
        state.white,
        state.promoted,
        state.white_to_move | passant << 1 | (rights & _RANK_1) << 8 | rights & _RANK_8,
    )


Progress = Callable[[int], object]
"""Called in the caller's thread with the number of pairs done since the last call."""


def core_count() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_slices(
    work: Callable[[slice], None],
    count: int,
    workers: int | None,
    chunk: int,
    progress: Progress | None,
) -> None:
    """Do ``work`` on slices of at most ``chunk`` of ``count`` items, on several threads."""
    if workers is not None and workers < 1:
        raise InvalidArgumentError(f"expected at least 1 worker, or None, got {workers!r}")
    slices = [slice(start, min(start + chunk, count)) for start in range(0, count, chunk)]
    threads = min(workers or core_count(), len(slices))
    if threads <= 1:
        for part in slices:
            work(part)
            if progress is not None:
                progress(part.stop - part.start)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="kernel") as pool:
        parts = {pool.submit(work, part): part for part in slices}
        try:
            for future in as_completed(parts):
                future.result()
                if progress is not None:
                    progress(parts[future].stop - parts[future].start)
        finally:
            # After an error or an interrupt what has not begun is not begun.
            pool.shutdown(cancel_futures=True)


Values: TypeAlias = NDArray[np.float64]

# The flags of joint_walk.profiles, and the depth from which a single pair takes long.
_ABSORB: Final = 1
_SAME: Final = 2
_LONG_FROM: Final = 5


class JointProfiles(NamedTuple):
    """Exact precision and recall of n pairs, in the order in which they were given.

    Attributes:
        precision: p_1 .. p_m of each pair, shape (n, m).
        recall: r_1 .. r_m of each pair, shape (n, m).
        node_count: Joint nodes visited, the root not counted, shape (n,): fewer than the joint tree
            has, as boards that have become the same and pairs walked before are left out.
    """

    precision: Values
    recall: Values
    node_count: NDArray[np.int64]


def joint_profiles(
    true: Words,
    predicted: Words,
    depth: int,
    terminal: Terminal = "absorb",
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> JointProfiles:
    """Return p_1..p_m and r_1..r_m of many pairs, on all cores.

    Args:
        true: Packed true boards, shape (n, 8), from `pack_fens` or `pack_states`.
        predicted: Packed predicted boards, shape (n, 8).
        depth: The number of moves m, at least 1.
        terminal: How a game that finishes earlier counts.
        workers: Threads, at least 1; None takes one for each core. The result does not depend on
            it.
        progress: Called in this thread with the number of pairs done since the last call.

    Raises:
        InvalidArgumentError: If an argument is out of range or the shapes do not agree.
        UnsupportedBoardError: If a board has a promoted king; `supported` finds these beforehand.
    """
    check_walk(depth, terminal)
    true, predicted = checked_rows(true=true, predicted=predicted)
    flags = _ABSORB | _SAME if terminal == "absorb" else 0
    count = len(true)
    precision, recall = np.empty((count, depth)), np.empty((count, depth))
    nodes = np.empty(count, np.int64)
    walk = compiled_module("joint_walk").profiles

    def work(part: slice) -> None:
        walk(true[part], predicted[part], depth, flags, precision[part], recall[part], nodes[part])

    _run_slices(work, count, workers, 8 if depth < _LONG_FROM else 1, progress)
    return JointProfiles(precision, recall, nodes)


def checked_rows(**arrays: Words) -> Sequence[Words]:
    """Return arrays of rows, contiguous, after a check of their shapes and boards."""
    lengths = {name: len(rows) for name, rows in arrays.items()}
    for name, rows in arrays.items():
        if rows.ndim != 2 or rows.shape[1] != WIDTH or rows.dtype != np.uint64:
            raise InvalidArgumentError(
                f"expected {name} as uint64 of shape (n, {WIDTH}) from pack_fens or pack_states, "
                f"got {rows.dtype} of shape {rows.shape}"
            )
        unsupported = np.flatnonzero(~supported(rows))
        if unsupported.size:
            raise UnsupportedBoardError(
                f"expected boards without promoted kings, got {unsupported.size} with one in "
                f"{name}, the first in row {unsupported[0]}: "
                f"{unpack_state(rows[unsupported[0]]).board().fen(promoted=True)!r}; "
                "leave those that `supported` marks to the reference"
            )
    if len(set(lengths.values())) > 1:
        raise InvalidArgumentError(f"expected equally many rows of each, got {lengths}")
    return [np.ascontiguousarray(rows) for rows in arrays.values()]


class EstimatorRuns(NamedTuple):
    """A run on each of n pairs, in the order in which they were given.

    Attributes:
        value: The estimates of p_m, each at least 0, shape (n,).
        node_count: States generated on the way, shape (n,).
    """

    value: Values
    node_count: NDArray[np.int64]


def compiled_methods() -> Mapping[str, int]:
    """Return the estimators that are compiled, by name, with their numbers in the compiled code."""
    methods: Mapping[str, int] = compiled_module("particles").METHODS
    return methods


def run_estimators(
    true: Words,
    predicted: Words,
    depth: int,
    *,
    method: str,
    samples: int,
    seeds: Sequence[int] | NDArray[np.uint64],
    terminal: Terminal = "absorb",
    workers: int | None = None,
    progress: Progress | None = None,
) -> EstimatorRuns:
    """Run an estimator once on each of many pairs, on all cores.

    It has the same distribution as its namesake in `workbench.affordance`.

    Args:
        true: Packed boards in which lines are tried, shape (n, 8).
        predicted: Packed boards from which they are drawn, shape (n, 8).
        depth: The number of moves m, at least 1.
        method: One of `compiled_methods`.
        samples: N, at least 1 and below 2 million.
        seeds: One for each pair, each in [0, 2**64).
        terminal: How a game that finishes earlier counts.
        workers: Threads, at least 1; None takes one for each core. The result does not depend on
            it.
        progress: Called in this thread with the number of pairs done since the last call.

    Raises:
        InvalidArgumentError: If an argument is out of range or the shapes do not agree.
        UnsupportedBoardError: If a board has a promoted king; `supported` finds these beforehand.
    """
    check_walk(depth, terminal)
    methods = compiled_methods()
    if method not in methods:
        raise InvalidArgumentError(f"expected an estimator of {list(methods)}, got {method!r}")
    # The draws are below 2**32: so many lines times the most moves of a board must stay below.
    if not 1 <= samples < 2_000_000:
        raise InvalidArgumentError(f"expected 1 to 1,999,999 samples, got {samples!r}")
    true, predicted = checked_rows(true=true, predicted=predicted)
    if any(not 0 <= int(seed) < 2**64 for seed in seeds) or len(seeds) != len(true):
        raise InvalidArgumentError(
            f"expected {len(true)} seeds in [0, 2**64), one for each pair, got {len(seeds)} "
            f"from {min(seeds, default=None)!r} to {max(seeds, default=None)!r}"
        )
    of_pairs = np.array(seeds, dtype=np.uint64)
    values, nodes = np.empty(len(true)), np.empty(len(true), np.int64)
    estimates = compiled_module("particles").estimates

    def work(part: slice) -> None:
        estimates(
            true[part], predicted[part], depth, methods[method], samples,
            terminal == "absorb", of_pairs[part], values[part], nodes[part],
        )  # fmt: skip

    _run_slices(work, len(true), workers, 16, progress)
    return EstimatorRuns(values, nodes)


def legal_moves(state: ChessState) -> list[chess.Move]:
    """Return the legal moves, the same as python-chess generates, ordered by their numbers.

    Raises:
        UnsupportedBoardError: If the state has a promoted king.
    """
    module = compiled_module("plain_walks")
    codes = np.empty(module.MOST_MOVES, np.uint16)
    count = int(module.legal_codes(_row(state), codes))
    return [
        chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)
        for code in sorted(codes[:count].tolist())
    ]


def line_count(state: ChessState, depth: int) -> int:
    """Return how many lines of ``depth`` moves a state permits (perft).

    Args:
        state: Where the lines start.
        depth: At least 1.

    Raises:
        InvalidArgumentError: If the depth is below 1.
        UnsupportedBoardError: If the state has a promoted king.
    """
    if depth < 1:
        raise InvalidArgumentError(f"expected a depth of at least 1, got {depth!r}")
    return int(compiled_module("plain_walks").perft(_row(state), depth))


def _row(state: ChessState) -> Words:
    (rows,) = checked_rows(state=pack_states([state]))
    row: Words = rows[0]
    return row


def _code(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


_MOST_CAPTURES: Final = 31
"""Of a game: all pieces but one, where a king is taken."""


class MistakenReplays(NamedTuple):
    """The true board, then the board at the end of each mistaken replay, ordered by ply.

    At one ply, a move left out stands behind a capture not removed. There is no replay of a capture
    not removed where the taker has no square to go to.

    Attributes:
        boards: Codes of pieces as in `workbench.environments.chess.replay`, shape (1 + replays, 64).
        plies: The ply of the mistake, 1 for White's first move, shape (1 + replays,); 0 first.
        stays: Whether the mistake is a capture not removed, shape (1 + replays,).
    """

    boards: NDArray[np.uint8]
    plies: NDArray[np.int64]
    stays: NDArray[np.uint8]


def mistaken_replays(moves: Sequence[chess.Move]) -> MistakenReplays:
    """Replay a game with each of its moves left out, and with each capture not removed.

    Args:
        moves: From the first position on; they need not be legal.
    """
    most = 1 + len(moves) + min(len(moves), _MOST_CAPTURES)
    boards = np.zeros((most, 64), np.uint8)
    boards[0] = np.frombuffer(replay.START, np.uint8)
    plies, stays = np.zeros(most, np.int64), np.zeros(most, np.uint8)
    codes = list(map(_code, moves))
    rules = compiled_module("plain_walks") if kernel_works("plain_walks") else replay
    count = rules.mistaken_boards(np.array(codes, np.uint16), boards, plies, stays)
    return MistakenReplays(boards[:count].copy(), plies[:count], stays[:count])


_TESTED: Final = (
    ("4k3/P7/8/3pP3/8/8/8/4K2R w K d6 0 1", "4k3/P7/8/3pP3/8/8/8/4K1R1 w - - 0 1"),
    ("7k/5ppp/8/8/8/3n4/8/3RK3 b - - 0 1", "7k/5ppp/8/8/8/3b4/8/3RK3 b - - 0 1"),
    ("7k/4Q3/6K1/8/8/8/8/8 w - - 0 1", "7k/4R3/6K1/8/8/8/8/8 w - - 0 1"),
)
"""Pairs on which the kernel is tested when it is loaded: promotion, castling, en passant, pins, mate."""


@cache
def kernel_works(module: CompiledModule) -> bool:
    """Load a compiled module and compare its results with python-chess; warn once if it does not work."""
    try:
        compiled_module(module)
        _TESTS[module]()
    except Exception as error:  # noqa: BLE001
        warnings.warn(
            f"the compiled chess kernel ({module}) does not work with numba {version('numba')}: "
            f"{type(error).__name__}: {error}; the reference engine, which is slower, takes its "
            "place; install the version of numba that the lock file names",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


def _plain_precision(true: chess.Board, predicted: chess.Board, depth: int) -> float:
    moves, allowed = list(predicted.generate_legal_moves()), set(true.generate_legal_moves())
    if depth == 0 or not moves:
        return float(depth == 0 or not allowed)
    total = 0.0
    for move in allowed.intersection(moves):
        one, other = true.copy(stack=False), predicted.copy(stack=False)
        one.push(move)
        other.push(move)
        total += _plain_precision(one, other, depth - 1)
    return total / len(moves)


def _tested_rows() -> tuple[Words, Words, Values]:
    boards = [(chess.Board(true), chess.Board(predicted)) for true, predicted in _TESTED]
    expected = [[_plain_precision(*pair, depth) for depth in (1, 2)] for pair in boards]
    true, predicted = (pack_fens(fens) for fens in zip(*_TESTED, strict=True))
    return true, predicted, np.array(expected)


def _test_profiles() -> None:
    true, predicted, expected = _tested_rows()
    _compare("precision", joint_profiles(true, predicted, 2, workers=1).precision, expected)
    _compare("recall", joint_profiles(predicted, true, 2, workers=1).recall, expected)


def _test_estimators() -> None:
    # With more samples than there are lines nothing is left to chance.
    true, predicted, expected = _tested_rows()
    for method in ("intermediate", "intermediate-resampled", "stratified"):
        runs = run_estimators(
            true, predicted, 2, method=method, samples=500, seeds=range(len(true)), workers=1
        )
        _compare(method, runs.value, expected[:, 1])


def _compare(name: str, values: Values, expected: Values) -> None:
    if not np.allclose(values, expected, rtol=1e-12, atol=0):
        raise ArithmeticError(f"{name} {values.tolist()}, expected {expected.tolist()}")


def _test_moves() -> None:
    for fen in (fen for pair in _TESTED for fen in pair):
        state = ChessState.from_fen(fen)
        moves = sorted(state.board().generate_legal_moves(), key=_code)
        if legal_moves(state) != moves:
            raise ArithmeticError(f"other legal moves of {fen}")


_TESTS: Final[dict[CompiledModule, Callable[[], None]]] = {
    "joint_walk": _test_profiles,
    "particles": _test_estimators,
    "plain_walks": _test_moves,
}

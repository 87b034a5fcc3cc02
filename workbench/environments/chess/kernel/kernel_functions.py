"""The functions of the compiled kernel for Python: profiles, estimator runs, legal moves, perft and mistaken replays."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Final, TypeAlias

import chess
import numpy as np
from numpy.typing import NDArray

from workbench.automaton import Terminal, check_walk
from workbench.environments.chess.kernel.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import (
    WIDTH,
    Words,
    pack_states,
    supported,
    unpack_state,
)
from workbench.environments.chess.replay import START
from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidArgumentError, UnsupportedBoardError

Progress = Callable[[int], object]
"""Called in the caller's thread with the number of pairs done since the last call."""


def core_count() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(
    work: Callable[[slice], None],
    count: int,
    workers: int | None,
    chunk: int,
    progress: Progress | None,
) -> None:
    """Do ``work`` on all of ``count`` items, cut into slices, on several threads.

    Args:
        work: Does the items of one slice; slices never overlap.
        count: The number of items.
        workers: Threads, at least 1; None takes one for each core.
        chunk: The most items in a slice.
        progress: Told of each slice that is done.

    Raises:
        InvalidArgumentError: If ``workers`` is below 1.
    """
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
            for done in as_completed(parts):
                done.result()
                if progress is not None:
                    progress(parts[done].stop - parts[done].start)
        finally:
            # After an error or an interrupt what has not begun is not begun.
            pool.shutdown(cancel_futures=True)


Values: TypeAlias = NDArray[np.float64]

# The flags of joint_walk.profiles, and the depth from which a single pair takes long.
_ABSORB: Final = 1
_SAME: Final = 2
_LONG_FROM: Final = 5


@dataclass(frozen=True, slots=True)
class JointProfile:
    """Exact precision and recall of one pair.

    Attributes:
        precision: p_1 .. p_m, each in [0, 1].
        recall: r_1 .. r_m, each in [0, 1].
        node_count: Joint nodes visited, the root not counted. Without shortcuts these are all
            nodes of the joint tree down to depth m, as the reference counts; with shortcuts, fewer.
    """

    precision: tuple[float, ...]
    recall: tuple[float, ...]
    node_count: int


@dataclass(frozen=True, slots=True)
class JointProfiles:
    """Exact precision and recall of n pairs, in the order in which they were given.

    Attributes:
        precision: p_1 .. p_m of each pair, shape (n, m).
        recall: r_1 .. r_m of each pair, shape (n, m).
        node_count: As in `JointProfile`, shape (n,).
    """

    precision: Values
    recall: Values
    node_count: NDArray[np.int64]


def joint_profile(
    true: ChessState,
    predicted: ChessState,
    depth: int,
    terminal: Terminal = "absorb",
    *,
    shortcuts: bool = True,
) -> JointProfile:
    """Return p_1..p_m and r_1..r_m of one pair, as `workbench.affordance.exact_profile` does.

    Args:
        true: The true state S.
        predicted: The predicted state T.
        depth: The number of moves m, at least 1.
        terminal: How a game that finishes earlier counts.
        shortcuts: Whether to leave out what is known without walking: boards that have become the
            same, and pairs walked before. The values are the same.

    Raises:
        InvalidArgumentError: If ``depth`` or ``terminal`` is out of range.
        UnsupportedBoardError: If a state has a promoted king.
    """
    found = joint_profiles(
        pack_states([true]), pack_states([predicted]), depth, terminal, workers=1,
        shortcuts=shortcuts,
    )  # fmt: skip
    return JointProfile(
        tuple(found.precision[0].tolist()),
        tuple(found.recall[0].tolist()),
        int(found.node_count[0]),
    )


def joint_profiles(
    true: Words,
    predicted: Words,
    depth: int,
    terminal: Terminal = "absorb",
    *,
    workers: int | None = None,
    shortcuts: bool = True,
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
        shortcuts: As in `joint_profile`.
        progress: Called in this thread with the number of pairs done since the last call.

    Raises:
        InvalidArgumentError: If an argument is out of range or the shapes do not agree.
        UnsupportedBoardError: If a board has a promoted king; `supported` finds these beforehand.
    """
    check_walk(depth, terminal)
    true, predicted = checked_rows(true=true, predicted=predicted)
    flags = _ABSORB if terminal == "absorb" else 0
    count = len(true)
    precision, recall = np.empty((count, depth)), np.empty((count, depth))
    nodes = np.empty(count, np.int64)
    if shortcuts:
        flags |= _SAME if terminal == "absorb" else 0
        walk = compiled_module("joint_walk").profiles
    else:
        walk = compiled_module("plain_walks").plain_profiles

    def work(part: slice) -> None:
        walk(true[part], predicted[part], depth, flags, precision[part], recall[part], nodes[part])

    share(work, count, workers, 8 if depth < _LONG_FROM else 1, progress)
    return JointProfiles(precision, recall, nodes)


def checked_rows(**given: Words) -> Sequence[Words]:
    """Return arrays of rows, contiguous, after a check of their shapes and boards."""
    lengths = {name: len(rows) for name, rows in given.items()}
    for name, rows in given.items():
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
    return [np.ascontiguousarray(rows) for rows in given.values()]


@dataclass(frozen=True, slots=True)
class EstimatorRun:
    """One run of an estimator.

    Attributes:
        value: The estimate of p_m, at least 0.
        node_count: States generated on the way.
    """

    value: float
    node_count: int


@dataclass(frozen=True, slots=True)
class EstimatorRuns:
    """A run on each of n pairs, in the order in which they were given.

    Attributes:
        value: The estimates of p_m, shape (n,).
        node_count: States generated on the way, shape (n,).
    """

    value: Values
    node_count: NDArray[np.int64]


def compiled_methods() -> Mapping[str, int]:
    """Return the estimators that are compiled, by name, with their numbers in the compiled code."""
    methods: Mapping[str, int] = compiled_module("particles").METHODS
    return methods


def run_estimator(
    true: ChessState,
    predicted: ChessState,
    depth: int,
    *,
    method: str,
    samples: int,
    seed: int,
    terminal: Terminal = "absorb",
) -> EstimatorRun:
    """Run an estimator once: the same distribution as its namesake in `workbench.affordance`.

    Args:
        true: The state in which lines are tried.
        predicted: The state from which they are drawn.
        depth: The number of moves m, at least 1.
        method: One of `compiled_methods`.
        samples: N, at least 1 and below 2 million.
        seed: In [0, 2**64). It alone decides the random draws.
        terminal: How a game that finishes earlier counts.

    Raises:
        InvalidArgumentError: If an argument is out of range.
        UnsupportedBoardError: If a state has a promoted king.
    """
    found = run_estimators(
        pack_states([true]), pack_states([predicted]), depth, method=method, samples=samples,
        seeds=[seed], terminal=terminal, workers=1,
    )  # fmt: skip
    return EstimatorRun(float(found.value[0]), int(found.node_count[0]))


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

    share(work, len(true), workers, 16, progress)
    return EstimatorRuns(values, nodes)


def legal_moves(state: ChessState) -> list[chess.Move]:
    """Return the legal moves, the same as python-chess generates, ordered by their numbers.

    Raises:
        UnsupportedBoardError: If the state has a promoted king.
    """
    module = compiled_module("plain_walks")
    codes = np.empty(module.MOST_MOVES, np.uint16)
    count = int(module.legal_codes(_row(state), codes))
    return _moves(codes, count)


def shared_moves(first: ChessState, second: ChessState) -> list[chess.Move]:
    """Return the moves that are legal in both states, ordered by their numbers.

    Raises:
        UnsupportedBoardError: If a state has a promoted king.
    """
    module = compiled_module("plain_walks")
    codes = np.empty(module.MOST_MOVES, np.uint16)
    count = int(module.shared_codes(_row(first), _row(second), codes))
    return _moves(codes, count)


def successor(state: ChessState, move: chess.Move) -> ChessState:
    """Return the state after a legal move, the same as python-chess's ``push`` leaves.

    Raises:
        InvalidArgumentError: If the move is not among `legal_moves`.
        UnsupportedBoardError: If the state has a promoted king.
    """
    if move not in legal_moves(state):
        raise InvalidArgumentError(
            f"expected a legal move of {state.fen()!r}, got {move.uci()!r}; "
            "legal_moves lists them, castling as the king's move of two squares"
        )
    result = np.empty(WIDTH, np.uint64)
    code = move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
    compiled_module("plain_walks").successor_row(_row(state), np.uint64(code), result)
    return unpack_state(result)


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


def _moves(codes: NDArray[np.uint16], count: int) -> list[chess.Move]:
    return [
        chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)
        for code in sorted(codes[:count].tolist())
    ]


_MOST_CAPTURES: Final = 31
"""Of a game: all pieces but one, where a king is taken."""


@dataclass(frozen=True, slots=True)
class MistakenReplays:
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
    boards[0] = np.frombuffer(START, np.uint8)
    plies, stays = np.zeros(most, np.int64), np.zeros(most, np.uint8)
    codes = [move.from_square | move.to_square << 6 | (move.promotion or 0) << 12 for move in moves]
    found = compiled_module("replays").mistaken_boards(
        np.array(codes, np.uint16), boards, plies, stays
    )
    return MistakenReplays(boards[:found].copy(), plies[:found], stays[:found])

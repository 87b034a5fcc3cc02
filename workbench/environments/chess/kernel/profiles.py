"""Exact p_1..p_m and r_1..r_m of pairs of chess states, compiled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.machine_code.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import (
    WIDTH,
    Words,
    pack_states,
    supported,
    unpack_state,
)
from workbench.environments.chess.kernel.threads import Progress, share
from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidArgumentError, UnsupportedBoardError
from workbench.terminal import Terminal, check_walk

Values: TypeAlias = NDArray[np.float64]

# The flags of machine_code.joint.profiles, and the depth from which a single pair takes long.
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
        walk = compiled_module("joint").profiles
    else:
        walk = compiled_module("plain_joint").plain_profiles

    def work(part: slice) -> None:
        walk(true[part], predicted[part], depth, flags, precision[part], recall[part], nodes[part])

    share(work, count, workers, 8 if depth < _LONG_FROM else 1, progress)
    return JointProfiles(precision, recall, nodes)


def checked_rows(**given: Words) -> Sequence[Words]:
    """Return arrays of rows, contiguous, after a check of their shapes and boards.

    Args:
        given: The arrays by the names that a message shall give them.

    Raises:
        InvalidArgumentError: If they are no rows, or not equally many.
        UnsupportedBoardError: If a board has a promoted king.
    """
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

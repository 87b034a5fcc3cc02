"""The kernel as the compiled twin that `workbench.environments.chess.ChessAutomaton` offers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.environments.chess.kernel.estimator_runs import compiled_methods, run_estimators
from workbench.environments.chess.kernel.machine_code.cache import compiled_module
from workbench.environments.chess.kernel.packed_boards import Words, pack_states, supported
from workbench.environments.chess.kernel.profiles import joint_profile, joint_profiles
from workbench.environments.chess.state import ChessState
from workbench.terminal import Terminal


class ChessTwin:
    """Exact walks and estimators of chess, compiled; see `workbench.automaton.CompiledTwin`."""

    @property
    def methods(self) -> frozenset[str]:
        """Names of the estimators that it runs."""
        return frozenset(compiled_methods())

    def supports(self, *states: ChessState) -> bool:
        """Return whether none of the states has a promoted king."""
        return bool(supported(pack_states(states)).all())

    def packed(self, states: Sequence[ChessState]) -> Words:
        """Return states as the kernel's words, shape (n, 8)."""
        return pack_states(states)

    def supported(self, rows: Words) -> NDArray[np.bool_]:
        """Return for each packed state whether it has no promoted king."""
        return supported(rows)

    def joint_walks(
        self,
        true: Words,
        predicted: Words,
        depth: int,
        terminal: Terminal,
        workers: int | None = 1,
    ) -> NDArray[np.float64]:
        """Return p_1..p_m and then r_1..r_m of each pair of packed states."""
        found = joint_profiles(true, predicted, depth, terminal, workers=workers)
        return np.hstack([found.precision, found.recall])

    def estimates(
        self,
        true: Words,
        predicted: Words,
        depth: int,
        *,
        method: str,
        samples: int,
        seeds: Sequence[int],
        terminal: Terminal,
    ) -> NDArray[np.float64]:
        """Return the value of one run of an estimator for each pair of packed states."""
        runs = run_estimators(
            true, predicted, depth, method=method, samples=samples, seeds=seeds, terminal=terminal,
            workers=1,
        )  # fmt: skip
        return runs.value

    def joint_walk(
        self, true: ChessState, predicted: ChessState, depth: int, terminal: Terminal
    ) -> tuple[tuple[float, ...], tuple[float, ...], int]:
        """Return p_1..p_m, r_1..r_m and the joint nodes visited."""
        found = joint_profile(true, predicted, depth, terminal)
        return found.precision, found.recall, found.node_count

    def expected_joint_nodes(
        self, true: ChessState, predicted: ChessState, depth: int, probes: int, seed: int
    ) -> float:
        """Estimate the joint nodes above the last ply by random probes."""
        one, other = pack_states([true, predicted])
        found = compiled_module("probes").expected_nodes(one, other, depth, probes, np.uint64(seed))
        return float(found)

    def estimator_runs(
        self,
        true: ChessState,
        predicted: ChessState,
        depth: int,
        *,
        method: str,
        samples: int,
        seeds: Sequence[int],
        terminal: Terminal,
        workers: int | None = 1,
    ) -> list[tuple[float, int]]:
        """Return value and node count of one run of an estimator for each seed."""
        one, other = (
            np.repeat(pack_states([state]), len(seeds), axis=0) for state in (true, predicted)
        )
        found = run_estimators(
            one, other, depth, method=method, samples=samples, seeds=list(seeds),
            terminal=terminal, workers=workers,
        )  # fmt: skip
        return list(zip(found.value.tolist(), found.node_count.tolist(), strict=True))

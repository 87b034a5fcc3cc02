"""The compiled twin for chess: exact profiles and estimators at the speed of machine code.

Its moves are exactly those that python-chess generates, on every board that python-chess reads,
well-formed or not, but for boards with a promoted king (``K~``), which it refuses. Nothing above
this package knows numba, and importing it does not import numba: the first call does.
"""

from workbench.environments.chess.kernel.estimator_runs import (
    EstimatorRun,
    EstimatorRuns,
    compiled_methods,
    run_estimator,
    run_estimators,
)
from workbench.environments.chess.kernel.game_replays import MistakenReplays, mistaken_replays
from workbench.environments.chess.kernel.packed_boards import (
    pack_fens,
    pack_states,
    supported,
    unpack_state,
)
from workbench.environments.chess.kernel.positions import (
    legal_moves,
    line_count,
    shared_moves,
    successor,
)
from workbench.environments.chess.kernel.profiles import (
    JointProfile,
    JointProfiles,
    joint_profile,
    joint_profiles,
)

__all__ = [
    "EstimatorRun",
    "EstimatorRuns",
    "JointProfile",
    "JointProfiles",
    "MistakenReplays",
    "compiled_methods",
    "joint_profile",
    "joint_profiles",
    "legal_moves",
    "line_count",
    "mistaken_replays",
    "pack_fens",
    "pack_states",
    "run_estimator",
    "run_estimators",
    "shared_moves",
    "successor",
    "supported",
    "unpack_state",
]

"""The compiled twin for chess: exact profiles and estimators at the speed of machine code.

Its moves are exactly those that python-chess generates, on every board that python-chess reads,
well-formed or not, but for boards with a promoted king (``K~``), which it refuses. Nothing above
this package knows numba, and importing it does not import numba: the first call does.
"""

from workbench.environments.chess.kernel.kernel_functions import (
    EstimatorRun,
    EstimatorRuns,
    JointProfile,
    JointProfiles,
    MistakenReplays,
    compiled_methods,
    joint_profile,
    joint_profiles,
    legal_moves,
    line_count,
    mistaken_replays,
    run_estimator,
    run_estimators,
    shared_moves,
    successor,
)
from workbench.environments.chess.kernel.packed_boards import (
    pack_fens,
    pack_states,
    supported,
    unpack_state,
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

"""The compiled twin for chess: exact profiles and estimators at the speed of machine code.

Its moves are exactly those that python-chess generates, on every board that python-chess reads,
well-formed or not, but for boards with a promoted king (``K~``), which it refuses. Nothing above
this package knows numba, and importing it does not import numba: the first call does.
"""

from workbench.kernel.positions import legal_moves, line_count, shared_moves, successor
from workbench.kernel.profiles import JointProfile, JointProfiles, joint_profile, joint_profiles
from workbench.kernel.rows import pack_fens, pack_states, supported, unpack_state
from workbench.kernel.runs import (
    METHODS,
    EstimatorRun,
    EstimatorRuns,
    run_estimator,
    run_estimators,
)

__all__ = [
    "METHODS",
    "EstimatorRun",
    "EstimatorRuns",
    "JointProfile",
    "JointProfiles",
    "joint_profile",
    "joint_profiles",
    "legal_moves",
    "line_count",
    "pack_fens",
    "pack_states",
    "run_estimator",
    "run_estimators",
    "shared_moves",
    "successor",
    "supported",
    "unpack_state",
]

"""Backward reasoning: whether a board can arise from a game at all, and where tracking was lost."""

from workbench.backward.lost_track import LossKind, LostTrack, lost_track
from workbench.backward.reachability import Condition, conditions_violated_by, violated_conditions

__all__ = [
    "Condition",
    "LossKind",
    "LostTrack",
    "conditions_violated_by",
    "lost_track",
    "violated_conditions",
]

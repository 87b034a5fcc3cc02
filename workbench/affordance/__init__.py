"""Precision and recall of two states: exact profiles and estimators, on any automaton."""

from workbench.affordance.adaptive import Measurement, measure
from workbench.affordance.estimate import Estimate, estimate
from workbench.affordance.estimators import ESTIMATORS
from workbench.affordance.profile import (
    Profile,
    SetOverlap,
    SurvivalCurve,
    exact_profile,
    exact_set_overlap,
    survival_curve,
)
from workbench.automaton import Terminal

__all__ = [
    "ESTIMATORS",
    "Estimate",
    "Measurement",
    "Profile",
    "SetOverlap",
    "SurvivalCurve",
    "Terminal",
    "estimate",
    "exact_profile",
    "exact_set_overlap",
    "measure",
    "survival_curve",
]

"""The estimators of p_m, one algorithm per file, all with the contract of `contract.py`."""

from types import MappingProxyType
from typing import Final

from workbench.affordance.estimators.branch import Branch
from workbench.affordance.estimators.contract import Estimator
from workbench.affordance.estimators.intermediate import Intermediate
from workbench.affordance.estimators.naive import Naive
from workbench.affordance.estimators.resampled import Resampled
from workbench.affordance.estimators.stratified import Stratified

_REGISTERED: Final[tuple[Estimator, ...]] = (
    Naive(),
    Branch(),
    Intermediate("count"),
    Intermediate("mass"),
    Resampled(),
    Stratified(),
)

ESTIMATORS: Final = MappingProxyType({each.name: each for each in _REGISTERED})
"""The estimators by name, in the order of figures; everything else about one is in its class."""

__all__ = ["ESTIMATORS"]

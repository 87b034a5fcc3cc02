"""The estimators of p_m, one algorithm per file, all with the contract of `contract.py`.

An estimator that another package registers under the entry-point group ``workbench.estimators``, as
an object or a class without arguments, is available wherever those of the workbench are.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from typing import Final

from workbench.affordance.estimators.branch import Branch
from workbench.affordance.estimators.contract import Estimator
from workbench.affordance.estimators.intermediate import Intermediate
from workbench.affordance.estimators.naive import Naive
from workbench.affordance.estimators.resampled import Resampled
from workbench.affordance.estimators.stratified import Stratified
from workbench.errors import InvalidArgumentError

GROUP: Final = "workbench.estimators"

_REGISTERED: Final[tuple[Estimator, ...]] = (
    Naive(),
    Branch(),
    Intermediate("count"),
    Intermediate("mass"),
    Resampled(),
    Stratified(),
)


class Estimators(Mapping[str, Estimator]):
    """The estimators by name, in the order of figures; everything else about one is in its class.

    Those of other packages are loaded when the mapping is first used.

    Raises:
        InvalidArgumentError: On first use, if a registered object is no estimator.
    """

    def __getitem__(self, name: str) -> Estimator:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @cached_property
    def _by_name(self) -> dict[str, Estimator]:
        estimators = {each.name: each for each in _REGISTERED}
        for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
            estimator = _loaded(entry)
            for each in estimators.values():
                if estimator.name == each.name or estimator.look == each.look:
                    raise InvalidArgumentError(
                        f"{GROUP}: expected the entry point {entry.name!r} with a name and a look "
                        f"of its own, got {estimator.name!r} and {estimator.look!r}; "
                        f"{each.name!r} has look {each.look!r}"
                    )
            estimators[estimator.name] = estimator
        return estimators


def _loaded(entry: EntryPoint) -> Estimator:
    loaded = entry.load()
    estimator: Estimator = loaded() if isinstance(loaded, type) else loaded
    kinds = {"name": str, "label": str, "look": int, "unbiased": bool, "binomial": bool}
    wrong = [
        f"{name} ({kind.__name__})"
        for name, kind in kinds.items()
        if not isinstance(getattr(estimator, name, None), kind)
    ]
    try:
        signature(estimator.run).bind("pair", "samples", "generator")
    except (AttributeError, TypeError):
        wrong.append("run(pair, samples, generator)")
    if wrong:
        raise InvalidArgumentError(
            f"{GROUP}: expected the entry point {entry.name!r} to name an Estimator with "
            f"{', '.join(wrong)}, got {loaded!r:.80}; see workbench.affordance.estimators.contract"
        )
    return estimator


ESTIMATORS: Final = Estimators()
"""The estimators by name: those of the workbench, then those of other packages."""

__all__ = ["ESTIMATORS"]

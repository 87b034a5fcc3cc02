"""The user's settings in the explorer, and the limits that keep it fast."""

from dataclasses import dataclass

from workbench.errors import InvalidArgumentError
from workbench.scoring.parameters import ComparisonSettings


@dataclass(frozen=True, slots=True)
class ExplorerSettings(ComparisonSettings):
    """How the explorer measures a pair of boards: as `ComparisonSettings` say, and how closely.

    Attributes:
        exact_budget: Joint nodes above the last ply that an exact walk may be expected to visit,
            at least 1; the default takes about 40 ms on one core at 100 ns per node.
        relative_error: The relative standard error wanted where values are estimated, above 0.
        sampling_budget: States that the estimates of one depth may generate, at least 1; the last
            batches may go beyond it.
        seed: Seed of the estimates, at least 0.

    Raises:
        InvalidArgumentError: If a value is out of range.
    """

    exact_budget: int = 400_000
    relative_error: float = 0.02
    sampling_budget: int = 200_000
    seed: int = 0

    def __post_init__(self) -> None:
        ComparisonSettings.__post_init__(self)
        if self.exact_budget < 1 or self.sampling_budget < 1 or self.seed < 0:
            raise InvalidArgumentError(
                "expected exact_budget and sampling_budget of at least 1 and a seed of at least 0, "
                f"got {self.exact_budget!r}, {self.sampling_budget!r}, {self.seed!r}"
            )
        if not self.relative_error > 0:
            raise InvalidArgumentError(
                f"expected a relative_error above 0, got {self.relative_error!r}"
            )

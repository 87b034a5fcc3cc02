"""The settings of a training run: size, number of steps, and schedules."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

import numpy as np

from workbench.errors import InvalidArgumentError
from workbench.language_model.network import Shape
from workbench.language_model.training.batches import Batch, Batches
from workbench.seeds import derived_seed

SHAPES: Final[Mapping[str, Shape]] = {
    "tiny": Shape(width=32, heads=4, layers=2, blocks=1),
    "small": Shape(width=64, heads=4, layers=3, blocks=1),
    "medium": Shape(width=128, heads=4, layers=4, blocks=1),
}
LEARNING_RATES: Final = {"tiny": 4e-3, "small": 3e-3, "medium": 2e-3}
STEPS: Final = {"tiny": 4500, "small": 3400, "medium": 6000}

_LENGTHS: Final = (24, 48, 72, 100, 128, 160, 200)
_SHARES: Final = (0.06, 0.14, 0.2, 0.3, 0.2, 0.05, 0.05)
"""How often games are read to each length, in plies, after the ramp."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """A training run; the same settings on the same machine give the same weights.

    Attributes:
        size: Its name in `SHAPES`.
        steps: Of the optimiser, at least 10.
        learning_rate: The highest.
        seed: Seed of the first weights and of all draws, at least 0.
        games: Read in each step.
        ramp: The share of the steps in which games are read to increasing lengths.
        warm_up: Steps in which the learning rate rises.
        cool_down: The share of the steps at the end in which it falls to 0.
        branch_cool_down: The same for a branch, of the steps up to it.
        own_share: The share of games that do not go on at random.
        weight_decay: Of matrices.
    """

    size: str = "small"
    steps: int = 3400
    learning_rate: float = 3e-3
    seed: int = 0
    games: int = 4
    ramp: float = 0.12
    warm_up: int = 100
    cool_down: float = 0.25
    branch_cool_down: float = 0.1
    own_share: float = 0.5
    weight_decay: float = 0.01

    def __post_init__(self) -> None:
        if self.size not in SHAPES:
            raise InvalidArgumentError(f"size: expected one of {list(SHAPES)}, got {self.size!r}")
        if self.steps < 10 or self.seed < 0 or self.games < 1 or not self.learning_rate > 0:
            raise InvalidArgumentError(
                "expected at least 10 steps, a game a step, a seed of at least 0 and a learning "
                f"rate above 0, got {self!r}"
            )

    @classmethod
    def of_size(cls, size: str, steps: int | None = None, seed: int = 0) -> "TrainingSettings":
        """Return the settings of a bundled model, or of a shorter or longer run."""
        if size not in SHAPES:
            raise InvalidArgumentError(f"size: expected one of {list(SHAPES)}, got {size!r}")
        count = STEPS[size] if steps is None else steps
        return cls(size, count, LEARNING_RATES[size], seed)

    @classmethod
    def of_description(cls, description: Mapping[str, Any]) -> "TrainingSettings":
        """Return the settings with which some weights were made."""
        # There, ``games`` is how many there were to train on, not how many a step reads.
        names = {field.name for field in fields(cls)} - {"games"}
        return cls(**{name: description[name] for name in names & set(description)})

    @property
    def shape(self) -> Shape:
        """The network's."""
        return SHAPES[self.size]

    def branches(self) -> tuple[int, ...]:
        """Return the steps after which a copy is cooled down, to see what has been learned by then."""
        shares = (1 / 24, 1 / 12, 1 / 6, 1 / 4, 3 / 8, 1 / 2, 3 / 4)
        return tuple(round(share * self.steps) for share in shares)

    def branch_steps(self, step: int) -> int:
        """Return how many steps a branch takes after ``step`` steps."""
        return max(10, round(self.branch_cool_down * step))

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        rising = min(1.0, (step + 1) / self.warm_up)
        falling = min(1.0, (self.steps - step) / (self.cool_down * self.steps))
        return self.learning_rate * min(rising, falling)

    def branch_rate(self, step: int, after: int) -> float:
        """Return the learning rate of a branch, ``after`` steps after it left at ``step``."""
        steps = self.branch_steps(step)
        return self.rate_at(step) * (steps - after) / steps

    def plies_at(self, step: int) -> int:
        """Return to which length games are read in a step."""
        part = (step + 1) / (self.ramp * self.steps)
        if part < 1:
            return max(8, int(part * 100) // 8 * 8)
        generator = np.random.default_rng(derived_seed(self.seed, "length", step))
        return int(generator.choice(_LENGTHS, p=_SHARES))

    def longest_plies(self, steps: int) -> int:
        """Return to which length games are read at most in the first ``steps`` steps."""
        return max(map(self.plies_at, range(steps)))

    def batch(self, batches: Batches, step: int) -> Batch:
        """Return the batch of a step, which depends on the seed and the step alone."""
        generator = np.random.default_rng(derived_seed(self.seed, "batch", step))
        return batches.draw(generator, self.games, self.plies_at(step))

    def description(self) -> dict[str, Any]:
        """Return the settings as JSON, with the shape."""
        return asdict(self) | {"shape": asdict(self.shape)}

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
    "player": Shape(width=128, heads=4, layers=5, blocks=1),
}
LEARNING_RATES: Final = {"tiny": 4e-3, "small": 3e-3, "medium": 2e-3, "player": 1e-3}
STEPS: Final = {"tiny": 4500, "small": 3400, "medium": 6000, "player": 12000}
_BOARDS_ALONE: Final = 8
_OTHERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "player": {
        "games": 8,
        "boards": 2,
        "further_steps": 5000,
        "board_steps": 2000,
        "cool_down": 0.4,
        "moves": "legal",
        "move_weight": 2.0,
        "optimizer": "muon",
    }
}
"""What differs from the defaults of `TrainingSettings`."""

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
        boards: Asked about in each game.
        further_steps: Of a second cycle, whose learning rate falls from half of the highest to 0.
        board_steps: Steps after all others in which only what writes boards learns, from 8 boards of
            each game: the encoder and the next moves stay as they are.
        ramp: The share of the steps in which games are read to increasing lengths.
        warm_up: Steps in which the learning rate rises.
        cool_down: The share of the steps at the end in which it falls to 0.
        branch_cool_down: The same for a branch, of the steps up to it.
        own_share: The share of games that do not go on at random.
        weight_decay: Of matrices.
        moves: ``"played"`` learns the next move that the game has, ``"legal"`` the uniform
            distribution over all legal moves.
        move_weight: The weight of the loss of the next move, beside that of the boards.
        optimizer: ``"adamw"``, or ``"muon"`` for the matrices of the layers (Jordan et al. 2024;
            Liu et al. 2025, arXiv 2502.16982) and AdamW for the rest.
    """

    size: str = "small"
    steps: int = 3400
    learning_rate: float = 3e-3
    seed: int = 0
    games: int = 4
    boards: int = 8
    further_steps: int = 0
    board_steps: int = 0
    ramp: float = 0.12
    warm_up: int = 100
    cool_down: float = 0.25
    branch_cool_down: float = 0.1
    own_share: float = 0.5
    weight_decay: float = 0.01
    moves: str = "played"
    move_weight: float = 0.02
    optimizer: str = "adamw"

    def __post_init__(self) -> None:
        if self.size not in SHAPES:
            raise InvalidArgumentError(f"size: expected one of {list(SHAPES)}, got {self.size!r}")
        if self.steps < 10 or self.seed < 0 or self.games < 1 or not self.learning_rate > 0:
            raise InvalidArgumentError(
                "expected at least 10 steps, a game a step, a seed of at least 0 and a learning "
                f"rate above 0, got {self!r}"
            )
        if self.moves not in ("played", "legal") or self.optimizer not in ("adamw", "muon"):
            raise InvalidArgumentError(
                "expected moves 'played' or 'legal' and optimizer 'adamw' or 'muon', got "
                f"{self.moves!r} and {self.optimizer!r}"
            )

    @classmethod
    def of_size(cls, size: str, steps: int | None = None, seed: int = 0) -> "TrainingSettings":
        """Return the settings of a bundled model, or of a shorter or longer run."""
        if size not in SHAPES:
            raise InvalidArgumentError(f"size: expected one of {list(SHAPES)}, got {size!r}")
        count = STEPS[size] if steps is None else steps
        return cls(size, count, LEARNING_RATES[size], seed, **_OTHERS.get(size, {}))

    @classmethod
    def of_description(cls, description: Mapping[str, Any]) -> "TrainingSettings":
        """Return the settings with which some weights were made."""
        # There, ``games`` is how many there were to train on, not how many a step reads.
        names = {field.name for field in fields(cls)} - {"games"}
        return cls(**{name: description[name] for name in names & set(description)})

    @property
    def all_steps(self) -> int:
        """How many steps there are in all."""
        return self.steps + self.further_steps + self.board_steps

    def is_boards_only(self, step: int) -> bool:
        """Return whether only what writes boards learns in a step."""
        return step >= self.steps + self.further_steps

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
        further = step - self.steps
        if self.is_boards_only(step):
            return self.learning_rate * (1 - (further - self.further_steps) / self.board_steps)
        if further >= 0:
            return self.learning_rate / 2 * (1 - further / self.further_steps)
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
        boards = _BOARDS_ALONE if self.is_boards_only(step) else self.boards
        return batches.draw(generator, self.games, self.plies_at(step), boards)

    def description(self) -> dict[str, Any]:
        """Return the settings as JSON, with the shape."""
        return asdict(self) | {"shape": asdict(self.shape)}

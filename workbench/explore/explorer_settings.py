"""The settings of the explorer, its time limits, and an automaton with the words that a pair of states needs."""

from dataclasses import dataclass
from typing import Final, Generic

from workbench.affordance import exact_profile
from workbench.automaton import Action, Automaton, State, Terminal, twin_for
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


_LOOKED_AT: Final = ("board", "map")
"""Nouns of states on which something is, rather than in."""


@dataclass(frozen=True, slots=True)
class PairWords:
    """What a state, an action and an episode are called: ``board``, ``move``, ``game``."""

    state: str
    action: str
    episode: str

    @property
    def within(self) -> str:
        """What stands before a state of which something holds: ``on`` or ``in``."""
        return "on" if self.state in _LOOKED_AT else "in"

    @property
    def in_truth(self) -> str:
        """Such as ``on the true board``."""
        return f"{self.within} the true {self.state}"

    @property
    def in_both(self) -> str:
        """Such as ``on both boards``."""
        return f"{self.within} both {self.state}s"

    @property
    def permitted(self) -> str:
        """What a permitted action is called."""
        return "legal" if self.action == "move" else "permitted"

    def no_state(self, *, stated: bool) -> str:
        """Return why a prediction is no state."""
        if not stated:
            return "no state was predicted"
        return f"the predicted {self.state} is ill-formed and counts as no state"


class ExploredAutomaton(Generic[State, Action]):
    """An automaton, with the words for it and the cost of a node.

    Class attributes:
        slowdown: Time of a node without a compiled twin, relative to one with it.
        sampling_slowdown: By how much fewer states are sampled without it.
        limit_note: What is said of a limit on pairs that the compiled twin does not take.
    """

    slowdown: int = 40
    sampling_slowdown: int = 5
    limit_note: str = ""

    def __init__(self, automaton: Automaton[State, Action], words: PairWords) -> None:
        self.automaton: Final = automaton
        self.words: Final = words

    def same_lines(self, true: State, predicted: State) -> bool:
        """Return whether two states agree in everything that permitted actions depend on."""
        return true == predicted

    def compiled_takes(self, true: State, predicted: State) -> bool:
        """Return whether the compiled twin is used for a pair; else the reference is."""
        return twin_for(self.automaton, None, true, predicted) is not None

    def budget(self, true: State, predicted: State, settings: ExplorerSettings) -> int:
        """Return the joint nodes that an exact walk of a pair may be expected to visit."""
        slower = 1 if self.compiled_takes(true, predicted) else self.slowdown
        return settings.exact_budget // slower

    def sampling_budget(self, true: State, predicted: State, settings: ExplorerSettings) -> int:
        """Return the states that the estimates of one depth may generate."""
        slower = 1 if self.compiled_takes(true, predicted) else self.sampling_slowdown
        return settings.sampling_budget // slower

    def exact_values(
        self, true: State, predicted: State, depth: int, terminal: Terminal
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return p_1..p_m and r_1..r_m; states that permit the same lines need no walk."""
        if terminal == "absorb" and self.same_lines(true, predicted):
            return (1.0,) * depth, (1.0,) * depth
        profile = exact_profile(true, predicted, depth, automaton=self.automaton, terminal=terminal)
        return profile.precision, profile.recall

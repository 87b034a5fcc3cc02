"""An automaton as the explorer measures it: how much it may walk, and what it calls things."""

from typing import Final, Generic

from workbench.affordance import exact_profile
from workbench.affordance.engine import twin_for
from workbench.automaton import Action, Automaton, State
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair_words import PairWords
from workbench.terminal import Terminal


class ExploredAutomaton(Generic[State, Action]):
    """An automaton, with the words for it and the cost of a node.

    Class attributes:
        slowdown: Time of a node without a compiled twin, relative to one with it.
        sampling_slowdown: By how much fewer states are sampled without it.
        without_twin: What is said of a limit on pairs that the compiled twin does not take.
    """

    slowdown: int = 40
    sampling_slowdown: int = 5
    without_twin: str = ""

    def __init__(self, automaton: Automaton[State, Action], words: PairWords) -> None:
        """Take the automaton of both states, and the words for a pair of them."""
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
        """Return p_1..p_m and r_1..r_m; states that permit the same lines need no walk.

        Args:
            true: The true state S.
            predicted: The predicted state T.
            depth: The number of actions m, at least 1.
            terminal: How an episode that finishes earlier counts.
        """
        if terminal == "absorb" and self.same_lines(true, predicted):
            return (1.0,) * depth, (1.0,) * depth
        profile = exact_profile(true, predicted, depth, automaton=self.automaton, terminal=terminal)
        return profile.precision, profile.recall

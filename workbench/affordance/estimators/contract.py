"""The contract of every estimator, checked by one test for all."""

from dataclasses import dataclass
from typing import Generic, Protocol

import numpy as np

from workbench.automaton import Action, Automaton, State


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an estimator.

    Attributes:
        value: The estimate of p_m, at least 0; unbiased ones can exceed 1.
        node_count: States generated, a measure of cost that is independent of the machine.
    """

    value: float
    node_count: int


@dataclass(frozen=True, slots=True)
class Pair(Generic[State, Action]):
    """What an estimator works on: lines are drawn from ``predicted`` and tried in ``true``.

    Attributes:
        true: The state S.
        predicted: The state T.
        depth: The number of actions m, at least 1.
        automaton: The automaton of both states.
        absorb: Whether a line that finishes earlier is complete; else it vanishes.
    """

    true: State
    predicted: State
    depth: int
    automaton: Automaton[State, Action]
    absorb: bool

    def after(self, action: Action) -> "Pair[State, Action]":
        """Return the pair one action on; both states permit it."""
        true, predicted = (
            self.automaton.successor(state, action) for state in (self.true, self.predicted)
        )
        return Pair(true, predicted, self.depth - 1, self.automaton, self.absorb)


class Estimator(Protocol):
    """An estimator of the precision p_m(S, T); the recall is the precision of (T, S).

    One of your own needs no base class. Its package names it in its ``pyproject.toml``:
    ``[project.entry-points."workbench.estimators"]`` and ``NAME = "MODULE:CLASS"``.

    Attributes:
        name: By which calls, options and tables know it.
        label: What figures and pages call it, in a few words.
        look: The number of its look in figures, which no other has: see
            `workbench.drawing.appearance.style`.
        unbiased: Whether the mean over runs is p_m under uniform branching.
        binomial: Whether a run is the mean of independent yes-or-no draws, so that its standard
            error is known without repeating it.
    """

    name: str
    label: str
    look: int
    unbiased: bool
    binomial: bool

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate the chance that the true state accepts a line drawn from the predicted one.

        Args:
            pair: The states, the depth m and the automaton.
            samples: How many lines are kept at most, N, at least 1.
            generator: The only source of randomness.
        """
        ...

"""The contract of every estimator, checked by one test for all."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from workbench.automaton import Action, Automaton, State
from workbench.terminal import Terminal


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an estimator.

    Attributes:
        value: The estimate of p_m, at least 0; unbiased ones can exceed 1.
        node_count: States generated, a measure of cost that is independent of the machine.
    """

    value: float
    node_count: int


class Estimator(Protocol):
    """An estimator of p_m(S, T): lines are drawn from one state and tried in the other.

    Attributes:
        name: By which calls, options and tables know it.
        label: What figures and pages call it, in a few words.
        look: The number of its look in figures, which no other has: see
            `workbench.drawing.appearance.style`.
        unbiased: Whether the mean over runs is p_m under uniform branching.
        binomial: Whether a run is the mean of independent yes-or-no draws, so that its standard
            error is known without repeating it.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def label(self) -> str: ...  # noqa: D102

    @property
    def look(self) -> int: ...  # noqa: D102

    @property
    def unbiased(self) -> bool: ...  # noqa: D102

    @property
    def binomial(self) -> bool: ...  # noqa: D102

    def run(
        self,
        automaton: Automaton[State, Action],
        walks: State,
        accepts: State,
        depth: int,
        samples: int,
        generator: np.random.Generator,
        terminal: Terminal,
    ) -> Run:
        """Estimate the chance that a line of ``depth`` actions from ``walks`` is accepted.

        Args:
            automaton: The environment of both states.
            walks: The state from which lines are drawn: T for precision, S for recall.
            accepts: The state in which they are tried.
            depth: The number of actions m, at least 1.
            samples: How many lines are kept at most, N, at least 1.
            generator: The only source of randomness.
            terminal: How a line that finishes earlier counts.
        """
        ...

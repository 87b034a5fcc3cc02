"""Independent walks by uniform branching, as in section 3 of the paper.

Source: arXiv 2508.19851, section 3 (U_b).
"""

from typing import ClassVar

import numpy as np

from workbench.affordance.estimators.contract import Run
from workbench.automaton import Action, Automaton, State
from workbench.terminal import Terminal


class Branch:
    """N walks, each accepted or not; the estimate is the share accepted."""

    name: ClassVar[str] = "branch"
    label: ClassVar[str] = "uniform branching"
    look: ClassVar[int] = 1
    unbiased: ClassVar[bool] = True
    binomial: ClassVar[bool] = True

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
        """Estimate p_m; see `Estimator.run`."""
        accepted = nodes = 0
        for _ in range(samples):
            walker, other = walks, accepts
            for _ in range(depth):
                actions = automaton.permitted(walker)
                if not actions:
                    accepted += terminal == "absorb" and not automaton.permitted(other)
                    break
                action = actions[int(generator.integers(len(actions)))]
                nodes += 1
                if action not in automaton.permitted(other):
                    break
                walker = automaton.successor(walker, action)
                other = automaton.successor(other, action)
            else:
                accepted += 1
        return Run(accepted / samples, nodes)

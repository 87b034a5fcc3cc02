"""Independent walks by uniform branching, as in section 3 of the paper.

Source: arXiv 2508.19851, section 3 (U_b).
"""

import numpy as np

from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import Action, State


class Branch:
    """N walks, each accepted or not; the estimate is the share accepted."""

    name = "branch"
    label = "uniform branching"
    look = 1
    unbiased = True
    binomial = True

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate p_m; see `Estimator.run`."""
        automaton = pair.automaton
        accepted = nodes = 0
        for _ in range(samples):
            walker, other = pair.predicted, pair.true
            for _ in range(pair.depth):
                actions = automaton.permitted(walker)
                if not actions:
                    accepted += pair.absorb and not automaton.permitted(other)
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

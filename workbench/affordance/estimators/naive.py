"""Algorithm 1 as printed: extend kept sequences by all actions, thin, accept at the end.

Thinning is uniform over *sequences*, while uniform branching weighs a sequence by prod 1/|Sigma|:
a line through states with many actions is kept too often. The estimate is therefore biased for p_m,
towards the set precision |A_S and A_T| / |A_T| of the paper's appendix, which it would be without
thinning.
Source: arXiv 2508.19851, Algorithm 1.
"""

import numpy as np

from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import Action, Sink, State


class Naive:
    """The paper's first algorithm."""

    name = "naive"
    label = "Algorithm 1 (naive)"
    look = 0
    unbiased = False
    binomial = False

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate p_m; see `Estimator.run`."""
        automaton = pair.automaton
        lines: list[tuple[State, tuple[Action, ...]]] = [(pair.predicted, ())]
        nodes = 0
        for length in range(pair.depth):
            grown: list[tuple[State, tuple[Action, ...]]] = []
            for state, line in lines:
                if len(line) < length:
                    grown.append((state, line))
                    continue
                actions = automaton.permitted(state)
                if not actions and pair.absorb:
                    grown.append((state, line))
                grown.extend((automaton.successor(state, a), (*line, a)) for a in actions)
                nodes += len(actions)
            if len(grown) > samples:
                indices = generator.choice(len(grown), size=samples, replace=False)
                grown = [grown[index] for index in indices]
            lines = grown
        if not lines:
            return Run(0.0, nodes)
        accepted = 0
        for _, line in lines:
            end = automaton.run(pair.true, line)
            nodes += len(line)
            if not isinstance(end, Sink):
                accepted += len(line) == pair.depth or not automaton.permitted(end)
        return Run(accepted / len(lines), nodes)

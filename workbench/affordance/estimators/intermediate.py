"""Algorithm 2 as printed: keep weighted lines that both states accept, and thin at every step.

A kept line of weight w has children of weight w / |Sigma|, of which those accepted by the other
state are kept. Where more than N are left, N are drawn uniformly and their weights rescaled. The
paper's "rescaled" can be read in two ways, both offered here:

* ``count``: by |L'| / N, the inverse of the chance to be drawn. Unbiased.
* ``mass``: so that the total weight is what it was before thinning. Thinning then never changes the
  total, only which lines carry it. Slightly biased.

Source: arXiv 2508.19851, Algorithm 2.
"""

from typing import Literal

import numpy as np

from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import Action, State

Rescaling = Literal["count", "mass"]


class Intermediate:
    """The paper's second algorithm, under one of the two readings of "rescaled"."""

    binomial = False

    def __init__(self, rescaling: Rescaling = "count") -> None:
        self.unbiased = rescaling == "count"
        self.name = "intermediate" if self.unbiased else "intermediate-mass"
        self.label = f"Algorithm 2 (rescaled by {rescaling})"
        self.look = 2 if self.unbiased else 5

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate p_m; see `Estimator.run`."""
        automaton = pair.automaton
        lines: list[tuple[State, State, float]] = [(pair.predicted, pair.true, 1.0)]
        finished = 0.0
        nodes = 0
        for length in range(pair.depth):
            accepted: list[tuple[State, State, Action, float]] = []
            for walker, other, weight in lines:
                actions = automaton.permitted(walker)
                allowed = frozenset(automaton.permitted(other))
                nodes += len(actions)
                if not actions and not allowed and pair.absorb:
                    finished += weight
                accepted.extend(
                    (walker, other, a, weight / len(actions)) for a in actions if a in allowed
                )
            scale = 1.0
            if len(accepted) > samples:
                indices = generator.choice(len(accepted), size=samples, replace=False)
                thinned = [accepted[index] for index in indices]
                if self.unbiased:
                    scale = len(accepted) / samples
                else:
                    scale = sum(a[3] for a in accepted) / sum(a[3] for a in thinned)
                accepted = thinned
            if length == pair.depth - 1:
                return Run(finished + scale * sum(a[3] for a in accepted), nodes)
            lines = [
                (automaton.successor(walker, a), automaton.successor(other, a), scale * weight)
                for walker, other, a, weight in accepted
            ]
        raise AssertionError("unreachable: depth is at least 1")

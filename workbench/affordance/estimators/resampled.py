"""Algorithm 2 with better thinning: stratified resampling in proportion to the weights.

Algorithm 2 of the paper keeps N of the accepted lines with equal probability, although their
weights differ. Here N equal particles are drawn so that a line of weight w is kept N w / W times on
average (W the total), by one uniform draw in each of N strata of the cumulated weights; each
particle then has weight W / N. Unbiased. The effective sample size stays N; copies of one line are
walked once.

Source: Kitagawa (1996), doi:10.1080/10618600.1996.10474692; Douc and Cappe (2005),
doi:10.1109/ISPA.2005.195385 (stratified resampling).
"""

import numpy as np

from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import Action, State


class Resampled:
    """Algorithm 2 with stratified, weight-proportional resampling."""

    name = "intermediate-resampled"
    label = "Algorithm 2 (resampled by weight)"
    look = 3
    unbiased = True
    binomial = False

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate p_m; see `Estimator.run`."""
        automaton = pair.automaton
        lines: list[tuple[State, State, float]] = [(pair.predicted, pair.true, 1.0)]
        finished = 0.0
        nodes = 0
        for length in range(pair.depth):
            accepted: list[tuple[State, State, Action]] = []
            weights: list[float] = []
            for walker, other, weight in lines:
                actions = automaton.permitted(walker)
                allowed = frozenset(automaton.permitted(other))
                nodes += len(actions)
                if not actions and not allowed and pair.absorb:
                    finished += weight
                common = [action for action in actions if action in allowed]
                accepted += [(walker, other, action) for action in common]
                weights += [weight / len(actions) for _ in common]
            if not accepted:
                return Run(finished, nodes)
            total = float(np.sum(weights))
            if length == pair.depth - 1:
                return Run(finished + total, nodes)
            if len(accepted) > samples:
                points = (np.arange(samples) + generator.random(samples)) / samples * total
                places = np.searchsorted(np.cumsum(weights), points).clip(max=len(weights) - 1)
                indices, copies = np.unique(places, return_counts=True)
                particles = [
                    (accepted[index], count * total / samples)
                    for index, count in zip(indices, copies, strict=True)
                ]
            else:
                particles = list(zip(accepted, weights, strict=True))
            lines = [
                (automaton.successor(walker, action), automaton.successor(other, action), weight)
                for (walker, other, action), weight in particles
            ]
        raise AssertionError("unreachable: depth is at least 1")

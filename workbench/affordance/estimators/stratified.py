"""Stratified sequential importance sampling on the joint tree.

N particles start at the root of the tree of sequences that both states accept, with mass 1. A node
splits its k particles over its c common actions: floor(k / c) each, and one more to a random
distinct remainder. Its mass goes down times c / |Sigma|, the chance that uniform branching takes a
common action, in equal parts to the min(c, k) children that were reached. The last step is summed
exactly. Unbiased: with k >= c every child is reached and gets its own mass, with k < c each is
reached with chance k / c and then gets c / k times as much. So the split has no variance where
k >= c, and a tree with no node of fewer particles than children is summed exactly. The particles of
a node share the cost of its actions.

Source: ours. Terms: Liu, Monte Carlo Strategies in Scientific Computing (2001), sections 2 and 3,
doi:10.1007/978-0-387-76371-2.
"""

import numpy as np

from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import Action, State


class Stratified:
    """N particles, split evenly at every node of the joint tree."""

    name = "stratified"
    label = "stratified (ours)"
    look = 4
    unbiased = True
    binomial = False

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate p_m; see `Estimator.run`."""
        actions = pair.automaton.permitted(pair.predicted)
        allowed = frozenset(pair.automaton.permitted(pair.true))
        common = [action for action in actions if action in allowed]
        if not common:
            finished = pair.absorb and not actions and not allowed
            return Run(float(finished), len(actions))
        weight = len(common) / len(actions)
        if pair.depth == 1:
            return Run(weight, len(actions))
        each, rest = divmod(samples, len(common))
        more = set(generator.choice(len(common), size=rest, replace=False).tolist())
        reached = min(samples, len(common))
        total, nodes = 0.0, len(actions)
        for index, action in enumerate(common):
            particles = each + (index in more)
            if particles:
                below = self.run(pair.after(action), particles, generator)
                total += below.value
                nodes += below.node_count
        return Run(weight * total / reached, nodes)

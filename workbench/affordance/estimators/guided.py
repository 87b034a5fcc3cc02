"""Importance sampling guided by a policy, with weights that correct back to U_b.

A policy gives each action of a state a weight; actions are drawn in proportion to it, and a line
carries the ratio of its probability under uniform branching to that under the policy. The estimate
stays unbiased for p_m as long as the policy gives no action the weight 0; a policy that favours
actions at which the two states differ lowers the variance, other policies raise it.

Source: importance sampling, Kahn and Harris (1951); Liu (2001), section 2.5,
doi:10.1007/978-0-387-76371-2.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from workbench.affordance.estimators.contract import Pair, Run
from workbench.automaton import Action, State
from workbench.errors import InvalidArgumentError

Policy = Callable[[Any, Sequence[Any]], Sequence[float]]
"""Takes a state and its actions; returns as many weights, each above 0."""


@dataclass(frozen=True, slots=True)
class Guided:
    """N independent walks by a policy; the estimate is their mean likelihood ratio.

    Attributes:
        policy: Weights of the actions.
    """

    policy: Policy
    name: ClassVar[str] = "guided"
    label: ClassVar[str] = "guided by a policy"
    look: ClassVar[int] = 6
    unbiased: ClassVar[bool] = True
    binomial: ClassVar[bool] = False

    def run(self, pair: Pair[State, Action], samples: int, generator: np.random.Generator) -> Run:
        """Estimate p_m; see `Estimator.run`.

        Raises:
            InvalidArgumentError: If the policy gives no weight above 0 for each action.
        """
        automaton = pair.automaton
        total = 0.0
        nodes = 0
        for _ in range(samples):
            walker, other, ratio = pair.predicted, pair.true, 1.0
            for _ in range(pair.depth):
                actions = automaton.permitted(walker)
                if not actions:
                    ended = pair.absorb and not automaton.permitted(other)
                    total += ratio if ended else 0.0
                    break
                chances = self._chances(walker, actions)
                index = int(generator.choice(len(actions), p=chances))
                ratio /= len(actions) * chances[index]
                nodes += 1
                action = actions[index]
                if action not in automaton.permitted(other):
                    break
                walker = automaton.successor(walker, action)
                other = automaton.successor(other, action)
            else:
                total += ratio
        return Run(total / samples, nodes)

    def _chances(self, state: Any, actions: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
        weights = np.asarray(self.policy(state, actions), dtype=float)
        if weights.shape != (len(actions),) or not (weights > 0).all():
            raise InvalidArgumentError(
                f"expected a policy to give {len(actions)} weights above 0 in {state!r}, "
                f"got {weights!r}"
            )
        return np.asarray(weights / weights.sum())

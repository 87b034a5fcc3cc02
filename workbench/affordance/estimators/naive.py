"""Algorithm 1 as printed: extend kept sequences by all actions, thin, accept at the end.

Thinning is uniform over *sequences*, while uniform branching weighs a sequence by prod 1/|Sigma|:
a line through states with many actions is kept too often. The estimate is therefore biased for p_m,
towards the set precision |A_S and A_T| / |A_T| of the paper's appendix, which it would be without
thinning.
Source: arXiv 2508.19851, Algorithm 1.
"""

from typing import ClassVar

import numpy as np

from workbench.affordance.estimators.contract import Run
from workbench.automaton import Action, Automaton, Sink, State
from workbench.terminal import Terminal


class Naive:
    """The paper's first algorithm."""

    name: ClassVar[str] = "naive"
    label: ClassVar[str] = "Algorithm 1 (naive)"
    look: ClassVar[int] = 0
    unbiased: ClassVar[bool] = False
    binomial: ClassVar[bool] = False

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
        lines: list[tuple[State, tuple[Action, ...]]] = [(walks, ())]
        nodes = 0
        for length in range(depth):
            grown: list[tuple[State, tuple[Action, ...]]] = []
            for state, line in lines:
                if len(line) < length:
                    grown.append((state, line))
                    continue
                actions = automaton.permitted(state)
                if not actions and terminal == "absorb":
                    grown.append((state, line))
                grown.extend((automaton.successor(state, a), (*line, a)) for a in actions)
                nodes += len(actions)
            if len(grown) > samples:
                kept = generator.choice(len(grown), size=samples, replace=False)
                grown = [grown[index] for index in kept]
            lines = grown
        if not lines:
            return Run(0.0, nodes)
        accepted = 0
        for _, line in lines:
            end = automaton.run(accepts, line)
            nodes += len(line)
            if not isinstance(end, Sink) and (len(line) == depth or not automaton.permitted(end)):
                accepted += 1
        return Run(accepted / len(lines), nodes)

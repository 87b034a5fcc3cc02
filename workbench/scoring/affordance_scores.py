"""Precision and recall of many pairs of boards at once, on either engine."""

from collections.abc import Sequence

import numpy as np

from workbench.affordance import estimate, exact_profile
from workbench.affordance.estimate import batch_seeds, combined
from workbench.environments import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import (
    joint_profiles,
    pack_states,
    run_estimators,
    supported,
)
from workbench.environments.chess.kernel.packed_boards import Words
from workbench.scoring.parameters import ScoringParameters
from workbench.seeds import derived_seed


def affordance_scores(
    true: Sequence[ChessState],
    predicted: Sequence[ChessState | None],
    parameters: ScoringParameters,
    seeds: Sequence[int],
) -> list[list[float]]:
    """Return precision and recall of pairs of boards.

    Args:
        true: The true states.
        predicted: As many predicted states; None is the sink, with p = r = 0.
        parameters: The parameters of scoring.
        seeds: One for each pair, for estimators.

    Returns:
        For each pair the values in the order of `ScoringParameters.measures`.
    """
    blank = [0.0] * len(parameters.measures())
    found = [list(blank) for _ in true]
    walked = [
        (index, state, other)
        for index, (state, other) in enumerate(zip(true, predicted, strict=True))
        if other is not None
    ]
    if parameters.engine == "compiled" and walked:
        walks = pack_states([state for _, state, _ in walked])
        others = pack_states([other for _, _, other in walked])
        taken = supported(walks) & supported(others)
        places = [index for (index, _, _), take in zip(walked, taken, strict=True) if take]
        compiled = _compiled(
            walks[taken], others[taken], parameters, [seeds[index] for index in places]
        )
        for index, values in zip(places, compiled, strict=True):
            found[index] = values
        walked = [pair for pair, take in zip(walked, taken, strict=True) if not take]
    for index, state, other in walked:
        found[index] = _reference(state, other, parameters, seeds[index])
    return found


def _compiled(
    true: Words, predicted: Words, parameters: ScoringParameters, seeds: list[int]
) -> list[list[float]]:
    depth, terminal = parameters.depth, parameters.terminal
    if parameters.method == "exact":
        profiles = joint_profiles(true, predicted, depth, terminal, workers=1)
        measured: list[list[float]] = np.hstack([profiles.precision, profiles.recall]).tolist()
        return measured
    columns: list[list[float]] = []
    batches = parameters.batches
    for measure, walks, accepts in (("precision", predicted, true), ("recall", true, predicted)):
        run_seeds = [
            run for seed in seeds for run in batch_seeds(derived_seed(seed, measure), batches)
        ]
        runs = run_estimators(
            parameters.method,
            np.repeat(walks, batches, axis=0),
            np.repeat(accepts, batches, axis=0),
            depth,
            parameters.samples,
            run_seeds,
            terminal,
            workers=1,
        )
        pairs = [
            combined(values.tolist(), parameters.method, parameters.samples)
            for values in runs.value.reshape(-1, batches)
        ]
        columns += [[value for value, _ in pairs], [error for _, error in pairs]]
    return [list(values) for values in zip(*columns, strict=True)]


def _reference(
    true: ChessState, predicted: ChessState, parameters: ScoringParameters, seed: int
) -> list[float]:
    automaton, depth, terminal = ChessAutomaton(), parameters.depth, parameters.terminal
    if parameters.method == "exact":
        if true == predicted and terminal == "absorb":
            return [1.0] * (2 * depth)
        profile = exact_profile(automaton, true, predicted, depth, terminal, engine="reference")
        return [*profile.precision, *profile.recall]
    values = []
    for measure, walks, accepts in (("precision", predicted, true), ("recall", true, predicted)):
        found = estimate(
            automaton,
            walks,
            accepts,
            depth,
            method=parameters.method,
            samples=parameters.samples,
            batches=parameters.batches,
            seed=derived_seed(seed, measure),
            terminal=terminal,
            engine="reference",
        )
        values += [found.value, found.standard_error]
    return values

"""Precision and recall of many pairs of states at once, on either engine."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from workbench.affordance import estimate, exact_profile
from workbench.affordance.estimate import Measure, batch_seeds, combined, in_order
from workbench.automaton import Automaton, CompiledTwin
from workbench.scoring.parameters import ScoringParameters
from workbench.seeds import derived_seed


def affordance_scores(
    automaton: Automaton[Any, Any],
    true: Sequence[Any],
    predicted: Sequence[Any],
    parameters: ScoringParameters,
    seeds: Sequence[int],
    *,
    workers: int | None = 1,
) -> list[list[float]]:
    """Return precision and recall of pairs of states.

    Args:
        automaton: Of all states.
        true: The true states.
        predicted: As many predicted states; None is the sink, with p = r = 0.
        parameters: The parameters of scoring.
        seeds: One for each pair, for estimators.
        workers: Threads of exact compiled walks; None takes one for each core.

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
    twin = automaton.compiled_twin() if parameters.engine == "compiled" else None
    if twin is not None and walked and parameters.method in {"exact", *twin.methods}:
        rows = twin.packed([state for _, state, _ in walked])
        others = twin.packed([other for _, _, other in walked])
        taken = twin.supported(rows) & twin.supported(others)
        places = [index for (index, _, _), take in zip(walked, taken, strict=True) if take]
        compiled = _compiled(
            twin,
            rows[taken],
            others[taken],
            parameters,
            [seeds[index] for index in places],
            workers,
        )
        for index, values in zip(places, compiled, strict=True):
            found[index] = values
        walked = [pair for pair, take in zip(walked, taken, strict=True) if not take]
    for index, state, other in walked:
        found[index] = _reference(automaton, state, other, parameters, seeds[index])
    return found


def _compiled(
    twin: CompiledTwin[Any],
    true: Any,
    predicted: Any,
    parameters: ScoringParameters,
    seeds: list[int],
    workers: int | None,
) -> list[list[float]]:
    depth, terminal = parameters.depth, parameters.terminal
    if parameters.method == "exact":
        measured: list[list[float]] = twin.joint_walks(
            true, predicted, depth, terminal, workers
        ).tolist()
        return measured
    columns: list[list[float]] = []
    batches = parameters.batches
    for measure in get_args(Measure):
        run_seeds = [
            run for seed in seeds for run in batch_seeds(derived_seed(seed, measure), batches)
        ]
        one, other = (
            np.repeat(rows, batches, axis=0) for rows in in_order(true, predicted, measure)
        )
        runs = twin.estimates(
            one,
            other,
            depth,
            method=parameters.method,
            samples=parameters.samples,
            seeds=run_seeds,
            terminal=terminal,
        )
        pairs = [
            combined(values.tolist(), parameters.method, parameters.samples)
            for values in runs.reshape(-1, batches)
        ]
        columns += [[value for value, _ in pairs], [error for _, error in pairs]]
    return [list(values) for values in zip(*columns, strict=True)]


def _reference(
    automaton: Automaton[Any, Any],
    true: Any,
    predicted: Any,
    parameters: ScoringParameters,
    seed: int,
) -> list[float]:
    depth, terminal = parameters.depth, parameters.terminal
    if parameters.method == "exact":
        if true == predicted and terminal == "absorb":
            return [1.0] * (2 * depth)
        profile = exact_profile(
            true, predicted, depth, automaton=automaton, terminal=terminal, engine="reference"
        )
        return [*profile.precision, *profile.recall]
    values = []
    for measure in get_args(Measure):
        found = estimate(
            true,
            predicted,
            depth,
            automaton=automaton,
            measure=measure,
            method=parameters.method,
            samples=parameters.samples,
            batches=parameters.batches,
            seed=derived_seed(seed, measure),
            terminal=terminal,
            engine="reference",
        )
        values += [found.value, found.standard_error]
    return values

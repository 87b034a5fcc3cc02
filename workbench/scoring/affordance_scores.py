"""Precision and recall of many pairs of boards at once, on either engine, each FEN parsed once."""

from collections.abc import Sequence

import numpy as np

from workbench.affordance import estimate, exact_profile
from workbench.affordance.estimate import batch_seeds, combined
from workbench.environments import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import joint_profiles, pack_fens, run_estimators, supported
from workbench.environments.chess.kernel.packed_boards import Words
from workbench.scoring.parameters import ScoringParameters
from workbench.seeds import derived_seed


def affordance_scores(
    true_fens: Sequence[str],
    predicted_fens: Sequence[str | None],
    parameters: ScoringParameters,
    seeds: Sequence[int],
) -> list[list[float]]:
    """Return precision and recall of pairs of boards.

    Args:
        true_fens: FENs that python-chess reads.
        predicted_fens: As many such FENs; None is the sink, with p = r = 0.
        parameters: The parameters of scoring.
        seeds: One for each pair, for estimators.

    Returns:
        For each pair the values in the order of `ScoringParameters.measures`.

    Raises:
        InvalidFenError: If one of the FENs cannot be read.
    """
    blank = [0.0] * len(parameters.measures())
    found = [list(blank) for _ in true_fens]
    walked = [index for index, fen in enumerate(predicted_fens) if fen is not None]
    if parameters.engine == "compiled" and walked:
        true = pack_fens([true_fens[index] for index in walked])
        predicted = pack_fens([predicted_fens[index] or "" for index in walked])
        taken = supported(true) & supported(predicted)
        places = [index for index, take in zip(walked, taken, strict=True) if take]
        compiled = _compiled(
            true[taken], predicted[taken], parameters, [seeds[index] for index in places]
        )
        for index, values in zip(places, compiled, strict=True):
            found[index] = values
        walked = [index for index, take in zip(walked, taken, strict=True) if not take]
    for index in walked:
        found[index] = _reference(
            true_fens[index], predicted_fens[index] or "", parameters, seeds[index]
        )
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
    true_fen: str, predicted_fen: str, parameters: ScoringParameters, seed: int
) -> list[float]:
    automaton, depth, terminal = ChessAutomaton(), parameters.depth, parameters.terminal
    true, predicted = ChessState.from_fen(true_fen), ChessState.from_fen(predicted_fen)
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

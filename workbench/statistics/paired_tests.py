"""Tests of pairs, their correction for many pairs, and letters for groups that no test separates.

The sign test changes the sign of the difference of whole games: if two models are alike, a game's
difference could as well have the other sign. Sources: Fisher (1935), The Design of Experiments,
section 21; McNemar (1947), doi:10.1007/BF02295996; Holm (1979), Scandinavian Journal of Statistics 6;
Piepho (2004), doi:10.1198/1061860043515, on letters for groups.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from workbench.seeds import derived_seed
from workbench.statistics.intervals import Values

_MOST_ENUMERATED: Final = 20
_MOST_DRAWN: Final = 10_000
_FLIPS: Final = 99_999
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the two-sided p-value of McNemar's exact test; NaN where no position tells.

    Args:
        only_one: Positions that the one got right and the other wrong.
        only_other: Positions that the other got right and the one wrong.
    """
    # Here, for it takes long.
    from scipy.stats import binomtest

    if only_one + only_other == 0:
        return math.nan
    return float(binomtest(only_one, only_one + only_other).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for testing several pairs; NaN stays and does not count."""
    adjusted = [math.nan] * len(p_values)
    tested = sorted((value, place) for place, value in enumerate(p_values) if not math.isnan(value))
    largest = 0.0
    for done, (value, place) in enumerate(tested):
        largest = max(largest, min(1.0, value * (len(tested) - done)))
        adjusted[place] = largest
    return adjusted


def sign_test(sums: Values, *, seed: int = 0) -> float:
    """Return the two-sided p-value of a sum, over changes of the signs of its parts.

    Games without a difference change no sum and are left out. Of the others, all changes are tried for
    up to 20 games and 99,999 drawn ones for up to 10,000; beyond, the sum is taken as normal, which
    is off by some 2% of a p-value near 0.05 if all differences are of one size, and less otherwise.

    Args:
        sums: The difference of each game, summed over its positions; shape (games,).
        seed: Seed of the draws.

    Returns:
        The share of changes with a sum at least as far from 0; NaN for fewer than two games.
    """
    if len(sums) < 2:
        return math.nan
    # Equal sums may differ in their last digit by the order of the additions.
    error = 1e-9 * float(np.abs(sums).sum())
    differing = sums[np.abs(sums) > error]
    if not len(differing):
        return 1.0
    least = abs(float(differing.sum())) - error
    if len(differing) <= _MOST_ENUMERATED:
        return float((np.abs(_sums_of_all_signs(differing)) >= least).mean())
    if len(differing) <= _MOST_DRAWN:
        as_far = int((np.abs(_sums_of_drawn_signs(differing, seed)) >= least).sum())
        # The signs that the data have are one more.
        return (as_far + 1) / (_FLIPS + 1)
    deviations = abs(float(differing.sum())) / math.sqrt(float((differing**2).sum()))
    return math.erfc(deviations / math.sqrt(2))


def least_p_value(games: int) -> float:
    """Return the least p-value that `sign_test` gives for a number of games; NaN for fewer than two."""
    if games < 2:
        return math.nan
    return 2.0 ** (1 - games) if games <= _MOST_ENUMERATED else 1 / (_FLIPS + 1)


def group_letters(ordered: Iterable[str], apart: set[frozenset[str]]) -> dict[str, str]:
    """Return letters such that two models share one if, and only if, the test does not separate them.

    Args:
        ordered: Models, the best first; the best has the letter a.
        apart: The result of `separated`.
    """
    models = list(ordered)
    groups = [frozenset(models)]
    for one, other in combinations(models, 2):
        if frozenset((one, other)) not in apart:
            continue
        split = [
            part
            for group in groups
            for part in ((group - {one}, group - {other}) if {one, other} <= group else (group,))
        ]
        groups = [
            group
            for place, group in enumerate(split)
            if not any(group < larger for larger in split) and group not in split[:place]
        ]
    groups.sort(key=lambda group: [place for place, name in enumerate(models) if name in group])
    return {
        model: "".join(_letter(place) for place, group in enumerate(groups) if model in group)
        for model in models
    }


def _letter(place: int) -> str:
    turn, rest = divmod(place, len(_LETTERS))
    return _LETTERS[rest] + (str(turn) if turn else "")


def _sums_of_all_signs(values: Values) -> Values:
    """Return the sums under all changes of signs but those of the first value, by symmetry."""
    sums = values[:1]
    for value in values[1:]:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _sums_of_drawn_signs(values: Values, seed: int) -> Values:
    generator = np.random.default_rng(derived_seed(seed, "signs", len(values)))
    sums = np.zeros(_FLIPS)
    # The sums of eight values under all their signs are a table that a drawn byte selects from.
    for first in range(0, len(values), 8):
        part = values[first : first + 8]
        both = np.concatenate([_sums_of_all_signs(part), -_sums_of_all_signs(part)])
        sums += both[generator.integers(0, len(both), _FLIPS)]
    return sums

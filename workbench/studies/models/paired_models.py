"""Models compared pair by pair on the positions that both answered, with whole games as units.

The test changes the sign of the difference of whole games: if two models are alike, a game's
difference could as well have the other sign. Sources: Fisher (1935), The Design of Experiments,
section 21; Holm (1979), Scandinavian Journal of Statistics 6; Piepho (2004),
doi:10.1198/1061860043515, on letters for groups.
"""

import math
from collections.abc import Collection, Iterable
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.drawing.quantities import range_of
from workbench.drawing.scores_in_words import scored_rows
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.statistics.intervals import (
    DIFFERENCE,
    Values,
    clustered_mean_interval,
    comparable,
)
from workbench.studies.models.prompt_effects import holm

LEVEL: Final = 0.05
"""Adjusted p-values below it separate two models."""

COLUMNS: Final = (
    "model", "other", "positions", "games", "mean", "mean_other", "difference", "low", "high",
    "effect", "better", "worse", "p_value", "holm",
)  # fmt: skip

_MOST_ENUMERATED: Final = 20
_MOST_DRAWN: Final = 10_000
_FLIPS: Final = 99_999
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def compute(
    scores: pd.DataFrame,
    *,
    measure: str = "precision_4",
    seed: int = 0,
    against: Collection[str] = (),
) -> pd.DataFrame:
    """Compare each two models on the positions that both have answered.

    A position that was asked several times counts once, by the mean of its answers. Intervals are of
    95%, by the variance between games.

    Args:
        scores: Rows of a scores table with the column ``game``, the same in all rows of a position.
        measure: A column of numbers; a higher one is better.
        seed: Seed of the sign test.
        against: If not empty, only the pairs with at least one of these models.

    Returns:
        One row for each pair of models that share a position, the better one first: model, other,
        positions and games (shared), mean and mean_other (on them), difference with low and high,
        effect (mean difference over the standard deviation of the positions' differences; NaN where
        this is 0, for all positions differ by the same amount, or there is one), better and worse (positions at which the model is above and below the other),
        p_value (two-sided, of the sign test; NaN for a single game) and holm (adjusted for all rows).

    Raises:
        InvalidArgumentError: If the measure is missing.
    """
    kept = scored_rows(scores)
    if measure not in kept:
        raise InvalidArgumentError(
            f"expected scores with {measure!r}, got {list(kept.columns)}; score with this depth"
        )
    values = kept[measure].astype(float)
    means = kept.assign(value=values)[values.notna()].pivot_table(
        index="position_id", columns="model", values="value", aggfunc="mean"
    )
    of_positions = kept.drop_duplicates("position_id").set_index("position_id")["game"]
    rows: list[dict[str, Any]] = []
    for one, other in combinations(means.columns, 2):
        if against and one not in against and other not in against:
            continue
        both = means[[one, other]].dropna()
        if both.empty:
            continue
        if both[one].mean() < both[other].mean():
            one, other = other, one
        difference = comparable(both[one]) - comparable(both[other])
        games = of_positions.loc[both.index]
        interval = clustered_mean_interval(
            difference, games, within=None if range_of(measure) is None else DIFFERENCE
        )
        sums: Values = np.asarray(pd.Series(difference).groupby(np.asarray(games)).sum(), float)
        # Differences of `comparable` values are exact to some 12 digits of these.
        alike = np.ptp(difference) <= 1e-9 * both.abs().to_numpy().max()
        spread = math.nan if alike else float(difference.std(ddof=1))
        rows.append(
            {
                "model": one,
                "other": other,
                "positions": len(both),
                "games": len(sums),
                "mean": both[one].mean(),
                "mean_other": both[other].mean(),
                "difference": interval.value,
                "low": interval.low,
                "high": interval.high,
                "effect": interval.value / spread,
                "better": int((difference > 0).sum()),
                "worse": int((difference < 0).sum()),
                "p_value": sign_test(sums, seed=seed),
            }
        )
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "holm"])
    return table.assign(holm=holm(table["p_value"].astype(float).tolist()))


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


def separated(table: pd.DataFrame, level: float = LEVEL) -> set[frozenset[str]]:
    """Return the pairs of models that the test separates.

    Args:
        table: The result of `compute`.
        level: Level of the adjusted p-value.
    """
    apart = table[table["holm"] < level]
    return {frozenset(pair) for pair in zip(apart["model"], apart["other"], strict=True)}


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

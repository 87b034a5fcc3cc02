"""Tests of pairs, their correction in families of many, and letters for groups that no test separates.

The sign test changes the sign of the difference of whole games: if two models are alike, a game's
difference could as well have the other sign. Sources: Fisher (1935), The Design of Experiments,
section 21; McNemar (1947), doi:10.1007/BF02295996; Holm (1979), Scandinavian Journal of Statistics 6;
Piepho (2004), doi:10.1198/1061860043515, on letters for groups.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.seeds import derived_seed
from workbench.statistics.grouped import groups
from workbench.statistics.intervals import Values, clustered_mean_interval, comparable

LEVEL: Final = 0.05
"""Adjusted p-values below it separate what is compared."""

_PAIR: Final = (
    "model", "other", "positions", "games", "mean", "mean_other", "difference", "low", "high", "effect",
    "better", "worse", "p_value",
)  # fmt: skip
_MOST_ENUMERATED: Final = 20
_MOST_DRAWN: Final = 10_000
_FLIPS: Final = 99_999
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the two-sided p-value of McNemar's exact test; NaN where no position tells."""
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
    for rank, (value, place) in enumerate(tested):
        largest = max(largest, min(1.0, value * (len(tested) - rank)))
        adjusted[place] = largest
    return adjusted


def holm_in_families(
    table: pd.DataFrame, p_value: str, by: str | Sequence[str]
) -> "pd.Series[float]":
    """Return p-values adjusted by `holm` in each family alone."""
    adjusted = [
        pd.Series(holm(part[p_value].astype(float).tolist()), part.index)
        for _, part in groups(table, by)
    ]
    return pd.concat(adjusted or [pd.Series(dtype=float)]).reindex(table.index)


def grouped_mcnemar(
    rows: pd.DataFrame,
    column: str,
    by: str | Sequence[str] = (),
    *,
    between: str,
    reference: Any,
    unit: str = "position_id",
) -> pd.DataFrame:
    """Test in each group whether a column of rights and wrongs differs from that of a reference.

    McNemar's exact test takes units as independent.

    Returns:
        One row for each group and value of ``between`` other than the reference: ``by``, ``between``,
        pairs (units that both have), only_here and only_reference (right in the one alone), mcnemar
        and holm.
    """
    table = []
    for key, part in groups(rows.dropna(subset=[column]), by):
        right = part.set_index(unit)[column].astype(float)
        of_reference = right[(part[between] == reference).to_numpy()]
        others = part.set_index(unit)[between]
        for value in others[others != reference].unique():
            both = pd.concat([right[others == value], of_reference], axis=1, join="inner")
            here, there = both.iloc[:, 0], both.iloc[:, 1]
            counts = (int((here > there).sum()), int((here < there).sum()))
            table.append([*key.values(), value, len(both), *counts, mcnemar(*counts)])
    names = [by] if isinstance(by, str) else list(by)
    columns = [*names, between, "pairs", "only_here", "only_reference", "mcnemar"]
    tests = pd.DataFrame(table, columns=columns)
    tests = tests.astype({**dict.fromkeys(columns[-4:-1], int), "mcnemar": float})
    return tests.assign(holm=holm_in_families(tests, "mcnemar", names))


def paired_comparisons(
    rows: pd.DataFrame, column: str, *, within: tuple[float, float] | None = None, seed: int = 0
) -> pd.DataFrame:
    """Compare each two models on the positions that both have, by a column of which more is better.

    A position with several rows counts once, by their mean. Intervals are of 95%, by the variance
    between games; the sign test takes whole games. ``within`` is the range of the differences.

    Returns:
        One row for each pair that shares a unit, the better one first: model, other,
        positions and games (shared units and clusters), mean and mean_other (on them), difference with low and high,
        effect (mean difference over the standard deviation of the units' differences; NaN where
        this is 0, for all units differ by the same amount, or there is one), better and worse (units
        at which the first is above and below the other), p_value (two-sided, of the sign test; NaN
        for a single cluster) and holm (adjusted for all rows).
    """
    values = rows[column].astype(float)
    means = rows.assign(value=values)[values.notna()].pivot_table(
        index="position_id", columns="model", values="value", aggfunc="mean"
    )
    game_of = rows.drop_duplicates("position_id").set_index("position_id")["game"]
    table: list[tuple[Any, ...]] = []
    for one, other in combinations(means.columns, 2):
        both = means[[one, other]].dropna()
        if both.empty:
            continue
        if both[one].mean() < both[other].mean():
            one, other = other, one
        difference = comparable(both[one]) - comparable(both[other])
        games = game_of.loc[both.index]
        interval = clustered_mean_interval(difference, games, within=within)
        sums: Values = np.asarray(pd.Series(difference).groupby(np.asarray(games)).sum(), float)
        # Differences of `comparable` values are exact to some 12 digits of these.
        alike = np.ptp(difference) <= 1e-9 * both.abs().to_numpy().max()
        spread = math.nan if alike else float(difference.std(ddof=1))
        table.append(
            (
                one, other, len(both), len(sums), both[one].mean(), both[other].mean(),
                interval.value, interval.low, interval.high, interval.value / spread,
                int((difference > 0).sum()), int((difference < 0).sum()), sign_test(sums, seed=seed),
            )
        )  # fmt: skip
    pairs = pd.DataFrame(table, columns=_PAIR)
    return pairs.assign(holm=holm(pairs["p_value"].astype(float).tolist()))


def separated_pairs(table: pd.DataFrame) -> set[frozenset[str]]:
    """Return the pairs that the test separates."""
    apart = table[table["holm"] < LEVEL]
    return {frozenset(pair) for pair in zip(apart["model"], apart["other"], strict=True)}


def sign_test(sums: Values, *, seed: int = 0) -> float:
    """Return the two-sided p-value of a sum, over changes of the signs of its parts.

    Games without a difference change no sum and are left out. Of the others, all changes are tried
    for up to 20 games and 99,999 drawn ones for up to 10,000; beyond, the sum is taken as normal,
    which is off by some 2% of a p-value near 0.05 if all differences are of one size, and less
    otherwise.

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
    """Return letters such that two models share one if, and only if, the test does not separate them."""
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
    size = len(_LETTERS)
    letters = [f"{_LETTERS[each % size]}{each // size or ''}" for each in range(len(groups))]
    groups.sort(key=lambda group: [place for place, name in enumerate(models) if name in group])
    return {
        model: "".join(name for name, group in zip(letters, groups, strict=True) if model in group)
        for model in models
    }


def _sums_of_all_signs(values: Values) -> Values:
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

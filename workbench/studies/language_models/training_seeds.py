"""How far trainings that differ in their seed alone differ: means and intervals between seeds."""

from typing import Final

import pandas as pd
from scipy import stats

from workbench.errors import InvalidArgumentError
from workbench.installation import RESOURCES

COLUMNS: Final = ("study", "of", "measure", "length", "seed", "value")
_KEY: Final = ["study", "of", "measure", "length"]
_LEVEL: Final = 0.95


def seed_values() -> pd.DataFrame:
    """Return the numbers of five trainings of ``small``, whose weights of seed 0 are bundled.

    Returns:
        Columns study, of (reader, network or patch), measure, length (full moves, or ``all``), seed and
        value. The studies are ``finished`` (means of the finished model), ``step`` (at which half of the
        way is covered), ``later`` (the factor by which a measure comes after the one before it),
        ``probe``, ``selectivity`` and ``patch`` (strength 1).
    """
    path = RESOURCES / "data" / "models" / "seeds.csv"
    table = pd.read_csv(
        path, dtype={"length": str}, keep_default_na=False, na_values={"value": [""]}
    )
    return table[list(COLUMNS)]


def compute(values: pd.DataFrame, study: str) -> pd.DataFrame:
    """Compute the mean of each number over seeds, with its interval of 95% by Student's t.

    The interval is of the mean over seeds; the positions are the same for all of them.

    Args:
        values: As of `seed_values`.
        study: One of its studies.

    Returns:
        Columns of, measure, length, mean, low, high (NaN with fewer than two seeds), least, most, seeds.

    Raises:
        InvalidArgumentError: If no row is of the study.
    """
    rows = values[values["study"] == study]
    if rows.empty:
        raise InvalidArgumentError(
            f"study: expected one of {sorted(values['study'].unique())}, got {study!r:.80}"
        )
    table = (
        rows.dropna(subset="value")
        .groupby(_KEY, sort=False)["value"]
        .agg(["mean", "sem", "min", "max", "count"])
        .reset_index()
        .rename(columns={"min": "least", "max": "most", "count": "seeds"})
    )
    half = stats.t.ppf((1 + _LEVEL) / 2, (table["seeds"] - 1).clip(lower=1)) * table["sem"]
    table = table.assign(low=table["mean"] - half, high=table["mean"] + half)
    return table[[*_KEY[1:], "mean", "low", "high", "least", "most", "seeds"]]

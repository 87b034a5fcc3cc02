"""Models compared pair by pair on the positions that both answered, with whole games as units."""

from collections.abc import Collection

import pandas as pd

from workbench.drawing.quantities import difference_range
from workbench.drawing.scores_in_words import scored_rows
from workbench.errors import InvalidArgumentError
from workbench.statistics.paired_tests import paired_comparisons


def compute(
    scores: pd.DataFrame,
    *,
    measure: str = "precision_4",
    seed: int = 0,
    against: Collection[str] = (),
) -> pd.DataFrame:
    """Compare each two models on the positions that both have answered.

    Args:
        scores: Rows of a scores table with the column ``game``, the same in all rows of a position.
        measure: A column of numbers; a higher one is better.
        seed: Seed of the sign test.
        against: If not empty, only the pairs with at least one of these models.

    Returns:
        As of `workbench.statistics.paired_tests.paired_comparisons`.

    Raises:
        InvalidArgumentError: If the measure is missing.
    """
    rows = scored_rows(scores)
    if measure not in rows:
        raise InvalidArgumentError(
            f"expected scores with {measure!r}, got {list(rows.columns)}; score with this depth"
        )
    return paired_comparisons(
        rows, measure, within=difference_range(measure), against=against, seed=seed
    )

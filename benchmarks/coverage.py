"""How often 95% intervals of each unbiased estimator hold the exact p_m: 1,000 for each pair and m.

Run from the repository: ``python -m benchmarks.coverage``, some fifteen minutes, with ``--repeats``
fewer intervals, with ``--games`` pairs from PGN files in place of games of random moves. The pairs
are those of notebook 07: eight near, five far.
"""

import argparse
import time
from pathlib import Path

import pandas as pd

from workbench.affordance import ESTIMATORS
from workbench.affordance.estimate import BATCHES
from workbench.studies.estimators import bias_and_variance
from workbench.studies.estimators.comparison_pairs import ROUNDING, pairs


def measured(games: list[Path], repeats: int, samples: int, seed: int) -> pd.DataFrame:
    """Return a row for each pair, depth and estimator; see `bias_and_variance.compute`.

    Args:
        games: PGN files; random play where there are none.
        repeats: Intervals for each pair, depth and estimator.
        samples: N of each run.
        seed: Of the pairs and runs.
    """
    return bias_and_variance.compute(
        pairs(games=[str(path) for path in games], seed=seed),
        methods=[name for name, each in ESTIMATORS.items() if each.unbiased],
        samples=samples,
        repeats=repeats * BATCHES,
        seed=seed,
    )


def coverage(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of intervals that hold p_m, in per cent, on near and far pairs.

    Args:
        table: What `measured` returned.

    Returns:
        A row for each kind, estimator and depth: pooled over pairs that vary, lowest, highest,
        pairs, and certain (pairs without any spread, which always hold and are left out).
    """
    table = table.assign(
        share=100 * table["covered"] / table["intervals"], certain=table["deviation"] <= ROUNDING
    )
    keys = ["kind", "method", "depth"]
    found = (
        table[~table["certain"]]
        .groupby(keys, sort=False)
        .agg(
            pooled=("share", "mean"),
            lowest=("share", "min"),
            highest=("share", "max"),
            pairs=("pair", "count"),
        )
    )
    return found.join(table.groupby(keys)["certain"].sum())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=Path, nargs="*", default=[])
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.perf_counter()
    table = measured(given.games, given.repeats, given.samples, given.seed)
    print(coverage(table).round(1).to_string())
    print(f"{given.repeats} intervals of {BATCHES} runs, N = {given.samples}; ", end="")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

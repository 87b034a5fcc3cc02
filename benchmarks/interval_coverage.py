"""How often 95% intervals over games hold the true value, in games and positions like the recorded ones.

Run from the repository: ``python -m benchmarks.interval_coverage``, some fifteen minutes; ``--sets`` data
sets of each kind. The design is that of the recorded World Cup replies: 20 games with 1 to 101 of the
1,000 positions, by band of ten full moves and all together. Each data set has the recorded values,
drawn anew: those of a game are correlated through a normal variable (a Gaussian copula), as strongly
as the recorded ones of the band, so that the true mean, difference or tau is that of the recorded
rows. Compared are percentiles of 1,000 resamples of whole games, Student's t with G - 1 degrees of the
plain variance between games, and the intervals of `workbench.statistics.intervals`.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import kendalltau, norm
from scipy.stats import t as student

from workbench.scoring import ScoringParameters
from workbench.statistics.intervals import (
    DIFFERENCE,
    SHARE,
    cluster_resamples,
    clustered_mean_interval,
    clustered_tau_interval,
    comparable,
    quantile_ends,
    resampled_means,
)
from workbench.studies.study_scores import recorded_scores

MODELS: Final = {
    "near 1": "o3-2025-04-16",
    "middle": "gpt-4.1-2025-04-14",
    "near 0": "gpt-4.1-nano-2025-04-14",
}
PAIRS: Final = {
    "o3 less o3-mini": ("o3-2025-04-16", "o3-mini-2025-01-31"),
    "gpt-4.1 less its mini": ("gpt-4.1-2025-04-14", "gpt-4.1-mini-2025-04-14"),
}
BAND: Final = 20
"""Half-moves."""
RESAMPLES: Final = 1000
LEVEL: Final = 0.95
CORRELATIONS: Final = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Ends = tuple[float, float]


class Design:
    """The positions of some bands, with the rows that are drawn anew in each.

    Args:
        rows: With ``game``, ``band`` and the columns below; they are drawn in the order of the first.
        columns: What is drawn together.
        generator: Of the data sets that tell how strongly rows of a game are correlated.
    """

    def __init__(
        self, rows: pd.DataFrame, columns: list[str], generator: np.random.Generator
    ) -> None:
        """Sort the rows of each band, and find its correlation."""
        bands = [part for _, part in rows.groupby("band")]
        games = pd.concat(bands)["game"]
        self.codes, names = pd.factorize(games)
        self.games = len(names)
        ends = np.cumsum([len(band) for band in bands])
        self.parts = [slice(end - len(band), end) for end, band in zip(ends, bands, strict=True)]
        self.values = [band.sort_values(columns)[columns].to_numpy(float) for band in bands]
        self.all = np.concatenate(self.values)
        self.correlations = [
            self._correlation(band[columns[0]].to_numpy(float), place, generator)
            for place, band in enumerate(bands)
        ]

    def _correlation(self, values: Numbers, place: int, generator: np.random.Generator) -> float:
        codes, _ = pd.factorize(self.codes[self.parts[place]])
        wanted = max(0.0, intraclass_correlation(values, codes))
        found = [
            np.mean(
                [
                    intraclass_correlation(self._band(place, each, None, generator)[:, 0], codes)
                    for _ in range(100)
                ]
            )
            for each in CORRELATIONS
        ]
        return CORRELATIONS[int(np.abs(np.array(found) - wanted).argmin())]

    def _band(
        self,
        place: int,
        correlation: float,
        of_games: Numbers | None,
        generator: np.random.Generator,
    ) -> Numbers:
        codes, rows = self.codes[self.parts[place]], self.values[place]
        of_games = generator.normal(size=self.games) if of_games is None else of_games
        latent = correlation**0.5 * of_games[codes]
        latent += (1 - correlation) ** 0.5 * generator.normal(size=len(codes))
        return rows[np.minimum((norm.cdf(latent) * len(rows)).astype(int), len(rows) - 1)]

    def drawn(self, generator: np.random.Generator) -> Numbers:
        """Return a data set, shape (rows, columns); a game's variable is the same in all bands."""
        of_games = generator.normal(size=self.games)
        parts = [
            self._band(place, each, of_games, generator)
            for place, each in enumerate(self.correlations)
        ]
        return np.concatenate(parts)


def intraclass_correlation(values: Numbers, codes: Codes) -> float:
    """Return the correlation of rows of one cluster by the analysis of variance; 0 of equal values."""
    sizes = np.bincount(codes)
    means = np.bincount(codes, values) / sizes
    between = (sizes * (means - values.mean()) ** 2).sum() / (len(sizes) - 1)
    within = ((values - means[codes]) ** 2).sum() / (len(values) - len(sizes))
    size = (len(values) - (sizes**2).sum() / len(values)) / (len(sizes) - 1)
    total = between + (size - 1) * within
    return float((between - within) / total) if total > 0 else 0.0


def percentiles(values: Numbers, codes: Codes, seed: int) -> Ends:
    """Return the percentile interval of a mean from resampled clusters."""
    drawn = cluster_resamples(int(codes.max()) + 1, RESAMPLES, seed)
    return quantile_ends(resampled_means(values, codes, drawn), LEVEL)


def plain_student(values: Numbers, codes: Codes) -> Ends:
    """Return Student's interval with G - 1 degrees, of the plain variance between clusters."""
    sums = np.bincount(codes, values - values.mean())
    error = np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1)) / len(values)
    half = student.ppf((1 + LEVEL) / 2, len(sums) - 1) * error
    return values.mean() - half, values.mean() + half


def tau_percentiles(values: Numbers, others: Numbers, codes: Codes, seed: int) -> Ends:
    """Return the percentile interval of tau-b from resampled clusters, by the pairs of clusters."""
    games = np.eye(int(codes.max()) + 1)[codes]
    signs = [np.sign(each[:, None] - each) for each in (comparable(values), comparable(others))]
    drawn = cluster_resamples(games.shape[1], RESAMPLES, seed).astype(float)
    sums = [
        ((drawn @ (games.T @ each @ games)) * drawn).sum(axis=1)
        for each in (signs[0] * signs[1], *map(np.abs, signs))
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        return quantile_ends(sums[0] / np.sqrt(sums[1] * sums[2]), LEVEL)


def shares(
    design: Design,
    truth: float,
    methods: dict[str, Callable[[Numbers, int], Ends]],
    sets: int,
    generator: np.random.Generator,
) -> dict[str, Any]:
    """Return the share of data sets whose interval holds the truth, and which had an interval at all."""
    holds: dict[str, list[float]] = {name: [] for name in methods}
    for seed in range(sets):
        data = design.drawn(generator)
        for name, method in methods.items():
            low, high = method(data, seed)
            holds[name].append(np.nan if np.isnan(low) else float(low <= truth <= high))
    row: dict[str, Any] = {name: np.nanmean(each) for name, each in holds.items()}
    return row | {"no interval": np.isnan(holds["now"]).mean()}


def designs(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each band, and all of them."""
    for band, part in rows.groupby("band"):
        yield f"{band - BAND // 2 + 1}–{band}", part
    yield "all", rows


def measured(scores: pd.DataFrame, sets: int, seed: int) -> pd.DataFrame:
    """Return a row for each quantity, model or pair, and band: truth, design and coverage.

    Args:
        scores: Of the recorded World Cup replies, with ``game``.
        sets: Data sets of each.
        seed: Of the data sets.
    """
    generator = np.random.default_rng(seed)
    scores = scores.assign(band=((scores["ply"] - 1) // BAND + 1) * BAND // 2)
    wide = scores.pivot_table(index="position_id", columns="model", values="precision_4")
    of_positions = scores.drop_duplicates("position_id").set_index("position_id")
    kinds: list[tuple[str, str, pd.DataFrame]] = []
    for name, model in MODELS.items():
        rows = scores[scores["model"] == model]
        rows = rows.assign(value=comparable(rows["precision_4"]), other=-rows["levenshtein"])
        kinds += [("mean", name, rows), ("tau", name, rows)]
    for name, (one, other) in PAIRS.items():
        difference = comparable(wide[one]) - comparable(wide[other])
        kinds.append(("difference", name, of_positions.loc[wide.index].assign(value=difference)))
    found = []
    for kind, name, table in sorted(kinds, key=lambda each: each[0]):
        for band, rows in designs(table):
            columns = ["value", "other"] if kind == "tau" else ["value"]
            design = Design(rows, columns, generator)
            codes, sizes = design.codes, np.bincount(design.codes)
            within = SHARE if kind == "mean" else DIFFERENCE
            if kind == "tau":
                truth = kendalltau(*design.all.T).statistic
                methods: dict[str, Callable[[Numbers, int], Ends]] = {
                    "percentiles": lambda data, seed, codes=codes: tau_percentiles(
                        *data.T, codes, seed
                    ),
                    "now": lambda data, seed, codes=codes: _ends(
                        clustered_tau_interval(*data.T, codes)
                    ),
                }
            else:
                truth = design.all.mean()
                methods = {
                    "percentiles": lambda data, seed, codes=codes: percentiles(
                        data[:, 0], codes, seed
                    ),
                    "t, G - 1": lambda data, seed, codes=codes: plain_student(data[:, 0], codes),
                    "now": lambda data, seed, codes=codes, within=within: _ends(
                        clustered_mean_interval(data[:, 0], codes, within=within)
                    ),
                }
            found.append(
                {
                    "quantity": kind,
                    "of": name,
                    "full moves": band,
                    "games": design.games,
                    "effective": sizes.sum() ** 2 / (sizes**2).sum(),
                    "true value": truth,
                    **shares(design, truth, methods, sets, generator),
                }
            )
    return pd.DataFrame(found)


def _ends(interval: Any) -> Ends:
    return interval.low, interval.high


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        scores = recorded_scores(folder, ScoringParameters(depth=4), jobs=2)
    table = measured(scores, given.sets, given.seed)
    shown = table.astype(object)
    for name, digits in (("effective", 1), ("true value", 4)):
        shown[name] = [f"{value:.{digits}f}" for value in table[name]]
    for name in ("percentiles", "t, G - 1", "now", "no interval"):
        shown[name] = ["" if np.isnan(value) else f"{value:.3f}" for value in table[name]]
    columns = [
        *(name for name in shown if name not in {"now", "no interval"}),
        "now",
        "no interval",
    ]
    for cells in (columns, ["---"] * len(columns), *shown[columns].to_numpy()):
        print(f"| {' | '.join(map(str, cells))} |")
    print(f"{given.sets} data sets a row; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

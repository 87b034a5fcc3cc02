"""How far consistency can be trusted: beside truth, where truth is known, with what else would rank alike.

Consistency is not truth: a model can tell one wrong story in two ways. So a rank correlation with
truth is reported between models and within the replies of each, beside the same of controls: the
shares of readable and of valid answers, readable pairs alone, and pairs whose second answer is taken
from another game at the same length.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.consistency.measure import SIDES, between_states, depth_of
from workbench.environment import AnyEnvironment
from workbench.prediction import READABLE, ReplyClass
from workbench.scoring import ScoringParameters
from workbench.statistics.intervals import cluster_resamples, comparable, quantile_ends

MODEL: Final = ("model", "setting")
"""The columns by which the rows of a table are those of one model."""

MEASURES: Final = {
    "consistency": "consistency",
    "consistency_readable": "consistency of readable pairs",
    "readable_answers": "share of readable answers",
    "valid_answers": "share of valid answers",
    "shuffled": "consistency with the answer of another game",
}
"""What is ranked against truth, and its words in tables; all but the first are controls."""

_SHUFFLES: Final = 100


def with_controls(
    environment: AnyEnvironment,
    pairs: pd.DataFrame,
    parameters: ScoringParameters | None = None,
    *,
    seed: int = 0,
) -> pd.DataFrame:
    """Return pairs with the columns of the controls of `MEASURES`.

    Args:
        environment: Of the pairs.
        pairs: As of `workbench.consistency.measure.measured_pairs`, with the columns `MODEL`.
        parameters: As of the pairs; by default with their depth.
        seed: Of the shuffled pairs, at least 0.
    """
    parameters = parameters or ScoringParameters(depth_of(pairs))
    generator = np.random.default_rng(seed)
    classes = [pairs[f"{side}_class"] for side in SIDES]
    other = pairs["second_state"].copy()
    for _, part in pairs.groupby([*MODEL, "relation", "ply"], sort=False):
        # One place further in a random order is always another pair, where there are two.
        order = generator.permutation(part.index.to_numpy())
        other.loc[order] = pairs.loc[np.roll(order, 1), "second_state"].to_numpy()
    shuffled = between_states(environment, pairs["first_state"], other, parameters)
    alone = pairs.groupby([*MODEL, "relation", "ply"])["ply"].transform("size") < 2
    undefined = pairs["failed"].to_numpy(bool)
    return pairs.assign(
        consistency_readable=pairs["consistency"].where(pairs["readable"] == 1),
        readable_answers=np.where(
            undefined, np.nan, sum(each.isin(READABLE).to_numpy(float) for each in classes) / 2
        ),
        valid_answers=np.where(
            undefined,
            np.nan,
            sum((each == ReplyClass.VALID).to_numpy(float) for each in classes) / 2,
        ),
        shuffled=np.where(undefined | alone.to_numpy(bool), np.nan, shuffled),
    )


def between_models(
    pairs: pd.DataFrame, *, resamples: int = 1000, seed: int = 0, least: int = 3
) -> pd.DataFrame:
    """Return Spearman's rank correlation with truth over models, each model a point.

    Args:
        pairs: As of `with_controls`.
        resamples: Of whole games, for the percentile intervals of 95%, at least 1.
        seed: Of the resamples, at least 0.
        least: Models that a relation needs, or it has no row.

    Returns:
        A row for each relation and measure of `MEASURES`: relation, measure, rho, low, high, models
        and games. Undefined where all models have the same value. The models stay the same in all
        resamples: the interval says nothing about other models.
    """
    rows = []
    for relation, part in pairs.groupby("relation", sort=False):
        names = part.groupby(list(MODEL)).ngroup()
        if names.nunique() < least:
            continue
        games, codes = np.unique(part["game_id"].astype(str), return_inverse=True)
        draws = np.vstack([
            np.ones((1, len(games))), cluster_resamples(len(games), resamples, seed)
        ])  # fmt: skip
        truth = _means(part["truth"], names, codes, draws)
        for measure in MEASURES:
            values = _means(part[measure], names, codes, draws)
            rho = [_spearman(one, other) for one, other in zip(values, truth, strict=True)]
            low, high = quantile_ends(rho[1:])
            rows.append(
                {"relation": relation, "measure": measure, "rho": rho[0], "low": low, "high": high,
                 "models": names.nunique(), "games": len(games)}
            )  # fmt: skip
    columns = ["relation", "measure", "rho", "low", "high", "models", "games"]
    return pd.DataFrame(rows, columns=columns)


def within_models(pairs: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Return Spearman's rank correlation with truth over the pairs of each model.

    Args:
        pairs: As of `workbench.consistency.measure.measured_pairs`, with the columns `MODEL`.
        seed: Of the control, at least 0.

    Returns:
        A row for each relation, model and setting: count, ``rho`` of consistency and truth,
        ``rho_readable`` over pairs of which both answers are readable, and ``rho_length``: the mean
        over `_SHUFFLES` orders in which consistency is shuffled among pairs of the same length, so
        what length alone explains. Undefined where either is the same in all pairs.
    """
    generator = np.random.default_rng(seed)
    rows = []
    for key, part in pairs.groupby(["relation", *MODEL], sort=False):
        defined = part.dropna(subset=["consistency", "truth"])
        readable = defined[defined["readable"] == 1]
        consistency, truth = (defined[name].to_numpy(float) for name in ("consistency", "truth"))
        by_ply = list(defined.reset_index(drop=True).groupby("ply").groups.values())
        shuffles = []
        for _ in range(_SHUFFLES):
            values = consistency.copy()
            for places in by_ply:
                values[places] = generator.permutation(consistency[places])
            shuffles.append(_spearman(values, truth))
        rows.append(
            {**dict(zip(["relation", *MODEL], key, strict=True)), "count": len(defined),
             "rho": _spearman(consistency, truth),
             "rho_readable": _spearman(readable["consistency"], readable["truth"]),
             "rho_length": float(np.mean(shuffles))}
        )  # fmt: skip
    return pd.DataFrame(rows)


def _means(
    column: "pd.Series[float]",
    names: "pd.Series[int]",
    games: npt.NDArray[np.intp],
    draws: npt.NDArray[Any],
) -> npt.NDArray[np.float64]:
    """Return the mean of each model in each draw of games, of shape (draws, models)."""
    defined = column.notna().to_numpy(bool)
    shape = names.nunique(), draws.shape[1]
    sums, counts = np.zeros(shape), np.zeros(shape)
    places = names.to_numpy()[defined], games[defined]
    np.add.at(sums, places, column.to_numpy(float)[defined])
    np.add.at(counts, places, 1.0)
    of_draws, rows = draws @ sums.T, draws @ counts.T
    means: npt.NDArray[np.float64] = np.divide(
        of_draws, rows, out=np.full(rows.shape, np.nan), where=rows > 0
    )
    return means


def _spearman(values: Sequence[float] | Any, others: Sequence[float] | Any) -> float:
    """Return the rank correlation of values that both are defined; NaN where either does not vary."""
    # Here, for it takes long.
    from scipy.stats import rankdata

    both = comparable(np.asarray([values, others], float))
    one, other = (rankdata(each) for each in both[:, ~np.isnan(both).any(axis=0)])
    if len(one) < 2 or len(np.unique(one)) < 2 or len(np.unique(other)) < 2:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])

"""Families of pairs of models: each is tested, and its p-values adjusted, by itself.

A family has pairs of models that were asked about the same positions in the same setting; the settings
of one model are a family of their own, and so are pairs that share only some positions or no setting.
What stands beside a run must not decide what is found out about its own models.
"""

from collections.abc import Collection, Iterator
from typing import Final

import pandas as pd

from workbench.drawing.scores_in_words import scored_rows
from workbench.reports.numbers_in_words import counted, number
from workbench.statistics.paired_tests import LEVEL, holm_in_families, least_p_value

OWN: Final = "pair of the runs' models"
WITH_BESIDE: Final = "pair of a run's model and one beside"
BESIDE: Final = "pair of the models beside"
SETTINGS: Final = "pair of settings of {}"
UNLIKE: Final = " with other positions or settings"
"""Ends the name of a family whose models were not asked alike."""

INTERVAL_AND_TEST: Final = (
    "An interval is about its pair alone, and the p-value is adjusted for all pairs of the family and "
    "limited by the number of games: so an interval can exclude zero where the test does not separate."
)


def asked_alike(scores: pd.DataFrame) -> pd.DataFrame:
    """Return how each model was asked: two with the same values were asked alike.

    Args:
        scores: Of a chapter and what stands beside it, with the columns ``asked`` and ``setting``.

    Returns:
        By model: asked (its name as it was), setting, positions (the set of their ids, where any model
        has a score) and variant (the setting where the model was asked about these positions in
        several, else empty).
    """
    # What stands beside was not asked about positions that have no score at all.
    known = scores["position_id"].isin(scored_rows(scores)["position_id"])
    rows = scores.assign(setting=scores["setting"].fillna(""))[known]
    models = rows.groupby("model").agg(
        asked=("asked", "first"), setting=("setting", "first"), positions=("position_id", frozenset)
    )
    several = models.groupby(["asked", "positions"])["setting"].transform("nunique") > 1
    return models.assign(variant=models["setting"].where(several, ""))


def in_families(pairs: pd.DataFrame, scores: pd.DataFrame, own: Collection[str]) -> pd.DataFrame:
    """Return pairs of models with the column ``family``, and ``holm`` adjusted in each family alone.

    Args:
        pairs: The result of `workbench.studies.models.paired_models.compute`.
        scores: What it was computed of.
        own: The runs' models; all others stand beside.
    """
    models = asked_alike(scores)
    one, other = (models.loc[pairs[side]].reset_index(drop=True) for side in ("model", "other"))
    members = pairs["model"].isin(own).astype(int) + pairs["other"].isin(own).astype(int)
    family = members.map({2: OWN, 1: WITH_BESIDE, 0: BESIDE}).reset_index(drop=True)
    alike = (one["positions"] == other["positions"]) & (one["variant"] == other["variant"])
    family = family.where(alike, family + UNLIKE)
    of_settings = (one["asked"] == other["asked"]) & (one["setting"] != other["setting"])
    family = family.where(~of_settings, one["asked"].map(SETTINGS.format))
    named = pairs.assign(family=family.to_numpy())
    return named.assign(holm=holm_in_families(named, "p_value", "family"))


def families(pairs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each family that has pairs, by its name: the runs' models first."""
    first = {name: place for place, name in enumerate((OWN, WITH_BESIDE, BESIDE))}
    for name in sorted(pairs["family"].unique(), key=lambda name: (first.get(name, 3), name)):
        yield name, pairs[pairs["family"] == name]


def rankings(scores: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Yield which models are ranked with each other, with a name: those that were asked alike.

    Args:
        scores: As of `asked_alike`.
    """
    models = asked_alike(scores)
    models["count"] = models["positions"].map(len)
    for (_, variant), part in models.groupby(["positions", "variant"], sort=False):
        if len(part) > 1:
            words = f" in the setting {variant}" if variant else ""
            yield (
                f"{len(part)} models asked about the same {counted(part['count'].iloc[0], 'position')}{words}",
                list(part.index),
            )
    for (asked, _), part in models.groupby(["asked", "positions"], sort=False):
        if part["setting"].nunique() > 1:
            name = f"{len(part)} settings of {asked} at the same {counted(part['count'].iloc[0], 'position')}"
            yield name, list(part.index)


def counted_family(family: str, count: int) -> str:
    """Return how many pairs a family has, in words."""
    return counted(count, family, family.replace("pair ", "pairs ", 1))


def correction_words(pairs: pd.DataFrame) -> str:
    """Return for how many pairs p-values are adjusted, family by family, and which are too many."""
    counts = [counted_family(name, len(part)) for name, part in families(pairs)]
    apart = ", each family by itself" if len(counts) > 1 else ""
    return f"Holm's correction for {' and for '.join(counts)}{apart}."


def too_few_games(pairs: pd.DataFrame) -> list[str]:
    """Return a sentence for each family in which the test cannot separate any pair, whatever it finds."""
    said = []
    for name, part in families(pairs):
        tested = int(part["p_value"].notna().sum())
        games = int(part["games"].max())
        least = least_p_value(games)
        if not tested:
            said.append(f"The positions are of one game: the test cannot separate any {name}.")
        elif least * tested >= LEVEL:
            times = f", and the correction multiplies the least by {tested:,}" if tested > 1 else ""
            said.append(
                f"With {counted(games, 'game')} no p-value is below {number(least)}{times}: the test "
                f"cannot separate any {name}."
            )
    return said

"""Pairs of models in families: each is tested, and its p-values adjusted, by itself.

What stands beside a run must not decide what is found out about its own models.
"""

from collections.abc import Collection, Iterator
from typing import Final

import pandas as pd

from workbench.reports.numbers_in_words import counted, number
from workbench.studies.models.paired_models import LEVEL, least_p_value
from workbench.studies.models.prompt_effects import holm

OWN: Final = "pair of the runs' models"
WITH_BESIDE: Final = "pair of a run's model and one beside"
BESIDE: Final = "pair of the models beside"


def in_families(pairs: pd.DataFrame, own: Collection[str]) -> pd.DataFrame:
    """Return pairs of models with the column ``family``, and ``holm`` adjusted in each family alone.

    Args:
        pairs: The result of `workbench.studies.models.paired_models.compute`.
        own: The runs' models; all others stand beside.
    """
    members = pairs["model"].isin(own).astype(int) + pairs["other"].isin(own).astype(int)
    named = pairs.assign(family=members.map({2: OWN, 1: WITH_BESIDE, 0: BESIDE}))
    for _, part in named.groupby("family"):
        named.loc[part.index, "holm"] = holm(part["p_value"].astype(float).tolist())
    return named


def families(pairs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each family that has pairs, by its name."""
    for name in (OWN, WITH_BESIDE, BESIDE):
        part = pairs[pairs["family"] == name]
        if len(part):
            yield name, part


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

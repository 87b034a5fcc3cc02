"""What a scores table holds, in words that stand on every figure drawn from it."""

from collections.abc import Sequence

import pandas as pd

CLASSES = ("valid", "ill_formed", "unparseable", "absent")


def scored_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have scores; the others are named in their column ``unscored``."""
    return scores[scores["unscored"] == ""]


def class_counts(scores: pd.DataFrame, by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """Count the four classes of replies, and the rows that could not be scored.

    Args:
        scores: Rows of a scores table.
        by: Columns to group by.

    Returns:
        One row a group, with a column a class, ``unscored`` and ``count``.
    """
    counts = scores.assign(row=1).pivot_table(
        index=list(by), columns="reply_class", values="row", aggfunc="sum", fill_value=0
    )
    counts = counts.reindex(columns=list(CLASSES), fill_value=0)
    unscored = (scores["unscored"] != "").groupby([scores[name] for name in by]).sum()
    return counts.assign(unscored=unscored, count=counts.sum(axis=1)).reset_index()


def describe_scores(scores: pd.DataFrame) -> str:
    """Return the data's one-line description: models, classes of replies, policy, terminal."""
    models = ", ".join(sorted(scores["model"].unique())) or "no rows"
    counts = scores["reply_class"].value_counts()
    classes = ", ".join(f"{counts.get(name, 0)} {name}" for name in CLASSES)
    unscored = int((scores["unscored"] != "").sum())
    policy = ", ".join(sorted(scores["ill_formed_policy"].unique()))
    terminal = ", ".join(sorted(scores["terminal"].unique()))
    return (
        f"{models}; {classes}"
        + (f", {unscored} unscored" if unscored else "")
        + f"\nill-formed boards: {policy}; finished games: {terminal}"
    )

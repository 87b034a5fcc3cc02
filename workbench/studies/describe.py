"""What a scores table holds, in words that stand on every figure drawn from it."""

from collections.abc import Sequence

import pandas as pd

from workbench.replies.extract import ReplyClass

CLASSES = tuple(str(name) for name in ReplyClass)


def scored_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have scores, which every study is about.

    The others are failed calls, which say nothing about a model, and rows whose true FEN cannot be
    read; their column ``unscored`` says why. See `left_out`.
    """
    return scores[scores["unscored"] == ""]


def left_out(scores: pd.DataFrame) -> dict[str, int]:
    """Count the rows that `scored_rows` leaves out.

    Returns:
        ``failed``: calls that failed; ``unscored``: replies that could not be scored.
    """
    failed = scores["reply_class"] == ReplyClass.FAILED
    return {
        "failed": int(failed.sum()),
        "unscored": int(((scores["unscored"] != "") & ~failed).sum()),
    }


def counted_replies(scores: pd.DataFrame) -> str:
    """Return the replies of each class in words, and how many rows every study leaves out."""
    counts = scores["reply_class"].value_counts()
    missing = left_out(scores)
    replies = [f"{counts.get(name, 0)} {name}" for name in CLASSES if name != ReplyClass.FAILED]
    if missing["unscored"]:
        replies.append(f"{missing['unscored']} unscored")
    failed = missing["failed"]
    return ", ".join(replies) + (
        f"; {failed} failed {'call' if failed == 1 else 'calls'} left out" if failed else ""
    )


def class_counts(scores: pd.DataFrame, by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """Count the classes of replies, failed calls among them, and the rows not scored.

    Args:
        scores: Rows of a scores table.
        by: Columns to group by.

    Returns:
        One row a group, with a column a class, ``unscored`` (replies that could not be scored)
        and ``count`` (all rows, failed calls included).
    """
    counts = scores.assign(row=1).pivot_table(
        index=list(by), columns="reply_class", values="row", aggfunc="sum", fill_value=0
    )
    counts = counts.reindex(columns=list(CLASSES), fill_value=0)
    kept_out = (scores["unscored"] != "") & (scores["reply_class"] != ReplyClass.FAILED)
    unscored = kept_out.groupby([scores[name] for name in by]).sum()
    return counts.assign(unscored=unscored, count=counts.sum(axis=1)).reset_index()


def describe_scores(scores: pd.DataFrame) -> str:
    """Return the data's one-line description: models, classes of replies, policy, terminal."""
    models = ", ".join(sorted(scores["model"].unique())) or "no rows"
    policy = ", ".join(sorted(scores["ill_formed_policy"].unique()))
    terminal = ", ".join(sorted(scores["terminal"].unique()))
    return f"{models}; {counted_replies(scores)}\nill-formed boards: {policy}; finished games: {terminal}"

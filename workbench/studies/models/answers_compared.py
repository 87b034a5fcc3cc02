"""Which replies are right, and which replies to a question give the same answer, for every task."""

import re

import pandas as pd

from workbench.prediction import ACTION_SEPARATOR


def right_answers(scores: pd.DataFrame, depth: int) -> "pd.Series[bool]":
    """Return which replies are right.

    A state is right if its text is the true one. Actions are if each of p_1 .. p_m and r_1 .. r_m that
    their task defines is 1: every permitted action and no other, or a line that is accepted whole.

    Args:
        scores: Rows of a scores table.
        depth: m.
    """
    names = [str(name) for name in scores.columns]
    found = [re.fullmatch(r"(?:precision|recall)_(\d+)", name) for name in names]
    used = [match[0] for match in found if match and int(match[1]) <= depth]
    measures = scores[used].astype(float)
    by_measures = (measures.isna() | (measures == 1)).all(axis=1) & measures.notna().any(axis=1)
    exact = scores["exact_match"]
    return exact.eq(True).where(exact.notna(), by_measures).astype(bool)


def compared_answers(scores: pd.DataFrame) -> "pd.Series[str]":
    """Return a text for each reply, equal for equal answers; empty where a reply gives none.

    A list of permitted actions is compared without its order and repetitions, a line of actions with
    them.

    Args:
        scores: Rows of a scores table.
    """
    if "predicted_actions" not in scores:
        return scores["predicted_state"].fillna("")
    lists = scores["predicted_actions"].fillna("")
    listed = scores["task"] == "actions"
    sets = lists.map(lambda text: ACTION_SEPARATOR.join(sorted(set(text.split(ACTION_SEPARATOR)))))
    return scores["predicted_state"].fillna(lists.where(~listed, sets)).astype(str)

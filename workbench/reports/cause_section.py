"""Why a report's states are wrong: the main causes of each model's replies, and states of each cause."""

from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.drawing.score_description import scored_rows
from workbench.environments.registry import DEFAULT
from workbench.explore.board_reading import pair_link
from workbench.explore.run.failure_causes import (
    NOTHING_LOST,
    SEVERAL,
    UNDEFINED,
    UNREADABLE,
    failure_causes,
)
from workbench.explore.run.run_table import run_table
from workbench.prediction import READABLE
from workbench.reports.chapters import Chapter, baselines_of
from workbench.reports.evidence import reply_text, with_replies
from workbench.reports.notable_replies import pair_of_states
from workbench.reports.page_parts import (
    Markup,
    counted,
    details,
    link,
    pairs,
    paragraph,
    section,
    share,
    table,
)
from workbench.scoring.parameters import MEASURES

MOST_SAMPLED: Final = 200
"""Replies of a model whose causes are computed: of chess, whose boards are walked by compiled code."""

MOST_WALKED: Final = 50
"""Replies of a model whose causes are computed: of other environments."""

MOST_EXAMPLES: Final = 2
"""Replies that a cause opens."""

_SEED: Final = 0
_MOST_MODELS: Final = 3
_OPENS: Final = "; a number opens one of them"
_RARE: Final = 0.005
"""Causes of a smaller share of the replies are one column."""
_OTHERS: Final = "other causes"
_ONE_CAUSE: Final = "one main cause"
_SEVERAL: Final = SEVERAL.removesuffix(": ")
_UNREADABLE: Final = UNREADABLE.removesuffix(": ")


def cause_sample(chapter: Chapter) -> pd.DataFrame:
    """Return scored replies of each model with their main causes.

    The positions are shuffled once for all models: those that were asked alike have replies to the
    same positions. The baseline's stay if there are no others.

    Args:
        chapter: A chapter whose replies are states.

    Returns:
        Rows as of `workbench.explore.run.run_table.RunTable`, in the order of the shuffle, with the
        columns of `workbench.explore.run.failure_causes.failure_causes`.
    """
    rows = scored_rows(chapter.scores)
    of_models = rows[~rows["model"].isin(baselines_of(chapter))]
    rows = rows if of_models.empty else of_models
    positions = np.sort(rows["position_id"].unique())
    shuffled = np.random.default_rng(_SEED).permutation(positions)
    place = rows["position_id"].map(dict(zip(shuffled, range(len(shuffled)), strict=True)))
    ordered = rows.assign(place=place).sort_values(["place", "sample"], kind="stable")
    sample = ordered.groupby("model", sort=False).head(_most(chapter)).drop(columns="place")
    prepared = run_table(sample, chapter.depth).rows
    return prepared.join(failure_causes(prepared, chapter.depth))


def wrong_replies(sample: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a `cause_sample` that lose precision or recall."""
    return sample[~sample["cause"].isin([NOTHING_LOST, UNDEFINED])]


def kinds_of_wrong(chapter: Chapter, wrong: pd.DataFrame) -> "pd.Series[str]":
    """Return of `wrong_replies` whether they have several errors, one main cause, or no readable state."""
    causes, noun = wrong["cause"], chapter.environment.state_noun
    kinds = pd.Series(_ONE_CAUSE, wrong.index).where(~causes.str.startswith(SEVERAL), _SEVERAL)
    return kinds.where(wrong["reply_class"].isin(READABLE), f"no readable {noun}")


def cause_section(chapter: Chapter, sample: pd.DataFrame, identity: str) -> str:
    """Return how often each cause is the main one by model; a cause opens some of its replies.

    Args:
        chapter: A chapter whose replies are states.
        sample: Its `cause_sample`.
        identity: Begins the identities.
    """
    noun, wrong = chapter.environment.state_noun, wrong_replies(sample)
    precision, recall = (f"{name[0]}_{chapter.depth}" for name in MEASURES)
    words = (
        f"A reply counts under its main cause: the one difference of the two {noun}s, the check or the end of the "
        f"{chapter.environment.episode_noun} that alone accounts for at least half of what {precision} loses; where {precision} "
        f"is 1, of what {recall} loses. Without such a one it has several errors. Computed for at most {_most(chapter)} replies of "
        f"each model, at positions in one random order for all models (seed {_SEED}): "
        f"{counted(len(sample), 'reply', 'replies')}, of which {len(wrong):,} lose something."
    )
    counts = wrong["cause"].value_counts()
    names = {cause: f"{identity}-cause-{place}" for place, cause in enumerate(counts.index)}
    return section(
        f"{identity}-causes",
        f"Why the {noun}s are wrong",
        paragraph(words),
        _counts(chapter, sample, identity),
        *(_examples(chapter, wrong, cause, names[cause]) for cause in counts.index),
    )


def _most(chapter: Chapter) -> int:
    return MOST_SAMPLED if chapter.environment.name == DEFAULT else MOST_WALKED


def _counts(chapter: Chapter, sample: pd.DataFrame, identity: str) -> str:
    """Return the causes by model as a table; a number opens one of its replies, a head those of all models."""
    heads = sample["cause"].where(~sample["cause"].str.startswith(UNREADABLE), _UNREADABLE)
    frequent = heads.value_counts(normalize=True) >= _RARE
    heads = heads.where(heads.map(frequent) | heads.isin([NOTHING_LOST, UNDEFINED]), _OTHERS)
    counts = pd.crosstab(sample["model"], heads)
    causes = counts.drop(columns=[NOTHING_LOST, UNDEFINED], errors="ignore").sum()
    ordered = causes.sort_values(ascending=False, kind="stable").index
    columns = [NOTHING_LOST, *ordered, *([UNDEFINED] if UNDEFINED in counts else [])]
    counts = counts.reindex(columns=columns, fill_value=0)
    right = (counts[NOTHING_LOST] / counts.sum(axis=1)).sort_values(ascending=False, kind="stable")
    first = sample.assign(head=heads).drop_duplicates(["model", "head"])
    first = first.set_index(["model", "head"])
    rows = [
        [
            model,
            f"{counts.loc[model].sum():,}",
            *(
                Markup(link(_opened(chapter, first.loc[(model, cause)], identity), f"{count:,}"))
                if count
                else "0"
                for cause, count in counts.loc[model].items()
            ),
        ]
        for model in right.index
    ]
    return table(
        f"Replies by main cause{_OPENS if chapter.environment.name == DEFAULT else ''}",
        ["model", "replies", *columns],
        rows,
    )


def _opened(chapter: Chapter, row: "pd.Series[Any]", identity: str) -> str:
    """Return the link to a reply's boards, or to replies of its class; nothing where boards do not open."""
    if row["reply_class"] not in READABLE:
        return f"#{identity}-replies-{row['reply_class']}"
    if chapter.environment.name != DEFAULT:
        return ""
    return pair_link(row["true_state"], row["predicted_state"])


def _examples(chapter: Chapter, wrong: pd.DataFrame, cause: str, name: str) -> str:
    """Return what a cause opens: how many replies have it, of which models, and the first of these."""
    part = wrong[wrong["cause"] == cause]
    of_models = part["model"].value_counts()
    named = ", ".join(f"{model} {count:,}" for model, count in of_models[:_MOST_MODELS].items())
    more = len(of_models) - _MOST_MODELS
    title = f"{cause}: {counted(len(part), 'reply', 'replies')} ({named}{f', {more} more' if more > 0 else ''})"
    # Of two models and two positions where several have it.
    alike = part[["model", "position_id"]].eq(part[["model", "position_id"]].iloc[0]).sum(axis=1)
    alike.iloc[0] = -1
    examples = part.loc[alike.sort_values(kind="stable").index[:MOST_EXAMPLES]].to_dict("records")
    if part["reply_class"].isin(READABLE).all():
        content = pairs(pair_of_states(chapter, row, _gain(chapter, row)) for row in examples)
    else:
        texts = with_replies(chapter, pd.DataFrame(examples))
        content = "".join(reply_text(chapter, row) for row in texts.to_dict("records"))
    return details(title, content, identity=name)


def _gain(chapter: Chapter, row: dict[Any, Any]) -> str:
    if pd.isna(row["gain"]):
        return ""
    symbol = f"{row['measure'][0]}_{chapter.depth}"
    return f" This alone accounts for {share(row['gain'])} of what {symbol} loses."

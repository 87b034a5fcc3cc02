"""A run as RunBrowser shows it: one row per prediction, its values by name, its disagreements and texts."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.answers.game_clusters import games_of_scores
from workbench.drawing.reply_words import status_words
from workbench.drawing.score_description import environment_of, state_words
from workbench.errors import InvalidArgumentError, TableError
from workbench.explore.run.failure_causes import FailureCauses, depths_of
from workbench.metrics import with_summaries
from workbench.prediction import CLASSES, ReplyClass
from workbench.scoring.parameters import Distance

FILTERS: Final = MappingProxyType(
    {"sets": "set", "models": "model", "settings": "setting", "groups": "group"}
)
"""The column that each list of names of a RowChoice restricts; classes are apart."""


FIELD_PREFIX: Final = "correct_"
"""Before the name of a field in the columns of a scores table that say whether it is right."""


def value_name(column: str, value: Any) -> str:
    """Return a value of a column in `FILTERS` as filters and cells show it.

    A group is 5, not 5.0; the empty setting is ``default``; what is missing or empty is ``none``.
    """
    if pd.isna(value) or value == "":
        return "default" if column == "setting" and value == "" else "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def flags_of(status: Any) -> frozenset[str]:
    """Return the flags in a cell of the column ``status``."""
    return frozenset(status.split()) if isinstance(status, str) else frozenset()


def value_names(rows: pd.DataFrame, column: str) -> "pd.Series[str]":
    """Return the `value_name` of each row's value in a column."""
    # Many rows share a value: each is named once.
    codes, values = pd.factorize(rows[column], use_na_sentinel=False)
    names = np.array([value_name(column, value) for value in values], dtype=object)
    return pd.Series(names[codes], rows.index, dtype=str)


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in alphabetical order, numbers in them by size: 256 before 1024."""
    return sorted(
        names,
        key=lambda name: [
            int(part) if place % 2 else part
            for place, part in enumerate(re.split(r"([0-9]{1,9})", name))
        ],
    )


def levels_of(column: "pd.Series[Any]") -> list[Any] | None:
    """Return a column's texts in their own order; None if that is the alphabet's."""
    if column.name in ("setting", "model_setting"):
        return in_order(column.dropna().unique())
    return list(CLASSES) if column.name == "reply_class" else None


_HASHED: Final = re.compile(r"([^0-9]*)(.*-)([0-9a-f]{8})")
"""The position ids of an import: letters, the place in the file, and a hash."""


def short_positions(names: Sequence[str]) -> dict[str, str]:
    """Return a short name for each position id, a part of it, different from all others.

    Of ids that end with a hash, the letters that all begin with are left out, and as much of the hash
    as tells none apart. Other ids stay as they are.
    """
    parts = [match for match in map(_HASHED.fullmatch, names) if match]
    if len(parts) < len(names) or len({match[1] for match in parts}) != 1:
        return dict(zip(names, names, strict=True))
    for digits in range(9):
        short = [(match[2] + match[3][:digits]).rstrip("-") for match in parts]
        if len(set(short)) == len(set(names)):
            break
    return dict(zip(names, short, strict=True))


_RELEASE: Final = re.compile(
    r"-\d{4}-\d{2}-\d{2}|(-preview)?-\d{2}-\d{2}|-\d{3}(?=$|,)|(-v\d)?[-.][qQ]\d\w*\.gguf(?=$|,)"
)
"""Dates, numbers and files of a release in the names of models."""


def short_models(names: Sequence[str]) -> dict[str, str]:
    """Return a short name for each model, without its release where it is the only one of its name."""
    short = {name: _RELEASE.sub("", name) for name in names}
    counts = Counter(short.values())
    return {name: text if text and counts[text] == 1 else name for name, text in short.items()}


LONGEST_SHOWN: Final = 2000
"""Characters of a reply that are shown; of a longer one, the part around what was searched for."""


class ReplyTexts:
    """The texts of replies, one for each row of a run."""

    def __init__(self, texts: Sequence[str | None], states: Iterable[str | None]) -> None:
        self._texts = texts
        self._states = states

    @property
    def kept(self) -> bool:
        """Whether any reply is kept."""
        return any(text is not None for text in self._texts)

    @cached_property
    def _folded(self) -> list[str]:
        pairs = zip(self._texts, self._states, strict=True)
        texts = (state if text is None else text for text, state in pairs)
        # A missing state can be None or NaN.
        return [text.casefold() if isinstance(text, str) else "" for text in texts]

    def of(self, numbers: Iterable[int]) -> list[str | None]:
        """Return the whole replies of some rows."""
        return [self._texts[number] for number in numbers]

    def contain(self, part: str) -> NDArray[np.bool_]:
        """Return for each row whether its reply, or its state, has a part, in upper or lower case."""
        folded = part.casefold()
        return np.array([folded in text for text in self._folded], dtype=np.bool_)

    def excerpt(self, row: int, phrase: str = "") -> dict[str, Any] | None:
        """Return the part of a reply around what was searched for.

        Returns:
            None if there is no reply; else ``length`` (characters of the whole), ``skipped``
            (characters before the part), and the part as ``before``, ``match`` and ``after``;
            without a match all of it is ``after``.
        """
        text = self._texts[row]
        if text is None:
            return None
        # Folding a letter such as ß changes the length; what then is not found here is not marked.
        at = text.lower().find(phrase.lower()) if phrase else -1
        at, end = (at, at + len(phrase)) if at >= 0 else (0, 0)
        start = max(0, min(at - LONGEST_SHOWN // 4, len(text) - LONGEST_SHOWN))
        stop = start + LONGEST_SHOWN
        return {
            "length": len(text),
            "skipped": start,
            "before": text[start:at],
            "match": text[at : min(end, stop)],
            "after": text[end:stop],
        }


Disagreement = Literal["", "near_far", "far_near"]

GAP: Final = 0.25
"""Rows count as disagreeing from here on: a quarter of the ranking apart."""

NEEDED: Final = tuple(
    "position_id game_id group ply set model setting sample true_state predicted_state reply_class "
    "status reason levenshtein_to_empty terminal ill_formed_policy unscored".split()
)


@dataclass(frozen=True, slots=True)
class RunTable:
    """A run prepared for display by `run_table`, at a depth m and by an edit distance.

    The rows are the scores in their order, numbered from 0, with the columns ``edit_distance`` (NaN
    for absent, failed and unscored rows), ``precision``, ``recall``, ``f``, ``disagreement``,
    ``model_setting`` (as of `model_settings`), ``cluster`` (the game, by which intervals are made) and
    ``remark`` (flags of the board in words, or why there is none) besides their own. Causes of failures
    are there once they are asked for.
    """

    rows: pd.DataFrame
    depth: int
    distance: Distance
    replies: ReplyTexts
    causes: FailureCauses | None = None


def run_table(
    scores: pd.DataFrame,
    depth: int | None = None,
    distance: Distance = "levenshtein",
    replies: ReplyTexts | None = None,
) -> RunTable:
    """Prepare a scores table for display, with all rows."""
    if distance not in get_args(Distance):
        raise InvalidArgumentError(f"expected a distance of {get_args(Distance)}, got {distance!r}")
    missing = [name for name in (*NEEDED, distance) if name not in scores.columns]
    if missing:
        raise TableError(
            f"expected a scores table, and of its columns {missing} are missing; make one by "
            "`workbench score`, see data/README.md for the schemas"
        )
    depths = depths_of(scores)
    measured_depth = depth if depth is not None else max(depths, default=0)
    if measured_depth not in depths:
        raise InvalidArgumentError(
            f"expected a depth among {depths}, for which the table has precision_m and recall_m, "
            f"got {depth!r}"
        )
    rows = with_summaries(scores).reset_index(drop=True)
    own = rows["levenshtein_to_empty"].eq(False) & (rows["unscored"] == "")
    edit_distance = pd.to_numeric(rows[distance]).astype(float).where(own)
    precision = rows[f"precision_{measured_depth}"].astype(float)
    rows = rows.assign(
        edit_distance=edit_distance,
        precision=precision,
        recall=rows[f"recall_{measured_depth}"].astype(float),
        f=rows[f"f_{measured_depth}"].astype(float),
        disagreement=disagreement(edit_distance, precision),
        model_setting=model_settings(rows),
        cluster=games_of_scores(rows),
        remark=_remarks(rows),
    )
    if replies is None:
        replies = ReplyTexts([None] * len(rows), rows["predicted_state"])
    return RunTable(rows, measured_depth, distance, replies)


def model_settings(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return the name under which each row is compared: its model, with its setting where that has several."""
    models, settings = (value_names(rows, name) for name in ("model", "setting"))
    several = settings.groupby(models).transform("nunique") > 1
    return models.where(~several, models + ", " + settings)


def disagreement(edit_distance: "pd.Series[float]", precision: "pd.Series[float]") -> Any:
    """Return how much lower p_m ranks each row than edit distance does, as a share of the ranking.

    The rows are ranked twice, from the nearest to the farthest: by rising edit distance and by
    falling p_m. Ties share their mean rank; rank k of n is (k - 1/2) / n. The disagreement is the
    place by p_m less the place by edit distance, in (-1, 1): above 0 where edit distance says near
    and p_m says far, below 0 where it is the reverse, and 0 where both put the row at the same
    place. Rows that are right by both (distance 0 and p_m = 1) are not ranked, for they would only
    move the others: their disagreement is 0. Where either measure is undefined so is this.

    Replies that are no state have p_m = 0 and, if there is a text, an edit distance: they are
    ranked like the others.
    """
    defined = edit_distance.notna() & precision.notna()
    right = defined & (edit_distance == 0) & (precision == 1)
    ranked = defined & ~right
    differences = pd.Series(np.nan, index=edit_distance.index)
    differences[right] = 0.0
    if ranked.any():
        by_distance = edit_distance[ranked].rank(method="average")
        by_precision = precision[ranked].rank(method="average", ascending=False)
        differences[ranked] = (by_precision - by_distance) / int(ranked.sum())
    return differences


def count_classes(
    table: RunTable, numbers: Sequence[int] | NDArray[np.int64]
) -> dict[str, tuple[int, int]]:
    """Return, for each class of replies, the rows shown and all rows; unscored ones apart."""
    names = row_classes(table.rows)
    visible, every = names.iloc[list(numbers)].value_counts(), names.value_counts()
    return {
        name: (int(visible.get(name, 0)), int(every.get(name, 0)))
        for name in (*CLASSES, "unscored")
        if name in every.index or name not in (ReplyClass.FAILED, "unscored")
    }


def undefined_rows(
    table: RunTable, numbers: Sequence[int] | NDArray[np.int64], restricted: Sequence[str]
) -> list[str]:
    """Name the rows that could not take part, with their numbers."""
    visible = table.rows.iloc[list(numbers)]
    classes = row_classes(visible)
    unscored, failed = classes == "unscored", classes == ReplyClass.FAILED
    scored = ~unscored & ~failed
    written = state_words(environment_of(table.rows).name)
    notes = [
        (
            visible["edit_distance"].isna() & scored,
            f"shown without an edit distance: the reply has no {written}, and the distance to the empty "
            "text is not meaningful.",
        ),
        (unscored, f"shown not scored: the true {written} cannot be read."),
        (failed, "shown without a reply: the call failed."),
        (visible["precision"].isna() & scored, f"shown with p_{table.depth} undefined."),
    ]
    if restricted:
        names = {"edit_distance": "edit distance", "precision": f"p_{table.depth}"}
        words = " or ".join(names.get(name, name) for name in restricted)
        lacking = table.rows[list(restricted)].isna().any(axis=1)
        notes.append((lacking, f"of the run not shown because of undefined {words}."))
    counts = [(int(rows.sum()), words) for rows, words in notes]
    return [f"{count:,} row{'' if count == 1 else 's'} {words}" for count, words in counts if count]


def row_classes(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return each row's class of reply, or ``unscored`` for a reply that could not be scored."""
    has_class = (rows["unscored"] == "") | (rows["reply_class"] == ReplyClass.FAILED)
    return rows["reply_class"].where(has_class, "unscored").astype(str)


def _remarks(rows: pd.DataFrame) -> "pd.Series[str]":
    flags = rows["status"].fillna("")
    words = {flag: "; ".join(map(status_words, flag.split())) for flag in flags.unique()}
    remarks = rows["unscored"].fillna("")
    for other in (rows["reason"].fillna(""), flags.map(words)):
        remarks = remarks.where(remarks != "", other)
    return remarks.astype(str)

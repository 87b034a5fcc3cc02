"""Scores of any table of replies, and their means with intervals."""

import os
import re
import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Final

import pandas as pd

from workbench.answers.game_clusters import (
    are_recorded,
    games_of_scores,
    recorded_games,
    whole_games,
)
from workbench.drawing.score_description import class_counts, scored_rows, with_names
from workbench.errors import InvalidArgumentError
from workbench.front_door.frames import Rows, frame_of, predictions_of
from workbench.metrics import find_metric, with_summaries
from workbench.scoring import scoring_parameters
from workbench.scoring.score_tables import score as score_rows
from workbench.statistics.grouped import grouped_means, spread

SHIFTED: Final = 0.2
"""The share of wrong predictions that are another row's true state from which `score` warns."""

_ALL: Final = "all_rows"

_LEFT_OUT: Final = (
    *("game_plies", "earlier_turns", "stop_reason", "input_tokens", "output_tokens"),
    *("reasoning_tokens", "dollars", "seconds"),
)
"""Columns of predictions that no function of scores reads."""


def score(
    rows: Rows,
    environment: str | None = None,
    depth: int = 4,
    *,
    task: str = "state",
    jobs: int | None = None,
    progress: bool = False,
    **parameters: Any,
) -> pd.DataFrame:
    """Score replies: state precision, recall and F at every depth, and the text metrics.

    Args:
        rows: A data frame (pandas, polars, Arrow), the path of a table or log, or a list of
            dictionaries, with the true state and the reply or predicted state; see
            `workbench.front_door.frames.NAMES` for the names of columns.
        environment: Its name; by default that of the column ``environment``, or chess.
        depth: m, at least 1.
        task: What was asked, for rows that do not say it.
        jobs: Worker processes; by default one for a few hundred rows, else one for each core.
        progress: Whether to show a progress bar on standard error.
        **parameters: Of `workbench.scoring.ScoringParameters`: ``terminal``, ``ill_formed``,
            ``method``, ``samples``, ``batches``, ``seed``.

    Returns:
        The columns of a scores table (data/README.md); ``game``, whose rows are not independent; reply
        and moves; and the frame's own further columns. The rows keep their order and index.

    Raises:
        InvalidArgumentError: If a column is missing or a row cannot be read; the message says which.
        TableError: If a path is no table.

    Example:
        >>> import workbench as wb
        >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> frame = [{"fen": start, "reply": "I cannot say."}, {"fen": start, "reply": start}]
        >>> wb.score(frame, depth=2)[["reply_class", "precision_2", "f_2"]]
          reply_class  precision_2  f_2
        0      absent          0.0  0.0
        1       valid          1.0  1.0
    """
    settings = scoring_parameters(depth, parameters)
    predictions = predictions_of(rows, environment, task=task)
    if jobs is None:
        jobs = 1 if len(predictions) < 500 else os.cpu_count() or 1
    scores = score_rows(predictions, settings, jobs=jobs, progress=progress)
    scores.index = predictions.index
    _warn_of_rows_out_of_order(scores)
    scores["game"] = _games(predictions)
    beside = [name for name in predictions.columns if name not in scores and name not in _LEFT_OUT]
    return pd.concat([scores, predictions[beside]], axis=1)


def _games(predictions: pd.DataFrame) -> "pd.Series[str]":
    if are_recorded(predictions):
        return predictions["position_id"].map(recorded_games())
    if predictions.empty:
        return predictions["position_id"]
    # The same position may be one of several games.
    places = predictions["position_id"] + "\n" + predictions["game_id"].fillna("")
    games = whole_games(predictions.assign(position_id=places))
    return places.map(games).str.partition("\n")[0]


def _warn_of_rows_out_of_order(scores: pd.DataFrame) -> None:
    """Warn where predictions are the true states of other rows: columns that were not joined by row."""
    if scores["predicted_state"].isna().all():
        return
    own = scores[scores["predicted_state"].notna() & ~scores["exact_match"].eq(True)]
    true = {text.split(" ")[0]: place for place, text in scores["true_state"].dropna().items()}
    first = own["predicted_state"].str.split(" ").str[0]
    same = own["true_state"].str.split(" ").str[0] == first
    other = first[first.isin(true.keys()) & ~same]
    if len(other) >= 3 and len(other) >= SHIFTED * len(own):
        row = other.index[0]
        warnings.warn(
            f"{len(other)} of {len(own)} wrong predictions are the true state of another row: that of "
            f"row {row!r} is the one of row {true[other.iloc[0]]!r}; check that true states and replies are "
            "joined by position, not by order",
            stacklevel=3,
        )


def with_games(rows: Rows) -> pd.DataFrame:
    """Return scores with the column ``game``."""
    scores = frame_of(rows)
    if "unscored" not in scores:
        raise InvalidArgumentError(
            "expected scores, as workbench.score(frame) returns, got the columns "
            f"{', '.join(map(str, scores.columns))[:300]}; score the frame first"
        )
    return with_summaries(scores).assign(game=games_of_scores(scores))


def summary(
    scores: Rows,
    by: str | Sequence[str] = ("model",),
    metrics: Sequence[str] | None = None,
    *,
    level: float = 0.95,
) -> pd.DataFrame:
    """Summarise scores: means with intervals over whole games, the classes, and what they rest on.

    Args:
        scores: As of `score`, or the path of a scores table or run folder.
        by: A column, or several, whose values are compared, such as ``["model", "group"]``; none for
            all rows together.
        metrics: Columns to average; by default p_m, r_m and F_m at the largest depth.
        level: Of the intervals, in (0, 1).

    Returns:
        One row for each group: the columns of ``by``; for each metric its mean, ``_low`` and ``_high``;
        the number of replies in each class; ``unscored`` and ``failed`` (calls, which are left out);
        ``replies``; ``games`` and ``effective`` (number of games). Undefined values are NaN.

    Raises:
        InvalidArgumentError: If there is no such column; the message names those that there are.

    Example:
        >>> import workbench as wb
        >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> scores = wb.score([{"fen": start, "reply": start, "model": "mine"}], depth=2)
        >>> wb.summary(scores)[["model", "precision_2", "valid", "games"]]
          model  precision_2  valid  games
        0  mine          1.0      1      1
    """
    frame = with_names(with_games(scores))
    keys = [by] if isinstance(by, str) else list(by)
    if not keys:
        whole = summary(frame.assign(**{_ALL: ""}), _ALL, metrics, level=level)
        return whole.drop(columns=_ALL)
    columns = default_metrics(frame) if metrics is None else list(metrics)
    check_columns(frame, [*keys, *columns])
    means = grouped_means(scored_rows(frame), columns, keys, within=_range, level=level)
    wide = spread(means, keys, counted=columns[0]).drop(columns="count")
    values = [f"{name}{end}" for name in columns for end in ("", "_low", "_high")]
    counts = class_counts(frame, keys).rename(columns={"count": "replies"})
    counts["replies"] -= counts["failed"]
    table = counts.merge(wide, on=keys, how="left")
    return table[[*keys, *values, *counts.columns.drop(keys), "games", "effective"]]


def causes(scores: Rows, by: str | Sequence[str] = ("model",)) -> pd.DataFrame:
    """Count why replies lose precision, or where none is lost recall: the main cause of each reply.

    A cause is a difference of the two states, or a check or the end of a game on one of them, that wins
    back at least half of what is lost if it alone is corrected, at the largest depth of the scores.

    Args:
        scores: As of `score`, or the path of a scores table or run folder.
        by: A column, or several, whose values are compared; none for all rows together.

    Returns:
        One row for each group and cause, the most frequent first: the columns of ``by``; ``cause``, such
        as ``side to move``, ``several errors: 2-3 differences`` or ``unreadable: the castling field``;
        ``replies``; ``share`` of the group's replies; ``share_of_wrong`` (NaN for ``nothing lost`` and
        for ``undefined``); and for p_m and r_m the mean that is lost, such as ``precision_4_lost``.
        Failed calls and replies that are not scored are ``undefined``, and in no share.

    Raises:
        InvalidArgumentError: If these are no scores, or there is no such column.

    Example:
        >>> import workbench as wb
        >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> replies = [start, start.replace(" w ", " b "), "I cannot say."]
        >>> scores = wb.score([{"fen": start, "reply": reply} for reply in replies], depth=2)
        >>> wb.causes(scores, by=[])[["cause", "replies", "share_of_wrong", "precision_2_lost"]]
                  cause  replies  share_of_wrong  precision_2_lost
        0      no board        1             0.5               1.0
        1  nothing lost        1             NaN               0.0
        2  side to move        1             0.5               1.0
    """
    from workbench.explore.run.failure_causes import NOTHING_LOST, UNDEFINED, failure_causes

    plain = frame_of(scores)
    frame = with_names(with_summaries(plain))
    keys = [by] if isinstance(by, str) else list(by)
    check_columns(frame, keys)
    of_rows = failure_causes(plain)
    measures = default_metrics(frame)[:2]
    lost = {f"{name}_lost": 1.0 - frame[name].astype(float) for name in measures}
    rows = frame[keys].assign(cause=of_rows["cause"], **lost)
    table = (
        rows.groupby([*keys, "cause"], sort=False, dropna=False)
        .agg(replies=("cause", "size"), **{name: (name, "mean") for name in lost})
        .reset_index()
    )
    defined = table["cause"] != UNDEFINED
    counted = table["replies"].where(defined)
    wrong = counted.where(table["cause"] != NOTHING_LOST)
    for name, counts in (("share", counted), ("share_of_wrong", wrong)):
        groups = counts.groupby([table[key] for key in keys], dropna=False) if keys else None
        table[name] = counts / (groups.transform("sum") if groups is not None else counts.sum())
    order = [*keys, "replies", "cause"]
    ascending = [each != "replies" for each in order]
    table = table.sort_values(order, ascending=ascending, ignore_index=True)
    return table[[*keys, "cause", "replies", "share", "share_of_wrong", *lost]]


def _range(column: str) -> tuple[float, float] | None:
    metric = find_metric(column)
    return None if metric is None else metric.range


def default_metrics(scores: pd.DataFrame) -> list[str]:
    """Return the columns of p_m, r_m and F_m at the largest depth that scores have."""
    depths = [
        int(match[1])
        for name in scores.columns
        if (match := re.fullmatch(r"precision_(\d+)", name))
    ]
    if not depths:
        raise InvalidArgumentError(
            "expected scores with columns such as precision_4, got "
            f"{', '.join(map(str, scores.columns))[:300]}"
        )
    return [f"{name}_{max(depths)}" for name in ("precision", "recall", "f")]


def check_columns(scores: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse columns that scores do not have.

    Raises:
        InvalidArgumentError: The message names those that there are, the likeliest first.
    """
    for name in names:
        if name not in scores:
            close = get_close_matches(str(name), map(str, scores.columns), 3, 0.5)
            hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise InvalidArgumentError(
                f"expected a column of the scores, got {name!r}{hint} The columns are "
                f"{', '.join(map(str, scores.columns))}"
            )

"""The answers of each pair compared: p_m, r_m and F_m between them, and against the truth.

Of a pair the first answer, moved on or mapped by its relation, is taken as the true state S, the
second as the prediction T. An unreadable answer, and one that does not permit the action that follows,
is the sink: p = r = 0. A pair with a failed call is undefined, and counted.

Source: arXiv 2508.19851, section 3, for p_m and r_m; between two answers, here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.automaton import Sink
from workbench.consistency.plan import PlannedPair, question_id
from workbench.consistency.relation import PairQuestion, same_state, state_after
from workbench.depth_summaries import harmonic_mean
from workbench.environment import AnyEnvironment
from workbench.errors import TableError
from workbench.prediction import ReplyClass
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import affordance_scores, is_state
from workbench.statistics.grouped import grouped_means, spread
from workbench.statistics.intervals import SHARE

SIDES: Final = ("first", "second")

MEASURED: Final = ("consistency", "precision", "recall", "f", "equal", "readable", "truth")
"""The columns of which `summarize` takes means, at depth m."""

_STATE = Any


def measured_pairs(
    environment: AnyEnvironment,
    pairs: Sequence[PlannedPair],
    answers: Mapping[tuple[Any, str], Mapping[str, Any]],
    parameters: ScoringParameters | None = None,
) -> pd.DataFrame:
    """Return a row for each pair: both answers, and how far they describe one state.

    Args:
        environment: Of all pairs.
        pairs: As planned.
        answers: Rows of a predictions table, by prompt and `question_id`. A pair of which an answer is
            missing has the class ``failed`` there.
        parameters: Depth, finished episodes and ill-formed answers; by default `ScoringParameters()`.
            The method is exact.

    Returns:
        relation, position_id, game_id, group, ply (actions of the first question), change; of each
        side its question (``first_initial``, ``first_actions``, ``first_prompt``), its class, its
        state as written, and as compared (``first_state``; empty for the sink); ``readable`` (both),
        ``unreadable`` (how many are not), ``failed``, ``permitted`` (whether the first answer permits
        what follows), ``equal``, ``precision_1`` .. ``recall_m`` .. ``f_m``, ``consistency`` (half
        p_m, half r_m), ``first_truth`` and ``second_truth`` (the same of each answer against the true
        state after its own question) and ``truth``, their mean.
    """
    parameters = parameters or ScoringParameters()
    rows: list[dict[str, Any]] = []
    compared: list[tuple[_STATE, _STATE]] = []
    against: list[tuple[_STATE, _STATE]] = []
    for planned in pairs:
        row, states, truths = _sides(environment, planned, answers, parameters)
        rows.append(row)
        compared.append(states)
        against += truths
    depth = parameters.depth
    values = _values(environment, compared, parameters)
    truths_at = _agreement(_values(environment, against, parameters), depth).reshape(-1, 2)
    table = pd.DataFrame(rows)
    if table.empty:
        raise TableError("pairs: expected at least one, got none; see left_out and without_pair")
    failed = table["failed"].to_numpy(bool)
    values[failed] = np.nan
    names = [f"{name}_{m}" for name in ("precision", "recall") for m in range(1, depth + 1)]
    table = table.assign(**dict(zip(names, values.T, strict=True)))
    halves = values[:, :depth], values[:, depth:]
    both = harmonic_mean(*halves)
    table = table.assign(**{f"f_{m + 1}": both[:, m] for m in range(depth)})
    table["consistency"] = _agreement(values, depth)
    equal = np.array(
        [None not in each and same_state(environment, *each) for each in compared], float
    )
    table["equal"] = np.where(failed, np.nan, equal)
    for side, column in zip(SIDES, truths_at.T, strict=True):
        is_failed = (table[f"{side}_class"] == ReplyClass.FAILED).to_numpy(bool)
        table[f"{side}_truth"] = np.where(is_failed, np.nan, column)
    return table.assign(truth=table[["first_truth", "second_truth"]].mean(axis=1, skipna=False))


def _sides(
    environment: AnyEnvironment,
    planned: PlannedPair,
    answers: Mapping[tuple[Any, str], Mapping[str, Any]],
    parameters: ScoringParameters,
) -> tuple[dict[str, Any], tuple[_STATE, _STATE], list[tuple[_STATE, _STATE]]]:
    """Return what is known of a pair without a measure, and the states to be compared."""
    relation, pair = planned.relation, planned.pair
    row: dict[str, Any] = {
        "relation": relation.name,
        "position_id": planned.position_id,
        "game_id": planned.game_id,
        "group": planned.group,
        "ply": len(pair.first.actions),
        "change": relation.change(pair),
    }
    states, truths, classes = [], [], []
    for side, question in zip(SIDES, (pair.first, pair.second), strict=True):
        answer = answers.get((question.prompt, question_id(environment, question)), _MISSING)
        reply_class, state = answer["reply_class"], None
        if is_state(reply_class, parameters.ill_formed):
            state = environment.parse(answer["predicted_state"]).state
        states.append(state)
        classes.append(reply_class)
        truths.append((state_after(environment, question), state))
        row |= _described(environment, side, question, answer)
    mapped = [
        None if state is None else map_state(environment, pair, state)
        for state, map_state in zip(
            states, (relation.first_state, relation.second_state), strict=True
        )
    ]
    one, other = (None if isinstance(state, Sink) else state for state in mapped)
    unreadable = sum(
        state is None and name != ReplyClass.FAILED
        for state, name in zip(states, classes, strict=True)
    )
    failed = ReplyClass.FAILED in classes
    row |= {
        f"{side}_state": "" if state is None else environment.state_text(state)
        for side, state in zip(SIDES, (one, other), strict=True)
    }
    row |= {
        "readable": np.nan if failed else float(not unreadable),
        "unreadable": unreadable,
        "failed": failed,
        "permitted": not any(isinstance(state, Sink) for state in mapped),
    }
    return row, (one, other), truths


_MISSING: Final = {"reply_class": str(ReplyClass.FAILED), "predicted_state": None}


def _described(
    environment: AnyEnvironment, side: str, question: PairQuestion, answer: Mapping[str, Any]
) -> dict[str, Any]:
    prompt = question.prompt
    return {
        f"{side}_initial": question.initial,
        f"{side}_actions": environment.separator.join(question.actions),
        f"{side}_prompt": "" if prompt is None else prompt.name,
        f"{side}_class": str(answer["reply_class"]),
        f"{side}_predicted": answer["predicted_state"] or "",
    }


def _values(
    environment: AnyEnvironment,
    pairs: Sequence[tuple[_STATE, _STATE]],
    parameters: ScoringParameters,
) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return p_1 .. p_m, r_1 .. r_m of pairs of states, None being the sink; each pair once."""
    values = np.zeros((len(pairs), 2 * parameters.depth))
    places: dict[tuple[_STATE, _STATE], list[int]] = {}
    for place, states in enumerate(pairs):
        if None not in states:
            places.setdefault(states, []).append(place)
    if places:
        one, other = zip(*places, strict=True)
        scores = affordance_scores(
            environment.automaton, one, other, parameters, [parameters.seed] * len(places)
        )
        for score, rows in zip(scores, places.values(), strict=True):
            values[rows] = score
    return values


def between_states(
    environment: AnyEnvironment,
    true: Iterable[str],
    predicted: Iterable[str],
    parameters: ScoringParameters,
) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return half p_m, half r_m of pairs of texts of states, an empty one being the sink."""
    one, other = (
        [environment.read_state(text) if text else None for text in texts]
        for texts in (true, predicted)
    )
    states = list(zip(one, other, strict=True))
    return _agreement(_values(environment, states, parameters), parameters.depth)


def _agreement(
    values: "np.ndarray[Any, np.dtype[np.float64]]", depth: int
) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return half p_m, half r_m."""
    mean: np.ndarray[Any, np.dtype[np.float64]] = (values[:, depth - 1] + values[:, -1]) / 2
    return mean


def summarize(pairs: pd.DataFrame, by: Sequence[str] = ("relation",)) -> pd.DataFrame:
    """Return the means of pairs in groups, with intervals of 95% by game.

    Args:
        pairs: As of `measured_pairs`.
        by: Columns that define the groups, such as relation and group.

    Returns:
        One row for each group: count (pairs without a failed call), games, effective (their effective
        number), and the means of consistency, p_m, r_m, F_m, equal, readable (both answers) and truth,
        each with _low and _high; ``unreadable_one`` and ``unreadable_both`` (shares of the count),
        ``consistency_readable`` (over pairs of which both are readable; NaN without any) and
        ``failed`` (pairs left out).
    """
    depth = depth_of(pairs)
    rows = pairs.assign(
        **{name: pairs[f"{name}_{depth}"] for name in ("precision", "recall", "f")},
        consistency_readable=pairs["consistency"].where(pairs["readable"] == 1),
        **{
            f"unreadable_{name}": np.where(pairs["failed"], np.nan, pairs["unreadable"] == number)
            for name, number in (("one", 1), ("both", 2))
        },
    )
    keys = list(by)
    columns = [*MEASURED, "unreadable_one", "unreadable_both", "consistency_readable"]
    means = grouped_means(rows, columns, keys, clusters="game_id", within=SHARE)
    table = spread(means, keys, counted="consistency") if keys else _single(means)
    shares = [f"unreadable_{name}{end}" for name in ("one", "both") for end in ("_low", "_high")]
    failed = means[means["column"] == "consistency"]["undefined"].to_numpy()
    return table.drop(columns=shares).assign(failed=failed, depth=depth)


def _single(means: pd.DataFrame) -> pd.DataFrame:
    return spread(means.assign(all="all"), ["all"], counted="consistency").drop(columns="all")


def depth_of(pairs: pd.DataFrame) -> int:
    """Return m, the largest depth of which pairs have a column."""
    depth = 0
    while f"precision_{depth + 1}" in pairs:
        depth += 1
    if not depth:
        raise TableError(
            f"pairs: expected the columns of an audit's pairs, got {list(pairs.columns)!r:.200}"
        )
    return depth

"""The state that a model writes against the actions that it believes permitted, position by position.

For one position let S be the true state, T the state that the model *states* (task ``state``), L the
set of actions that it lists (task ``actions``), and A_S, A_T the actions that S and T permit. If the
model acts on the state that it writes, L is A_T, right or wrong. Per position:

* ``legal_on_true``, ``complete_on_true``: p_1 and r_1 of L against S, |L & A_S| / |L| and
  |L & A_S| / |A_S|, as the task ``actions`` defines them; ``legal_on_stated`` and
  ``complete_on_stated``: the same against T; ``legal_on_both``: |L & A_S & A_T| / |L|;
  ``stated_less_true``: legal_on_stated - legal_on_true.
* Where A_S and A_T differ, the actions that only one of them permits tell on which state the model
  acts: ``stated_only_listed`` is |L & (A_T - A_S)| / |A_T - A_S|, ``true_only_listed`` is
  |L & (A_S - A_T)| / |A_S - A_T|, and ``stated_less_true_only`` their difference, where there are
  both: 1 for L = A_T, -1 for L = A_S, and 0 for a list that has nothing to do with either.
* Where A_S and A_T differ and some listed action is illegal in truth: ``explained`` is the share of
  L - A_S that T permits, ``expected`` the share that T permits of what S does not in the lists of all
  other episodes of the same model and length: what a list that has nothing to do with the
  position would give; ``explained_less_expected``: their difference. A list of the right episode that
  is made without T may exceed it a little: slips of one position are alike.

An undefined value is left out; ``count`` says how many are defined. Calls that failed, and positions
at which the model gives no state or no list, are left out and counted.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import InvalidArgumentError
from workbench.prediction import ACTION_SEPARATOR, ReplyClass
from workbench.scoring import IllFormedPolicy
from workbench.scoring.score_rows import is_state, unscored_reason
from workbench.statistics.grouped import grouped_means, groups
from workbench.statistics.intervals import DIFFERENCE, SHARE
from workbench.studies.models.whole_games import whole_games
from workbench.tables.parquet_tables import PREDICTIONS, as_records
from workbench.tables.reply_identity import refuse_repeated_replies
from workbench.tasks import task_named
from workbench.terminal import Terminal

ALL: Final = "all"
"""The length of the rows about all lengths together."""

QUANTITIES: Final = (
    "legal_on_true", "legal_on_stated", "legal_on_both", "stated_less_true", "complete_on_true",
    "complete_on_stated", "stated_only_listed", "true_only_listed", "stated_less_true_only",
    "explained", "expected", "explained_less_expected",
)  # fmt: skip
_DIFFERENCES: Final = ("stated_less_true", "stated_less_true_only", "explained_less_expected")

_PAIR: Final = ["position_id", "set", "model", "setting", "sample"]
_LEFT_OUT: Final = ("failed", "unscored", "without_state", "without_list")
_COLUMNS: Final = [
    "environment", "model", "length", "quantity", "mean", "low", "high", "count", "games",
    "effective", "pairs",
    *_LEFT_OUT, "unpaired",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Position:
    """The true state, the stated one and the listed actions, each as written, at one position."""

    true: Any
    stated: Any
    listed: tuple[str, ...]


def compute(
    stated: pd.DataFrame,
    listed: pd.DataFrame,
    *,
    ill_formed: IllFormedPolicy = "as_is",
    terminal: Terminal = "absorb",
) -> pd.DataFrame:
    """Compare the states and the lists of actions of one or several models, by length.

    Intervals are of 95%, by the variance between games or episodes.

    Args:
        stated: A predictions table; its rows of the task ``state``.
        listed: A predictions table, which may be the same; its rows of the task ``actions``. A
            reply of one is paired with that of the other at the same position by the same model
            with the same set, setting and sample number.
        ill_formed: ``as_is``: ill-formed states and lists with items that are no actions count as
            they are; ``sink``: as no state, or no list.
        terminal: Whether an empty list is right where nothing is permitted: ``absorb``.

    Returns:
        Columns environment, model, length (in actions, as text, or ``all``), quantity (one of
        `QUANTITIES`), mean, low, high, count (positions where it is defined), games (of these), effective (number of games),
        pairs (of replies), of which failed (either call), unscored, without_state and without_list
        are left out, and unpaired (replies of the model that have no partner, at any length).

    Raises:
        InvalidArgumentError: If no two replies are a pair.
        TableError: If a reply is repeated, or the rows are of several environments.
    """
    pairs = _paired(stated, listed)
    environment = environment_of(pairs, "the two tables")
    tables, by = [], ["model", "length"]
    for model, of_model in pairs.groupby("model", sort=True):
        rows = _of_positions(environment, of_model, ill_formed, terminal).assign(model=model)
        table = grouped_means(rows, QUANTITIES, by, within=_range, total=ALL)
        counts = pd.DataFrame(
            {
                **key,
                "pairs": len(part),
                **{reason: int((part["left_out"] == reason).sum()) for reason in _LEFT_OUT},
            }
            for key, part in groups(rows, by, total=ALL)
        )
        unpaired = sum(
            int((each["model"] == model).sum()) - len(of_model)
            for each in (_of_task(stated, "state"), _of_task(listed, "actions"))
        )
        tables.append(table.merge(counts, on=by).assign(unpaired=unpaired))
    table = pd.concat(tables, ignore_index=True).assign(environment=environment.name)
    return table.rename(columns={"column": "quantity", "value": "mean"})[_COLUMNS]


def _range(quantity: str) -> tuple[float, float]:
    return DIFFERENCE if quantity in _DIFFERENCES else SHARE


def _of_task(table: pd.DataFrame, task: str) -> pd.DataFrame:
    found: pd.DataFrame = table[table["task"] == task]
    return found


def _paired(stated: pd.DataFrame, listed: pd.DataFrame) -> pd.DataFrame:
    states, lists = _of_task(stated, "state"), _of_task(listed, "actions")
    for name, table in (("states", states), ("actions", lists)):
        refuse_repeated_replies(table, name)
    answers = lists[[*_PAIR, "true_state", "predicted_actions", "reply_class", "reason"]]
    pairs = states.merge(answers, on=_PAIR, suffixes=("", "_of_list"))
    if pairs.empty:
        raise InvalidArgumentError(
            "expected replies of one model to the tasks 'state' and 'actions' at the same positions, "
            f"got {len(states)} states of {sorted(set(states['model'].astype(str)))} and "
            f"{len(lists)} lists of {sorted(set(lists['model'].astype(str)))}, of which no two have "
            "the same position_id, model, set, setting and sample"
        )
    if other := int((pairs["true_state"] != pairs["true_state_of_list"]).sum()):
        raise InvalidArgumentError(
            f"expected one true state a position, got two at {other} positions; the tables use one "
            "position_id for different positions"
        )
    unit = environment_of(pairs, "the two tables").actions_a_group
    lengths = pairs["group"].fillna(-1).astype(int)
    return pairs.assign(
        game=pairs["position_id"].map(whole_games(states).games),
        length=(lengths * unit).where(lengths > 0).astype("Int64"),
    )


def _of_positions(
    environment: AnyEnvironment,
    pairs: pd.DataFrame,
    ill_formed: IllFormedPolicy,
    terminal: Terminal,
) -> pd.DataFrame:
    """Return the quantities of each position; without them, why a position is left out."""
    rows: list[dict[str, Any]] = []
    positions: list[Position] = []
    extra = pairs[["game", "length", "predicted_actions_of_list", "reply_class_of_list"]]
    records = as_records(pairs, PREDICTIONS)
    for row, (game, length, actions, list_class) in zip(
        records, extra.itertuples(index=False), strict=True
    ):
        true, stated = (
            environment.parsed_true(row["true_state"]),
            environment.parsed(row["predicted_state"]),
        )
        reason = ""
        if ReplyClass.FAILED in (row["reply_class"], list_class):
            reason = "failed"
        elif unscored_reason(environment, row, true, stated, row["moves"]):
            reason = "unscored"
        elif not is_state(row["reply_class"], ill_formed):
            reason = "without_state"
        elif not is_state(list_class, ill_formed) or not isinstance(actions, str):
            reason = "without_list"
        rows.append({"game": game, "length": length, "left_out": reason})
        if not reason:
            listed = tuple(each for each in actions.split(ACTION_SEPARATOR) if each)
            positions.append(Position(true.state, stated.state, listed))
            rows[-1] |= quantities(environment, positions[-1], terminal)
    usable = [row for row in rows if not row["left_out"]]
    for row, expected in zip(usable, _expected(environment, positions, usable), strict=True):
        row["expected"] = expected
        row["explained_less_expected"] = row["explained"] - expected
    table = pd.DataFrame(rows, columns=["game", "length", "left_out", *QUANTITIES])
    return table.astype({"length": "Int64", **dict.fromkeys(QUANTITIES, float)})


def quantities(
    environment: AnyEnvironment, position: Position, terminal: Terminal = "absorb"
) -> dict[str, float]:
    """Return the quantities of one position, all but those that need other positions.

    Args:
        environment: Of the position.
        position: Its true state, the stated one, and the listed actions.
        terminal: As of `compute`.
    """
    true, stated = position.true, position.stated
    measures = task_named("actions").measures
    (legal_true,), (complete_true,) = measures(environment, true, position.listed, 1, terminal)
    (legal_stated,), (complete_stated,) = measures(
        environment, stated, position.listed, 1, terminal
    )
    named = _named(environment, position)
    both = sum(None not in pair for pair in named)
    permitted = [
        {environment.action_text(action) for action in environment.automaton.permitted(state)}
        for state in (true, stated)
    ]
    listed = [
        {environment.action_text(pair[place]) for pair in named if pair[place] is not None}
        for place in (0, 1)
    ]
    only_true, only_stated = permitted[0] - permitted[1], permitted[1] - permitted[0]
    of_stated = _share(len(listed[1] & only_stated), len(only_stated))
    of_true = _share(len(listed[0] & only_true), len(only_true))
    illegal = [pair for pair in named if pair[0] is None]
    explained = [pair for pair in illegal if pair[1] is not None]
    differ = bool(only_true or only_stated)
    return {
        "legal_on_true": legal_true,
        "legal_on_stated": legal_stated,
        "legal_on_both": both / len(named) if named else min(legal_true, legal_stated),
        "stated_less_true": legal_stated - legal_true,
        "complete_on_true": complete_true,
        "complete_on_stated": complete_stated,
        "stated_only_listed": of_stated,
        "true_only_listed": of_true,
        "stated_less_true_only": of_stated - of_true,
        "explained": _share(len(explained), len(illegal) if differ else 0),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _named(environment: AnyEnvironment, position: Position) -> list[tuple[Any, Any]]:
    """Return the action that each listed text names on the true and on the stated state, or None.

    Texts that name the same actions are one.
    """
    named = {}
    for text in position.listed:
        pair = tuple(
            environment.action_named(state, text) for state in (position.true, position.stated)
        )
        named[text if pair == (None, None) else pair] = pair
    return [(one, other) for one, other in named.values()]


def _expected(
    environment: AnyEnvironment, positions: Sequence[Position], found: Sequence[dict[str, Any]]
) -> Iterator[float]:
    """Yield what share of other episodes' actions, illegal in truth, the stated state permits."""
    dealt: dict[int, Counter[str]] = {}
    own: dict[tuple[int, str], Counter[str]] = {}
    for position, values in zip(positions, found, strict=True):
        texts = {environment.plain_action(text) or text for text in position.listed}
        dealt.setdefault(values["length"], Counter()).update(texts)
        own.setdefault((values["length"], values["game"]), Counter()).update(texts)
    for position, values in zip(positions, found, strict=True):
        if math.isnan(values["explained"]):
            yield math.nan
            continue
        others = dealt[values["length"]] - own[values["length"], values["game"]]
        illegal = {
            text: count
            for text, count in others.items()
            if environment.action_named(position.true, text) is None
        }
        permitted = sum(
            count
            for text, count in illegal.items()
            if environment.action_named(position.stated, text) is not None
        )
        yield _share(permitted, sum(illegal.values()))

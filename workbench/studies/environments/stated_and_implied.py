"""The state that a model writes against the actions that it lists as permitted: table, verdict and figure."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.answers.game_clusters import whole_games
from workbench.answers.model_replies import model_replies, predictions_table, simulate
from workbench.automaton import Terminal
from workbench.drawing.appearance import caption, figure_of_rows, style
from workbench.drawing.labels import labels
from workbench.drawing.quantities import PRECISION, RECALL
from workbench.drawing.score_description import interval_words
from workbench.environments.registry import AnyEnvironment, environment_in_table, environment_of
from workbench.errors import InvalidArgumentError
from workbench.language_model.written_replies import NONE, ReplySettings
from workbench.prediction import ACTION_SEPARATOR, ReplyClass
from workbench.scoring import IllFormedPolicy
from workbench.scoring.score_rows import is_state, unscored_reason
from workbench.seeds import derived_seed
from workbench.statistics.grouped import grouped_means, grouped_sums
from workbench.statistics.intervals import DIFFERENCE, SHARE
from workbench.studies.panels import ALL_LENGTHS, curve, log_lengths
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    as_records,
    refuse_repeated_replies,
)
from workbench.tasks import task_named

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
    """
    pairs = _paired(stated, listed)
    environment = environment_of(pairs, "the two tables")
    parts = [
        _of_positions(environment, part, ill_formed, terminal).assign(model=model, pairs=1)
        for model, part in pairs.groupby("model", sort=True)
    ]
    rows, by = pd.concat(parts, ignore_index=True), ["model", "length"]
    rows = rows.assign(**{reason: rows["left_out"] == reason for reason in _LEFT_OUT})
    ranges = dict.fromkeys(QUANTITIES, SHARE) | dict.fromkeys(_DIFFERENCES, DIFFERENCE)
    table = grouped_means(rows, QUANTITIES, by, within=ranges.get, total=ALL_LENGTHS)
    counts = grouped_sums(rows, ["pairs", *_LEFT_OUT], by, total=ALL_LENGTHS)
    of_tasks = ((stated, "state"), (listed, "actions"))
    replies = pd.concat([each.loc[each["task"] == task, "model"] for each, task in of_tasks])
    unpaired = replies.value_counts() - 2 * pairs["model"].value_counts()
    table = table.merge(counts, on=by).assign(environment=environment.name)
    table["unpaired"] = table["model"].map(unpaired).astype(int)
    return table.rename(columns={"column": "quantity", "value": "mean"})[_COLUMNS]


def _paired(stated: pd.DataFrame, listed: pd.DataFrame) -> pd.DataFrame:
    states, lists = stated[stated["task"] == "state"], listed[listed["task"] == "actions"]
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
    unit = environment_of(pairs, "the two tables").actions_per_group
    lengths = pairs["group"].fillna(-1).astype(int)
    return pairs.assign(
        game=pairs["position_id"].map(whole_games(states)),
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
            environment.parse_true(row["true_state"]),
            environment.parse(row["predicted_state"]),
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
    """Return the quantities of one position, all but those that need other positions."""
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
    environment: AnyEnvironment, positions: Sequence[Position], rows: Sequence[dict[str, Any]]
) -> Iterator[float]:
    """Yield what share of other episodes' actions, illegal in truth, the stated state permits."""
    by_length: dict[int, Counter[str]] = {}
    own: dict[tuple[int, str], Counter[str]] = {}
    for position, values in zip(positions, rows, strict=True):
        texts = {environment.plain_action(text) or text for text in position.listed}
        by_length.setdefault(values["length"], Counter()).update(texts)
        own.setdefault((values["length"], values["game"]), Counter()).update(texts)
    for position, values in zip(positions, rows, strict=True):
        if math.isnan(values["explained"]):
            yield math.nan
            continue
        others = by_length[values["length"]] - own[values["length"], values["game"]]
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


ACTING: Final = "simulated tracker: lists what its state permits"
APART: Final = "simulated tracker: tracks twice, once to write and once to list"


def simulated_pair(
    positions: pd.DataFrame, *, rate: float, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return states and lists of two simulated trackers, which show what the study can tell.

    One lists what the state that it writes permits. The other tracks the episode a second time,
    with slips of its own, and lists what that state permits.

    Returns:
        Predictions of the task ``state`` and of the task ``actions``.
    """
    states = [
        simulate(positions, rate=rate, seed=seed, model_name=name) for name in (ACTING, APART)
    ]
    lists = [
        simulate(positions, rate=rate, seed=own, model_name=name, task="actions")
        for name, own in ((ACTING, seed), (APART, derived_seed(seed, "second track")))
    ]
    return pd.concat(states, ignore_index=True), pd.concat(lists, ignore_index=True)


WRITTEN: Final = "control: lists what the written state permits"
OTHER: Final = "control: lists what a tracker of its own permits"


def controls(stated: pd.DataFrame, *, rate: float, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the same written states twice, with lists that follow them and lists that ignore them.

    The first lists are what the written states permit, and empty where there is none. The others are
    of a simulated tracker, which knows nothing of what was written.

    Args:
        stated: A predictions table; its rows of the task ``state`` of one model, a reply a position.
        rate: Slips per action of the simulated tracker.
        seed: Of the simulated tracker.

    Returns:
        Predictions of the task ``state`` and of the task ``actions``, of the models `WRITTEN` and
        `OTHER`.
    """
    stated = stated[stated["task"] == "state"]
    environment, task = environment_of(stated, "the states"), task_named("actions")
    generator = np.random.default_rng(seed)
    replies: list[dict[str, Any]] = []
    for text in stated["predicted_state"]:
        state = environment.parse(text).state
        reply = NONE
        if state is not None:
            reply = task.simulated_reply(environment, environment.state_text(state), 1, generator)
        replies.append(
            {"task": task.name, "model": WRITTEN, "reply": reply}
            | task.classify(environment, reply).columns()
        )
    positions = stated[POSITIONS.names]
    others = simulate(
        positions, rate=rate, seed=seed, model_name="simulated tracker", task=task.name
    )
    lists = [predictions_table(positions, replies), others.assign(model=OTHER)]
    states = [stated.assign(model=name) for name in (WRITTEN, OTHER)]
    return pd.concat(states, ignore_index=True), pd.concat(lists, ignore_index=True)


def bundled_pair(
    positions: pd.DataFrame, model: str, *, rate: float, seed: int, jobs: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return states and lists of a bundled model and of its `controls`.

    Args:
        positions: A positions table of chess games.
        model: A bundled model that names moves: ``player``.
        rate: Slips per action of the control that ignores the written state.
        seed: Of that control.
        jobs: Processes.

    Returns:
        Predictions of the task ``state`` and of the task ``actions``.
    """
    stated, listed = (
        model_replies(positions, model, ReplySettings(task), jobs=jobs)
        for task in ("state", "actions")
    )
    states, lists = controls(stated, rate=rate, seed=seed)
    return (
        pd.concat([stated, states], ignore_index=True),
        pd.concat([listed, lists], ignore_index=True),
    )


def verdict(table: pd.DataFrame) -> str:
    """Return in words, as Markdown, on which state each model acts."""
    lines = []
    noun = environment_in_table(table["environment"].iloc[0]).state_noun
    overall = table[table["length"] == ALL_LENGTHS].set_index(["model", "quantity"])
    for model in _in_order(table):
        stated, true, less = (
            overall.loc[(model, name)]
            for name in ("stated_only_listed", "true_only_listed", "stated_less_true_only")
        )
        if less["count"] == 0:
            lines.append(
                f"* {model}: at no position do the two {noun}s each permit what the other does not."
            )
            continue
        words = f"whether it acts on the {noun} that it writes cannot be told"
        ends = [less["low"], less["high"]]
        interval = f" ({ends[0]:+.2f} to {ends[1]:+.2f}, n = {less['count']})"
        if np.isnan(ends).any():
            # Where several episodes do not vary, the mean itself counts.
            ends = [less["mean"] if less["games"] > 1 else 0.0] * 2
            interval = f" (no interval, n = {less['count']})"
        if ends[0] > 0:
            words = f"it acts on the {noun} that it writes"
        elif ends[1] < 0:
            words = (
                f"it does not act on the {noun} that it writes: its lists are nearer to the truth"
            )
        lines.append(
            f"* {model}: {words}. It lists {stated['mean']:.0%} of what only that {noun} permits and "
            f"{true['mean']:.0%} of what only the true one permits; the difference is "
            f"{less['mean']:+.2f}{interval}."
        )
    return "\n".join(lines)


def _in_order(table: pd.DataFrame) -> list[Any]:
    """Return the models, the controls last."""
    names = table["model"].unique().tolist()
    return sorted(names, key=lambda name: name in (WRITTEN, OTHER))


def draw(table: pd.DataFrame, subject: str, note: str = "") -> Figure:
    """Draw a row of three panels for each model, against the length of the episode."""
    environment = environment_in_table(table["environment"].iloc[0])
    noun, action = environment.state_noun, environment.action_noun
    models = _in_order(table)
    stated, true, third = PRECISION.look, RECALL.look, style(7)
    panels = (
        (
            f"Listed {action}s: the share\nthat is legal on ...",
            (
                ("legal_on_true", f"the true {noun}", true),
                ("legal_on_stated", f"the stated {noun}", stated),
                ("legal_on_both", "both", third),
            ),
        ),
        (
            f"{action.capitalize()}s that one {noun} alone\npermits: the share that is listed",
            (
                ("stated_only_listed", f"only the stated {noun}", stated),
                ("true_only_listed", f"only the true {noun}", true),
            ),
        ),
        (
            f"Listed, but illegal in truth:\nthe share legal on the stated {noun}",
            (
                ("explained", "found", stated),
                ("expected", "expected of other episodes' lists", third),
            ),
        ),
    )
    figure, rows = figure_of_rows([3] * len(models), [3.1] * len(models), 10.5)
    names = labels(models, 70)
    numbers = table[table["length"] != ALL_LENGTHS].assign(
        at=lambda each: each["length"].astype(int)
    )
    for row, model in zip(rows, models, strict=True):
        part = numbers[numbers["model"] == model]
        lengths = sorted(part["at"].unique())
        for axes, (title, lines) in zip(row, panels, strict=True):
            for place, (quantity, label, look) in enumerate(lines):
                line = part[(part["quantity"] == quantity) & (part["count"] > 0)].sort_values("at")
                curve(axes, line, line["at"] * 1.06 ** (place - 1), label, look, 4)
            axes.set_title(title, fontsize=9)
            log_lengths(axes, lengths)
            axes.set_xlabel("actions" if environment.actions_per_group == 1 else "actions (plies)")
            axes.legend(
                fontsize=7, frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.2)
            )
        row[0].set_ylim(-0.04, 1.04)
        row[0].set_ylabel(names[model].replace(": ", ":\n").replace(", ", ",\n"), fontsize=8)
    once = table[(table["length"] == ALL_LENGTHS) & (table["quantity"] == "legal_on_true")]
    reasons = ("with a failed call", "not scored", f"without a {noun}", "without a list")
    counts = (once[name].sum() for name in _LEFT_OUT)
    left = ", ".join(f"{n} {words}" for n, words in zip(counts, reasons, strict=True))
    caption(
        figure,
        f"The {noun} that is stated and the {action}s that are listed: {subject}",
        f"{environment.title}; {once['pairs'].sum()} pairs of replies; left out: {left}{note}\n"
        f"means over positions where defined; {interval_words(table, 'episodes')}",
    )
    return figure

"""Rewards for training: a number for a model's reply about a state, from texts alone.

State tracking has verifiable rewards, and exact match is nearly always 0. F_m is dense. It is the
default, because p_m alone is bought with recall: boards with fewer, safer moves. A reward is a function
of its arguments: no clock, no signal, no random number that is not seeded by the texts.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from workbench.affordance.adaptive import measure as measured
from workbench.automaton import SINK, Terminal
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.metrics import find_metric, pair_values
from workbench.metrics.texts import EditKernel
from workbench.prediction import ParsedState, Prediction, ReplyClass
from workbench.scoring.parameters import ComparisonSettings, IllFormedPolicy
from workbench.scoring.score_rows import is_state
from workbench.scoring.single_pair import parsed_argument
from workbench.seeds import derived_seed
from workbench.tasks import task_named

BUDGET: Final = 200_000
"""Joint states that an exact walk may be expected to visit; a larger one is estimated."""

LONGEST: Final = 100_000
"""Characters of a reply that are read, from its end: the answer is there, and time stays bounded."""

AFFORDANCES: Final = ("f", "precision", "recall")
"""Measures at a depth."""

_UNDEFINED: Final = dict.fromkeys(AFFORDANCES, math.nan)


def state_reward(
    reply: str | None,
    true_state: str,
    environment: str = DEFAULT,
    depth: int = 4,
    measure: str = "f",
    *,
    class_rewards: Mapping[str, float] | None = None,
    ill_formed: IllFormedPolicy = "sink",
    terminal: Terminal = "absorb",
    budget: int = BUDGET,
) -> float:
    """Return the reward of one reply: how well the state in it is the true one.

    Args:
        reply: A model's whole text, any text, read from its last `LONGEST` characters; None for a call
            that failed.
        true_state: The true state, as text.
        environment: Its name.
        depth: m, at least 1.
        measure: ``f``, ``precision`` or ``recall`` at depth m; or a metric of texts that lies in
            [0, 1] and is better when higher: ``exact_match``, ``board_accuracy``, ``edit_kernel``, ...
        class_rewards: The reward of a class instead of the measure, to tell ill-formed, unparseable
            and absent answers apart: ``{"ill_formed": 0, "unparseable": -0.1, "absent": -0.2}``.
        ill_formed: Whether a state that cannot arise is the sink, with p_m and r_m of 0 (``sink``), or
            is measured (``as_is``, the default of `workbench.score`), which a trained model exploits.
        terminal: How a game that is finished before m actions counts.
        budget: Joint states that an exact walk may be expected to visit. Beyond it p_m and r_m are
            estimated to a relative error of 1%, by a seed of the texts.

    Returns:
        A number in [0, 1], or one of ``class_rewards``; 0 where the measure is undefined for a reply,
        such as squares of no board. NaN for a call that failed, which is no reply.

    Raises:
        InvalidArgumentError: If an argument is none of those that are expected.
        WorkbenchError: If the true state cannot be read.

    Example:
        >>> from workbench.rewards import state_reward
        >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        >>> round(state_reward("The board: " + start.replace("RNBQ", "R1BQ"), start), 2)
        0.86
    """
    (value,) = state_rewards(
        [reply],
        [true_state],
        environment,
        depth,
        measure,
        class_rewards=class_rewards,
        ill_formed=ill_formed,
        terminal=terminal,
        budget=budget,
    )
    return value


def state_rewards(
    replies: Sequence[str | None],
    true_states: Sequence[str],
    environment: str | Sequence[str] = DEFAULT,
    depth: int = 4,
    measure: str = "f",
    *,
    class_rewards: Mapping[str, float] | None = None,
    ill_formed: IllFormedPolicy = "sink",
    terminal: Terminal = "absorb",
    budget: int = BUDGET,
) -> list[float]:
    """Return the rewards of replies, in their order; see `state_reward`.

    Args:
        replies: Of any number.
        true_states: As many. What they have in common is read once.
        environment: A name for all, or one for each.
        depth: m, at least 1.
        measure: As for `state_reward`.
        class_rewards: Likewise.
        ill_formed: Likewise.
        terminal: Likewise.
        budget: Likewise.
    """
    shaping = _checked(class_rewards or {})
    rows = reward_parts(
        replies,
        true_states,
        environment,
        depth,
        ill_formed=ill_formed,
        terminal=terminal,
        budget=budget,
    )
    return [_reward(row, measure, shaping) for row in rows]


def reward_named(
    column: str, environment: str = DEFAULT, **options: Any
) -> Callable[[Sequence[str | None], Sequence[str]], list[float]]:
    """Return `state_rewards` for the measure that a column of a scores table names.

    Args:
        column: ``f_4``, ``precision_1``, ``exact_match``, ``board_accuracy``, ``edit_kernel``, ...
        environment: Its name.
        **options: The others of `state_rewards`.

    Returns:
        A function of replies and true states.

    Raises:
        InvalidArgumentError: If the column is none of a metric that is a reward.
    """
    of = environment_named(environment)
    metric = find_metric(column, of)
    names = (*AFFORDANCES, EditKernel.name)
    if (
        metric is None
        or (metric.by_depth and not metric.depth)
        or not (metric.name in names or _is_reward(column, of))
    ):
        raise InvalidArgumentError(
            "reward: expected f, precision or recall with a depth, such as f_4, edit_kernel, or a metric of "
            f"texts in [0, 1] that is better when higher, such as exact_match, got {column!r:.80}"
        )
    if metric.by_depth:
        options["depth"] = metric.depth
    return partial(state_rewards, environment=environment, measure=metric.name, **options)


def reward_parts(
    replies: Sequence[str | None],
    true_states: Sequence[str],
    environment: str | Sequence[str] = DEFAULT,
    depth: int = 4,
    *,
    ill_formed: IllFormedPolicy = "sink",
    terminal: Terminal = "absorb",
    budget: int = BUDGET,
) -> list[dict[str, Any]]:
    """Return what a reward can be made of, for each reply.

    Args:
        replies: As for `state_rewards`.
        true_states: Likewise.
        environment: Likewise.
        depth: Likewise.
        ill_formed: Likewise.
        terminal: Likewise.
        budget: Likewise.

    Returns:
        ``reply_class``; ``precision``, ``recall`` and ``f`` at depth m; ``edit_kernel`` and the metrics
        of texts in [0, 1] that are better when higher. NaN is undefined: everything of a call that
        failed, and elements of a text that cannot be read.

    Raises:
        InvalidArgumentError: If there are not as many true states as replies, or a value is neither a
            text nor None.
        WorkbenchError: If a true state cannot be read; the message says which.
    """
    ComparisonSettings(depth=depth, terminal=terminal, ill_formed=ill_formed)
    names = [environment] * len(replies) if isinstance(environment, str) else list(environment)
    if not len(replies) == len(true_states) == len(names):
        raise InvalidArgumentError(
            "expected as many true states and environments as replies, got "
            f"{len(true_states)} and {len(names)} for {len(replies)}; pass one for each reply"
        )
    known: dict[tuple[str, str], ParsedState] = {}
    rows = []
    for place, (reply, text, name) in enumerate(zip(replies, true_states, names, strict=True)):
        for value, expected in (
            (reply, "a text, or None for a call that failed"),
            (text, "a text"),
        ):
            if not isinstance(value, str) and (value is not None or value is text):
                raise InvalidArgumentError(f"row {place}: expected {expected}, got {value!r:.80}")
        of = environment_named(name)
        true = known.get((name, text)) or parsed_argument(of, text, f"true state {place}")
        known[name, text] = true
        rows.append(_parts(of, reply, true, depth, ill_formed, terminal, budget))
    return rows


def _parts(
    environment: AnyEnvironment,
    reply: str | None,
    true: ParsedState,
    depth: int,
    ill_formed: IllFormedPolicy,
    terminal: Terminal,
    budget: int,
) -> dict[str, Any]:
    if reply is None:
        return {"reply_class": str(ReplyClass.FAILED), **_UNDEFINED}
    prediction: Prediction = task_named("state").classify(environment, reply[-LONGEST:])
    reply_class = str(prediction.reply_class)
    predicted = environment.parse(None) if prediction.parsed is None else prediction.parsed
    result = measured(
        true.state,
        predicted.state if is_state(reply_class, ill_formed) else SINK,
        depth,
        automaton=environment.automaton,
        budget=budget,
        seed=derived_seed(0, true.text, predicted.text),
        terminal=terminal,
    )
    precision, recall = result.precision.value, result.recall.value
    both = precision + recall
    texts = pair_values(environment, true, predicted)
    return {
        "reply_class": reply_class,
        "precision": precision,
        "recall": recall,
        "f": 2 * precision * recall / both if both else 0.0,
        "edit_kernel": math.exp(-EditKernel().rate * texts["levenshtein"]),
        **{
            name: math.nan if value is None else float(value)
            for name, value in texts.items()
            if _is_reward(name, environment)
        },
    }


def _is_reward(name: str, environment: AnyEnvironment) -> bool:
    metric = find_metric(name, environment)
    return metric is not None and metric.range == (0.0, 1.0) and metric.direction == "higher"


def _reward(parts: Mapping[str, Any], measure: str, shaping: Mapping[str, float]) -> float:
    if parts["reply_class"] == ReplyClass.FAILED:
        return math.nan
    if parts["reply_class"] in shaping:
        return shaping[parts["reply_class"]]
    if measure not in parts or measure == "reply_class":
        names = ", ".join(name for name in parts if name != "reply_class")
        raise InvalidArgumentError(
            f"measure: expected one of {names}, got {measure!r:.80}; the depth is an argument of its own"
        )
    value: float = parts[measure]
    return 0.0 if math.isnan(value) else value


def _checked(class_rewards: Mapping[str, float]) -> Mapping[str, float]:
    classes = [str(each) for each in ReplyClass if each is not ReplyClass.FAILED]
    for name, value in class_rewards.items():
        if name not in classes or not math.isfinite(value):
            raise InvalidArgumentError(
                f"class_rewards: expected finite numbers for {', '.join(classes)}, got {name!r:.80}: "
                f"{value!r:.80}; a call that failed has no reward"
            )
    return class_rewards

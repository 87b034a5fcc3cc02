"""The causes of what precision and recall lose: what correcting each difference alone wins back, and the main one.

Nothing here is about one environment: it gives the differences of two states, each with the predicted
state that has this difference alone set right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, NamedTuple

from workbench.automaton import Action, Sink, State
from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings
from workbench.explore.losses.joint_tree import MEASURES, ROUNDING, Measure, percent

DOMINANT: Final = 0.5
"""The share of all that is lost from which on a cause is named."""

MOST_DIFFERENCES: Final = 12
"""Of states without a compiled kernel that differ in more than this no difference is looked at alone."""

Values = tuple[float, float]
"""Precision and recall at one depth."""


@dataclass(frozen=True, slots=True)
class Difference(Generic[State]):
    """One thing that the predicted state has wrong, and that state with this alone set right.

    Attributes:
        words: What is wrong, as the beginning of a sentence in lower case.
        corrected: The state with this alone set right; the sink where that counts as no state.
        label: The same as the words, as short as can be.
        text: The corrected state as text.
        kind: What is wrong without its place and its values, the same in many states.
    """

    words: str
    corrected: State | Sink
    label: str = ""
    text: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A consequence of the differences that decides about first actions as a whole, such as a check.

    Attributes:
        words: What it is, as the beginning of a sentence in lower case.
        lost: The probability of the first actions that are refused because of it, of those drawn
            from the predicted state and of those drawn from the true one.
        kind: What it is without the side, the same in many states.
    """

    words: str
    lost: Values
    kind: str = ""


class Cause(NamedTuple):
    """What accounts for most of a measure's loss: the probability lost, and its share of all loss."""

    words: str
    lost: float
    share: float


def main_cause(
    measure: Measure,
    values: Values,
    corrected: Sequence[tuple[str, Values]],
    circumstances: Sequence[Circumstance] = (),
) -> Cause | None:
    """Find the one cause of at least half of a measure's loss.

    The loss through a difference is what correcting it alone wins back: p_m(S, T') - p_m(S, T), where T'
    is T with this difference as in S; likewise for recall. Shares of several differences need not
    add up to 1: correcting one may be worth nothing while another remains. The loss through a
    circumstance is the probability of the first actions that are refused because of it; one that
    dominates is named before any difference, since it is nearer to what happens.
    """
    total = 1.0 - values[measure.index]
    if total <= ROUNDING:
        return None
    for each in circumstances:
        share = min(each.lost[measure.index] / total, 1.0)
        if share >= DOMINANT:
            return Cause(each.words, share * total, share)
    ranked = sorted(
        ((each[measure.index] - values[measure.index], words) for words, each in corrected),
        reverse=True,
    )
    if not ranked or ranked[0][0] < DOMINANT * total - ROUNDING:
        return None
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] <= ROUNDING:
        return None
    lost, words = ranked[0]
    return Cause(words, lost, lost / total)


def pair_causes(
    explored: ExploredAutomaton[State, Action],
    true: State,
    predicted: State | Sink,
    settings: ExplorerSettings,
    differences: Sequence[Difference[State]],
    circumstances: Sequence[Circumstance] = (),
) -> dict[str, Any]:
    """Return what each difference of two states costs, and the main causes in words.

    The depth is the deepest at which every difference can be measured within the budget.

    Returns:
        What `causes_in_words` does; ``now``, precision and recall of the pair at that depth;
        ``differences``, those that cost most precision first and among equals those that cost most
        recall, each with ``label``, ``words``, ``text`` (the predicted state with this one difference
        corrected), ``precision`` and ``recall`` (with it corrected); and ``circumstances``, in words.
    """
    budget = max(settings.exact_budget // (len(differences) + 1), 1)
    depth = settings.depth
    states = [predicted, *(each.corrected for each in differences)]
    for state in states:
        if not isinstance(state, Sink):
            limited = replace(settings, depth=depth, exact_budget=budget)
            depth = exact_depth(explored, true, state, limited).depth

    def measured(state: State | Sink) -> Values:
        if isinstance(state, Sink):
            return 0.0, 0.0
        precision, recall = explored.exact_values(true, state, depth, settings.terminal)
        return precision[-1], recall[-1]

    values, *corrected = map(measured, states)
    named = [(each.words, won) for each, won in zip(differences, corrected, strict=True)]
    causes = [main_cause(measure, values, named, circumstances) for measure in MEASURES]
    rows = [
        {
            "label": each.label or each.words,
            "words": each.words,
            "text": each.text,
            "precision": precision,
            "recall": recall,
        }
        for each, (precision, recall) in zip(differences, corrected, strict=True)
    ]
    rows.sort(key=_gain, reverse=True)
    return {
        **causes_in_words(depth, values, causes),
        "now": {"precision": values[0], "recall": values[1]},
        "differences": rows,
        "circumstances": [f"{each.words[0].upper()}{each.words[1:]}." for each in circumstances],
    }


def _gain(row: dict[str, Any]) -> tuple[float, float]:
    # Rounding must not decide the order.
    return round(row["precision"], 9), round(row["recall"], 9)


def no_causes(depth: int) -> dict[str, Any]:
    """Return what `pair_causes` does where there is no predicted state that could be corrected."""
    return {
        **causes_in_words(depth, (0.0, 0.0), (None, None)),
        "now": {"precision": 0.0, "recall": 0.0},
        "differences": [],
        "circumstances": [],
    }


def causes_in_words(depth: int, values: Values, causes: Sequence[Cause | None]) -> dict[str, Any]:
    """Return the causes of both losses as a page shows them.

    Returns:
        ``words``: one sentence, or two if the causes differ; empty if there is none. ``depth``; and
        for ``precision`` and ``recall`` either None or ``words``, ``lost`` and ``share``.
    """
    groups: dict[str, list[tuple[Measure, Cause]]] = {}
    for measure, cause in zip(MEASURES, causes, strict=True):
        if cause is not None:
            groups.setdefault(cause.words, []).append((measure, cause))
    return {
        "words": " ".join(_sentence(depth, values, group) for group in groups.values()),
        "depth": depth,
        **{
            measure.name: cause and cause._asdict()
            for measure, cause in zip(MEASURES, causes, strict=True)
        },
    }


def _sentence(depth: int, values: Values, group: Sequence[tuple[Measure, Cause]]) -> str:
    words = group[0][1].words
    if all(values[measure.index] == 0 and cause.share > 1 - ROUNDING for measure, cause in group):
        names = " = ".join(f"{measure.symbol}_{depth}" for measure, _ in group)
        return f"{names} = 0: {words}."
    parts = " and ".join(
        f"{percent(cause.lost)} of {measure.symbol}_{depth}" for measure, cause in group
    )
    verb = "are" if len(group) > 1 else "is"
    return f"{words[0].upper()}{words[1:]}: {parts} {verb} lost through it."

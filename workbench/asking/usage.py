"""The usage of a question's calls: tokens, dollars, seconds."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from workbench.asking.costs.prices import implausible_usage
from workbench.asking.journal import Record

MEASURES: Final = ("input_tokens", "output_tokens", "reasoning_tokens", "dollars", "seconds")
_INPUT: Final = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")


def question_usage(record: Record, question: tuple[str, int], turns: int) -> dict[str, Any]:
    """Return the `MEASURES` of the calls that answered a question, summed over its turns.

    Tokens of the input count whether the provider had them cached or not; those of the output
    hold the reasoning. A measure that is not known of every turn is None.

    Args:
        record: The run's journal.
        question: Position and sample.
        turns: Turns of the prompt.
    """
    keys = [(*question, turn) for turn in range(turns) if (*question, turn) in record.answers]
    calls = [_call(record.answers[key], record.costs.get(key)) for key in keys]
    return {measure: _sum(call[measure] for call in calls) for measure in MEASURES}


def _call(output: Mapping[str, Any], dollars: float | None) -> dict[str, float | None]:
    usage = output.get("usage") or {}
    known = {} if implausible_usage(usage) else usage
    return {
        "input_tokens": _sum(known.get(name) or 0 for name in _INPUT) if known else None,
        "output_tokens": known.get("output_tokens"),
        "reasoning_tokens": known.get("reasoning_tokens"),
        "dollars": dollars,
        "seconds": output.get("time"),
    }


def _sum(values: Iterable[float | None]) -> float | None:
    total: float | None = None
    for value in values:
        if value is None:
            return None
        total = value + (total or 0)
    return total

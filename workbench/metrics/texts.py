"""Metrics of two texts of states: exact match, edit distance, elements and fields that are right.

An environment says which texts are compared, which fields they have, and what share of the elements
is right. Source: arXiv 2508.19851 compares whole texts; the narrower choices are ours.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa
from rapidfuzz.distance import Levenshtein

from workbench.depth_summaries import Values
from workbench.environment import Environment
from workbench.errors import InvalidArgumentError
from workbench.metrics.metric import Direction, Metric, Needs, Pair

WHOLE: Final = "full"
"""The variant of a text that is compared whole, and whose columns have no ending."""


class TextMetric(Metric):
    """A metric of two texts, computed for every reply that should be a state."""

    needs: Needs = "texts"
    defined: ClassVar[bool] = True
    headline = False


class VariantMetric(TextMetric):
    """A metric of one variant of two texts."""

    def __init__(self, variant: str = WHOLE) -> None:
        self.variant = variant
        whole = variant == WHOLE
        if not whole:
            self.name = f"{self.name}_{variant}"
            self.title = f"{self.title} of the {variant}"
        self.headline = whole


class ExactMatch(VariantMetric):
    """Whether the texts are the same, character by character."""

    name = "exact_match"
    title = "exact match"
    sentence = "Whether the text of the predicted state is, character by character, the true one."
    type: ClassVar[pa.DataType] = pa.bool_()

    def value(self, pair: Pair) -> bool:
        """Return whether both texts agree."""
        true, predicted = pair.texts[self.variant]
        return true == predicted


class EditDistance(VariantMetric):
    """The Levenshtein distance: insertions, deletions and substitutions cost 1."""

    name = "levenshtein"
    title = "edit distance"
    sentence = "Levenshtein distance of the predicted state's text from that of the true state."
    unit = "characters"
    direction: Direction = "lower"
    range = (0.0, math.inf)
    digits = 0
    type: ClassVar[pa.DataType] = pa.int32()

    def value(self, pair: Pair) -> int:
        """Return the distance of both texts in characters."""
        return Levenshtein.distance(*pair.texts[self.variant])


class ToEmpty(TextMetric):
    """Whether there is no predicted text, so that the edit distance is the one to the empty text."""

    name = "levenshtein_to_empty"
    title = "edit distance to the empty text"
    sentence = "Whether there is no predicted text: the edit distance is that to the empty text."
    direction: Direction = "none"
    type: ClassVar[pa.DataType] = pa.bool_()

    def value(self, pair: Pair) -> bool:
        """Return whether there is no predicted text."""
        return not pair.predicted.text


class EditKernel(Metric):
    """exp(-rate * edit distance), the paper's similarity in (0, 1]; in no scores table."""

    name = "edit_kernel"
    title = "edit kernel"
    symbol = "exp(-lambda lev)"
    sentence = "exp(-lambda lev), a similarity in (0, 1] that falls with the edit distance lev."
    needs: Needs = "columns"
    scored: ClassVar[bool] = False
    headline = False

    def __init__(self, rate: float = 0.1) -> None:
        if not rate > 0:
            raise InvalidArgumentError(f"expected a rate above 0, got {rate!r}")
        self.rate = rate

    def values(self, columns: Mapping[str, Values]) -> Values:
        """Return the kernel of each row's edit distance."""
        kernel: Values = np.exp(-self.rate * columns["levenshtein"])
        return kernel


class Accuracy(TextMetric):
    """The share of a state's elements that are right."""

    digits = 3
    defined: ClassVar[bool] = False
    sentence = "Share of the state's elements, such as the squares of a board, that are right."

    def __init__(self, name: str = "element_accuracy") -> None:
        self.name = name
        self.title = name.replace("_", " ")

    def value(self, pair: Pair) -> float:
        """Return the share; NaN where the elements cannot be read."""
        return pair.environment.accuracy(pair.true, pair.predicted)


class CorrectField(TextMetric):
    """Whether one field of the text is right."""

    type: ClassVar[pa.DataType] = pa.bool_()

    def __init__(self, field: str) -> None:
        self.field = field
        self.name = f"correct_{field}"
        self.title = f"correct {field.replace('_', ' ')}"
        self.sentence = f"Whether the field {field.replace('_', ' ')} is right as text."

    def value(self, pair: Pair) -> bool:
        """Return whether the field is right."""
        return pair.fields[self.field]


def text_metrics(environment: Environment[Any, Any]) -> list[Metric]:
    """Return the metrics of an environment's texts, in the order of the columns."""
    whole, *narrower = environment.text_variants
    every = (
        ExactMatch(whole),
        EditDistance(whole),
        ToEmpty(),
        *(kind(each) for each in narrower for kind in (ExactMatch, EditDistance)),
        Accuracy(environment.accuracy_column),
        *map(CorrectField, environment.text_fields),
    )
    return [each for each in every if each.applies(environment)]

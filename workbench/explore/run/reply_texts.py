"""The texts of a run's replies: search in them, and the part of one that is shown."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LONGEST_SHOWN: Final = 2000
"""Characters of a reply that are shown; of a longer one, the part around what was searched for."""


class ReplyTexts:
    """The texts of replies, one for each row of a run.

    Args:
        texts: The replies; None where a reply is not kept.
        states: What was taken for the predicted state, which stands for a reply that is not kept;
            None where there is none.
    """

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
        # A missing state can be None or NaN.
        found = (state if text is None else text for text, state in pairs)
        return [text.casefold() if isinstance(text, str) else "" for text in found]

    def of(self, places: Iterable[int]) -> list[str | None]:
        """Return the whole replies of some rows."""
        return [self._texts[place] for place in places]

    def holding(self, wanted: str) -> NDArray[np.bool_]:
        """Return for each row whether its reply, or its state, has a part, in upper or lower case.

        Args:
            wanted: Plain text; no character has a special meaning.
        """
        folded = wanted.casefold()
        found = (folded in text for text in self._folded)
        return np.fromiter(found, dtype=np.bool_, count=len(self._texts))

    def excerpt(self, row: int, wanted: str = "") -> dict[str, Any] | None:
        """Return the part of a reply that is shown.

        Args:
            row: Its number, from 0.
            wanted: What was searched for.

        Returns:
            None if there is no reply; else ``length`` (characters of the whole), ``skipped``
            (characters before the part), and the part as ``before``, ``match`` and ``after``;
            without a match all of it is ``after``.
        """
        text = self._texts[row]
        if text is None:
            return None
        # Folding a letter such as ß changes the length; what then is not found here is not marked.
        at = text.lower().find(wanted.lower()) if wanted else -1
        at, end = (at, at + len(wanted)) if at >= 0 else (0, 0)
        start = max(0, min(at - LONGEST_SHOWN // 4, len(text) - LONGEST_SHOWN))
        stop = start + LONGEST_SHOWN
        return {
            "length": len(text),
            "skipped": start,
            "before": text[start:at],
            "match": text[at : min(end, stop)],
            "after": text[end:stop],
        }

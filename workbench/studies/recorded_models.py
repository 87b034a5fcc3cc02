"""The models of the recorded replies in figures: their looks, and their number in words."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from matplotlib.colors import to_rgb

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.appearance import Style, series_looks, style

# One hue a family, from dark to light; filled markers: models that reason before they answer.
_LOOKS: Final = {
    # model: colour, marker, line, hatch, whether the marker is filled
    "o3-2025-04-16": ("#08306b", "o", "-", "", True),
    "o3-mini-2025-01-31": ("#2f83d6", "s", "--", "///", True),
    "o4-mini-2025-04-16": ("#62cdf0", "^", "-.", "...", True),
    "deepseek-reasoner": ("#54278f", "D", "-", "xx", True),
    "gemini-2.5-pro-preview-03-25": ("#8c0030", "v", "--", "---", True),
    "gemini-2.5-flash-preview-04-17": ("#ea3b5c", "P", ":", "ooo", True),
    "gemini-2.0-flash-001": ("#d95f00", "v", "-", "|||", False),
    "gemini-2.0-flash-lite-001": ("#ffa64d", "P", "-.", "+++", False),
    "gpt-4.1-2025-04-14": ("#00592e", "o", "-", "\\\\\\", False),
    "gpt-4.1-mini-2025-04-14": ("#18a05c", "s", "--", "**", False),
    "gpt-4.1-nano-2025-04-14": ("#86d67a", "^", ":", "//", False),
    "gpt-4o-2024-08-06": ("#5f5a00", "X", "-.", "..", False),
    "gpt-4o-mini-2024-07-18": ("#a59a10", "<", "--", "x", False),
    "gpt-3.5-turbo-instruct": ("#e0cf3a", ">", ":", "--", False),
    "deepseek-chat": ("#a98be0", "D", "--", "oo", False),
    "chessgpt-base-v1-q4_k_m.gguf": ("#d13fb0", "p", "-.", "||", False),
    "chessgpt-chat-v1.Q4_K.gguf": ("#f5a3dc", "h", ":", "++", False),
    BASELINE: ("#737373", "*", ":", "\\\\", True),
}
RECORDED_LOOKS: Final[Mapping[str, Style]] = MappingProxyType(
    {
        name: Style(to_rgb(colour), marker, line, hatch, to_rgb(colour) if filled else "white")
        for name, (colour, marker, line, hatch, filled) in _LOOKS.items()
    }
)
"""The looks of the models with recorded replies; the baseline is grey."""


def model_looks(names: Iterable[str]) -> dict[str, Style]:
    """Return the look of each model: its own of `RECORDED_LOOKS`, or one of `series_looks`."""
    return series_looks(names, RECORDED_LOOKS)


def column_looks(column: str, names: Sequence[str]) -> dict[str, Style]:
    """Return the look of each value of a column: that of `model_looks` for models."""
    if column == "model":
        return model_looks(names)
    return {name: style(index) for index, name in enumerate(names)}


def model_count_words(names: Iterable[str]) -> str:
    """Return how many models there are, in words, the baseline apart."""
    models = set(names)
    count = len(models - {BASELINE})
    return f"{count} model{'' if count == 1 else 's'}" + " and the baseline" * (BASELINE in models)

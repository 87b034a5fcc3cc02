"""The looks of the marks in the scatter of a run, the same on the page and in figures."""

from collections.abc import Sequence

from matplotlib.colors import to_hex

from workbench.drawing.appearance import Style, model_style, style


def mark_looks(column: str, names: Sequence[str]) -> dict[str, Style]:
    """Return the look of each name that marks distinguish.

    Args:
        column: What the names are of; models have the looks that all figures give them.
        names: In their order.
    """
    if column == "model":
        return model_style(names)
    return {name: style(index) for index, name in enumerate(names)}


def page_looks(column: str, names: Sequence[str]) -> list[dict[str, str | bool]]:
    """Return the looks of `mark_looks` for the page, in the order of the names.

    Returns:
        For each the ``colour`` (such as "#0b5fa5"), the ``marker`` (matplotlib's letter), and
        whether it is ``filled``.
    """
    looks = mark_looks(column, names)
    return [
        {
            "colour": to_hex(looks[name].colour),
            "marker": looks[name].marker,
            "filled": looks[name].face == looks[name].colour,
        }
        for name in names
    ]

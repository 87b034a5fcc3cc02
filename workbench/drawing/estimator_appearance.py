"""Names and looks of the estimators, the same in every figure."""

from typing import Final

from workbench.drawing.appearance import Style, style

METHOD_LABELS: Final = {
    "naive": "Algorithm 1 (naive)",
    "branch": "uniform branching",
    "intermediate": "Algorithm 2 (rescaled by count)",
    "intermediate-mass": "Algorithm 2 (rescaled by mass)",
    "intermediate-resampled": "Algorithm 2 (resampled by weight)",
    "stratified": "stratified (ours)",
}
"""Every estimator by its name in `workbench.affordance.ESTIMATORS`, in the order of figures."""

_STYLES: Final = (
    "naive", "branch", "intermediate", "intermediate-resampled", "stratified", "intermediate-mass",
)  # fmt: skip


def method_style(method: str) -> Style:
    """Return the look of an estimator.

    Args:
        method: A key of `METHOD_LABELS`.
    """
    return style(_STYLES.index(method))

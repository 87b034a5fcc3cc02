"""Sizes of a run of the notebooks: ``quick`` for a first look, ``paper`` as in the paper.

A notebook's own ``parameters`` cell holds the quick size; a preset names what differs.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from workbench.errors import InvalidArgumentError

PRESETS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "quick": {},
        "paper": {
            "01_precision_by_depth": {"runs": 100},
            "02_precision_by_samples": {"runs": 100},
            "03_kendall_tau": {"per_group": 2000},
            "04_mean_precision": {"per_group": 2000, "lost_piece_positions": 400},
            "05_random_baseline": {"pairs": 1000, "scattered_pairs": 10000},
            "08_models": {"per_group": 400},
            "09_prompts": {"per_group": 200},
            "12_environments": {"per_length": 200},
            "15_stated_and_implied": {"per_length": 200},
            "16_emergence": {"per_group": 200},
            "17_probe": {"per_group": 60, "fit_games": 500, "iterations": 30},
        },
    }
)

LONGEST_FIRST: Final = (
    "04_mean_precision",
    "12_environments",
    "17_probe",
    "16_emergence",
    "06_sample_complexity",
    "05_random_baseline",
    "07_estimators",
    "09_prompts",
    "08_models",
    "13_track_or_recall",
    "03_kendall_tau",
)
"""Notebooks in the order in which to start them, so that no long one is left for the end.

By their processor times at the size ``paper``. 03 draws the scores that 04 makes: begun with it, it
would only wait.
"""


def preset(name: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters of a preset for each notebook that it changes.

    Raises:
        InvalidArgumentError: If there is no preset of this name.
    """
    if name not in PRESETS:
        raise InvalidArgumentError(f"expected a preset of {list(PRESETS)}, got {name!r}")
    return PRESETS[name]

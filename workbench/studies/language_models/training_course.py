"""The course of a training run: learning rate and length of the games read, step by step."""

from collections.abc import Sequence
from itertools import accumulate

import pandas as pd

from workbench.language_model.bundled_models import load_model
from workbench.language_model.training.training_settings import TrainingSettings


def course(names: Sequence[str]) -> pd.DataFrame:
    """Return the course of the run that some bundled models are checkpoints of.

    Args:
        names: Of checkpoints and of the model that the run ended with.

    Returns:
        Columns of (the checkpoint; empty for the run itself), branch (whether it left the run),
        step, learning_rate and plies (the longest to which games have been read by this step). The run
        has a row for each step, a branch about ten.
    """
    rows = []
    for name in names:
        description = load_model(name).description
        settings = TrainingSettings.of_description(description)
        step, cooled = description["step"], description["cooled_steps"]
        plies = list(accumulate(map(settings.plies_at, range(step + cooled)), max))
        if not cooled:
            rows += [
                ("", False, at + 1, settings.rate_at(at), plies[at]) for at in range(settings.steps)
            ]
        for after in range(0, cooled, max(1, cooled // 10)):
            rate = settings.branch_rate(step, after)
            rows.append((name, True, step + after, rate, plies[step + after]))
        if cooled:
            rows.append((name, True, step + cooled, 0.0, plies[-1]))
    return pd.DataFrame(rows, columns=["of", "branch", "step", "learning_rate", "plies"])

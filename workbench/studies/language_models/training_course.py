"""The course of a training run: learning rate and length of the games read, step by step."""

from collections.abc import Sequence
from dataclasses import fields

import pandas as pd

from workbench.language_model.bundled_models import load_model
from workbench.language_model.training.training_settings import TrainingSettings


def course(names: Sequence[str], points: int = 400) -> pd.DataFrame:
    """Return the course of the run that some bundled models are checkpoints of.

    Args:
        names: Of checkpoints and of the model that the run ended with.
        points: Steps of the run that are looked at.

    Returns:
        Columns of (the checkpoint; empty for the run itself), branch (whether it left the run),
        step, learning_rate and plies (to which games are read, at most).
    """
    rows = []
    for name in names:
        description = load_model(name).description
        # The files say how many games there were to train on, not how many a step reads.
        known = {field.name for field in fields(TrainingSettings)} - {"games"}
        settings = TrainingSettings(**{key: description[key] for key in known & set(description)})
        step, cooled = description["step"], description["cooled_steps"]
        if not cooled:
            each = max(1, settings.steps // points)
            longest = 0
            for at in range(0, settings.steps, each):
                longest = max(longest, settings.plies_at(at))
                rows.append(("", False, at + 1, settings.rate_at(at), longest))
        for after in range(0, cooled, max(1, cooled // 10)):
            rate = settings.branch_rate(step, after)
            rows.append((name, True, step + after, rate, settings.plies_at(step)))
        if cooled:
            rows.append((name, True, step + cooled, 0.0, settings.plies_at(step)))
    return pd.DataFrame(rows, columns=["of", "branch", "step", "learning_rate", "plies"])

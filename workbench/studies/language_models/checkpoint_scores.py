"""Scores of bundled models at the same unseen positions, and of the answer that needs no model."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.answers.answered_positions import predictions_table
from workbench.answers.recorded_replies import BASELINE
from workbench.environments.registry import environment_named
from workbench.language_model.bundled_models import load_model
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.prediction import ReplyClass
from workbench.scoring import ScoringParameters, score
from workbench.studies.data import FIVE_GROUPS, Source, positions_of, replies_to_games

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def scores_of_models(
    tables: str | Path,
    names: Sequence[str],
    source: Source,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of models, and of the initial position as every answer, in five groups.

    Args:
        tables: The folder that keeps positions and scores.
        names: Of bundled models, at least one.
        source: How many positions, and their seed.
        parameters: The parameters of scoring.
        jobs: Workers.

    Returns:
        Rows of a scores table, in which ``model`` is the name in ``names``, with ``game``; ``squares``,
        the share of squares that are right (0 where the placement cannot be read); and as 0 or 1
        ``ill_formed`` and ``unreadable`` (the reply is no FEN, though its placement may be readable).
    """
    folder = Path(tables)
    found = []
    for name in names:
        asked = replace(source, replies=name)
        scores = replies_to_games(folder, asked, FIVE_GROUPS, parameters, jobs=jobs)
        found.append(scores.assign(model=name))
    positions = positions_of(replace(source, replies=names[0]), FIVE_GROUPS, folder)
    start = environment_named("chess").classify_state(_START)
    assert start is not None
    reply: dict[str, Any] = {"task": "state", "model": BASELINE, "reply": _START}
    baseline = predictions_table(positions, [reply | start.columns()] * len(positions))
    scored = score(baseline, parameters, jobs=jobs)
    rows = pd.concat([*found, scored.assign(game=scored["game_id"])], ignore_index=True)
    return rows.assign(
        squares=rows["board_accuracy"].fillna(0.0),
        ill_formed=(rows["reply_class"] == ReplyClass.ILL_FORMED).astype(float),
        unreadable=rows["reply_class"]
        .isin([ReplyClass.UNPARSEABLE, ReplyClass.ABSENT])
        .astype(float),
    )


def described(names: Sequence[str]) -> pd.DataFrame:
    """Return how bundled models were trained, a row for each.

    Returns:
        model, parameters, longest_plies (the longest to which games were read, cooling included), step (of
        the optimiser, from which a checkpoint was taken), and all else that the files of the weights say.
    """
    rows = []
    for name in names:
        model = load_model(name)
        taken = model.description["step"] + model.description["cooled_steps"]
        longest = TrainingSettings.of_description(model.description).longest_plies(taken)
        row = {"model": name, "parameters": model.parameters, "longest_plies": longest}
        rows.append(row | model.description)
    return pd.DataFrame(rows)

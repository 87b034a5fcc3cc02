"""Predictions to scores: single rows, and complete files, resumable, on all cores."""

from workbench.scoring.parameters import (
    IllFormedPolicy,
    ScoringParameters,
    scores_schema,
    scoring_parameters,
)
from workbench.scoring.score_rows import score_predictions
from workbench.scoring.score_tables import score, score_file, score_table

__all__ = [
    "IllFormedPolicy",
    "ScoringParameters",
    "score",
    "score_file",
    "score_predictions",
    "score_table",
    "scores_schema",
    "scoring_parameters",
]

"""Replies of models: the FEN in them, the logs of others, and a simulated tracker."""

from workbench.answers.classification import (
    EXTRACTOR_VERSION,
    Prediction,
    ReplyClass,
    classify,
    classify_fen,
)
from workbench.answers.imports import ImportedReplies, RowNote, import_pgn2fen
from workbench.answers.simulated_tracker import Slip, Tracking, simulate, track
from workbench.environments.chess.slips import SlipKind

__all__ = [
    "EXTRACTOR_VERSION",
    "ImportedReplies",
    "Prediction",
    "ReplyClass",
    "RowNote",
    "Slip",
    "SlipKind",
    "Tracking",
    "classify",
    "classify_fen",
    "import_pgn2fen",
    "simulate",
    "track",
]

"""Scores of the checkpoints of bundled models at the same unseen positions, and the training schedule."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import BASELINE
from workbench.environments.registry import environment_of
from workbench.games.synthetic_boards import with_random_losses
from workbench.language_model.board_probe import squares_of
from workbench.language_model.language_model import load_model
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.prediction import ReplyClass
from workbench.scoring import ScoringParameters, score
from workbench.seeds import derived_seed
from workbench.studies.data import (
    FIVE_GROUPS,
    Source,
    positions_made_of,
    positions_of,
    replies_to_games,
    written_states,
)
from workbench.studies.study_scores import StoredTables


def course(names: Sequence[str]) -> pd.DataFrame:
    """Return the course of the run that some bundled models are checkpoints of.

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


def scores_of_models(
    tables: str | Path,
    names: Sequence[str],
    source: Source,
    parameters: ScoringParameters,
    *,
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of models, and of the initial position as every answer, in five groups.

    Returns:
        Rows of a scores table, in which ``model`` is the name in ``names``, with ``game``; ``squares``,
        the share of squares that are right (0 where the placement cannot be read); ``missing_pieces``, how
        many more the true board has than the written one (NaN where it cannot be read); and as 0 or 1
        ``ill_formed`` and ``unreadable`` (the reply is no FEN, though its placement may be readable).
    """
    folder = Path(tables)
    parts = []
    for name in names:
        of_model = replace(source, replies=name)
        scores = replies_to_games(folder, of_model, FIVE_GROUPS, parameters, jobs=jobs)
        parts.append(scores.assign(model=name))
    positions = positions_of(replace(source, replies=names[0]), FIVE_GROUPS, folder)
    parts.append(scores_of_start(positions, parameters, jobs=jobs))
    return _with_missing_pieces(with_shares(pd.concat(parts, ignore_index=True)))


def scores_of_start(
    positions: pd.DataFrame, parameters: ScoringParameters, *, jobs: int = 1
) -> pd.DataFrame:
    """Return the scores of the state before the first action as every answer, with ``game``."""
    environment = environment_of(positions, "positions")
    # As a tracker writes it: in chess with its clocks.
    starts = [
        environment.track(initial, [], rate=0.0, seed=0)
        for initial in positions["initial_state"].fillna("")
    ]
    baseline = written_states(positions, starts, [BASELINE] * len(starts))
    scored = score(baseline, parameters, jobs=jobs)
    return scored.assign(game=scored["game_id"])


def scores_of_trackers(
    tables: str | Path,
    rates: Sequence[float],
    source: Source,
    parameters: ScoringParameters,
    *,
    losses: bool = False,
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of simulated trackers at the positions of `scores_of_models`.

    The source is that of any model that answered them; the rates are slips a ply. With ``losses``
    the replies are the true boards, and a rate is the probability of each piece but a king to be
    missing: one kind of error alone.

    Returns:
        Rows as of `scores_of_models`, with ``rate``; ``model`` is the tracker's name, which begins
        with "simulated".
    """
    folder = Path(tables)
    positions = positions_of(source, FIVE_GROUPS, folder)
    made_of = {"positions": positions_made_of(source, FIVE_GROUPS)}
    parts = [
        scores_of_tracker(
            folder, positions, made_of, rate, parameters, seed=source.seed, losses=losses, jobs=jobs
        )
        for rate in rates
    ]
    return _with_missing_pieces(with_shares(pd.concat(parts, ignore_index=True)))


def scores_of_tracker(
    tables: Path,
    positions: pd.DataFrame,
    made_of: Mapping[str, Any],
    rate: float,
    parameters: ScoringParameters,
    *,
    seed: int = 0,
    losses: bool = False,
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of a simulated tracker at positions, with ``rate`` and ``game``; kept in a folder.

    ``made_of`` is what determines the positions. All else is as of `scores_of_trackers`.
    """
    replies = _boards_with_losses if losses else simulate
    described = {**made_of, "rate": rate, "seed": seed, **({"kind": "losses"} if losses else {})}
    scores = StoredTables(tables).scores_of_answers(
        partial(replies, positions, rate=rate, seed=seed), described, parameters,
        environment=environment_of(positions, "positions"), jobs=jobs,
    )  # fmt: skip
    return scores.assign(rate=rate, game=scores["game_id"])


def _boards_with_losses(positions: pd.DataFrame, *, rate: float, seed: int) -> pd.DataFrame:
    fens = [
        with_random_losses(fen, rate=rate, seed=derived_seed(seed, position_id))
        for position_id, fen in zip(positions["position_id"], positions["true_state"], strict=True)
    ]
    return written_states(positions, fens, [f"simulated-losses rate={rate:g}"] * len(fens))


def with_shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Return scores with what a mean counts: ``squares``, and as 0 or 1 ``ill_formed`` and ``unreadable``.

    ``squares`` is the share of squares or elements that are right, 0 where they cannot be read.
    """
    right = next((name for name in ("board_accuracy", "element_accuracy") if name in rows), None)
    shares = {} if right is None else {"squares": rows[right].fillna(0.0)}
    return rows.assign(
        **shares,
        ill_formed=(rows["reply_class"] == ReplyClass.ILL_FORMED).astype(float),
        unreadable=rows["reply_class"]
        .isin([ReplyClass.UNPARSEABLE, ReplyClass.ABSENT])
        .astype(float),
    )


def _with_missing_pieces(rows: pd.DataFrame) -> pd.DataFrame:
    true, predicted = (squares_of(rows[name]) for name in ("true_state", "predicted_state"))
    missing = (true > 0).sum(axis=1) - (predicted > 0).sum(axis=1)
    return rows.assign(missing_pieces=np.where((predicted < 0).any(axis=1), np.nan, missing))


def training_table(names: Sequence[str]) -> pd.DataFrame:
    """Return how bundled models were trained, a row for each.

    Returns:
        model, parameters, longest_plies (the longest to which games were read, cooling included), step (of
        the optimiser, from which a checkpoint was taken), and all else that the files of the weights say.
    """
    rows = []
    for name in names:
        model = load_model(name)
        step = model.description["step"] + model.description["cooled_steps"]
        longest = TrainingSettings.of_description(model.description).longest_plies(step)
        row = {"model": name, "parameters": model.parameters, "longest_plies": longest}
        rows.append(row | model.description)
    return pd.DataFrame(rows)

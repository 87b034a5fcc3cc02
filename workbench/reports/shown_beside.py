"""What stands beside a run: the answer that never changes, and recorded models at the same positions."""

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.drawing.scores_in_words import scored_rows
from workbench.environments.registry import DEFAULT
from workbench.reports.chapters import Chapter
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS
from workbench.tasks import task_named

_SEED: Final = 0


def with_others(chapter: Chapter, *, jobs: int = 1) -> Chapter:
    """Return a chapter with the scores of the baseline and of recorded models beside its own.

    The baseline answers every question as if no action had been taken: in chess by the initial
    position. Recorded models are compared at positions whose id and true state are those of
    `workbench.answers.recorded_replies`. What is among the chapter's own models is not repeated.

    Args:
        chapter: Without rows that have scores it stays as it is.
        jobs: Workers that score.
    """
    positions = scored_rows(chapter.scores).drop_duplicates("position_id")
    if positions.empty:
        return chapter
    found, notes = [], []
    own = set(chapter.scores["asked"])
    if chapter.environment.name == DEFAULT and chapter.task == "state":
        found.append(_recorded(positions, own))
    if BASELINE not in own | set().union(*(set(each["model"]) for each in found)):
        baseline, note = _baseline(chapter, positions)
        found.append(baseline)
        notes.append(note)
    rows = pd.concat([each for each in found if len(each)] or [pd.DataFrame()], ignore_index=True)
    if rows.empty:
        return replace(chapter, notes=(*chapter.notes, *filter(None, notes)))
    scores = score(rows, _parameters(chapter), jobs=jobs)
    games = positions.set_index("position_id")["game"]
    beside = scores.assign(
        game=scores["position_id"].map(games), run="", prompt="", asked=scores["model"]
    )
    return replace(chapter, beside=beside, notes=(*chapter.notes, *filter(None, notes)))


def baseline_name(chapter: Chapter) -> str:
    """Return what the page calls the model that answers as if no action had been taken."""
    if chapter.environment.name == DEFAULT:
        return BASELINE
    return f"starting {chapter.environment.state_noun}"


def _recorded(positions: pd.DataFrame, own: set[str]) -> pd.DataFrame:
    """Return recorded replies, in their default setting, to positions that are the same."""
    known = positions.set_index("position_id")["true_state"]
    replies = recorded_replies(sets=())
    same = replies["position_id"].map(known) == replies["true_state"]
    return replies[same & ~replies["model"].isin(own)]


def _baseline(chapter: Chapter, positions: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the baseline's replies, and why there are none where there are none."""
    environment, texts = chapter.environment, chapter.predictions
    starts: dict[Any, Any] = {}
    if not environment.starts_alike:
        if texts.empty:
            return pd.DataFrame(), (
                "The baseline is not shown: the states that the episodes began with are in the "
                "predictions, which are not available."
            )
        starts = texts.set_index("position_id")["initial_state"].to_dict()
    task = task_named(chapter.task)
    rows: list[dict[Any, Any]] = []
    for row in positions.reindex(columns=POSITIONS.names).to_dict("records"):
        initial = starts.get(row["position_id"]) or ""
        believed = environment.played(initial, "").reached
        generator = np.random.default_rng(derived_seed(_SEED, "baseline", row["position_id"]))
        reply = task.simulated_reply(environment, believed, chapter.depth, generator)
        answer = task.classify(environment, reply).columns()
        rows.append({**row, "reply": reply, **answer})
    frame = pd.DataFrame(rows).reindex(columns=PREDICTIONS.names)
    return (
        frame.assign(
            task=chapter.task, set=chapter.set, model=baseline_name(chapter), setting="", sample=0,
            movetext=None, moves=None, initial_state="",
        ),
        "",
    )  # fmt: skip


def _parameters(chapter: Chapter) -> ScoringParameters:
    """Return the parameters of the chapter's scores; the exact method, whatever theirs."""
    first = chapter.scores.iloc[0]
    return ScoringParameters(
        depth=chapter.depth, terminal=first["terminal"], ill_formed=first["ill_formed_policy"]
    )

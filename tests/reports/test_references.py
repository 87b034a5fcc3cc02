"""The baseline and the recorded models beside a run."""

import pandas as pd
import pytest

from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.environments.registry import environment_named
from workbench.episodes import EpisodeSample
from workbench.reports.chapters import ReportedRun, chapters_of, with_references
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.study_scores import with_games


def chapter_of(predictions, depth=2):
    scores = score(predictions, ScoringParameters(depth=depth))
    (chapter,) = chapters_of([ReportedRun("run", with_games(scores, predictions), predictions)])
    return chapter


@pytest.fixture(scope="module")
def recorded():
    replies = recorded_replies(sets=("world_cup",))
    few = replies["position_id"].unique()[::200]
    return replies[replies["position_id"].isin(few)]


def test_recorded_models_stand_beside_a_new_one_at_the_same_positions(recorded):
    mine = recorded[recorded["model"] == "o3-mini-2025-01-31"].assign(model="mine", set="")
    chapter = with_references(chapter_of(mine))
    beside = chapter.references
    assert set(beside["model"]) == set(recorded["model"])
    assert set(beside["position_id"]) == set(mine["position_id"])
    # It answered as o3-mini did.
    twin = beside[beside["model"] == "o3-mini-2025-01-31"].set_index("position_id")["precision_2"]
    own = chapter.scores.set_index("position_id")["precision_2"]
    assert twin.sort_index().equals(own.sort_index())
    assert beside["game"].notna().all()


def test_a_position_with_another_board_is_not_the_same(recorded):
    mine = recorded[recorded["model"] == "o3-mini-2025-01-31"].assign(
        model="mine", true_state=chess_start(), moves=None
    )
    chapter = with_references(chapter_of(mine))
    assert set(chapter.references["model"]) == {BASELINE}


def chess_start():
    return environment_named("chess").episode_texts("", "").state


def test_the_baseline_is_that_of_the_recorded_replies(recorded):
    """Where its replies are recorded, the computed one has the same scores."""
    theirs = recorded[recorded["model"] == BASELINE]
    renamed = theirs.assign(model="mine", position_id="other " + theirs["position_id"])
    chapter = with_references(chapter_of(renamed))
    columns = ["precision_1", "recall_2", "levenshtein", "reply_class"]
    assert set(chapter.references["model"]) == {BASELINE}
    for name in columns:
        assert list(chapter.references[name]) == list(chapter.scores[name])


@pytest.mark.parametrize("task", ["state", "actions", "continuation"])
def test_other_environments_have_the_state_that_the_episode_began_with(task):
    boxes = environment_named("boxes")
    positions = EpisodeSample("boxes", (3,), 2, 0).positions
    replies = positions.assign(
        task=task, set="", model="mine", setting="", sample=0, reply="", predicted_state=None,
        predicted_actions=None, reply_class="absent", status="", reason="",
    )  # fmt: skip
    chapter = with_references(chapter_of(replies))
    assert set(chapter.references["model"]) == {f"starting {boxes.state_noun}"}
    if task == "state":
        assert list(chapter.references["predicted_state"]) == list(positions["initial_state"])
    else:
        assert chapter.references["predicted_actions"].notna().all()
    bare = chapter_of(replies)
    unknown = with_references(
        type(bare)(bare.environment, task, "", bare.depth, bare.scores, pd.DataFrame())
    )
    assert unknown.references.empty
    assert "The baseline is not shown" in unknown.notes[0]

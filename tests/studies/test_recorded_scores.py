"""The scores of the recorded replies: which rows, and which games they belong to."""

import pytest

from workbench.answers import recorded_replies as module
from workbench.answers.recorded_replies import BASELINE, RANDOM_GAMES, WORLD_CUP, recorded_replies
from workbench.scoring import ScoringParameters
from workbench.studies.study_scores import recorded_scores
from workbench.tables.parquet_tables import PREDICTIONS, write_table


@pytest.mark.slow
def test_scores_of_a_choice_with_the_game_of_each_position(tmp_path, monkeypatch):
    both = recorded_replies((WORLD_CUP, RANDOM_GAMES), [BASELINE, "gpt-4o-2024-08-06"])
    few = tmp_path / "replies.parquet"
    write_table(both, few, PREDICTIONS)
    monkeypatch.setattr(module, "_REPLIES", few)
    parameters = ScoringParameters(depth=1)
    scores = recorded_scores(tmp_path, parameters, sets=[WORLD_CUP])
    assert scores.groupby("model").size().to_dict() == {"gpt-4o-2024-08-06": 200, BASELINE: 1000}
    # The card: the positions of the World Cup are prefixes of 20 games, the random ones of more.
    assert scores["game"].nunique() == 20
    random = recorded_scores(tmp_path, parameters, sets=[RANDOM_GAMES], models=[BASELINE])
    assert len(random) == 1000
    assert random["game"].notna().all()
    assert not set(random["game"]) & set(scores["game"])

"""The study of a recorded general language model, and its control."""

import pytest

from workbench.answers.recorded_replies import SMOLLM2, recorded_replies
from workbench.scoring import ScoringParameters
from workbench.studies.environments.recorded_language_model import (
    CONTROL,
    OWN,
    compute,
    draw,
    replies_to_others,
)


def test_the_control_gives_each_position_the_reply_to_another_of_its_length():
    replies = recorded_replies((SMOLLM2,), environment="boxes", task="actions")
    others = replies_to_others(replies)
    assert sorted(others["position_id"]) == sorted(replies["position_id"])
    own = replies.set_index("position_id")["reply"]
    for group, part in others.groupby("group"):
        of_group = replies[replies["group"] == group]
        assert sorted(part["reply"]) == sorted(of_group["reply"])
        moved = part["reply"].to_numpy() != own[part["position_id"]].to_numpy()
        assert moved.mean() > 0.5
    true = replies.set_index("position_id")["true_state"]
    assert (others["true_state"].to_numpy() == true[others["position_id"]].to_numpy()).all()


@pytest.mark.slow
def test_means_are_those_of_the_rows_and_every_reply_is_counted():
    table = compute(ScoringParameters(depth=1), ["boxes"], ["state", "actions"])
    assert table["replies"].tolist() == [OWN, CONTROL] * 2
    rows = recorded_replies((SMOLLM2,), environment="boxes", task="actions")
    lists = table[table["task"] == "actions"].iloc[0]
    classes = rows["reply_class"].value_counts()
    assert lists["count"] == len(rows)
    assert lists["valid"] == classes["valid"]
    assert lists["absent"] == classes.get("absent", 0)
    assert 0 <= lists["precision_low"] <= lists["precision"] <= lists["precision_high"] <= 1
    figure = draw(table)
    assert [axes.get_title() for axes in figure.axes] == ["Task state", "Task actions"]
    assert len(figure.axes[0].get_yticks()) == 1

"""Legal mass by position, length and rule, on replies worked by hand and on the controls."""

import numpy as np
import pandas as pd
import pytest

from workbench.answers.model_replies import predictions_table
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.studies.language_models import legal_masses
from workbench.studies.language_models.next_moves import BY_PLY
from workbench.tables.parquet_tables import POSITIONS
from workbench.tasks import task_named

CHESS = environment_named("chess")
TASK = task_named("legal_mass")
LINES = ("e2e4 e7e5", "d2d4 d7d5", "e2e4 e7e5 g1f3 b8c6", "f2f3 e7e5 g2g4 d8h4")


@pytest.fixture(scope="module")
def positions():
    rows = [
        {
            "position_id": f"p{number}", "environment": "chess", "game_id": f"g{number}",
            "group": len(line.split()) // 2, "ply": len(line.split()), "moves": line,
            "true_state": CHESS.state_text(CHESS.replay("", line)),
        }
        for number, line in enumerate(LINES)
    ]  # fmt: skip
    return pd.DataFrame(rows).reindex(columns=POSITIONS.names)


def replies_of(positions, texts, model="m"):
    rows = [
        {"task": "legal_mass", "model": model, "reply": text, **TASK.classify(CHESS, text).columns()}
        for text in texts
    ]  # fmt: skip
    return predictions_table(positions, rows)


@pytest.fixture(scope="module")
def replies(positions):
    texts = (
        "g1f3\t0.5\t1\ne4e5\t0.25\t1\ne1e2\t0.125\t1",
        "I do not know.",
        "e4e5\t0.25\t1\na1a3\t0.5\t1",
        "e1f2\t0.75\t1",
    )
    return replies_of(positions, texts)


def test_positions(replies):
    table = legal_masses.by_position(replies).set_index("position_id")
    assert table["legal_mass"].tolist()[:3] == [0.625, 0, 0]
    assert table.loc["p0", "relative"] == pytest.approx(0.625 / 0.875)
    assert table["likeliest_legal"].tolist()[:3] == [1, 0, 0]
    assert table["wrong"].tolist() == ["e4e5", "", "a1a3", "e1f2"]
    assert table.loc["p2", "rule"] == "path blocked"
    # Fool's mate: no move is legal, and nothing is defined.
    assert table.loc["p3", ["legal_mass", "relative", "likeliest_legal"]].isna().all()


def test_lengths_count_what_is_undefined(replies):
    table = legal_masses.by_length(legal_masses.by_position(replies)).set_index("group")
    assert table["legal_mass"].tolist() == [0.3125, 0]
    assert table["count"].tolist() == [2, 1]
    assert table["undefined"].tolist() == [0, 1]


def test_rules_are_weighed_by_their_probability(replies):
    table = legal_masses.by_rule(replies).set_index(["group", "rule"])
    blocked = table.loc[(1, "a pawn with nothing to capture, or blocked")]
    # One of two positions of this length.
    assert (blocked["mass"], blocked["share"], blocked["example"]) == (0.125, 1, "e4e5")
    assert table.loc[(2, "path blocked"), "mass"] == 0.25
    assert table.groupby("group")["share"].sum().tolist() == pytest.approx([1, 1])


def test_failed_calls_are_left_out_and_other_tasks_refused(replies):
    failed = replies.assign(reply_class="failed")
    assert len(legal_masses.by_position(pd.concat([replies, failed.head(1)]))) == len(replies)
    with pytest.raises(InvalidArgumentError, match="ask with the task legal_mass"):
        legal_masses.by_position(replies.assign(task="actions"))


def test_controls_and_figure(positions, replies):
    few = positions.head(3)
    control = legal_masses.control_replies(few)
    table = legal_masses.by_position(control)
    uniform = table[table["model"] == legal_masses.UNIFORM]
    assert uniform["legal_mass"].to_numpy() == pytest.approx(
        (uniform["permitted"] / uniform["candidates"]).to_numpy(), rel=1e-4
    )
    assert np.allclose(uniform["likeliest_legal"], uniform["legal_mass"], rtol=1e-4)
    assert set(control["model"]) == {legal_masses.UNIFORM, BY_PLY}
    every = legal_masses.by_position(pd.concat([replies.head(3), control], ignore_index=True))
    figure = legal_masses.draw(
        legal_masses.by_length(every), legal_masses.by_rule(replies.head(3)), "by hand", "chess"
    )
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[:2] == ["Probability on legal actions", "The likeliest action is legal"]
    assert "Illegal actions of m" in titles[2]

"""The smallest contradiction: a planted one is found, and shrunk to where it was planted."""

import numpy as np
import pytest

import workbench as wb
from workbench.answers.model_replies import simulate
from workbench.environments.registry import environment_named, environment_names
from workbench.errors import InvalidArgumentError
from workbench.explore import BoardPair, StatePair

PLANTED = 3
"""From this length on every odd list of actions has a slip in its answer, and no even one."""


def positions(name, length=8, count=4):
    environment = environment_named(name)
    from workbench.episodes import sample_positions

    return sample_positions(environment, [length // environment.actions_per_group], count, seed=3)


def planted(table):
    replies = simulate(table, rate=0, seed=0, model_name="simulated")
    environment = environment_named(table["environment"].iloc[0])
    for place in replies.index[(replies["ply"] >= PLANTED) & (replies["ply"] % 2 == 1)]:
        state = environment.read_state(replies.loc[place, "predicted_state"])
        text = environment.state_text(environment.slip(state, np.random.default_rng(0)))
        replies.loc[place, ["reply", "predicted_state"]] = text
    return replies


@pytest.mark.parametrize("name", environment_names())
def test_a_planted_contradiction_is_shrunk_to_the_planted_ply(name):
    done = wb.audit(planted, positions(name), relations="next_action", depth=1)
    assert (done.pairs["equal"] == 0).all()
    for each in done.contradictions():
        assert each.whole == 7
        # The answer after two actions is right, that after three is not.
        assert each.ply == PLANTED - 1
        assert each.actions == each.actions[: PLANTED - 1]
        assert "next_action: " in str(each)


def test_a_perfect_tracker_has_none():
    done = wb.audit(lambda table: simulate(table, rate=0, seed=0), positions("boxes"), depth=1)
    assert done.contradictions() == []


def test_a_transposition_is_shrunk_to_the_end_of_what_was_exchanged():
    def by_order(table):
        """Add a slip wherever the actions are not those of the position itself."""
        replies = simulate(table, rate=0, seed=0, model_name="simulated")
        environment = environment_named("boxes")
        for place, moves in zip(replies.index, replies["moves"], strict=True):
            if not any(own.startswith(moves) for own in whole["moves"]):
                state = environment.read_state(replies.loc[place, "predicted_state"])
                slipped = environment.slip(state, np.random.default_rng(0))
                replies.loc[place, "predicted_state"] = environment.state_text(slipped)
        return replies

    whole = positions("boxes")
    done = wb.audit(by_order, whole, relations="transposition", depth=1)
    found = done.contradictions(None)
    assert found
    for each in found:
        row = done.pairs[done.pairs["position_id"] == each.position_id].iloc[0]
        one, other = row["first_actions"].split("\n"), row["second_actions"].split("\n")
        assert each.ply == max(n for n in range(len(one)) if one[n] != other[n]) + 1


def test_recorded_contradictions_are_shrunk_among_the_recorded_prefixes():
    table = positions("boxes", count=1)
    environment = environment_named("boxes")
    actions = environment.split_moves(table["moves"].iloc[0])
    rows = table.loc[table.index.repeat(len(actions))].reset_index(drop=True)
    rows["moves"] = [environment.separator.join(actions[: n + 1]) for n in range(len(actions))]
    rows["ply"], rows["position_id"] = range(1, len(actions) + 1), [f"p{n}" for n in rows.index]
    done = wb.audit(planted(rows), relations="next_action", depth=1)
    assert done.questions == 0
    found = done.contradictions(None)
    # Every later pair is shrunk to the first.
    assert {each.ply for each in found} == {PLANTED - 1}
    assert len(found) == (done.pairs["equal"] == 0).sum()


def test_a_contradiction_opens_in_the_explorer():
    (one,) = wb.audit(planted, positions("chess"), relations="next_action", depth=1).contradictions(
        1
    )
    pair = wb.explore(one)
    assert isinstance(pair, BoardPair)
    assert pair.true_fen == one.first
    assert pair.predicted_fen == one.second
    assert str(one) in pair.caption
    (one,) = wb.audit(planted, positions("boxes"), relations="next_action", depth=1).contradictions(
        1
    )
    assert isinstance(wb.explore(one), StatePair)


def test_a_limit_below_one_is_refused():
    done = wb.audit(planted, positions("boxes"), relations="next_action", depth=1)
    with pytest.raises(InvalidArgumentError, match="limit: expected at least 1"):
        done.contradictions(0)

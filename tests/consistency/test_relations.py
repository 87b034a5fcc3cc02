"""One contract for every relation in every environment: who tracks the state agrees with itself."""

import sys
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from workbench import consistency
from workbench.answers.model_replies import simulate
from workbench.asking.own_models import episode_question
from workbench.asking.questions import questions_of
from workbench.asking.settings import Question
from workbench.consistency import relation_named, relations
from workbench.consistency.audit import audit_positions
from workbench.consistency.plan import plan_pairs, question_id
from workbench.consistency.relation import PairQuestion, same_state, state_after, step
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.errors import IllegalMoveError, InvalidArgumentError, TableError
from workbench.scoring import ScoringParameters
from workbench.tasks.task import START_HEADING

sys.path.append(str(Path(__file__).parents[1] / "environments"))
from contract_cases import NAMES, WITH_ARGUMENT

ENVIRONMENTS = [*NAMES, *WITH_ARGUMENT]
DEPTH_2 = ScoringParameters(2)


@lru_cache
def positions(name, length=8, count=6):
    environment = environment_named(name)
    group = max(1, length // environment.actions_per_group)
    return sample_positions(environment, [group], count, seed=3)


def tracker(rate=0.0):
    def answer(tables):
        return {
            prompt: simulate(table, rate=rate, seed=1, model_name="simulated")
            for prompt, table in tables.items()
        }

    return answer


def audited(name, rate=0.0, names=(), **arguments):
    return audit_positions(positions(name, **arguments), tracker(rate), names, DEPTH_2)


def reader(environment, prompt):
    """Read the words of each question as a model gets them, and answer rightly."""

    def answer(tables):
        replies = {}
        for own, table in tables.items():
            texts = questions_of(table, own or prompt)
            states = {name: after_text(environment, *turns) for name, turns in texts.items()}
            answers = table["position_id"].map(states)
            rows = table.assign(
                set="", task="state", model="reader", setting="", sample=0, reply=answers,
                predicted_state=answers, reply_class="valid",
            )  # fmt: skip
            replies[own] = rows
        return replies

    return answer


def after_text(environment, text):
    question = episode_question(
        "a/reader", {"environment": environment.name, "task": "state", "depth": None}, [text], 0
    )
    initial = text.rpartition(START_HEADING)[2].split("\n\n")[0].strip()
    start = initial if START_HEADING in text else ""
    actions = (
        environment.movetext_actions(question.actions_text.strip())
        if not start
        else (environment.split_moves(question.actions_text))
    )
    if "Leave out the last 4" in text:
        actions = actions[:-4]
    return environment.state_text(state_after(environment, PairQuestion(start, tuple(actions))))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_who_reads_every_question_rightly_is_consistent_in_every_relation(name):
    environment = environment_named(name)
    prompt = Question("a/reader", environment=name).full_prompt
    result = audit_positions(
        positions(name, length=10), reader(environment, prompt), (), DEPTH_2, prompt=prompt
    )
    wordings = {"paraphrase", "prefix"} | (
        {"notation", "colour_flip"} if name == "chess" else set()
    )
    assert {*result.pairs["relation"]} >= wordings | {"next_action", "repeat"}
    assert {*relations()} == (
        {*result.pairs["relation"]} | {*result.plan.left_out} | {*result.plan.without_pair}
    )
    assert (result.pairs[["consistency", "equal", "truth"]] == 1).all(axis=None)


def test_what_cannot_be_asked_is_left_out_by_name_and_with_the_reason():
    plan = plan_pairs(positions("chess"))
    assert {*plan.left_out} == {"symmetry", "colour_flip", "notation", "paraphrase", "prefix"}
    assert "reads actions alone" in plan.left_out["notation"]
    assert "another start" in plan.left_out["colour_flip"]
    assert "no symmetry" in plan.left_out["symmetry"]
    with pytest.raises(
        InvalidArgumentError, match="one that can be asked, got notation: the model"
    ):
        plan_pairs(positions("chess"), ["notation"])
    uci = Question("a/model", prompt="uci-direct").full_prompt
    assert "notation 'uci'" in plan_pairs(positions("chess"), prompt=uci).left_out["paraphrase"]


@pytest.mark.parametrize("name", ["othello", "boxes", "planning", "planning:gripper"])
def test_symmetries_keep_what_is_permitted_and_where_it_leads(name):
    environment = environment_named(name)
    for episode in islice(environment.episodes(6, seed=2), 4):
        start = (
            environment.read_state(episode.initial)
            if episode.initial
            else environment.automaton.initial
        )
        for symmetry in environment.symmetries(start, np.random.default_rng(1)):
            state = start
            for text in episode.actions:
                image = symmetry.state(state)
                assert symmetry.back(image) == state
                texts, of_image = (
                    {environment.action_text(each) for each in environment.automaton.permitted(one)}
                    for one in (state, image)
                )
                assert {symmetry.action(each) for each in texts} == of_image
                state = step(environment, state, text)
                assert step(environment, image, symmetry.action(text)) == symmetry.state(state)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_perfect_tracker_is_consistent_and_right(name):
    result = audited(name)
    asked = {*relations()} - {*result.plan.left_out} - {*result.plan.without_pair}
    assert asked >= {"next_action", "repeat"}
    assert set(result.pairs["relation"]) >= asked
    measures = ["consistency", "precision_2", "recall_2", "f_2", "equal", "readable", "truth"]
    assert (result.pairs[measures] == 1).all(axis=None)
    assert not result.pairs["failed"].any()


@pytest.mark.parametrize("name", NAMES)
def test_both_questions_of_a_pair_lead_to_the_same_state(name):
    plan = plan_pairs(positions(name))
    for planned in plan.pairs:
        relation, pair = planned.relation, planned.pair
        one, other = (state_after(plan.environment, each) for each in (pair.first, pair.second))
        assert pair.first != pair.second
        assert same_state(
            plan.environment,
            relation.first_state(plan.environment, pair, one),
            relation.second_state(plan.environment, pair, other),
        )
        shorter = pair.cut(len(pair.first.actions) - 1)
        if shorter is not None:
            one, other = (
                state_after(plan.environment, each) for each in (shorter.first, shorter.second)
            )
            assert same_state(
                plan.environment,
                relation.first_state(plan.environment, shorter, one),
                relation.second_state(plan.environment, shorter, other),
            )


@pytest.mark.parametrize("name", NAMES)
def test_each_question_is_asked_once(name):
    plan = plan_pairs(positions(name))
    ids = [each for table in plan.tables().values() for each in table["position_id"]]
    assert len(ids) == plan.questions
    for table in plan.tables().values():
        assert not table["position_id"].duplicated().any()
        environment = plan.environment
        for row in table.itertuples():
            end = state_after(
                environment,
                PairQuestion(row.initial_state, tuple(environment.split_moves(row.moves))),
            )
            assert same_state(environment, environment.read_state(row.true_state), end)


@pytest.mark.parametrize("name", NAMES)
def test_slips_make_a_tracker_less_consistent(name):
    means = [
        audited(name, rate, length=10, count=12).pairs["consistency"].mean() for rate in (0.03, 0.5)
    ]
    assert 1 > means[0] > means[1]


def test_a_pair_with_a_failed_call_is_counted_and_undefined():
    def answer(tables):
        replies = tracker()(tables)
        table = replies[None]
        table.loc[:, ["reply", "predicted_state"]] = None
        table["reply_class"] = "failed"
        return replies

    pairs = audit_positions(positions("boxes"), answer, ["next_action"], DEPTH_2).pairs
    assert pairs["failed"].all()
    assert pairs[["consistency", "precision_1", "equal", "readable", "truth"]].isna().all(axis=None)
    assert (pairs["unreadable"] == 0).all()


def test_an_unreadable_answer_is_the_sink_and_is_counted():
    def answer(tables):
        replies = tracker()(tables)
        table = replies[None]
        longest = table["ply"] == table["ply"].max()
        table.loc[longest, "predicted_state"] = None
        table.loc[longest, "reply_class"] = "absent"
        return replies

    pairs = audit_positions(positions("boxes"), answer, ["next_action", "repeat"], DEPTH_2).pairs
    by_relation = pairs.groupby("relation")["unreadable"].agg(["min", "max"])
    assert by_relation.loc["next_action"].tolist() == [1, 1]
    assert by_relation.loc["repeat"].tolist() == [2, 2]
    assert (pairs[["consistency", "equal", "readable"]] == 0).all(axis=None)


def test_an_answer_that_does_not_permit_the_next_action_is_a_contradiction():
    def answer(tables):
        (table,) = tables.values()
        replies = simulate(table, rate=0, seed=0, model_name="simulated")
        start = environment_named("othello").automaton.initial
        text = environment_named("othello").state_text(start)
        return {None: replies.assign(predicted_state=text, reply=text)}

    pairs = audit_positions(positions("othello"), answer, ["next_action"], DEPTH_2).pairs
    assert not pairs["permitted"].all()
    stopped = pairs[~pairs["permitted"]]
    assert (stopped["consistency"] == 0).all()
    assert (stopped["first_state"] == "").all()
    assert (stopped["readable"] == 1).all()


def test_the_shortest_change_of_order_is_taken():
    environment = environment_named("chess")
    moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6".split()
    pair = relation_named("transposition").pair(
        environment, "", moves, None, np.random.default_rng(0)
    )
    changed = [
        n for n, pair in enumerate(zip(moves, pair.second.actions, strict=True)) if len({*pair}) > 1
    ]
    assert changed[-1] - changed[0] == 2
    assert sorted(pair.second.actions) == sorted(moves)
    assert pair.least == changed[-1] + 1
    assert pair.cut(pair.least - 1) is None


def test_an_episode_that_cannot_be_reordered_has_no_transposition():
    environment = environment_named("chess")
    relation = relation_named("transposition")
    # A move of each side: there is nothing to exchange.
    assert relation.pair(environment, "", ["e2e4", "e7e5"], None, np.random.default_rng(0)) is None


def test_a_question_has_the_same_name_whoever_asks():
    environment = environment_named("boxes")
    one, other = islice(environment.episodes(4, seed=5), 2)
    question = PairQuestion(one.initial, one.actions)
    assert question_id(environment, question) == question_id(
        environment, PairQuestion(one.initial, one.actions)
    )
    others = [
        PairQuestion(other.initial, other.actions),
        PairQuestion(one.initial, one.actions[:-1]),
        PairQuestion(one.initial, one.actions, repetition=1),
    ]
    names = {question_id(environment, each) for each in (question, *others)}
    assert len(names) == 4


def test_unknown_relations_and_positions_without_actions_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"expected one of next_action, .*'twice'"):
        plan_pairs(positions("boxes"), ["twice"])
    with pytest.raises(TableError, match="expected the actions of each"):
        plan_pairs(positions("boxes").assign(moves=None))
    with pytest.raises(TableError, match="permitted"):
        plan_pairs(positions("othello").assign(moves="a1"))
    with pytest.raises(IllegalMoveError, match="ply 2"):
        plan_pairs(positions("chess").assign(moves="e2e4 e2e4"))
    with pytest.raises(TableError, match="longer games"):
        audit_positions(
            positions("chess", length=1).assign(moves="e2e4"), tracker(), ["transposition"]
        )
    with pytest.raises(TableError, match="a row for each of"):
        audit_positions(positions("boxes"), lambda tables: {None: tracker()(tables)[None].head(2)})


def test_a_relation_of_another_package_is_asked_like_the_others(monkeypatch):
    class Whole(type(relation_named("repeat"))):
        name = "whole"

    class Entry:
        name = "whole"

        @staticmethod
        def load():
            return Whole

    relations.cache_clear()
    monkeypatch.setattr(consistency, "entry_points", lambda group: [Entry])
    try:
        assert audited("boxes", names=["whole"]).pairs["relation"].unique().tolist() == ["whole"]
        relations.cache_clear()
        Whole.name = "repeat"
        with pytest.raises(InvalidArgumentError, match="a name other than next_action"):
            relations()
    finally:
        relations.cache_clear()

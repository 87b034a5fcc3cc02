"""StatePair: values worked by hand in each environment, texts that are no state, lines and rows."""

import time

import numpy as np
import pandas as pd
import pytest

from workbench.affordance import exact_profile
from workbench.environments.registry import environment_named, environment_names
from workbench.errors import InvalidArgumentError, TableError, WorkbenchError
from workbench.explore import StatePair
from workbench.explore.losses.main_cause import MOST_DIFFERENCES
from workbench.explore.pair.state_view import (
    StateReader,
    state_differences,
)

NAMES = [
    *environment_names(),
    "boxes:7x3",
    "planning:gripper",
    "planning:logistics",
    "sokoban:corridors",
]
OTHELLO = environment_named("othello")
START = OTHELLO.state_text(OTHELLO.automaton.initial)


def actions(view, kind):
    return {move["action"] for move in view["moves"][kind]}


def values(view, name):
    return [entry["value"] for entry in view["profile"][name]]


def why(pair):
    return pair._causes(pair.questions()["causes"])


class TestHandWorkedPairs:
    def test_othello_with_the_other_side_to_move(self):
        """Black may open on d3, c4, f5, e6; White on the four squares that mirror them."""
        pair = StatePair("othello", START, START.replace("X to move", "O to move"), depth=1)
        view = pair.compare()
        assert actions(view, "only_true") == {"d3", "c4", "f5", "e6"}
        assert actions(view, "only_predicted") == {"e3", "f4", "c5", "d6"}
        assert actions(view, "shared") == set()
        assert (values(view, "precision"), values(view, "recall")) == ([0.0], [0.0])
        assert view["different"] == ["side to move"]
        assert (view["text"]["right"], view["text"]["elements"]) == (4, 5)
        assert why(pair)["words"] == (
            "p_1 = r_1 = 0: in the prediction side to move is white, in truth black."
        )

    def test_sokoban_with_the_player_one_step_off(self):
        """In a corridor: in truth two steps are free, at its end one."""
        room = "#######\n#  @$.#\n#######"
        off = room.replace("  @$", "@  $")
        from workbench.environments.sokoban import SokobanEnvironment

        view = StatePair(SokobanEnvironment("sokoban:hand", room), room, off, depth=2).compare()
        # True: L, and R, a push that solves the room. Predicted: R alone, into the free cell.
        assert actions(view, "only_true") == {"L"}
        assert actions(view, "shared") == {"R"}
        # R solves the room in truth, where nothing more is permitted: of the two lines R L and R R
        # from the predicted state none is accepted; in truth R is finished, and the other goes on.
        assert values(view, "precision") == [1.0, 0.0]
        assert values(view, "recall") == [0.5, 0.0]
        assert view["different"] == ["row 2 column 4", "row 2 column 2"]

    def test_planning_with_a_block_that_is_believed_on_another(self):
        """Of blocks on the table one is believed to be on another, which is no longer clear."""
        place = environment_named("planning")
        true = "(on-table a) (on-table b) (on-table c) (on-table d) (on-table e) " + (
            "(clear a) (clear b) (clear c) (clear d) (clear e) (arm-empty)"
        )
        said = true.replace("(on-table a)", "(on a b)").replace(" (clear b)", "")
        view = StatePair(place, true, said, depth=1).compare()
        assert actions(view, "only_true") == {"(pick-up a)", "(pick-up b)"}
        assert actions(view, "only_predicted") == {"(unstack a b)"}
        assert values(view, "precision") == [pytest.approx(3 / 4)]
        assert values(view, "recall") == [pytest.approx(3 / 5)]
        assert set(view["different"]) == {"(on-table a)", "(on a b)", "(clear b)"}

    def test_boxes_with_an_object_on_the_table(self):
        """The apple, alone, is in Box 1 and believed on the table; Box 2 is free in both."""
        place = environment_named("boxes:2x1")
        pair = StatePair(
            place,
            "Box 1 contains the apple. Box 2 is empty. The table is empty.",
            "Box 1 is empty. Box 2 is empty. The table holds the apple.",
            depth=1,
        )
        view = pair.compare()
        assert actions(view, "only_true") == {
            "Remove the apple from Box 1.",
            "Move the apple from Box 1 to Box 2.",
        }
        assert actions(view, "only_predicted") == {
            "Put the apple into Box 1.",
            "Put the apple into Box 2.",
        }
        assert (values(view, "precision"), values(view, "recall")) == ([0.0], [0.0])
        assert view["different"] == ["table", "Box 1"]
        assert (view["text"]["right"], view["text"]["elements"]) == (1, 3)

    def test_programs_with_another_number(self):
        """Which statements run depends on y where x is divided by it, for one."""
        place = environment_named("programs")
        true = "x = 1\ny = 2\nitems = [3, 1]\nd = {2: 5}"
        pair = StatePair(place, true, true.replace("y = 2", "y = 0"), depth=1)
        view = pair.compare()
        of_true, of_predicted = (
            set(place.automaton.permitted(place.read_state(text)))
            for text in (true, true.replace("y = 2", "y = 0"))
        )
        assert actions(view, "only_true") == of_true - of_predicted
        assert actions(view, "only_predicted") == of_predicted - of_true
        shared = len(of_true & of_predicted)
        assert values(view, "precision") == [pytest.approx(shared / len(of_predicted))]
        assert values(view, "recall") == [pytest.approx(shared / len(of_true))]
        assert shared < len(of_true)
        # y is the one element that is wrong, so that all that is lost is lost through it.
        assert "in the prediction y is 0, in truth 2" in why(pair)["words"].lower()
        assert why(pair)["recall"]["share"] == pytest.approx(1.0)


class TestEveryEnvironment:
    @pytest.fixture(params=NAMES)
    def pair(self, request):
        return StatePair.example(request.param, length=4, seed=2, depth=3)

    def test_numbers_are_those_of_the_measures(self, pair):
        environment = pair._reader.environment
        true, predicted = (environment.read_state(text) for text in pair.states())
        found = exact_profile(true, predicted, 3, automaton=environment.automaton)
        view = pair.compare()
        assert values(view, "precision") == pytest.approx(found.precision)
        assert values(view, "recall") == pytest.approx(found.recall)
        assert view["profile"]["exact"]
        assert bool(view["different"]) is (true != predicted)

    def test_what_is_lost_adds_up(self, pair):
        lost = pair._lost_mass(pair.questions()["lost_mass"])
        view = pair.compare()
        for name in ("precision", "recall"):
            root = lost[name]
            assert root["lost"] == pytest.approx(1 - values(view, name)[-1], abs=1e-12)
            if root["children"]:
                below = sum(child["lost"] for child in root["children"])
                assert below == pytest.approx(root["lost"], abs=1e-9)

    def test_a_shared_action_steps_both_and_back(self, pair):
        environment = pair._reader.environment
        shared = pair.compare()["moves"]["shared"]
        before = pair.states()
        for move in shared[:3]:
            pair.line = [move["action"]]
            after = [
                environment.automaton.successor(state, environment.action_named(state, text))
                for text in [move["action"]]
                for state in map(environment.read_state, before)
            ]
            assert [environment.read_state(text) for text in pair.states()] == after
            pair.line = []
            assert pair.states() == before

    def test_an_action_of_one_state_alone_is_refused_with_the_reason(self, pair):
        moves = pair.compare()["moves"]
        for kind, look in (("only_true", "predicted"), ("only_predicted", "true")):
            for move in moves[kind][:1]:
                with pytest.raises(InvalidArgumentError, match=f"which the {look} "):
                    pair.line = [move["action"]]

    def test_elements_are_mended_one_by_one_until_both_are_the_same(self, pair):
        environment = pair._reader.environment
        for seed in range(6):
            episode = next(iter(environment.episodes(3, seed)))
            true = environment.read_state(episode.true)
            wrong = true
            generator = np.random.default_rng(seed)
            for _ in range(2):
                wrong = environment.slip(wrong, generator)
            for name in {**environment.elements(true), **environment.elements(wrong)}:
                mended = environment.mended(wrong, true, name)
                wrong = wrong if mended is None else mended
            if environment.mended(true, true, next(iter(environment.elements(true)))) is not None:
                assert wrong == true

    def test_no_prediction_is_the_sink(self, pair):
        pair.predicted_state = ""
        view = pair.compare()
        assert values(view, "precision") == values(view, "recall") == [0.0] * 3
        assert view["different"] == []
        assert view["moves"]["shared"] == view["moves"]["only_predicted"] == []
        assert view["predicted"]["class"] == "absent"
        assert "no state was predicted" in view["profile"]["reason"]
        assert why(pair)["words"] == ""

    @pytest.mark.parametrize(
        "text", ["<script>window.pwned=1</script>", "x" * 1_000_000, "no state \x00 at all", "☃"]
    )
    def test_a_text_that_is_no_state_is_explained_and_refused(self, pair, text):
        began = time.process_time()
        found = pair._compare({**pair.questions()["compare"], "predicted_state": text})
        assert set(found) == {"problems"}
        assert 10 < len(found["problems"]["predicted"]) < 700
        with pytest.raises(WorkbenchError, match="cannot be read"):
            pair.predicted_state = text
        assert time.process_time() - began < 4

    def test_an_empty_true_state_is_refused(self, pair):
        with pytest.raises(WorkbenchError, match="got an empty text"):
            pair.true_state = " "

    def test_the_code_makes_the_same_pair_again(self, pair):
        pair.line = [move["action"] for move in pair.compare()["moves"]["shared"][:1]]
        made = {}
        exec(pair.code().replace("StatePair(", "made = StatePair("), {}, made)
        assert made["made"].states() == pair.states()
        assert made["made"].settings == pair.settings

    def test_it_answers_before_the_page_asks_and_its_still_is_escaped(self, pair):
        pair.caption = "<img src=x onerror=alert(1)>"
        pair.prepare_still()
        assert set(pair.answers) == {"compare", "causes", "lost_mass"}
        assert pair.answers["compare"]["question"] == pair.questions()["compare"]
        still = pair.still()
        assert "<img src=x" not in still
        assert f"{values(pair.compare(), 'precision')[-1]:.4f}" in still

    def test_a_row_of_a_table(self, pair):
        row = {
            "environment": pair.environment, "position_id": "a-1", "model": "<b>m</b>",
            "true_state": pair.true_state, "predicted_state": pair.predicted_state,
            "reply": "I say so.", "moves": "some", "reply_class": "valid", "precision_2": 0.5,
        }  # fmt: skip
        shown = StatePair.from_row(pd.Series(row))
        assert shown.states() == pair.states()
        assert (shown.depth, shown.reply, shown.environment) == (2, "I say so.", pair.environment)
        shown.show_row({**row, "predicted_state": "no state at all", "reply_class": "unparseable"})
        assert shown.predicted_state == ""
        assert "cannot be read" in shown.caption
        with pytest.raises(TableError):
            StatePair.from_row({"environment": pair.environment, "true_state": pair.true_state})


def test_an_ill_formed_state_has_its_conditions_in_words():
    reader = StateReader(environment_named("boxes:2x1"))
    twice = "Box 1 contains the apple. Box 2 contains the apple. The table is empty."
    read = reader.read(twice, "predicted")
    assert read.words("state") == "Ill-formed state: object twice."
    true = twice.replace("Box 2 contains the apple", "Box 2 is empty")
    view = StatePair("boxes:2x1", true, twice, depth=1, ill_formed="sink").compare()
    assert values(view, "precision") == [0.0]
    assert "ill-formed and counts as no state" in view["profile"]["reason"]


def test_a_finished_episode_is_said():
    from workbench.environments.sokoban import SokobanEnvironment

    room = "#####\n#@$.#\n#####"
    solved = "#####\n# @*#\n#####"
    view = StatePair(SokobanEnvironment("sokoban:hand", room), room, solved, depth=2).compare()
    assert view["profile"]["reason"].startswith("the episode is over on the predicted map; ")


def test_of_states_that_differ_in_much_no_difference_is_looked_at_alone():
    initial = OTHELLO.automaton.initial
    from dataclasses import replace

    squares = 0b11111111_11111111
    full = replace(initial, black=initial.black | squares)
    assert squares.bit_count() > MOST_DIFFERENCES
    assert state_differences(OTHELLO, initial, full) == []
    one = replace(initial, black=initial.black | 1)
    assert [each.corrected for each in state_differences(OTHELLO, initial, one)] == [initial]


def test_a_row_of_another_environment_is_refused():
    pair = StatePair.example("boxes")
    other = StatePair.example("othello")
    row = {"environment": "othello", "true_state": other.true_state, "predicted_state": None}
    with pytest.raises(InvalidArgumentError, match="expected a row of the environment boxes"):
        pair.show_row(row)


@pytest.mark.slow
def test_beyond_the_budget_it_says_so():
    pair = StatePair.example("othello", length=20, seed=1, depth=8)
    profile = pair.compare()["profile"]
    assert not profile["exact"]
    assert "joint nodes, more than 10,000" in profile["reason"]
    assert "estimated" in profile["reason"]


def test_a_picture_is_edited_by_a_message():
    pair = StatePair.example("othello")
    sent = []
    pair.send = lambda content, buffers=None: sent.append(content)
    message = {"kind": "edit", "serial": 1, "side": "true", "state": pair.true_state}
    pair.answer(pair, {**message, "source": "a1", "target": "a1"})
    pair.answer(pair, {**message, "source": "a1", "target": "a2"})
    pair.answer(pair, {**message, "source": "a1", "target": "<b>"})
    done, refused, failed = sent
    state = OTHELLO.edited(OTHELLO.read_state(pair.true_state), "a1", "a1")
    assert (done["side"], done["state"]) == ("true", OTHELLO.state_text(state))
    assert refused["state"] is None
    assert (failed["kind"], failed["asked"]) == ("failed", "edit")
    assert "expected places of the picture, got ['<b>']" in failed["message"]


def test_no_action_is_drawn_for_no_state():
    pair = StatePair.example("sokoban")
    pair.predicted_state = ""
    view = pair.compare()
    assert view["true"]["points"]
    assert (view["predicted"]["points"], view["predicted"]["places"]) == ({}, [])

"""Boxes with few objects, worked out by hand, and replies of every kind."""

import itertools
import time

import numpy as np
import pytest

from workbench.affordance import exact_profile
from workbench.environments.boxes import CAPACITY, OBJECTS, BoxesState
from workbench.environments.registry import environment_named
from workbench.errors import IllegalMoveError, InvalidArgumentError, InvalidBoardError
from workbench.metrics import pair_values

APART = "Box 1 contains the apple. Box 2 contains the bell. The table is empty."
ON_TABLE = "Box 1 contains the apple. Box 2 is empty. The table holds the bell."
TOGETHER = "Box 1 is empty. Box 2 contains the apple and the bell. The table is empty."


@pytest.fixture(scope="module")
def small():
    return environment_named("boxes:2x2")


@pytest.fixture(scope="module")
def boxes():
    return environment_named("boxes")


def permitted(environment, text):
    automaton = environment.automaton
    state = environment.read_state(text)
    return {environment.action_text(each) for each in automaton.permitted(state)}


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        (
            APART,
            {
                "Move the apple from Box 1 to Box 2.",
                "Remove the apple from Box 1.",
                "Move the bell from Box 2 to Box 1.",
                "Remove the bell from Box 2.",
            },
        ),
        (
            ON_TABLE,
            {
                "Move the apple from Box 1 to Box 2.",
                "Remove the apple from Box 1.",
                "Put the bell into Box 1.",
                "Put the bell into Box 2.",
            },
        ),
        (
            TOGETHER,
            {
                "Move the apple from Box 2 to Box 1.",
                "Remove the apple from Box 2.",
                "Move the bell from Box 2 to Box 1.",
                "Remove the bell from Box 2.",
                "Move the contents of Box 2 to Box 1.",
            },
        ),
        # Ill-formed: the third object does not fit, and an object in two places is in both.
        (
            "Box 1 contains the apple and the bell. Box 2 is empty. The table holds the apple.",
            {
                "Move the apple from Box 1 to Box 2.",
                "Remove the apple from Box 1.",
                "Move the bell from Box 1 to Box 2.",
                "Remove the bell from Box 1.",
                "Move the contents of Box 1 to Box 2.",
                "Put the apple into Box 2.",
            },
        ),
        # Nothing can be put into a box that is not mentioned.
        ("Box 1 contains the apple.", {"Remove the apple from Box 1."}),
    ],
)
def test_what_is_permitted(small, text, actions):
    assert permitted(small, text) == actions


def test_full_boxes_take_nothing_and_contents_need_room_for_all():
    three = environment_named("boxes:3x5")
    text = (
        "Box 1 contains the apple and the bell. Box 2 contains the book. "
        "Box 3 contains the key and the pen. The table is empty."
    )
    moves = {each for each in permitted(three, text) if each.startswith("Move")}
    assert moves == {
        f"Move the {thing} from Box {box} to Box 2."
        for thing, box in (("apple", 1), ("bell", 1), ("key", 3), ("pen", 3))
    }


@pytest.mark.parametrize(
    ("action", "after"),
    [
        ("Move the apple from Box 1 to Box 2.", TOGETHER),
        ("Remove the bell from Box 2.", ON_TABLE),
    ],
)
def test_what_an_action_does(small, action, after):
    assert small.state_text(small.replay(APART, action)) == after


def test_contents_are_moved_together(small):
    after = small.replay(TOGETHER, "Move the contents of Box 2 to Box 1.")
    assert after == BoxesState(((), ("apple", "bell"), ()))


def test_an_object_is_removed_only_from_the_box_that_it_is_in(small):
    with pytest.raises(IllegalMoveError, match="action 2"):
        small.replay(APART, "Remove the bell from Box 2.\nRemove the apple from Box 2.")


def test_precision_and_recall_by_hand(small):
    """The bell is believed to be on the table, and is in Box 2.

    Each of the two states permits four actions, of which they share removing the apple and moving
    it to Box 2. After the first, either permits four again and they share putting the apple into
    Box 1 or 2. After the second, the believed state permits four, and the true one five: it can
    also move the contents of Box 2; they share removing the apple and moving it back.
    """
    true, believed = small.read_state(APART), small.read_state(ON_TABLE)
    profile = exact_profile(true, believed, 2, automaton=small.automaton)
    assert profile.precision == pytest.approx((1 / 2, 1 / 4 * 2 / 4 + 1 / 4 * 2 / 4))
    assert profile.recall == pytest.approx((1 / 2, 1 / 4 * 2 / 4 + 1 / 4 * 2 / 5))


@pytest.mark.parametrize("name", ["boxes", "boxes:3", "boxes:2x1", "boxes:20", "boxes:2x24"])
def test_starts_and_all_that_follows_can_arise_and_are_read_back(name):
    environment = environment_named(name)
    automaton, generator = environment.automaton, np.random.default_rng(2)
    for _ in range(5):
        state = environment.start(generator)
        things = sorted(itertools.chain(*state.places))
        assert len(things) == automaton.objects
        for _ in range(20):
            assert environment.conditions(state) == ()
            assert environment.read_state(environment.state_text(state)) == state
            assert sorted(itertools.chain(*state.places)) == things
            actions = automaton.permitted(state)
            state = automaton.successor(state, actions[int(generator.integers(len(actions)))])
    assert environment.conditions(automaton.initial) == ()


def test_starts_differ_and_permit_few_actions(boxes):
    starts = [boxes.start(np.random.default_rng(seed)) for seed in range(40)]
    assert len(set(starts)) == 40
    assert boxes.start(np.random.default_rng(7)) == starts[7]
    assert len({thing for start in starts for place in start.places for thing in place}) > 20
    assert all(5 <= len(boxes.automaton.permitted(start)) <= 25 for start in starts)


@pytest.mark.parametrize(
    "text",
    [
        "The table is empty. Box 2 contains the bell and the apple. Box 1 is empty.",
        "box 1: none\nBOX 2: Bell, Apple\ntable: -  nothing",
        "Here is the state.\n- **Box 1**: empty\n- **Box 2**: apple, bell\n\nHope this helps!",
        "Box 1: []\nBox 2:\n  - apple\n  - the bell",
        '{"Box 1": [], "Box 2": ["apple", "bell"], "table": []}',
        "| Box 1 | nothing |\n| Box 2 | apple, and a bell |",
        "Box 1 has no objects; Box 2 holds an apple and a bell; on the table: none",
        TOGETHER + " " + TOGETHER,
    ],
)
def test_texts_of_one_state(small, text):
    assert small.state_text(small.read_state(text)) == TOGETHER
    assert small.classify(text).reply_class == "valid"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "got 0 in"),
        ("The table holds the apple.", "got 0 in"),
        ("Box 3 is empty.", "got Box 3"),
        ("Box 0 is empty.", "got Box 0"),
        ("Box 1 contains the unicorn.", "unicorn"),
        ("Box 1 contains the apple and the unicorn.", "unicorn"),
        ("Box 1 is empty. Box 1 contains the apple.", "two that differ"),
        ("Move the apple from Box 1 to Box 2.", "'to'"),
        ("Box 1 contains. Box 2 contains the bell.", "what is in Box 1"),
        ("Box 1: ", "what is in Box 1"),
        ("Box 1 contains nothing but the apple.", "nothing but"),
        ("Box 1 contains the apple. The bell is somewhere.", "somewhere"),
        ("Box 1:\n- apple\n- unicorn", "unicorn"),
        # By object: what stands behind a box is not what it holds.
        ("The apple is in Box 1. The bell is in Box 2.", "what is in Box 1"),
        ("apple: Box 1\nbell: Box 2", "what is in Box 1"),
        ("apple: Box 1, bell: Box 2", "what is in Box 1"),
        ("- apple: Box 1\n- bell: Box 2", "what is in Box 1"),
        ("| apple | Box 1 |\n| bell | Box 2 |", "what is in Box 1"),
        ("Box 1: apple\nbell: Box 2", "what is in Box 1"),
        ("Box 1 is empty, and the bell. Box 2 is empty.", "what is in Box 1"),
        ("Box 1 contains the \u0430pple.", "pple"),  # Cyrillic a
        ("Box 1 contains the \u212aey.", "ey"),  # the Kelvin sign for a k
        ("Box 1 is empty. Box \uff12 contains the bell.", "bell"),  # a wide digit
    ],
)
def test_texts_of_no_state(small, text, said):
    with pytest.raises(InvalidBoardError, match=said):
        small.read_state(text)


def test_a_fragment_of_a_state_is_no_state(boxes):
    four = "Box 1: apple\nBox 2: none\nBox 3: key\nBox 4: unicorn"
    assert boxes.classify(four).reply_class == "unparseable"
    assert boxes.classify("Box 1: apple\nBox 3: key").reply_class == "unparseable"
    assert boxes.classify("Box 1: apple\nBox 3: key\nBox 2: none").status[0] == "missing_box"


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("Box 1 contains the apple and the bell.", ("missing_box",)),
        ("Box 1 contains the apple. Box 2 is empty.", ("missing_object",)),
        ("Box 1 contains the apple and the bell. Box 2 holds the bell.", ("object_twice",)),
        ("Box 1 contains the apple and the bell. Box 2: key", ("additional_object",)),
        (
            "Box 1 contains the apple, the bell and the key. Box 2 is empty.",
            ("over_capacity", "additional_object"),
        ),
    ],
)
def test_conditions_of_states_that_cannot_arise(small, text, conditions):
    found = small.classify(text)
    assert (found.reply_class, found.status) == ("ill_formed", conditions)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("First the apple went from Box 1 to Box 2.\n\nFinal state:\n" + TOGETHER, "valid"),
        ("At first:\n" + APART + "\n\nThen I moved the apple.\n\n" + TOGETHER, "valid"),
        ("I cannot know.", "absent"),
        ("Box 1 contains the unicorn. Box 2 is empty.", "unparseable"),
        ("", "absent"),
    ],
)
def test_replies_are_classified(small, reply, kind):
    found = small.classify(reply)
    assert found.reply_class == kind
    if kind == "valid":
        assert small.state_text(found.parsed.state) == TOGETHER


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("move apple from box 1 to box 2", "Move the apple from Box 1 to Box 2."),
        ("  Take the  BELL out of Box 2. ", "Remove the bell from Box 2."),
        ("Place the pen in box #1", "Put the pen into Box 1."),
        ("Put the pen from the table into Box 2.", "Put the pen into Box 2."),
        ("Move all the contents of Box 1 into Box 2", "Move the contents of Box 1 to Box 2."),
        ("Move the unicorn from Box 1 to Box 2.", None),
        ("Move the apple from Box 1 to Box 3.", None),
        ("Move the apple from Box 0 to Box 1.", None),
        ("Put the contents into Box 1.", None),
        ("Move the \u212aey from Box 1 to Box 2.", None),
        ("Move the apple from Box 1 to Box 2. And back.", None),
        ("Move the apple from Box 1 to Box 2" + " " * 200, None),
    ],
)
def test_actions_are_read(small, text, plain):
    assert small.plain_action(text) == plain


def test_a_list_of_actions_is_found(small):
    reply = "Permitted actions:\n1. Put the bell into Box 1.\n2. Remove the apple from Box 1"
    assert small.classify_actions(reply).predicted_actions == (
        "Put the bell into Box 1.",
        "Remove the apple from Box 1.",
    )
    in_a_line = "Put the bell into Box 1. Remove the apple from Box 1."
    found = small.classify_actions(in_a_line)
    assert found.predicted_actions == small.classify_actions(reply).predicted_actions


def test_measures_by_hand(small):
    true, predicted = small.parse(APART), small.parse(ON_TABLE)
    measures = pair_values(small, true, predicted)
    # Box 1 is right, Box 2 and the table are not.
    assert measures["element_accuracy"] == pytest.approx(1 / 3)
    assert not measures["exact_match"]
    assert pair_values(small, true, small.parse("table: none. box 2: bell. box 1: apple"))[
        "exact_match"
    ]


def test_slips_are_of_every_kind_and_change_the_state(boxes):
    generator = np.random.default_rng(3)
    seen = {"moved": 0, "exchanged": 0, "twice": 0, "forgotten": 0}
    for _ in range(400):
        state = boxes.start(generator)
        slipped = boxes.slip(state, generator)
        assert slipped != state
        assert boxes.read_state(boxes.state_text(slipped)) == slipped
        conditions = boxes.conditions(slipped)
        sizes = [len(place) for place in slipped.places]
        if conditions == ():
            same = sizes == [len(place) for place in state.places]
            seen["exchanged" if same else "moved"] += 1
        else:
            kind = {"object_twice": "twice", "missing_object": "forgotten"}
            seen[kind[conditions[0]]] += 1
        assert all(size <= CAPACITY for size in sizes[1:])
    shares = {kind: count / 400 for kind, count in seen.items()}
    assert shares == pytest.approx(
        {"moved": 0.6, "exchanged": 0.2, "twice": 0.1, "forgotten": 0.1}, abs=0.06
    )


def test_a_tracker_without_slips_is_right_and_one_with_slips_is_not(boxes):
    wrong = 0
    for episode in itertools.islice(boxes.episodes(10, seed=4), 10):
        told = (episode.initial, episode.actions)
        assert boxes.track(*told, rate=0, seed=1) == episode.true
        wrong += boxes.track(*told, rate=0.5, seed=1) != episode.true
    assert wrong >= 8


def test_the_texts_for_prompts_are_those_of_the_environment(boxes):
    assert "4 boxes, numbered from 1 to 4, a table, and 5 objects" in boxes.rules
    quoted = boxes.action_format.split('"')[1::2]
    assert len(quoted) == 4
    for action in quoted:
        assert boxes.plain_action(action) == action.rstrip(",")


HOSTILE = {
    "a megabyte of boxes": "Box 1 contains the apple. " * 40_000,
    "a megabyte of half a box": "box " * 250_000,
    "a megabyte of spaces": "Box 1" + " " * 1_000_000 + "contains",
    "a megabyte of lines of spaces": ("box" + " " * 5_000 + "\n") * 200,
    "a megabyte of brackets": "Box 1: " + "[" * 1_000_000,
    "a megabyte of lines": "Box 1 contains x.\n" * 60_000,
    "a megabyte of commas": "Box 1:" + "," * 9_000 + "\n" + "Box 1:" + "," * 1_000_000,
    "digits": "Box " + "1" * 1_000_000 + " is empty.",
    "code": "Box 1 contains __import__('os').system('touch /tmp/harm').",
    "script": "Box 1 contains <script>alert(1)</script>.",
    "nothing": "\0" * 1000,
    "a lone surrogate": "Box 1 contains \ud800.",
}


@pytest.mark.slow
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_are_no_states_and_take_no_time(boxes, reply):
    began = time.thread_time()
    kind = boxes.classify(reply).reply_class
    listed = boxes.classify_actions(reply).reply_class
    assert time.thread_time() - began < 20
    assert kind in ("absent", "unparseable", "ill_formed")
    assert listed in ("absent", "unparseable")


def test_a_megabyte_before_the_answer_does_not_hide_it(small):
    reply = "Let me think about Box 1 and Box 2.\n" * 30_000 + "\nFinal state:\n" + TOGETHER
    assert small.classify(reply).reply_class == "valid"


@pytest.mark.parametrize("argument", ["1", "21", "4x0", "4x25", "x", "4x", "-4", "4 5", "\u0664"])
def test_arguments_out_of_range_are_refused(argument):
    with pytest.raises(InvalidArgumentError, match="boxes: expected"):
        environment_named(f"boxes:{argument}")


def test_object_names_are_told_apart():
    assert len(set(OBJECTS)) == 24


def test_an_object_is_put_elsewhere_on_the_picture(small):
    state = small.read_state(APART)
    assert [each.name for each in small.places(state) if each.movable] == [
        "apple in Box 1", "bell in Box 2",
    ]  # fmt: skip
    on_table = small.edited(state, "bell in Box 2", "table")
    assert small.state_text(on_table) == ON_TABLE
    # Onto another object means into its box.
    together = small.edited(state, "apple in Box 1", "bell in Box 2")
    assert small.state_text(together) == TOGETHER
    for source, target in (("apple in Box 1", "Box 1"), ("Box 1", "Box 2"), ("table", "table")):
        assert small.edited(state, source, target) is None
    full = environment_named("boxes:2x3")
    three = full.read_state(
        "Box 1 contains the apple and the bell. Box 2 contains the cup. The table is empty."
    )
    assert full.conditions(full.edited(three, "cup in Box 2", "Box 1")) == ("over_capacity",)


def test_a_carry_is_an_arrow(small):
    state = small.read_state(APART)
    action = small.action_named(state, "Move the apple from Box 1 to Box 2.")
    start, end = small.action_points(state, action)
    places = {each.name: each for each in small.places(state)}
    for (x, y), name in ((start, "apple in Box 1"), (end, "Box 2")):
        place = places[name]
        assert (x, y) == (place.left + place.width / 2, place.top + place.height / 2)

"""One contract for every environment: texts, replies, episodes, slips, measures, p_m and r_m."""

import re
import time
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.affordance import exact_profile
from workbench.automaton import SINK
from workbench.environments.registry import environment_named, environment_names
from workbench.errors import InvalidArgumentError
from workbench.prediction import CLASSES

NAMES = environment_names()
WITH_ARGUMENT = ["boxes:7x3", "planning:gripper", "planning:logistics", "sokoban:corridors"]
LENGTHS = (1, 4, 9)
MOST_SEQUENCES = 3000
CPU_SECONDS = 8
LONGEST_UNITS = 8
PROSE = "I am sorry, but I would rather talk about the weather. It has been lovely of late."


@pytest.fixture(params=[*NAMES, *WITH_ARGUMENT])
def environment(request):
    return environment_named(request.param)


@lru_cache
def episodes(name):
    environment = environment_named(name)
    return [one for length in LENGTHS for one in islice(environment.episodes(length, seed=5), 3)]


@lru_cache
def states(name):
    """The last states of some episodes, each with a state after a slip."""
    environment = environment_named(name)
    found = []
    for number, episode in enumerate(episodes(name)):
        state = environment.read_state(episode.true)
        found.append((state, environment.slip(state, np.random.default_rng(number))))
    return found


def test_the_environments_of_the_workbench_are_found():
    assert {"othello", "sokoban", "boxes"} <= set(NAMES)


def test_what_a_model_is_told_is_written(environment):
    for told in (environment.rules, environment.state_format, environment.action_format):
        assert len(told) > 20
        assert told == told.strip()
    assert environment.title


def test_an_argument_of_no_use_is_refused(environment):
    with pytest.raises(InvalidArgumentError):
        environment_named(f"{environment.name.partition(':')[0]}:../no\x00such thing")


# Episodes.


def test_episodes_are_seeded_and_lead_to_the_true_state(environment):
    for length in LENGTHS:
        drawn = list(islice(environment.episodes(length, seed=5), 3))
        assert drawn == list(islice(environment.episodes(length, seed=5), 3))
        for episode in drawn:
            assert len(episode.actions) == length
            moves = environment.separator.join(episode.actions)
            assert environment.split_moves(moves) == list(episode.actions)
            end = environment.replay(episode.initial, moves)
            assert end == environment.read_state(episode.true)
            assert environment.automaton.permitted(end)
    others = list(islice(environment.episodes(LENGTHS[-1], seed=6), 3))
    assert [each.actions for each in others] != [each.actions for each in drawn]


def test_the_start_of_an_episode_is_a_state_unless_all_share_it(environment):
    for episode in episodes(environment.name):
        assert (episode.initial == "") is environment.starts_alike
        start = environment.read_state(episode.initial) if episode.initial else None
        start = environment.automaton.initial if start is None else start
        assert environment.conditions(start) == ()


# Texts of states and actions.


def test_states_come_back_from_their_texts(environment):
    for pair in states(environment.name):
        for state in pair:
            text = environment.state_text(state)
            assert environment.read_state(text) == state
            assert environment.state_text(environment.read_state(text)) == text
            assert len(text) <= environment.longest_state


def test_permitted_actions_are_found_by_their_texts_and_no_others(environment):
    automaton = environment.automaton
    texts = {
        environment.action_text(action)
        for pair in states(environment.name)
        for state in pair
        for action in automaton.permitted(state)
    }
    assert all(environment.plain_action(text) == text for text in texts)
    for pair in states(environment.name):
        for state in pair:
            permitted = {environment.action_text(each): each for each in automaton.permitted(state)}
            assert len(permitted) == len(automaton.permitted(state))
            for text in texts:
                assert environment.action_named(state, text) == permitted.get(text)
            assert environment.action_named(state, PROSE) is None


# States in replies.

WRAPPERS = {
    "alone": "{}",
    "blank lines": "\n\n{}\n\n",
    "carriage returns": "{}\n",
    "a fence": "```\n{}\n```",
    "a named fence and prose": "Let me see.\n\n```text\n{}\n```\n\nI hope this helps!",
    "an open fence": "```\n{}",
    "a heading": "Final state:\n{}",
    "a bold heading": "**Final state:**\n\n{}\n",
    "a Markdown heading": "### Final state\n\n{}",
    "a heading in words": "Here is the resulting state:\n\n{}\n\nThat is my answer.",
    "prose before": "I went through all of it, one step after the other.\n\n{}",
    "prose after": "{}\n\nThat was not easy.",
    "prose around": "I went through all of it.\n\n{}\n\nThat was not easy.",
    "a list before": "- I read the start.\n- I took each step.\n\n{}",
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_state_is_found_in_a_reply(environment, wrapper):
    for state, _ in states(environment.name):
        reply = WRAPPERS[wrapper].format(environment.state_text(state))
        if wrapper == "carriage returns":
            reply = reply.replace("\n", "\r\n")
        found = environment.classify(reply)
        assert found.reply_class == "valid", (reply, found)
        assert found.status == ()
        assert found.parsed.state == state
        again = environment.classify_state(found.predicted_state)
        assert (again.reply_class, again.parsed.state) == ("valid", state)


def test_of_two_states_the_one_called_final_is_taken(environment):
    for episode in episodes(environment.name):
        state = environment.read_state(episode.true)
        start = environment.read_state(episode.initial) if episode.initial else None
        start = environment.automaton.initial if start is None else start
        reply = "The start:\n\n{}\n\nFinal state:\n\n{}\n".format(
            *map(environment.state_text, (start, state))
        )
        assert environment.classify(reply).parsed.state == state


def test_a_state_after_a_slip_can_be_read_and_its_class_follows_from_its_conditions(environment):
    for _, slipped in states(environment.name):
        found = environment.classify(environment.state_text(slipped))
        assert found.parsed.state == slipped
        assert found.status == environment.conditions(slipped)
        assert found.reply_class == ("ill_formed" if found.status else "valid")
        assert all(re.fullmatch(r"\w+", name) for name in found.status)


@pytest.mark.parametrize(
    "reply", ["", " \n\t\r\n", PROSE, PROSE * 3, "?", "```\n```", "{}", "\x00"]
)
def test_what_says_nothing_is_absent(environment, reply):
    assert environment.classify(reply).reply_class == "absent"
    assert environment.classify_actions(reply).reply_class == "absent"


def alike(text, shift):
    return "".join(chr(ord(sign) + shift) if "!" <= sign <= "~" else sign for sign in text)


CYRILLIC = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: alike(text, 0xFEE0),
        lambda text: text.translate(CYRILLIC),
        lambda text: text.replace("o", "ο").replace("O", "Ο").replace("i", "і"),
        lambda text: re.sub("[0-9]", lambda digit: chr(ord(digit[0]) + 0x660 - 0x30), text),
        lambda text: "\u200b".join(text),
        lambda text: "\u202e" + text,
    ],
    ids=["full width", "Cyrillic", "Greek", "Arabic digits", "zero width", "right to left"],
)
def test_signs_that_look_alike_are_never_read_as_another_state(environment, changed):
    for state, _ in states(environment.name):
        reply = changed(environment.state_text(state))
        found = environment.classify(reply)
        if found.reply_class in ("valid", "ill_formed"):
            assert (found.reply_class, found.parsed.state) == ("valid", state)


# Actions in replies.

LISTS = {
    "lines": "{}".join(["", "\n"]),
    "bullets": "- {}\n",
    "bold bullets": "* **{}**\n",
    "code": "- `{}`\n",
    "numbers": "1. {}\n",
}


@pytest.mark.parametrize("item", LISTS)
@pytest.mark.parametrize("around", ["{}", "Here are the legal actions:\n\n{}", "```\n{}\n```"])
def test_a_list_of_actions_is_read(environment, item, around):
    for pair in states(environment.name)[::2]:
        for state in pair:
            actions = environment.automaton.permitted(state)
            texts = tuple(map(environment.action_text, actions))
            if not texts:
                continue
            reply = around.format("".join(LISTS[item].format(text) for text in texts))
            found = environment.classify_actions(reply)
            assert (found.reply_class, found.predicted_actions) == ("valid", texts)
            assert tuple(environment.action_named(state, text) for text in texts) == actions


@pytest.mark.parametrize(
    "reply", ["Legal moves: {}", "The legal actions are: {}.", "I think so.\n\n{}\n\nThat is all."]
)
def test_a_line_of_actions_is_read(environment, reply):
    for state, _ in states(environment.name):
        texts = tuple(map(environment.action_text, environment.automaton.permitted(state)))
        joint = ", " if environment.splits_items.search(", ") else "; "
        assert (
            environment.classify_actions(reply.format(joint.join(texts))).predicted_actions == texts
        )


def test_an_item_that_is_no_action_makes_a_list_ill_formed(environment):
    for state, _ in states(environment.name):
        texts = [environment.action_text(each) for each in environment.automaton.permitted(state)]
        reply = "".join(f"- {text}\n" for text in [*texts, "wait and see"])
        found = environment.classify_actions(reply)
        assert found.reply_class == "ill_formed"
        assert found.predicted_actions == (*texts, "wait and see")
        assert environment.action_named(state, "wait and see") is None


@pytest.mark.parametrize("reply", ["None", "Legal actions: none.", "There are no legal actions."])
def test_an_empty_list_is_a_list(environment, reply):
    found = environment.classify_actions(reply)
    assert (found.reply_class, found.predicted_actions) == ("valid", ())


# Hostile replies.


def megabytes(environment):
    state, _ = states(environment.name)[-1]
    text = environment.state_text(state)
    first = environment.action_text(environment.automaton.permitted(state)[0])
    units = [text + "\n\n", text, first + "\n", first + ", ", text[: len(text) // 2], first[:-1]]
    units += ["x", "the ", "\n", " ", "(", "[", "{", "[(", "- ", "1. ", "#", "```\n", "0", "\u200b"]
    units += [
        f"{environment.state_noun}: ",
        "<script>alert(1)</script>",
        "a1 ",
        "\\",
        '"',
        "x = 1\n",
    ]
    for place, unit in enumerate(units):
        # A fifth of a megabyte is as long as what is read of a longer reply.
        length = 1_000_000 if place < LONGEST_UNITS else 200_000
        yield unit * (length // max(1, len(unit))), state


@pytest.mark.parametrize("name", NAMES)
def test_a_megabyte_takes_seconds(name):
    environment = environment_named(name)
    for reply, state in megabytes(environment):
        begun = time.thread_time()
        found = environment.classify(reply)
        listed = environment.classify_actions(reply)
        environment.classify_state(reply)
        taken = time.thread_time() - begun
        assert taken < CPU_SECONDS, (reply[:20], taken)
        assert found.reply_class in CLASSES[:4]
        assert listed.reply_class in CLASSES[:4]
        if found.reply_class == "valid":
            assert found.parsed.state == state


@pytest.mark.parametrize(
    "code",
    [
        "__import__('pathlib').Path({!r}).touch()",
        "open({!r}, 'w')",
        "exec(\"open({!r}, 'w')\")",
        "x = open({!r}, 'w')",
        "[open({!r}, 'w')]",
        "{{'a': open({!r}, 'w')}}",
        "import os; os.system('touch {}')",
        "$(touch {})",
        "`touch {}`",
        "<img src=x onerror=\"fetch('{}')\">",
        "!!python/object/apply:os.system ['touch {}']",
        "(define (x) (touch {}))",
    ],
)
def test_code_in_a_reply_is_not_executed(environment, code, tmp_path):
    target = tmp_path / "executed"
    harmful = code.format(str(target))
    state, _ = states(environment.name)[-1]
    text = environment.state_text(state)
    middle = len(text) // 2
    replies = [
        harmful,
        f"```python\n{harmful}\n```",
        f"Final state:\n{harmful}",
        f"{text}\n{harmful}",
        f"{text[:middle]}{harmful}{text[middle:]}",
        f"- {harmful}\n- {environment.action_text(environment.automaton.permitted(state)[0])}",
    ]
    for reply in replies:
        found, listed = environment.classify(reply), environment.classify_actions(reply)
        if found.parsed is not None and not found.parsed.fault:
            environment.automaton.permitted(found.parsed.state)
        for item in listed.predicted_actions or ():
            environment.action_named(state, item)
        assert not target.exists()
    assert environment.action_named(state, harmful) is None


@pytest.mark.parametrize(
    "nested",
    [
        "(" * 50_000,
        "[" * 5000 + "]" * 5000,
        "{'a':" * 3000,
        "x = " + "[" * 900 + "]" * 900,
        "-" * 9000,
        "(a " * 3000 + ")" * 3000,
        "not " * 2000,
        "1" + "+1" * 4000,
        "9" * 9000,
        "\\" * 9000,
    ],
    ids=lambda text: text[:6],
)
def test_nesting_neither_raises_nor_is_a_state(environment, nested):
    for reply in (nested, f"```\n{nested}\n```", f"Final state: {nested}", f"- {nested}"):
        assert environment.classify(reply).reply_class in ("absent", "unparseable")
        assert environment.classify_actions(reply).reply_class in CLASSES[:4]
        assert environment.plain_action(reply) is None


# Any text.


@st.composite
def near_texts(draw):
    """An environment and the text of one of its states, in which a few signs were changed."""
    name = draw(st.sampled_from(NAMES))
    environment = environment_named(name)
    text = environment.state_text(draw(st.sampled_from(states(name)))[draw(st.integers(0, 1))])
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 6))
        signs = st.sampled_from(sorted(set(text)))
        new = draw(st.one_of(st.text(signs, max_size=4), st.text(max_size=2)))
        text = text[:place] + new + text[place + cut :]
    return environment, text


@settings(max_examples=150, deadline=None)
@given(near_texts())
def test_whatever_can_be_read_can_be_used(drawn):
    environment, text = drawn
    found = environment.classify_state(text)
    if found.parsed is None or found.parsed.fault:
        assert found.reply_class in ("unparseable", "absent")
        return
    state, automaton = found.parsed.state, environment.automaton
    assert found.reply_class == ("ill_formed" if environment.conditions(state) else "valid")
    assert environment.read_state(environment.state_text(state)) == state
    assert hash(state) == hash(environment.read_state(environment.state_text(state)))
    actions = automaton.permitted(state)
    assert len(set(actions)) == len(actions)
    for action in actions:
        automaton.permitted(automaton.successor(state, action))
        assert environment.action_named(state, environment.action_text(action)) == action
    true = environment.parsed(environment.state_text(states(environment.name)[0][0]))
    assert (
        environment.measures(true, found.parsed).keys() <= dict(environment.measure_fields).keys()
    )
    picture = environment.picture(state, frozenset(environment.elements(state)))
    assert picture is None or ElementTree.fromstring(picture).tag.endswith("svg")
    environment.slip(state, np.random.default_rng(0))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NAMES), st.text(max_size=200))
def test_any_text_has_a_class(name, text):
    environment = environment_named(name)
    for found in (environment.classify(text), environment.classify_state(text)):
        assert found.reply_class in CLASSES[:4]
        assert (found.reply_class == "absent") <= (found.predicted_state is None)
        assert bool(found.status) == (found.reply_class == "ill_formed")
        assert bool(found.reason) == (found.reply_class in ("unparseable", "absent"))
    assert environment.classify_actions(text).reply_class in CLASSES[:4]
    plain = environment.plain_action(text)
    assert plain is None or environment.plain_action(plain) == plain


# The simulated tracker.


def test_a_tracker_that_never_slips_is_right(environment):
    for episode in episodes(environment.name):
        tracked = environment.track(episode.initial, episode.actions, rate=0, seed=1)
        assert environment.read_state(tracked) == environment.read_state(episode.true)


def test_a_tracker_that_always_slips_is_wrong_after_one_action(environment):
    for seed, episode in enumerate(islice(environment.episodes(1, seed=8), 10)):
        tracked = environment.track(episode.initial, episode.actions, rate=1, seed=seed)
        again = environment.track(episode.initial, episode.actions, rate=1, seed=seed)
        assert tracked == again
        assert tracked != episode.true
        assert environment.classify(tracked).reply_class in ("valid", "ill_formed")


def test_a_tracker_that_always_slips_is_mostly_wrong_after_many(environment):
    wrong = [
        environment.track(each.initial, each.actions, rate=1, seed=seed) != each.true
        for seed, each in enumerate(islice(environment.episodes(LENGTHS[-1], seed=8), 10))
    ]
    assert sum(wrong) > 5


# Measures.


def measured(environment, true, predicted, moves):
    parsed = environment.parsed(predicted)
    reply_class = environment.classify_state(predicted).reply_class
    return {
        **environment.measures(environment.parsed(true), parsed),
        **environment.diagnosis(moves, parsed, reply_class),
    }


def test_measures_have_the_names_and_types_that_are_said(environment):
    fields = environment.measure_fields
    for episode, (_, slipped) in zip(
        episodes(environment.name), states(environment.name), strict=True
    ):
        moves = environment.separator.join(episode.actions)
        for predicted in (episode.true, environment.state_text(slipped), PROSE, None):
            for known in (moves, None):
                row = measured(environment, episode.true, predicted, known)
                assert set(row) == {name for name, _ in fields}
                assert len(row) == len(fields)
                for name, kind in fields:
                    pa.array([row[name]], kind)
    assert {"exact_match", "levenshtein", "levenshtein_to_empty"} <= {name for name, _ in fields}


def test_a_state_is_like_itself_alone(environment):
    for state, slipped in states(environment.name):
        text, wrong = environment.state_text(state), environment.state_text(slipped)
        same = environment.measures(environment.parsed(text), environment.parsed(text))
        assert (same["exact_match"], same["levenshtein"]) == (True, 0)
        assert same["levenshtein_to_empty"] is False
        assert same.get("element_accuracy", 1.0) == 1.0
        other = environment.measures(environment.parsed(text), environment.parsed(wrong))
        assert other["exact_match"] is (slipped == state)
        assert (other["levenshtein"] > 0) is (slipped != state)
        assert (other.get("element_accuracy", 0.0) < 1.0) is (slipped != state)
        none = environment.measures(environment.parsed(text), environment.parsed(None))
        assert none["levenshtein_to_empty"] is True
        assert none["exact_match"] is False
        assert none["levenshtein"] > 0
        assert environment.refusal(environment.parsed(text), None, []) == ""


# p_m and r_m.


def sequences(automaton, state, depth):
    """Every sequence that a state accepts down to a depth, its probability, and if it is finished."""
    level = [((), Fraction(1))]
    for length in range(depth + 1):
        following = []
        for word, probability in level:
            actions = automaton.actions(automaton.run(state, word))
            yield word, probability, not actions
            if length < depth:
                following += [((*word, each), probability / len(actions)) for each in actions]
        level = following


def enumerated(automaton, walks, accepts, depth, terminal):
    """p_m from its definition."""
    total = Fraction(0)
    for word, probability, finished in sequences(automaton, walks, depth):
        end = automaton.run(accepts, word)
        whole = len(word) == depth
        ended = finished and terminal == "absorb" and end is not SINK and not automaton.actions(end)
        total += probability * (end is not SINK if whole else ended)
    return float(total)


def affordable(automaton, *roots):
    """The largest depth of at most 3 to which sequences are few."""
    depth, width = 1, max(len(automaton.permitted(root)) for root in roots)
    while depth < 3 and width ** (depth + 1) <= MOST_SEQUENCES:
        depth += 1
    return depth


@pytest.mark.parametrize("terminal", ["absorb", "drop"])
def test_precision_and_recall_by_enumeration(environment, terminal):
    automaton = environment.automaton
    for true, slipped in states(environment.name)[::3]:
        depth = affordable(automaton, true, slipped)
        profile = exact_profile(automaton, true, slipped, depth, terminal)
        for m in range(1, depth + 1):
            p = enumerated(automaton, slipped, true, m, terminal)
            r = enumerated(automaton, true, slipped, m, terminal)
            assert profile.precision[m - 1] == pytest.approx(p, abs=1e-12)
            assert profile.recall[m - 1] == pytest.approx(r, abs=1e-12)


def test_a_state_has_precision_and_recall_one_with_itself(environment):
    for state, _ in states(environment.name)[::3]:
        depth = affordable(environment.automaton, state)
        profile = exact_profile(environment.automaton, state, state, depth)
        assert profile.precision == pytest.approx([1.0] * depth, abs=1e-12)
        assert profile.recall == pytest.approx([1.0] * depth, abs=1e-12)


# For explorers.


def test_a_picture_is_svg_without_code_and_shows_what_is_marked(environment):
    for state, slipped in states(environment.name):
        elements = environment.elements(state), environment.elements(slipped)
        assert all(elements)
        differ = frozenset(dict(set(elements[0].items()) ^ set(elements[1].items())))
        assert bool(differ) is (slipped != state)
        plain = environment.picture(slipped)
        if plain is None:
            continue
        marked = environment.picture(slipped, differ)
        assert (marked != plain) is bool(differ)
        for picture in (plain, marked):
            parts = [part.tag.rpartition("}")[2] for part in ElementTree.fromstring(picture).iter()]
            assert parts[0] == "svg"
            assert "script" not in parts
            assert "title" in parts or "aria-label" in picture

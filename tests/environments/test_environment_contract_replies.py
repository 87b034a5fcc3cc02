"""One contract for every environment: the states and actions that are found in replies."""

import re

import pytest
from contract_cases import PROSE, episodes, states

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
        joint = ", " if environment.item_separator.search(", ") else "; "
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

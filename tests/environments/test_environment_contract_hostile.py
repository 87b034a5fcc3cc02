"""One contract for every environment: hostile replies are read soon and run nothing, and any text has a class."""

import time
from xml.etree import ElementTree

import numpy as np
import pytest
from contract_cases import NAMES, states
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.environments.registry import environment_named
from workbench.metrics import metrics, pair_values
from workbench.prediction import CLASSES

CPU_SECONDS = 8
LONGEST_UNITS = 8


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(near_texts())
@example((environment_named("chess"), "1nbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBNR b KQkq -"))
def test_whatever_can_be_read_can_be_used(drawn):
    environment, text = drawn
    found = environment.classify_state(text)
    if found.parsed is None or found.parsed.fault:
        assert found.reply_class in ("unparseable", "absent")
        return
    state, automaton = found.parsed.state, environment.automaton
    assert found.reply_class == ("ill_formed" if environment.conditions(state) else "valid")
    again = environment.read_state(environment.state_text(state))
    actions = automaton.permitted(state)
    assert len(set(actions)) == len(actions)
    assert environment.state_text(again) == environment.state_text(state)
    assert set(automaton.permitted(again)) == set(actions)
    # Castling rights without a rook are ill-formed, and no text of a state repeats them.
    if found.reply_class == "valid":
        assert again == state
        assert hash(again) == hash(state)
    for action in actions:
        automaton.permitted(automaton.successor(state, action))
        assert environment.action_named(state, environment.action_text(action)) == action
    true = environment.parse(environment.state_text(states(environment.name)[0][0]))
    assert pair_values(environment, true, found.parsed).keys() <= metrics(environment).keys()
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

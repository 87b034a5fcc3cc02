"""Planning problems: the states and actions in replies of all kinds."""

import time

import pytest

from workbench.environments.registry import environment_named
from workbench.errors import InvalidBoardError

TOWERS = "(on a b) (on b c) (on d e) (on-table c) (on-table e) (clear a) (clear d) (arm-empty)"
ONE_A_LINE = TOWERS.replace(") (", ")\n(")


@pytest.fixture(scope="module")
def blocks():
    return environment_named("planning")


@pytest.mark.parametrize(
    "reply",
    [
        TOWERS,
        TOWERS.upper(),
        ONE_A_LINE,
        ONE_A_LINE.replace("(", "").replace(")", ""),
        "on(a, b), on(b, c), on(d,e), on-table(c), on-table(e), clear(a), clear(d), arm-empty",
        "".join(f"- {line}\n" for line in ONE_A_LINE.split("\n")),
        "".join(f"{n}. {line}\n" for n, line in enumerate(ONE_A_LINE.split("\n"), 1)) + "Done.",
        f"(and {TOWERS})",
        f"(:init\n{ONE_A_LINE}\n)",
        f"```pddl\n{TOWERS}\n```",
        f"First (clear b).\n\n**Final state:**\n\n{ONE_A_LINE}\n\nI hope this helps.",
        f"After (unstack a b): (holding a)\nAfter (stack a b): {TOWERS}",
        f"The facts that are true are {TOWERS}.",
        "{" + TOWERS.replace(") (", "), (") + "}",
        "['" + TOWERS.replace(") (", ")', '(") + "']",
    ],
)
def test_replies_are_read_however_they_are_written(blocks, reply):
    found = blocks.classify(reply)
    assert (found.reply_class, found.status) == ("valid", ())
    assert found.parsed.state == blocks.automaton.initial


@pytest.mark.parametrize(
    ("reply", "reply_class", "reason"),
    [
        (TOWERS.replace("(clear a)", "(clear z)"), "unparseable", "'z'"),
        (TOWERS.replace("(clear a)", "(above a b)"), "unparseable", "(above a b)"),
        (TOWERS.replace("(clear a)", "(clear a b)"), "unparseable", "expected 1 objects"),
        # A Cyrillic letter, and the Kelvin sign, which is k in lower case.
        (TOWERS.replace("(clear a)", "(clear \u0430)"), "unparseable", "\u0430"),
        ("(clear a) (clear \u212a)", "unparseable", "\u212a"),
        ("I do not know.", "absent", "no facts"),
        ("", "absent", "empty"),
        ("__import__('os').system('touch harmed')", "absent", "no facts"),
        ("<script>alert(1)</script>", "absent", "no facts"),
        ("(" * 400 + ")" * 400, "absent", "no facts"),
    ],
)
def test_replies_that_cannot_be_read_say_why(blocks, reply, reply_class, reason):
    found = blocks.classify(reply)
    assert found.reply_class == reply_class
    assert reason in found.reason


@pytest.mark.parametrize("reply", [TOWERS.replace("(arm-empty)", ""), "No facts."])
def test_replies_that_cannot_arise_are_ill_formed(blocks, reply):
    found = blocks.classify(reply)
    assert (found.reply_class, found.status) == ("ill_formed", ("missing_fact",))


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        f"{TOWERS} ",
        f"{TOWERS}\n",
        "(",
        "(and ",
        "(\n",
        "!",
        "on a b ",
        "the\n",
        "state:\n",
        "```\n",
        "- \n",
        ",",
        "<script>",
    ],
)
def test_replies_of_a_megabyte_end_in_seconds(blocks, unit):
    reply = unit * (1_000_000 // len(unit)) + "x"
    before = time.thread_time()
    assert blocks.classify(reply).reply_class in ("absent", "unparseable")
    blocks.classify_actions(reply)
    assert time.thread_time() - before < 20


@pytest.mark.parametrize("text", ["", "  ", "nonsense", "(on a", "(on (a) b)", ")", "(on a b) x"])
def test_a_text_of_no_facts_is_no_state(blocks, text):
    with pytest.raises(InvalidBoardError):
        blocks.read_state(text)


@pytest.mark.parametrize(
    "reply",
    [
        "(unstack a b)\n(unstack d e)",
        "(unstack a b), (unstack d e)",
        "(unstack a b) (unstack d e)",
        "unstack(a, b), unstack(d, e)",
        "unstack a b, unstack d e",
        "Permitted actions:\n\n- unstack a b\n- UNSTACK D E.",
        "1. (unstack a b)\n2. (unstack d e)",
    ],
)
def test_replies_that_list_actions(blocks, reply):
    found = blocks.classify_actions(reply)
    assert found.reply_class == "valid"
    assert found.predicted_actions == ("(unstack a b)", "(unstack d e)")


def test_an_action_with_an_object_that_does_not_exist_is_counted(blocks):
    found = blocks.classify_actions("(unstack a b)\n(unstack d z)")
    assert found.predicted_actions == ("(unstack a b)", "(unstack d z)")
    assert blocks.action_named(blocks.automaton.initial, "(unstack d z)") is None

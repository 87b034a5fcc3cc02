"""Where the answer of a reply may stand: parts that may be a state, and items of a list."""

import re
import time

import pytest

from workbench.reply_parts import LONGEST_READ, is_empty_list, list_items, state_parts

COMMAS = re.compile(r"[;,]")
REMARK = re.compile(r"\s[-–—(]|:(?:\s|$)")


def squares(reply):
    return list_items(reply, COMMAS, REMARK, re.compile(r"[a-hA-H][1-8]|pass").fullmatch)


def sentences(reply):
    """Actions of several words, some of them in brackets."""
    return list_items(reply, COMMAS, REMARK, re.compile(r"\(?go [a-z]+( up)?\)?").fullmatch)


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("d3, c4, f5", ["d3", "c4", "f5"]),
        ("d3; c4 f5", ["d3", "c4", "f5"]),
        ("d3\nc4\n\nf5", ["d3", "c4", "f5"]),
        ("- d3\n* c4\n• `f5`\n+ **e6**", ["d3", "c4", "f5", "e6"]),
        ("1. d3\n2) c4\n(3) f5\n4.e6", ["d3", "c4", "f5", "e6"]),
        ("1. d3 2. c5 3. d6", ["d3", "c5", "d6"]),
        ("d3 → c5 → d6", ["d3", "c5", "d6"]),
        ("d3 -> c5 - d6", ["d3", "c5", "d6"]),
        ('["d3", "c4"]', ["d3", "c4"]),
        ('{"moves": ["d3", "c4"]}', ["d3", "c4"]),
        ("[\n  'd3',\n  'c4'\n]", ["d3", "c4"]),
        ("Legal moves: d3, c4 and f5.", ["d3", "c4", "f5"]),
        ("The legal moves for Black are d3, c4, f5, and e6", ["d3", "c4", "f5", "e6"]),
        ("In this position, d3, c4 or f5", ["d3", "c4", "f5"]),
        ("- **d3**: turns d4, e4\n- **c4** (turns d4, e4)", ["d3", "c4"]),
        ("- d3 - turns d4\n- c4 – turns d4", ["d3", "c4"]),
        ("d3 (turns d4, e4), c4 (turns d4)", ["d3", "c4"]),
        ("I considered d3, z9.\n\nMoves:\nc4\nf5\n\nI hope e6 helps.", ["c4", "f5"]),
        ("Edges:\n- a2\nOthers:\n- d3", ["a2", "d3"]),
        ("First a1, a2.\nThen prose.\nd3, c4", ["d3", "c4"]),
        ("a1, a2\n```\nd3\nc4\n```\nI hope this helps.", ["d3", "c4"]),
        ("```\nd3\nc4", ["d3", "c4"]),
        ("### Legal moves\nd3, c4\n", ["d3", "c4"]),
        ("z9, d3, c4", ["z9", "d3", "c4"]),
        ("- d3\n- somewhere else", ["d3", "somewhere else"]),
        ("d3, d3", ["d3", "d3"]),
        ("This is prose with d3 in it.", []),
        ("- a list\n- of prose", []),
        ("", []),
    ],
)
def test_items_of_a_list(reply, items):
    assert squares(reply) == items


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("(go left), (go right up)", ["(go left)", "(go right up)"]),
        ("1. go left\n2. go right (now)", ["go left", "go right"]),
        ("The steps are go left, go right", ["The steps are go left", "go right"]),
        ("go left, and go right", ["go left", "go right"]),
    ],
)
def test_items_of_several_words(reply, items):
    assert sentences(reply) == items


@pytest.mark.parametrize(
    ("reply", "none"),
    [
        ("None", True),
        ("**None.**", True),
        ("[]", True),
        ("No legal moves", True),
        ("Legal moves: none", True),
        ("I looked at each square.\n\nThere are no legal moves available.", True),
        ('{"moves": []}', True),
        ("no legal moves, except one", False),
        ("None of the squares on the left is free", False),
        ("", False),
    ],
)
def test_a_list_said_to_be_empty(reply, none):
    assert is_empty_list(reply) is none


def test_parts_from_the_likeliest():
    reply = "First board:\nAA\n\nFinal board:\nBB\n\nI hope this helps."
    parts = list(state_parts(reply))
    assert parts[0] == reply
    assert parts.index("BB") < parts.index("First board:\nAA")
    assert len(parts) == len(set(parts))


@pytest.mark.parametrize(
    "reply",
    [
        "The board is now\n1 1\n2 2\nas asked.",
        "Final board:\n1 1\n2 2\nThat is all.",
        "> **Board**\n\nHere it is:\n\n1 1\n2 2\nDone.",
        "Board\n```text\n1 1\n2 2",
        "Text\r\n\r\n1 1\r\n2 2\r\n\r\nmore text",
        "### Final board\n1 1\n2 2",
    ],
)
def test_lines_of_a_state_amid_prose_are_one_of_the_parts(reply):
    parts = list(state_parts(reply, re.compile(r"\d \d").fullmatch))
    assert "1 1\n2 2" in parts


def test_of_several_states_the_last_comes_first():
    parts = list(state_parts("1 1\n2 2\nthen\n3 3\n4 4", re.compile(r"\d \d").fullmatch))
    assert parts.index("3 3\n4 4") < parts.index("1 1\n2 2")


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "the\n", "the ", "\n", "#", "# ", "```\n", "- ", "- a\n", "(", "((,", "[", "no moves!", "1.",
        "board:\n", "board: ", ",", "d3,", "d3\n", "d3 and ", "a b, ", ": ", " -", "**\n", "\t",
    ],
)  # fmt: skip
def test_a_megabyte_takes_seconds(unit):
    reply = unit * (1_000_000 // len(unit)) + "\nabc"
    start = time.thread_time()
    squares(reply)
    is_empty_list(reply)
    assert sum(len(part) for part in state_parts(reply)) < 12 * LONGEST_READ
    assert time.thread_time() - start < 6


def test_of_a_long_reply_the_end_is_read():
    assert squares("d3\n" + "prose\n" * 200_000 + "c4, f5") == ["c4", "f5"]

"""Programs: the texts of states and statements, and replies of every kind."""

import ast
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.environments.programs import STATEMENTS
from workbench.environments.python_literals import literal_text, read_literal
from workbench.environments.registry import environment_named
from workbench.errors import InvalidBoardError

TEXT = "x = 3\ny = -1\nitems = [2, 0]\nd = {1: 4}"


@pytest.fixture(scope="module")
def environment():
    return environment_named("programs")


@pytest.mark.parametrize(
    "text",
    [
        "d = {1: 4}\nitems = [2, 0]\ny = -1\nx = 3",
        "  x=3 ;\n\n y  =  -1\nitems=[ 2,0, ]\nd={ 1:4 }",
        "x = 3, y = -1, items = [2, 0], d = {1: 4}",
        "x = 3; y = -1; items = [2, 0]; d = {1: 4};",
        "The final state is\n- `x = 3`\n- `y = -1`\n- `items = [2, 0]`\n- `d = {1: 4}`\nThat is all",
        "x: 3\ny: -1\nitems: [2, 0]\nd: {1: 4}",
        "x = 3  # was 2\ny = -1\nitems = [\n  2,\n  0,\n]\nd = {\n  1: 4\n}",
        '{\n  "x": 3,\n  "y": -1,\n  "items": [2, 0],\n  "d": {1: 4}\n}',
        TEXT + "\n" + TEXT,
        "\u202e" + TEXT,
        "\ufeff" + TEXT,
    ],
)
def test_texts_of_one_state(environment, text):
    assert environment.state_text(environment.read_state(text)) == TEXT
    assert environment.classify(text).reply_class == "valid"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "got 0 in"),
        ("I do not know.", "got 0 in"),
        ("x = 3\nitems = []", "got 2 in"),
        (TEXT + "\nz = 3", "got one to 'z'"),
        (TEXT + "\nx = 4", "two that differ"),
        (TEXT + "\nx = True", "two that differ"),
        ("x = y", "literal"),
        ("x = 1 + 2", "literal"),
        ("x += 1", r"got one to 'x \+'"),
        ("x = y = 3", "literal"),
        ("x =", "literal"),
        ("items = [1, 2", "literal"),
        ("d = {[1]: 2}", "literal"),
        ("x = 1e999", "literal"),
        ("x = '\\x41'", "literal"),
        ("x = \uff13", "literal"),  # a wide digit
        ("x = \u22123", "literal"),  # a typographic minus
        ("\uff58 = 3", "got one to"),  # a wide x, which Python takes for an x
        ("\u0445 = 3", "got one to"),  # a Cyrillic letter
    ],
)
def test_texts_of_no_state(environment, text, said):
    with pytest.raises(InvalidBoardError, match=said):
        environment.read_state(text)


@pytest.mark.parametrize(
    ("old", "new", "conditions"),
    [
        ("y = -1\n", "", ("missing_variable",)),
        ("x = 3", "x = 10", ("number_out_of_bounds",)),
        ("x = 3", "x = 3.0", ("wrong_type",)),
        ("x = 3", "x = True", ("wrong_type",)),
        ("x = 3", "x = None", ("wrong_type",)),
        ("x = 3", "x = [3]", ("wrong_type",)),
        ("x = 3", "x = " + "9" * 200, ("number_out_of_bounds",)),
        ("[2, 0]", "(2, 0)", ("wrong_type",)),
        ("[2, 0]", "[2, [0]]", ("wrong_type",)),
        ("[2, 0]", "[2, '0']", ("wrong_type",)),
        ("[2, 0]", "{2, 0}", ("wrong_type",)),
        ("[2, 0]", "[1, 2, 3, 4, 50]", ("list_too_long", "number_out_of_bounds")),
        ("{1: 4}", "{1: 4, 2: 4, 3: 4, 4: 4, 5: 4}", ("dictionary_too_long",)),
        ("{1: 4}", "{'1': 4}", ("wrong_type",)),
        ("{1: 4}", "{10: 4}", ("number_out_of_bounds",)),
        ("{1: 4}", "[]", ("wrong_type",)),
    ],
)
def test_conditions_of_states_that_cannot_arise(environment, old, new, conditions):
    text = TEXT.replace(old, new)
    found = environment.classify(text)
    assert (found.reply_class, found.status) == ("ill_formed", conditions)
    # It is a state all the same: written, read back, and some statement runs.
    state = found.parsed.state
    assert environment.read_state(environment.state_text(state)) == state
    assert environment.automaton.permitted(state)
    assert hash(state) != hash(environment.read_state(TEXT)) or state != environment.read_state(
        TEXT
    )


def test_the_order_of_sets_and_dictionaries_does_not_matter():
    assert read_literal("{3: 1, 2: 5}") == read_literal("{2: 5, 3: 1}")
    assert read_literal("{'b', 'a', 1}") == read_literal("{1, 'a', 'b'}")
    assert read_literal("1") != read_literal("True") != read_literal("1.0")


LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("pq ", max_size=3)
    | st.binary(max_size=0),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.text("pq", max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(LITERALS)
def test_a_literal_is_written_and_read_back(literal):
    text = repr(literal)
    try:
        value = read_literal(text)
    except InvalidBoardError:
        assert len(text) > 300
        return
    assert ast.literal_eval(literal_text(value)) == literal
    assert read_literal(literal_text(value)) == value
    hash(value)


@given(st.text("019.ejxoabfinsortl_+-'\"[]{}(), :", max_size=30))
def test_reading_any_text_only_reads_or_refuses(text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = read_literal(text)
        except InvalidBoardError:
            value = None
    assert caught == []
    assert value is None or read_literal(literal_text(value)) == value


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("x starts at 1.\nx = 1\nthen\nx = 3\n\nFinal state:\n" + TEXT, "valid"),
        ("Trace:\nx += 1\nitems.pop()\n\n```python\n" + TEXT + "\n```\nDone: all ran.", "valid"),
        ("x = 3\ny = foo(2)", "unparseable"),
        ("x = items[0]", "unparseable"),
        ("I cannot tell.", "absent"),
        ("\n", "absent"),
    ],
)
def test_replies_are_classified(environment, reply, kind):
    found = environment.classify(reply)
    assert found.reply_class == kind
    if kind == "valid":
        assert environment.state_text(found.parsed.state) == TEXT


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("x+=1", "x += 1"),
        (" items . append( x ) ;", "items.append(x)"),
        ("y = d[x]", "y = d[x]"),
        ("del d[x", "del d[x]"),
        ("x = x + 1", None),
        ("items.append(3)", None),
        ("__import__('os').system('true')", None),
        ("\uff58 += 1", None),
        ("x += 1" + " " * 100, None),
    ],
)
def test_actions_are_read(environment, text, plain):
    assert environment.plain_action(text) == plain


def test_a_list_of_statements_is_found(environment):
    reply = "Permitted statements:\n```python\nx += 1\nitems.pop()\ny=d[x]\n```"
    found = environment.classify_actions(reply)
    assert found.reply_class == "valid"
    assert found.predicted_actions == ("x += 1", "items.pop()", "y = d[x]")
    assert environment.classify_actions("; ".join(STATEMENTS)).predicted_actions == STATEMENTS
    harm = environment.classify_actions("- x += 1\n- __import__('os').system('true')")
    assert (harm.reply_class, harm.status) == ("ill_formed", ("not_an_action",))


HOSTILE = {
    "code": ("x = __import__('os').system('touch {0}')", "unparseable"),
    "code in a list": ("items = [__import__('os').system('touch {0}')]", "unparseable"),
    "code as a key": ("d = {{open('{0}', 'w'): 1}}", "unparseable"),
    "code alone": ("__import__('os').system('touch {0}')", "absent"),
    "a formatted string": ('x = f\'{{open("{0}", "w")}}\'', "unparseable"),
    "a lambda": ("x = (lambda: open('{0}', 'w'))()", "unparseable"),
    "a power": ("x = 9**9**9", "unparseable"),
    "a product": ("x = '9' * 10**9", "unparseable"),
    "a shift": ("x = 1 << 10**9", "unparseable"),
    "a sum": ("x = " + "+".join("1" * 140), "unparseable"),
    "signs": ("x = " + "-" * 9_000 + "1", "unparseable"),
    "five thousand digits": ("x = " + "9" * 5_000, "unparseable"),
    "a million digits": ("x = " + "9" * 1_000_000, "absent"),
    "brackets": ("x = " + "[" * 250, "unparseable"),
    "closed brackets": ("x = " + "[" * 100 + "]" * 100, "unparseable"),
    "many brackets": ("items = " + "[" * 9_000 + "\n]" * 400, "unparseable"),
    "a megabyte of brackets": ("x = " + "(" * 1_000_000, "absent"),
    "a megabyte of assignments": ("x = 3\ny = [\n" * 90_000, None),
    "a megabyte of commas": ("x = 3," + ", " * 500_000, "absent"),
    "a megabyte of spaces": (("x" + " " * 9_000 + "\n") * 110, "absent"),
    "a megabyte of equals signs": ("=" * 1_000_000, "absent"),
    "a megabyte of lines": ("x = foo\n" * 130_000, "unparseable"),
    "null characters": ("x = \0", "unparseable"),
    "a lone surrogate": ("x = '\ud800'", "unparseable"),
    "a script": ("x = <script>alert(1)</script>", "unparseable"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("reply", "kind"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_run_nothing_and_take_no_time(environment, tmp_path, reply, kind):
    harm = tmp_path / "harm"
    reply = reply.format(harm) if "{0}" in reply else reply
    began = time.thread_time()
    found = environment.classify(reply)
    listed = environment.classify_actions(reply)
    assert time.thread_time() - began < 20
    assert not harm.exists()
    assert kind is None or found.reply_class == kind
    assert found.reply_class != "valid"
    assert listed.reply_class in ("absent", "unparseable")


@pytest.mark.slow
def test_a_megabyte_before_the_answer_does_not_hide_it(environment):
    reply = "Then x = y + 1 and so on.\n" * 40_000 + "\nFinal state:\n" + TEXT
    assert environment.classify(reply).reply_class == "valid"

"""Programs: Python itself, hand-worked states, and replies of every kind."""

import ast
import copy
import itertools
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.affordance import exact_profile
from workbench.environments import programs, python_statements
from workbench.environments.programs import STATEMENTS, VARIABLES
from workbench.environments.python_statements import literal_text, read_literal
from workbench.environments.registry import environment_named
from workbench.errors import IllegalMoveError, InvalidArgumentError, InvalidBoardError

EMPTY = "x = 0\ny = 0\nitems = []\nd = {}"
ONE = "x = 0\ny = 1\nitems = []\nd = {}"
TEXT = "x = 3\ny = -1\nitems = [2, 0]\nd = {1: 4}"


@pytest.fixture(scope="module")
def environment():
    return environment_named("programs")


def run_by_python(text, statement):
    """What Python makes of a state and one of our own statements; None if it raises."""
    values = {
        name: ast.literal_eval(line.partition(" = ")[2])
        for name, line in zip(VARIABLES, text.split("\n"), strict=True)
    }
    before = copy.deepcopy(values)
    assert statement in STATEMENTS
    try:
        exec(statement, {"__builtins__": {"len": len}}, values)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return before, None
    return before, values


def within_bounds(values):
    numbers = [values["x"], values["y"], *values["items"], *itertools.chain(*values["d"].items())]
    return all(-9 <= n <= 9 for n in numbers) and max(len(values["items"]), len(values["d"])) <= 4


def test_every_statement_does_what_python_does(environment):
    """In states of random runs, each statement is permitted where Python runs it within bounds."""
    automaton, generator = environment.automaton, np.random.default_rng(1)
    permitted = dict.fromkeys(STATEMENTS, 0)
    refused = dict.fromkeys(STATEMENTS, 0)
    for _ in range(30):
        state = environment.start(generator)
        for _ in range(15):
            text = environment.state_text(state)
            actions = automaton.permitted(state)
            for statement in STATEMENTS:
                _, after = run_by_python(text, statement)
                runs = after is not None and within_bounds(after)
                assert (statement in actions) == runs, (text, statement)
                (permitted if runs else refused)[statement] += 1
                if runs:
                    told = environment.state_text(automaton.successor(state, statement))
                    lines = [line.partition(" = ")[2] for line in told.split("\n")]
                    assert [ast.literal_eval(line) for line in lines] == list(after.values())
            state = automaton.successor(state, actions[int(generator.integers(len(actions)))])
    # Every statement was permitted somewhere. All were refused somewhere but those that have no
    # condition, or one that random runs seldom meet; for these see the next test.
    assert all(permitted.values())
    never = {text for text, count in refused.items() if not count}
    assert never <= {"y = len(items)", "y -= 1", "d[x] = y"}


@pytest.mark.parametrize(
    ("text", "statement", "after"),
    [
        (TEXT, "x = x // y", "x = -3\ny = -1\nitems = [2, 0]\nd = {1: 4}"),
        (TEXT, "x = items[y]", "x = 0\ny = -1\nitems = [2, 0]\nd = {1: 4}"),
        (TEXT, "d[x] = y", "x = 3\ny = -1\nitems = [2, 0]\nd = {1: 4, 3: -1}"),
        (TEXT, "items.append(x)", "x = 3\ny = -1\nitems = [2, 0, 3]\nd = {1: 4}"),
        (TEXT, "y = y * 2", None),  # no statement of ours
        (TEXT, "items[x] = y", None),  # IndexError
        (TEXT, "items.remove(y)", None),  # ValueError
        (TEXT, "y = d[x]", None),  # KeyError
        (EMPTY, "y = x % y", None),  # ZeroDivisionError
        (TEXT.replace("3", "9"), "x += 1", None),  # beyond the bounds
        (TEXT.replace("-1", "-9"), "y -= 1", None),
        (TEXT.replace("[2, 0]", "[1, 2, 3, 4]"), "items.append(x)", None),
        (TEXT.replace("{1: 4}", "{1: 4, 2: 4, 4: 4, 5: 4}"), "d[x] = y", None),
    ],
)
def test_statements_by_hand(environment, text, statement, after):
    if after is None:
        with pytest.raises(IllegalMoveError):
            environment.replay(text, statement)
    else:
        assert environment.state_text(environment.replay(text, statement)) == after


def test_precision_and_recall_by_hand(environment):
    """y is believed to be 1 and is 0, with nothing in the list and the dictionary.

    Six statements run on the true state: x += 1, y -= 1, x = x + y, y = len(items), append and
    d[x] = y; on the believed one also the two divisions. After each of the six, how many run on
    the believed state, on both, and on the true state:

    ==============  ========  ====  ====
    statement       believed  both  true
    ==============  ========  ====  ====
    x += 1                 8     6     6
    y -= 1                 6     6     8
    x = x + y              8     6     6
    y = len(items)         6     6     6
    append                12    10    13
    d[x] = y              10     8    10
    ==============  ========  ====  ====

    After append the list is [0]. Its last element, its element x, pop() and pop(x) are there for
    both; element y, index(y) and remove(y) for the true state alone. After d[x] = y, the key x is
    there for both (two statements), the key y for the true state alone (two).
    """
    true, believed = environment.read_state(EMPTY), environment.read_state(ONE)
    profile = exact_profile(environment.automaton, true, believed, 2)
    p_2 = (6 / 8 + 1 + 6 / 8 + 1 + 10 / 12 + 8 / 10) / 8
    r_2 = (1 + 6 / 8 + 1 + 1 + 10 / 13 + 8 / 10) / 6
    assert profile.precision == pytest.approx((6 / 8, p_2), abs=1e-12)
    assert profile.recall == pytest.approx((1, r_2), abs=1e-12)


def test_starts_and_all_that_follows_can_arise_and_are_read_back(environment):
    automaton, generator = environment.automaton, np.random.default_rng(3)
    assert environment.conditions(automaton.initial) == ()
    for _ in range(30):
        state = environment.start(generator)
        for _ in range(20):
            assert environment.conditions(state) == ()
            assert environment.read_state(environment.state_text(state)) == state
            actions = automaton.permitted(state)
            assert 4 <= len(actions) <= 19
            state = automaton.successor(state, actions[int(generator.integers(len(actions)))])


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


def test_what_runs_on_values_of_other_types(environment):
    state = environment.read_state("x = 'a'\nitems = [7.5, 2]\nd = {'k': 1}")
    assert environment.automaton.permitted(state) == ("y = len(items)", "y = items[-1]")
    state = environment.read_state("x = 0\ny = 99\nitems = {}\nd = []")
    assert environment.automaton.permitted(state) == (
        "x += 1",
        "x = x // y",
        "y = x % y",
        "y = len(items)",
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


def test_measures_by_hand(environment):
    true = environment.parsed(TEXT)
    measures = environment.measures(true, environment.parsed(TEXT.replace("[2, 0]", "[2, 5, 0]")))
    # x, y, items[0] and d[1] are right, items[1] and items[2] are not.
    assert measures["element_accuracy"] == pytest.approx(4 / 6)
    assert measures["levenshtein"] == len("5, ")
    again = environment.parsed("d={1:4}\ny=-1\nitems=[2,0]\nx=3")
    assert environment.measures(true, again)["exact_match"]


def test_slips_change_the_state_and_are_of_every_kind(environment):
    generator = np.random.default_rng(4)
    seen = dict.fromkeys(VARIABLES, 0)
    broken = 0
    state = environment.read_state(TEXT)
    reached = set()
    for _ in range(600):
        slipped = environment.slip(state, generator)
        text = environment.state_text(slipped)
        reached.add(text)
        assert environment.read_state(text) == slipped
        (changed,) = (
            name
            for name, old, new in zip(VARIABLES, state.values, slipped.values, strict=True)
            if old != new
        )
        seen[changed] += 1
        broken += environment.conditions(slipped) != ()
    assert {name: count / 600 for name, count in seen.items()} == pytest.approx(
        dict.fromkeys(VARIABLES, 1 / 4), abs=0.06
    )
    assert broken == 0
    line = {name: {text.split("\n")[k] for text in reached} for k, name in enumerate(VARIABLES)}
    assert line["x"] == {"x = 2", "x = 3", "x = 4"}
    assert line["items"] == {
        "items = [2, 0]",
        "items = [0, 2]",  # neighbours exchanged
        "items = [2]",  # the last element forgotten
        "items = [2, 0, 0]",  # and not taken out
        *(f"items = [{each}]" for each in ("1, 0", "3, 0", "2, -1", "2, 1")),
    }
    assert line["d"] == {"d = {1: 4}", "d = {}", "d = {1: 3}", "d = {1: -1}"}


def test_slips_can_leave_the_bounds(environment):
    state = environment.read_state("x = 9\ny = 9\nitems = [9, 9, 9, 9]\nd = {9: 9}")
    generator = np.random.default_rng(5)
    found = {environment.conditions(environment.slip(state, generator)) for _ in range(400)}
    assert {(), ("number_out_of_bounds",), ("list_too_long",)} <= found


def test_a_tracker_without_slips_is_right_and_one_with_slips_is_not(environment):
    wrong = 0
    for episode in itertools.islice(environment.episodes(10, seed=4), 10):
        told = (episode.initial, episode.actions)
        assert environment.track(*told, rate=0, seed=1) == episode.true
        wrong += environment.track(*told, rate=0.5, seed=1) != episode.true
    assert wrong >= 7


def test_the_texts_for_prompts_are_those_of_the_environment(environment):
    assert "; ".join(STATEMENTS) in environment.rules
    lines = environment.state_format.split('"')[1::2]
    assert environment.classify("\n".join(lines)).reply_class == "valid"
    (action,) = environment.action_format.split('"')[1::2]
    assert environment.plain_action(action) == action


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


@pytest.mark.parametrize(("reply", "kind"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_run_nothing_and_take_no_time(environment, tmp_path, reply, kind):
    harm = tmp_path / "harm"
    reply = reply.format(harm) if "{0}" in reply else reply
    began = time.perf_counter()
    found = environment.classify(reply)
    listed = environment.classify_actions(reply)
    assert time.perf_counter() - began < 20
    assert not harm.exists()
    assert kind is None or found.reply_class == kind
    assert found.reply_class != "valid"
    assert listed.reply_class in ("absent", "unparseable")


def test_a_megabyte_before_the_answer_does_not_hide_it(environment):
    reply = "Then x = y + 1 and so on.\n" * 40_000 + "\nFinal state:\n" + TEXT
    assert environment.classify(reply).reply_class == "valid"


@pytest.mark.parametrize("module", [programs, python_statements])
def test_nothing_that_executes_text_is_named(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert "ast" in named
    assert named.isdisjoint({"eval", "exec", "compile", "__import__", "getattr", "globals"})


@pytest.mark.parametrize("text", ["x.y = 1", "import os", "x = open(y)", "items.sort()", "x **= y"])
def test_the_interpreter_refuses_other_forms(text):
    with pytest.raises((NotImplementedError, KeyError)):
        python_statements.changes(ast.parse(text).body[0], {"x": 1, "y": 2, "items": (1,)})


def test_an_argument_is_refused():
    with pytest.raises(InvalidArgumentError, match="without an argument"):
        environment_named("programs:7")

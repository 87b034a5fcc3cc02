"""Programs: Python itself, hand-worked states, slips and measures."""

import ast
import copy
import itertools
from pathlib import Path

import numpy as np
import pytest

from workbench.affordance import exact_profile
from workbench.environments import programs, python_literals
from workbench.environments.programs import STATEMENTS, VARIABLES
from workbench.environments.registry import environment_named
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.metrics import pair_values

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


@pytest.mark.slow
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
    profile = exact_profile(true, believed, 2, automaton=environment.automaton)
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


def test_measures_by_hand(environment):
    true = environment.parse(TEXT)
    measures = pair_values(
        environment, true, environment.parse(TEXT.replace("[2, 0]", "[2, 5, 0]"))
    )
    # x, y, items[0] and d[1] are right, items[1] and items[2] are not.
    assert measures["element_accuracy"] == pytest.approx(4 / 6)
    assert measures["levenshtein"] == len("5, ")
    again = environment.parse("d={1:4}\ny=-1\nitems=[2,0]\nx=3")
    assert pair_values(environment, true, again)["exact_match"]


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


@pytest.mark.parametrize("module", [programs, python_literals])
def test_nothing_that_executes_text_is_named(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert "Dictionary" in named
    assert named.isdisjoint({"eval", "exec", "compile", "__import__", "getattr", "globals"})


def test_an_argument_is_refused():
    with pytest.raises(InvalidArgumentError, match="without an argument"):
        environment_named("programs:7")

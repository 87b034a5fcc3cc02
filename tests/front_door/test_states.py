"""Functions of two states take text and the name of an environment."""

import doctest
import inspect

import chess
import pytest

import workbench
from workbench import affordance
from workbench.environments import HomogeneousTree
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError, InvalidBoardError, InvalidFenError

START = chess.STARTING_FEN
WITHOUT_KNIGHT = START.replace("/RN", "/R1")
STATES = tuple(map(ChessState.from_fen, (START, WITHOUT_KNIGHT)))
CALLS = {
    "estimate": {"samples": 20, "batches": 3, "seed": 1},
    "exact_profile": {},
    "exact_set_overlap": {},
    "measure": {"seed": 1},
    "survival_curve": {"method": "branch", "samples": 20, "batches": 3},
}
FUNCTIONS = pytest.mark.parametrize("name", CALLS)


@FUNCTIONS
def test_texts_states_and_automata_give_the_same(name):
    public, options = getattr(workbench, name), CALLS[name]
    wanted = getattr(affordance, name)(*STATES, 2, automaton=ChessAutomaton(), **options)
    chess_environment = environment_named("chess")
    for pair in ((START, WITHOUT_KNIGHT), STATES, (START, STATES[1])):
        assert repr(public(*pair, 2, **options)) == repr(wanted)
        assert repr(public(*pair, 2, environment=chess_environment, **options)) == repr(wanted)
    assert repr(public(*STATES, 2, environment=ChessAutomaton(), **options)) == repr(wanted)


@FUNCTIONS
def test_the_order_is_true_then_predicted(name):
    """From the start White has 20 moves, without the knight on b1 19, of which a1b1 is no move."""
    options = CALLS[name] | ({"samples": 5000} if "samples" in CALLS[name] else {})
    result = getattr(workbench, name)(START, WITHOUT_KNIGHT, 1, **options)
    value = {
        "estimate": lambda: result.value,
        "survival_curve": lambda: result.values[0],
        "measure": lambda: result.precision.value,
        "exact_profile": lambda: result.precision[0],
        "exact_set_overlap": lambda: result.precision,
    }[name]()
    assert value == pytest.approx(18 / 19, abs=0.01)
    assert abs(value - 18 / 20) > 0.02


@pytest.mark.parametrize("name", ["estimate", "survival_curve"])
def test_recall_is_asked_for_by_name(name):
    options = CALLS[name] | {"samples": 5000}
    result = getattr(workbench, name)(START, WITHOUT_KNIGHT, 1, measure="recall", **options)
    value = result.value if name == "estimate" else result.values[0]
    assert value == pytest.approx(18 / 20, abs=0.01)
    with pytest.raises(InvalidArgumentError, match="'both'"):
        getattr(workbench, name)(START, WITHOUT_KNIGHT, 1, measure="both", **options)


@FUNCTIONS
def test_calls_in_the_order_of_before_fail(name):
    for module in (workbench, affordance):
        with pytest.raises(TypeError):
            getattr(module, name)(ChessAutomaton(), *STATES, 2, **CALLS[name])


def test_the_sink_and_boards_that_cannot_arise_are_taken_as_they_are():
    profile = workbench.exact_profile(START, workbench.SINK, 3)
    assert profile.precision == profile.recall == (0.0,) * 3
    without_kings = START.replace("k", "1", 1).replace("K", "1", 1)
    assert workbench.exact_profile(START, without_kings, 1).recall == (1.0,)


def test_other_environments_and_automata_of_ones_own():
    state = environment_named("othello").automaton.initial
    text = environment_named("othello").state_text(state)
    for true in (text, state):
        assert workbench.exact_profile(true, text, 2, environment="othello").precision == (1, 1)
    tree = HomogeneousTree(shared=4, predicted_only=1, true_only=2)
    found = workbench.exact_profile(tree.initial, tree.predicted, 2, environment=tree)
    assert found.precision == pytest.approx((4 / 5, (4 / 5) ** 2))


@pytest.mark.parametrize("place", ["true", "predicted"])
@pytest.mark.parametrize(
    ("value", "environment", "error", "words"),
    [
        ("xyz", "chess", InvalidFenError, "expected a FEN.*'xyz'"),
        ("1. e4 e5", "chess", InvalidFenError, "looks like moves"),
        (START.replace("KQkq", "HAha"), "chess", InvalidFenError, "Chess960"),
        (chess.Board(), "chess", InvalidArgumentError, "ChessState, or workbench.SINK.*Board"),
        (None, "chess", InvalidArgumentError, "workbench.SINK for none, got NoneType"),
        ("xyz", "othello", InvalidBoardError, "Othello board"),
    ],
)
def test_what_is_no_state_is_named(place, value, environment, error, words):
    states = dict.fromkeys(
        ("true", "predicted"), environment_named(environment).automaton.initial
    ) | {place: value}
    with pytest.raises(error, match=f"^{place}: .*{words}"):
        workbench.exact_profile(**states, depth=2, environment=environment)


def test_what_is_no_environment_is_named():
    with pytest.raises(InvalidArgumentError, match="'checkers'"):
        workbench.exact_profile(START, START, 1, environment="checkers")
    with pytest.raises(InvalidArgumentError, match=r"environment: expected a name.*got 7"):
        workbench.exact_profile(START, START, 1, environment=7)


@FUNCTIONS
def test_signature_and_docstring_tell_of_the_environment(name):
    function, below = getattr(workbench, name), getattr(affordance, name)
    names = list(inspect.signature(below).parameters)
    assert names[:4] == ["true", "predicted", "depth", "automaton"]
    assert list(inspect.signature(function).parameters) == [
        "environment" if each == "automaton" else each for each in names
    ]
    assert inspect.signature(function).parameters["environment"].default == "chess"
    assert "environment: Of both states" in function.__doc__
    assert "automaton: " not in function.__doc__


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(workbench.__all__) - {"SINK"}))
def test_every_public_name_has_an_example_that_runs(name):
    documented = getattr(workbench, name)
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(documented) or "", {}, name, name, None
    )
    assert test.examples, f"workbench.{name} has no example"
    output = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=output.append)
    assert failed.failed == 0, "".join(output)

"""Tests of the keywords of the widgets: signatures and Tab completion name them, and others are refused."""

import inspect

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from workbench.explore import BoardPair, EstimatorLab, GameTracker, StatePair

PAIR = {"depth", "terminal", "ill_formed", "line", "reply", "moves", "caption"}
SCORING = {"pair", "depth", "terminal", "ill_formed"}
RUNS = {"depth", "terminal", "ill_formed", "samples", "repeats", "seed", "measure", "methods"}
KEYWORDS = {
    "BoardPair": (BoardPair, {"true_fen", "predicted_fen", "flipped"} | PAIR),
    "StatePair": (StatePair, {"environment", "true_state", "predicted_state"} | PAIR),
    "EstimatorLab": (EstimatorLab, {"pair", "true_fen", "predicted_fen"} | RUNS),
    "GameTracker.from_rows": (
        GameTracker.from_rows,
        {"frame", "game_id", "model", "sample"} | SCORING,
    ),
    "GameTracker.from_model": (GameTracker.from_model, {"movetext", "model"} | SCORING),
    "GameTracker.simulated": (GameTracker.simulated, {"movetext", "rate", "seed"} | SCORING),
}


@pytest.fixture(scope="module")
def shell():
    shell = InteractiveShell()
    shell.user_ns.update(
        BoardPair=BoardPair, StatePair=StatePair, EstimatorLab=EstimatorLab, GameTracker=GameTracker
    )
    return shell


@pytest.mark.parametrize("name", KEYWORDS)
def test_a_signature_names_every_keyword_with_its_type(name):
    call, names = KEYWORDS[name]
    signature = inspect.signature(call)
    assert set(signature.parameters) == names
    for each in signature.parameters.values():
        assert each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        assert each.annotation is not each.empty
    documented = inspect.getdoc(call.__init__ if inspect.isclass(call) else call)
    assert not [each for each in names if f"    {each}: " not in documented]


@pytest.mark.parametrize("jedi", [True, False])
@pytest.mark.parametrize("name", KEYWORDS)
def test_tab_completes_every_keyword(name, jedi, shell):
    shell.Completer.use_jedi = jedi
    text = f"{name}("
    with provisionalcompleter():
        completions = {each.text for each in shell.Completer.completions(text, len(text))}
    assert completions >= {f"{each}=" for each in KEYWORDS[name][1]}


@pytest.mark.parametrize("widget", [BoardPair, StatePair, EstimatorLab])
def test_an_unknown_keyword_is_refused(widget):
    with pytest.raises(TypeError, match="unexpected keyword argument 'dept'"):
        widget(dept=2)

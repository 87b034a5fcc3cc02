"""The reference and the compiled twin behind one set of calls: chosen by name, the same numbers."""

import math

import pandas as pd
import pytest

from workbench.affordance import ESTIMATORS, estimate, exact_profile
from workbench.automaton import ENGINE_VARIABLE, engine_in_use, twin_for
from workbench.environments import HomogeneousTree
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score_predictions

CHESS = ChessAutomaton()
TRUE = ChessState.from_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4")
PREDICTED = ChessState.from_fen("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB3NR w KQkq - 2 4")
PROMOTED_KING = ChessState.from_fen("4k3/8/8/8/8/8/8/3QK~3 w - - 0 1")
# Each test names its engines.
pytestmark = pytest.mark.parametrize("engine", ["reference"], indirect=True)


def test_the_argument_goes_before_the_environment_and_compiled_is_the_default(monkeypatch):
    monkeypatch.delenv(ENGINE_VARIABLE, raising=False)
    assert engine_in_use() == "compiled"
    monkeypatch.setenv(ENGINE_VARIABLE, "reference")
    assert engine_in_use() == "reference"
    assert engine_in_use("compiled") == "compiled"
    assert ScoringParameters().engine == "reference"


def test_an_unknown_engine_is_named(monkeypatch):
    with pytest.raises(InvalidArgumentError, match=r"'turbo' \(the argument"):
        exact_profile(TRUE, TRUE, 1, automaton=CHESS, engine="turbo")
    monkeypatch.setenv(ENGINE_VARIABLE, "turbo")
    with pytest.raises(InvalidArgumentError, match=ENGINE_VARIABLE):
        engine_in_use()


def test_an_automaton_without_a_twin_and_boards_it_does_not_take_go_to_the_reference():
    tree = HomogeneousTree(2, 1)
    assert twin_for(tree, "compiled", tree.initial) is None
    assert twin_for(CHESS, "compiled", TRUE, PROMOTED_KING) is None
    assert twin_for(CHESS, "reference", TRUE) is None
    assert twin_for(CHESS, "compiled", TRUE, PREDICTED) is not None
    exact = exact_profile(PROMOTED_KING, PROMOTED_KING, 2, automaton=CHESS, engine="compiled")
    assert exact.precision == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize("terminal", ["absorb", "drop"])
def test_exact_profiles_agree(terminal):
    one, other = (
        exact_profile(TRUE, PREDICTED, 3, automaton=CHESS, terminal=terminal, engine=engine)
        for engine in ("reference", "compiled")
    )
    assert other.precision == pytest.approx(one.precision, abs=1e-12)
    assert other.recall == pytest.approx(one.recall, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", ESTIMATORS)
def test_estimators_agree_in_distribution(method):
    """Means of 80 runs each: the difference within four standard errors."""
    # Algorithm 1 lists all lines, 42,576 of three moves, in each run.
    depth = 2 if method == "naive" else 3
    reference, compiled = (
        estimate(
            PREDICTED,
            TRUE,
            depth,
            automaton=CHESS,
            method=method,
            samples=60,
            batches=80,
            seed=0,
            engine=e,
        )
        for e in ("reference", "compiled")
    )
    error = math.hypot(reference.standard_error, compiled.standard_error)
    assert abs(reference.value - compiled.value) < 4 * error
    assert compiled.node_count > 0


def test_tables_agree_on_every_kind_of_row(predictions):
    rows = predictions.copy()
    rows.loc[1, "predicted_state"] = PROMOTED_KING.board().fen(promoted=True)
    rows.loc[1, "reply_class"] = "ill_formed"
    one, other = (
        score_predictions(rows, ScoringParameters(depth=2, engine=engine))
        for engine in ("reference", "compiled")
    )
    pd.testing.assert_frame_equal(one, other, rtol=0, atol=1e-12)


def test_a_row_s_estimate_is_the_one_of_its_pair(predictions):
    from workbench.seeds import derived_seed

    parameters = ScoringParameters(depth=2, method="intermediate", samples=30, batches=3, seed=5)
    scores = score_predictions(predictions, parameters).iloc[2]
    seed = derived_seed(5, scores["position_id"], "by hand", 0, "score")
    true, predicted = (ChessState.from_fen(scores[f"{n}_state"]) for n in ("true", "predicted"))
    expected = estimate(true, predicted, 2, automaton=CHESS, method="intermediate", samples=30, batches=3, seed=derived_seed(seed, "precision"))  # fmt: skip
    assert scores["precision_2"] == expected.value
    assert scores["precision_2_standard_error"] == expected.standard_error

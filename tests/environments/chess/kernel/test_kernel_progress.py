"""Reports of the compilation, and the test of the kernel when it is loaded."""

import numpy as np
import pytest

from workbench.affordance import estimate, exact_profile
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import cache
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.environments.chess.kernel.cache import compile_all, compiled_module, compiling
from workbench.environments.chess.state import Fen
from workbench.environments.chess.tracker import lost_track

CHESS = ChessAutomaton()
TRUE, PREDICTED = (ChessState.from_fen(f"4k3/8/8/8/8/8/8/R3K{piece}2 w Q - 0 1") for piece in "NB")


def test_a_compilation_is_reported_when_it_begins_and_ends(tmp_path, capsys):
    words = []
    with cache.compilation_listener(words.append):
        for _ in range(2):
            with compiling("joint_walk", tmp_path):
                pass
    assert words == [
        "Compiling the chess kernel, once: joint_walk.",
        f"The chess kernel is compiled, in 0 s; kept in {tmp_path}.",
    ]
    assert capsys.readouterr().err.splitlines() == [f"workbench: {each}" for each in words]


def test_the_folder_holds_the_machine_code_of_all_modules():
    stored = {path.name.partition("-")[0] for path in compile_all().rglob("*.nbi")}
    assert {"joint_walk._walked", "particles.estimates", "plain_walks.expected_nodes"} <= stored
    assert {"replay.mistaken_boards", "bitboards.load", "moves.generate"} <= stored


@pytest.fixture
def untested():
    """Forget the tests of the kernel, before and after."""
    kernel.kernel_works.cache_clear()
    yield
    kernel.kernel_works.cache_clear()


def results():
    moves = "e2e4 d7d5 e4d5 d8d5 b1c3"
    prediction = Fen("rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 1 3")
    return (
        exact_profile(TRUE, PREDICTED, 2, automaton=CHESS).precision,
        estimate(TRUE, PREDICTED, 2, automaton=CHESS, samples=1000, batches=2, seed=1).value,
        lost_track(moves, prediction),
    )


def wrong_profiles(true, predicted, depth, flags, precision, recall, nodes):
    right = compiled_module("joint_walk").profiles
    right(true, predicted, depth, flags, precision, recall, nodes)
    precision *= 1 + 1e-9


def wrong_moves(row, codes):
    return compiled_module("plain_walks").legal_codes(row, codes) - np.uint64(1)


@pytest.mark.parametrize(
    ("module", "name", "wrong"),
    [
        ("joint_walk", "profiles", wrong_profiles),
        ("particles", "estimates", lambda *arguments: None),
        ("plain_walks", "legal_codes", wrong_moves),
    ],
)
def test_a_kernel_with_wrong_results_gives_way_to_the_reference(
    untested, monkeypatch, module, name, wrong
):
    expected = results()
    kernel.kernel_works.cache_clear()
    original = compiled_module(module)

    class Broken:
        def __getattr__(self, asked):
            return wrong if asked == name else getattr(original, asked)

    loaded = {each: compiled_module(each) for each in ("joint_walk", "particles", "plain_walks")}
    modules = {**loaded, module: Broken()}
    monkeypatch.setattr(kernel, "compiled_module", modules.__getitem__)
    with pytest.warns(RuntimeWarning, match=rf"kernel \({module}\) does not work with numba \d+\."):
        found = results()
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert found[1] == pytest.approx(expected[1], abs=1e-12)
    assert found[2] == expected[2]
    assert (CHESS.compiled_twin() is None) == (module != "particles")


def test_a_kernel_that_cannot_be_loaded_gives_way_to_the_reference(untested, monkeypatch):
    expected = results()
    kernel.kernel_works.cache_clear()

    def fail(name):
        raise AttributeError("module 'numba.core.sigutils' has no attribute 'normalize_signature'")

    monkeypatch.setattr(kernel, "compiled_module", fail)
    with pytest.warns(RuntimeWarning, match="AttributeError: module 'numba.core.sigutils'"):
        found = results()
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert found[2] == expected[2]

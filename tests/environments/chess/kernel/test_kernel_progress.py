"""Reports of the compilation: the functions that they count, and the seconds."""

import re
import sys

import pytest

from workbench.environments.chess.kernel import cache as progress
from workbench.environments.chess.kernel.cache import compile_all, missing_functions


@pytest.fixture
def heard():
    words = []
    with progress.listening(words.append):
        yield words


def test_reports_count_functions_and_seconds(heard, tmp_path, capsys):
    now = [100.0]
    others = [f"bits.f{number}" for number in range(10)]
    work = progress.Compilation([*others, "last_ply.last_ply"], tmp_path, lambda: now[0])
    for number, name in enumerate(others):
        now[0] = 101.0 + number
        work.compiled(name)
    now[0] = 125.0
    work.compiled("last_ply.last_ply")
    work.finished()
    # At most every two seconds.
    assert heard == [
        "Compiling the chess kernel, once: 11 functions.",
        *(
            f"Compiling the chess kernel, once: {n} of 11 functions after {n} s."
            for n in range(2, 11, 2)
        ),
        f"The chess kernel is compiled, in 25 s; kept in {tmp_path}.",
    ]
    assert capsys.readouterr().err.splitlines() == [f"workbench: {words}" for words in heard]


def test_a_function_from_the_folder_is_not_counted(heard, tmp_path):
    now = [100.0]
    work = progress.Compilation(["bits.f", "bits.g"], tmp_path, lambda: now[0])
    now[0] = 105.0
    work.compiled("bits.kept")
    assert len(heard) == 1
    work.compiled("bits.f")
    assert heard[1:] == ["Compiling the chess kernel, once: 1 of 2 functions after 5 s."]


def test_nothing_to_compile_is_not_reported(heard, tmp_path):
    with progress.compiling(set(), tmp_path):
        progress.count_compiled("joint.profiles")
    assert heard == []


def test_no_function_is_missing_once_all_are_compiled(heard):
    folder = compile_all()
    assert missing_functions("particles", folder) == set()
    kept = {path.name.partition("-")[0] for path in folder.rglob("*.nbi")}
    assert {"joint_walk._walked", "particles.estimates", "plain_walks.expected_nodes"} <= kept


def test_the_functions_of_all_imported_modules_are_missing_in_an_empty_folder(
    tmp_path, monkeypatch
):
    package = "workbench.environments.chess.kernel."
    for name in [name for name in sys.modules if name.startswith(package)]:
        monkeypatch.delitem(sys.modules, name)
    missing = missing_functions("joint_walk", tmp_path)
    assert len(missing) == 21
    assert {"bitboards.load", "moves.generate", "joint_walk._walked"} <= missing
    assert not [name for name in missing if not re.fullmatch(r"[a-z_]+\.\w+", name)]
    (tmp_path / "joint_walk._walked-12.py311.nbi").touch()
    assert missing_functions("joint_walk", tmp_path) == missing - {"joint_walk._walked"}

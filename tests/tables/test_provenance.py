"""The hash of code: what changes it, and what does not."""

import shutil

import pytest

from workbench.environments.registry import environment_named
from workbench.errors import TableError
from workbench.installation import PACKAGE
from workbench.scoring.parameters import scoring_code
from workbench.studies import study_scores
from workbench.tables.provenance import _module, code_hash


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package, of which the code is hashed in its place."""
    root = tmp_path / "workbench"
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("workbench.tables.provenance._ROOT", root)
    forget()
    yield root
    forget()


def forget():
    code_hash.cache_clear()
    _module.cache_clear()


def fresh_hash(*modules):
    forget()
    return code_hash(*modules)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("workbench.environments.chess.state", "errors.py"),
        ("workbench.environments.chess.chess_automaton", "automaton.py"),
        # Imported by a name that is known only when it runs.
        (
            "workbench.environments.chess.kernel.cache",
            "environments/chess/kernel/joint_walk.py",
        ),
    ],
)
def test_code_that_is_reached_counts(package, module, file):
    whole = fresh_hash(module)
    path = package / file
    path.write_text(path.read_text() + "\n\nADDED = 1\n")
    assert fresh_hash(module) != whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "file", "counts"),
    [
        ("chess", "environments/chess/kernel/particles.py", True),
        ("chess", "tasks/actions.py", True),
        ("othello", "environments/othello.py", True),
        ("othello", "environments/chess/kernel/particles.py", False),
    ],
)
def test_scores_reach_what_determines_them(package, name, file, counts):
    environment = environment_named(name)
    whole = scoring_code(environment)
    path = package / file
    path.write_text(path.read_text() + "\n\nADDED = 1\n")
    forget()
    assert (scoring_code(environment) != whole) == counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "environments/chess/kernel/particles.py",
        "environments/boxes.py",
        "tasks/actions.py",
    ],
)
def test_tables_of_studies_reach_every_environment(package, file):
    whole = fresh_hash(*study_scores._MODULES)
    path = package / file
    path.write_text(path.read_text() + "\n\nADDED = 1\n")
    assert fresh_hash(*study_scores._MODULES) != whole


def test_a_statement_moved_out_of_its_block_counts(package):
    path = package / "seeds.py"
    path.write_text("if True:\n    one = 1\n    two = 2\n")
    inside = fresh_hash("workbench.seeds")
    path.write_text("if True:\n    one = 1\ntwo = 2\n")
    assert fresh_hash("workbench.seeds") != inside


def test_comments_docstrings_layout_and_other_code_do_not_count(package):
    whole = fresh_hash("workbench.environments.chess.state")
    path = package / "environments/chess/state.py"
    changed = path.read_text().replace('"""Return', '"""\n    Give', 1) + "\n\n# The end.\n"
    assert changed.count("Give") == 1
    path.write_text(changed)
    (package / "seeds.py").write_text("1 / 0\n")
    assert fresh_hash("workbench.environments.chess.state") == whole


def test_it_does_not_depend_on_where_the_package_stands(package, monkeypatch):
    elsewhere = fresh_hash("workbench.environments.chess.state")
    monkeypatch.setattr("workbench.tables.provenance._ROOT", PACKAGE)
    assert fresh_hash("workbench.environments.chess.state") == elsewhere


def test_a_module_without_its_source_is_named(package):
    (package / "errors.py").unlink()
    with pytest.raises(TableError, match=r"errors\.py"):
        fresh_hash("workbench.environments.chess.state")

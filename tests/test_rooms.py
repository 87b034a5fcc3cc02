"""The plan of the package: imports point one way, and names say what is inside."""

import ast
import re
from collections import Counter, defaultdict
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "workbench"
MAP = re.search(
    r"^```text\n(.+?)^```$",
    (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)[1]
LEVELS = [re.split(r"  +", line)[0].split() for line in MAP.splitlines()][::-1]
"""The rooms by the map of CONTRIBUTING.md, the lowest first."""


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree, modules):
    """The modules of the package that a syntax tree imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            inner = [name for name in names if name in modules]
            yield from inner
            if len(inner) < len(names):
                yield node.module


@pytest.fixture(scope="module")
def imports():
    """From each module to the modules that it imports."""
    modules = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    return {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), modules))
        for name, path in modules.items()
    }


def room(module):
    return module.split(".")[1] if "." in module else module


def folder(module):
    path = PACKAGE.parent.joinpath(*module.split("."))
    return module if path.is_dir() else module.rpartition(".")[0]


def test_the_imports_are_read(imports):
    assert (
        "workbench.environments.chess.state"
        in imports["workbench.environments.chess.chess_automaton"]
    )
    # Inside a function, and a module imported from its package.
    assert "workbench.explore.pair.board_pair" in imports["workbench.explore"]
    assert "workbench.environments.chess.state" in imports["workbench.explore.pair.pair_view"]


def test_no_modules_import_each_other_in_a_circle(imports):
    # Raises graphlib.CycleError, which names the circle.
    TopologicalSorter(imports).prepare()


def test_no_folders_import_each_other_in_a_circle(imports):
    """Between a folder and those inside it, the order of the modules alone counts."""
    graph = defaultdict(set)
    for module, others in imports.items():
        for other in others:
            one, two = folder(module), folder(other)
            if not f"{one}.".startswith(f"{two}.") and not f"{two}.".startswith(f"{one}."):
                graph[one].add(two)
    assert len(graph) > 20
    TopologicalSorter(graph).prepare()


def test_imports_point_downward(imports):
    level = {name: depth for depth, names in enumerate(LEVELS) for name in names}
    assert set(level) == {room(module) for module in imports}
    upward = [
        f"{module} imports {other}"
        for module, others in imports.items()
        for other in others
        if level[room(module)] <= level[room(other)] and room(module) != room(other)
    ]
    assert upward == []


def test_the_measures_know_no_environment(imports):
    reached, waiting = set(), [name for name in imports if room(name) == "affordance"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imports[name]
    assert len(reached) > 10
    assert not [name for name in reached if room(name) == "environments"]


def sources():
    return [path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".js", ".css"}]


def test_a_file_says_its_subject_without_its_folder():
    names = Counter(path.name for path in sources() if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []
    vague = {"utils", "helpers", "common", "misc", "manager", "runs", "rows"}
    assert vague.isdisjoint(chain.from_iterable(path.with_suffix("").parts for path in sources()))


def of_chess(tree):
    """What a syntax tree imports of python-chess, of the room of chess, or under a name of chess."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_of_chess(alias.name))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if is_of_chess(f"{node.module}.{alias.name}") or alias.name.startswith("Chess"):
                    yield f"{node.module}.{alias.name}"


def is_of_chess(module):
    return f"{module}.".startswith(("chess.", "workbench.environments.chess."))


def test_only_its_own_rooms_know_chess():
    """All others know it as one of the environments that are there: by its name, or as a default."""
    own = [PACKAGE / name for name in ("environments/chess", "games", "language_model", "explore")]
    known = {
        path.relative_to(PACKAGE).as_posix(): found
        for path in PACKAGE.rglob("*.py")
        if not any(path.is_relative_to(folder) for folder in own)
        if (found := sorted(of_chess(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert known == {}

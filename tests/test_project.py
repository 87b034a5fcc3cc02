"""The project's own promises: the same packages everywhere, clean notebooks, described columns."""

import ast
import json
import re
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml

from workbench.headless.class_lessons import LESSONS, lesson_notebooks
from workbench.headless.notebook_runs import NOTEBOOKS, notebook_parameters

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK_PATHS = [*sorted(NOTEBOOKS.glob("*.ipynb")), *lesson_notebooks()]
EXTRAS = re.search(r"^EXTRAS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
MOST_LINES = 12
EXPLORERS = ("00_start_here", "10_explore_board_pair", "11_explore_run")


def split_requirement(requirement):
    """The name as indexes normalise it, and the ranges; of markers there is nothing in Conda."""
    bare = requirement.partition(";")[0].replace(" ", "")
    name, ranges = re.fullmatch(r"([A-Za-z0-9_.-]+)(.*)", bare).groups()
    return re.sub(r"[-_.]+", "-", name).lower(), frozenset(filter(None, ranges.split(",")))


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_environment_and_project_name_the_same_packages_and_ranges():
    declared = dict(map(split_requirement, project()["dependencies"]))
    declared["python"] = frozenset({project()["requires-python"]})
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = dict(split_requirement(entry) for entry in environment if isinstance(entry, str))
    assert conda.pop("pip") == frozenset()
    assert conda == declared


# conda-forge has these without what the workbench does not use: windows, pandoc and statsmodels.
BASES = {"matplotlib-base": "matplotlib", "nbconvert-core": "nbconvert", "seaborn-base": "seaborn"}


def test_recipe_and_project_name_the_same_packages_ranges_and_version():
    recipe = yaml.safe_load((ROOT / ".packaging" / "recipe.yaml").read_text())
    python_min = recipe["context"]["python_min"]
    conda = {}
    for entry in recipe["requirements"]["run"]:
        name, ranges = split_requirement(entry.replace("${{ python_min }}", python_min))
        conda[BASES.get(name, name)] = ranges
    declared = dict(map(split_requirement, project()["dependencies"]))
    declared["python"] = frozenset({project()["requires-python"]})
    assert conda == declared
    assert recipe["context"]["version"] == project()["version"]
    assert recipe["about"]["license"] == project()["license"]
    assert recipe["about"]["summary"] == project()["description"]
    (command,) = recipe["build"]["python"]["entry_points"]
    assert dict([command.split(" = ")]) == project()["scripts"]


@pytest.mark.parametrize(
    ("name", "extras"), [("requirements.lock", EXTRAS), ("requirements.train.lock", ["train"])]
)
def test_a_lock_holds_every_dependency_with_hashes_and_no_address(name, extras):
    lock = (ROOT / name).read_text()
    assert "://" not in lock
    assert not re.search(r"^--", lock, flags=re.MULTILINE)
    locked = {name.lower() for name in re.findall(r"^([A-Za-z0-9_.-]+)==", lock, re.MULTILINE)}
    optional = project()["optional-dependencies"]
    of_extras = chain.from_iterable(optional[extra] for extra in extras)
    for name, _ in map(split_requirement, [*project()["dependencies"], *of_extras]):
        assert name in locked
    entries = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)


def test_setting_up_does_not_install_the_training_framework():
    assert not re.search(
        r"^(jax|jaxlib|optax|torch)==", (ROOT / "requirements.lock").read_text(), re.M
    )


@pytest.mark.parametrize("path", NOTEBOOK_PATHS, ids=lambda path: path.stem)
class TestNotebooks:
    def cells(self, path):
        return json.loads(path.read_text(encoding="utf-8"))["cells"]

    def test_holds_no_outputs(self, path):
        for cell in self.cells(path):
            assert not cell.get("outputs")
            assert not cell.get("execution_count")

    def test_no_cell_is_longer_than_a_glance(self, path):
        # Lessons ask questions in cells of their own form.
        most = MOST_LINES if path.parent != LESSONS else 23
        for cell in self.cells(path):
            if cell["cell_type"] == "code" and "parameters" not in cell["metadata"].get("tags", []):
                assert len(cell["source"]) <= most, cell["id"]

    def test_defines_nothing(self, path):
        for cell in self.cells(path):
            if cell["cell_type"] == "code":
                tree = ast.parse("".join(cell["source"]))
                definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
                assert not any(isinstance(node, definitions) for node in ast.walk(tree))

    def test_papermill_sees_every_parameter(self, path):
        (cell,) = (
            cell for cell in self.cells(path) if "parameters" in cell["metadata"].get("tags", [])
        )
        assigned = {
            target.id
            for statement in ast.parse("".join(cell["source"])).body
            for target in statement.targets
        }
        assert notebook_parameters(path) == assigned

    def test_begins_with_prose_and_compares_with_the_paper_or_shows_a_picture(self, path):
        cells = self.cells(path)
        assert cells[0]["cell_type"] == "markdown"
        prose = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        if path.stem in EXPLORERS:
            # A picture of another folder in the text would keep Voila from serving the notebook.
            assert "![" not in prose
            assert any("still(" in "".join(cell["source"]) for cell in cells)
        elif path.parent != LESSONS:
            assert "| paper | here |" in prose


class TestSettingUp:
    """`make` in a folder with the rules and no project, where Python is a script that notes its arguments."""

    @pytest.fixture
    def clone(self, tmp_path):
        if shutil.which("make") is None:
            pytest.skip("no make on this machine")
        clone = tmp_path / "clone"
        clone.mkdir()
        shutil.copy(ROOT / "Makefile", clone)
        for name in ("requirements.lock", "pyproject.toml"):
            (clone / name).touch()
        script = clone / "python"
        script.write_text('#!/bin/sh\necho "$@" >> notes\nexit 3\n')
        script.chmod(0o755)
        return clone

    def make(self, clone, goal):
        command = ["make", goal, f"PYTHON={clone / 'python'}"]
        return subprocess.run(command, cwd=clone, capture_output=True, text=True)

    @pytest.mark.parametrize("goal", ["setup", "docs", "figures", "test"])
    def test_refuses_to_clear_an_environment_behind_a_link(self, clone, goal):
        (clone.parent / "shared").mkdir()
        (clone / ".venv").symlink_to(clone.parent / "shared")
        result = self.make(clone, goal)
        assert result.returncode != 0
        assert f"got a link to {clone.parent / 'shared'}" in result.stderr
        assert not (clone / "notes").exists()

    def test_clears_a_folder_of_its_own(self, clone):
        (clone / ".venv").mkdir()
        assert self.make(clone, "setup").returncode != 0
        assert (clone / "notes").read_text() == "-m venv --clear .venv\n"


class TestWorkflows:
    """Continuous integration elsewhere runs what `.ci/run` and the Makefile have."""

    WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    GOALS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)

    def steps(self, path):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        return [step for job in jobs.values() for step in job["steps"]]

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_actions_are_named_by_the_hash_of_their_commit(self, path):
        for step in self.steps(path):
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_a_job_has_the_permissions_that_it_names_and_an_end(self, path):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {}
        for job in workflow["jobs"].values():
            assert "permissions" in job
            assert job["timeout-minutes"] <= 180

    def test_goals_are_those_of_the_makefile(self):
        commands = [
            step["run"] for path in self.WORKFLOWS for step in self.steps(path) if "run" in step
        ]
        goals = {goal for command in commands for goal in re.findall(r"^make (.+)$", command, re.M)}
        local = re.findall(r"^make (.+)$", (ROOT / ".ci" / "run").read_text(), re.M)
        assert goals == {"check", "test", "docs", "dist"}
        assert {*goals, *local} <= set(self.GOALS)
        assert "TORCH=torch bash .ci/run" in commands

    def test_without_make_the_tests_are_the_same(self):
        recipe = re.search(
            r"^test: setup\n\t\$\(BIN\)/(.+)--numprocesses", (ROOT / "Makefile").read_text(), re.M
        )
        jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())["jobs"]
        assert any(step.get("run", "").startswith(recipe[1]) for step in jobs["windows"]["steps"])

    def test_pythons_are_those_that_the_project_supports(self):
        lowest = project()["requires-python"].removeprefix(">=")
        declared = {
            name.rpartition(" ")[2]
            for name in project()["classifiers"]
            if re.search(r"Python :: 3\.", name)
        }
        release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
        assert set(release["jobs"]["try"]["strategy"]["matrix"]["python"]) == declared
        assert lowest in declared


def test_every_column_is_described():
    from workbench.scoring import ScoringParameters, scores_schema
    from workbench.tables.parquet_tables import PREDICTIONS

    described = (ROOT / "data" / "README.md").read_text()
    for name in [*PREDICTIONS.names, *scores_schema(ScoringParameters(depth=1)).names]:
        assert f"`{name}`" in described

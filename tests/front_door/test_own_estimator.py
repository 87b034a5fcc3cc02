"""An estimator of one's own: a package with an entry point, known wherever an estimator is named."""

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from workbench.affordance import estimators
from workbench.affordance.estimate import estimate
from workbench.affordance.estimators.branch import Branch
from workbench.affordance.estimators.contract import Run
from workbench.environments import HomogeneousTree
from workbench.errors import InvalidArgumentError

MODULE = '''
from workbench.affordance.estimators.contract import Run


class LastStep:
    """Independent walks whose last action is not drawn but summed."""

    name, label, look = "last-step", "walks, last step summed", 7
    unbiased, binomial = True, False

    def run(self, pair, samples, generator):
        total = nodes = 0
        for _ in range(samples):
            here = pair
            while True:
                actions = here.automaton.permitted(here.predicted)
                allowed = here.automaton.permitted(here.true)
                nodes += len(actions)
                if not actions:
                    total += here.absorb and not allowed
                    break
                if here.depth == 1:
                    total += len(set(actions) & set(allowed)) / len(actions)
                    break
                action = actions[generator.integers(len(actions))]
                if action not in allowed:
                    break
                here = here.after(action)
        return Run(total / samples, nodes)
'''
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "last-step"
version = "1.0"
[project.entry-points."workbench.estimators"]
last-step = "last_step:LastStep"
[tool.hatch.build.targets.wheel]
only-include = ["last_step.py"]
"""
USE = """
import json, sys
import chess, pandas as pd
import workbench
from workbench.affordance import ESTIMATORS
from workbench.environments import HomogeneousTree
from workbench.explore import EstimatorLab
from workbench.scoring import ScoringParameters, score_predictions
from workbench.studies.estimators import bias_and_variance
from workbench.studies.estimators.comparison_pairs import ComparisonPair

start = chess.STARTING_FEN
other = start.replace("/RN", "/R1")
tree = HomogeneousTree(shared=4, predicted_only=1, true_only=2)
of_tree = workbench.estimate(
    tree.initial, tree.predicted, 3, environment=tree, method="last-step", samples=400, seed=0
)
of_chess = workbench.estimate(start, other, 2, method="last-step", samples=5, seed=0)
pair = ComparisonPair("near", "knight", 0, start, other)
table = bias_and_variance.compute(
    [pair], depths=(1,), samples=5, repeats=40, reference_repeats=40, workers=1, seed=0
)
rows = table[table["method"] == "last-step"]
bias_and_variance.draw(table).savefig(sys.argv[1] + "/figure.png")
lab = EstimatorLab(true_fen=start, predicted_fen=other, depth=1, samples=5, repeats=2)
print(json.dumps({
    "names": list(ESTIMATORS),
    "tree": [of_tree.value, *of_tree.interval(0.9999)],
    "chess": of_chess.method,
    "study": [rows["mean"].iloc[0], bool(rows["agrees"].iloc[0])],
    "lab": [each["label"] for each in lab.choices],
    "runs": lab.runs()["method"].value_counts()["last-step"].item(),
}))
"""


@pytest.mark.slow
def test_a_package_of_forty_lines_is_known_everywhere(tmp_path):
    project, installed = tmp_path / "project", tmp_path / "installed"
    project.mkdir()
    (project / "last_step.py").write_text(MODULE)
    (project / "pyproject.toml").write_text(PROJECT)
    assert len(MODULE.strip().splitlines()) + len(PROJECT.strip().splitlines()) < 40
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*install, "--no-build-isolation", "--target", installed, project], check=True, timeout=600
    )
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], env={**os.environ, "PYTHONPATH": path}, check=True,
            capture_output=True, text=True, timeout=600,
        ).stdout  # fmt: skip

    found = json.loads(run("-c", USE, tmp_path))
    assert found["names"][-1] == "last-step"
    value, low, high = found["tree"]
    assert low <= (4 / 5) ** 3 <= high
    assert value != (4 / 5) ** 3
    assert found["chess"] == "last-step"
    # At depth 1 nothing is drawn: 18 of the 19 moves.
    assert found["study"] == [pytest.approx(18 / 19), True]
    assert found["lab"][-1] == "walks, last step summed"
    assert found["runs"] == 2
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert "last-step" in run("-m", "workbench", "score", "--help")
    compare = ["-m", "workbench", "compare", *FENS, "--depth", "1", "--json"]
    result = json.loads(run(*compare, "--method", "last-step"))
    assert (result["method"], result["precision"]) == ("last-step", [pytest.approx(18 / 19)])


FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
)


class Other(Branch):
    name, look = "other", 9


def registered(monkeypatch, estimator):
    entry = EntryPoint("theirs", "package:thing", estimators.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: estimator)
    monkeypatch.setattr(estimators, "entry_points", lambda group: [entry])
    return estimators.Estimators()


def test_an_object_or_a_class_is_registered(monkeypatch):
    for each in (Other, Other()):
        known = registered(monkeypatch, each)
        assert len(known) == 7
        assert isinstance(known["other"], Other)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (len, r"name \(str\), label \(str\), look \(int\), unbiased \(bool\), binomial \(bool\)"),
        (type("Nameless", (Branch,), {"name": None, "look": 9}), r"with name \(str\), got"),
        (type("Idle", (Other,), {"run": None}), r"run\(pair, samples, generator\)"),
        (
            type("Old", (Other,), {"run": lambda self, automaton, walks, accepts, depth: None}),
            r"run\(pair, samples, generator\)",
        ),
        (type("Twice", (Other,), {"name": "branch"}), "'branch' has look 1"),
        (type("Alike", (Other,), {"look": 4}), "'stratified' has look 4"),
    ],
)
def test_what_is_no_estimator_is_named_with_its_entry_point(monkeypatch, wrong, words):
    with pytest.raises(InvalidArgumentError, match=f"entry point 'theirs'.*{words}"):
        list(registered(monkeypatch, wrong))


@pytest.mark.parametrize("value", [0.5, Run(-1.0, 0), Run(float("nan"), 0)])
def test_an_estimator_that_returns_no_estimate_is_named(monkeypatch, value):
    known = registered(monkeypatch, type("Odd", (Other,), {"run": lambda *_: value}))
    monkeypatch.setattr(sys.modules["workbench.affordance.estimate"], "ESTIMATORS", known)
    tree = HomogeneousTree(shared=4, predicted_only=1, true_only=2)
    with pytest.raises(InvalidArgumentError, match="estimator 'other': expected a Run"):
        estimate(tree.initial, tree.predicted, 2, automaton=tree, method="other", seed=0)

"""The example of the notebook 14_your_own_environment: installed by pip, it keeps the whole contract."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.environments import registry
from workbench.errors import InvalidBoardError
from workbench.installation import RESOURCES

HANOI = RESOURCES / "notebooks" / "examples" / "hanoi"
CONTRACT = sorted(Path(__file__).parent.glob("test_environment_contract*.py"))


@pytest.mark.slow
def test_the_example_is_found_once_installed_and_keeps_the_contract(tmp_path):
    installed = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*install, "--no-build-isolation", "--target", installed, HANOI], check=True, timeout=600
    )
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    environ = {**os.environ, "PYTHONPATH": path}
    listed = subprocess.run(
        [sys.executable, "-m", "workbench", "environments"],
        env=environ, check=True, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    (line,) = [each for each in listed.stdout.splitlines() if each.startswith("hanoi ")]
    assert line.split(None, 1)[1] == "Towers of Hanoi discs on three pegs, moves such as A to C"
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *CONTRACT, "-k", "hanoi"],
        env=environ,
        cwd=RESOURCES,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", tested.stdout)[1]) > 50


@pytest.fixture
def hanoi(monkeypatch):
    """The module of the example."""
    monkeypatch.syspath_prepend(HANOI)
    yield importlib.import_module("hanoi")
    del sys.modules["hanoi"]


def test_an_environment_without_a_summary_is_listed_with_its_docstring(hanoi, monkeypatch):
    class Bare(hanoi.HanoiEnvironment):
        """Discs, told of in a docstring.

        More of it.
        """

        summary = ""

    entry = SimpleNamespace(name="bare", load=lambda: lambda name, argument: Bare(name))
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    registry._environment.cache_clear()
    lines = CliRunner().invoke(main, ["environments"]).output.splitlines()
    registry._environment.cache_clear()
    assert [line for line in lines if line.startswith("bare ")] == [
        "bare         Towers of Hanoi Discs, told of in a docstring."
    ]


@pytest.mark.parametrize(
    ("reply", "reply_class"),
    [
        ("432,1,", "valid"),
        ("The pegs are now\n\n432,1,", "valid"),
        ("432,9,", "unparseable"),
        ("After the last action:\n\n432,1,1,1\n", "unparseable"),
        ("1", "absent"),
        ("I am sorry, I lost count.", "absent"),
    ],
)
def test_an_invalid_board_of_ones_own_is_unparseable_also_without_labels(hanoi, reply, reply_class):
    class Compact(hanoi.HanoiEnvironment):
        def state_text(self, state):
            return ",".join("".join(map(str, peg)) for peg in state)

        def read_state(self, text):
            if not re.fullmatch("[1-4]*,[1-4]*,[1-4]*", text):
                raise InvalidBoardError(f"expected three pegs, got {text!r}")
            return tuple(tuple(map(int, peg)) for peg in text.split(","))

    assert Compact("compact").classify(reply).reply_class == reply_class
